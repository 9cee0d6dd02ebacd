/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/locked_file.h>
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
 * The stored answers of measurements on this machine: texts by kind and key, in memory
 * and in the file wisdom.json, which other processes read and write at the same time.
 *
 * The file is JSON: `format`, and for each kind an object of keys with an `answer` (an
 * object if the text is one in JSON, else a string) and its `time` in seconds since 1970.
 * A file that is damaged or of an older format is ignored with a warning, renamed to
 * wisdom.json.damaged, and replaced. A file of a newer format, or one that cannot be
 * read, is left unchanged, with a warning, and the answers stay in memory. They also stay
 * in memory if the file cannot be written. Only import_text() and clear() throw.
 * Thread-safe.
 */
class wisdom
{
public:
    //! The file's version; answers of another version have another meaning.
    static constexpr int format = 1;
    //! Answers of one kind that a file keeps; older ones are deleted.
    static constexpr std::size_t max_answers = 4096;
    //! A larger file is not read; to write less, the oldest answers are deleted.
    static constexpr std::size_t max_file_bytes = std::size_t(16) << 20;
    //! A longer answer stays in memory.
    static constexpr std::size_t max_answer_bytes = std::size_t(1) << 20;
    //! A file that is nested deeper counts as damaged.
    static constexpr std::size_t max_depth = 32;

    struct answer {
        std::string text;
        std::int64_t time = 0; //!< seconds since 1970
    };
    using answers = std::map<std::string, answer>;  //!< by key
    using content = std::map<std::string, answers>; //!< by kind

    //! \param folder of the file; empty: memory only
    //! \param max_lock_seconds see lock_waiting
    wisdom(const std::string& folder,
           logger log,
           double max_lock_seconds = lock_waiting::default_max_seconds);

    /*!
     * The answer to a key; empty: none.
     *
     * \param kind "plans", "checks", "tuning", "calibration", "roofline" or "fftw"
     * \param key names the problem and all that the answer depends on
     */
    std::string find(const std::string& kind, const std::string& key);
    //! \param text any; an object in JSON can be read in the file
    void store(const std::string& kind, const std::string& key, const std::string& text);
    //! The same for this process alone: an answer that may be another one next time.
    void store_in_memory(const std::string& kind,
                         const std::string& key,
                         const std::string& text);
    //! Deletes an answer that has proved wrong.
    void forget(const std::string& kind, const std::string& key);

    //! All answers, of this process and of the file as it is now.
    //! \param kind empty: every kind
    content all(const std::string& kind = "");

    //! One answer, for a listing.
    struct entry {
        std::string kind, key, text;
        std::int64_t time = 0; //!< seconds since 1970
    };
    //! all(), by kind and key.
    std::vector<entry> entries(const std::string& kind = "");

    //! The same in the file's format, for another machine or user.
    std::string export_text(const std::string& kind = "");

    //! The result of an import.
    struct import_result {
        std::size_t added = 0;
        std::size_t replaced = 0; //!< by a newer answer
        std::size_t kept = 0; //!< because they are as new as those in the text, or newer
    };
    /*!
     * Merges the result of export_text(), or another file wisdom.json; of two answers to
     * one key the newer stays.
     *
     * \throws std::invalid_argument if the text is damaged or of another format, and
     *         nothing is changed; std::system_error, and for a newer file here
     *         std::runtime_error, if the file cannot be written: then only
     *         the memory has the answers
     */
    import_result import_text(const std::string& text);

    /*!
     * Deletes all answers, or those of one kind. With every kind, a file that is damaged,
     * newer or not readable is deleted too. \return the number of known answers. \throws
     * as import_text() does for the file
     */
    std::size_t clear(const std::string& kind = "");

    //! Of the file; empty: memory only.
    const std::string& path() const { return d_path; }

private:
    //! The access that the present file permits.
    enum class file_use { replace, keep_and_replace, leave_alone };

    file_use take(const std::optional<std::string>& bytes, content& all);
    void keep_in_memory(const std::string& kind, const std::string& key, answer fresh);
    void keep_damaged_file() const;
    void tell_once(bool& told, const std::string& text) const;
    const answer* known(const std::string& kind, const std::string& key) const;
    void read();
    template <class Change>
    void update(const Change& change);
    template <class Change>
    void try_update(const Change& change);

    std::string d_path;
    logger d_log;
    lock_waiting d_waiting;
    std::mutex d_mutex;
    content d_content;
    bool d_damage_told = false, d_failure_told = false;
};

} // namespace cldsp
