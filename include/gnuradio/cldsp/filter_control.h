/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_CONTROL_H
#define INCLUDED_CLDSP_FILTER_CONTROL_H

#include <gnuradio/cldsp/api.h>
#include <cstddef>

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

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_CONTROL_H */
