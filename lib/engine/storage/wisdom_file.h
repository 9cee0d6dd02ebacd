/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/wisdom.h>

#include <stdexcept>
#include <string>

namespace cldsp {

//! What a text of the file's format holds.
struct wisdom_file {
    wisdom::content content;
    std::string fault;  //!< why nothing of it can be used; empty: it can
    bool newer = false; //!< that is because a newer version wrote it
};

//! Odd entries are left out: those of another shape, longer than
//! wisdom::max_answer_bytes or nested deeper than wisdom::max_depth.
wisdom_file parse_wisdom(const std::string& bytes);
std::string print_wisdom(const wisdom::content& all);

//! Whether the brackets of a text in JSON are nested deeper than wisdom::max_depth. What
//! is prints and destroys such values calls itself once a level, and would end the
//! process.
bool is_too_deep(const std::string& text);

//! Thrown where a file must not be replaced.
class newer_wisdom : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

} // namespace cldsp
