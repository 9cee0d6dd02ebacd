// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads and writes the metadata of SigMF recordings.

#pragma once

#include "channelize/recording.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

/*
 * SigMF recordings. Each consists of a file of samples and a JSON file that describes
 * them; an archive has both files.
 */

constexpr const char* sigmf_meta_ending = ".sigmf-meta";
constexpr const char* sigmf_data_ending = ".sigmf-data";
constexpr std::uint64_t max_sigmf_meta_bytes = std::uint64_t(64) << 20;

//! Whether the file's name is that of one of the two files.
bool is_sigmf(const std::string& file);
//! Whether the file's name is that of an archive.
bool is_sigmf_archive(const std::string& file);
//! The file of the metadata. \param file either file of the pair
std::string sigmf_meta_file(const std::string& file);

struct sigmf_recording {
    recording head;
    std::string data_file;
    std::uint64_t trailing_bytes = 0; //!< at the end of the file of samples

    //! Bytes that are no samples, before the capture that begins with an item.
    struct header {
        std::uint64_t item = 0, bytes = 0;
    };
    std::vector<header> headers; //!< in their order
};

/*!
 * Reads a text of metadata. The file of samples is a name beside that of the metadata.
 *
 * \param file the name of the metadata
 * \throws std::runtime_error that names the file and its fault
 */
sigmf_recording parse_sigmf(const std::string& text, const std::string& file);

/*!
 * Tells where the samples are in a file of \p size bytes.
 *
 * \throws std::runtime_error if there is none
 */
void place_samples(sigmf_recording& found, std::uint64_t size);

/*!
 * Reads the metadata of a recording.
 *
 * \param file either of its two files
 * \throws std::runtime_error that names the file and its fault
 */
sigmf_recording read_sigmf(const std::string& file);

//! The values for the metadata of one channel.
struct sigmf_description {
    std::string datatype; //!< of SigMF, e.g. "cf32_le"
    double rate = 1;      //!< in Hz
    double frequency = 0; //!< in Hz
    std::string datetime; //!< of the first sample, or empty
    std::string text;     //!< a description of the samples for people

    //! What the metadata of the input say; null: nothing.
    std::shared_ptr<const sigmf_notes> notes;
    double width = 0;             //!< of the channel in Hz, both sides of the frequency
    double input_rate = 1;        //!< in Hz
    double delay = 0;             //!< in seconds, by which the samples are later
    std::optional<double> center; //!< of the input, if it is known
};
/*!
 * The text of the metadata file, which does not depend on the number of samples.
 *
 * It has the author and others that the input's metadata name, the times of its captures,
 * and the annotations that overlap the channel, at the samples of the channel.
 */
std::string sigmf_meta(const sigmf_description& of);

} // namespace cldsp::app
