// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is a .npy file, as NumPy writes it or damaged.

#include "fuzz_support.h"

#include <gnuradio/cldsp/gemm.h>

#include <sys/mman.h>
#include <unistd.h>

namespace {

template <class T>
void load(const std::string& path)
{
    fuzz::taken([&] {
        const auto A = gr::cldsp::load_npy<T>(path);
        fuzz::require(!A.empty() && !A[0].empty(), "a matrix has elements");
        for (const auto& row : A)
            fuzz::require(row.size() == A[0].size(), "rows are equally long");
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const int file = ::memfd_create("npy", MFD_CLOEXEC);
    fuzz::require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size),
                  "a file can be written");
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    load<float>(path);
    load<gr_complex>(path);
    ::close(file);
    return 0;
}
