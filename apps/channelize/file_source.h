/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/file_descriptor.h"
#include "channelize/recording.h"
#include "channelize/sample_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

//! The user's settings for the input.
struct source_wish {
    std::string file; //!< a file's name, or "-" for the standard input
    std::string type; //!< of raw samples, or "wav"; empty: by the ending of the name
    std::optional<double> rate, center; //!< replace those of the file
};

/*!
 * The samples of a file or of the standard input, in SigMF, WAV or raw format. A file is
 * read piece by piece and never held in memory.
 */
class file_source final : public sample_source
{
public:
    /*!
     * \throws std::invalid_argument for a wish that is not complete or wrong
     * \throws std::runtime_error that names the file, if it cannot be read or is damaged
     */
    explicit file_source(const source_wish& wish);

    const std::string& name() const override { return d_name; }
    sample_type type() const override { return d_head.format.type(); }
    double rate() const override { return *d_head.rate; }
    std::optional<double> center() const override { return d_head.center; }
    std::string datetime() const override { return d_head.datetime; }
    std::optional<std::uint64_t> items() const override;
    bool is_stream() const override { return d_stream; }
    std::size_t read(void* items, std::size_t room) override;
    std::string problem() const override { return d_problem; }

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
