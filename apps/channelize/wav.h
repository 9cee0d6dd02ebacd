// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The heads of WAV files, also of those larger than 4 GiB, and what follows the samples.

#pragma once

#include "channelize/recording.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace cldsp::app {

/*
 * WAV files, also those of more than 4 GiB (RF64 and BW64). One channel is a real signal,
 * two are I and Q.
 */

//! Reads \p bytes bytes, or throws.
using byte_reader = std::function<void(unsigned char* to, std::size_t bytes)>;

/*!
 * Reads the head, up to the first sample.
 *
 * \param name the file's name in the message of the exception
 * \param is_stream whether the file is a stream, whose writer did not know its length.
 * Sizes from 0x7ffff000 to 0x7fffffff, which programs write in this case, are ignored; in
 * a file, which may be a kept stream, only the first and the last of them are.
 *
 * \return the description of the samples: begin is the number of bytes that were read,
 * and bytes is what the head says, or empty if it has no valid size
 * \throws std::runtime_error that names the file and its fault
 */
recording
read_wav_head(const byte_reader& read, const std::string& name, bool is_stream = false);

/*!
 * Copies bytes that begin \p ahead bytes after some place of a file.
 *
 * \return the number of bytes, fewer than \p bytes only at the file's end
 */
using byte_peek =
    std::function<std::size_t(std::uint64_t ahead, unsigned char* to, std::size_t bytes)>;

//! What stands behind the samples of which the head of a WAV file tells.
enum class wav_rest {
    nothing, //!< the file ends, or less than one sample is left
    //! Chunks: each has an ID of four printable characters and a size that ends within
    //! the file, and the last one ends with the file.
    chunks,
    samples,     //!< anything else: the head says less than the file holds
    another_file //!< the head of another WAV file
};
/*!
 * Tells what follows the samples.
 *
 * \param peek reads from the end of the samples on
 * \param most the largest number of bytes that chunks may have altogether
 */
wav_rest wav_rest_of(const byte_peek& peek, std::size_t item_bytes, std::uint64_t most);
//! The chunks behind the samples of a stream have at most this many bytes, because they
//! are kept in memory until the last one is seen.
constexpr std::uint64_t wav_stream_rest = std::uint64_t(16) << 20;

//! The samples that a file has in truth.
struct wav_extent {
    std::uint64_t bytes = 0;
    wav_rest behind = wav_rest::nothing;
};
/*!
 * Tells how many bytes of samples a file has whose head says \p said. If samples follow
 * these, the sizes of the head may have wrapped at 4 GiB: then the samples end with the
 * file, or before chunks, some multiple of 4 GiB later. Else they reach to the file's
 * end.
 *
 * \param there the bytes from the first sample to the end of the file, at least \p said
 * \param peek reads from the first sample on
 */
wav_extent wav_extent_of(std::uint64_t said,
                         std::uint64_t there,
                         const byte_peek& peek,
                         std::size_t item_bytes);

//! The format of a WAV file to be written.
struct wav_format {
    unsigned channels = 1;
    bool is_float = true; //!< 32-bit floats, else 16-bit integers
    double rate = 1;      //!< in Hz; WAV has whole numbers
    //! Whether the head has room for the sizes of a file of more than 4 GiB (RF64). Many
    //! programs read only the plain head, of 44 bytes for integers.
    bool may_be_long = false;
};
//! The head of a file with \p bytes bytes of samples, which is always equally long. If
//! they are too many for a plain head, it says that they reach to the file's end.
std::string wav_head(const wav_format& of, std::uint64_t bytes);
//! The head of a stream of unknown length: a plain head with the size that sox uses for
//! this purpose.
std::string wav_stream_head(const wav_format& of);
//! The largest number of bytes of samples that the 32-bit sizes of a plain head can hold.
constexpr std::uint64_t max_plain_wav = 0xffffffffu - 1 - 50;

} // namespace cldsp::app
