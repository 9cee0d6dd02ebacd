/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fft/fftw_memory.h"

#include "fft/fftw_plan.h"
#include "storage/host_identity.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace cldsp {

namespace {

constexpr const char* kind = "fftw";

//! FFTW writes its entries in any order.
std::vector<std::string> sorted_lines(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
}

/*!
 * The key of FFTW's measurements. FFTW takes none of another version or another set of
 * solvers, and programs differ in their sets: GNU Radio's have FFTW use threads. Each
 * keeps its own under a key of its own, instead of replacing the others'.
 */
std::string key_of(const std::string& text)
{
    return host_identity() + ", " + text.substr(0, text.find('\n'));
}

} // namespace

fftw_memory::fftw_memory(context_registry& registry) : d_registry(registry)
{
    const auto key = key_of(export_fftw_wisdom());
    d_known = registry.remembered(key, kind);
    if (!d_known.empty() && !import_fftw_wisdom(d_known)) {
        registry.forget(key, kind);
        d_known.clear();
    }
}

void fftw_memory::save()
{
    const auto text = export_fftw_wisdom();
    if (sorted_lines(text) == sorted_lines(d_known))
        return;
    d_registry.remember(key_of(text), text, kind);
    d_known = text;
}

} // namespace cldsp
