/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/sample_type.h>

namespace cldsp {

namespace {

template <class T>
T item(const void* data, std::size_t index)
{
    return static_cast<const T*>(data)[index];
}

template <class T>
std::complex<double>
pair_at(const void* data, std::size_t index, double offset, double full_scale)
{
    return { (item<T>(data, 2 * index) - offset) / full_scale,
             (item<T>(data, 2 * index + 1) - offset) / full_scale };
}

template <class T>
void convert_real(const void* data, std::complex<float>* out, std::size_t count)
{
    const T* in = static_cast<const T*>(data);
    for (std::size_t i = 0; i < count; i++)
        out[i] = { static_cast<float>(in[i]), 0.0f };
}

// A division, not a multiplication by the reciprocal: the result is then the nearest
// float to the scaled value.
template <class T>
void convert_pairs(const void* data,
                   std::complex<float>* out,
                   std::size_t count,
                   float offset,
                   float full_scale)
{
    const T* in = static_cast<const T*>(data);
    float* parts = reinterpret_cast<float*>(out);
    for (std::size_t i = 0; i < 2 * count; i++)
        parts[i] = (static_cast<float>(in[i]) - offset) / full_scale;
}

} // namespace

std::size_t sample_size(sample_type type)
{
    switch (type) {
    case sample_type::fc32:
        return 8;
    case sample_type::f32:
    case sample_type::cs16:
        return 4;
    case sample_type::s16:
    case sample_type::cu8:
    case sample_type::cs8:
        return 2;
    }
    return 0;
}

bool is_complex(sample_type type)
{
    return type != sample_type::f32 && type != sample_type::s16;
}

const char* sample_type_name(sample_type type)
{
    switch (type) {
    case sample_type::fc32:
        return "fc32";
    case sample_type::f32:
        return "f32";
    case sample_type::s16:
        return "s16";
    case sample_type::cu8:
        return "cu8";
    case sample_type::cs8:
        return "cs8";
    case sample_type::cs16:
        return "cs16";
    }
    return "unknown";
}

const std::vector<sample_type>& all_sample_types()
{
    static const auto& types = *new std::vector<sample_type>{
        sample_type::fc32, sample_type::f32, sample_type::s16,
        sample_type::cu8,  sample_type::cs8, sample_type::cs16
    };
    return types;
}

std::complex<double> sample_at(const void* data, sample_type type, std::size_t index)
{
    switch (type) {
    case sample_type::fc32:
        return item<std::complex<float>>(data, index);
    case sample_type::f32:
        return item<float>(data, index);
    case sample_type::s16:
        return item<std::int16_t>(data, index);
    case sample_type::cu8:
        return pair_at<std::uint8_t>(data, index, 127.5, 127.5);
    case sample_type::cs8:
        return pair_at<std::int8_t>(data, index, 0, 128);
    case sample_type::cs16:
        return pair_at<std::int16_t>(data, index, 0, 32768);
    }
    return 0;
}

void convert_samples(const void* data,
                     sample_type type,
                     std::complex<float>* out,
                     std::size_t count)
{
    switch (type) {
    case sample_type::fc32: {
        const auto* in = static_cast<const std::complex<float>*>(data);
        for (std::size_t i = 0; i < count; i++)
            out[i] = in[i];
        break;
    }
    case sample_type::f32:
        convert_real<float>(data, out, count);
        break;
    case sample_type::s16:
        convert_real<std::int16_t>(data, out, count);
        break;
    case sample_type::cu8:
        convert_pairs<std::uint8_t>(data, out, count, 127.5f, 127.5f);
        break;
    case sample_type::cs8:
        convert_pairs<std::int8_t>(data, out, count, 0.0f, 128.0f);
        break;
    case sample_type::cs16:
        convert_pairs<std::int16_t>(data, out, count, 0.0f, 32768.0f);
        break;
    }
}

} // namespace cldsp
