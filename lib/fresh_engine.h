/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FRESH_ENGINE_H
#define INCLUDED_CLDSP_FRESH_ENGINE_H

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace gr {
namespace cldsp {

//! \brief An engine that another thread has made, until the block's thread takes it.
template <class ENGINE>
class fresh_engine
{
public:
    //! Any thread; an earlier one that was not taken is dropped.
    void offer(ENGINE engine)
    {
        auto fresh = std::make_unique<ENGINE>(std::move(engine));
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fresh.swap(fresh);
    }

    //! Hands what was offered to \p use; false if nothing was.
    template <class USE>
    bool take(USE&& use)
    {
        return take_if([](const ENGINE&) { return true; }, std::forward<USE>(use));
    }

    //! As take(), of what \p fits; what does not is kept for a later call.
    template <class FITS, class USE>
    bool take_if(FITS&& fits, USE&& use)
    {
        std::unique_ptr<ENGINE> fresh;
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            if (d_fresh && fits(std::as_const(*d_fresh)))
                fresh = std::move(d_fresh);
        }
        if (!fresh)
            return false;
        use(std::move(*fresh));
        d_taken++;
        return true;
    }

    //! Puts it in the place of \p engine.
    bool take(ENGINE& engine)
    {
        return take([&](ENGINE&& fresh) { engine = std::move(fresh); });
    }

    //! How often; for the thread that takes them alone.
    std::size_t taken() const { return d_taken; }

private:
    std::mutex d_mutex; // of d_fresh
    std::unique_ptr<ENGINE> d_fresh;
    std::size_t d_taken = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FRESH_ENGINE_H */
