/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct fftwf_plan_s; // of fftw3.h

namespace cldsp {

class wisdom;

/*!
 * Memory for FFTW and vectors. FFTW's own allocation suits its own vectors, which may be
 * shorter than the machine's; then half the loads would touch two cache lines.
 */
template <class T>
struct fftw_allocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{ 64 };

    fftw_allocator() = default;
    template <class U>
    fftw_allocator(const fftw_allocator<U>&) noexcept
    {
    }

    T* allocate(std::size_t count)
    {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
            throw std::bad_alloc();
        return static_cast<T*>(::operator new(count * sizeof(T), alignment));
    }
    void deallocate(T* memory, std::size_t) noexcept
    {
        ::operator delete(memory, alignment);
    }

    template <class U>
    bool operator==(const fftw_allocator<U>&) const noexcept
    {
        return true;
    }
    template <class U>
    bool operator!=(const fftw_allocator<U>&) const noexcept
    {
        return false;
    }
};

template <class T>
using fftw_vector = std::vector<T, fftw_allocator<T>>;

enum class fftw_direction { forward, backward };

/*!
 * A complex transform in single precision from one array to another, measured by FFTW.
 * Neither direction scales.
 */
class fftw_plan
{
public:
    /*!
     * The plan of a size, 1 to INT_MAX. It is measured when first asked for, which takes
     * from milliseconds to fftw_planning_seconds, and shared while anyone holds it; after
     * that FFTW still remembers what it measured. Any thread may call this; see
     * cldsp/fftw_planner.h for other libraries that plan. FFTW's time limit for planning
     * belongs to the process, too: after this there is none.
     *
     * \throws std::runtime_error if FFTW makes no plan
     */
    static std::shared_ptr<const fftw_plan> get(std::size_t size,
                                                fftw_direction direction);

    ~fftw_plan();
    fftw_plan(const fftw_plan&) = delete;
    fftw_plan& operator=(const fftw_plan&) = delete;

    //! Any number of threads at once. \param in stays as it was; both aligned
    void execute(const std::complex<float>* in, std::complex<float>* out) const;
    //! As FFTW needs it; memory of an fftw_vector is.
    static bool is_aligned(const std::complex<float>* values);

private:
    fftw_plan() = default;
    void measure(std::size_t size, fftw_direction direction); // under the planner's lock

    fftwf_plan_s* d_plan = nullptr;
};

//! About the longest time that one plan is measured for.
constexpr double fftw_planning_seconds = 1.0;

/*!
 * What FFTW has measured in this process, as text, and that text given back: plans found
 * in it need no measuring. The text's first line names FFTW's version and its set of
 * solvers, which differs between processors and changes when a library has FFTW use
 * threads. False if the text is damaged or of another version or set of solvers; then
 * nothing has changed.
 */
std::string export_fftw_wisdom();
bool import_fftw_wisdom(const std::string& text);

/*!
 * FFTW's measurements, kept in the engine's wisdom. Made before plans are asked for, it
 * gives FFTW what earlier processes measured.
 */
class fftw_memory
{
public:
    explicit fftw_memory(wisdom& all);
    //! Stores what FFTW has measured since.
    void save();

private:
    wisdom& d_wisdom;
    std::string d_known;
};

} // namespace cldsp
