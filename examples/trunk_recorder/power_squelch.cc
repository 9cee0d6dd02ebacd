// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Follows the power, fades the signal in and out, and tags where it begins and ends.

#include "power_squelch.h"
#include <gnuradio/io_signature.h>
#include <algorithm>
#include <cmath>

namespace trunk_recorder {

namespace {

constexpr double pi = 3.14159265358979323846;

double power_of(double db) { return std::pow(10, db / 10); }

} // namespace

power_squelch::sptr
power_squelch::make(double threshold_db, double weight, int ramp, bool gate)
{
    return gnuradio::get_initial_sptr(
        new power_squelch(threshold_db, weight, ramp, gate));
}

power_squelch::power_squelch(double threshold_db, double weight, int ramp, bool gate)
    : gr::block("power_squelch",
                gr::io_signature::make(1, 1, sizeof(gr_complex)),
                gr::io_signature::make(1, 1, sizeof(gr_complex))),
      d_threshold(power_of(threshold_db)),
      d_weight(weight),
      d_ramp(ramp),
      d_gate(gate)
{
}

int power_squelch::general_work(int noutput_items,
                                gr_vector_int& ninput_items,
                                gr_vector_const_void_star& input_items,
                                gr_vector_void_star& output_items)
{
    const auto* in = static_cast<const gr_complex*>(input_items[0]);
    auto* out = static_cast<gr_complex*>(output_items[0]);
    const int items = std::min(noutput_items, ninput_items[0]);
    const gr::thread::scoped_lock guard(d_setlock);
    int given = 0;
    for (int i = 0; i < items; i++) {
        d_power += d_weight * (std::norm(in[i]) - d_power);
        const double gain = gain_of_next(d_power);
        if (d_state != state::closed || !d_gate)
            out[given++] = in[i] * static_cast<float>(gain);
    }
    consume_each(items);
    return given;
}

// Moves on by one sample. A ramp that has begun goes to its end.
double power_squelch::gain_of_next(double power)
{
    const bool is_loud = power >= d_threshold;
    const auto gain_of_ramp = [&] { return 0.5 - std::cos(pi * d_step / d_ramp) / 2; };
    switch (d_state) {
    case state::closed:
        if (is_loud) {
            d_state = d_ramp > 0 ? state::rising : state::open;
            d_step = 0;
            d_gain = d_ramp > 0 ? 0 : 1;
        }
        break;
    case state::rising:
        if (++d_step >= d_ramp) {
            d_state = state::open;
            d_gain = 1;
        } else {
            d_gain = gain_of_ramp();
        }
        break;
    case state::open:
        if (!is_loud) {
            d_state = d_ramp > 0 ? state::falling : state::closed;
            d_step = d_ramp;
        }
        break;
    case state::falling:
        d_step = std::min(d_step - 1, d_ramp - 1);
        if (d_step <= 0)
            d_state = state::closed;
        else
            d_gain = gain_of_ramp();
        break;
    }
    if (d_state == state::closed)
        d_gain = 0;
    return d_gain;
}

void power_squelch::set_threshold(double threshold_db)
{
    const gr::thread::scoped_lock guard(d_setlock);
    d_threshold = power_of(threshold_db);
}

void power_squelch::set_weight(double weight)
{
    const gr::thread::scoped_lock guard(d_setlock);
    d_weight = weight;
}

void power_squelch::set_ramp(int ramp)
{
    const gr::thread::scoped_lock guard(d_setlock);
    d_ramp = ramp;
}

void power_squelch::set_gate(bool gate)
{
    const gr::thread::scoped_lock guard(d_setlock);
    d_gate = gate;
}

bool power_squelch::is_open()
{
    const gr::thread::scoped_lock guard(d_setlock);
    return d_state == state::open || d_state == state::rising;
}

double power_squelch::power_db()
{
    const gr::thread::scoped_lock guard(d_setlock);
    return 10 * std::log10(d_power);
}

} // namespace trunk_recorder
