// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads, merges and writes the file of measurements, and survives damaged files.

#include <cldsp/wisdom.h>

#include "base/engine_threads.h"
#include "base/forks.h"
#include "base/json_value.h"
#include "storage/json_depth.h"

#include <cldsp/errors.h>
#include <cldsp/locked_file.h>

#include <system_error>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace cldsp {

namespace {

//! A parsed file.
struct parsed_wisdom {
    wisdom::content content;
    std::string fault;  //!< why the file cannot be used; empty: it can be used
    bool newer = false; //!< the reason is that a newer version wrote the file
};

parsed_wisdom unusable(const std::string& fault, bool newer = false)
{
    parsed_wisdom file;
    file.fault = fault;
    file.newer = newer;
    return file;
}

static_assert(wisdom::max_depth == json_value::max_depth);

bool is_too_deep(const std::string& text)
{
    return is_nested_deeper(text, wisdom::max_depth);
}

//! Parses a file. Entries of another shape, entries longer than wisdom::max_answer_bytes
//! and entries nested deeper than wisdom::max_depth are left out.
parsed_wisdom parse_wisdom(const std::string& bytes)
{
    if (is_too_deep(bytes))
        return unusable("it is nested more than " + std::to_string(wisdom::max_depth) +
                        " levels deep");
    const auto parsed = json_value::parse(bytes).value_or(json_value());
    if (!parsed.is_object())
        return unusable("it is damaged");
    const auto version = parsed["format"].integer();
    if (!version)
        return unusable("it has no format");
    if (*version != wisdom::format)
        return unusable("its format is " + std::to_string(*version) +
                            ", and this version reads " + std::to_string(wisdom::format),
                        *version > wisdom::format);
    parsed_wisdom file;
    for (const auto& [kind, answers] : parsed.members())
        for (const auto& [key, entry] : answers.members()) {
            const auto time = entry["time"].integer();
            if (!time || entry.members().count("answer") == 0)
                continue;
            const auto text = entry["answer"].text();
            std::string answer = text ? std::string(*text) : entry["answer"].print();
            if (answer.size() > wisdom::max_answer_bytes || is_too_deep(answer))
                continue;
            file.content[kind][key] = { std::move(answer), *time };
        }
    return file;
}

std::string print_wisdom(const wisdom::content& all)
{
    json_value::object file;
    file["format"] = wisdom::format;
    for (const auto& [kind, answers] : all) {
        json_value::object entries;
        for (const auto& [key, answer] : answers) {
            auto value = json_value::parse(answer.text);
            if (!value || !value->is_object())
                value = answer.text;
            entries[key] = json_value::object{ { "answer", *std::move(value) },
                                               { "time", answer.time } };
        }
        file[kind] = std::move(entries);
    }
    return json_value(std::move(file)).print(1) + "\n";
}

//! Thrown where a file must not be replaced because a newer version wrote it.
class newer_wisdom : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

std::int64_t seconds_since_1970()
{
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

//! Drops the oldest answers of each kind beyond \p max_answers.
void trim(wisdom::content& all, std::size_t max_answers = wisdom::max_answers)
{
    for (auto& [kind, answers] : all) {
        if (answers.size() <= max_answers)
            continue;
        std::vector<std::pair<std::int64_t, std::string>> ages;
        for (const auto& [key, answer] : answers)
            ages.emplace_back(answer.time, key);
        std::sort(ages.begin(), ages.end());
        ages.resize(answers.size() - max_answers);
        for (const auto& [time, key] : ages)
            answers.erase(key);
    }
}

std::string damaged_path(const std::string& path) { return path + ".damaged"; }

//! Adds \p fresh answers to \p all. If both have an answer for a key, the younger one
//! stays.
wisdom::import_result merge(wisdom::content& all, const wisdom::content& fresh)
{
    wisdom::import_result result;
    for (const auto& [kind, answers] : fresh)
        for (const auto& [key, answer] : answers) {
            const auto [mine, missing] = all[kind].emplace(key, answer);
            if (missing) {
                result.added++;
            } else if (mine->second.time < answer.time) {
                mine->second = answer;
                result.replaced++;
            } else {
                result.kept++;
            }
        }
    return result;
}

std::size_t erase(wisdom::content& all, const std::string& kind)
{
    std::size_t count = 0;
    for (const auto& [name, answers] : all)
        if (kind.empty() || name == kind)
            count += answers.size();
    if (kind.empty())
        all.clear();
    else
        all.erase(kind);
    return count;
}

//! The file's text. Drops the oldest answers until the text is small enough to be read
//! again.
std::string print_within_bounds(wisdom::content& all)
{
    for (std::size_t most = wisdom::max_answers;; most /= 2) {
        trim(all, most);
        auto text = print_wisdom(all);
        if (text.size() <= wisdom::max_file_bytes || most == 0)
            return text;
    }
}

//! Runs an action that uses the answers. Blocks and their streams may wait for this lock,
//! which is held while the file is written, and a child of fork() needs it.
template <class Action>
auto locked(std::mutex& answers, const Action& action)
{
    return at_normal_priority([&] {
        const fork_delay no_fork;
        const std::lock_guard<std::mutex> guard(answers);
        return action();
    });
}

} // namespace

wisdom::wisdom(const std::string& folder,
               logger log,
               double max_lock_seconds,
               std::shared_ptr<owner_gate> owner)
    : d_path(folder.empty() ? "" : folder + "/wisdom.json"),
      d_log(std::move(log)),
      d_waiting(
          d_log, max_lock_seconds, lock_waiting::default_told_seconds, std::move(owner))
{
}

std::string wisdom::find(const std::string& kind, const std::string& key)
{
    return locked(d_mutex, [&]() -> std::string {
        // Another process may have written the missing answer by now.
        if (!known(kind, key))
            read();
        const auto* found = known(kind, key);
        return found ? found->text : "";
    });
}

void wisdom::store(const std::string& kind,
                   const std::string& key,
                   const std::string& text)
{
    locked(d_mutex, [&] {
        const answer fresh{ text, seconds_since_1970() };
        if (text.size() > max_answer_bytes)
            keep_in_memory(kind, key, fresh);
        else
            try_update([&](content& all) { all[kind][key] = fresh; });
    });
}

void wisdom::store_in_memory(const std::string& kind,
                             const std::string& key,
                             const std::string& text)
{
    locked(d_mutex, [&] { keep_in_memory(kind, key, { text, seconds_since_1970() }); });
}

void wisdom::keep_in_memory(const std::string& kind, const std::string& key, answer fresh)
{
    d_content[kind][key] = std::move(fresh);
    trim(d_content);
}

void wisdom::forget(const std::string& kind, const std::string& key)
{
    locked(d_mutex, [&] {
        try_update([&](content& all) {
            const auto found = all.find(kind);
            if (found != all.end())
                found->second.erase(key);
        });
    });
}

wisdom::content wisdom::all(const std::string& kind)
{
    return locked(d_mutex, [&]() -> content {
        read();
        if (kind.empty())
            return d_content;
        const auto found = d_content.find(kind);
        return found == d_content.end() ? content{} : content{ *found };
    });
}

std::vector<wisdom::entry> wisdom::entries(const std::string& kind)
{
    std::vector<entry> list;
    for (const auto& [name, answers] : all(kind))
        for (const auto& [key, answer] : answers)
            list.push_back({ name, key, answer.text, answer.time });
    return list;
}

std::string wisdom::export_text(const std::string& kind)
{
    return print_wisdom(all(kind));
}

wisdom::import_result wisdom::import_text(const std::string& text)
{
    const auto file = parse_wisdom(text);
    if (!file.fault.empty())
        throw std::invalid_argument("this wisdom cannot be imported: " + file.fault);
    return locked(d_mutex, [&] {
        read();
        import_result result;
        update([&](content& all) {
            // The change is applied to the memory first, which already has the file's
            // answers.
            const auto merged = merge(all, file.content);
            if (&all == &d_content)
                result = merged;
        });
        return result;
    });
}

std::size_t wisdom::clear(const std::string& kind)
{
    return locked(d_mutex, [&] {
        if (kind.empty() && !d_path.empty()) {
            std::optional<std::string> bytes;
            bool is_there = true;
            try {
                bytes = read_file(d_path, max_file_bytes);
                is_there = bytes.has_value();
            } catch (const std::system_error&) {
                // A file that cannot be read is replaced too.
            }
            merge(d_content, bytes ? parse_wisdom(*bytes).content : content{});
            const std::size_t count = erase(d_content, kind);
            if (is_there)
                write_locked(d_path, print_wisdom({}), d_waiting);
            return count;
        }
        read();
        std::size_t count = 0;
        update([&](content& all) {
            const std::size_t erased = erase(all, kind);
            if (&all == &d_content)
                count = erased;
        });
        return count;
    });
}

const wisdom::answer* wisdom::known(const std::string& kind, const std::string& key) const
{
    const auto answers = d_content.find(kind);
    if (answers == d_content.end())
        return nullptr;
    const auto found = answers->second.find(key);
    return found == answers->second.end() ? nullptr : &found->second;
}

//! Adds the answers of the file to those in memory.
void wisdom::read()
{
    if (d_path.empty())
        return;
    // The stamp is older than what is read, or the same.
    const auto stamp = stamp_of(d_path);
    if (stamp && stamp == d_read)
        return;
    try {
        take(read_file(d_path, max_file_bytes), d_content);
        d_read = stamp;
    } catch (const std::system_error& e) {
        tell_once(d_failure_told,
                  "what was measured earlier is not known, and measurements are not kept "
                  "for the next time: " +
                      std::string(e.what()));
    }
}

//! Applies a change to the memory and to the file's present content.
template <class Change>
void wisdom::update(const Change& change)
{
    change(d_content);
    trim(d_content);
    if (d_path.empty())
        return;
    const auto changed = [&](const std::optional<std::string>& bytes) {
        content all;
        const file_use use = take(bytes, all);
        if (use == file_use::leave_alone)
            throw newer_wisdom(d_path + " is from a newer version, and left alone");
        if (use == file_use::keep_and_replace)
            keep_damaged_file();
        change(all);
        return print_within_bounds(all);
    };
    update_locked(d_path, max_file_bytes, changed, d_waiting);
}

//! The same as update(), but only warns if the file cannot be written.
template <class Change>
void wisdom::try_update(const Change& change)
{
    try {
        update(change);
    } catch (const newer_wisdom&) {
        // A warning was logged when the file was read.
    } catch (const std::exception& e) {
        tell_once(d_failure_told,
                  std::string("measurements are not kept for the next time: ") +
                      e.what());
    }
}

//! Adds the answers in a file's bytes, and warns if they cannot be used.
wisdom::file_use wisdom::take(const std::optional<std::string>& bytes, content& all)
{
    if (!bytes)
        return file_use::replace;
    const auto file = parse_wisdom(*bytes);
    merge(all, file.content);
    if (file.fault.empty())
        return file_use::replace;
    tell_once(d_damage_told,
              d_path +
                  (file.newer ? " is left alone, and measurements are not kept for "
                                "the next time: "
                              : " is passed over, and will be written anew and kept as " +
                                    damaged_path(d_path) + ": ") +
                  file.fault);
    return file.newer ? file_use::leave_alone : file_use::keep_and_replace;
}

//! Keeps a copy of the damaged file under another name. The file also stays in its place,
//! so that the new file gets its mode and owner.
void wisdom::keep_damaged_file() const
{
    const auto kept = damaged_path(d_path);
    std::error_code error;
    std::filesystem::remove(kept, error);
    std::filesystem::create_hard_link(d_path, kept, error);
    if (error) // not every file system has such links
        std::filesystem::rename(d_path, kept);
}

void wisdom::tell_once(bool& told, const std::string& text) const
{
    if (!std::exchange(told, true))
        log_to(d_log, log_level::warning, text);
}

} // namespace cldsp
