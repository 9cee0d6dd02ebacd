// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A flowgraph with a source that costs nothing, as something that can be timed.

#pragma once

#include "filters/candidate.h"
#include "flowgraphs/flowgraph_blocks.h"
#include "flowgraphs/noise_source.h"

#include <gnuradio/top_block.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cldsp::bench {

//! The number of noise items at the beginning of a flowgraph's stream: more than the
//! buffer before a filter holds, whose history may be four times its taps.
constexpr std::size_t noise_items(std::size_t taps) { return (1 << 18) + 8 * taps; }
//! A number of input items whose outputs every block produces, whatever its block size.
constexpr std::size_t checked_items(std::size_t taps)
{
    return std::max<std::size_t>(1 << 16, 2 * taps);
}

//! Silences the log messages of the blocks, which would otherwise appear between the
//! tables.
void calm_blocks(bool verbose);

//! A source that costs next to nothing, filters side by side, and null sinks, with GNU
//! Radio's default buffers.
class flowgraph : public candidate
{
public:
    /*!
     * \param filters the filters, one or more, which all get the source's stream
     * \param seconds the least duration of a run
     * \param scale the weight of an item, if the filters stand for a larger number of
     * filters
     */
    flowgraph(std::vector<filter_blocks> filters,
              const stream& data,
              candidate_name name,
              double seconds,
              double scale = 1);

    candidate_name name() const override { return d_name; }
    std::size_t items() const override;
    double bound_db() const override { return d_filters[0].bound_db; }
    std::string note() const override { return d_filters[0].note(); }

    void call() override;
    //! The outputs of the first filter's first port. Also finds the number of items that
    //! makes a run last as long as wanted.
    std::vector<std::complex<float>> first_outputs() override;

    const filter_blocks& filter() const { return d_filters[0]; }

private:
    void connect(const gr::basic_block_sptr& sink);
    double run(std::size_t items);

    candidate_name d_name;
    const stream& d_data;
    double d_seconds, d_scale;
    std::size_t d_items = 1 << 16;
    std::vector<filter_blocks> d_filters;
    noise_source::sptr d_source;
    gr::top_block_sptr d_top;
};

} // namespace cldsp::bench
