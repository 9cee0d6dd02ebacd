// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Converts samples to the type of the output, and counts those it clips.

#include "channelize/channel_output.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace cldsp::app {

namespace {

struct type_row {
    output_type type;
    const char* name;
    const char* sigmf;
    std::size_t size;
    bool is_float;
};

constexpr type_row type_rows[] = { { output_type::cf32, "cf32", "cf32_le", 8, true },
                                   { output_type::cs16, "cs16", "ci16_le", 4, false },
                                   { output_type::f32, "f32", "rf32_le", 4, true },
                                   { output_type::s16, "s16", "ri16_le", 2, false } };

const type_row& row_of(output_type type) { return type_rows[static_cast<int>(type)]; }

const unsigned char* bytes_of(const void* values)
{
    return static_cast<const unsigned char*>(values);
}

} // namespace

const char* output_type_name(output_type type) { return row_of(type).name; }

const char* sigmf_name(output_type type) { return row_of(type).sigmf; }

std::size_t output_size(output_type type) { return row_of(type).size; }

output_type output_type_of(const std::string& name, const std::string& parameter)
{
    for (const auto& row : type_rows)
        if (name == row.name || name == row.sigmf)
            return row.type;
    throw_invalid(parameter,
                  "'" + name + "'",
                  "cf32 or cs16, or f32 or s16 of what is demodulated");
}

channel_output::channel_output(output_type type,
                               std::unique_ptr<demodulator> audio,
                               std::unique_ptr<byte_sink> sink)
    : d_type(type), d_demodulator(std::move(audio)), d_sink(std::move(sink))
{
}

void channel_output::write(const std::complex<float>* samples, std::size_t count)
{
    if (!d_demodulator)
        return write_numbers(reinterpret_cast<const float*>(samples), 2 * count);
    d_audio.clear();
    d_demodulator->process(samples, count, d_audio);
    write_numbers(d_audio.data(), d_audio.size());
}

void channel_output::write_numbers(const float* numbers, std::size_t count)
{
    if (count == 0)
        return;
    if (row_of(d_type).is_float)
        return d_sink->write(bytes_of(numbers), count * sizeof *numbers);
    constexpr float scale = 32768, lowest = -32768, highest = 32767;
    d_integers.resize(count);
    for (std::size_t i = 0; i < count; i++) {
        const float value = numbers[i] * scale;
        // NaN counts as clipped, too, and becomes the highest value.
        const bool fits = value >= lowest - 0.5f && value < highest + 0.5f;
        d_clipped += fits ? 0 : 1;
        const float held = std::max(std::min(highest, value), lowest);
        d_integers[i] = static_cast<std::int16_t>(std::lrint(held));
    }
    d_sink->write(bytes_of(d_integers.data()), count * sizeof d_integers[0]);
}

} // namespace cldsp::app
