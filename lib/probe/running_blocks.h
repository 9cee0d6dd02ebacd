/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_RUNNING_BLOCKS_H
#define INCLUDED_CLDSP_RUNNING_BLOCKS_H

#include <gnuradio/basic_block.h>
#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/kernel_work.h>
#include <cldsp/run_statistics.h>
#include <cldsp/tuned.h>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! A kernel that a tuner can make faster.
struct kernel_to_tune {
    //! Equal where two differ in nothing that matters to the kernel.
    std::string key;
    //! On a device that is not the host. \throws std::invalid_argument; opencl_error
    std::function<std::unique_ptr<::cldsp::device_tunable>(::cldsp::context_registry&,
                                                           const ::cldsp::device_info&)>
        make;
    //! Whether the block may run it there; empty: wherever the block runs.
    std::function<bool(const ::cldsp::device_info&)> runs_on = {};
};

//! Whether the variant that a block wants, of filters as of products, can be tuned.
inline bool has_parameters(const std::string& variant)
{
    return variant == "auto" || variant == "cpu_tile" || variant == "gpu_tile";
}

//! A block whose engine can be chosen again while it runs. Any thread, but not the
//! block's own.
class replannable
{
public:
    virtual ~replannable() = default;
    //! Chooses again what computes, by what has been tuned or measured since; the stream
    //! goes over to it without losing a sample. \throws as the block's construction does
    virtual void choose_again() = 0;
    //! How often another engine has taken over.
    virtual std::size_t renewals() const = 0;
    //! As the block's parameter names it; may be "auto".
    virtual std::string wanted_device() const = 0;
    //! Those that the block runs, or may run, on a device; none: nothing can be tuned.
    virtual std::vector<kernel_to_tune> kernels_to_tune() const = 0;
    //! The work of an average call; zeros where that is not known.
    virtual ::cldsp::kernel_work average_work() const = 0;
};

//! The average outputs of a call.
inline double outputs_of_a_call(const ::cldsp::run_statistics& s)
{
    return s.calls ? static_cast<double>(s.outputs) / static_cast<double>(s.calls) : 0;
}

//! Adds a block to the list of running blocks, or removes it. A block with an engine
//! calls these in start() and stop().
void add_running_block(const std::shared_ptr<gr::basic_block>& block);
void remove_running_block(const gr::basic_block& block);

//! Those of this process that run now, by their aliases. Each is an engine_info too.
std::vector<std::shared_ptr<gr::basic_block>> running_blocks();

//! Calls \p action whenever the last of them has ended, in that block's thread, for as
//! long as the result is kept.
std::shared_ptr<const std::function<void()>> at_last_end(std::function<void()> action);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_RUNNING_BLOCKS_H */
