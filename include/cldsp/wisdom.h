// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Remembered answers of measurements, in memory and in a file that processes share.

#pragma once

#include <cldsp/locked_file.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The stored answers of measurements on this machine, in memory and in the file
 * wisdom.json, which several processes may read and write at the same time. An answer is
 * a text, found by a kind and a key.
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
    //! The version of the file's format; answers of another version may mean something
    //! else.
    static constexpr int format = 1;
    //! The largest number of answers of one kind in the file; older ones are deleted.
    static constexpr std::size_t max_answers = 4096;
    //! The largest size of the file. A larger one is not read; before writing, the oldest
    //! answers are deleted to stay below it.
    static constexpr std::size_t max_file_bytes = std::size_t(16) << 20;
    //! The longest answer that is written to the file; a longer one stays in memory.
    static constexpr std::size_t max_answer_bytes = std::size_t(1) << 20;
    //! The deepest nesting of JSON; a file that is nested deeper counts as damaged.
    static constexpr std::size_t max_depth = 32;

    struct answer {
        std::string text;
        std::int64_t time = 0; //!< seconds since 1970
    };
    using answers = std::map<std::string, answer>;  //!< answers by their keys
    using content = std::map<std::string, answers>; //!< answers by their kinds

    //! \param folder the folder of the file; empty: no file, answers stay in memory
    //! \param log gets the reports on the file
    //! \param max_lock_seconds,owner see lock_waiting
    wisdom(const std::string& folder,
           logger log,
           double max_lock_seconds = lock_waiting::default_max_seconds,
           std::shared_ptr<owner_gate> owner = {});

    /*!
     * The answer to a key; empty: there is none.
     *
     * \param kind "plans", "checks", "tuning", "calibration", "roofline" or "fftw"
     * \param key a text with the problem and everything else on which the answer depends
     */
    std::string find(const std::string& kind, const std::string& key);
    //! Stores an answer in memory and in the file.
    //! \param kind,key as for find()
    //! \param text any text; a JSON object stays readable in the file
    void store(const std::string& kind, const std::string& key, const std::string& text);
    //! Stores an answer in memory only, for this process: one that may be different next
    //! time.
    void store_in_memory(const std::string& kind,
                         const std::string& key,
                         const std::string& text);
    //! Deletes an answer that has proved wrong.
    void forget(const std::string& kind, const std::string& key);

    //! All answers of one kind, from this process and from the file as it is now.
    //! \param kind the kind; empty: every kind
    content all(const std::string& kind = "");

    //! One answer, for a listing.
    struct entry {
        std::string kind, key, text;
        std::int64_t time = 0; //!< seconds since 1970
    };
    //! The answers of all() as a list, sorted by kind and key.
    std::vector<entry> entries(const std::string& kind = "");

    //! The answers of all() in the format of the file, for another machine or user.
    std::string export_text(const std::string& kind = "");

    //! The result of an import.
    struct import_result {
        std::size_t added = 0;
        std::size_t replaced = 0; //!< older answers, replaced by those in the text
        std::size_t kept = 0; //!< answers that are as new as those in the text, or newer
    };
    /*!
     * Adds the answers of \p text, which is a result of export_text() or the content of a
     * file wisdom.json. Of two answers to the same key the newer one stays.
     *
     * \throws std::invalid_argument if the text is damaged or of another format; nothing
     *         is changed then
     * \throws std::system_error if the file cannot be written; only the memory has the
     *         answers then
     * \throws std::runtime_error if the file here has a newer format; only the memory has
     *         the answers then
     */
    import_result import_text(const std::string& text);

    /*!
     * Deletes all answers, or the answers of one kind. If all are deleted, a file that is
     * damaged, of a newer format or not readable is deleted too.
     *
     * \param kind the kind; empty: every kind
     * \return the number of answers that were known
     * \throws std::system_error and std::runtime_error as import_text() does
     */
    std::size_t clear(const std::string& kind = "");

    //! The path of the file; empty: answers stay in memory.
    const std::string& path() const { return d_path; }

private:
    //! The way in which the present file may be used.
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
    std::optional<file_stamp> d_read; // of the file as read() has found it last
    bool d_damage_told = false, d_failure_told = false;
};

} // namespace cldsp
