// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The unknown word of a command line, and what it probably means.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cldsp::app {

//! The first word of a command line that is no command and no option.
struct unknown_word {
    std::string word; //!< empty: there is none
    bool is_command = false;
    std::string meant; //!< the command or option that is near; empty: none is
};

unknown_word find_unknown_word(const CLI::App& app,
                               const std::vector<std::string>& words);

} // namespace cldsp::app
