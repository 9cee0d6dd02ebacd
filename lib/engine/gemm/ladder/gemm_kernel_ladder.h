// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the kernels of products that serve for comparison have in common.

#pragma once

#include "gemm/gemm_problem.h"
#include "gemm/ladder/gemm_image.h"
#include "opencl/commands.h"
#include "opencl/held_memory.h"

#include <array>
#include <optional>
#include <string>

namespace cldsp {

//! A buffer on the device that grows on demand.
class gemm_work_space
{
public:
    /*!
     * Makes the buffer at least \p bytes large. When it grows, its content is discarded;
     * commands in flight keep the old buffer.
     *
     * \param device the context of the device
     * \param bytes the size
     * \param what name of the content, for the message
     * \throws std::invalid_argument beyond the device's largest buffer
     */
    const cl::Buffer&
    grow(const context& device, std::size_t bytes, const std::string& what);

private:
    held_memory<cl::Buffer> d_buffer;
    std::size_t d_capacity = 0;
};

//! B in the form that a variant needs.
struct gemm_prepared_b {
    gemm_device_matrix matrix;      //!< B itself, or another form of it
    gemm_work_space space;          //!< where the other form lies
    held_memory<cl::Image2D> image; //!< for variants that read B as an image
    gemm_image_space pixels;        //!< the image's memory if it does not lie over B
};

/*!
 * The common part of the ladders' kernels (see docs/architecture.md). B is brought into a
 * form first, either for one call or for many. A call without products (alpha is 0) reads
 * neither A nor B.
 */
class gemm_kernel_ladder : public gemm_kernel
{
public:
    gemm_events enqueue(const gemm_device_call& call) final;
    void hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b) final;
    gemm_events enqueue_held(const gemm_device_call& call) final;

protected:
    explicit gemm_kernel_ladder(const gemm_kernel_args& args);

    //! Brings B into the form that the variant needs, and appends the commands to
    //! \p events. The default uses B as it is.
    virtual void prepare_b(std::size_t k,
                           std::size_t n,
                           const gemm_device_matrix& b,
                           gemm_prepared_b& to,
                           std::vector<cl::Event>& events);
    /*!
     * Enqueues the multiplication. If alpha is 0, the k of the call is 0. A is then some
     * buffer with a leading dimension of 0, B is the same buffer, and there is no image.
     */
    virtual void multiply(const gemm_device_call& call,
                          const gemm_prepared_b& b,
                          gemm_events& events) = 0;

    //! Enqueues a kernel.
    //! \param kernel the kernel, whose arguments are set
    //! \param items work-items that are needed; rounded up to whole groups
    //! \param group size of a group
    cl::Event launch(const cl::Kernel& kernel,
                     const std::array<std::size_t, 2>& items,
                     const std::array<std::size_t, 2>& group) const;
    //! A group of \p x by \p y work-items, halved until the device and the kernel take
    //! it.
    std::array<std::size_t, 2>
    group_of(const cl::Kernel& kernel, std::size_t x, std::size_t y) const;

    //! to[c * leading + r] = from(r, c), and 0 for r from \p rows to \p leading.
    gemm_device_matrix transpose(const gemm_device_matrix& from,
                                 std::size_t rows,
                                 std::size_t columns,
                                 std::size_t leading,
                                 gemm_work_space& to,
                                 std::vector<cl::Event>& events);

    //! The option for the type, for example "-DTYPE=0"; the kernel files define the
    //! numbers.
    std::string type_option() const;

    const context& device() const { return *d_args.device; }
    gemm_type type() const { return d_args.type; }
    const cl::CommandQueue& queue() const { return d_args.queue; }

private:
    template <class F>
    void checked(F&& action) const;
    void check_sizes(const gemm_device_call& call) const;
    void scale(gemm_device_call call, gemm_events& events); // C = beta C
    void build_transpose();

    const gemm_kernel_args d_args;
    gemm_prepared_b d_passing, d_held;
    std::optional<gemm_shape> d_held_shape; // only k and n are used
    cl::Kernel d_transpose;
    std::size_t d_tile = 0; // tile of the transposition; 0: not built yet
};

//! Makes the kernel of a rung of a ladder.
//! \throws std::invalid_argument; opencl_error
template <class Kernel, class... Rung>
std::unique_ptr<gemm_kernel> make_on_ladder(const gemm_kernel_args& args,
                                            const Rung&... rung)
{
    return with_opencl_errors(*args.device, [&]() -> std::unique_ptr<gemm_kernel> {
        return std::make_unique<Kernel>(rung..., args);
    });
}

//! Sets a kernel's arguments one after the other.
class gemm_kernel_arguments
{
public:
    explicit gemm_kernel_arguments(cl::Kernel& kernel) : d_kernel(kernel) {}

    template <class T>
    gemm_kernel_arguments& add(const T& value)
    {
        d_kernel.setArg(d_next++, value);
        return *this;
    }
    gemm_kernel_arguments& add_count(std::size_t count)
    {
        return add(static_cast<cl_uint>(count));
    }
    gemm_kernel_arguments& add_matrix(const gemm_device_matrix& m)
    {
        return add(m.buffer).add_count(m.offset).add_count(m.leading);
    }
    //! Adds C, the sizes and the factors.
    gemm_kernel_arguments& add_product(const gemm_device_call& call)
    {
        return add_matrix(call.c)
            .add_count(call.shape.m)
            .add_count(call.shape.n)
            .add_count(call.shape.k)
            .add(cl_float2{ { call.alpha.real(), call.alpha.imag() } })
            .add(cl_float2{ { call.beta.real(), call.beta.imag() } });
    }

private:
    cl::Kernel& d_kernel;
    cl_uint d_next = 0;
};

} // namespace cldsp
