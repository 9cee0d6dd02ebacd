// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A tunable kernel that is only a formula, with a best point that is known.

#pragma once

#include <cldsp/tuner.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

namespace cldsp {

/*!
 * A kernel that is only a formula: the time of a register-tiled matrix product on a GPU
 * with 20 compute units, as a function of 7 parameters with 20 000 combinations.
 *
 * The parameters interact as those of real kernels do. The sides of the tile share
 * registers, which spill beyond their number. Work-group, chunk and stages share local
 * memory, beyond which the kernel does not start. Vectors that do not divide the tile
 * fall back to scalar loads. The last wave of groups may leave most of the device idle.
 * The time of every point also has an arbitrary deviation of up to 3 %.
 */
class synthetic_kernel : public tunable
{
public:
    synthetic_kernel()
        : d_space({ { "rows", { 1, 2, 4, 8, 16 } },
                    { "columns", { 1, 2, 4, 8, 16 } },
                    { "chunk", { 8, 16, 32, 64, 128 } },
                    { "width", { 1, 2, 4, 8 } },
                    { "group", { 16, 32, 64, 128, 256 } },
                    { "stages", { 1, 2, 3, 4 } },
                    { "local", { 0, 1 } } })
    {
    }

    std::string family() const override { return "synthetic"; }
    tuning_problem problem() const override { return { "fp32", { { "n", 1000 } } }; }
    const tuning_space& space() const override { return d_space; }
    tuning_point default_point() const override { return d_space.at(0); }
    double tolerance() const override { return 1e-5; }

    //! \throws std::runtime_error if the kernel would not start
    static double seconds(const tuning_point& p)
    {
        const auto value = [&](const char* name) { return static_cast<double>(p[name]); };
        const double rows = value("rows"), columns = value("columns");
        const double chunk = value("chunk"), width = value("width");
        const double group = value("group"), stages = value("stages");
        const bool local = p["local"] != 0;

        const double side = std::sqrt(group); // the work-items of a group form a square
        const double bytes =
            local ? 4 * stages * chunk * side * (rows + columns) : 16 * group;
        if (bytes > 48 * 1024)
            throw std::runtime_error("CL_OUT_OF_RESOURCES");

        const double registers =
            rows * columns + (rows + columns) * width * (local ? 1 : stages) + 12;
        const double spill = registers > 96 ? 1.6 + (registers - 96) / 60 : 1;
        const double groups_a_unit = std::max(
            1.0,
            std::floor(std::min(
                { 48 * 1024 / bytes, 1024 / group, 16384 / (registers * group) })));
        const double hidden =
            std::min(1.0, 0.25 + groups_a_unit * group / 512 * std::sqrt(stages) / 2);

        const bool fits = p["columns"] % p["width"] == 0 && p["chunk"] % p["width"] == 0;
        const double vector = fits ? 0.4 + 0.6 / width : 1.7;
        const double loads = (rows + columns) / (rows * columns) * vector *
                             (local ? 0.45 : 1.0 + 0.3 * std::log2(side));
        const double barriers = local ? 24 / chunk / stages + 0.02 * stages : 0;
        const double work =
            std::max(1.0, 2.2 * loads / hidden) / std::min(1.0, 0.4 + hidden) + barriers +
            0.004 * chunk / stages;

        const double n = 1000; // rows and columns of the product
        const double groups =
            std::ceil(n / (rows * side)) * std::ceil(n / (columns * side));
        const double waves = std::ceil(groups / 20);
        const double idle = waves * 20 / groups;
        const double padding = std::ceil(n / (rows * side)) * rows * side / n *
                               std::ceil(n / (columns * side)) * columns * side / n;
        return 1e-3 * work * spill * idle * padding * roughness(p);
    }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        prepared++;
        const double time = seconds(point);
        return std::make_unique<trial>(time, 0, runs);
    }

    std::size_t prepared = 0, runs = 0;

    //! A trial with a known time and a known error.
    class trial final : public tuning_trial
    {
    public:
        trial(double time, double error, std::size_t& counted)
            : d_time(time), d_error(error), d_runs(counted)
        {
        }
        double check() override { return d_error; }
        double run() override
        {
            d_runs++;
            return d_time;
        }

    private:
        double d_time, d_error;
        std::size_t& d_runs;
    };

private:
    static double roughness(const tuning_point& p)
    {
        std::uint32_t hash = 2166136261u;
        for (const auto value : p.in_order())
            hash = (hash ^ static_cast<std::uint32_t>(value)) * 16777619u;
        hash ^= hash >> 15;
        hash *= 2246822519u;
        hash ^= hash >> 13;
        return 1 + 0.06 * (hash / 4294967296.0 - 0.5);
    }

    tuning_space d_space;
};

} // namespace cldsp
