/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>
#include <cldsp/logger.h>
#include <cldsp/tuning_space.h>
#include <cldsp/wait_strategy.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

// The engine speaks OpenCL 1.2 only, so that the oldest drivers can run it.
#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_ENABLE_EXCEPTIONS
#endif
#include <CL/opencl.hpp>

namespace cldsp {

class program_cache;
class queue_window;
class wisdom;

//! How a context is set up. The engine reads no preference file: the caller passes
//! values.
struct context_options {
    std::string profile;      //!< see device_limits::lowered()
    std::string cache_folder; //!< for program binaries and wisdom.json, what measurements
                              //!< have shown; empty: the user's cache folder
    std::string kernel_path;  //!< folder of .cl files that replace the embedded ones;
                              //!< empty: the variable CLDSP_KERNEL_PATH, if set
    bool disk_cache = true;   //!< false: nothing is kept on disk
    bool wisdom_file = true;  //!< false: measurements are remembered in memory only
    /*!
     * Commands that may be in flight at a time on a device, by all of its users; 0: any
     * number. A GPU that also draws the desktop stays responsive with a few.
     */
    std::size_t queue_window = 0;
    /*!
     * Seconds that one kernel may take; larger ones are split, by what earlier kernels
     * took; 0: any time.
     */
    double longest_kernel = 0;
    //! Values that take the place of a kernel family's shipped defaults, by family and
    //! parameter, e.g. { "fir_cpu_tile", { { "width", 4 } } }. Those that do not fit the
    //! device or the problem are passed over; tuned values win over them.
    std::map<std::string, tuning_values> tuning_defaults;
    logger log;
};

//! Which calls an injected failure hits.
enum class injected_call { none, enqueue, allocate, build };

//! Room for one command in a device's queue window, given back unless it is used.
class command_slot
{
public:
    explicit command_slot(queue_window& window); //!< waits until there is room
    ~command_slot();
    command_slot(const command_slot&) = delete;
    command_slot& operator=(const command_slot&) = delete;

    //! The command is in flight, and its end frees the room.
    void enqueued(const cl::Event& event);

private:
    queue_window* d_window;
};

/*!
 * A device ready to work: its OpenCL context, its program cache and its wait strategy.
 *
 * All blocks on one device share one, see context_registry. Thread-safe; queues are made
 * per user with make_queue(), so that blocks do not wait for each other.
 */
class context
{
public:
    //! \throws opencl_error if the device cannot be opened; std::invalid_argument for the
    //! host or an unknown profile
    context(const device_info& device, const context_options& options);
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    const device_info& device() const { return d_device; } //!< with the lowered limits
    const device_limits& limits() const { return d_device.limits; }
    const std::string& name() const { return d_device.name; }
    const cl::Context& cl_context() const { return d_context; }
    const cl::Device& cl_device() const { return d_cl_device; }

    //! A new in-order queue with profiling events.
    cl::CommandQueue make_queue() const;

    /*!
     * Called right before a command is enqueued: waits for room in the queue window, and
     * throws an injected failure that is due. The slot is told the command's event; a
     * call that returns when its command has ended needs no more than the slot.
     */
    command_slot admit_command() const;
    //! Seconds that one kernel may take; 0: any time. See kernel_pace.
    double longest_kernel() const { return d_options.longest_kernel; }
    //! How many commands have been enqueued so far.
    std::uint64_t commands() const { return d_commands; }
    //! The largest number of commands in flight so far; 0 without a queue window.
    std::size_t most_in_flight() const;

    /*!
     * The program of an embedded kernel file, built with \p options, from the cache in
     * memory, on disk, or compiled.
     *
     * \param file name without folder and extension, e.g. "freq_xlating_fir"
     * \throws opencl_error with the build log
     */
    cl::Program build(const std::string& file, const std::string& options) const;
    //! As build(), of a text. \throws opencl_error with the build log
    cl::Program build_source(const std::string& source, const std::string& options) const;
    //! How many programs were really compiled (neither in memory nor on disk).
    std::size_t programs_compiled() const;

    //! Waits without spinning until \p event is complete. \throws opencl_error if it
    //! failed.
    void wait(const cl::Event& event) const;

    /*!
     * For tests: the \p after -th call (0: the next one) of a kind from now on fails as
     * if the driver had refused it. `none` ends it.
     */
    void inject_failure(injected_call call, int after = 0);
    //! Throws the injected failure when it is due; called right before each driver call.
    void check_injected(injected_call call) const;

    const logger& log() const { return d_options.log; }
    const context_options& options() const { return d_options; }

private:
    device_info d_device;
    context_options d_options;
    cl::Device d_cl_device;
    cl::Context d_context;
    std::unique_ptr<program_cache> d_programs;
    wait_strategy d_wait;
    std::unique_ptr<queue_window> d_window;
    mutable std::atomic<std::uint64_t> d_commands{ 0 };
    mutable std::atomic<injected_call> d_injected{ injected_call::none };
    mutable std::atomic<int> d_injected_after{ 0 };
};

/*!
 * The contexts of a process: one a device and profile, made at first use and shared.
 *
 * The engine has no global state; whoever uses it (the blocks' side) owns one registry.
 */
class context_registry
{
public:
    explicit context_registry(context_options options = {});
    ~context_registry();

    //! The shared context of a device. \throws as context's constructor does
    std::shared_ptr<context> get(const device_info& device);
    //! Every context made so far.
    std::vector<std::shared_ptr<context>> contexts() const;
    const context_options& options() const { return d_options; }

    /*!
     * A remembered answer of a measurement, from this process or from the file
     * wisdom.json; empty: none.
     *
     * \param key names the problem and all that the answer depends on
     * \param kind of answer: "plans", "tuning", "calibration", "fftw"
     */
    std::string remembered(const std::string& key,
                           const std::string& kind = "plans") const;
    //! \param answer any text; an object in JSON can be read in the file
    void remember(const std::string& key,
                  const std::string& answer,
                  const std::string& kind = "plans");
    //! The same for this process alone: an answer that may be another one next time.
    void remember_until_exit(const std::string& key,
                             const std::string& answer,
                             const std::string& kind = "plans");
    //! Drops an answer that has turned out wrong.
    void forget(const std::string& key, const std::string& kind = "plans");
    //! Where the answers are, to list, export, import or clear them.
    class wisdom& wisdom() const { return *d_wisdom; }

private:
    context_options d_options;
    mutable std::mutex d_mutex;
    std::map<std::string, std::shared_ptr<context>> d_contexts;
    std::unique_ptr<class wisdom> d_wisdom;
};

} // namespace cldsp
