/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_RUNNING_BLOCKS_H
#define INCLUDED_CLDSP_RUNNING_BLOCKS_H

#include <gnuradio/basic_block.h>
#include <memory>
#include <vector>

namespace gr {
namespace cldsp {

//! A block whose engine can be chosen again while it runs.
class replannable
{
public:
    virtual ~replannable() = default;
    //! Chooses again what computes, by what has been tuned or measured since; the stream
    //! goes over to it without losing a sample. Not from the block's own thread. \throws
    //! as the block's construction does
    virtual void choose_again() = 0;
};

//! A block with an engine takes part from start() to stop().
void add_running_block(const std::shared_ptr<gr::basic_block>& block);
void remove_running_block(const gr::basic_block& block);

//! Those of this process that run now, by their aliases. Each is an engine_info too.
std::vector<std::shared_ptr<gr::basic_block>> running_blocks();

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_RUNNING_BLOCKS_H */
