// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Multiplies on the device, and compares some rows with the exact product.

#include "gemm/gemm_check.h"

#include "base/page_memory.h"
#include "gemm/typical_product.h"
#include "opencl/commands.h"
#include "opencl/held_memory.h"

#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>

namespace cldsp {

namespace {

//! The largest result of gemm_error() with a product that is right. Values of a lane
//! that are in wrong places give 0.1 or more.
double max_product_error(gemm_type type, gemm_precision precision)
{
    if (type == gemm_type::s8)
        return 0;
    // Far above the rounding of floats, far below that of tf32.
    if (type != gemm_type::f16 && precision == gemm_precision::exact)
        return 2e-6;
    // Each factor of a term, or a result of type f16, is rounded by at most 2^-11 of its
    // magnitude.
    return 1e-3;
}

} // namespace

void check_trial_product(const gemm_kernel_args& args,
                         const std::string& variant,
                         const gemm_shape& shape,
                         const std::function<void(const gemm_device_call&)>& multiply)
{
    // An odd distance, so that the rows belong to different lanes.
    const std::size_t distance = shape.m <= 64 ? 1 : 5;
    const auto a = trial_matrix(args.type, shape.m * shape.k);
    const auto b = trial_matrix(args.type, shape.k * shape.n);
    page_memory c(shape.m * shape.n * result_size(args.type));
    // Late commands of a device that is lost may still use these.
    held_memory<cl::Buffer> buffers[3];
    gemm_device_call call;
    call.shape = shape;
    with_opencl_errors(*args.device, [&] {
        const page_memory* const memories[] = { &a, &b, &c };
        for (int i = 0; i < 3; i++)
            buffers[i].hold(*args.device,
                            cl::Buffer(args.device->cl_context(),
                                       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       memories[i]->region().bytes,
                                       memories[i]->as<void>()));
        call.a = { buffers[0].get(), 0, shape.k };
        call.b = { buffers[1].get(), 0, shape.n };
        call.c = { buffers[2].get(), 0, shape.n };
    });
    multiply(call);
    read_into(*args.device, args.queue, call.c.buffer, c);
    const std::size_t row_of_a = shape.k * element_size(args.type);
    const std::size_t row_of_c = shape.n * result_size(args.type);
    for (std::size_t row = 0; row < shape.m; row += distance) {
        const const_gemm_matrix result = { c.as<unsigned char>() + row * row_of_c,
                                           shape.n };
        const double error =
            gemm_error(args.type,
                       { 1, shape.n, shape.k },
                       1,
                       { a.as<unsigned char>() + row * row_of_a, shape.k },
                       { b.as<void>(), shape.n },
                       0,
                       result,
                       result);
        if (!(error <= max_product_error(args.type, args.precision)))
            throw_invalid("variant",
                          "'" + variant + "'",
                          "another one: the matrix units of device '" +
                              args.device->name() + "' give wrong products");
    }
}

} // namespace cldsp
