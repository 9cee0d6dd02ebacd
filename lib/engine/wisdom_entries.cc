/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "wisdom.h"

#include <cldsp/locked_file.h>

namespace cldsp {

std::vector<wisdom::entry> wisdom::entries()
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    if (!d_path.empty())
        take(usable(read_locked(d_path)));
    std::vector<entry> all;
    for (const auto& [kind, answers] : d_content)
        for (const auto& [key, answer] : answers)
            all.push_back({ kind, key, answer.text, answer.time });
    return all;
}

std::size_t wisdom::clear(const std::string& kind)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    std::size_t dropped = 0;
    const auto drop = [&](content& all) {
        dropped = 0;
        for (auto it = all.begin(); it != all.end();) {
            if (!kind.empty() && it->first != kind) {
                ++it;
                continue;
            }
            dropped += it->second.size();
            it = all.erase(it);
        }
    };
    drop(d_content);
    if (!d_path.empty() && read_locked(d_path))
        update_locked(d_path, [&](const std::optional<std::string>& bytes) {
            // What is damaged goes, too: nothing in it could be kept.
            std::string reason;
            content all = bytes ? parse(*bytes, reason).value_or(content()) : content();
            drop(all);
            return print(all);
        });
    return dropped;
}

} // namespace cldsp
