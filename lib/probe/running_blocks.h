// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The blocks that run in this process, and what a probe may do to them.

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
    //! The key. Two kernels with equal keys have no difference that matters to a tuner.
    std::string key;
    //! Makes the tunable kernel on a device that is not the host. It may throw
    //! std::invalid_argument or opencl_error.
    std::function<std::unique_ptr<::cldsp::device_tunable>(::cldsp::context_registry&,
                                                           const ::cldsp::device_info&)>
        make;
    //! Whether the block may run the kernel on a device; empty: on every device of the
    //! block.
    std::function<bool(const ::cldsp::device_info&)> runs_on = {};
};

//! Whether the variant that a block wants can be tuned, for filters as well as for
//! products.
inline bool has_parameters(const std::string& variant)
{
    return variant == "auto" || variant == "cpu_tile" || variant == "gpu_tile";
}

//! A block whose engine can be chosen again while it runs. Any thread may call these
//! functions, except the thread of the block.
class replannable
{
public:
    virtual ~replannable() = default;
    //! Chooses the engine again, with the tuned values and measurements that exist now.
    //! The stream changes to the new engine without losing a sample.
    //! \throws std::invalid_argument as the constructor of the block does
    virtual void choose_again() = 0;
    //! The number of times that another engine has taken over.
    virtual std::size_t renewals() const = 0;
    //! The device, as the parameter of the block names it; may be "auto".
    virtual std::string wanted_device() const = 0;
    //! The kernels that the block runs, or may run, on a device; empty: it has none that
    //! can be tuned.
    virtual std::vector<kernel_to_tune> kernels_to_tune() const = 0;
    //! The work of an average call; zeros if it is not known.
    virtual ::cldsp::kernel_work average_work() const = 0;
};

//! The average number of outputs of a call.
inline double outputs_of_a_call(const ::cldsp::run_statistics& s)
{
    return s.calls ? static_cast<double>(s.outputs) / static_cast<double>(s.calls) : 0;
}

//! Adds a block to the list of running blocks, or removes it. Blocks with an engine call
//! these functions in start() and stop().
void add_running_block(const std::shared_ptr<gr::basic_block>& block);
void remove_running_block(const gr::basic_block& block);

//! The running blocks of this process, sorted by alias. Each is an engine_info too.
std::vector<std::shared_ptr<gr::basic_block>> running_blocks();

//! Registers an action, which is called each time the last running block has ended, in
//! the thread that stops the block. It stays registered as long as the result is kept.
std::shared_ptr<const std::function<void()>> at_last_end(std::function<void()> action);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_RUNNING_BLOCKS_H */
