// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The blocks that are filters of one channel, for each type of input and of taps.

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_IMPL_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_IMPL_H

#include "filter_block.h"
#include <gnuradio/cldsp/filter_control.h>
#include <gnuradio/sync_decimator.h>
#include <cldsp/filter_problem.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief A filter_block of one channel with taps of the type \p TAP_T, whatever its
//! input.
template <class TAP_T>
class fir_filter_block : public filter_block, virtual public filter_with_taps<TAP_T>
{
public:
    void set_center_freq(double center_freq) override;
    double center_freq() const override;
    double sampling_freq() const override { return d_stream.sampling_freq(); }
    std::size_t max_taps() const override { return d_stream.max_taps(); }
    void set_taps(const std::vector<TAP_T>& taps) override;
    std::vector<TAP_T> taps() const override;

protected:
    fir_filter_block(::cldsp::sample_type input,
                     int decimation,
                     const std::vector<TAP_T>& taps,
                     double center_freq,
                     double sampling_freq,
                     const engine_choice& choice,
                     bool rewrite_tags,
                     ::cldsp::phase_reference phase);
};

/*!
 * \brief The block behind freq_xlating_fir_filter, freq_xlating_fir_filter_volk and
 * freq_xlating_fft_filter. They differ only in their \p INTERFACE and their phase.
 */
template <class INTERFACE, class IN_T, class TAP_T>
class freq_xlating_fir_filter_impl : public INTERFACE, public fir_filter_block<TAP_T>
{
public:
    freq_xlating_fir_filter_impl(
        const std::string& name,
        int decimation,
        const std::vector<TAP_T>& taps,
        double center_freq,
        double sampling_freq,
        const engine_choice& choice,
        bool rewrite_tags,
        ::cldsp::phase_reference phase = ::cldsp::phase_reference::group_delay);
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_IMPL_H */
