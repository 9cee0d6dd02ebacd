/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/file_descriptor.h"
#include "channelize/recording.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

//! What the user says of the input.
struct source_wish {
    std::string file; //!< a file's name, or "-" for the standard input
    std::string type; //!< of raw samples, or "wav"; empty: by the ending of the name
    std::optional<double> rate, center; //!< replace those of the file
};

/*!
 * The samples of a file or of the standard input: SigMF, WAV or raw. Nothing of a file is
 * kept in memory.
 */
class sample_source
{
public:
    /*!
     * \throws std::invalid_argument for a wish that is not complete or wrong
     * \throws std::runtime_error that names the file, if it cannot be read or is damaged
     */
    explicit sample_source(const source_wish& wish);

    const std::string& name() const { return d_name; }
    sample_type type() const { return d_head.format.type(); }
    double rate() const { return *d_head.rate; }
    //! The frequency at 0 Hz of the samples, if it is known.
    const std::optional<double>& center() const { return d_head.center; }
    const std::string& datetime() const { return d_head.datetime; }
    //! The number of items that there are to be read; empty: it is not known.
    std::optional<std::uint64_t> items() const;
    //! Whether items come at their own pace, as from a pipe.
    bool is_stream() const { return d_stream; }

    /*!
     * Reads items of type(). Those of a stream are given out as they come, but not in
     * much smaller pieces than a 50th of a second. A signal to stop ends the input.
     *
     * \return the number of items, at most \p room; 0 at the end
     * \throws std::runtime_error if reading fails
     */
    std::size_t read(void* items, std::size_t room);
    //! After the end: what is wrong with it, such as an incomplete item; or empty.
    const std::string& problem() const { return d_problem; }

private:
    void open(const std::string& file);
    void read_head(const source_wish& wish);
    void read_fully(unsigned char* to, std::size_t bytes);
    std::size_t read_some(unsigned char* to, std::size_t bytes);
    void note_end(std::size_t left_over);

    std::string d_name;
    file_descriptor d_file;
    recording d_head;
    bool d_stream = false;
    bool d_ended = false;
    std::string d_problem;
    std::optional<std::uint64_t> d_left;  // bytes of the samples
    std::vector<unsigned char> d_foreign; // items of the file before they are converted
    std::vector<unsigned char> d_begun;   // the first bytes of the next item
};

} // namespace cldsp::app
