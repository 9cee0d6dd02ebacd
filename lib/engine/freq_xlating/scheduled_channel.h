// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A channel whose frequency is a function of time.

#pragma once

#include "filter/frequency_schedule.h"
#include "freq_xlating/group_selection.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*!
 * A channel of a bank whose frequency is a function of time. The host mixes the input with
 * the frequency of each item, and filters the result at 0 Hz:
 *
 *     y[m] = sum_k h[k] x[i - k] exp(-j 2 pi phase(i - k)), i the newest item of output m
 *
 * While the frequency is constant, these are the outputs of the ordinary filter whose
 * rotator has the phase -phase(i).
 */
class scheduled_channel
{
public:
    /*!
     * \param channel the channel, whose frequency does not matter
     * \param schedule gives the frequency
     * \param options of the bank; the algorithm is respected, and the host computes
     */
    scheduled_channel(const filter_channel& channel,
                      const frequency_schedule& schedule,
                      const freq_xlating_filter_bank_options& options,
                      const host_rates& rates);

    frequency_schedule schedule;

    //! Takes new taps, and a schedule in place of the present one.
    void restart(const filter_channel& channel, const frequency_schedule& schedule);
    void set_taps(const shared_taps& taps);
    //! Whether the frequency is constant for all items that an output and the later ones
    //! need.
    //! \param newest the output's newest item
    bool is_constant_from(std::int64_t newest) const
    {
        return schedule.is_constant_from(newest - history());
    }

    /*!
     * Computes the outputs of a call.
     *
     * \param in the items of the call, of the channel's type
     * \param first the index of the first of them since the stream began
     * \param span the outputs of the call
     */
    void run(const void* in,
             std::int64_t first,
             const channel_span& span,
             std::complex<float>* out);

private:
    std::int64_t history() const
    {
        return static_cast<std::int64_t>(d_channel.items_of_output()) - 1;
    }

    sample_type d_input;
    filter_channel d_channel; // of mixed items, at 0 Hz
    filter_selection d_selected;
    std::vector<std::complex<float>> d_mixed;
};

} // namespace cldsp
