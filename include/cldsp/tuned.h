// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tuned values in the wisdom: their key, and the search for the nearest problem.

#pragma once

#include <cldsp/context.h>
#include <cldsp/tuner.h>
#include <cldsp/wisdom.h>

#include <functional>
#include <optional>
#include <string>

namespace cldsp {

//! The device and the kernel for which values were tuned. Together with a tuning_problem
//! it is the key of a stored result.
struct tuning_place {
    std::string family; //!< the kernel family
    std::string device; //!< name, platform, compute units and profile; not the index, so
                        //!< that equal devices share results, also between machines
    std::string driver; //!< the driver's version
    std::string kernel; //!< a hash of the kernel's source

    /*!
     * \param family the kernel family
     * \param device the device, its limits lowered to the profile of \p options
     * \param options have the profile and the folder of the kernels
     * \param kernel_file see context::build()
     */
    tuning_place(std::string family,
                 const device_info& device,
                 const context_options& options,
                 const std::string& kernel_file);
    tuning_place() = default;
};

//! The name of the kind under which the wisdom stores tuned values.
constexpr const char* tuning_kind = "tuning";

//! The tuned values for a problem, or for the nearest one.
struct tuned_answer {
    tuning_values values;
    tuning_problem problem; //!< the problem that was tuned
    double seconds = 0;
    double default_seconds = 0; //!< infinity: the default failed
    bool confirmed = false;     //!< see tuning_result
    double distance = 0;        //!< see recall_tuning(); 0: the same problem

    bool exact() const { return distance == 0; }
};

//! A tunable kernel of a device, whose tuned values can be stored.
class device_tunable : public tunable
{
public:
    virtual tuning_place place() const = 0;
    //! Builds the program with the values of a point, so that the cache on disk has it
    //! for other processes.
    virtual void adopt(const tuning_point& point) = 0;
};

/*!
 * Stores the result of a tuning, unless the tuning found no correct point. The result of
 * a tuning that was stopped does not replace the result of a complete one.
 *
 * \return whether the result was stored
 */
bool remember_tuning(wisdom& all,
                     const tuning_place& place,
                     const tuning_problem& problem,
                     const tuning_result& result);

//! Tunes a kernel, stores the result, and calls device_tunable::adopt() for it.
//! \throws std::invalid_argument as tune() does
tuning_result
tune_and_remember(device_tunable& kernel, const tuning_options& options, wisdom& all);

/*!
 * The tuned values for a problem. If it was never tuned, they are the values for the
 * nearest problem of the same tuning_place and type whose numbers have the same names.
 *
 * The distance of two problems is the root of the sum of the squares of log2((1 + a) /
 * (1 + b)) over their numbers a and b. A problem with a number more than 8 times larger
 * or smaller is not used. Of equally near problems the newer result is taken.
 *
 * \param all the wisdom that is searched
 * \param place the device and the kernel
 * \param problem the problem that the values are for
 * \param fits tells whether values can be used for this problem; if not, the values for
 *        the next nearest problem are tried. Empty: all values can be used
 */
std::optional<tuned_answer>
recall_tuning(wisdom& all,
              const tuning_place& place,
              const tuning_problem& problem,
              const std::function<bool(const tuning_values&)>& fits = {});

//! The distance of two problems, see recall_tuning(); empty: they are too far apart, or
//! of different types.
std::optional<double> tuning_distance(const tuning_problem& a, const tuning_problem& b);

} // namespace cldsp
