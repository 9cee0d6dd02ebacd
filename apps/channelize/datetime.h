// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Times in UTC, as calendars, SigMF and the names of recordings write them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cldsp::app {

//! A time in UTC.
struct utc_time {
    std::int64_t seconds = 0;     //!< since 1970
    std::int32_t nanoseconds = 0; //!< 0 to 999999999
};
//! \param nanoseconds since 1970
utc_time utc_of(std::int64_t nanoseconds);

//! A date and a time of day, as a calendar and a clock show them.
struct calendar_time {
    int year = 1970, month = 1, day = 1; //!< a month and a day begin with 1
    int hour = 0, minute = 0, second = 0;
    std::int32_t nanoseconds = 0;
};
//! \return empty if there is no such date or time of day
std::optional<utc_time> utc_of(const calendar_time& at);

struct parsed_datetime {
    utc_time time;
    bool has_zone = true; //!< false: the text names no zone, and UTC is assumed
};
/*!
 * Reads a time as SigMF and the programs that write it do, by ISO 8601 and its relatives:
 * 2026-01-31T12:00:00.5Z, 2026-01-31 13:00:00+01:00 or 2026-01-31t12:00:00z. Digits
 * beyond nanoseconds are cut off.
 *
 * \return empty if \p text is no such time
 */
std::optional<parsed_datetime> parse_datetime(const std::string& text);

//! The time \p seconds later. \return empty if it is not in the years 0 to 9999
std::optional<utc_time> later(const utc_time& time, double seconds);

//! The time for SigMF with all nine digits of the nanoseconds; empty if it is not in the
//! years 0 to 9999.
std::string datetime_text(const utc_time& time);
//! The same with as few digits as the time needs.
std::string short_datetime_text(const utc_time& time);

/*!
 * A time that is \p seconds later than \p datetime, with nine digits of a second.
 *
 * \return an empty text if parse_datetime() does not know \p datetime
 */
std::string later_datetime(const std::string& datetime, double seconds);

} // namespace cldsp::app
