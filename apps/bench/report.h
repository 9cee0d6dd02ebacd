/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "bench/workloads.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cldsp::app {

//! A table for a person, and below it what failed or was left out.
std::string text_of(const bench_table& table);
nlohmann::ordered_json json_of(const bench_table& table);
//! Whether everything that ran is right.
bool all_correct(const bench_table& table);

/*!
 * Draws reports as bars.
 *
 * It is checked before anything is measured that a file can be drawn: \throws
 * std::invalid_argument for another ending than .png or .svg; std::runtime_error where
 * there is no Python with matplotlib
 */
class bench_plot
{
public:
    explicit bench_plot(std::string file);
    //! \throws std::runtime_error with what Python says
    void draw(const nlohmann::ordered_json& report) const;

private:
    std::string d_file, d_python, d_script;
};

} // namespace cldsp::app
