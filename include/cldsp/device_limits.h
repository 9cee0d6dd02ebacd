// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The limits of a device that algorithms respect, and profiles that lower them.

#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The facts about a device that an algorithm must respect.
 *
 * The driver reports them. A named profile can lower them, so that tests for a small GPU
 * can run on a large machine.
 */
struct device_limits {
    std::size_t max_work_group_size = 1; //!< work-items per group
    std::size_t max_work_item_sizes[3] = { 1, 1, 1 };
    //! Work-items per group of any compiled kernel. A driver tells this of each kernel
    //! alone (see max_group_of() in opencl/commands.h); a profile lowers it for all.
    std::size_t max_kernel_group = std::numeric_limits<std::size_t>::max();
    std::size_t local_memory = 0;             //!< bytes per group
    std::size_t max_buffer = 0;               //!< bytes in one buffer
    std::size_t max_constant_buffer = 0;      //!< bytes in one __constant argument
    std::size_t max_parameter_size = 0;       //!< bytes of kernel arguments
    std::size_t base_address_alignment = 128; //!< bytes, of buffers over host memory
    std::size_t compute_units = 1;
    std::size_t native_vector_width_float = 1;
    bool images = false;
    bool fp16 = false;
    bool fp64 = false;
    bool host_unified_memory = false; //!< the device computes on the host's memory
    bool out_of_order = false;
    bool fma = false; //!< fma() is an instruction; where it is not, it is slow
    bool fast_local_memory = false; //!< it is not the memory of the buffers
    bool profiling = false;         //!< queues tell when their commands ran
    bool maps_in_place = true;      //!< mapping a buffer of the driver's copies nothing

    /*!
     * A copy of these limits, in which none is above that of a profile.
     *
     * \param profile "" or "native" (unchanged), "vc4" (VideoCore IV under VC4CL: 12
     *        work-items per group, no images, no fp16, 64 MiB per buffer), "v3d"
     *        (VideoCore VI and VII under Mesa's rusticl: 32 work-items per group of a
     *        compiled kernel, 32 KiB of local memory in global memory, no images, no
     *        fp16, no fma, no times from the driver), "rusticl" (what Mesa's drivers have
     *        in common without V3D: 1024 work-items, no fma, no times) or "cl12-min" (the
     *        minimum of OpenCL 1.2's embedded profile: 1 work-item per group, 1 KiB of
     *        local memory and of constant buffer, 1 MiB per buffer, no images)
     * \throws std::invalid_argument for another name; the message lists the known ones
     */
    device_limits lowered(const std::string& profile) const;

    //! The names that lowered() knows.
    static std::vector<std::string> profiles();
};

} // namespace cldsp
