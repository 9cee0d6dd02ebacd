/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>
#include <string>

namespace cldsp::app {

//! How a call in a process of its own ended.
struct isolated_result {
    enum class ending { answered, crashed, timed_out };
    ending how = ending::crashed;
    std::string text; //!< the answer; else what happened, in words

    bool answered() const { return how == ending::answered; }
};

/*!
 * Calls something that may crash or hang, such as a broken driver, in a child process.
 * What it prints is lost. An exception is a crash whose text is the exception's.
 *
 * \param seconds after which it counts as hanging and is ended
 */
isolated_result call_isolated(const std::function<std::string()>& call, double seconds);

} // namespace cldsp::app
