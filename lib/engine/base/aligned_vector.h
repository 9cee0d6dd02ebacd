// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Vectors in memory that is aligned for the SIMD units of any instruction set.

#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace cldsp {

/*!
 * Memory aligned for the longest vectors of any instruction set. (The allocators of VOLK
 * and FFTW align only for the instruction sets that they use on this machine, which can
 * be less.)
 */
template <class T>
struct vector_allocator {
    using value_type = T;

    vector_allocator() = default;
    template <class U>
    vector_allocator(const vector_allocator<U>&) noexcept
    {
    }

    T* allocate(std::size_t count)
    {
        return static_cast<T*>(::operator new(count * sizeof(T), alignment));
    }
    void deallocate(T* memory, std::size_t) noexcept
    {
        ::operator delete(memory, alignment);
    }

    template <class U>
    bool operator==(const vector_allocator<U>&) const noexcept
    {
        return true;
    }
    template <class U>
    bool operator!=(const vector_allocator<U>&) const noexcept
    {
        return false;
    }

private:
    static constexpr std::align_val_t alignment{ 64 };
};

template <class T>
using aligned_vector = std::vector<T, vector_allocator<T>>;

} // namespace cldsp
