/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/candidate.h"
#include "flowgraphs/flowgraph_blocks.h"
#include "flowgraphs/noise_source.h"

#include <gnuradio/top_block.h>

#include <cstddef>
#include <vector>

namespace cldsp::bench {

//! Of the noise that a flowgraph's stream begins with.
constexpr std::size_t noise_items = 1 << 18;
//! Input items whose outputs come out of every block, whatever its block size.
constexpr std::size_t checked_items = 1 << 16;

//! What the blocks tell would come between the tables.
void calm_blocks(bool verbose);

//! A source that costs next to nothing, filters side by side, and null sinks, with GNU
//! Radio's default buffers.
class flowgraph : public candidate
{
public:
    /*!
     * \param filters that all get the source's stream; one or more
     * \param seconds that a run lasts, at least
     * \param scale what an item counts, where the filters are a part of what is meant
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
    //! Of the first filter's first output. Also finds out how many items a run takes to
    //! last as long as wanted.
    std::vector<std::complex<float>> first_outputs() override;

    const filter_blocks& filter() const { return d_filters[0]; }

private:
    void connect(const gr::basic_block_sptr& sink);
    double run(std::size_t items);

    candidate_name d_name;
    const stream& d_data;
    double d_seconds, d_scale;
    std::size_t d_items = checked_items;
    std::vector<filter_blocks> d_filters;
    noise_source::sptr d_source;
    gr::top_block_sptr d_top;
};

} // namespace cldsp::bench
