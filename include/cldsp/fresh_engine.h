// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Hands an engine that another thread has made to the thread of the block.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace cldsp {

/*!
 * \brief Holds an engine that another thread has made, until the thread of the block
 * takes it.
 *
 * Such engines are made in the background, by a replanner, and by choose_again() of a
 * block, which a probe calls.
 */
template <class ENGINE>
class fresh_engine
{
public:
    //! Offers an engine. An earlier one that was not taken is dropped. Any thread may
    //! call this.
    void offer(ENGINE engine)
    {
        auto fresh = std::make_unique<ENGINE>(std::move(engine));
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fresh.swap(fresh);
        d_waits = true;
    }

    //! Passes the offered engine to \p use; returns false if there is none, or if another
    //! thread is just offering one, which then waits for the next call. A stream must not
    //! wait for a thread that plans, which gets the processor last.
    template <class USE>
    bool take(USE&& use)
    {
        return take_if([](const ENGINE&) { return true; }, std::forward<USE>(use));
    }

    //! As take(), if \p fits returns true for the engine; otherwise the engine stays for
    //! a later call.
    template <class FITS, class USE>
    bool take_if(FITS&& fits, USE&& use)
    {
        if (!d_waits)
            return false;
        std::unique_ptr<ENGINE> fresh;
        {
            const std::unique_lock<std::mutex> lock(d_mutex, std::try_to_lock);
            if (lock && d_fresh && fits(std::as_const(*d_fresh)))
                fresh = std::move(d_fresh);
            d_waits = d_fresh != nullptr;
        }
        if (!fresh)
            return false;
        use(std::move(*fresh));
        d_taken++;
        return true;
    }

    //! Replaces \p engine by the offered engine; returns false if there is none.
    bool take(ENGINE& engine)
    {
        return take([&](ENGINE&& fresh) { engine = std::move(fresh); });
    }

    //! Whether an engine waits to be taken.
    const std::atomic<bool>& waits() const { return d_waits; }
    //! The number of engines that were taken. Only the thread that takes them may call
    //! this.
    std::size_t taken() const { return d_taken; }

private:
    std::mutex d_mutex;                 // guards d_fresh
    std::atomic<bool> d_waits{ false }; // an engine; few calls find one
    std::unique_ptr<ENGINE> d_fresh;
    std::size_t d_taken = 0;
};

} // namespace cldsp
