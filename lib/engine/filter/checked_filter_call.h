// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The call of a filter that the tuner times, with the correct outputs.

#pragma once

#include "base/page_memory.h"
#include "filter/filter_channel.h"
#include "filter/filter_executor.h"

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! The input of a typical call of a filter, and the correct outputs: all of them, or for
//! a large call three pieces at its start, middle and end. Any algorithm may compute it.
class checked_filter_call
{
public:
    //! \param items input items of the call
    checked_filter_call(const filter_channel& setup, std::size_t items);

    //! The largest error of the checked outputs, in dB of their peak.
    double error() const;
    void lend_to(filter_executor& executor) const
    {
        executor.set_stream_memory(d_in.region(), d_out.region());
    }
    //! Makes the outputs no numbers.
    void spoil() const;
    void run(filter_executor& executor) const;
    void keep() const noexcept
    {
        d_in.keep();
        d_out.keep();
    }
    bool is_kept() const noexcept { return d_in.is_kept(); }

private:
    struct piece {
        std::size_t first;
        std::vector<std::complex<double>> outputs;
    };
    void add(const filter_channel& setup, std::size_t first, std::size_t count);

    std::size_t d_taps, d_outputs;
    page_memory d_in, d_out;
    std::vector<piece> d_expected;
};

} // namespace cldsp
