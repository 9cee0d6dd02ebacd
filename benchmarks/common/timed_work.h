// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of something that can be timed, and its names in a table.

#pragma once

#include <cldsp/chosen_plan.h>

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp::bench {

//! The names that identify a row of a table.
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
    virtual std::size_t items() const = 0; //!< items of a call; for a filter, its input
                                           //!< items
    virtual double bound_db() const = 0;   //!< the largest permitted error

    virtual void begin() {} //!< called before the calls of a repetition, not timed
    virtual void call() = 0;
    virtual void end() {} //!< called after the calls of a repetition, not timed

    //! The seconds of computing alone in all calls so far; 0: not known.
    virtual double kernel_seconds() const { return 0; }
    //! The seconds of all calls so far, if they are not timed by the host's clock.
    virtual std::optional<double> own_seconds() const { return {}; }
    //! The algorithm or kernel that really ran, if the name leaves that open.
    virtual std::string note() const { return {}; }
    //! The engine's plan, if the engine has made one.
    virtual std::optional<chosen_plan> plan() const { return {}; }
};

} // namespace cldsp::bench
