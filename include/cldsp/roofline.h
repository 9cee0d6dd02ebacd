/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
 * The peak rates of a device, measured with small kernels: the roof that the rates of
 * other kernels are compared with. 0: not measured, or cannot be measured.
 *
 * The model is that of S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
 * visual performance model", Communications of the ACM 52 (2009).
 */
struct roofline {
    std::string device;   //!< name of the device, or "host"
    unsigned threads = 0; //!< of the host; 0 for an OpenCL device

    double fp32 = 0;     //!< operations per second; a multiply-add counts as two
    double fp16 = 0;     //!< the same in half precision
    double int32 = 0;    //!< the same on 32-bit integers
    double popcount = 0; //!< 32-bit words per second: exclusive or, bit count, sum

    double global_read = 0;  //!< bytes per second, from memory outside of all caches
    double global_write = 0; //!< bytes per second
    double global_copy = 0;  //!< bytes per second, those read and those written together
    double cache = 0;        //!< bytes of a CPU's largest cache
    double local =
        0; //!< bytes per second from local memory; host: from the nearest cache

    double host_to_device = 0;        //!< bytes per second, by a write command
    double device_to_host = 0;        //!< bytes per second, by a read command
    double host_to_device_mapped = 0; //!< map, the host's copy into it, unmap
    double device_to_host_mapped = 0; //!< map, the host's copy out of it, unmap

    double launch_latency = 0;  //!< seconds from the enqueue of a kernel to its end
    double launch_interval = 0; //!< seconds per kernel in a full queue

    //! The larger one of the bandwidths of global memory; for data in a CPU's cache,
    //! local.
    double bandwidth(double bytes) const;
    /*!
     * fp32 operations per second that a kernel can reach at most.
     *
     * \param intensity its operations for each byte of global memory, above 0
     * \param bytes of data that it uses repeatedly, such as those of a call
     */
    double attainable(double intensity, double bytes) const;

    //! All figures in one JSON object, as the wisdom keeps them.
    std::string to_json() const;
    //! Reads the result of to_json(); missing figures are 0.
    //! \throws std::invalid_argument if it is not such a result
    static roofline from_json(const std::string& text);
};

//! A figure's name in JSON, its unit, and one line for a person.
struct roofline_figure {
    const char* name;
    const char* unit;
    const char* description;
    double roofline::*value;
};

//! All figures, in the order of the structure.
const std::vector<roofline_figure>& roofline_figures();

struct roofline_options {
    //! Time for all measurements together, without the compilation of kernels. 0.01 to
    //! 600.
    double seconds = 3;
    unsigned threads = 0; //!< of the host; 0: as many as there are cores
    bool again = false;   //!< measure even if an answer is stored
    //! Called before each step with the number of steps done, the number of all steps,
    //! and the name of the next one. An exception from it ends the measurement.
    std::function<void(std::size_t, std::size_t, const std::string&)> progress;
};

/*!
 * Measures a device, with the limits of the registry's profile, or returns the registry's
 * stored answer. A rate is the upper quartile of several runs, a time their median. A
 * CPU's arithmetic is measured in processor time, so that other programs on the machine
 * do not lower the roof.
 *
 * A step that the device refuses leaves its figure at 0, with a warning in the log.
 * \throws std::invalid_argument for options out of range; opencl_error if the device
 * cannot be opened, or refuses every step
 */
roofline measure_roofline(const device_info& device,
                          context_registry& registry,
                          const roofline_options& options = {});

//! The registry's stored answer for a device, with all of the host's threads; empty: it
//! was never measured. The device is not used, so it may be busy or hang.
std::optional<roofline> remembered_roofline(const device_info& device,
                                            context_registry& registry);

//! The figure fp32 alone, measured anew and not stored. \throws as measure_roofline()
double measure_fp32_peak(const device_info& device,
                         context_registry& registry,
                         const roofline_options& options = {});

} // namespace cldsp
