// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The beginning of a message as one short line for the log.

#ifndef INCLUDED_CLDSP_MESSAGE_TEXT_H
#define INCLUDED_CLDSP_MESSAGE_TEXT_H

#include <pmt/pmt.h>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * The beginning of a message, as one log line of about a hundred characters.
 *
 * A message may hold millions of values, or lists nested so deeply that
 * pmt::write_string() would overflow the stack. This function reads only the part that it
 * prints.
 */
std::string message_text(const pmt::pmt_t& message);

//! The beginning of a foreign text, on one line and without control characters.
//! \param most the largest number of bytes that are taken from \p text
std::string beginning_of(const std::string& text, std::size_t most = 100);

//! The longest part of an error text that is logged for a message. The text may quote the
//! message, which can be long.
constexpr std::size_t max_error_characters = 400;

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_MESSAGE_TEXT_H */
