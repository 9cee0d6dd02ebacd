// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A SigMF recording in an archive, which is read in place.

#pragma once

#include "channelize/input_file.h"
#include "channelize/sigmf.h"
#include "channelize/tar.h"

#include <optional>
#include <string>

namespace cldsp::app {

//! A SigMF recording in an archive, which is read in place.
class sigmf_archive
{
public:
    /*!
     * Reads the metadata, and goes to the file of samples. In a stream the metadata have
     * to come first.
     *
     * \param file stands at the archive's beginning, and has to outlive this object
     * \throws std::runtime_error that names the archive and its fault
     */
    explicit sigmf_archive(input_file& file);

    const recording& head() const { return d_found.head; }
    //! The bytes of samples that the archive lacks, because it is truncated; 0 in a
    //! stream.
    std::uint64_t missing_bytes() const { return d_missing; }
    //! Looks in a stream for what follows the samples. \return one line about a further
    //! recording or other samples, which were not read; empty if there are none
    //! \throws std::runtime_error if what follows is damaged
    std::string problem_behind();

private:
    void find_in_file();
    void find_in_stream();
    void take_metadata(const tar_member& member);
    [[noreturn]] void fail(const std::string& why) const;

    input_file& d_file;
    tar_reader d_tar;
    std::string d_meta_name; // empty: the metadata have not come yet
    sigmf_recording d_found;
    std::uint64_t d_missing = 0;
};

} // namespace cldsp::app
