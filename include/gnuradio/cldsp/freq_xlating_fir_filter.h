// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that takes a narrow channel out of a wide stream.

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_H

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

/*!
 * \brief Takes a narrow channel out of a wide stream: shift to 0 Hz, FIR filter,
 * decimation, on an OpenCL device or the host, whichever is faster.
 *
 * The block gives the signal of the block of the same name in gr::filter, constant phase
 * included, and replaces it by name:
 *
 * y[n] = exp(j p[n]) * sum_k taps[k] exp(j w k) x[n D - k],  w = 2 pi fc / fs,
 * p[n] = -w D n - w (M - 1) / 2
 *
 * for M taps and the decimation D. The phase never drifts. Output is always complex.
 * Input \p IN_T is a type of iq_types.h, such as gr_complex or an IQ pair of integers,
 * scaled to [-1, 1]; real integers are not scaled. \p TAP_T is gr_complex or float.
 *
 * Changes of frequency and taps take effect together between two calls of work(), at an
 * output that a tag "freq" marks, whose value is the centre frequency in Hz. The phase
 * goes on without a jump for symmetric filters. No sample is skipped or repeated, also
 * when the number of taps changes.
 *
 * Tags of the input pass as in gr::sync_decimator, but "rx_rate" and "rx_freq" get the
 * values of the output: the rate, and the frequency of 0 Hz. Once the input has had a tag
 * "rx_freq", a new one comes with each tag "freq".
 *
 * Message port:
 * - freq (input): a pair (any key . frequency in Hz) or a dict with the key "freq". Other
 *   messages, and frequencies that are not finite, are logged and dropped.
 *
 * The section [cldsp] of the preferences has device and plan, which replace the argument
 * "auto", and drivers, profile, kernel_path, cache_folder, queue_window,
 * longest_kernel_ms and device_timeout: see docs/blocks.md. An environment variable such
 * as GR_CONF_CLDSP_DEVICE takes precedence over the files.
 */
template <class IN_T, class TAP_T>
class CLDSP_API freq_xlating_fir_filter : virtual public filter_with_taps<TAP_T>
{
public:
    using sptr = std::shared_ptr<freq_xlating_fir_filter<IN_T, TAP_T>>;

    /*!
     * \param decimation input items per output, from 1 to what GNU Radio's buffer before
     *        the block holds: decimation + history() items take less than 2^30 bytes
     * \param taps the low-pass prototype at 0 Hz, one or more finite values
     * \param center_freq frequency in Hz that is shifted to 0 Hz, finite
     * \param sampling_freq rate of the input in Hz, finite and above 0
     * \param device "auto" (measured, the host included), "gpu", "cpu" (an OpenCL CPU
     *        device), "host", "P:D" (platform and device index) or part of a device's
     *        name
     * \param variant "auto" or a name from list_variants(); a name implies its
     *        algorithm
     * \param transfer "auto", "copy", "mapped" or "zero_copy"
     * \param algorithm "auto", "direct" or "fast_convolution"
     * \param accuracy how much fast convolution may change the frequency response,
     *        relative to the largest gain: 0 (only rounding) to 0.1
     * \param latency seconds of input that a call may bring, 0 to 10: the block asks for
     *        calls as long as its device needs within this bound, and for buffers of two
     *        such calls. It never waits for a call to fill
     * \param rewrite_tags whether the tags "rx_rate" and "rx_freq" of the input get the
     *        values of the output; if false, they pass as they are, as in gr::filter
     * \param plan "auto" (the preference [cldsp] plan, or: the block starts at once on
     * the host, measures while it runs, and moves to what is faster at an output) or
     *        "wait" (it is made when the fastest is known)
     * \throws std::invalid_argument naming the parameter, its value and the range; also
     *         for a named device that cannot be used
     */
    static sptr make(int decimation,
                     const std::vector<TAP_T>& taps,
                     double center_freq,
                     double sampling_freq,
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
//! freq_xlating_fir_filter_ccc, freq_xlating_fir_filter_ccf and so on.
#define CLDSP_NAMES(NAME, CAPITALS, LETTERS, ...)  \
    using freq_xlating_fir_filter_##LETTERS##c =   \
        freq_xlating_fir_filter<NAME, gr_complex>; \
    using freq_xlating_fir_filter_##LETTERS##f = freq_xlating_fir_filter<NAME, float>;
CLDSP_SAMPLE_TYPES(CLDSP_NAMES)
#undef CLDSP_NAMES

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_H */
