// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The steps after the bank: resampler, squelch, gain control and band-edge FLL.

#include "bank_channelizer.h"
#include "refuse.h"
#include <gnuradio/digital/fll_band_edge_cc.h>
#include <gnuradio/filter/pfb_arb_resampler_ccf.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <cmath>
#include <stdexcept>

namespace trunk_recorder {

namespace {

constexpr double pi = 3.14159265358979323846;

constexpr double agc_weight = 0.45, agc_reference = 0.85;
// Keeps silence from being divided by 0.
constexpr float agc_floor = 1e-18f;
constexpr double open_squelch_db = -200;
constexpr double slow_squelch = 1e-4, fast_squelch = 0.01;
constexpr int squelch_ramp = 10;

/*!
 * Divides each sample by the level around it: the root of the mean power, in which every
 * sample has the weight \p weight against those before it. A signal of constant level
 * comes out at the level \p reference.
 */
class level_control : public gr::sync_block
{
public:
    level_control(double weight, double reference)
        : gr::sync_block("level_control",
                         gr::io_signature::make(1, 1, sizeof(gr_complex)),
                         gr::io_signature::make(1, 1, sizeof(gr_complex))),
          d_weight(weight),
          d_scale(static_cast<float>(1 / reference))
    {
    }

    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override
    {
        const auto* in = static_cast<const gr_complex*>(input_items[0]);
        auto* out = static_cast<gr_complex*>(output_items[0]);
        for (int i = 0; i < noutput_items; i++) {
            d_power += d_weight * (std::norm(in[i]) - d_power);
            out[i] =
                in[i] / (static_cast<float>(std::sqrt(d_power)) * d_scale + agc_floor);
        }
        return noutput_items;
    }

private:
    const double d_weight;
    const float d_scale;
    double d_power = 0;
};

} // namespace

/*!
 * GNU Radio's band-edge FLL, whose setters may be called while it works. By itself it
 * replaces its filters while the thread of the flowgraph reads them.
 */
class locked_fll : public gr::sync_block
{
public:
    locked_fll(int samples_per_symbol, double excess_bw)
        : gr::sync_block("locked_fll",
                         gr::io_signature::make(1, 1, sizeof(gr_complex)),
                         gr::io_signature::make(1, 1, sizeof(gr_complex))),
          d_fll(gr::digital::fll_band_edge_cc::make(
              static_cast<float>(samples_per_symbol),
              static_cast<float>(excess_bw),
              2 * samples_per_symbol + 1,
              static_cast<float>(2 * pi / samples_per_symbol / 250)))
    {
        set_history(d_fll->history());
    }

    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override
    {
        const gr::thread::scoped_lock guard(d_setlock);
        return d_fll->work(noutput_items, input_items, output_items);
    }

    double frequency()
    {
        const gr::thread::scoped_lock guard(d_setlock);
        return d_fll->get_frequency();
    }
    void set_samples_per_symbol(int samples_per_symbol)
    {
        const gr::thread::scoped_lock guard(d_setlock);
        d_fll->set_samples_per_symbol(static_cast<float>(samples_per_symbol));
    }

private:
    const gr::digital::fll_band_edge_cc::sptr d_fll;
};

bank_channelizer::sptr bank_channelizer::make(channel_bank::sptr channels,
                                              double input_rate,
                                              int samples_per_symbol,
                                              double symbol_rate,
                                              double bandwidth,
                                              double center_freq,
                                              bool use_squelch,
                                              double excess_bw,
                                              bool use_fll)
{
    if (!channels)
        refuse("channels", "null", "the bank of the source");
    if (input_rate != channels->input_rate())
        refuse("input_rate",
               input_rate,
               std::to_string(channels->input_rate()) + " Hz, that of the bank");
    if (!std::isfinite(center_freq))
        refuse("center_freq", center_freq, "finite");
    if (!(excess_bw >= 0 && excess_bw <= 1))
        refuse("excess_bw", excess_bw, "0 to 1");
    const channel_plan plan(input_rate, samples_per_symbol, symbol_rate, bandwidth);
    return gnuradio::get_initial_sptr(
        new bank_channelizer(std::move(channels), plan, use_squelch, excess_bw, use_fll));
}

bank_channelizer::bank_channelizer(channel_bank::sptr channels,
                                   const channel_plan& plan,
                                   bool use_squelch,
                                   double excess_bw,
                                   bool use_fll)
    : gr::hier_block2("bank_channelizer",
                      gr::io_signature::make(1, 1, sizeof(gr_complex)),
                      gr::io_signature::make(1, 1, sizeof(gr_complex))),
      d_channels(std::move(channels)),
      d_plan(plan),
      d_channel(
          d_channels->add_channel(plan.joint_taps(plan.second_taps()), plan.decimation()))
{
    gr::basic_block_sptr last = self();
    const auto append = [&](const gr::basic_block_sptr& next) {
        connect(last, 0, next, 0);
        last = next;
    };
    if (plan.resamples())
        append(gr::filter::pfb_arb_resampler_ccf::make(
            static_cast<float>(plan.channel_rate() / plan.filtered_rate()),
            plan.resampler_taps()));
    if (use_squelch) {
        d_squelch = power_squelch::make(open_squelch_db, slow_squelch, 0, true);
        append(d_squelch);
    }
    append(gnuradio::make_block_sptr<level_control>(agc_weight, agc_reference));
    if (use_fll) {
        d_fll =
            gnuradio::make_block_sptr<locked_fll>(plan.samples_per_symbol(), excess_bw);
        append(d_fll);
    }
    connect(last, 0, self(), 0);
}

bank_channelizer::~bank_channelizer() { d_channels->set_enabled(d_channel, false); }

void bank_channelizer::set_enabled(bool enabled)
{
    d_channels->set_enabled(d_channel, enabled);
}

bool bank_channelizer::is_enabled() const { return d_channels->enabled(d_channel); }

int bank_channelizer::get_freq_error()
{
    if (!d_fll)
        return 0;
    return static_cast<int>(d_fll->frequency() / (2 * pi) * d_plan.channel_rate());
}

bool bank_channelizer::is_squelched() { return !d_squelch || !d_squelch->is_open(); }

double bank_channelizer::get_pwr()
{
    return d_squelch ? d_squelch->power_db() : unknown_power;
}

void bank_channelizer::tune_offset(double f)
{
    if (!std::isfinite(f))
        refuse("f", f, "a finite number of Hz");
    d_channels->set_center_freq(d_channel, -f);
}

void bank_channelizer::set_samples_per_symbol(int samples_per_symbol)
{
    if (samples_per_symbol < 1)
        refuse("samples_per_symbol", samples_per_symbol, "1 or more");
    if (d_fll)
        d_fll->set_samples_per_symbol(samples_per_symbol);
}

void bank_channelizer::set_squelch_db(double squelch_db)
{
    if (!std::isfinite(squelch_db))
        refuse("squelch_db", squelch_db, "a finite number of dB");
    if (d_squelch)
        d_squelch->set_threshold(squelch_db);
}

void bank_channelizer::set_analog_squelch(bool analog_squelch)
{
    if (!d_squelch)
        return;
    d_squelch->set_weight(analog_squelch ? fast_squelch : slow_squelch);
    d_squelch->set_ramp(analog_squelch ? squelch_ramp : 0);
    d_squelch->set_gate(!analog_squelch);
}

void bank_channelizer::set_max_dev(double max_dev)
{
    d_channels->set_taps(d_channel, d_plan.joint_taps(d_plan.second_taps(max_dev)));
}

} // namespace trunk_recorder
