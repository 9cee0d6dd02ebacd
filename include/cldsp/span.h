// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A view of elements in a row that somebody else owns.

#pragma once

#include <type_traits>
#include <array>
#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * A view of contiguous elements that somebody else owns: a pointer and a length. The
 * subset of C++20's std::span that the engine needs in C++17.
 */
template <class T>
class span
{
public:
    constexpr span() noexcept = default;
    constexpr span(T* data, std::size_t size) noexcept : d_data(data), d_size(size) {}
    template <class U>
    constexpr span(std::vector<U>& v) noexcept : d_data(v.data()), d_size(v.size())
    {
    }
    template <class U, class = std::enable_if_t<std::is_convertible_v<const U*, T*>>>
    constexpr span(const std::vector<U>& v) noexcept : d_data(v.data()), d_size(v.size())
    {
    }
    template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
    constexpr span(const span<U>& other) noexcept
        : d_data(other.data()), d_size(other.size())
    {
    }

    constexpr T* data() const noexcept { return d_data; }
    constexpr std::size_t size() const noexcept { return d_size; }
    constexpr bool empty() const noexcept { return d_size == 0; }
    constexpr T* begin() const noexcept { return d_data; }
    constexpr T* end() const noexcept { return d_data + d_size; }
    constexpr T& operator[](std::size_t i) const noexcept { return d_data[i]; }
    //! The view from element \p offset on, \p count elements long.
    constexpr span subspan(std::size_t offset, std::size_t count) const noexcept
    {
        return span(d_data + offset, count);
    }

private:
    T* d_data = nullptr;
    std::size_t d_size = 0;
};

} // namespace cldsp
