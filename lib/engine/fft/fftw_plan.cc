// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes FFTW's plans under the lock of its planner, and keeps FFTW's wisdom.

#include "fft/fftw_plan.h"

#include "base/engine_threads.h"
#include "base/forks.h"
#include "base/json_value.h"
#include "base/stopwatch.h"
#include "storage/host_identity.h"

#include <cldsp/errors.h>
#include <cldsp/fftw_planner.h>
#include <cldsp/wisdom.h>

#include <fftw3.h>

#include <string_view>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// This state belongs to the process, as FFTW's own planner does. It is never destroyed,
// because filters may outlive other static objects.
struct planner {
    std::mutex own_mutex;
    const fftw_planner_lock own{ &own_mutex,
                                 [](void* m) { static_cast<std::mutex*>(m)->lock(); },
                                 [](void* m) noexcept {
                                     static_cast<std::mutex*>(m)->unlock();
                                 },
                                 &own_mutex };
    fftw_planner_lock shared{}; // written once, before `lock` points to it
    std::atomic<const fftw_planner_lock*> lock{ &own };
    std::mutex sharing;
    // Only used while the planner's lock is held.
    using transform = std::pair<std::size_t, fftw_direction>;
    std::map<transform, std::weak_ptr<const fftw_plan>> measured, estimated;
    std::map<transform, double> exhausted; // the longest time that was not enough
    std::atomic<bool> measuring{ false };  // FFTW may hold the lock for a second
    std::atomic<fftw_clock> clock{ fftw_clock::unknown };
};

planner& the_planner()
{
    static planner& instance = *new planner;
    return instance;
}

/*!
 * Holds the planner's lock during its life. An idle thread leaves that to its normal one:
 * every other user of FFTW in the process waits for this lock, in-tree blocks that
 * stream as well.
 */
class planner_hold
{
public:
    planner_hold()
    {
        // The lock may be replaced while this thread waits for the old one.
        const auto& current = the_planner().lock;
        for (;;) {
            d_lock = current;
            d_lock->lock(d_lock->lockable);
            if (d_lock == current)
                return;
            d_lock->unlock(d_lock->lockable);
        }
    }
    ~planner_hold() { d_lock->unlock(d_lock->lockable); }
    planner_hold(const planner_hold&) = delete;
    planner_hold& operator=(const planner_hold&) = delete;

private:
    const fork_delay d_no_fork;
    const fftw_planner_lock* d_lock;
};

//! Sets a flag during its life.
class flag_while
{
public:
    explicit flag_while(std::atomic<bool>& flag) : d_flag(flag) { d_flag = true; }
    ~flag_while() { d_flag = false; }
    flag_while(const flag_while&) = delete;
    flag_while& operator=(const flag_while&) = delete;

private:
    std::atomic<bool>& d_flag;
};

fftwf_complex* as_fftw(std::complex<float>* values)
{
    return reinterpret_cast<fftwf_complex*>(values);
}

// Sizes in bits of the numbers of an entry, as FFTW has them since version 3.3: the flags
// that a plan requires at least and at most, its impatience, and the hash of the problem.
constexpr unsigned flag_bits = 20, impatience_bits = 9, hash_bits = 32;
constexpr std::size_t max_name = 64;

//! Reads a text word by word.
class wisdom_reader
{
public:
    explicit wisdom_reader(std::string_view text) : d_text(text) {}

    bool take(char wanted)
    {
        skip_space();
        if (d_text.empty() || d_text.front() != wanted)
            return false;
        d_text.remove_prefix(1);
        return true;
    }

    bool at_end()
    {
        skip_space();
        return d_text.empty();
    }

    //! Takes a name, for example that of a solver.
    bool take_name()
    {
        const auto name = word();
        return !name.empty() && name.size() <= max_name;
    }

