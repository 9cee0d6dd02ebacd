// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes the engine and GNU Radio share FFTW's planner.

#ifndef INCLUDED_CLDSP_GNURADIO_FFTW_H
#define INCLUDED_CLDSP_GNURADIO_FFTW_H

namespace gr {
namespace cldsp {

/*!
 * Makes the engine plan with FFTW as GNU Radio does: under the lock of gr::fft, and with
 * FFTW prepared as gr::fft prepares it. Must be called before the first filter of the
 * engine is made. Any thread may call it, any number of times.
 */
void share_fftw_with_gnuradio();

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GNURADIO_FFTW_H */
