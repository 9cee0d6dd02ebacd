// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The functions of filters that do not depend on the types of input and taps.

#ifndef INCLUDED_CLDSP_FILTER_CONTROL_H
#define INCLUDED_CLDSP_FILTER_CONTROL_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/sync_decimator.h>
#include <cstddef>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief The functions of freq_xlating_fir_filter, freq_xlating_fir_filter_volk and
 * freq_xlating_fft_filter that do not depend on the types of input and taps.
 *
 * Any thread may call these functions while the flowgraph runs.
 */
class CLDSP_API filter_control
{
public:
    virtual ~filter_control() = default;

    //! Sets the frequency in Hz. \throws std::invalid_argument unless finite
    virtual void set_center_freq(double center_freq) = 0;
    //! The frequency that was set last, in Hz.
    virtual double center_freq() const = 0;
    //! The rate of the input, in Hz.
    virtual double sampling_freq() const = 0;
    //! The largest number of taps, 16777216.
    virtual std::size_t max_taps() const = 0;
};

/*!
 * \brief A filter with taps of the type \p TAP_T, gr_complex or float, whatever its
 * input.
 *
 * Any thread may call these functions while the flowgraph runs.
 */
template <class TAP_T>
class CLDSP_API filter_with_taps : virtual public gr::sync_decimator,
                                   virtual public engine_info,
                                   virtual public filter_control
{
public:
    /*!
     * Taps that reach further back than history() meet zeros in place of items that the
     * block no longer has: see docs/blocks.md. If another plan is faster for another
     * number of taps, the block changes to it once it is made, without losing a sample.
     *
     * \throws std::invalid_argument if \p taps is empty, has values that are not finite,
     * or has more than max_taps() values
     */
    virtual void set_taps(const std::vector<TAP_T>& taps) = 0;
    //! The prototype that was set last.
    virtual std::vector<TAP_T> taps() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_CONTROL_H */