    bool take_decimal()
    {
        constexpr std::size_t max_digits = 9;
        const auto digits = word();
        return !digits.empty() && digits.size() <= max_digits &&
               digits.find_first_not_of("0123456789") == digits.npos;
    }

    //! Takes a hexadecimal number, for example "#x11bdd".
    bool take_number(unsigned bits)
    {
        constexpr std::size_t max_digits = 8;
        auto digits = word();
        if (digits.substr(0, 2) != "#x")
            return false;
        digits.remove_prefix(2);
        if (digits.empty() || digits.size() > max_digits)
            return false;
        std::uint64_t value = 0;
        for (const char c : digits) {
            const bool is_decimal = c >= '0' && c <= '9';
            if (!is_decimal && !(c >= 'a' && c <= 'f'))
                return false;
            value =
                value << 4 | static_cast<unsigned>(is_decimal ? c - '0' : c - 'a' + 10);
        }
        return value >> bits == 0;
    }

    bool take_hash()
    {
        for (int i = 0; i < 4; i++)
            if (!take_number(hash_bits))
                return false;
        return true;
    }

private:
    void skip_space()
    {
        const auto at = d_text.find_first_not_of(" \n");
        d_text.remove_prefix(std::min(at, d_text.size()));
    }

    std::string_view word()
    {
        skip_space();
        const auto size = std::min(d_text.find_first_of(" \n()"), d_text.size());
        const auto found = d_text.substr(0, size);
        d_text.remove_prefix(size);
        return found;
    }

    std::string_view d_text;
};

/*!
 * Whether a text has the form of FFTW's wisdom, with numbers that are not too large for
 * FFTW.
 *
 * FFTW itself refuses texts of other versions. But it ends the process if a number of an
 * entry has more bits than FFTW keeps for it. A text from a file is therefore checked
 * first.
 */
bool is_fftw_wisdom(const std::string& text)
{
    // A zero byte would end the text for FFTW.
    if (text.find('\0') != text.npos)
        return false;
    wisdom_reader words(text);
    if (!words.take('(') || !words.take_name() || !words.take_name() ||
        !words.take_hash())
        return false;
    while (words.take('('))
        if (!words.take_name() || !words.take_decimal() ||
            !words.take_number(flag_bits) || !words.take_number(flag_bits) ||
            !words.take_number(impatience_bits) || !words.take_hash() || !words.take(')'))
            return false;
    return words.take(')') && words.at_end();
}

// The limit of this thread, see fftw_planning_limit.
thread_local double planning_seconds = fftw_planning_seconds;
thread_local bool planning_waits = true;

constexpr const char* kind = "fftw";
constexpr const char* clock_kind = "calibration"; // a fact about the machine
constexpr const char* coarse_clock = R"({"coarse": 1})";

//! The lines in a fixed order, because FFTW writes its entries in any order.
std::vector<std::string> sorted_lines(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
}

/*!
 * The key of FFTW's measurements. FFTW accepts no measurements of another version or of
 * another set of solvers, and programs differ in their sets: GNU Radio's programs have
 * FFTW use threads. Each set has a key of its own, so that programs do not replace each
 * other's measurements.
 */
std::string key_of(const std::string& text)
{
    return host_identity() + ", " + text.substr(0, text.find('\n'));
}

//! The key of what FFTW's clock is like: that depends on the library, too.
std::string clock_key_of(const std::string& text)
{
    return host_identity() + ", clock of FFTW, " + text.substr(0, text.find('\n'));
}

} // namespace

bool share_fftw_planner_lock(const fftw_planner_lock& lock)
{
    planner& all = the_planner();
    const std::lock_guard<std::mutex> one_at_a_time(all.sharing);
    if (all.lock != &all.own) {
        if (all.shared.mutex != lock.mutex)
            throw_invalid("FFTW planner's lock", "a second one", "one per process");
        return false;
    }
    const planner_hold hold; // nobody uses the old lock at the moment when the new one is
                             // set
    all.shared = lock;
    all.lock = &all.shared;
    return true;
}

