// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The filter with the phase of GNU Radio's FFT filter, which it replaces by name.

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FFT_FILTER_H
#define INCLUDED_CLDSP_FREQ_XLATING_FFT_FILTER_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/filter_control.h>
#include <gnuradio/cldsp/iq_types.h>
#include <gnuradio/gr_complex.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief A freq_xlating_fft_filter with taps of the type \p TAP_T, whatever its input.
template <class TAP_T>
class CLDSP_API fft_filter_with_taps : virtual public filter_with_taps<TAP_T>
{
public:
    /*!
     * Checks its argument and does nothing else: a stream of one channel is filtered on
     * the thread that GNU Radio gives the block, or on all of a device.
     * \throws std::invalid_argument unless \p nthreads is 1 or more
     */
    void set_nthreads(int nthreads);
};

/*!
 * \brief freq_xlating_fir_filter with the phase of GNU Radio's
 * freq_xlating_fft_filter_ccc, which it replaces by name.
 *
 * y[n] = exp(-j w D n) * sum_k taps[k] exp(j w k) x[n D - k],  w = 2 pi fc / fs
 *
 * There is no constant phase, and a retune does not change the phase of the rotator. The
 * types, the port "freq", the tags and the preferences are those of
 * freq_xlating_fir_filter. Like that block it chooses the fastest algorithm, which for
 * few taps may be the direct one.
 */
template <class IN_T, class TAP_T>
class CLDSP_API freq_xlating_fft_filter : virtual public fft_filter_with_taps<TAP_T>
{
public:
    using sptr = std::shared_ptr<freq_xlating_fft_filter<IN_T, TAP_T>>;

    /*!
     * \param decim input items per output, see freq_xlating_fir_filter's decimation
     * \param taps the low-pass prototype at 0 Hz, one or more finite values
     * \param center_freq frequency in Hz that is shifted to 0 Hz, finite
     * \param samp_rate rate of the input in Hz, finite and above 0
     * \param device, variant, transfer, algorithm, accuracy, latency, rewrite_tags, plan
     *        see freq_xlating_fir_filter::make()
     * \throws std::invalid_argument naming the parameter, its value and the range; also
     *         for a named device that cannot be used
     */
    static sptr make(int decim,
                     const std::vector<TAP_T>& taps,
                     double center_freq,
                     double samp_rate,
                     const std::string& device = "auto",
                     const std::string& variant = "auto",
                     const std::string& transfer = "auto",
                     const std::string& algorithm = "auto",
                     double accuracy = 1e-5,
                     double latency = 0.025,
                     bool rewrite_tags = true,
                     const std::string& plan = "auto");
};

//! For each row of CLDSP_SAMPLE_TYPES two names, for complex and for real taps:
//! freq_xlating_fft_filter_ccc, freq_xlating_fft_filter_ccf and so on.
#define CLDSP_NAMES(NAME, CAPITALS, LETTERS, ...)  \
    using freq_xlating_fft_filter_##LETTERS##c =   \
        freq_xlating_fft_filter<NAME, gr_complex>; \
    using freq_xlating_fft_filter_##LETTERS##f = freq_xlating_fft_filter<NAME, float>;
CLDSP_SAMPLE_TYPES(CLDSP_NAMES)
#undef CLDSP_NAMES

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FFT_FILTER_H */
