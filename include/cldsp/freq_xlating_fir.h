/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/logger.h>
#include <cldsp/phase.h>
#include <cldsp/sample_type.h>
#include <cldsp/span.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Where the phase of the rotator starts, and what a retune does to it.
enum class phase_reference {
    //! At -w (N - 1) / 2, the delay of a symmetric filter. A retune moves it by
    //! -(w_new - w_old) (N - 1) / 2, so that the output of such a filter goes on without
    //! a jump.
    group_delay,
    //! At 0, and a retune leaves it: the output is the mixed input, filtered.
    input
};

/*!
 * What a frequency-xlating decimating FIR filter shall compute.
 *
 * y[n] = exp(j p[n]) * sum_k h[k] exp(j w k) x[n D - k],  w = 2 pi fc / fs,
 * p[n] = -w D n - w (N - 1) / 2
 *
 * with x[m] = 0 for m < 0: the signal of GNU Radio's gr::filter::freq_xlating_fir_filter,
 * constant phase included, without its drift. With phase_reference::input it is that of
 * freq_xlating_fft_filter_ccc, p[n] = -w D n.
 */
struct freq_xlating_fir_problem {
    sample_type input = sample_type::fc32;
    std::size_t decimation = 1;            //!< D, 1 or more
    std::vector<std::complex<float>> taps; //!< h, the prototype at 0 Hz, N >= 1, finite
    double center_freq = 0;                //!< fc in Hz, any finite value
    double sampling_freq = 1;              //!< fs in Hz, finite and above 0
    phase_reference phase = phase_reference::group_delay;

    bool has_real_taps() const; //!< every imaginary part is zero
    //! Turns of one input sample at the centre frequency.
    phase64 step() const;
    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
};

//! \throws std::invalid_argument if \p taps is empty or has NaN or infinite values; it
//! calls them \p name
void check_taps(const std::vector<std::complex<float>>& taps,
                const std::string& name = "taps");
//! \throws std::invalid_argument if \p center_freq is not finite
void check_center_freq(double center_freq, const std::string& name = "center_freq");
//! \throws std::invalid_argument unless \p decimation is 1 or more, and \p sampling_freq
//! finite and above 0
void check_rates(std::size_t decimation, double sampling_freq);

//! Which engine shall compute; every text may be "auto".
struct freq_xlating_fir_options {
    std::string device = "auto"; //!< see find_devices()
    //! "direct" or "fast_convolution"; a variant implies its own.
    std::string algorithm = "auto";
    /*!
     * Fast convolution may change the frequency response by this much at any frequency,
     * relative to the largest gain: at 0, "exact", by nothing but rounding; else what the
     * filter lets through below it, in its stopband, may be left out. 0 to 0.1.
     */
    double accuracy = 1e-5;
    std::string variant = "auto";  //!< see freq_xlating_fir_variants()
    std::string transfer = "auto"; //!< "copy", "mapped" or "zero_copy"
    //! Input items a call typically brings: what "auto" measures with.
    std::size_t typical_items = 8192;
    //! Asked between the calls of a measurement; true ends the filter's construction with
    //! planning_stopped. Empty: nothing does.
    std::function<bool()> stopped;
    logger log;
};

//! Average times of the calls so far, in seconds.
struct run_statistics {
    std::uint64_t calls = 0;
    std::uint64_t outputs = 0;
    double kernel_time =
        0; //!< a call's kernels, from profiling events; host: its compute
    double transfer_time = 0; //!< a call's copies and maps; 0 on the host
};

//! What a call took and gave.
struct process_result {
    std::size_t consumed = 0; //!< input items, a multiple of the decimation
    std::size_t produced = 0; //!< outputs
};

//! A piece of host memory, such as a stream buffer, that calls' data lie in.
struct memory_region {
    const void* base = nullptr;
    std::size_t bytes = 0;
};

//! A variant's name and what it takes.
struct variant_info {
    std::string name;        //!< e.g. "float16_evenodd"
    std::string description; //!< one line
    bool host = false;       //!< runs on the host, not through OpenCL
    bool production = false; //!< takes every input type; the others are for comparison
    std::string algorithm = "direct"; //!< or "fast_convolution"
};