fftw_planning_limit::fftw_planning_limit(double seconds, bool waits)
    : d_before(planning_seconds), d_waited(planning_waits)
{
    planning_seconds = std::min(d_before, seconds);
    planning_waits = planning_waits && waits;
}

fftw_planning_limit::~fftw_planning_limit()
{
    planning_seconds = d_before;
    planning_waits = d_waited;
}

std::shared_ptr<const fftw_plan> fftw_plan::get(std::size_t size,
                                                fftw_direction direction)
{
    if (size < 1 || size > std::numeric_limits<int>::max())
        throw_invalid("size", std::to_string(size), "from 1 to INT_MAX");
    auto& all = the_planner();
    if (!planning_waits && all.measuring)
        throw fftw_is_busy();
    return at_normal_priority([&, seconds = planning_seconds] {
        // The destructor of a plan takes the lock. `fresh` is declared before `hold`, so
        // that it is destroyed after the lock has been released.
        const std::shared_ptr<fftw_plan> fresh(new fftw_plan);
        const planner_hold hold;
        auto& measured = all.measured[{ size, direction }];
        if (auto plan = measured.lock())
            return plan;
        // What FFTW has measured before takes it no time.
        if (!fresh->recall(size, direction) && seconds > 0) {
            const flag_while measuring(all.measuring);
            if (all.clock == fftw_clock::unknown)
                all.clock = fresh->try_clock(fftw_trial_seconds);
            auto& too_short = all.exhausted[{ size, direction }];
            if (all.clock != fftw_clock::coarse && seconds > too_short) {
                fresh->measure(size, direction, seconds);
                if (!fresh->d_measured)
                    too_short = seconds;
            }
        }
        if (fresh->d_measured) {
            measured = fresh;
            return std::shared_ptr<const fftw_plan>(fresh);
        }
        auto& estimated = all.estimated[{ size, direction }];
        if (auto plan = estimated.lock())
            return plan;
        if (!fresh->make(size, direction, FFTW_ESTIMATE, 0))
            throw std::runtime_error("FFTW has no plan for a transform of " +
                                     std::to_string(size));
        estimated = fresh;
        return std::shared_ptr<const fftw_plan>(fresh);
    });
}

//! Takes a plan that FFTW has measured before, if there is one.
bool fftw_plan::recall(std::size_t size, fftw_direction direction)
{
    return d_measured = make(size, direction, FFTW_MEASURE | FFTW_WISDOM_ONLY, 0);
}

//! Measures. FFTW remembers a plan only if the time was enough, and else estimates it.
void fftw_plan::measure(std::size_t size, fftw_direction direction, double seconds)
{
    if (make(size, direction, FFTW_MEASURE, seconds))
        recall(size, direction);
}

//! Has FFTW measure a small transform that it can divide in several ways.
fftw_clock fftw_plan::try_clock(double seconds)
{
    constexpr std::size_t size = 32;
    // FFTW's limit is one of the wall clock, and others may have the processor meanwhile.
    constexpr double max_slowdown = 20;
    const double start = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (double limit = seconds; limit < max_slowdown * seconds; limit *= 2) {
        measure(size, fftw_direction::forward, limit);
        const bool was_measured = d_measured;
        release();
        if (was_measured)
            return fftw_clock::fine;
        if (processor_seconds(CLOCK_THREAD_CPUTIME_ID) - start >= seconds)
            return fftw_clock::coarse;
    }
    return fftw_clock::unknown;
}

