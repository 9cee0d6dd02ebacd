/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "freq_xlating/selection.h"

namespace cldsp {

/*!
 * As select_filter(), for a bank whose channels have different rates.
 *
 * There are two ways to compute it. Either each group of channels with one rate has an
 * executor of its own, chosen as that of a bank with a single decimation (see
 * rate_groups.h). Or fast convolution on the host shares one forward transform among all
 * channels (see host_multirate.h). If the options allow both, a call of each is measured.
 *
 * \throws std::invalid_argument for options that leave no way open
 */
filter_selection select_rates(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              context_registry& registry);

//! As host_instead(), for a bank whose channels have different rates.
filter_selection rates_on_host(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               const host_rates& rates,
                               const std::string& why);

} // namespace cldsp
