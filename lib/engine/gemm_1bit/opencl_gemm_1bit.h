// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of a kernel for 1-bit products, and the data of its calls.

#pragma once

#include "gemm_1bit/gemm_1bit_executor.h"
#include "opencl/commands.h"
#include "opencl/device_table.h"
#include "opencl/matrix_units.h"

#include <cldsp/tuning_space.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The most words of 64 bits that the kernel for CPU devices counts in one go; see the
//! kernel.
constexpr std::size_t gemm_1bit_max_words = 496;

//! The items and the correlations of one call in the device's memory.
struct gemm_1bit_call {
    device_range items;
    std::size_t count;
    device_range out;
    std::size_t out_step; //!< number of correlations from one item's first to the next
                          //!< item's first
};

/*!
 * One variant: its kernels, the codes in the order in which these read them, and the way
 * to enqueue the kernels. Codes that are too large for one buffer of the device are
 * divided among several.
 */
class gemm_1bit_kernel
{
public:
    gemm_1bit_kernel(std::string name,
                     std::shared_ptr<context> device,
                     cl::CommandQueue queue);
    virtual ~gemm_1bit_kernel() = default;

    //! Replaces the codes, also of the kernels that share them. No command may be in
    //! flight.
    //! \throws std::invalid_argument if a single panel of codes is too large for a buffer
    void set_codes(const gemm_1bit_codes& codes);
    //! Takes the codes that another kernel of the same variant and values has on the
    //! device.
    void share_codes(const gemm_1bit_kernel& other);
    //! Enqueues all kernels of a call, and appends their events.
    void enqueue(const gemm_1bit_call& call, std::vector<cl::Event>& events);
    const std::string& name() const { return d_name; }
    //! The largest size in bytes of a buffer of packed codes.
    static std::size_t max_table_bytes(const device_limits& limits);

protected:
    //! The codes of one buffer.
    struct part {
        std::size_t first, count;
        std::size_t panels; //!< number of panels of panel_codes() codes
        device_table table;
    };

    virtual std::size_t panel_codes() const = 0; //!< codes that are packed together
    virtual std::size_t code_bytes() const = 0;  //!< bytes of a packed code
    //! Packs \p panels panels, from code \p first on, into memory of that size.
    virtual void pack(const gemm_1bit_codes& codes,
                      std::size_t first,
                      std::size_t panels,
                      std::uint8_t* to) const = 0;
    virtual void enqueue_part(const gemm_1bit_call& call,
                              const part& codes,
                              std::vector<cl::Event>& events) = 0;

    //! Enqueues \p kernel, whose arguments are set. With a null \p group the driver
    //! chooses the size of the groups.
    void run(const cl::Kernel& kernel,
             const cl::NDRange& global,
             const cl::NDRange& group,
             std::vector<cl::Event>& events);

    std::size_t item_bytes() const { return d_bits / 8; }

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    std::size_t d_bits = 8;

private:
    std::string d_name;
    std::shared_ptr<std::vector<part>> d_parts;
};

//! The arguments of make_gemm_1bit_kernel().
struct gemm_1bit_kernel_args {
    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    std::size_t bits;           //!< number of bits in a code
    const tuning_values& tuned; //!< see gemm_1bit_parameters()
};

//! \throws std::invalid_argument if OpenCL has no such variant, or if the device cannot
//!         run it
std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel(const std::string& variant, const gemm_1bit_kernel_args& args);

//! \param mode whether to use the device's matrix units, or to compute the same without
std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_tensor(const gemm_1bit_kernel_args& args, tensor_mode mode);
//! \param mode as above
std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_warpgroup(const gemm_1bit_kernel_args& args, tensor_mode mode);

} // namespace cldsp
