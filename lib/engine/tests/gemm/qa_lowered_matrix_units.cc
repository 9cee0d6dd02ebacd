// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that a profile which lowers a device's limits excludes its matrix units.

#include "opencl/matrix_units.h"
#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_opencl_layer.h"
#include "tests/support/qa_refused.h"

#include <cldsp/correlator.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

//! Lets each device pass for an NVIDIA GPU of compute capability 9.0.
cl_int cldsp::treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    constexpr cl_device_info major_number = 0x4000, minor_number = 0x4001;
    if (call.is(&clGetPlatformInfo) && call.what == CL_PLATFORM_NAME)
        return call.answer("A simulated driver");
    if (!call.is(&clGetDeviceInfo))
        return run();
    switch (call.what) {
    case CL_DEVICE_TYPE:
        return call.answer(cl_device_type(CL_DEVICE_TYPE_GPU));
    case major_number:
        return call.answer(cl_uint(9));
    case minor_number:
        return call.answer(cl_uint(0));
    case CL_DEVICE_EXTENSIONS:
        return call.answer(extensions_and("cl_nv_device_attribute_query", call.object));
    default:
        return run();
    }
}

namespace {

//! Tests that the choice among variants and devices goes by the limits of the context,
//! which a profile lowers, and not by those of the device. The device's matrix units need
//! larger work-groups than both profiles have.
class qa_lowered_matrix_units : public gemm_1bit_fixture
{
    CPPUNIT_TEST_SUITE(qa_lowered_matrix_units);
    CPPUNIT_TEST(limits_of_the_registry);
    CPPUNIT_TEST(variants_that_fit);
    CPPUNIT_TEST(auto_leaves_them_out);
    CPPUNIT_TEST(reason_of_the_refusal);
    CPPUNIT_TEST(codes_too_long_for_the_device);
    CPPUNIT_TEST(predictions);
    CPPUNIT_TEST_SUITE_END();

    static constexpr const char* profiles[] = { "vc4", "cl12-min" };

    static const gemm_variant_info&
    tensor_of(const std::vector<gemm_variant_info>& variants)
    {
        for (const auto& variant : variants)
            if (variant.name == "tensor")
                return variant;
        throw std::runtime_error("there is no variant 'tensor'");
    }

    gemm make_gemm(gemm_type type, const std::string& variant = "auto")
    {
        const gemm_shape shape{ 256, 256, 256 };
        return gemm(type, shape, options(test_device().id(), variant), *d_registry);
    }

    //! The rate that is predicted for a product, or for something else, with a profile.
    template <class Make>
    double predicted(const std::string& profile, const Make& make)
    {
        use_profile(profile);
        return make().chosen().predicted;
    }

public:
    void limits_of_the_registry()
    {
        CPPUNIT_ASSERT_EQUAL(90, test_device().compute_capability);
        for (const auto* profile : profiles) {
            use_profile(profile);
            const auto found = d_registry->find_devices(test_device().id());
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), found.size());
            for (const auto& lowered : { found[0], d_registry->lowered(test_device()) }) {
                CPPUNIT_ASSERT_EQUAL(test_device().id(), lowered.id());
                CPPUNIT_ASSERT_EQUAL(device()->limits().max_work_group_size,
                                     lowered.limits.max_work_group_size);
                CPPUNIT_ASSERT(lowered.limits.max_work_group_size < tensor_group_items);
            }
            CPPUNIT_ASSERT(d_registry->lowered(device_info()).is_host());
        }
        auto unknown = test_options();
        unknown.profile = "espresso";
        const context_registry other(unknown);
        CPPUNIT_ASSERT_THROW(other.find_devices("auto"), std::invalid_argument);
        CPPUNIT_ASSERT(other.find_devices("host").front().is_host());
    }

    void variants_that_fit()
    {
        for (const auto* variants : { &gemm_variants(), &gemm_1bit_variants() }) {
            const auto& tensor = tensor_of(*variants);
            CPPUNIT_ASSERT(tensor.fits(test_device()));
            for (const auto* profile : profiles) {
                use_profile(profile);
                CPPUNIT_ASSERT(!tensor.fits(device()->device()));
                CPPUNIT_ASSERT(!tensor.fits(d_registry->lowered(test_device())));
            }
        }
    }

    void auto_leaves_them_out()
    {
        for (const auto* profile : profiles) {
            use_profile(profile);
            on_device(gemm_1bit_case(64, 3, 2));
            for (const auto type : { gemm_type::f32, gemm_type::c32 })
                make_gemm(type);
            CPPUNIT_ASSERT(logged("gpu_tile"));
            CPPUNIT_ASSERT(!logged("tensor"));
            CPPUNIT_ASSERT(!logged("warpgroup"));
        }
    }

    void reason_of_the_refusal()
    {
        for (const auto* profile : profiles) {
            use_profile(profile);
            assert_refused({ "variant", "128 work-items" },
                           [&] { on_device(gemm_1bit_case(64, 3, 2), "tensor"); });
            assert_refused({ "variant", "128 work-items" },
                           [&] { make_gemm(gemm_type::f32, "tensor"); });
        }
    }

    // The reason has to be that of the variant that could run, not that of the matrix
    // units.
    void codes_too_long_for_the_device()
    {
        use_profile("cl12-min");
        const gemm_1bit_case problem(std::size_t(1) << 24, 2, 1);
        assert_refused({ "device", "bytes" }, [&] { on_device(problem); });
    }

    void predictions()
    {
        const auto id = test_device().id();
        const auto is_lower = [&](const std::string& what, const auto& make) {
            CPPUNIT_ASSERT_MESSAGE(what,
                                   predicted("cl12-min", make) < predicted("", make) / 2);
        };
        is_lower("gemm", [&] { return make_gemm(gemm_type::f32, "gpu_tile"); });
        is_lower("gemm_1bit",
                 [&] { return on_device(gemm_1bit_case(4096, 64, 64), "gpu_tile"); });
        is_lower("correlator", [&] {
            correlator_options o;
            o.device = id;
            return correlator(sample_type::fc32, 32, 1000, 1000, o, *d_registry);
        });
        is_lower("filter", [&] {
            freq_xlating_fir_problem problem;
            problem.taps.assign(501, 1);
            one_thread_options o;
            o.device = id;
            o.variant = "gpu_tile";
            return freq_xlating_filter_bank(bank_of_one(problem), o, *d_registry);
        });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_lowered_matrix_units, "qa_lowered_matrix_units");

} // namespace
