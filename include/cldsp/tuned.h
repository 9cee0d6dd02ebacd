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

//! The key of a tuned answer, besides the problem.
struct tuning_place {
    std::string family; //!< of kernels
    std::string device; //!< name, platform, compute units and profile: not its index, so
                        //!< that equal devices of a machine, or of two, share answers
    std::string driver; //!< version
    std::string kernel; //!< hash of the source

    /*!
     * \param device with its limits as the profile of \p options lowers them
     * \param kernel_file see context::build()
     */
    tuning_place(std::string family,
                 const device_info& device,
                 const context_options& options,
                 const std::string& kernel_file);
    tuning_place() = default;
};

//! The kind of a tuner's answers in the wisdom.
constexpr const char* tuning_kind = "tuning";

//! The tuned values for a problem, or for the nearest one.
struct tuned_answer {
    tuning_values values;
    tuning_problem problem; //!< the problem that was tuned
    double seconds = 0;
    double default_seconds = 0; //!< infinity: the default failed
    bool confirmed = false;     //!< see tuning_result
    double distance = 0;        //!< 0: exactly this problem

    bool exact() const { return distance == 0; }
};

//! A tunable kernel of a device, whose answers can be stored.
class device_tunable : public tunable
{
public:
    virtual tuning_place place() const = 0;
    //! Builds the program of a point into the cache, where other processes find it.
    virtual void adopt(const tuning_point& point) = 0;
};

/*!
 * Stores the result of a tuning, unless it found no correct point. The result of a
 * stopped tuning does not replace that of a complete one.
 *
 * \return whether it was stored
 */
bool remember_tuning(wisdom& all,
                     const tuning_place& place,
                     const tuning_problem& problem,
                     const tuning_result& result);

//! Tunes a kernel, stores the result and adopts it. \throws as tune() does
tuning_result
tune_and_remember(device_tunable& kernel, const tuning_options& options, wisdom& all);

/*!
 * The tuned values for a problem, else those of the nearest one that was tuned for the
 * same place and type, with the same names of numbers.
 *
 * The distance of two problems is the root of the sum of the squares of log2((1 + a) /
 * (1 + b)) over their numbers a and b. A problem with a number more than 8 times larger
 * or smaller is not used. Of equally near problems the newer answer is taken.
 *
 * \param fits whether values can be used for this problem; if not, the next nearest are
 *        tried. Empty: all can
 */
std::optional<tuned_answer>
recall_tuning(wisdom& all,
              const tuning_place& place,
              const tuning_problem& problem,
              const std::function<bool(const tuning_values&)>& fits = {});

//! The distance as in recall_tuning(); empty: too far, or of another type.
std::optional<double> tuning_distance(const tuning_problem& a, const tuning_problem& b);

} // namespace cldsp
