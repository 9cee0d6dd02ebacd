// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A squelch that opens while the mean power is at a threshold or above it.

#ifndef INCLUDED_TRUNK_RECORDER_POWER_SQUELCH_H
#define INCLUDED_TRUNK_RECORDER_POWER_SQUELCH_H

#include <gnuradio/block.h>
#include <memory>

namespace trunk_recorder {

/*!
 * \brief A squelch that opens while the mean power is at a threshold or above it.
 *
 * It does what GNU Radio's pwr_squelch_cc does, its tags squelch_sob and squelch_eob
 * included, and returns the power. trunk-recorder has a changed class of that name, so
 * that a file which uses GNU Radio's class cannot be a part of that program.
 */
class power_squelch : public gr::block
{
public:
    using sptr = std::shared_ptr<power_squelch>;

    //! \param threshold_db,weight,ramp,gate as the setters take them
    static sptr make(double threshold_db, double weight, int ramp, bool gate);

    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

    //! \param threshold_db finite, relative to a power of 1
    void set_threshold(double threshold_db);
    //! \param weight of a sample in the mean power against those before, above 0 to 1
    void set_weight(double weight);
    //! \param ramp the number of samples over which the signal rises and falls, 0 or more
    void set_ramp(int ramp);
    //! \param gate whether a closed squelch gives nothing; else it gives zeros
    void set_gate(bool gate);

    bool is_open();
    //! The mean power in dB.
    double power_db();

private:
    enum class state { closed, rising, open, falling };

    power_squelch(double threshold_db, double weight, int ramp, bool gate);

    double gain_of_next(double power);

    double d_threshold, d_weight;
    int d_ramp;
    bool d_gate;
    double d_power = 0, d_gain = 0;
    int d_step = 0; //!< of the ramp
    state d_state = state::closed;
};

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_POWER_SQUELCH_H */
