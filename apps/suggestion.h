// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Unknown words of a command line, and what they probably mean.

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

//! \throws std::invalid_argument if none of the names is this one. It begins with
//! \p complaint, and goes on with the name that is near, or else with all of them
void check_name(const std::string& complaint,
                const std::string& name,
                const std::vector<std::string>& names);

unknown_word find_unknown_word(const CLI::App& app,
                               const std::vector<std::string>& words);

} // namespace cldsp::app
