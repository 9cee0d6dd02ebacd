// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of all inputs: samples, their rate, frequency and time.

#pragma once

#include "channelize/sample_format.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

class sigmf_notes;

//! The losses of a source since its first sample.
struct source_losses {
    std::uint64_t overruns = 0; //!< times that samples came faster than they were read
    //! Lost samples that were replaced by zeros. Losses that the source cannot measure
    //! are not counted.
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
    //! The time of the first sample, as in SigMF; empty if it is unknown. A radio knows
    //! it after the first call of read(). Any thread may call this function.
    virtual std::string datetime() const = 0;
    //! The total number of items; empty if it is unknown.
    virtual std::optional<std::uint64_t> items() const = 0;
    //! Whether items come at their own pace, as from a pipe.
    virtual bool is_stream() const = 0;
    //! Whether items that are not read in time are lost, as those of a radio.
    virtual bool is_live() const { return false; }

    /*!
     * Reads items of type(). A call on a stream waits for at least one item, and returns
     * after about stream_seconds even if there is room for more. A signal to stop ends
     * the input.
     *
     * \return the number of items, at most \p room; 0 at the end
     * \throws std::runtime_error if reading fails
     */
    virtual std::size_t read(void* items, std::size_t room) = 0;
    //! A fault of the input that is known at its end, such as an incomplete last item, in
    //! one line; empty if there is none.
    virtual std::string problem() const { return ""; }
    //! Any thread may call this function.
    virtual source_losses losses() const { return {}; }
    //! Remarks for the user, each in one line. Reading may add some at the end.
    virtual std::vector<std::string> remarks() const { return {}; }
    //! What the metadata of a recording say beyond this; null if there are none.
    virtual std::shared_ptr<const sigmf_notes> notes() const { return nullptr; }
};

//! A call of read() collects the items of a stream for about this time.
constexpr double stream_seconds = 0.02;

} // namespace cldsp::app
