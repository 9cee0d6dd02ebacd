// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The registry, the log and the options that tests of small banks share.

#pragma once

#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestAssert.h>
#include <cppunit/TestFixture.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cldsp {

//! The registry, log and options that tests of small banks share.
class bank_fixture : public CppUnit::TestFixture
{
protected:
    std::vector<std::string> d_log;
    context_registry d_registry{ test_options() };

    freq_xlating_filter_bank_options options(const std::string& device,
                                             const std::string& variant = "auto",
                                             const std::string& transfer = "auto")
    {
        freq_xlating_filter_bank_options o;
        o.device = device;
        o.variant = variant;
        o.transfer = transfer;
        o.accuracy = 0;
        o.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        return o;
    }

    freq_xlating_filter_bank_options on_device(const std::string& transfer)
    {
        return options(test_device().id(), "gpu_tile", transfer);
    }

    bool logged(const std::string& part) const
    {
        return std::any_of(d_log.begin(), d_log.end(), [&](const std::string& line) {
            return line.find(part) != std::string::npos;
        });
    }

    static freq_xlating_filter_bank_problem problem(std::size_t channels = 3)
    {
        return make_bank_problem(sample_type::fc32, 4, 33, true, channels);
    }
};

} // namespace cldsp
