// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Prepares FFTW's threads as GNU Radio does, under the lock of GNU Radio.

#include "gnuradio_fftw.h"
#include <gnuradio/fft/fft.h>
#include <cldsp/fftw_planner.h>

// FFTW's functions for threads, which come with gr::fft if it was built with them. This
// library is not linked to them, so that these symbols are null if gr::fft has none. FFTW
// before 3.3.9 has no fftwf_planner_nthreads().
extern "C" {
int fftwf_init_threads(void) __attribute__((weak));
void fftwf_plan_with_nthreads(int nthreads) __attribute__((weak));
int fftwf_planner_nthreads(void) __attribute__((weak));
}

namespace gr {
namespace cldsp {

namespace {

/*!
 * The lock with which GNU Radio guards FFTW's planner.
 *
 * With threads FFTW has another set of solvers, and wisdom is valid for one set only. The
 * set is fixed when FFTW is first used. Therefore this lock prepares FFTW as gr::fft
 * would, in case the engine is the first user. Otherwise GNU Radio programs could not
 * read the wisdom that gr::fft writes after the engine has planned.
 */
class gnuradio_planner
{
public:
    void lock()
    {
        gr::fft::planner::mutex().lock();
        d_has_threads =
            fftwf_init_threads && fftwf_plan_with_nthreads && fftwf_init_threads() != 0;
        if (!d_has_threads)
            return;
        // The engine has its own threads, so FFTW must plan for one. gr::fft sets its
        // number again before each plan.
        d_threads = fftwf_planner_nthreads ? fftwf_planner_nthreads() : 1;
        fftwf_plan_with_nthreads(1);
    }
    void unlock()
    {
        if (d_has_threads)
            fftwf_plan_with_nthreads(d_threads);
        gr::fft::planner::mutex().unlock();
    }

private:
    // The lock guards these two members.
    bool d_has_threads = false;
    int d_threads = 1; // the number of threads that FFTW was set to before
};

} // namespace

void share_fftw_with_gnuradio()
{
    // The planner is never destroyed: filters may outlive the static objects of this
    // library.
    static auto* const planner = new gnuradio_planner;
    // It is no error if a program has passed the mutex of gr::fft itself.
    ::cldsp::share_fftw_planner(*planner, &gr::fft::planner::mutex());
}

} // namespace cldsp
} // namespace gr
