// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that multiplies a stream of vectors by a matrix.

#ifndef INCLUDED_CLDSP_GEMM_H
#define INCLUDED_CLDSP_GEMM_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/gr_complex.h>
#include <gnuradio/sync_block.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! The values of a block's matrix A, for input elements of type T.
template <class T>
struct gemm_value {
    using type = T;
};
template <>
struct gemm_value<std::int8_t> {
    using type = float; //!< whole numbers from -128 to 127
};

/*!
 * \brief y = A x of a stream of vectors, on an OpenCL device or the host.
 *
 * An input item is a vector of A's columns, an output item one of A's rows. The vectors
 * of a call of work() are multiplied together. \p T is float or gr_complex, or
 * std::int8_t: then A has whole numbers from -128 to 127 and at most 131071 columns, and
 * the outputs are exact sums of type std::int32_t.
 *
 * A new matrix takes effect between two calls of work().
 *
 * Message port:
 * - set_A (input): a vector or tuple of rows, each a vector or tuple of numbers or a
 *   uniform vector of them; or a string that names a .npy file. A message that is no such
 *   matrix, or one of another size or with a value that is not finite, or no byte, is
 *   logged and dropped as a whole.
 */
template <class T>
class CLDSP_API gemm : virtual public gr::sync_block, virtual public engine_info
{
public:
    using sptr = std::shared_ptr<gemm<T>>;
    using value = typename gemm_value<T>::type; //!< of A

    /*!
     * \param A rows of finite values, all of the same length, one row and column or more;
     *        for std::int8_t whole numbers from -128 to 127, and at most 131071 columns
     * \param device "auto" (measured, the host included), "gpu", "cpu" (an OpenCL CPU
     *        device), "host", "P:D" (platform and device index) or part of a device's
     *        name
     * \param variant "auto" or a name from list_gemm_variants()
     * \param precision the least precise arithmetic that is permitted: "exact", "tf32" or
     *        "half". The matrix units of NVIDIA GPUs use it, all else stays exact
     * \param plan "auto": the block starts at once on the host, and moves to what is
     *        planned while it runs; or "wait": the constructor plans
     * \throws std::invalid_argument naming the parameter, its value and the range; also
     *         for a named device that cannot be used
     */
    static sptr make(const std::vector<std::vector<value>>& A,
                     const std::string& device = "auto",
                     const std::string& variant = "auto",
                     const std::string& precision = "exact",
                     const std::string& plan = "auto");

    //! Sets the matrix. \throws std::invalid_argument for one of another size or with
    //! values that are not finite
    virtual void set_A(const std::vector<std::vector<value>>& A) = 0;
    //! The matrix that was set last.
    virtual std::vector<std::vector<value>> A() const = 0;
};

using gemm_ff = gemm<float>;
using gemm_cc = gemm<gr_complex>;
using gemm_bi = gemm<std::int8_t>;

/*!
 * \brief The matrix in a file that NumPy has written (.npy): two dimensions, of floating
 * point, integer or bool values, or for gr_complex of complex ones.
 *
 * \throws std::invalid_argument naming the file and what is wrong with it
 */
template <class T>
CLDSP_API std::vector<std::vector<T>> load_npy(const std::string& path);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_H */
