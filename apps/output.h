// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the command prints: JSON, logs, and foreign texts made safe for a terminal.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/logger.h>

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <streambuf>
#include <string>

namespace cldsp::app {

//! Prints to the standard output, indented. Texts that are not valid UTF-8 are repaired.
void print_json(const nlohmann::ordered_json& value);

//! A logger that writes messages to the standard error, from this level on.
logger stderr_logger(log_level least = log_level::warning);
//! The level for that logger: all messages if \p verbose, else from \p usual on.
log_level least_level(bool verbose, log_level usual = log_level::warning);

//! The profiles of smaller devices, such as "vc4, v3d or cl12-min".
std::string lowering_profiles();

//! The options for every registry that the command makes.
context_options registry_options(const std::string& profile,
                                 log_level least = log_level::warning);

//! Runs an action. \throws std::runtime_error that says what the memory was for, if it
//! was not enough, besides what the action throws
template <class ACTION>
auto with_memory_for(const std::string& what, const ACTION& action)
{
    const auto fail = [&] {
        throw std::runtime_error("there is not enough memory for " + what);
    };
    try {
        return action();
    } catch (const std::bad_alloc&) {
        fail();
    } catch (const std::length_error&) { // more than any machine has
        fail();
    }
    throw std::logic_error("not reached");
}

//! The text without control characters, which would do something to a terminal. Only ends
//! of lines and tabulators stay.
std::string printable(const std::string& text);

//! Makes all that is written to the standard error printable(), as it may have names out
//! of files, as long as it exists.
class printable_errors : private std::streambuf
{
public:
    printable_errors();
    ~printable_errors() override;
    printable_errors(const printable_errors&) = delete;
    printable_errors& operator=(const printable_errors&) = delete;

private:
    int overflow(int c) override;
    std::streamsize xsputn(const char* text, std::streamsize count) override;
    int sync() override { return d_errors->pubsync(); }

    std::streambuf* d_errors;
};

//! The first line of a text, such as an error with the log of a compiler behind it.
std::string first_line(const std::string& text);

//! For example "1.23 TFLOP/s" for 1.23e12 and "FLOP/s", or "4.5 us" for 4.5e-6 and "s".
std::string quantity_text(double value, const std::string& unit);
//! For example "49152 B", "64 KiB" or "1.5 GiB".
std::string bytes_text(double bytes);

} // namespace cldsp::app
