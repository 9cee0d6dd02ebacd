// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The samples of a file or of the standard input, piece by piece.

#pragma once

#include "channelize/input_file.h"
#include "channelize/recording.h"
#include "channelize/sample_source.h"
#include "channelize/sigmf_archive.h"
#include "channelize/wav.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

//! The user's settings for the input.
struct source_wish {
    std::string file; //!< a file's name, or "-" for the standard input
    //! Of raw samples, or "wav" or "sigmf"; empty: by the ending of the name.
    std::string type;
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

    const std::string& name() const override { return d_file.name(); }
    sample_type type() const override { return d_head.format.type(); }
    double rate() const override { return *d_head.rate; }
    std::optional<double> center() const override { return d_head.center; }
    std::string datetime() const override { return d_head.datetime; }
    std::shared_ptr<const sigmf_notes> notes() const override { return d_head.notes; }
    std::optional<std::uint64_t> items() const override;
    bool is_stream() const override { return d_file.is_stream(); }
    std::size_t read(void* items, std::size_t room) override;
    std::string problem() const override { return d_problem; }
    std::vector<std::string> remarks() const override { return d_head.remarks; }

private:
    void read_head(const source_wish& wish);
    void read_sigmf_files(const std::string& file);
    void read_archive();
    void read_wav();
    void take_name(const source_wish& wish);
    void compare_with_name(const source_wish& wish);
    void look_at_values(const void* items, std::size_t count);
    void move_datetime();
    std::size_t read_some(unsigned char* to, std::size_t bytes);
    std::size_t read_or_note(unsigned char* to, std::size_t bytes);
    void pass_gaps();
    void look_behind();
    void take_rest(wav_rest rest);
    std::string problem_behind();
    void note_end(std::size_t left_over);

    input_file d_file;
    recording d_head;
    std::unique_ptr<sigmf_archive> d_archive; // null: the input is none
    bool d_is_over = false; // there is no further sample, and what follows was not seen
    bool d_ended = false;
    std::string d_problem;
    std::optional<std::uint64_t> d_left;  // bytes of the samples
    std::uint64_t d_read = 0;             // bytes of the samples
    std::size_t d_gap = 0;                // the index of the next one
    bool d_is_wav_stream = false;         // whose size has not been checked
    bool d_has_absurd_values = false;     // which was told
    std::vector<unsigned char> d_foreign; // items of the file before they are converted
    std::vector<unsigned char> d_begun;   // the first bytes of the next item
};

} // namespace cldsp::app
