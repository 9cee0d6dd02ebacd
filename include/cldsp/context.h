// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An OpenCL context with its programs and queues, and the registry of all contexts.

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
#include <vector>

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
class owner_gate;
class program_cache;
class queue_window;
class thread_pool;
class told_lines;
class wisdom;

//! The settings of a context. The caller passes them in, because the engine reads no
//! preference file.
struct context_options {
    std::string profile;      //!< see device_limits::lowered()
    std::string cache_folder; //!< folder of program binaries and stored measurements
                              //!< (wisdom.json); empty: the user's cache folder
    std::string kernel_path;  //!< folder of .cl files that replace the embedded ones;
                              //!< empty: the variable CLDSP_KERNEL_PATH, if set
    bool disk_cache = true;   //!< false: no file is kept on disk
    bool wisdom_file = true;  //!< false: measurements are remembered in memory only
    driver_policy drivers = driver_policy::standard; //!< who may load which driver
    /*!
     * The number of commands that all users of a device together may have in flight;
     * 0: no limit. With a small number, a GPU that also draws the desktop stays
     * responsive.
     */
    std::size_t queue_window = 0;
    /*!
     * The longest time in seconds that one kernel should take; 0: no limit. Work that
     * would take longer is split into several kernels, whose sizes follow from the
     * measured times of earlier kernels.
     */
    double longest_kernel = 0;
    /*!
     * The time limit of a wait, in seconds: within it at least one command of the queue
     * must begin or end. Otherwise the device counts as lost, for all of its users, until
     * the process ends. The limit is six times as long while the driver may still be
     * compiling kernels; with PoCL it always is. The time that the call would take on a
     * slow device is added to the limit. 0: waits have no limit.
     */
    double device_timeout = 10;
    //! Values that replace the built-in defaults of kernel families, by family and
    //! parameter, e.g. { "fir_cpu_tile", { { "width", 4 } } }. Values that do not fit the
    //! device or the problem are ignored. Tuned values take precedence.
    std::map<std::string, tuning_values> tuning_defaults;
    logger log;
    //! Whose the folder is: once this gate is closed, no file is made or written. Null:
    //! everything here may go on until the process ends.
    std::shared_ptr<owner_gate> owner;
};

//! The kind of driver call in which a test lets a failure happen. With `hang` the call
//! succeeds, but the enqueued command does not begin.
enum class injected_call { none, enqueue, allocate, build, hang };

/*!
 * Replaces an object of OpenCL's C++ bindings without throwing. The assignment of these
 * bindings throws if the driver refuses to release the old object. In a destructor that
 * exception would end the process, and elsewhere the device would be given up. Here the
 * old object leaks instead.
 */
template <class Handle>
void replace(Handle& held, Handle next = Handle()) noexcept
{
    std::swap(held(), next());
}

