// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs everything once on a device that refuses what Mesa's driver for V3D refuses.

#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_correlator_support.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_opencl_layer.h"

#include <cldsp/correlator.h>
#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/roofline.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

// What a device of VideoCore VI says of its groups, and of those of a compiled kernel.
constexpr std::size_t device_group = 256, kernel_group = 32;

bool is_refused(const cldsp::opencl_call& call)
{
    const auto* const launch = call.of(&clEnqueueNDRangeKernel);
    const auto* const local = launch ? std::get<5>(*launch) : nullptr;
    std::size_t items = 1;
    for (cl_uint i = 0; local && i < std::get<2>(*launch); i++)
        items *= local[i];
    return items > kernel_group;
}

} // namespace

//! Lets each device pass for a V3D, which reports queues with profiling and refuses them.
//! The name of its platform is another one than rusticl's, for which none is asked for.
cl_int cldsp::treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    if (call.is(&clGetPlatformInfo) && call.what == CL_PLATFORM_NAME)
        return call.answer("A simulated driver");
    if (const auto* const queue = call.of(&clCreateCommandQueue))
        if (std::get<2>(*queue) & CL_QUEUE_PROFILING_ENABLE)
            return CL_INVALID_QUEUE_PROPERTIES;
    if (is_refused(call))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (call.is(&clGetKernelWorkGroupInfo) && call.what == CL_KERNEL_WORK_GROUP_SIZE) {
        std::size_t told = 0, actual = 0;
        auto* const value = std::exchange(call.value, &told);
        const auto size = std::exchange(call.size, sizeof(told));
        auto* const length = std::exchange(call.actual, &actual);
        const cl_int error = run();
        call.value = value;
        call.size = size;
        call.actual = length;
        return error == CL_SUCCESS ? call.answer(std::min(told, kernel_group)) : error;
    }
    if (!call.is(&clGetDeviceInfo))
        return run();
    switch (call.what) {
    case CL_DEVICE_TYPE:
        return call.answer(cl_device_type(CL_DEVICE_TYPE_GPU));
    case CL_DEVICE_PROFILE:
        return call.answer(std::string("EMBEDDED_PROFILE"));
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return call.answer(device_group);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        const std::size_t sizes[] = { device_group, device_group, device_group };
        return call.answer(sizes, sizeof(sizes));
    }
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return call.answer(cl_ulong(32768));
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return call.answer(cl_device_local_mem_type(CL_GLOBAL));
    case CL_DEVICE_ADDRESS_BITS:
        return call.answer(cl_uint(32));
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return call.answer(cl_uint(1));
    case CL_DEVICE_IMAGE_SUPPORT:
        return call.answer(cl_bool(CL_FALSE));
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return call.answer(cl_uint(4096));
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
        return call.answer(cl_uint(1));
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        return call.answer(std::size_t(4096));
    case CL_DEVICE_EXTENSIONS:
        return call.answer(std::string("cl_khr_byte_addressable_store"));
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return call.answer(cl_device_fp_config(CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST));
    default:
        return run();
    }
}

using namespace cldsp;

namespace {

//! What each variant did: "ran", or why it did not.
using outcomes = std::map<std::string, std::string>;

class qa_v3d_driver : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_v3d_driver);
    CPPUNIT_TEST(what_the_driver_says);
    CPPUNIT_TEST(filters);
    CPPUNIT_TEST(filters_by_auto);
    CPPUNIT_TEST(products);
    CPPUNIT_TEST(products_of_bits);
    CPPUNIT_TEST(correlators);
    CPPUNIT_TEST(peak_rates);
    CPPUNIT_TEST_SUITE_END();

    template <class Options>
    static Options on_device(const std::string& variant)
    {
        Options o;
        o.device = test_device().id();
        o.variant = variant;
        return o;
    }

    /*!
     * Notes that a variant has run on the device, or why it has not: it was refused with
     * a reason, or the host has taken over, which is told in the plan.
     *
     * \param run gives the plan, after it has checked the outputs
     */
    static void note(outcomes& all,
                     const std::string& variant,
                     const std::function<std::string()>& run)
    {
        try {
            const auto fallback = run();
            all[variant] = fallback.empty() ? "ran" : fallback;
        } catch (const std::invalid_argument& e) {
            all[variant] = e.what();
        } catch (const opencl_error& e) {
            all[variant] = e.what();
        }
        CPPUNIT_ASSERT_MESSAGE(variant, !all[variant].empty());
    }

    static void check_ran(const outcomes& all, const std::vector<std::string>& variants)
    {
        std::string text;
        for (const auto& [variant, outcome] : all)
            text += variant + ": " + outcome + "\n";
        for (const auto& variant : variants) {
            const auto found = all.find(variant);
            CPPUNIT_ASSERT_MESSAGE(variant + " among\n" + text,
                                   found != all.end() && found->second == "ran");
        }
    }

    template <class Engine>
    static std::string fallback_of(const Engine& engine)
    {
        return engine.fell_back() ? "fell back: " + engine.plan() : "";
    }

