/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_IMPL_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_IMPL_H

#include "freq_xlating_fir_stream.h"
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/sync_decimator.h>
#include <gnuradio/thread/thread.h>
#include <pmt/pmt.h>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! Where the engine of a block shall run; see freq_xlating_fir_filter::make().
struct engine_choice {
    std::string device;
    std::string variant;
    std::string transfer;
};

/*!
 * \brief The block behind freq_xlating_fir_filter and freq_xlating_fir_filter_volk, which
 * differ in their \p INTERFACE alone.
 */
template <class INTERFACE, class IN_T, class TAP_T>
class freq_xlating_fir_filter_impl : public INTERFACE
{
public:
    freq_xlating_fir_filter_impl(const std::string& name,
                                 int decimation,
                                 const std::vector<TAP_T>& taps,
                                 double center_freq,
                                 double sampling_freq,
                                 const engine_choice& choice);

    void set_center_freq(double center_freq) override;
    double center_freq() const override;
    void set_taps(const std::vector<TAP_T>& taps) override;
    std::vector<TAP_T> taps() const override;
    std::size_t max_taps() const override { return d_stream.max_taps(); }

    std::string device_name() const override;
    std::string variant_name() const override;
    std::string transfer_name() const override;
    double kernel_time_avg() const override;
    double transfer_time_avg() const override;
    bool fell_back() const override;

    bool check_topology(int ninputs, int noutputs) override;
    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;
    void setup_rpc() override;

private:
    void handle_freq(const pmt::pmt_t& message);
    template <class T>
    void add_engine_variable(const char* name,
                             T (engine_info::*getter)() const,
                             const pmt::pmt_t& initial,
                             const char* unit,
                             const char* description);

    gr::thread::scoped_lock lock() const;

    freq_xlating_fir_stream d_stream; // guarded by lock(), but for what is wanted of it
    const int d_batch;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_IMPL_H */
