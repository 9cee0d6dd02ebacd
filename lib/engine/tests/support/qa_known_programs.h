// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Builds a program that was built before from its binary, to save the compiler's time.

#pragma once

#include "tests/support/qa_opencl_layer.h"

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

/*!
 * The part of a layer that builds programs from their binaries if they have been built
 * before in this process, because drivers take most of the time of small runs to compile.
 * The caller has a program that is made from a source, as it asked for. Behind it there
 * is another one, from which kernels are made. Both are kept until forget(), so that no
 * other program gets their addresses.
 */
class known_programs
{
public:
    cl_int treat(opencl_call& call, const std::function<cl_int()>& run)
    {
        const auto* const source = call.of(&clCreateProgramWithSource);
        const auto* const build_of = call.of(&clBuildProgram);
        const bool is_of_built = call.is(&clCreateKernel) || call.is(&clGetProgramInfo) ||
                                 call.is(&clGetProgramBuildInfo);
        if (!source && !build_of && !is_of_built)
            return run();
        const std::lock_guard<std::mutex> guard(d_mutex);
        const auto program = static_cast<cl_program>(call.object);
        if (build_of && d_sources.count(program)) {
            const auto& [same, count, devices, options, notify, data] = *build_of;
            if (count == 1 && !notify)
                return build(program, devices[0], options ? options : "", run);
        }
        if (is_of_built && d_built.count(program))
            call.object = d_built[program];
        const cl_int error = run();
        if (source && call.made)
            note(*source, static_cast<cl_program>(call.made));
        return error;
    }

    void forget()
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        for (const auto program : d_kept)
            CLDSP_DRIVER(clReleaseProgram)(program);
        d_kept.clear();
        d_sources.clear();
        d_built.clear();
    }

private:
    using bytes = std::vector<unsigned char>;

    template <class Arguments>
    void note(const Arguments& arguments, cl_program program)
    {
        const auto& [context, count, texts, lengths, error] = arguments;
        auto& source = d_sources[program];
        source.clear();
        for (cl_uint i = 0; i < count; ++i)
            source.append(texts[i],
                          lengths && lengths[i] ? lengths[i] : std::strlen(texts[i]));
        CLDSP_DRIVER(clRetainProgram)(program);
        d_kept.push_back(program);
    }

    cl_int build(cl_program program,
                 cl_device_id device,
                 const std::string& options,
                 const std::function<cl_int()>& run)
    {
        auto& binary = d_binaries[{ d_sources[program], options }];
        if (!binary.empty())
            if (const auto built = from(binary, program, device, options)) {
                d_built[program] = built;
                return CL_SUCCESS;
            }
        const cl_int error = run();
        if (error == CL_SUCCESS)
            binary = binary_of(program);
        return error;
    }

    // The program of one device.
    static bytes binary_of(cl_program program)
    {
        const auto tell = CLDSP_DRIVER(clGetProgramInfo);
        size_t size = 0, needed = 0;
        if (tell(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, &needed) !=
                CL_SUCCESS ||
            needed != sizeof(size))
            return {};
        bytes binary(size);
        unsigned char* to = binary.data();
        return tell(program, CL_PROGRAM_BINARIES, sizeof(to), &to, nullptr) == CL_SUCCESS
                   ? binary
                   : bytes();
    }

    cl_program from(const bytes& binary,
                    cl_program program,
                    cl_device_id device,
                    const std::string& options)
    {
        cl_context context = nullptr;
        CLDSP_DRIVER(clGetProgramInfo)
        (program, CL_PROGRAM_CONTEXT, sizeof(context), &context, nullptr);
        const size_t size = binary.size();
        const unsigned char* data = binary.data();
        cl_int error = CL_SUCCESS;
        const auto result = CLDSP_DRIVER(clCreateProgramWithBinary)(
            context, 1, &device, &size, &data, nullptr, &error);
        if (!result)
            return nullptr;
        d_kept.push_back(result);
        error = CLDSP_DRIVER(clBuildProgram)(
            result, 1, &device, options.c_str(), nullptr, nullptr);
        return error == CL_SUCCESS ? result : nullptr;
    }

    std::mutex d_mutex;
    std::map<std::pair<std::string, std::string>, bytes> d_binaries; // source, options
    std::map<cl_program, std::string> d_sources;
    std::map<cl_program, cl_program> d_built;
    std::vector<cl_program> d_kept; // one reference each
};

} // namespace cldsp
