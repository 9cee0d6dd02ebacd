// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Two threads, one that enqueues pieces and one that brings their outputs back.

#include "opencl/piece_overlap.h"

#include <condition_variable>
#include <system_error>
#include <mutex>

namespace cldsp {

bool piece_overlap::has_threads()
{
    try {
        if (!d_sides)
            d_sides = std::make_unique<thread_pool>(2);
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

void piece_overlap::run(const steps& call)
{
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t enqueued = 0, finished = 0;
    bool at_end = false; // everything is enqueued, or an error has ended one side
    const auto enqueue_all = [&] {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return at_end || enqueued - finished < pipelines; });
            if (at_end || !call.take())
                return;
            lock.unlock();
            call.enqueue(enqueued % pipelines);
            lock.lock();
            ++enqueued;
            changed.notify_one();
        }
    };
    const auto finish_all = [&] {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return at_end || enqueued > finished; });
            if (enqueued == finished)
                return;
            const std::size_t pipeline = finished % pipelines;
            lock.unlock();
            call.finish(pipeline);
            lock.lock();
            call.note(pipeline);
            ++finished;
            changed.notify_one();
        }
    };
    d_sides->parallel_for(2, [&](std::size_t side, unsigned) {
        const auto end = [&] {
            const std::lock_guard<std::mutex> guard(mutex);
            at_end = true;
            changed.notify_one();
        };
        try {
            side == 0 ? enqueue_all() : finish_all();
        } catch (...) {
            end();
            throw;
        }
        end();
    });
}

} // namespace cldsp
