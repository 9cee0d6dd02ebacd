// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the direct kernels on a device, against the reference.

#include "filter/filter_executor.h"
#include "tests/support/qa_filter_of_one.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr double production_bound = -120; // dB of the output's peak
constexpr double teaching_bound = -105;

/*!
 * Tests of the filter on OpenCL against the double-precision reference. In a simulator
 * there are fewer cases.
 */
class qa_opencl_fir : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_opencl_fir);
    CPPUNIT_TEST(every_variant_and_transfer);
    CPPUNIT_TEST(production_variants_take_every_type);
    CPPUNIT_TEST(items_of_any_size_at_any_address);
    CPPUNIT_TEST(any_taps_and_decimation);
    CPPUNIT_TEST(long_filter);
    CPPUNIT_TEST(partition);
    CPPUNIT_TEST(retune_and_new_taps);
    CPPUNIT_TEST(teaching_variants_refuse_other_types);
    CPPUNIT_TEST(lost_device);
    CPPUNIT_TEST(lost_device_while_retuning);
    CPPUNIT_TEST(a_failed_call_lets_go_of_its_memory);
    CPPUNIT_TEST(nothing_beyond_the_window_is_used);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };
    const std::string d_device = test_device().id();

    freq_xlating_filter_bank make(const freq_xlating_fir_problem& problem,
                                  const std::string& variant,
                                  const std::string& transfer)
    {
        one_thread_options options;
        options.device = d_device;
        options.variant = variant;
        options.transfer = transfer;
        return freq_xlating_filter_bank(bank_of_one(problem), options, d_registry);
    }

    void check(const freq_xlating_fir_problem& problem,
               const std::string& variant,
               const std::string& transfer,
               std::size_t outputs,
               double bound)
    {
        const fir_case c(problem, outputs);
        auto filter = make(problem, variant, transfer);
        CPPUNIT_ASSERT_EQUAL(variant, filter.variant_name());
        CPPUNIT_ASSERT_EQUAL(transfer, filter.transfer_name());
        const double error = error_db(c.run(filter), c.expected());
        CPPUNIT_ASSERT_MESSAGE(c.describe() + " " + variant + "/" + transfer + ": " +
                                   std::to_string(error) + " dB",
                               error < bound);
        CPPUNIT_ASSERT(!filter.fell_back());
    }

    static double bound_of(const variant_info& variant)
    {
        return variant.production ? production_bound : teaching_bound;
    }

    //! The direct algorithm's variants that run through OpenCL.
    static std::vector<variant_info> ladder()
    {
        std::vector<variant_info> variants;
        for (const auto& v : freq_xlating_fir_variants())
            if (!v.host && v.algorithm == "direct")
                variants.push_back(v);
        return variants;
    }

