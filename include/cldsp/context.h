/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>
#include <cldsp/logger.h>
#include <cldsp/tuning_values.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

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

class command_slot;
class device_watch;
class expected_work;
class program_cache;
class queue_window;
class wisdom;

//! How a context is set up. The engine reads no preference file: the caller passes
//! values.
struct context_options {
    std::string profile;      //!< see device_limits::lowered()
    std::string cache_folder; //!< for program binaries and stored measurements
                              //!< (wisdom.json); empty: the user's cache folder
    std::string kernel_path;  //!< folder of .cl files that replace the embedded ones;
                              //!< empty: the variable CLDSP_KERNEL_PATH, if set
    bool disk_cache = true;   //!< false: no file is kept on disk
    bool wisdom_file = true;  //!< false: measurements are remembered in memory only
    /*!
     * Commands that may be in flight at a time on a device, by all of its users; 0: any
     * number. A GPU that also draws the desktop stays responsive with a few.
     */
    std::size_t queue_window = 0;
    /*!
     * Seconds that one kernel may take. Longer kernels are split, according to the times
     * of earlier ones. 0: any time.
     */
    double longest_kernel = 0;
    /*!
     * Seconds in which a device must end one of a queue's commands, or at least begin
     * one. Otherwise the device counts as lost, for all of its users and until the
     * process ends. The time is extended by the time that the call would take on a slow
     * device. It is six times as long while a driver may still be compiling kernels, and
     * always with PoCL. 0: waits are not bounded.
     */
    double device_timeout = 10;
    //! Values that take the place of a kernel family's shipped defaults, by family and
    //! parameter, e.g. { "fir_cpu_tile", { { "width", 4 } } }. Values that do not fit the
    //! device or the problem are ignored; tuned values take precedence.
    std::map<std::string, tuning_values> tuning_defaults;
    logger log;
};

//! The calls that an injected failure hits; `hang`: an enqueued command does not begin.
enum class injected_call { none, enqueue, allocate, build, hang };

/*!
 * Replaces an object of the C++ bindings. Their assignment throws if the driver refuses
 * to release the old object, which would end the process in a destructor and lose the
 * device elsewhere. This function does not throw; a refused release leaks.
 */
template <class Handle>
void replace(Handle& held, Handle next = Handle()) noexcept
{
    std::swap(held(), next());
}

/*!
 * An in-order queue of a context. A copy is a plain cl::CommandQueue and must not outlive
 * this object. The queue of a lost device is never released, because a driver may wait
 * for its commands there.
 */
class device_queue : public cl::CommandQueue
{
public:
    device_queue() = default;
    device_queue(const cl::CommandQueue& queue, std::shared_ptr<device_watch> watch);
    ~device_queue();
    device_queue(const device_queue&) = default;
    device_queue(device_queue&&) noexcept = default;
    device_queue& operator=(device_queue&&) = delete;

private:
    std::shared_ptr<device_watch> d_watch;
};

