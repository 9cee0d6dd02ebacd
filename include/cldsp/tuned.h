/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/tuner.h>
#include <cldsp/wisdom.h>

#include <functional>
#include <optional>
#include <string>

namespace cldsp {

//! What a tuned answer holds for, besides the problem.
struct tuning_place {
    std::string family; //!< of kernels
    std::string device; //!< name, platform, compute units and profile: not its index, so
                        //!< that equal devices of a machine, or of two, share answers
    std::string driver; //!< version
    std::string kernel; //!< hash of the source

    /*!
     * \param device with its limits as the profile of \p options lowers them
     * \param kernel_file as context::build()'s
     */
    tuning_place(std::string family,
                 const device_info& device,
                 const context_options& options,
                 const std::string& kernel_file);
    tuning_place() = default;
};

//! The kind of the wisdom's answers that a tuner gives.
constexpr const char* tuning_kind = "tuning";

//! What was tuned for a problem, or for the nearest one.
struct tuned_answer {
    tuning_values values;
    tuning_problem problem; //!< that was tuned
    double seconds = 0;
    double default_seconds = 0; //!< infinity: the default failed
    bool confirmed = false;     //!< see tuning_result
    double distance = 0;        //!< 0: the very problem

    bool exact() const { return distance == 0; }
};

//! A tunable kernel of a device, whose answers can be kept.
class device_tunable : public tunable
{
public:
    virtual tuning_place place() const = 0;
    //! Builds the program of a point where other processes find it.
    virtual void adopt(const tuning_point& point) = 0;
};

/*!
 * Keeps what a tuning found; nothing if it found no right point. What a stopped tuning
 * found does not replace what a whole one did.
 *
 * \return whether it was kept
 */
bool remember_tuning(wisdom& all,
                     const tuning_place& place,
                     const tuning_problem& problem,
                     const tuning_result& result);

//! Tunes a kernel, keeps what was found, and adopts it. \throws as tune() does
tuning_result
tune_and_remember(device_tunable& kernel, const tuning_options& options, wisdom& all);

/*!
 * The tuned values for a problem, else those of the nearest one that was tuned for the
 * same place and type, with the same names of numbers.
 *
 * How far two problems are apart: each number counts the logarithm to base 2 of the
 * ratio, of numbers 1 larger, so that 0 is one; the distance is the root of the sum of
 * the squares. A problem with a number more than 8 times larger or smaller is none to go
 * by. Of equally near ones the younger answer is taken.
 *
 * \param fits whether values can be used for this problem; where not, the next nearest
 *        are asked for. Empty: all can
 */
std::optional<tuned_answer>
recall_tuning(wisdom& all,
              const tuning_place& place,
              const tuning_problem& problem,
              const std::function<bool(const tuning_values&)>& fits = {});

//! The distance as recall_tuning() has it; empty: too far, or of another sort.
std::optional<double> tuning_distance(const tuning_problem& a, const tuning_problem& b);

} // namespace cldsp