public:
    void every_variant_and_transfer()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 3, 61, false);
        for (const auto& v : ladder())
            for (const char* transfer : { "copy", "mapped", "zero_copy" })
                if (fits(problem, v.name))
                    check(
                        problem, v.name, transfer, small_tests() ? 40 : 500, bound_of(v));
    }

    void production_variants_take_every_type()
    {
        for (const auto type : all_sample_types())
            for (const bool real_taps : { false, true })
                for (const std::size_t decimation : { 1, 5 })
                    for (const char* variant : { "cpu_tile", "gpu_tile" }) {
                        // Each of these cases is a program of its own. How items of a
                        // type are read depends neither on the taps nor on the
                        // decimation.
                        if (type != sample_type::fc32 && type != sample_type::s16 &&
                            real_taps != (decimation == 1))
                            continue;
                        check(make_fir_problem(type, decimation, 37, real_taps),
                              variant,
                              "copy",
                              small_tests() ? 50 : 400,
                              production_bound);
                    }
    }

    /*!
     * Items of one and of three bytes in a stream that is cut anywhere. A transfer that
     * wraps the caller's memory begins at an aligned address, which need not be a whole
     * number of items before the data. The stream begins or ends at a page without
     * access, so that the program ends where a kernel reads more than its items.
     */
    void items_of_any_size_at_any_address()
    {
        for (const auto type : { sample_type::s8, sample_type::cs12 })
            for (const char* variant : { "cpu_tile", "gpu_tile" })
                for (const char* transfer : { "copy", "mapped", "zero_copy" }) {
                    const auto problem = make_fir_problem(type, 3, 37, true);
                    const fir_case c(problem, small_tests() ? 20 : 700);
                    for (const bool at_end : { false, true })
                        for (const bool as_stream : { false, true }) {
                            const guarded_memory memory(c.stream().size(), at_end);
                            std::copy(c.stream().begin(),
                                      c.stream().end(),
                                      static_cast<unsigned char*>(memory.data()));
                            auto filter = make(problem, variant, transfer);
                            if (as_stream)
                                filter.set_stream_memory(
                                    { memory.data(), c.stream().size() }, {});
                            const double error =
                                error_db(c.run_in_cuts(filter, at_end, memory.data()),
                                         c.expected());
                            CPPUNIT_ASSERT_MESSAGE(c.describe() + " " + variant + "/" +
                                                       transfer + ": " +
                                                       std::to_string(error) + " dB",
                                                   error < production_bound);
                            CPPUNIT_ASSERT(!filter.fell_back());
                        }
                }
    }

    void any_taps_and_decimation()
    {
        const std::vector<std::size_t> decimations =
            small_tests() ? std::vector<std::size_t>{ 1, 7 }
                          : std::vector<std::size_t>{ 1, 2, 3, 4, 7, 8, 10, 42, 63, 100 };
        const std::vector<std::size_t> taps =
            small_tests()
                ? std::vector<std::size_t>{ 1, 9, 130 }
                : std::vector<std::size_t>{ 1, 2, 3, 7, 8, 9, 16, 33, 130, 201 };
        for (const auto& v : ladder())
            for (const std::size_t n : taps)
                for (const std::size_t decimation : decimations) {
                    // Each of these values needs a separate program.
                    if (v.name == "constant" &&
                        ((n != 1 && n != 9) || (decimation != 1 && decimation != 7)))
                        continue;
                    const bool real_taps = (n + decimation) % 2 == 0;
                    check(make_fir_problem(sample_type::fc32, decimation, n, real_taps),
                          v.name,
                          "zero_copy",
                          small_tests() ? 11 : 100 + n % 17,
                          bound_of(v));
                }
    }

    void long_filter()
    {
        if (small_tests())
            return;
        for (const auto& v : ladder())
            for (const std::size_t decimation : { 1, 42 }) {
                const auto problem =
                    make_fir_problem(sample_type::fc32, decimation, 2429, true);
                if (fits(problem, v.name))
                    check(problem, v.name, "zero_copy", 700, bound_of(v));
            }
    }

    void partition()
    {
        for (const std::size_t decimation : { 1, 6 }) {
            const auto problem =
                make_fir_problem(sample_type::fc32, decimation, 50, true);
            const fir_case c(problem, small_tests() ? 60 : 3000);
            for (unsigned seed = 0; seed < (small_tests() ? 2 : 200); ++seed) {
                auto filter =
                    make(problem, seed % 2 ? "gpu_tile" : "cpu_tile", "zero_copy");
                CPPUNIT_ASSERT(error_db(c.run_in_cuts(filter, seed), c.expected()) <
                               production_bound);
            }
        }
    }

    void retune_and_new_taps()
    {
        for (const char* variant :
             { "cpu_tile", "gpu_tile", "constant", "float16_evenodd" }) {
            const auto problem = make_fir_problem(sample_type::fc32, 4, 21, true);
            auto filter = make(problem, variant, "copy");
            const double bound = std::string(variant).find("tile") != std::string::npos
                                     ? production_bound
                                     : teaching_bound;
            const double error =
                changing_stream_error_db(filter, small_tests() ? 30 : 400);
            CPPUNIT_ASSERT_MESSAGE(std::string(variant) + ": " + std::to_string(error),
                                   error < bound);
            CPPUNIT_ASSERT(!filter.fell_back());
        }
    }

    void teaching_variants_refuse_other_types()
    {
        for (const auto& v : ladder())
            if (!v.production)
                CPPUNIT_ASSERT_THROW(
                    make(make_fir_problem(sample_type::cu8, 2, 9, true), v.name, "copy"),
                    std::invalid_argument);
    }

    void lost_device()
    {
        const auto problem = make_fir_problem(sample_type::cs16, 3, 40, false);
        const fir_case c(problem, 90);
        for (const char* transfer : { "copy", "mapped", "zero_copy" })
            for (const auto call : { injected_call::enqueue, injected_call::allocate }) {
                auto filter = make(problem, "cpu_tile", transfer);
                const auto device = d_registry.get(find_devices(d_device).front());
                device->inject_failure(call, 0);
                // The stream comes in pieces. The device fails at its first non-empty
                // call, and the host computes the rest.
                const auto y = c.run_in_cuts(filter, 7);
                device->inject_failure(injected_call::none);
                CPPUNIT_ASSERT(error_db(y, c.expected()) < production_bound);
                CPPUNIT_ASSERT(filter.fell_back());
                CPPUNIT_ASSERT_EQUAL(std::string("host"), filter.device_name());
            }
    }

    void lost_device_while_retuning()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 4, 21, true);
        auto filter = make(problem, "cpu_tile", "copy");
        const auto device = d_registry.get(find_devices(d_device).front());
        device->inject_failure(injected_call::enqueue, 3);
        CPPUNIT_ASSERT(changing_stream_error_db(filter, small_tests() ? 30 : 400) <
                       production_bound);
        device->inject_failure(injected_call::none);
        CPPUNIT_ASSERT(filter.fell_back());
    }

    //! If a command still read the memory that the caller has unmapped, the program would
    //! crash.
    void a_failed_call_lets_go_of_its_memory()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 4, 1, true);
        const filter_channel setup(problem);
        // The input is large, so that its copy takes long.
        const std::size_t outputs = std::size_t(1) << (small_tests() ? 12 : 20);
        const std::size_t bytes = setup.window(outputs) * sizeof(std::complex<float>);
        std::vector<std::complex<float>> out(outputs);

        const auto device = d_registry.get(find_devices(d_device).front());
        const auto fir = make_opencl_fir(device, "cpu_tile", "copy", setup);
        // The first command that is enqueued is the copy.
        device->inject_failure(injected_call::enqueue, 1);
        {
            const guarded_memory items(bytes, true);
            CPPUNIT_ASSERT_THROW(fir->run({ items.data(), out.data(), outputs, {} }),
                                 opencl_error);
        }
        device->inject_failure(injected_call::none);
    }

    void nothing_beyond_the_window_is_used()
    {
        for (const auto& v : ladder())
            for (const std::size_t taps : { 5, 30 }) {
                const auto problem = make_fir_problem(sample_type::fc32, 3, taps, true);
                if (!fits(problem, v.name))
                    continue;
                const fir_case c(problem, 20);
                auto filter = make(problem, v.name, "zero_copy");
                CPPUNIT_ASSERT(error_db(c.run_among_nan(filter), c.expected()) <
                               bound_of(v));
            }
    }

private:
    //! Whether the filter fits into the constant memory of a profile. If not, checks that
    //! the filter is refused.
    bool fits(const freq_xlating_fir_problem& problem, const std::string& variant)
    {
        const auto& limits = d_registry.get(find_devices(d_device).front())->limits();
        if (variant != "constant" ||
            problem.taps.size() * 8 <= limits.max_constant_buffer)
            return true;
        CPPUNIT_ASSERT_THROW(make(problem, variant, "copy"), std::invalid_argument);
        return false;
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_opencl_fir, "qa_opencl_fir");

} // namespace
