// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Plans of FFTW that the whole process shares, and memory aligned for them.

#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

struct fftwf_plan_s; // from fftw3.h

namespace cldsp {

class wisdom;

/*!
 * Allocates memory for FFTW and for vectors, aligned to 64 bytes. The alignment of FFTW's
 * own allocation suits FFTW's vectors. The machine's vectors may be longer, and half of
 * their loads would then touch two cache lines.
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
 * FFTW counts the processor's cycles where it was built to. Elsewhere, as in Debian's
 * FFTW for arm64, it measures by the time of day and repeats each candidate for a fifth
 * of a second. No plan is then measured within fftw_planning_seconds, and FFTW remembers
 * nothing of what it had measured until then. So no plan is measured with such a clock.
 */
enum class fftw_clock { unknown, fine, coarse };

//! Another thread measures a plan, which may take a second.
struct fftw_is_busy : std::invalid_argument {
    fftw_is_busy() : std::invalid_argument("FFTW is measuring another transform") {}
};

/*!
 * A complex transform in single precision from one array to another, whose algorithm FFTW
 * has chosen by measuring. Neither direction scales.
 */
class fftw_plan
{
public:
    /*!
     * Returns the plan of one size and direction. The first request measures it, which
     * takes from milliseconds to fftw_planning_seconds. The plan is then shared while
     * anyone holds it, and FFTW remembers the measurement after that. Any thread may call
     * this function; see cldsp/fftw_planner.h for other libraries that plan.
     *
     * A plan that is made where no time is left, see fftw_planning_limit, or where FFTW's
     * clock is coarse, see fftw_clock, is estimated. It is shared with others that are
     * made so, until the size is measured.
     *
     * FFTW's time limit for planning belongs to the whole process. After this call it is
     * unset.
     *
     * \param size the number of values, 1 to INT_MAX
     * \param direction forward or backward
     * \throws std::runtime_error if FFTW makes no plan; fftw_is_busy
     */
    static std::shared_ptr<const fftw_plan> get(std::size_t size,
                                                fftw_direction direction);

    /*!
     * The clock that FFTW measures with, as far as this process knows it. The first plan
     * that is to be measured finds out, by a small transform.
     *
     * \param seconds the processor time for that transform, if nothing is known yet; 0:
     *        it is not tried
     */
    static fftw_clock known_clock(double seconds = 0);

    //! Whether FFTW has measured this plan. An estimate may take twice as long.
    bool is_measured() const { return d_measured; }

    ~fftw_plan();
    fftw_plan(const fftw_plan&) = delete;
    fftw_plan& operator=(const fftw_plan&) = delete;

    /*!
     * Transforms once. Any number of threads may call this at the same time.
     *
     * \param in the values, which stay as they were; aligned, see is_aligned()
     * \param out the results, in other memory that is aligned too
     */
    void execute(const std::complex<float>* in, std::complex<float>* out) const;
    //! Whether memory has the alignment that FFTW needs; memory of an fftw_vector has it.
    static bool is_aligned(const std::complex<float>* values);

private:
    fftw_plan() = default;
    // These are under the planner's lock.
    bool
    make(std::size_t size, fftw_direction direction, unsigned effort, double seconds);
    bool recall(std::size_t size, fftw_direction direction);
    void measure(std::size_t size, fftw_direction direction, double seconds);
    fftw_clock try_clock(double seconds);
    void release();

    fftwf_plan_s* d_plan = nullptr;
    bool d_measured = false;
};

//! The longest time, approximately, for which FFTW measures one plan.
constexpr double fftw_planning_seconds = 1.0;

//! The longest processor time in which FFTW has to measure a small transform, so that its
//! clock is not coarse.
constexpr double fftw_trial_seconds = 0.1;

//! During its life, FFTW measures each new plan of this thread for a shorter time at
//! most. At 0 seconds it measures nothing.
class fftw_planning_limit
{
public:
    //! \param waits whether a plan waits while another thread measures one; otherwise
    //! fftw_is_busy is thrown
    explicit fftw_planning_limit(double seconds, bool waits = true);
    ~fftw_planning_limit();
    fftw_planning_limit(const fftw_planning_limit&) = delete;
    fftw_planning_limit& operator=(const fftw_planning_limit&) = delete;

private:
    const double d_before;
    const bool d_waited;
};

/*!
 * export_fftw_wisdom() returns everything that FFTW has measured in this process, as
 * text. import_fftw_wisdom() gives such a text back to FFTW, which then need not measure
 * the plans that it finds there.
 *
 * The first line of the text names FFTW's version and its set of solvers. This set
 * differs between processors, and it changes when a library has FFTW use threads.
 *
 * import_fftw_wisdom() returns false, and nothing has changed, if the text is damaged or
 * was written by another version or with another set of solvers.
 */
std::string export_fftw_wisdom();
bool import_fftw_wisdom(const std::string& text);

/*!
 * Keeps FFTW's measurements, and what its clock is like, in the engine's wisdom. The
 * constructor gives FFTW the measurements of earlier processes, so it has to run before
 * plans are requested.
 */
class fftw_memory
{
public:
    explicit fftw_memory(wisdom& all);
    //! Stores the measurements that FFTW has made since the constructor, and that its
    //! clock is coarse.
    void save();
    //! Gives FFTW the measurements of earlier processes, for plans that may take no time:
    //! the first call for each file does.
    static void recall_once(wisdom& all);

private:
    wisdom& d_wisdom;
    std::string d_known;
    bool d_clock_is_known = false; // to be coarse
};

} // namespace cldsp
