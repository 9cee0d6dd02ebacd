// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads a tar archive in one pass, so that it may come through a pipe.

#pragma once

#include "channelize/input_file.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cldsp::app {

struct tar_member {
    std::string name; //!< with its folders
    std::uint64_t size = 0;
};

/*!
 * Reads a tar archive, of any of the forms that today's programs write (ustar, pax, GNU),
 * in place and in one pass, so that it may come through a pipe.
 */
class tar_reader
{
public:
    //! \param file stands at the archive's beginning, and has to outlive the reader
    explicit tar_reader(input_file& file) : d_file(file), d_next(file.position()) {}

    /*!
     * Goes to the contents of the next member that is a file. What the caller has not
     * read of the previous one is skipped.
     *
     * \return empty at the end of the archive
     * \throws std::runtime_error that names the archive and its fault
     */
    std::optional<tar_member> next();

private:
    std::string contents(std::uint64_t size);
    [[noreturn]] void fail(const std::string& why) const;

    input_file& d_file;
    std::uint64_t d_next; // the position of the next header
};

} // namespace cldsp::app
