/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

/*
 * What programs have in common whose functions replace those of a library, to simulate
 * another driver. A program's own functions take precedence.
 */
namespace cldsp {

//! The library's function, which a function of the same name replaces.
template <class Function>
Function* replaced(const char* name, Function*)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

//! Answers a query as clGetDeviceInfo() does.
inline cl_int
answer(const void* from, std::size_t bytes, std::size_t size, void* value, size_t* needed)
{
    if (needed)
        *needed = bytes;
    if (value) {
        if (size < bytes)
            return CL_INVALID_VALUE;
        std::memcpy(value, from, bytes);
    }
    return CL_SUCCESS;
}

inline cl_int
answer(const std::string& text, std::size_t size, void* value, size_t* needed)
{
    return answer(text.c_str(), text.size() + 1, size, value, needed);
}

//! The device's extensions, by the library's clGetDeviceInfo(), and one more.
template <class Query>
std::string extensions_and(const char* more, const Query& query, cl_device_id device)
{
    std::size_t length = 0;
    query(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &length);
    std::vector<char> text(length);
    query(device, CL_DEVICE_EXTENSIONS, length, text.data(), nullptr);
    return std::string(text.data()) + ' ' + more;
}

} // namespace cldsp
