// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A context with a small kernel in a folder of its own, for tests.

#pragma once

#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/context.h>

#include <cppunit/TestFixture.h>

#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Tests of a context, with a kernel in a separate folder.
class context_fixture : public CppUnit::TestFixture
{
public:
    void setUp() override
    {
        d_folder.write("toy.cl", toy);
        auto options = make_test_registry().options();
        options.kernel_path = d_folder.path();
        options.disk_cache = false;
        d_registry = std::make_unique<context_registry>(options);
        d_context = d_registry->get(test_device());
    }

protected:
    // Enqueues a kernel that adds to a few numbers, and returns the kernel's event.
    cl::Event enqueue(const cl::CommandQueue& queue,
                      const cl::Buffer& numbers,
                      const std::vector<cl::Event>* after = nullptr)
    {
        cl::Kernel kernel(d_context->build("toy", ""), "toy");
        kernel.setArg(0, numbers);
        kernel.setArg(1, 3);
        cl::Event event;
        queue.enqueueNDRangeKernel(
            kernel, cl::NullRange, cl::NDRange(4), cl::NDRange(1), after, &event);
        return event;
    }

    cl::Buffer numbers(std::vector<int> values)
    {
        return cl::Buffer(d_context->cl_context(),
                          CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          values.size() * sizeof(int),
                          values.data());
    }

    temporary_folder d_folder;
    std::unique_ptr<context_registry> d_registry;
    std::shared_ptr<context> d_context;

    static constexpr auto toy = "__kernel void toy(__global int* x, int add)\n"
                                "{ x[get_global_id(0)] += add; }\n";
};

} // namespace cldsp
