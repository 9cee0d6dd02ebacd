/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/logger.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * What measurements on this machine have shown: texts by kind and key, in memory and in
 * the file wisdom.json, which other processes read and write at the same time.
 *
 * The file is JSON: `format`, and for each kind an object of keys with an `answer` (an
 * object where the text is one in JSON, else a string) and the `time` it was given, in
 * seconds since 1970. A file that is damaged or of another format is passed over with a
 * warning and replaced; one that cannot be written leaves the memory. Nothing here throws
 * for what a file holds. Thread-safe.
 */
class wisdom
{
public:
    //! The file's version; another one's answers mean something else.
    static constexpr int format = 1;
    //! Answers that a file keeps of one kind; the oldest ones go.
    static constexpr std::size_t most_answers = 4096;

    //! \param folder of the file; empty: memory only
    wisdom(const std::string& folder, logger log);

    //! The answer to a key; empty: none.
    std::string find(const std::string& kind, const std::string& key);
    void store(const std::string& kind, const std::string& key, const std::string& text);
    //! Drops an answer that has turned out wrong.
    void forget(const std::string& kind, const std::string& key);

    //! One answer as a person may look at it.
    struct entry {
        std::string kind, key, text;
        std::int64_t time; //!< seconds since 1970
    };
    //! Every answer in memory and in the file, by kind and key.
    std::vector<entry> entries();
    //! Drops all answers, those in the file, too; with \p kind of that kind only.
    //! \returns how many there were. \throws std::system_error if the file cannot be
    //! written
    std::size_t clear(const std::string& kind = "");

    //! Of the file; empty: memory only.
    const std::string& path() const { return d_path; }

private:
    struct answer {
        std::string text;
        std::int64_t time = 0;
    };
    using answers = std::map<std::string, answer>;  // by key
    using content = std::map<std::string, answers>; // by kind

    static std::optional<content> parse(const std::string& bytes, std::string& reason);
    static std::string print(const content& all);
    content usable(const std::optional<std::string>& bytes);
    const answer* known(const std::string& kind, const std::string& key) const;
    void take(content fresh);
    template <class Change>
    void update(const Change& change);

    std::string d_path;
    logger d_log;
    std::mutex d_mutex;
    content d_content;
    bool d_damage_told = false, d_failure_told = false;
};

} // namespace cldsp
