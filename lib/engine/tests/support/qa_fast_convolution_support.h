// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The device under test, and the variants of fast convolution on it.

#pragma once

#include "fast_convolution/dft_bank.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/vkfft_plan.h"
#include "filter/variants.h"
#include "tests/support/qa_fast_convolution_contract.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestFixture.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The device under test, and the engine's variants of fast convolution on it.
class opencl_variants
{
protected:
    const device_limits& limits() const { return d_device->limits(); }
    //! With fewer than 8 work-items per work-group VkFFT can run only the smallest
    //! transforms.
    bool smallest() const { return limits().max_work_group_size < 8; }
    block_case usual_block() const
    {
        return smallest()      ? block_case{ 2, 9, 16 }
               : small_tests() ? block_case{ 7, 60, 16 }
                               : block_case{ 7, 60, 32 };
    }

    //! How matrix units multiply: without them, their kernel runs with its instruction
    //! replaced by OpenCL C in which the lanes of a warp exchange their fragments, so
    //! that a value in a wrong lane gives wrong outputs.
    tensor_mode mode() const
    {
        return missing_tensor_reason(d_device->device()).empty() ? tensor_mode::native
                                                                 : tensor_mode::emulated;
    }
    //! Whether the work-groups of the device are large enough for a few warps.
    bool has_warps() const
    {
        return limits().max_work_group_size >= 128 &&
               limits().max_work_item_sizes[0] >= 128 && limits().local_memory >= 32768;
    }

    //! Every variant that the engine's table names and the device can run.
    std::vector<executor_way> device_ways() const
    {
        std::vector<executor_way> all;
        for (const auto& variant : freq_xlating_fir_variants()) {
            if (variant.host || variant.algorithm != "fast_convolution")
                continue;
            executor_way how{ variant.name,
                              usual_block(),
                              { "copy", "mapped", "zero_copy" },
                              variant.name == dft_bank_variant().name };
            if (how.on_raster)
                how.usual = { 7, 60, 12 };
            else if (!vkfft_plan::missing().empty())
                continue;
            if (variant.name == "tensor_fold") {
                if (!has_warps())
                    continue;
                // Each fold is checked when it is made, for which a simulator takes a
                // time that is proportional to the rows.
                if (small_tests())
                    how.usual = { 3, 5, 4 };
                how.is_slow = mode() == tensor_mode::emulated;
            }
            all.push_back(how);
        }
        return all;
    }

    std::unique_ptr<filter_executor> make_on(const std::shared_ptr<context>& device,
                                             const executor_way& how,
                                             const std::vector<filter_channel>& channels,
                                             std::size_t rows,
                                             double accuracy = 0,
                                             const std::string& transfer = "copy",
                                             const tuning_values& tuned = {}) const
    {
        if (how.on_raster)
            return make_opencl_dft_bank(device, transfer, channels, accuracy, rows);
        return make_opencl_fast_convolution(
            device, how.variant, transfer, channels, accuracy, rows, tuned, mode());
    }

    bool
    has_block(const executor_way& how, std::size_t rows, std::size_t decimation = 1) const
    {
        if (how.on_raster)
            return !dft_bank_radices(rows).empty() && rows <= max_dft_bank_size(limits());
        return ifft_sizes_of(how.variant, d_device->device(), decimation).contains(rows);
    }

    //! A device that is taken for a GPU with memory of its own, for which pieces of a
    //! call overlap.
    static std::shared_ptr<context> device_with_own_memory()
    {
        auto info = test_device();
        info.kind = device_kind::gpu;
        info.limits.host_unified_memory = false;
        return std::make_shared<context>(info, test_options());
    }

    context_registry d_registry{ test_options() };
    const std::shared_ptr<context> d_device = d_registry.get(test_device());
};

//! What is special to one variant.
class fast_convolution_fixture : public CppUnit::TestFixture, protected opencl_variants
{
protected:
    static constexpr double bound = -120; // dB of the output's peak

    virtual std::string variant() const = 0;

    bool takes(std::size_t rows, std::size_t decimation = 1) const
    {
        return ifft_sizes_of(variant(), d_device->device(), decimation).contains(rows);
    }
    std::unique_ptr<filter_executor> make(const std::vector<filter_channel>& channels,
                                          std::size_t rows,
                                          const tuning_values& tuned = {}) const
    {
        return make_opencl_fast_convolution(
            d_device, variant(), "copy", channels, 0, rows, tuned, mode());
    }
};

} // namespace cldsp
