/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "running_blocks.h"
#include <algorithm>
#include <mutex>

namespace gr {
namespace cldsp {

namespace {

struct known_blocks {
    std::mutex mutex;
    std::vector<std::weak_ptr<gr::basic_block>> blocks;
};

// Never destroyed: a flowgraph may end after this library's statics.
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
    auto& all = known();
    const std::lock_guard<std::mutex> guard(all.mutex);
    const auto ended = [&](const std::weak_ptr<gr::basic_block>& other) {
        const auto held = other.lock();
        return !held || held.get() == &block;
    };
    all.blocks.erase(std::remove_if(all.blocks.begin(), all.blocks.end(), ended),
                     all.blocks.end());
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
