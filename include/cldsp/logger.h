/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>
#include <string>

namespace cldsp {

enum class log_level { debug, info, warning, error };

/*!
 * The engine's reports. The engine never prints: the maker of an object passes a logger
 * in, and an empty logger keeps the object silent. It may be called from any thread.
 */
using logger = std::function<void(log_level, const std::string&)>;

//! Calls \p log if it is set.
inline void log_to(const logger& log, log_level level, const std::string& text)
{
    if (log)
        log(level, text);
}

} // namespace cldsp
