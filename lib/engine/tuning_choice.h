/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/tuning_space.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace cldsp {

//! A list's values, and one more, in ascending order.
tuning_parameter
with(std::string name, const std::set<std::int64_t>& values, std::int64_t one_more);

/*!
 * What a kernel is built with: \p suggested values, changed by the options'
 * tuning_defaults for the family, then by \p tuned. Values that do not fit are passed
 * over with a warning, each set as a whole.
 *
 * \param space_for the space in which such values have to be
 */
tuning_values
chosen_values(tuning_values suggested,
              const std::string& family,
              const context_options& options,
              const tuning_values& tuned,
              const std::function<tuning_space(const tuning_values&)>& space_for);

//! Values by what they were looked up for, in one line; those that are empty are left
//! out.
std::string tuned_text(const std::map<std::string, tuning_values>& found);

} // namespace cldsp
