/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/recording.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace cldsp::app {

/*
 * WAV files, also those of more than 4 GiB (RF64). One channel is a real signal, two are
 * I and Q.
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
 * and bytes is empty if the head has no valid size
 * \throws std::runtime_error that names the file and its fault
 */
recording
read_wav_head(const byte_reader& read, const std::string& name, bool is_stream = false);

//! The format of a WAV file to be written.
struct wav_format {
    unsigned channels = 1;
    bool is_float = true; //!< 32-bit floats, else 16-bit integers
    double rate = 1;      //!< in Hz; WAV has whole numbers
    //! Whether the head has room for the sizes of a file of more than 4 GiB (RF64). Many
    //! programs read only the plain head of 44 bytes.
    bool may_be_long = false;
};
//! The head of a file with \p bytes bytes of samples, which is always equally long. If
//! they are too many for a plain head, it says that they reach to the file's end.
std::string wav_head(const wav_format& of, std::uint64_t bytes);
//! The head of a stream of unknown length: a plain head with the size that sox uses for
//! this purpose.
std::string wav_stream_head(const wav_format& of);
//! The largest number of bytes of samples that the 32-bit sizes of a plain head can hold.
constexpr std::uint64_t max_plain_wav = 0xffffffffu - 1 - 36;

} // namespace cldsp::app
