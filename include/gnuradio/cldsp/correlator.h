// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that sums the products of each pair of antennas.

#ifndef INCLUDED_CLDSP_CORRELATOR_H
#define INCLUDED_CLDSP_CORRELATOR_H

#include <gnuradio/block.h>
#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/cldsp/iq_types.h>
#include <gnuradio/gr_complex.h>
#include <cstdint>
#include <memory>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * \brief The products of each pair of antennas, summed over an integration, on an OpenCL
 * device or the host: the X of an FX correlator.
 *
 * The input is a stream for each antenna, or one stream of vectors with a sample of each
 * antenna. Once in every integration of T samples the output is a vector of the N (N + 1)
 * / 2 visibilities of the N antennas. Visibility (i, j), for antennas i >= j counted from
 * 0, is the sum of x_i[t] conj(x_j[t]) over the T samples t. It is element i (i + 1) / 2
 * + j of the vector: the lower triangle of the matrix X X^H, row by row, which is NumPy's
 * order of tril_indices(N). Element (i, i) is the power of antenna i, with imaginary part
 * 0. Sums are not divided by T.
 *
 * Samples of type cs8 count as v / 128. Their sums are exact, and rounded once at the
 * end. Sums of complex floats have an error below 1e-6 of the largest power, however long
 * the integration is.
 *
 * Each output vector has a tag "first_sample": the number of the input item at which its
 * integration begins, an unsigned 64-bit integer. Tags of the first input pass to the
 * vector of the integration in which they lie; "rx_rate" gets the rate of the vectors. An
 * incomplete integration is dropped at the end of the stream, and when the flowgraph is
 * stopped or reconfigured.
 *
 * Message port:
 * - integration (input): a number, or a pair with a number as its second element, as for
 *   set_integration(). Another message is logged and dropped.
 */
template <class T>
class CLDSP_API correlator : virtual public gr::block, virtual public engine_info
{
public:
    using sptr = std::shared_ptr<correlator<T>>;

    /*!
     * \param antennas the number of antennas, 1 to 4096
     * \param integration the samples of an integration, 1 to 10^11
     * \param vectors false: a stream for each antenna; true: one stream of vectors
     * \param device "auto" (measured, the host included), "gpu", "cpu" (an OpenCL CPU
     *        device), "host", "P:D" (platform and device index) or part of a device's
     *        name
     * \param plan "auto": the block starts at once on the host, and moves to what is
     *        planned while it runs; or "wait": the constructor plans
     * \throws std::invalid_argument naming the parameter, its value and the range; also
     *        for a named device that cannot be used
     */
    static sptr make(int antennas,
                     std::int64_t integration,
                     bool vectors = false,
                     const std::string& device = "auto",
                     const std::string& plan = "auto");

    //! Sets the samples of an integration. The integration that has begun keeps its
    //! length. \throws std::invalid_argument for a number out of its range
    virtual void set_integration(std::int64_t integration) = 0;
    //! The number that was set last.
    virtual std::int64_t integration() const = 0;
    virtual int antennas() const = 0;
    virtual int visibilities() const = 0; //!< elements of an output vector
};

using correlator_cc = correlator<gr_complex>;
using correlator_cs8 = correlator<cs8>;

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CORRELATOR_H */
