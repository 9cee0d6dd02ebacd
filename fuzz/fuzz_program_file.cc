// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is a file of the program cache.

#include "fuzz_support.h"

#include "storage/program_store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::bytes input(data, size);
    const std::size_t at = input.number(2);
    const std::uint8_t change = input.byte();
    const std::string key = input.text();
    const std::string rest = input.rest();

    // First, a file is read that another program has written, or that was damaged.
    std::string reason;
    const auto found = cldsp::unpack_program_file(rest, key, reason);
    fuzz::require(found.has_value() || !reason.empty(), "a refusal says why");
    if (found)
        fuzz::require(cldsp::pack_program_file(key, *found) == rest,
                      "a good file is what would be written");

    // Next, a correct file is read, and the same file with one byte changed.
    std::string file = cldsp::pack_program_file(key, rest);
    fuzz::require(cldsp::unpack_program_file(file, key, reason) == rest,
                  "a binary comes back");
    if (change != 0) {
        file[at % file.size()] ^= static_cast<char>(change);
        fuzz::require(!cldsp::unpack_program_file(file, key, reason),
                      "a changed byte is found");
    }
    file.resize(at % file.size());
    fuzz::require(!cldsp::unpack_program_file(file, key, reason),
                  "a missing end is found");
    return 0;
}
