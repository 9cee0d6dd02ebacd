// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Samples of antennas, and their visibilities in double precision.

#pragma once

#include <cldsp/correlator.h>
#include <cldsp/sample_type.h>

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

using visibility_list = std::vector<std::complex<float>>;

//! The layout of the antennas' samples in memory.
enum class sample_layout { streams, vectors };

//! Samples of several antennas.
class antenna_array
{
public:
    antenna_array(sample_type type,
                  std::size_t antennas,
                  std::size_t samples,
                  sample_layout layout = sample_layout::streams)
        : d_type(type),
          d_antennas(antennas),
          d_samples(samples),
          d_layout(layout),
          d_data(antennas * samples * sample_size(type))
    {
        std::mt19937 random(static_cast<unsigned>(antennas * 1000 + samples));
        std::uniform_real_distribution<float> uniform(-1, 1);
        if (type == sample_type::cs8)
            for (auto& byte : d_data)
                byte = static_cast<unsigned char>(random());
        else
            for (std::size_t i = 0; i < antennas * samples; i++)
                put(i, { uniform(random), uniform(random) });
    }

    void fill(std::complex<float> value)
    {
        for (std::size_t i = 0; i < d_antennas * d_samples; i++)
            put(i, value);
    }
    //! Sets a sample; those of cs8 get whole numbers.
    void set(std::size_t antenna, std::size_t t, std::complex<float> value)
    {
        put(index(antenna, t), value);
    }

    sample_type type() const { return d_type; }
    std::size_t antennas() const { return d_antennas; }
    std::size_t samples() const { return d_samples; }
    std::size_t step() const
    {
        return d_layout == sample_layout::streams ? 1 : d_antennas;
    }

    //! The address of each antenna's sample \p t.
    std::vector<const void*> at(std::size_t t) const
    {
        std::vector<const void*> result;
        for (std::size_t a = 0; a < d_antennas; a++)
            result.push_back(d_data.data() + index(a, t) * sample_size(d_type));
        return result;
    }

    //! The sums over samples \p first to \p end, in double precision; those of cs8 count
    //! the samples as whole numbers.
    std::vector<std::complex<double>> sums(std::size_t first, std::size_t end) const
    {
        const double scale = d_type == sample_type::cs8 ? 128 : 1;
        std::vector<std::complex<double>> x(d_antennas * (end - first));
        for (std::size_t a = 0; a < d_antennas; a++)
            for (std::size_t t = first; t < end; t++)
                x[a * (end - first) + t - first] =
                    scale * sample_at(d_data.data(), d_type, index(a, t));
        std::vector<std::complex<double>> result;
        for (std::size_t i = 0; i < d_antennas; i++)
            for (std::size_t j = 0; j <= i; j++) {
                // Real arithmetic, because complex products look for numbers that are
                // none.
                double real = 0, imaginary = 0;
                for (std::size_t t = 0; t < end - first; t++) {
                    const auto &a = x[i * (end - first) + t],
                               &b = x[j * (end - first) + t];
                    real += a.real() * b.real() + a.imag() * b.imag();
                    imaginary += a.imag() * b.real() - a.real() * b.imag();
                }
                result.emplace_back(real, imaginary);
            }
        return result;
    }

    std::string describe() const
    {
        return std::to_string(d_antennas) + " antennas, " + std::to_string(d_samples) +
               " samples of " + sample_type_name(d_type) +
               (d_layout == sample_layout::streams ? "" : " in vectors");
    }

private:
    std::size_t index(std::size_t antenna, std::size_t t) const
    {
        return d_layout == sample_layout::streams ? antenna * d_samples + t
                                                  : t * d_antennas + antenna;
    }
    void put(std::size_t i, std::complex<float> value)
    {
        unsigned char* to = d_data.data() + i * sample_size(d_type);
        if (d_type == sample_type::cs8) {
            to[0] = static_cast<unsigned char>(static_cast<signed char>(value.real()));
            to[1] = static_cast<unsigned char>(static_cast<signed char>(value.imag()));
        } else {
            std::memcpy(to, &value, sizeof(value));
        }
    }

    sample_type d_type;
    std::size_t d_antennas, d_samples;
    sample_layout d_layout;
    std::vector<unsigned char> d_data;
};

