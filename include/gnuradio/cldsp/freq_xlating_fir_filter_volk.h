// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The same filter by VOLK's dot products alone, for comparison.

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_VOLK_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_VOLK_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/filter_control.h>
#include <gnuradio/gr_complex.h>
#include <cstdint>
#include <memory>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief The same filter as freq_xlating_fir_filter, on the host with VOLK's dot products
 * alone, for comparison.
 *
 * Equation, message port, tags and changes while running are those of
 * freq_xlating_fir_filter. Input \p IN_T is gr_complex, float or std::int16_t (not
 * scaled), \p TAP_T is gr_complex or float.
 */
template <class IN_T, class TAP_T>
class CLDSP_API freq_xlating_fir_filter_volk : virtual public filter_with_taps<TAP_T>
{
public:
    using sptr = std::shared_ptr<freq_xlating_fir_filter_volk<IN_T, TAP_T>>;

    /*!
     * \param decimation input items per output, from 1 to what GNU Radio's buffer before
     *        the block holds: decimation + history() items take less than 2^30 bytes
     * \param taps the low-pass prototype at 0 Hz, one or more finite values
     * \param center_freq frequency in Hz that is shifted to 0 Hz, finite
     * \param sampling_freq rate of the input in Hz, finite and above 0
     * \param rewrite_tags see freq_xlating_fir_filter::make()
     * \throws std::invalid_argument naming the parameter, its value and the range
     */
    static sptr make(int decimation,
                     const std::vector<TAP_T>& taps,
                     double center_freq,
                     double sampling_freq,
                     bool rewrite_tags = true);
};

using freq_xlating_fir_filter_volk_ccc =
    freq_xlating_fir_filter_volk<gr_complex, gr_complex>;
using freq_xlating_fir_filter_volk_ccf = freq_xlating_fir_filter_volk<gr_complex, float>;
using freq_xlating_fir_filter_volk_fcc = freq_xlating_fir_filter_volk<float, gr_complex>;
using freq_xlating_fir_filter_volk_fcf = freq_xlating_fir_filter_volk<float, float>;
using freq_xlating_fir_filter_volk_scc =
    freq_xlating_fir_filter_volk<std::int16_t, gr_complex>;
using freq_xlating_fir_filter_volk_scf =
    freq_xlating_fir_filter_volk<std::int16_t, float>;

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_VOLK_H */
