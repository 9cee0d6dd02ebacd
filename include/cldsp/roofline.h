// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The peak rates of a device, measured, as limits for the rates of kernels.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The peak rates of a device, measured with small kernels. They are the upper limit with
 * which the rates of other kernels are compared. A value of 0 means that the rate was not
 * measured, or cannot be.
 *
 * The model is that of S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
 * visual performance model", Communications of the ACM 52 (2009).
 */
struct roofline {
    std::string device;   //!< name of the device, or "host"
    unsigned threads = 0; //!< threads on the host; 0 for an OpenCL device

    double fp32 = 0;     //!< operations per second; a multiply-add counts as two
    double fp16 = 0;     //!< as fp32, in half precision
    double int32 = 0;    //!< as fp32, with 32-bit integers
    double popcount = 0; //!< 32-bit words per second: exclusive or, bit count, sum

    double global_read = 0;  //!< bytes per second, from memory outside of all caches
    double global_write = 0; //!< bytes per second, to memory outside of all caches
    double global_copy = 0;  //!< bytes per second, read and written bytes together
    double cache = 0;        //!< bytes of a CPU's largest cache
    double local =
        0; //!< bytes per second from local memory; host: from the nearest cache

    double host_to_device = 0;        //!< bytes per second, by a write command
    double device_to_host = 0;        //!< bytes per second, by a read command
    double host_to_device_mapped = 0; //!< bytes per second: map, copy by the host, unmap
    double device_to_host_mapped = 0; //!< bytes per second: map, copy by the host, unmap

    double launch_latency = 0;  //!< seconds from the enqueue of a kernel to its end
    double launch_interval = 0; //!< seconds per kernel in a full queue

    //! The bandwidth in bytes per second for a kernel that uses \p bytes of data: the
    //! larger one of global_read and global_copy, and `local` if it is larger still and
    //! the data fit into the cache.
    double bandwidth(double bytes) const;
    /*!
     * The largest number of fp32 operations per second that a kernel can reach.
     *
     * \param intensity the kernel's operations for each byte of global memory, above 0
     * \param bytes the size of the data that each call of the kernel uses; if it fits into
     *        the cache, the bandwidth of the cache may apply
     */
    double attainable(double intensity, double bytes) const;

    //! All figures in one JSON object: the form in which the wisdom stores them.
    std::string to_json() const;
    //! Reads the result of to_json(); missing figures become 0.
    //! \throws std::invalid_argument if the text is not such a result
    static roofline from_json(const std::string& text);
};

//! A figure's name in JSON, its unit, and one line for a person.
struct roofline_figure {
    const char* name;
    const char* unit;
    const char* description;
    double roofline::*value;
};

//! All figures, in the order of the members of roofline.
const std::vector<roofline_figure>& roofline_figures();

struct roofline_options {
    //! The time for all measurements together, without the compilation of kernels; 0.01
    //! to 600.
    double seconds = 3;
    unsigned threads = 0; //!< threads on the host; 0: one for each core
    bool again = false;   //!< measure even if the registry has a stored result
    //! Called before each step with the number of steps done, the number of all steps,
    //! and the name of the next step. If it throws, the measurement ends.
    std::function<void(std::size_t, std::size_t, const std::string&)> progress;
};

/*!
 * Measures a device, with the limits of the registry's profile, or returns the result
 * that the registry has stored. A rate is the upper quartile of several runs, a time
 * their median. The arithmetic of a CPU is measured in processor time, so that other
 * programs on the machine do not lower the result.
 *
 * If the device refuses a step, the figure stays 0 and a warning is logged.
 *
 * \throws std::invalid_argument for options out of range; opencl_error if the device
 * cannot be opened, or refuses every step
 */
roofline measure_roofline(const device_info& device,
                          context_registry& registry,
                          const roofline_options& options = {});

//! The result that the registry has stored for a device (for the host: with all threads);
//! empty: the device was never measured. The device is not used, so it may be busy or
//! hang.
std::optional<roofline> remembered_roofline(const device_info& device,
                                            context_registry& registry);

//! Measures the figure fp32 alone; the result is not stored.
//! \throws std::invalid_argument and opencl_error as measure_roofline() does
double measure_fp32_peak(const device_info& device,
                         context_registry& registry,
                         const roofline_options& options = {});

} // namespace cldsp
