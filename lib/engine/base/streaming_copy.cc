// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Copies with stores of SSE2 that bypass the caches, or by memcpy().

#include "base/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cldsp {

#if defined(__SSE2__)

void streaming_copy(void* to, const void* from, std::size_t bytes)
{
    constexpr std::size_t line = 64;
    auto* out = static_cast<unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    const std::size_t head =
        std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(out) % line) % line);
    std::memcpy(out, in, head);
    out += head;
    in += head;
    bytes -= head;
    for (; bytes >= line; bytes -= line, out += line, in += line) {
        constexpr std::size_t parts = line / sizeof(__m128i);
        const auto* const source = reinterpret_cast<const __m128i*>(in);
        auto* const sink = reinterpret_cast<__m128i*>(out);
        __m128i values[parts];
        for (std::size_t i = 0; i < parts; i++)
            values[i] = _mm_loadu_si128(source + i);
        for (std::size_t i = 0; i < parts; i++)
            _mm_stream_si128(sink + i, values[i]);
    }
    std::memcpy(out, in, bytes);
    _mm_sfence(); // such stores are not ordered by the locks that follow
}

#else

void streaming_copy(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

#endif

} // namespace cldsp
