// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the sizes of caches from sysconf() and from the kernel's description.

#include "base/cache_sizes.h"

#include <algorithm>
#include <fstream>

#ifdef __unix__
#include <unistd.h>
#endif

namespace cldsp {

namespace {

//! The first word of a file; empty if there is none.
std::string word_of(const std::string& path)
{
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

//! The bytes that a text such as "1024K" or "2M" means.
std::optional<std::size_t> bytes_of(const std::string& text)
{
    constexpr std::size_t max_digits = 9;
    const auto digits = text.find_first_not_of("0123456789");
    const auto count = digits == text.npos ? text.size() : digits;
    if (count == 0 || count > max_digits)
        return std::nullopt;
    const std::size_t number = std::stoul(text.substr(0, count));
    const auto unit = text.substr(count);
    const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : -1;
    if (number == 0 || shift < 0)
        return std::nullopt;
    return number << shift;
}

} // namespace

std::optional<std::size_t> described_cache_bytes(const std::string& caches, int level)
{
    constexpr int max_caches = 16;
    for (int i = 0; i < max_caches; i++) {
        const auto cache = caches + "/index" + std::to_string(i);
        const auto its_level = word_of(cache + "/level");
        if (its_level.empty())
            break;
        if (its_level == std::to_string(level) &&
            word_of(cache + "/type") != "Instruction")
            if (const auto bytes = bytes_of(word_of(cache + "/size")))
                return bytes;
    }
    return std::nullopt;
}

std::optional<std::size_t> second_level_cache_bytes(const std::string& caches)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0)
        return static_cast<std::size_t>(bytes);
#endif
    return described_cache_bytes(caches, 2);
}

std::size_t core_cache_bytes()
{
    constexpr std::size_t usual = std::size_t(512) << 10;
    constexpr std::size_t max_bytes = std::size_t(4) << 20;
    static const std::size_t bytes = second_level_cache_bytes().value_or(usual);
    return std::clamp(bytes, usual / 4, max_bytes);
}

std::optional<std::size_t> largest_cache_bytes(const std::string& caches)
{
    constexpr int max_level = 4;
    std::optional<std::size_t> largest;
    for (int level = 1; level <= max_level; level++)
        largest = std::max(largest, described_cache_bytes(caches, level));
    return largest;
}

} // namespace cldsp