//! Makes a plan in the place of the present one. Returns whether FFTW has one.
bool fftw_plan::make(std::size_t size,
                     fftw_direction direction,
                     unsigned effort,
                     double seconds)
{
    // FFTW overwrites these arrays when it measures.
    fftw_vector<std::complex<float>> in(size);
    fftw_vector<std::complex<float>> out(size);
    fftwf_set_timelimit(seconds > 0 ? seconds : FFTW_NO_TIMELIMIT);
    auto* const made = fftwf_plan_dft_1d(
        static_cast<int>(size),
        as_fftw(in.data()),
        as_fftw(out.data()),
        direction == fftw_direction::forward ? FFTW_FORWARD : FFTW_BACKWARD,
        effort | FFTW_PRESERVE_INPUT);
    fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
    if (!made)
        return false;
    release();
    d_plan = made;
    return true;
}

//! Under the planner's lock.
void fftw_plan::release()
{
    if (d_plan)
        fftwf_destroy_plan(d_plan);
    d_plan = nullptr;
    d_measured = false;
}

fftw_plan::~fftw_plan()
{
    if (!d_plan)
        return;
    try {
        at_normal_priority([this] {
            const planner_hold hold;
            release();
        });
    } catch (...) {
        // Without the lock the plan must not be touched, so its memory is not released.
    }
}

fftw_clock fftw_plan::known_clock(double seconds)
{
    auto& all = the_planner();
    if (seconds > 0 && all.clock == fftw_clock::unknown)
        at_normal_priority([&] {
            const std::shared_ptr<fftw_plan> trial(new fftw_plan);
            const planner_hold hold;
            all.clock = trial->try_clock(seconds);
        });
    return all.clock;
}

void fftw_plan::execute(const std::complex<float>* in, std::complex<float>* out) const
{
    // The plan does not change its input, though FFTW's interface does not say so.
    fftwf_execute_dft(
        d_plan, as_fftw(const_cast<std::complex<float>*>(in)), as_fftw(out));
}

bool fftw_plan::is_aligned(const std::complex<float>* values)
{
    auto* parts = const_cast<std::complex<float>*>(values);
    return fftwf_alignment_of(reinterpret_cast<float*>(parts)) == 0;
}

std::string export_fftw_wisdom()
{
    return at_normal_priority([] {
        const planner_hold hold;
        const std::unique_ptr<char, decltype(&std::free)> text(
            fftwf_export_wisdom_to_string(), &std::free);
        if (!text)
            throw std::bad_alloc();
        return std::string(text.get());
    });
}

bool import_fftw_wisdom(const std::string& text)
{
    if (!is_fftw_wisdom(text))
        return false;
    return at_normal_priority([&] {
        const planner_hold hold;
        return fftwf_import_wisdom_from_string(text.c_str()) != 0;
    });
}

fftw_memory::fftw_memory(wisdom& all) : d_wisdom(all)
{
    const auto text = export_fftw_wisdom();
    const auto key = key_of(text);
    const auto clock = json_value::parse(d_wisdom.find(clock_kind, clock_key_of(text)));
    d_clock_is_known = clock && (*clock)["coarse"].number().value_or(0) > 0;
    if (d_clock_is_known)
        the_planner().clock = fftw_clock::coarse;
    d_known = d_wisdom.find(kind, key);
    if (!d_known.empty() && !import_fftw_wisdom(d_known)) {
        d_wisdom.forget(kind, key);
        d_known.clear();
    }
}

void fftw_memory::recall_once(wisdom& all)
{
    static std::mutex mutex;
    static auto& recalled = *new std::set<std::string>;
    {
        const std::lock_guard<std::mutex> guard(mutex);
        if (!recalled.insert(all.path()).second)
            return;
    }
    const fftw_memory remembered(all);
}

void fftw_memory::save()
{
    const auto text = export_fftw_wisdom();
    if (!d_clock_is_known && the_planner().clock == fftw_clock::coarse) {
        d_wisdom.store(clock_kind, clock_key_of(text), coarse_clock);
        d_clock_is_known = true;
    }
    if (sorted_lines(text) == sorted_lines(d_known))
        return;
    d_wisdom.store(kind, key_of(text), text);
    d_known = text;
}

} // namespace cldsp
