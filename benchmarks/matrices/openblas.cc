// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds OpenBLAS's functions at run time, and calls them.

#include "matrices/openblas.h"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace cldsp::bench {

struct openblas::functions {
    using sgemm = void(int,
                       int,
                       int,
                       int,
                       int,
                       int,
                       float,
                       const float*,
                       int,
                       const float*,
                       int,
                       float,
                       float*,
                       int);
    using cgemm = void(int,
                       int,
                       int,
                       int,
                       int,
                       int,
                       const void*,
                       const void*,
                       int,
                       const void*,
                       int,
                       const void*,
                       void*,
                       int);

    void* library = nullptr; //!< stays loaded, because its threads live as long as the
                             //!< process
    sgemm* real = nullptr;
    cgemm* complex = nullptr;
    char* (*config)() = nullptr;
    char* (*core)() = nullptr;
    int (*threads)() = nullptr;

    template <class F>
    void find(F*& function, const char* name)
    {
        function = reinterpret_cast<F*>(dlsym(library, name));
        if (!function)
            throw std::runtime_error(std::string("OpenBLAS has no ") + name);
    }
};

openblas::openblas() : d_functions(std::make_unique<functions>())
{
    auto& f = *d_functions;
    for (const char* name : { "libopenblas.so.0", "libopenblas.so", "libopenblas.dylib" })
        if ((f.library = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
            break;
    if (!f.library)
        throw std::runtime_error(
            "OpenBLAS is not installed (Debian: libopenblas0-pthread)");
    f.find(f.real, "cblas_sgemm");
    f.find(f.complex, "cblas_cgemm");
    f.find(f.config, "openblas_get_config");
    f.find(f.core, "openblas_get_corename");
    f.find(f.threads, "openblas_get_num_threads");
    void (*set_threads)(int) = nullptr;
    f.find(set_threads, "openblas_set_num_threads");
    set_threads(static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)));
}

openblas::~openblas() = default;

void openblas::multiply(
    gemm_type type, const gemm_shape& shape, const void* a, const void* b, void* c) const
{
    constexpr int row_major = 101, as_it_is = 111; // constants of CBLAS
    const auto m = static_cast<int>(shape.m), n = static_cast<int>(shape.n),
               k = static_cast<int>(shape.k);
    if (type == gemm_type::f32) {
        d_functions->real(row_major,
                          as_it_is,
                          as_it_is,
                          m,
                          n,
                          k,
                          1,
                          static_cast<const float*>(a),
                          k,
                          static_cast<const float*>(b),
                          n,
                          0,
                          static_cast<float*>(c),
                          n);
    } else {
        const float one[2] = { 1, 0 }, zero[2] = { 0, 0 };
        d_functions->complex(
            row_major, as_it_is, as_it_is, m, n, k, one, a, k, b, n, zero, c, n);
    }
}

std::string openblas::describe() const
{
    return std::string(d_functions->config()) + "; kernels for " + d_functions->core() +
           ", " + std::to_string(d_functions->threads()) + " threads";
}

} // namespace cldsp::bench
