// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block whose outputs are weighted sums of all its inputs.

#ifndef INCLUDED_CLDSP_MULTIPLY_MATRIX_H
#define INCLUDED_CLDSP_MULTIPLY_MATRIX_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/gr_complex.h>
#include <gnuradio/sync_block.h>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief y = A x of the items of several streams: each output is a weighted sum of all
 * inputs.
 *
 * The block replaces gr::blocks::multiply_matrix: A has one row per output and one column
 * per input. Small matrices are multiplied on the host; large ones on the device or the
 * host, whichever is measured to be faster. With the policy TPP_CUSTOM a tag passes from
 * input k to output l where A[l][k] is not 0.
 *
 * A new matrix takes effect between two calls of work().
 *
 * Message port:
 * - set_A (input): a vector or tuple of rows; a row is a vector or tuple of numbers, or a
 *   uniform vector of them. A message that is no such matrix, or one of another size or
 *   with a value that is not finite, is logged and dropped as a whole.
 */
template <class T>
class CLDSP_API multiply_matrix : virtual public gr::sync_block,
                                  virtual public engine_info
{
public:
    using sptr = std::shared_ptr<multiply_matrix<T>>;

    /*!
     * \param A rows of finite values, all of the same length, one row and column or more
     * \param tag_propagation_policy TPP_ONE_TO_ONE takes a square matrix
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
    static sptr make(const std::vector<std::vector<T>>& A,
                     gr::block::tag_propagation_policy_t tag_propagation_policy =
                         gr::block::TPP_ALL_TO_ALL,
                     const std::string& device = "auto",
                     const std::string& variant = "auto",
                     const std::string& precision = "exact",
                     const std::string& plan = "auto");

    //! The matrix that was set last.
    virtual std::vector<std::vector<T>> get_A() const = 0;
    //! Sets the matrix. A matrix of another size, or with values that are not finite, is
    //! logged and not used: the old matrix stays, and the function returns false.
    virtual bool set_A(const std::vector<std::vector<T>>& new_A) = 0;

    std::string MSG_PORT_NAME_SET_A; //!< "set_A"
};

using multiply_matrix_ff = multiply_matrix<float>;
using multiply_matrix_cc = multiply_matrix<gr_complex>;

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_MULTIPLY_MATRIX_H */
