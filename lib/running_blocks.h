/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_RUNNING_BLOCKS_H
#define INCLUDED_CLDSP_RUNNING_BLOCKS_H

#include <gnuradio/basic_block.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! What a running filter computes, and how much of it in a call.
struct filter_load {
    ::cldsp::freq_xlating_filter_bank_problem problem; //!< a filter's: a bank of one
    std::string device, algorithm, variant; //!< as the block wants them; may be "auto"
    double accuracy = 0;
    std::size_t typical_items = 0; //!< input items of a call, as they were expected
    double outputs = 0;            //!< of each channel in an average call; 0: none yet
    std::size_t renewals = 0;      //!< how often another engine has taken over
};

//! A block whose engine can be chosen again while it runs.
class replannable
{
public:
    virtual ~replannable() = default;
    //! Chooses again what computes, by what has been tuned or measured since; the stream
    //! goes over to it without losing a sample. Not from the block's own thread. \throws
    //! as the block's construction does
    virtual void choose_again() = 0;
    //! Any thread.
    virtual filter_load load() const = 0;
};

//! The average outputs of a call.
inline double outputs_of_a_call(const ::cldsp::run_statistics& s)
{
    return s.calls ? static_cast<double>(s.outputs) / static_cast<double>(s.calls) : 0;
}

//! A block with an engine takes part from start() to stop().
void add_running_block(const std::shared_ptr<gr::basic_block>& block);
void remove_running_block(const gr::basic_block& block);

//! Those of this process that run now, by their aliases. Each is an engine_info too.
std::vector<std::shared_ptr<gr::basic_block>> running_blocks();

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_RUNNING_BLOCKS_H */