/*!
 * A device ready to work: its OpenCL context, its program cache and its wait strategy.
 *
 * All blocks on one device share one context, see context_registry. It is thread-safe.
 * Each user makes a queue with make_queue(), so that blocks do not wait for each other.
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
    device_queue make_queue() const;

    /*!
     * To be called right before a command is enqueued. Waits for room in the queue
     * window, and throws if an injected failure is due or the device is lost. The caller
     * passes the command's event to the slot; check_commands() checks its final status.
     */
    command_slot admit_command(const cl::CommandQueue& queue) const;
    //! Seconds that one kernel may take; 0: any time. See kernel_pace.
    double longest_kernel() const { return d_options.longest_kernel; }
    //! How many commands have been enqueued so far.
    std::uint64_t commands() const { return d_commands; }
    //! The largest number of commands in flight so far; 0 without a queue window.
    std::size_t max_in_flight() const;

    /*!
     * The program of an embedded kernel file, built with \p options, from the cache in
     * memory, on disk, or compiled.
     *
     * \param file name without folder and extension, e.g. "freq_xlating_fir"
     * \throws opencl_error with the build log
     */
    cl::Program build(const std::string& file, const std::string& options) const;
    //! The same, of a source text. \throws opencl_error with the build log
    cl::Program build_source(const std::string& source, const std::string& options) const;
    //! How many programs were compiled, because they were neither in memory nor on disk.
    std::size_t programs_compiled() const;

    /*!
     * Waits without spinning until \p event is complete. \throws opencl_error if it
     * failed, or if no command ends within context_options::device_timeout, after which
     * the device is lost
     */
    void wait(const cl::Event& event) const;
    //! Waits until all commands of a queue have ended. \throws opencl_error as wait() and
    //! check_commands()
    void finish(const cl::CommandQueue& queue) const;
    /*!
     * Checks the final status of all of the queue's commands that have ended, not only of
     * the last one, because drivers run on after a command that failed. \throws
     * opencl_error if one of them failed
     */
    void check_commands(const cl::CommandQueue& queue) const;
    /*!
     * After a failure: waits until all of the queue's commands have ended, well or not.
     * If that is not known in time, the device is lost.
     */
    void drain(const cl::CommandQueue& queue) const noexcept;
    //! Waits for the queue's commands; \returns whether the device is lost after that.
    bool is_lost_after(const cl::CommandQueue& queue) const noexcept;
    //! While the returned object lives, waits allow for that many more multiplications
    //! and additions on the device.
    expected_work expect(double multiply_adds) const;

    /*!
     * The device did not answer in time, or the status of its commands is unknown. Every
     * further use throws opencl_error at once. Memory and queues that its commands may
     * still use are never released.
     */
    bool is_lost() const noexcept;
    //! \throws opencl_error if the device is lost
    void check_usable() const;
    //! Commands that were enqueued and have not ended, according to the driver.
    std::size_t commands_in_flight() const;
    //! The watch over commands in flight; for the engine's own memory.
    const std::shared_ptr<device_watch>& shared_watch() const { return d_watch; }

    /*!
     * For tests: the \p after -th call (0: the next one) of a kind from now on fails as
     * if the driver had refused it. `none` ends it.
     */
    void inject_failure(injected_call call, int after = 0);
    //! Throws if an injected failure is due or the device is lost; to be called right
    //! before each driver call.
    void check_injected(injected_call call) const;
    //! For tests: lets the commands begin that an injected `hang` holds back.
    void end_injected_hang();

    const logger& log() const { return d_options.log; }
    const context_options& options() const { return d_options; }

private:
    bool is_due(injected_call call) const;
    void hang_when_due(const cl::CommandQueue& queue) const;

    device_info d_device;
    context_options d_options;
    cl::Device d_cl_device;
    cl::Context d_context;
    std::unique_ptr<program_cache> d_programs;
    std::shared_ptr<device_watch> d_watch;
    std::unique_ptr<queue_window> d_window;
    mutable std::atomic<std::uint64_t> d_commands{ 0 };
    mutable std::atomic<injected_call> d_injected{ injected_call::none };
    mutable std::atomic<int> d_injected_after{ 0 };
    mutable cl::Event d_injected_hang; // a user event
};

/*!
 * The contexts of a process: one per device and profile, made at first use and shared.
 *
 * The engine has no global configuration; its user (such as the blocks) owns one
 * registry. It also owns the wisdom, which is kept beside the programs that contexts
 * compile.
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

    //! The results of measurements. All users of the registry share them.
    class wisdom& wisdom() const { return *d_wisdom; }

private:
    context_options d_options;
    mutable std::mutex d_mutex;
    std::map<std::string, std::shared_ptr<context>> d_contexts;
    std::unique_ptr<class wisdom> d_wisdom;
};

} // namespace cldsp
