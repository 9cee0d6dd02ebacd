// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads times by ISO 8601 and its relatives, and computes with the calendar.

#include "channelize/datetime.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace cldsp::app {

namespace {

constexpr std::int32_t nanoseconds_per_second = 1000000000;
constexpr std::int64_t seconds_per_minute = 60, seconds_per_hour = 3600;

//! Reads a text from its beginning to its end.
class text_reader
{
public:
    explicit text_reader(const std::string& text) : d_text(text) {}

    bool at_end() const { return d_at == d_text.size(); }
    char next() const { return at_end() ? '\0' : d_text[d_at]; }
    //! Takes the next character if it is one of these.
    bool take(const char* any)
    {
        const bool is_one = next() != '\0' && std::string(any).find(next()) != npos;
        d_at += is_one ? 1 : 0;
        return is_one;
    }
    //! Takes a word, in capital or small letters.
    bool take_word(const std::string& word)
    {
        for (std::size_t i = 0; i < word.size(); i++)
            if (d_at + i >= d_text.size() || std::toupper(byte(d_at + i)) != word[i])
                return false;
        d_at += word.size();
        return true;
    }
    //! Takes exactly this many digits. \return -1 if there are fewer
    int number(std::size_t digits)
    {
        int value = 0;
        for (std::size_t i = 0; i < digits; i++, d_at++) {
            if (at_end() || !std::isdigit(byte(d_at)))
                return -1;
            value = 10 * value + (d_text[d_at] - '0');
        }
        return value;
    }
    //! Takes all digits that follow, as a fraction of a second. \return -1 without digits
    std::int32_t fraction()
    {
        if (at_end() || !std::isdigit(byte(d_at)))
            return -1;
        std::int32_t value = 0, unit = nanoseconds_per_second;
        for (; !at_end() && std::isdigit(byte(d_at)); d_at++) {
            unit /= 10;
            value += unit * (d_text[d_at] - '0');
        }
        return value;
    }

private:
    static constexpr auto npos = std::string::npos;
    unsigned char byte(std::size_t at) const
    {
        return static_cast<unsigned char>(d_text[at]);
    }

    const std::string& d_text;
    std::size_t d_at = 0;
};

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int month, int year)
{
    constexpr int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

//! Reads the zone at the end of a time. \return the seconds by which its clocks are ahead
//! of UTC; empty if this is no zone
std::optional<std::int64_t> zone(text_reader& in)
{
    if (in.take("zZ") || in.take_word("UTC") || in.take_word("GMT"))
        return 0;
    const bool is_behind = in.next() == '-';
    if (!in.take("+-"))
        return std::nullopt;
    const int hours = in.number(2);
    int minutes = 0, seconds = 0;
    if (!in.at_end()) {
        in.take(":");
        minutes = in.number(2);
    }
    if (!in.at_end()) {
        in.take(":");
        seconds = in.number(2);
    }
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 ||
        seconds > 59)
        return std::nullopt;
    const std::int64_t ahead =
        hours * seconds_per_hour + minutes * seconds_per_minute + seconds;
    return is_behind ? -ahead : ahead;
}

//! The text up to the whole seconds. \return empty if the year has not four digits
std::string whole_seconds(const utc_time& time)
{
    const auto since_1970 = static_cast<std::time_t>(time.seconds);
    std::tm parts = {};
    constexpr int first = -1900, last = 8099; // the years 0 and 9999 for std::tm
    if (since_1970 != time.seconds || !gmtime_r(&since_1970, &parts) ||
        parts.tm_year < first || parts.tm_year > last)
        return "";
    char text[80];
    std::snprintf(text,
                  sizeof text,
                  "%04d-%02d-%02dT%02d:%02d:%02d",
                  parts.tm_year + 1900,
                  parts.tm_mon + 1,
                  parts.tm_mday,
                  parts.tm_hour,
                  parts.tm_min,
                  parts.tm_sec);
    return text;
}

std::string nine_digits(std::int32_t nanoseconds)
{
    const std::string digits = std::to_string(nanoseconds);
    return std::string(9 - digits.size(), '0') + digits;
}

} // namespace

utc_time utc_of(std::int64_t nanoseconds)
{
    std::int64_t rest = nanoseconds % nanoseconds_per_second;
    rest += rest < 0 ? nanoseconds_per_second : 0;
    return { (nanoseconds - rest) / nanoseconds_per_second,
             static_cast<std::int32_t>(rest) };
}

std::optional<utc_time> utc_of(const calendar_time& at)
{
    // A clock shows a second of 60 when one is inserted.
    if (at.year < 0 || at.year > 9999 || at.month < 1 || at.month > 12 || at.day < 1 ||
        at.day > days_in(at.month, at.year) || at.hour < 0 || at.hour > 23 ||
        at.minute < 0 || at.minute > 59 || at.second < 0 || at.second > 60 ||
        at.nanoseconds < 0 || at.nanoseconds >= nanoseconds_per_second)
        return std::nullopt;
    std::tm parts = {};
    parts.tm_year = at.year - 1900;
    parts.tm_mon = at.month - 1;
    parts.tm_mday = at.day;
    parts.tm_hour = at.hour;
    parts.tm_min = at.minute;
    parts.tm_sec = at.second;
    return utc_time{ timegm(&parts), at.nanoseconds };
}

std::optional<parsed_datetime> parse_datetime(const std::string& text)
{
    text_reader in(text);
    calendar_time at;
    at.year = in.number(4);
    bool good = in.take("-");
    at.month = in.number(2);
    good = in.take("-") && good;
    at.day = in.number(2);
    good = in.take("Tt ") && good;
    at.hour = in.number(2);
    good = in.take(":") && good;
    at.minute = in.number(2);
    good = in.take(":") && good;
    at.second = in.number(2);
    if (in.take(".,"))
        at.nanoseconds = in.fraction();
    const auto local = good ? utc_of(at) : std::nullopt;
    if (!local)
        return std::nullopt;

    parsed_datetime found{ *local, true };
    in.take(" ");
    if (in.at_end()) {
        found.has_zone = false;
        return found;
    }
    const auto ahead = zone(in);
    if (!ahead || !in.at_end())
        return std::nullopt;
    found.time.seconds -= *ahead;
    return found;
}

std::optional<utc_time> later(const utc_time& time, double seconds)
{
    constexpr double most = 1e12; // more than 9999 years
    if (!(std::fabs(seconds) < most))
        return std::nullopt;
    const double whole = std::floor(seconds);
    utc_time moved = { time.seconds + static_cast<std::int64_t>(whole),
                       time.nanoseconds +
                           static_cast<std::int32_t>(std::llround(
                               (seconds - whole) * nanoseconds_per_second)) };
    if (moved.nanoseconds >= nanoseconds_per_second) {
        moved.nanoseconds -= nanoseconds_per_second;
        moved.seconds++;
    }
    return whole_seconds(moved).empty() ? std::nullopt : std::optional(moved);
}

std::string datetime_text(const utc_time& time)
{
    const std::string whole = whole_seconds(time);
    return whole.empty() ? "" : whole + "." + nine_digits(time.nanoseconds) + "Z";
}

std::string short_datetime_text(const utc_time& time)
{
    std::string text = whole_seconds(time);
    if (text.empty())
        return "";
    if (time.nanoseconds != 0) {
        text += "." + nine_digits(time.nanoseconds);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + "Z";
}

std::string later_datetime(const std::string& datetime, double seconds)
{
    const auto from = parse_datetime(datetime);
    const auto moved = from ? later(from->time, seconds) : std::nullopt;
    return moved ? datetime_text(*moved) : "";
}

} // namespace cldsp::app
