/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/recording.h"

#include <cstdint>
#include <string>

namespace cldsp::app {

/*
 * SigMF recordings. Each consists of a file of samples and a JSON file that describes
 * them.
 */

//! Whether the file's name is that of one of the two files.
bool is_sigmf(const std::string& file);
//! The file of the metadata. \param file either file of the pair
std::string sigmf_meta_file(const std::string& file);

struct sigmf_recording {
    recording head;
    std::string data_file;
};

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
};
//! The text of the metadata file, which does not depend on the number of samples.
std::string sigmf_meta(const sigmf_description& of);

/*!
 * A time that is \p seconds later than \p datetime, such as 2026-01-31T12:00:00.5Z.
 *
 * \return an empty text if \p datetime is none of ISO 8601 in UTC
 */
std::string later_datetime(const std::string& datetime, double seconds);
//! A time as later_datetime() takes it. \param nanoseconds since 1970
std::string datetime_of(std::int64_t nanoseconds);

} // namespace cldsp::app
