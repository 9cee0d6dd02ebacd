/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/sample_format.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cldsp::app {

//! What a source has lost since it began.
struct source_losses {
    std::uint64_t overruns = 0; //!< how often samples came faster than they were read
    //! Samples that were lost in them, and are zeros now; those of which the source does
    //! not know are not among them.
    std::uint64_t samples = 0;
};

//! Samples of a file, of a pipe or of a radio.
class sample_source
{
public:
    virtual ~sample_source() = default;

    virtual const std::string& name() const = 0;
    virtual sample_type type() const = 0;
    //! The value of the largest sample, as the filters see it.
    virtual double full_scale() const { return app::full_scale(type()); }
    virtual double rate() const = 0;
    //! The frequency at 0 Hz of the samples, if it is known.
    virtual std::optional<double> center() const = 0;
    //! Of the first sample, as in SigMF; or empty. That of a radio is known after the
    //! first call of read(). Any thread may ask.
    virtual std::string datetime() const = 0;
    //! The number of items that there are to be read; empty: it is not known.
    virtual std::optional<std::uint64_t> items() const = 0;
    //! Whether items come at their own pace, as from a pipe.
    virtual bool is_stream() const = 0;
    //! Whether items that are not read in time are lost, as those of a radio.
    virtual bool is_live() const { return false; }

    /*!
     * Reads items of type(). Those of a stream are given out as they come, but not in
     * much smaller pieces than a 50th of a second. A signal to stop ends the input.
     *
     * \return the number of items, at most \p room; 0 at the end
     * \throws std::runtime_error if reading fails
     */
    virtual std::size_t read(void* items, std::size_t room) = 0;
    //! After the end: what is wrong with it, such as an incomplete item; or empty.
    virtual std::string problem() const { return ""; }
    //! Any thread may ask.
    virtual source_losses losses() const { return {}; }
    //! What else a user may want to know of it, in one line; or empty.
    virtual std::string remark() const { return ""; }
};

//! The items of a stream are collected for so long.
constexpr double stream_seconds = 0.02;

} // namespace cldsp::app