/*!
 * An in-order queue of a context. A copy is a plain cl::CommandQueue and must not outlive
 * this object. The queue of a lost device is never released, because a driver may wait
 * in the release for commands that never end.
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

    const device_info& device() const { return d_device; } //!< limits are lowered
    const device_limits& limits() const { return d_device.limits; }
    const std::string& name() const { return d_device.name; }
    const cl::Context& cl_context() const { return d_context; }
    const cl::Device& cl_device() const { return d_cl_device; }

    //! A new in-order queue, which tells the times of its commands if the driver can.
    device_queue make_queue() const;

    /*!
     * Must be called right before a command is enqueued. Waits until the queue window
     * has room for the command.
     *
     * \returns a slot for one command: the caller passes the event of the command to
     * it, so that check_commands() can check the command's final status
     * \throws opencl_error if an injected failure is due, if the device is lost, or if
     * PoCL has no disk space to compile
     */
    command_slot admit_command(const cl::CommandQueue& queue) const;
    //! The threads that copy between the caller's memory and the driver's, shared by all
    //! users of the device. They are started at first use.
    thread_pool& copy_threads() const;
    //! Whether the times of commands are the driver's. Otherwise the host's clock takes
    //! them, from when a command is enqueued until a wait for it returns.
    bool has_driver_clock() const;
    //! The longest time in seconds that one kernel should take; 0: no limit.
    double longest_kernel() const { return d_options.longest_kernel; }
    //! The number of commands that have been enqueued so far.
    std::uint64_t commands() const { return d_commands; }
    //! The largest number of commands in flight so far; 0 without a queue window.
    std::size_t max_in_flight() const;

    /*!
     * The program of an embedded kernel file, built with \p options. It comes from the
     * cache in memory or on disk, or is compiled.
     *
     * \param file name without folder and extension, e.g. "freq_xlating_fir"
     * \param options the compiler's options, such as the macros of the tunables
     * \param architecture that of an NVIDIA GPU, such as "sm_90a", if the file needs one
     *        for which its driver does not compile: the driver's PTX is then translated
     * \throws opencl_error with the build log
     */
    cl::Program build(const std::string& file,
                      const std::string& options,
                      const std::string& architecture = "") const;
    //! The program of a source text, otherwise as build().
    //! \throws opencl_error with the build log
    cl::Program build_source(const std::string& source,
                             const std::string& options,
                             const std::string& architecture = "") const;
    //! The number of programs that were compiled because no cache had them.
    std::size_t programs_compiled() const;

    /*!
     * Waits without spinning until \p event is complete.
     *
     * \throws opencl_error if its command failed, or if the wait exceeded
     * context_options::device_timeout; the device is lost then
     */
    void wait(const cl::Event& event) const;
    //! Waits until all commands of a queue have ended.
    //! \throws opencl_error as wait() and check_commands() do
    void finish(const cl::CommandQueue& queue) const;
    /*!
     * Checks the final status of every command of the queue that has ended. The status
     * of the last command is not enough, because drivers go on after a command that
     * failed.
     *
     * \throws opencl_error if one of the commands failed
     */
    void check_commands(const cl::CommandQueue& queue) const;
    /*!
     * For use after a failure: waits until all commands of the queue have ended, whether
     * they succeeded or failed. The device is lost if they do not end in time, or if the
     * driver does not report that they have.
     */
    void drain(const cl::CommandQueue& queue) const noexcept;
    //! Waits until all commands of the queue have ended, unless the device is lost.
    //! \returns whether the device is lost after that
    bool is_lost_after(const cl::CommandQueue& queue) const noexcept;
    //! While the returned object exists, the time limit of waits is longer by the time
    //! that a slow device needs for \p multiply_adds multiply-add operations.
    expected_work expect(double multiply_adds) const;

    /*!
     * Whether the device is lost: it did not answer in time, or its driver does not
     * report the status of its commands. Every further use of a lost device throws
     * opencl_error at once. Memory and queues that its commands may still use are never
     * released.
     */
    bool is_lost() const noexcept;
    //! \throws opencl_error if the device is lost
    void check_usable() const;
    //! The number of commands that were enqueued and have not ended, according to the
    //! driver.
    std::size_t commands_in_flight() const;
    //! The watch over the commands in flight, for classes of the engine that own memory:
    //! it tells them when the device is lost.
    const std::shared_ptr<device_watch>& shared_watch() const { return d_watch; }

    /*!
     * For tests: lets one driver call fail as if the driver had refused it.
     *
     * \param call the kind of call; `none` withdraws an earlier request
     * \param after the number of calls of this kind that succeed before the failure
     */
    void inject_failure(injected_call call, int after = 0);
    //! Must be called right before each driver call of this kind.
    //! \throws opencl_error if an injected failure is due, or if the device is lost
    void check_injected(injected_call call) const;
    //! For tests: lets the commands begin that an injected `hang` holds back.
    void end_injected_hang();

    const logger& log() const { return d_options.log; }
    const context_options& options() const { return d_options; }

private:
    cl::CommandQueue open_queue() const;
    bool is_due(injected_call call) const;
    void hang_when_due(const cl::CommandQueue& queue) const;

    device_info d_device;
    context_options d_options;
    cl::Device d_cl_device;
    cl::Context d_context;
    std::unique_ptr<program_cache> d_programs;
    std::shared_ptr<device_watch> d_watch;
    std::unique_ptr<queue_window> d_window;
    mutable std::once_flag d_copy_threads_made;
    mutable std::unique_ptr<thread_pool> d_copy_threads;
    mutable std::atomic<std::uint64_t> d_commands{ 0 };
    mutable std::atomic<injected_call> d_injected{ injected_call::none };
    mutable std::atomic<int> d_injected_after{ 0 };
    mutable cl::Event d_injected_hang; // a user event
};

/*!
 * The contexts of a process: one per device and profile, made at first use and shared.
 *
 * The engine has no global configuration: each user of the engine, such as the GNU Radio
 * blocks, owns one registry. The registry also owns the wisdom (stored measurements),
 * whose file lies beside the compiled programs.
 */
class context_registry
{
public:
    explicit context_registry(context_options options = {});
    ~context_registry();

    //! The shared context of a device.
    //! \throws opencl_error and std::invalid_argument as the constructor of context does
    std::shared_ptr<context> get(const device_info& device);
    //! How devices are listed with the options of this registry.
    device_listing listing(const logger& log) const;
    //! The devices that a text names, see cldsp::find_devices(), each as lowered() gives
    //! it.
    std::vector<device_info> find_devices(const std::string& text,
                                          const device_listing& how) const;
    std::vector<device_info> find_devices(const std::string& text,
                                          const logger& log = {}) const;
    //! A device with the limits that its context has or would have. Only they tell what
    //! fits the device.
    //! \throws std::invalid_argument for an unknown profile
    device_info lowered(device_info device) const;
    //! Every context made so far.
    std::vector<std::shared_ptr<context>> contexts() const;
    const context_options& options() const { return d_options; }

    //! The stored results of measurements, which all users of the registry share.
    class wisdom& wisdom() const { return *d_wisdom; }
    //! What the log has told users, see plan_log.h.
    told_lines& told() const { return *d_told; }

private:
    context_options d_options;
    mutable std::mutex d_mutex;
    std::map<std::string, std::shared_ptr<context>> d_contexts;
    std::unique_ptr<class wisdom> d_wisdom;
    std::unique_ptr<told_lines> d_told;
};

} // namespace cldsp
