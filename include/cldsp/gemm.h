// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products of floats, complex numbers, halves and bytes, on a device or the host.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/logger.h>
#include <cldsp/run_statistics.h>
#include <cldsp/variant_info.h>

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The type of the elements of the matrices.
enum class gemm_type {
    f32, //!< float
    c32, //!< std::complex<float>
    f16, //!< IEEE 754 half precision in memory (std::uint16_t), summed up in float
    s8   //!< A and B: std::int8_t; C: std::int32_t, the exact sums
};

//! Bytes of one element of A and of B.
std::size_t element_size(gemm_type type);
//! Bytes of one element of C: 4 for s8, and for other types those of A and B.
std::size_t result_size(gemm_type type);
//! "f32", "c32", "f16" or "s8".
std::string type_name(gemm_type type);

//! The most terms of a sum of products of s8: with more, sums of 32 bits could overflow.
constexpr std::size_t max_s8_terms = 131071;

//! The arithmetic of products of f32 and c32. Sums are single precision in each case.
//! Products of f16 are always exact products of halves.
enum class gemm_precision {
    exact, //!< single precision
    tf32,  //!< factors are rounded to 11 bits, and keep the range of float
    half //!< factors are rounded to half precision: 11 bits, but infinity from 65520 on,
         //!< and fewer bits below 6.1e-5
};

//! "exact", "tf32" or "half".
std::string precision_name(gemm_precision precision);
//! The precision of this name.
//! \throws std::invalid_argument for another text
gemm_precision gemm_precision_of(const std::string& name);

//! The sizes of C = alpha A B + beta C: A is m by k, B is k by n, C is m by n.
struct gemm_shape {
    std::size_t m = 1;
    std::size_t n = 1;
    std::size_t k = 1;

    //! Operations: a complex multiply-add counts 8, a real one 2.
    double operations(gemm_type type) const;
};

//! A matrix in host memory, row by row: element (i, j) is at i * leading + j.
struct gemm_matrix {
    void* data = nullptr;
    std::size_t leading = 0; //!< elements from row to row, at least the number of columns
};
//! A gemm_matrix that is only read.
struct const_gemm_matrix {
    const void* data = nullptr;
    std::size_t leading = 0;
};

//! A variant's name and properties.
struct gemm_variant_info {
    std::string name;        //!< e.g. "tile4x4"
    std::string description; //!< one line
    //! Its series of kernels: "desktop", "mobile", "production", "library" or "host".
    std::string ladder;
    std::vector<gemm_type> types;
    //! Ten times the least compute capability of an NVIDIA GPU; 0: any device.
    int min_compute_capability = 0;
    //! The same for the greatest one; 0: any later GPU.
    int max_compute_capability = 0;

    bool takes(gemm_type type) const;
    //! Whether a device, with the limits of its context, may be able to run the variant:
    //! see context::device() and context_registry::lowered().
    bool fits(const device_info& device) const;
};

//! Every variant, sorted by gemm_variant_info::ladder.
const std::vector<gemm_variant_info>& gemm_variants();

//! Options that choose the engine; device and variant may be "auto".
struct gemm_options {
    std::string device = "auto";  //!< see find_devices()
    std::string variant = "auto"; //!< see gemm_variants()
    //! The least precise arithmetic that is permitted, see gemm_precision_of(). This is a
    //! permission: only the variants "tensor" and "warpgroup" use it. "auto" then measures
    //! them in this precision too; all other variants stay exact.
    std::string precision = "exact";
    //! The calls will share one B, see hold_b(). "auto" then measures calls of this kind.
    bool held_b = false;
    //! Whether the constructor takes no time: it opens no device and measures nothing. The
    //! host computes, and the plan is provisional if a better one may follow; see
    //! planned_engine.
    bool at_once = false;
    //! Asked between the calls that a plan measures. If it returns true, the constructor
    //! throws planning_stopped. Empty: no measurement is stopped.
    std::function<bool()> stopped;
    logger log;
};

/*!
 * The general matrix product C = alpha A B + beta C, row-major, as BLAS's xGEMM without
 * transposition, on a device or the host.
 *
 * As in BLAS, C is not read if beta is 0, so that it may have any content then, and A and
 * B are not read if alpha is 0. Products of s8 are exact in all variants: k is at most
 * max_s8_terms, alpha and beta are 0 or 1, and with a beta of 1 the sum of C and the
 * product wraps around at 32 bits. If a device fails while running, the host completes the
 * call and continues, and the reason is logged. Only one thread may use a gemm at a time.
 */
class gemm
{
public:
    /*!
     * \param type the type of the elements of the matrices
     * \param typical the sizes of a typical call, for which "auto" chooses
     * \param options the device, the variant and the precision
     * \param registry has the contexts of the devices
     * \throws std::invalid_argument for a size of 0, a k that is too large for the type,
     *         an unknown or unsuitable device or variant, an unknown precision, or a named
     *         device that cannot be used
     */
    gemm(gemm_type type,
         const gemm_shape& typical,
         const gemm_options& options,
         context_registry& registry);
    ~gemm();
    gemm(gemm&&) noexcept;
    gemm& operator=(gemm&&) noexcept;

    /*!
     * C = alpha A B + beta C. Returns when C is complete.
     *
     * \param shape the sizes of the matrices
     * \param alpha,beta factors, which must be real unless the matrices are complex, and 0
     *        or 1 for s8
     * \param a,b,c the matrices
     * \throws std::invalid_argument for a size of 0, a k that is too large for the type, a
     *         leading dimension below the number of columns, a null pointer, or a factor
     *         that the type does not take
     */
    void multiply(const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  std::complex<float> beta,
                  gemm_matrix c);

    /*!
     * Stores a copy of B, in the form that suits the device, for calls of
     * multiply_held(). A matrix that many calls share is thus transferred and packed only
     * once.
     */
    void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b);
    //! Stores the B that another product has stored, if it has one.
    void hold_b_of(const gemm& other);
    //! As multiply(), with the B that hold_b() has stored.
    //! \throws std::logic_error if there is none
    void multiply_held(std::size_t m,
                       std::complex<float> alpha,
                       const_gemm_matrix a,
                       std::complex<float> beta,
                       gemm_matrix c);

    gemm_type type() const;
    std::string device_name() const;  //!< "host", or OpenCL's name of the device
    std::string variant_name() const; //!< the variant that runs, never "auto"
    //! "zero_copy": kernels work on the caller's memory wherever its alignment and size
    //! permit that; otherwise "copy", or "none" on the host.
    std::string transfer_name() const;
    //! One line: the choice and its reason.
    std::string plan() const;
    const chosen_plan& chosen() const; //!< the plan as data
    //! The statistics of all calls; run_statistics::outputs counts elements of C.
    run_statistics statistics() const;
    bool fell_back() const; //!< the device failed and the host computes
    //! Whether late commands of a lost device may still access the memory that was passed
    //! to calls, because kernels work on it directly. This memory must then not be freed
    //! before the process ends.
    bool device_is_lost() const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
