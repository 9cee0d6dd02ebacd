// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A matrix on a device, and the interface of a kernel that multiplies such matrices.

#pragma once

#include <cldsp/context.h>
#include <cldsp/gemm.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! A matrix on the device, row by row. Kernels do not touch the memory between the end of
//! a row and the beginning of the next one, nor the memory behind the last element.
struct gemm_device_matrix {
    cl::Buffer buffer;
    std::size_t offset = 0;  //!< in elements
    std::size_t leading = 0; //!< elements from one row to the next

    gemm_device_matrix() = default;
    gemm_device_matrix(const gemm_device_matrix&) = default;
    gemm_device_matrix(gemm_device_matrix&&) = default;
    //! If the driver refuses the copy, this object stays as it was; see replace().
    gemm_device_matrix& operator=(gemm_device_matrix other) noexcept
    {
        replace(buffer, std::move(other.buffer));
        offset = other.offset;
        leading = other.leading;
        return *this;
    }
};

//! One multiplication on the device: C = alpha A B + beta C.
struct gemm_device_call {
    gemm_shape shape;
    std::complex<float> alpha = 1;
    std::complex<float> beta = 0;
    gemm_device_matrix a;
    gemm_device_matrix b; //!< not used where B is held
    gemm_device_matrix c; //!< not read where beta is 0
};

//! The events of a multiplication's commands, for profiling.
struct gemm_events {
    std::vector<cl::Event> prepare; //!< packing, transposing, copies into images
    std::vector<cl::Event> multiply;
};

/*!
 * One variant of the multiplication: its kernels, their preconditions, and the way to
 * enqueue them. The caller brings the matrices to the device and back.
 *
 * All commands go into one in-order queue, and calls may follow each other without a
 * wait. Work space grows on demand and belongs to the kernel.
 */
class gemm_kernel
{
public:
    virtual ~gemm_kernel() = default;

    /*!
     * Enqueues a multiplication. The sizes are at least 1 and have been checked. Alpha
     * and beta are real unless the type is complex. If alpha is 0, A and B are not read.
     *
     * \throws opencl_error; std::invalid_argument if the device cannot take these sizes
     */
    virtual gemm_events enqueue(const gemm_device_call& call) = 0;

    /*!
     * Keeps a B (k by n) for the following calls of enqueue_held(), in the form that the
     * variant needs. The matrix must stay as it is until the next hold_b().
     */
    virtual void hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b) = 0;
    //! The same as enqueue(), with the B that is held, which gives n and k.
    //! \throws std::logic_error if none is held
    virtual gemm_events enqueue_held(const gemm_device_call& call) = 0;
};

//! Checks that a B of \p k rows is held: a kernel without one has the number 0.
inline void check_held(std::size_t k)
{
    if (k == 0)
        throw std::logic_error("gemm_kernel: no B is held");
}

//! A variant that needs no other form of B, so that it keeps B as it lies.
class gemm_kernel_without_packing : public gemm_kernel
{
public:
    void hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b) final
    {
        d_held = b;
        d_held_k = k;
        d_held_n = n;
    }
    gemm_events enqueue_held(const gemm_device_call& call) final
    {
        check_held(d_held_k);
        auto whole = call;
        whole.b = d_held;
        whole.shape.n = d_held_n;
        whole.shape.k = d_held_k;
        return enqueue(whole);
    }

private:
    gemm_device_matrix d_held;
    std::size_t d_held_n = 0, d_held_k = 0;
};

//! The arguments from which every variant is made.
struct gemm_kernel_args {
    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    gemm_type type = gemm_type::f32;
    tuning_values tuned = {}; //!< instead of the defaults, see gemm_parameters()
    //! The arithmetic of matrix units for f32 and c32; all else is exact.
    gemm_precision precision = gemm_precision::exact;
};

/*!
 * Makes the kernel of one variant.
 *
 * \param variant the name of an OpenCL variant
 * \param args the device, its queue, the type, the tuned values and the precision
 * \throws std::invalid_argument with the reason if the device or the type does not fit;
 *         opencl_error if the kernel does not build
 */
std::unique_ptr<gemm_kernel> make_gemm_kernel(const std::string& variant,
                                              const gemm_kernel_args& args);

// The kernels that others use as well, with values that suit the device.
std::unique_ptr<gemm_kernel> make_gemm_kernel_gpu(const gemm_kernel_args& args);
std::unique_ptr<gemm_kernel> make_gemm_kernel_tensor(const gemm_kernel_args& args);

} // namespace cldsp
