// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A call of typical length with which executors of filters and banks are measured.

#pragma once

#include "base/page_memory.h"
#include "filter/filter_executor.h"

#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! The input and the outputs of the first call of a stream. All phases are 0.
class typical_call
{
public:
    //! \param items the new items, see items_of_typical_call()
    typical_call(const std::vector<filter_channel>& channels, std::size_t items);
    typical_call(const typical_call&) = delete;
    typical_call& operator=(const typical_call&) = delete;

    memory_region in() const { return d_in.region(); }
    memory_region out() const { return d_out.region(); }
    //! Runs an executor of these channels, or of the first ones of them.
    void run(filter_executor& executor) const { executor.run(d_call); }

    const channel_call& channel(std::size_t index) const { return d_calls[index]; }
    //! The oldest item in the window of the channel's first output.
    const void* window(std::size_t channel, std::size_t taps) const;

    //! Fills the outputs with a value that no executor gives.
    void spoil() const;
    //! Keeps the memory, which late commands of a lost device may still use.
    void keep() const noexcept
    {
        d_in.keep();
        d_out.keep();
    }
    bool is_kept() const noexcept { return d_in.is_kept(); }

private:
    struct layout {
        std::size_t history = 0, items = 0;
        std::vector<channel_span> spans;
        std::size_t outputs = 0; // of all channels
    };
    static layout layout_of(const std::vector<filter_channel>& channels,
                            std::size_t items);
    typical_call(const std::vector<filter_channel>& channels, const layout& its);

    const std::size_t d_item_bytes;
    page_memory d_in, d_out;
    std::vector<channel_call> d_calls;
    filter_call d_call;
};

} // namespace cldsp