//! Every variant of every algorithm, the direct one's in the ladder's order.
const std::vector<variant_info>& freq_xlating_fir_variants();

/*!
 * The frequency-xlating decimating FIR filter on a device or the host.
 *
 * It holds the output rotator's phase and nothing else of the stream: each call brings
 * its own history. A device that fails while running is left for the host at the same
 * sample, with the reason logged. One thread at a time.
 */
class freq_xlating_fir
{
public:
    /*!
     * What the options leave open is chosen by a cost model and, where that is close, a
     * measurement of less than a second; the registry remembers the answer. Fewer than 8
     * taps are not worth one.
     *
     * \throws std::invalid_argument for a bad problem, an accuracy out of range, or an
     *         unknown or unfitting device, algorithm, variant or transfer, or an
     *         explicitly named device that cannot be used
     */
    freq_xlating_fir(const freq_xlating_fir_problem& problem,
                     const freq_xlating_fir_options& options,
                     context_registry& registry);
    ~freq_xlating_fir();
    freq_xlating_fir(freq_xlating_fir&&) noexcept;
    freq_xlating_fir& operator=(freq_xlating_fir&&) noexcept;

    /*!
     * Filters as much as fits.
     *
     * \param in input items, the first taps - 1 of which are the history: the items just
     *        before the first new one
     * \param in_items number of items, history included
     * \param out room for outputs
     */
    process_result
    process(const void* in, std::size_t in_items, span<std::complex<float>> out);

    /*!
     * Takes effect at the next output. The phase of the rotator moves as the problem's
     * phase_reference says. \throws std::invalid_argument
     */
    void set_center_freq(double center_freq);
    //! Takes effect at the next output; the phase stays. What computes was chosen for the
    //! first taps and stays as well: see is_outdated(). \throws std::invalid_argument
    void set_taps(const std::vector<std::complex<float>>& taps);
    /*!
     * Goes on with what \p fresh has chosen to compute with, at the next output:
     * frequency, taps and phase stay. Another thread can make \p fresh, of the same
     * problem, while this filter runs. The stream memory has to be told again.
     */
    void take_engine(freq_xlating_fir&& fresh);
    //! Back to the phase of a new stream.
    void reset();
    //! Steps the rotator over \p outputs outputs without computing them.
    void skip(std::uint64_t outputs);

    /*!
     * Tells where later calls' data lie, so that zero-copy transfers can wrap the memory
     * once. Regions stay valid until replaced or the filter ends; an empty one forgets
     * it.
     */
    void set_stream_memory(memory_region in, memory_region out);

    const freq_xlating_fir_problem& problem() const;
    phase64 phase() const; //!< of the next output

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< what really runs, never "auto"
    std::string
    transfer_name() const; //!< "copy", "mapped", "zero_copy", or "none" (host)
    /*!
     * One line: what was chosen, its rates as predicted and measured, the runner-up; e.g.
     * "fast_convolution/rows on host, block 512 rows: predicted 1200 MS/s, measured 1150
     * MS/s; next: direct/simd on host 690 MS/s". After a device was lost it says so.
     */
    std::string plan() const;
    //! The same choice as data; of no algorithm where a failed device left the filter to
    //! the host.
    const chosen_plan& chosen() const;
    run_statistics statistics() const;
    bool fell_back() const; //!< the device was lost and the host goes on

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

/*!
 * Whether a new filter of a problem would probably compute it clearly faster than one
 * that was made for other taps does: by the cost model, or because its plan was never
 * measured. It takes no longer than a prediction, so the new filter is made where this is
 * true, and freq_xlating_fir::take_engine() goes over to it. Any thread.
 *
 * \param plan the older filter's chosen()
 * \throws as the constructor of freq_xlating_fir
 */
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_fir_problem& problem,
                 const freq_xlating_fir_options& options,
                 context_registry& registry);

} // namespace cldsp
