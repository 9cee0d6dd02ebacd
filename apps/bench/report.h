// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A report as a table, as JSON and as a picture.

#pragma once

#include "bench/workloads.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cldsp::app {

//! The table as text for a person, followed by the candidates that failed or were left
//! out.
std::string text_of(const bench_table& table);
nlohmann::ordered_json json_of(const bench_table& table);
//! Whether all results of the table are right.
bool all_correct(const bench_table& table);
/*!
 * The devices that computed nothing: each of their kernels was refused or failed, or the
 * host computed in its place.
 *
 * \return for each of these devices a line for people, with the first reason
 */
std::vector<std::string> idle_devices(const std::vector<bench_table>& tables,
                                      const std::vector<device_info>& devices);

/*!
 * Draws reports as bars.
 *
 * The constructor checks that a file can be drawn, before anything is measured.
 * \throws std::invalid_argument if the file does not end in .png or .svg, or cannot be
 * written
 * \throws std::runtime_error if there is no Python with matplotlib
 */
class bench_plot
{
public:
    explicit bench_plot(std::string file);
    //! \throws std::runtime_error with the error message of Python
    void draw(const nlohmann::ordered_json& report) const;

private:
    std::string d_file, d_python, d_script;
};

} // namespace cldsp::app
