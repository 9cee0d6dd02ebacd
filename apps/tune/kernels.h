/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
    std::string name;        //!< of the workload
    std::string description; //!< one line
    std::size_t usual_items; //!< a call, where the user gives none
    std::string items;       //!< what they are
    //! Whether it is among all on a CPU device, where blocks may never choose it.
    bool on_processors;
    //! \throws std::invalid_argument for a number of items out of range; opencl_error
    std::function<std::unique_ptr<device_tunable>(
        context_registry&, const device_info& device, std::size_t items)>
        make;
};

//! All that there are, in the order in which they are tuned.
std::vector<tunable_kernel> tunable_kernels();

//! Those named; where none or "all" is, all for the kind of device. \throws
//! std::invalid_argument for another name, with a list
std::vector<tunable_kernel> chosen_kernels(const std::vector<std::string>& names,
                                           device_kind kind);

} // namespace cldsp::app
