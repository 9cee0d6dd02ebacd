/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "freq_xlating_fir_filter_impl.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>
#include <gnuradio/io_signature.h>
#include <algorithm>
#include <exception>

namespace gr {
namespace cldsp {

namespace {

template <class TAP_T>
::cldsp::freq_xlating_fir_problem problem_of(::cldsp::sample_type input,
                                             int decimation,
                                             const std::vector<TAP_T>& taps,
                                             double center_freq,
                                             double sampling_freq)
{
    ::cldsp::freq_xlating_fir_problem problem;
    problem.input = input;
    problem.decimation = checked_decimation(decimation);
    problem.taps.assign(taps.begin(), taps.end());
    problem.center_freq = center_freq;
    problem.sampling_freq = sampling_freq;
    problem.check();
    return problem;
}

::cldsp::freq_xlating_fir_options options_of(const engine_choice& choice,
                                             std::size_t item_size,
                                             int decimation,
                                             double sampling_freq,
                                             const gr::logger_ptr& logger)
{
    const std::size_t d = checked_decimation(decimation);
    auto options = engine_options(choice.device, choice.variant, choice.transfer, logger);
    options.typical_items = typical_items(item_size, d, batch_outputs(sampling_freq, d));
    return options;
}

// A buffer's memory, both of its mappings, which follow each other; nothing where the
// buffer has just one.
::cldsp::memory_region region_of(gr::buffer& buffer)
{
    if (buffer.get_mapping_type() != gr::buffer_mapping_type::double_mapped)
        return {};
    return { buffer.base(), 2 * buffer.bufsize() * buffer.get_sizeof_item() };
}

} // namespace

template <class INTERFACE, class IN_T, class TAP_T>
freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::freq_xlating_fir_filter_impl(
    const std::string& name,
    int decimation,
    const std::vector<TAP_T>& taps,
    double center_freq,
    double sampling_freq,
    const engine_choice& choice)
    : gr::sync_decimator(name,
                         gr::io_signature::make(1, 1, sizeof(IN_T)),
                         gr::io_signature::make(1, 1, sizeof(gr_complex)),
                         checked_decimation(decimation)),
      d_stream(
          problem_of(
              item_traits<IN_T>::type, decimation, taps, center_freq, sampling_freq),
          options_of(choice, sizeof(IN_T), decimation, sampling_freq, this->d_logger),
          registry()),
      d_batch(batch_outputs(sampling_freq, checked_decimation(decimation)))
{
    // Set once: a change while running would shift the stream.
    this->set_history(d_stream.past_items() + 1);

    // Unlike an output multiple, an alignment may be missed: what is left at the end of a
    // stream, or comes slowly, is taken as it is.
    this->set_alignment(d_batch);

    const pmt::pmt_t port = pmt::intern("freq");
    this->message_port_register_in(port);
    this->set_msg_handler(port,
                          [this](const pmt::pmt_t& message) { handle_freq(message); });
}

// The runtime's lock for a block's parameters is not mutable, but getters need it as
// well.
template <class INTERFACE, class IN_T, class TAP_T>
gr::thread::scoped_lock freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::lock() const
{
    return gr::thread::scoped_lock(const_cast<gr::thread::mutex&>(this->d_setlock));
}

template <class INTERFACE, class IN_T, class TAP_T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::set_center_freq(
    double center_freq)
{
    d_stream.set_center_freq(center_freq);
}

template <class INTERFACE, class IN_T, class TAP_T>
double freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::center_freq() const
{
    return d_stream.center_freq();
}

template <class INTERFACE, class IN_T, class TAP_T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::set_taps(
    const std::vector<TAP_T>& taps)
{
    d_stream.set_taps({ taps.begin(), taps.end() });
}

template <class INTERFACE, class IN_T, class TAP_T>
std::vector<TAP_T> freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::taps() const
{
    auto taps = d_stream.taps();
    if constexpr (std::is_same_v<TAP_T, gr_complex>) {
        return taps;
    } else {
        std::vector<TAP_T> real;
        real.reserve(taps.size());
        for (const auto& tap : taps)
            real.push_back(tap.real());
        return real;
    }
}

template <class INTERFACE, class IN_T, class TAP_T>
std::string freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::device_name() const
{
    const auto guard = lock();
    return d_stream.engine().device_name();
}

template <class INTERFACE, class IN_T, class TAP_T>
std::string freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::variant_name() const
{
    const auto guard = lock();
    return d_stream.engine().variant_name();
}

template <class INTERFACE, class IN_T, class TAP_T>
std::string freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::transfer_name() const
{
    const auto guard = lock();
    return d_stream.engine().transfer_name();
}

template <class INTERFACE, class IN_T, class TAP_T>
double freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::kernel_time_avg() const
{
    const auto guard = lock();
    return d_stream.engine().statistics().kernel_time;
}

template <class INTERFACE, class IN_T, class TAP_T>
double freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::transfer_time_avg() const
{
    const auto guard = lock();
    return d_stream.engine().statistics().transfer_time;
}

template <class INTERFACE, class IN_T, class TAP_T>
bool freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::fell_back() const
{
    const auto guard = lock();
    return d_stream.engine().fell_back();
}

// An exception in a message handler would end the block's thread and hang the flowgraph.
template <class INTERFACE, class IN_T, class TAP_T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::handle_freq(
    const pmt::pmt_t& message)
{
    try {
        if (const auto frequency = message_frequency(message))
            set_center_freq(*frequency);
        else
            this->d_logger->warn("message on port freq dropped: {} carries no frequency",
                                 pmt::write_string(message));
    } catch (const std::exception& e) {
        this->d_logger->error("message on port freq dropped: {}", e.what());
    }
}

// Called before the buffers are allocated. Who limits the block's buffer or its calls
// wants short ones.
template <class INTERFACE, class IN_T, class TAP_T>
bool freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::check_topology(int ninputs,
                                                                          int noutputs)
{
    if (this->alignment() == d_batch && !this->output_multiple_set()) {
        int batch = d_batch;
        if (this->max_output_buffer(0) > 0)
            batch = std::min<long>(batch, this->max_output_buffer(0) / 2);
        if (this->is_set_max_noutput_items())
            batch = std::min(batch, this->max_noutput_items());
        this->set_alignment(std::max(1, batch));
    }
    return INTERFACE::check_topology(ninputs, noutputs);
}

template <class INTERFACE, class IN_T, class TAP_T>
bool freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::start()
{
    const auto guard = lock();
    const auto detail = this->detail();
    d_stream.start(region_of(*detail->input(0)->buffer()), region_of(*detail->output(0)));
    return true;
}

template <class INTERFACE, class IN_T, class TAP_T>
bool freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::stop()
{
    const auto guard = lock();
    d_stream.stop();
    return true;
}

template <class INTERFACE, class IN_T, class TAP_T>
int freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::work(
    int noutput_items,
    gr_vector_const_void_star& input_items,
    gr_vector_void_star& output_items)
{
    const auto guard = lock();
    try {
        if (d_stream.apply_changes())
            this->add_item_tag(0,
                               this->nitems_written(0),
                               pmt::intern("freq"),
                               pmt::from_double(d_stream.engine().problem().center_freq),
                               this->alias_pmt());
        return static_cast<int>(d_stream.process(
            input_items[0], noutput_items, static_cast<gr_complex*>(output_items[0])));
    } catch (const std::exception& e) {
        this->d_logger->error("the stream ends here: {}", e.what());
        return gr::block::WORK_DONE;
    }
}

template <class INTERFACE, class IN_T, class TAP_T>
template <class T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::add_engine_variable(
    const char* name,
    T (engine_info::*getter)() const,
    const pmt::pmt_t& initial,
    const char* unit,
    const char* description)
{
#ifdef GR_CTRLPORT
    this->add_rpc_variable(
        rpcbasic_sptr(new rpcbasic_register_get<engine_info, T>(this->alias(),
                                                                name,
                                                                getter,
                                                                initial,
                                                                initial,
                                                                initial,
                                                                unit,
                                                                description,
                                                                RPC_PRIVLVL_MIN,
                                                                DISPTIME)));
#else
    static_cast<void>(name), static_cast<void>(getter), static_cast<void>(initial);
    static_cast<void>(unit), static_cast<void>(description);
#endif
}

template <class INTERFACE, class IN_T, class TAP_T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::setup_rpc()
{
    const auto text = pmt::mp("");
    const auto seconds = pmt::mp(0.0);
    add_engine_variable("device_name", &engine_info::device_name, text, "", "Device");
    add_engine_variable("variant_name", &engine_info::variant_name, text, "", "Kernel");
    add_engine_variable(
        "transfer_name", &engine_info::transfer_name, text, "", "Transfer");
    add_engine_variable("kernel_time_avg",
                        &engine_info::kernel_time_avg,
                        seconds,
                        "s",
                        "Average computing time of a call");
    add_engine_variable("transfer_time_avg",
                        &engine_info::transfer_time_avg,
                        seconds,
                        "s",
                        "Average time of a call's copies and maps");
}

#define INSTANTIATE(BLOCK, IN_T)                                                  \
    template class freq_xlating_fir_filter_impl<BLOCK<IN_T, float>, IN_T, float>; \
    template class freq_xlating_fir_filter_impl<BLOCK<IN_T, gr_complex>,          \
                                                IN_T,                             \
                                                gr_complex>;

INSTANTIATE(freq_xlating_fir_filter, gr_complex)
INSTANTIATE(freq_xlating_fir_filter, float)
INSTANTIATE(freq_xlating_fir_filter, std::int16_t)
INSTANTIATE(freq_xlating_fir_filter, cu8)
INSTANTIATE(freq_xlating_fir_filter, cs8)
INSTANTIATE(freq_xlating_fir_filter, cs16)
INSTANTIATE(freq_xlating_fir_filter_volk, gr_complex)
INSTANTIATE(freq_xlating_fir_filter_volk, float)
INSTANTIATE(freq_xlating_fir_filter_volk, std::int16_t)

} // namespace cldsp
} // namespace gr