public:
    void what_the_driver_says()
    {
        const auto device = test_device();
        CPPUNIT_ASSERT(device.kind == device_kind::gpu);
        const auto& limits = device.limits;
        CPPUNIT_ASSERT_EQUAL(device_group, limits.max_work_group_size);
        CPPUNIT_ASSERT_EQUAL(std::size_t(512), limits.base_address_alignment);
        CPPUNIT_ASSERT(!limits.images && !limits.fp16 && !limits.fp64 && !limits.fma);
        CPPUNIT_ASSERT(!limits.fast_local_memory);
        context_registry registry(test_options());
        const auto opened = registry.get(device);
        const auto queue = opened->make_queue();
        CPPUNIT_ASSERT(!opened->has_driver_clock());
    }

    void filters()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 4, 33, true);
        const fir_case c(problem, 500);
        context_registry registry(test_options());
        outcomes all;
        for (const auto& variant : freq_xlating_fir_variants())
            if (!variant.host && variant.production)
                note(all, variant.name, [&] {
                    freq_xlating_filter_bank filter(
                        bank_of_one(problem),
                        on_device<one_thread_options>(variant.name),
                        registry);
                    CPPUNIT_ASSERT_MESSAGE(variant.name,
                                           error_db(c.run(filter), c.expected()) < -100);
                    return fallback_of(filter);
                });
        check_ran(all, { "cpu_tile", "gpu_tile" });
    }

    void filters_by_auto()
    {
        const auto problem = make_fir_problem(sample_type::cs16, 4, 33, true);
        const fir_case c(problem, 500);
        context_registry registry(test_options());
        for (const auto& device : { std::string("auto"), test_device().id() }) {
            one_thread_options o;
            o.device = device;
            freq_xlating_filter_bank filter(bank_of_one(problem), o, registry);
            CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -100);
            CPPUNIT_ASSERT_MESSAGE(filter.plan(), !filter.fell_back());
        }
    }

    void products()
    {
        const gemm_case c(gemm_type::f32, { 33, 21, 40 }, 1.5f, 0.5f);
        context_registry registry(test_options());
        outcomes all;
        for (const char* variant : { "cpu_tile", "gpu_tile" })
            note(all, variant, [&] {
                gemm product(gemm_type::f32,
                             { 33, 21, 40 },
                             on_device<gemm_options>(variant),
                             registry);
                CPPUNIT_ASSERT(c.error(c.run(product)) <= c.bound());
                return fallback_of(product);
            });
        check_ran(all, { "cpu_tile", "gpu_tile" });
    }

    void products_of_bits()
    {
        const gemm_1bit_case c(200, 21, 37);
        context_registry registry(test_options());
        outcomes all;
        for (const char* variant : { "cpu_tile", "gpu_tile" })
            note(all, variant, [&] {
                gemm_1bit product(
                    c.codes, c.bits, c.count, on_device<gemm_options>(variant), registry);
                c.check(product);
                return fallback_of(product);
            });
        check_ran(all, { "cpu_tile", "gpu_tile" });
    }

    void correlators()
    {
        const antenna_array x(sample_type::fc32, 9, 300);
        context_registry registry(test_options());
        outcomes all;
        for (const char* variant : { "cpu_tile", "gpu_tile" })
            note(all, variant, [&] {
                correlator engine(sample_type::fc32,
                                  9,
                                  100,
                                  300,
                                  on_device<correlator_options>(variant),
                                  registry);
                correlator_checks::check(
                    engine, x, 100, correlator_checks::run(engine, x, { 300 }));
                return fallback_of(engine);
            });
        check_ran(all, { "cpu_tile", "gpu_tile" });
    }

    //! Each is measured that needs no hardware of a larger GPU.
    void peak_rates()
    {
        std::string told;
        auto with = test_options();
        with.log = [&](log_level, const std::string& text) { told += text + '\n'; };
        context_registry registry(with);
        roofline_options options;
        options.seconds = 0.01;
        const auto r = measure_roofline(test_device(), registry, options);
        CPPUNIT_ASSERT_MESSAGE(told, r.fp32 > 0);
        CPPUNIT_ASSERT_EQUAL(0.0, r.fp16);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_v3d_driver, "qa_v3d_driver");

} // namespace
