/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_filter_of_one.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestFixture.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Block sizes small enough for the work-groups of a profile and for a simulator.
struct block_case {
    std::size_t decimation, taps, rows;
};

//! The device, and banks on it, that the tests of fast convolution on OpenCL share.
class fast_convolution_fixture : public CppUnit::TestFixture
{
protected:
    static constexpr double bound = -120; // dB of the output's peak

    context_registry d_registry{ test_options() };
    const std::shared_ptr<context> d_device = d_registry.get(test_device());

    //! With fewer than 8 work-items per work-group VkFFT can run only the smallest
    //! transforms.
    bool smallest() const { return d_device->limits().max_work_group_size < 8; }

    virtual block_case usual() const
    {
        return smallest()      ? block_case{ 2, 9, 16 }
               : small_tests() ? block_case{ 7, 60, 16 }
                               : block_case{ 7, 60, 32 };
    }

    //! The variant that a fixture tests.
    virtual std::string variant() const = 0;
    //! How matrix units multiply, for the variant that uses them.
    virtual tensor_mode mode() const { return tensor_mode::native; }

    std::unique_ptr<filter_executor> make(const std::vector<filter_channel>& channels,
                                          std::size_t rows,
                                          double accuracy = 0,
                                          const std::string& transfer = "copy") const
    {
        return make_opencl_fast_convolution(
            d_device, variant(), transfer, channels, accuracy, rows, {}, mode());
    }

    std::unique_ptr<filter_of_one> make_one(const filter_channel& setup,
                                            std::size_t rows,
                                            double accuracy = 0,
                                            const std::string& transfer = "copy") const
    {
        return make_opencl_fast_convolution(
            d_device, variant(), transfer, setup, accuracy, rows, mode());
    }
};

} // namespace cldsp
