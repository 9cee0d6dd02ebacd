// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows how exactly kernels multiply and add, with fma() and without it.

#include "opencl/commands.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_random_items.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

class qa_multiply_add : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_multiply_add);
    CPPUNIT_TEST(limits_decide);
    CPPUNIT_TEST(sums_are_within_the_bound);
    CPPUNIT_TEST_SUITE_END();

    //! The device under test, as if it had the instruction, or had not.
    static std::shared_ptr<context> device(bool fma, const std::string& folder)
    {
        auto info = test_device();
        info.limits.fma = fma;
        auto options = test_options();
        options.kernel_path = folder;
        return std::make_shared<context>(info, options);
    }

    //! What a kernel computes of some values: `result` is an expression of a and b, which
    //! point at two halves of them, and of their size n.
    static float computed(const context& on,
                          const temporary_folder& folder,
                          const std::string& result,
                          std::vector<float> values)
    {
        folder.write("toy.cl",
                     "#include \"portable.clh\"\n"
                     "HELPER float sum(__global const float* a, __global const float* b,"
                     " uint n)\n{\n    float s = 0.0f;\n"
                     "    for (uint i = 0; i < n; ++i)\n"
                     "        s = FMA(a[i], b[i], s);\n    return s;\n}\n"
                     "__kernel void toy(__global float* a, uint n)\n{\n"
                     "    __global float* b = a + n;\n    a[0] = " +
                         result + ";\n}\n");
        cl::Kernel kernel(on.build("toy", ""), "toy");
        const auto queue = on.make_queue();
        const cl::Buffer buffer(on.cl_context(),
                                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                values.size() * sizeof(float),
                                values.data());
        set_args(kernel, buffer, word(values.size() / 2));
        enqueue_kernel(on, queue, kernel, cl::NDRange(1), cl::NDRange(1));
        float found = 0;
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof(found), &found);
        return found;
    }

    void limits_decide()
    {
        const std::string answer = "\n#ifdef NO_FMA\n1.0f\n#else\n2.0f\n#endif\n";
        const temporary_folder folder;
        for (const bool fma : { false, true })
            CPPUNIT_ASSERT_EQUAL(
                fma ? 2.0f : 1.0f,
                computed(*device(fma, folder.path()), folder, answer, { 0, 0 }));
    }

    void sums_are_within_the_bound()
    {
        constexpr double half_unit = 0x1p-24;
        std::mt19937 random(1);
        std::uniform_real_distribution<float> value(-1, 1);
        const temporary_folder folder;
        for (const bool fma : { false, true }) {
            const auto on = device(fma, folder.path());
            for (const std::size_t n : { 1, 2, 64 })
                for (int i = 0; i < 20; ++i) {
                    std::vector<float> values(2 * n);
                    for (auto& v : values)
                        v = value(random);
                    double right = 0, magnitude = 0;
                    for (std::size_t k = 0; k < n; ++k) {
                        const double product = static_cast<double>(values[k]) *
                                               static_cast<double>(values[n + k]);
                        right += product;
                        magnitude += std::abs(product);
                    }
                    const double found = computed(*on, folder, "sum(a, b, n)", values);
                    const auto roundings = static_cast<double>(n + (fma ? 0 : 1));
                    CPPUNIT_ASSERT(std::abs(found - right) <=
                                   roundings * half_unit * magnitude * (1 + 1e-6));
                }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_multiply_add, "qa_multiply_add");
