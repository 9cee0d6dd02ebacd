// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The function that receives the engine's messages.

#pragma once

#include <functional>
#include <string>

namespace cldsp {

enum class log_level { debug, info, warning, error };

/*!
 * A function that receives the engine's reports. The engine never prints: whoever makes
 * an object passes a logger to it, and with an empty logger the object is silent. A
 * logger may be called from any thread.
 */
using logger = std::function<void(log_level, const std::string&)>;

//! Calls \p log if it is set.
inline void log_to(const logger& log, log_level level, const std::string& text)
{
    if (log)
        log(level, text);
}

} // namespace cldsp
