// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps the list of running blocks, which may outlive every flowgraph.

#include "probe/running_blocks.h"
#include <algorithm>
#include <mutex>

namespace gr {
namespace cldsp {

namespace {

struct known_blocks {
    std::mutex mutex;
    std::vector<std::weak_ptr<gr::basic_block>> blocks;
    std::vector<std::weak_ptr<const std::function<void()>>> at_last_end;
};

// The list is never destroyed: a flowgraph may end after the static objects of this
// library.
known_blocks& known()
{
    static auto* const instance = new known_blocks;
    return *instance;
}

} // namespace

void add_running_block(const std::shared_ptr<gr::basic_block>& block)
{
    remove_running_block(*block);
    auto& all = known();
    const std::lock_guard<std::mutex> guard(all.mutex);
    all.blocks.push_back(block);
}

void remove_running_block(const gr::basic_block& block)
{
    std::vector<std::shared_ptr<const std::function<void()>>> actions;
    // If the last reference to a block is dropped here, the block is destroyed, which may
    // wait for its device. This must not happen while the mutex is locked.
    std::vector<std::shared_ptr<gr::basic_block>> held;
    {
        auto& all = known();
        const std::lock_guard<std::mutex> guard(all.mutex);
        const auto ended = [&](const std::weak_ptr<gr::basic_block>& other) {
            held.push_back(other.lock());
            return !held.back() || held.back().get() == &block;
        };
        const auto still = std::remove_if(all.blocks.begin(), all.blocks.end(), ended);
        const bool last = still == all.blocks.begin() && still != all.blocks.end();
        all.blocks.erase(still, all.blocks.end());
        if (last)
            for (const auto& action : all.at_last_end)
                if (auto kept = action.lock())
                    actions.push_back(std::move(kept));
    }
    for (const auto& action : actions)
        (*action)();
}

std::shared_ptr<const std::function<void()>> at_last_end(std::function<void()> action)
{
    auto kept = std::make_shared<const std::function<void()>>(std::move(action));
    auto& all = known();
    const std::lock_guard<std::mutex> guard(all.mutex);
    all.at_last_end.erase(std::remove_if(all.at_last_end.begin(),
                                         all.at_last_end.end(),
                                         [](const auto& old) { return old.expired(); }),
                          all.at_last_end.end());
    all.at_last_end.push_back(kept);
    return kept;
}

std::vector<std::shared_ptr<gr::basic_block>> running_blocks()
{
    std::vector<std::shared_ptr<gr::basic_block>> running;
    {
        auto& all = known();
        const std::lock_guard<std::mutex> guard(all.mutex);
        for (const auto& block : all.blocks)
            if (auto held = block.lock())
                running.push_back(std::move(held));
    }
    std::sort(running.begin(), running.end(), [](const auto& a, const auto& b) {
        return a->alias() < b->alias();
    });
    return running;
}

} // namespace cldsp
} // namespace gr
