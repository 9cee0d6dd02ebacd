/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/workloads.h"

#include <cldsp/chosen_plan.h>

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! What a row of a table is about.
struct candidate_name {
    std::string implementation; //!< e.g. "cldsp" or "fir_filter_ccc"
    std::string device;         //!< "P:D", "host", or "auto"
    std::string variant;        //!< for the engine: a name or "auto"
    std::string transfer;       //!< for the engine: a name or "auto"
    std::string taps;           //!< "real" or "complex" prototype

    std::string text() const
    {
        std::string result = implementation;
        if (!device.empty())
            result += " " + device;
        for (const auto& part : { variant, transfer })
            if (!part.empty() && part != "none" && part != "auto")
                result += " " + part;
        return result;
    }
};

//! Something that can be timed.
class timed_work
{
public:
    virtual ~timed_work() = default;

    virtual candidate_name name() const = 0;
    virtual std::size_t items() const = 0; //!< of a call; a filter's input items
    virtual double bound_db() const = 0;   //!< its error has to be below

    virtual void begin() {} //!< before a repetition's calls, not timed
    virtual void call() = 0;
    virtual void end() {} //!< after them

    //! Of all the calls so far, in computing alone; 0: not known.
    virtual double kernel_seconds() const { return 0; }
    //! Of all the calls so far, where a call is not timed by the host's clock.
    virtual std::optional<double> own_seconds() const { return {}; }
    //! What really ran, where the name leaves that open.
    virtual std::string note() const { return {}; }
    //! The engine's plan, where it has made one.
    virtual std::optional<chosen_plan> plan() const { return {}; }
};

//! Something that filters and can be timed.
class candidate : public timed_work
{
public:
    //! One call's outputs, from the start of a stream.
    virtual std::vector<std::complex<float>> first_outputs() = 0;
};

} // namespace cldsp::bench
