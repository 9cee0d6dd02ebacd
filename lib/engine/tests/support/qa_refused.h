// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asserts that bad arguments are refused by a message with the right words.

#pragma once

#include <cppunit/TestAssert.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

// Helpers that tests of bad arguments share.

namespace cldsp {

//! The text of the std::invalid_argument that \p action has to throw.
inline std::string refusal(const std::function<void()>& action)
{
    try {
        action();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    CPPUNIT_FAIL("nothing was refused");
    return "";
}

//! Asserts that a text contains each of the given words.
inline void assert_names(const std::string& text, const std::vector<std::string>& words)
{
    for (const auto& word : words)
        CPPUNIT_ASSERT_MESSAGE(text + " [does not name " + word + "]",
                               text.find(word) != std::string::npos);
}

//! Asserts that \p action is refused with a message that contains each of the words.
inline void assert_refused(const std::vector<std::string>& words,
                           const std::function<void()>& action)
{
    assert_names(refusal(action), words);
}

} // namespace cldsp
