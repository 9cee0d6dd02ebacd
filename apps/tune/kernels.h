// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernels that the command can tune, by the names of their workloads.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::app {

//! A workload's kernel that `cldsp tune` tunes by name.
struct tunable_kernel {
    std::string name;        //!< the name of the workload
    std::string description; //!< one line
    std::size_t usual_items; //!< the number of items of a call if the user gives none
    std::string items;       //!< the kind of these items, in words
    //! Whether the kernel is tuned on CPU devices by default. If false, no block chooses
    //! the kernel there by itself, and it is tuned only if it is named.
    bool on_processors;
    //! \throws std::invalid_argument for a number of items out of range; opencl_error
    std::function<std::unique_ptr<device_tunable>(
        context_registry&, const device_info& device, std::size_t items)>
        make;
};

//! All tunable kernels, in the order in which they are tuned.
std::vector<tunable_kernel> tunable_kernels();

//! The kernels with these names. Without names, or with the name "all": all kernels for
//! this kind of device.
//! \throws std::invalid_argument for an unknown name, with a list of the names
std::vector<tunable_kernel> chosen_kernels(const std::vector<std::string>& names,
                                           device_kind kind);

} // namespace cldsp::app