constexpr double max_sum_error = 1e-6; // of the largest autocorrelation

inline double largest_sum(const std::vector<std::complex<double>>& sums)
{
    double result = 0;
    for (const auto& sum : sums)
        result = std::max(result, std::abs(sum));
    return result;
}

//! Checks the sums of an executor: those of cs8 are exact.
inline void check_sums(const std::string& what,
                       sample_type type,
                       const std::complex<double>* got,
                       const std::vector<std::complex<double>>& expected)
{
    const double bound =
        type == sample_type::cs8 ? 0 : max_sum_error * largest_sum(expected);
    for (std::size_t i = 0; i < expected.size(); i++)
        CPPUNIT_ASSERT_MESSAGE(what + ", visibility " + std::to_string(i) + " off by " +
                                   std::to_string(std::abs(got[i] - expected[i])),
                               std::abs(got[i] - expected[i]) <= bound);
}

//! What tests do with a correlator, or with one of its executors.
class correlator_checks
{
public:
    static std::size_t process(correlator& engine,
                               const antenna_array& x,
                               std::size_t first,
                               std::size_t count,
                               std::complex<float>* out)
    {
        const auto expected = engine.outputs_for(count);
        const auto in = x.at(first);
        const std::size_t got = engine.process({ in.data(), x.step() }, count, out);
        CPPUNIT_ASSERT_EQUAL(expected, std::uint64_t(got));
        return got;
    }

    //! The visibilities of the whole stream, which comes in calls of \p cuts samples.
    static visibility_list
    run(correlator& engine, const antenna_array& x, const std::vector<std::size_t>& cuts)
    {
        visibility_list out(engine.outputs_for(x.samples()) * engine.visibilities());
        std::size_t done = 0, outputs = 0;
        for (std::size_t i = 0; done < x.samples(); i++) {
            const std::size_t count = std::min(cuts[i % cuts.size()], x.samples() - done);
            outputs += process(
                engine, x, done, count, out.data() + outputs * engine.visibilities());
            done += count;
        }
        CPPUNIT_ASSERT_EQUAL(out.size(), outputs * engine.visibilities());
        return out;
    }

    static void check_range(const antenna_array& x,
                            std::size_t first,
                            std::size_t end,
                            const std::complex<float>* got)
    {
        const double scale = x.type() == sample_type::cs8 ? 128 * 128 : 1;
        auto expected = x.sums(first, end);
        const double most = largest_sum(expected) / scale;
        for (std::size_t i = 0; i < expected.size(); i++) {
            const std::complex<double> wanted = expected[i] / scale;
            const double error = std::abs(std::complex<double>(got[i]) - wanted) / most;
            CPPUNIT_ASSERT_MESSAGE(x.describe() + " from " + std::to_string(first) +
                                       ", visibility " + std::to_string(i) + " off by " +
                                       std::to_string(error),
                                   error <= max_sum_error);
            if (x.type() == sample_type::cs8)
                CPPUNIT_ASSERT_MESSAGE(x.describe(),
                                       got[i] == std::complex<float>(wanted));
        }
    }

    static void check(const correlator& engine,
                      const antenna_array& x,
                      std::size_t integration,
                      const visibility_list& got)
    {
        CPPUNIT_ASSERT_EQUAL(x.samples() / integration * engine.visibilities(),
                             got.size());
        // Of many integrations it is enough to check a few.
        const std::size_t count = x.samples() / integration;
        for (std::size_t i = 0; i < count; i += 1 + count / 8)
            check_range(x,
                        i * integration,
                        (i + 1) * integration,
                        got.data() + i * engine.visibilities());
    }

    template <class Executor>
    static void check_executor(Executor& executor,
                               const antenna_array& x,
                               std::size_t rows,
                               std::size_t length,
                               const std::string& what)
    {
        const std::size_t triangle = visibilities_of(x.antennas());
        std::vector<std::complex<double>> sums(rows * triangle);
        const auto in = x.at(0);
        executor.add({ { in.data(), x.step() }, rows, length }, sums.data());
        for (std::size_t row = 0; row < rows; row += 1 + rows / 8)
            check_sums(what + ", " + x.describe(),
                       x.type(),
                       sums.data() + row * triangle,
                       x.sums(row * length, (row + 1) * length));
    }
};

} // namespace cldsp
