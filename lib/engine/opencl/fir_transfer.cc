/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/fir_transfer_base.h"

namespace cldsp {

std::unique_ptr<fir_transfer> make_fir_transfer(const std::string& name,
                                                std::shared_ptr<context> device,
                                                const cl::CommandQueue& queue)
{
    if (name == "copy")
        return make_copied_transfer(name, std::move(device), queue);
    if (name == "mapped")
        return make_mapped_transfer(name, std::move(device), queue);
    return make_zero_copy_transfer(name, std::move(device), queue);
}

} // namespace cldsp
