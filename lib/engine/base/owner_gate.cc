// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts who is inside, and lets the owner wait for them.

#include "base/owner_gate.h"

#include "base/engine_threads.h"
#include "base/forks.h"

#include <algorithm>

namespace cldsp {

bool owner_gate::pass(const std::function<void()>& action)
{
    return at_normal_priority([&] { return pass_now(action); });
}

bool owner_gate::pass_now(const std::function<void()>& action)
{
    const auto self = std::this_thread::get_id();
    {
        const fork_delay no_fork;
        const std::lock_guard<std::mutex> guard(d_mutex);
        // Who is inside already keeps the owner waiting.
        if (d_closed && !is_inside(self))
            return false;
        d_inside.push_back(self);
    }
    struct leaving {
        owner_gate& gate;
        const std::thread::id thread;
        ~leaving()
        {
            const std::lock_guard<std::mutex> guard(gate.d_mutex);
            auto& inside = gate.d_inside;
            inside.erase(std::find(inside.begin(), inside.end(), thread));
            gate.d_left.notify_all();
        }
    } const left{ *this, self };
    action();
    return true;
}

void owner_gate::close()
{
    const auto self = std::this_thread::get_id();
    std::unique_lock<std::mutex> lock(d_mutex);
    d_closed = true;
    // An action may end the owner itself, and would wait for itself.
    d_left.wait(lock, [&] {
        return std::all_of(d_inside.begin(), d_inside.end(), [&](const auto& thread) {
            return thread == self;
        });
    });
}

bool owner_gate::is_closed() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_closed;
}

bool owner_gate::is_inside(std::thread::id thread) const
{
    return std::find(d_inside.begin(), d_inside.end(), thread) != d_inside.end();
}

} // namespace cldsp
