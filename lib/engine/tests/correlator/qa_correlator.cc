// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the correlator: its sums on every device, cut in any way, and its choice.

#include "correlator/correlator_executor.h"
#include "correlator/host_correlator.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_correlator_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/correlator.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

class qa_correlator : public CppUnit::TestFixture, correlator_checks
{
    CPPUNIT_TEST_SUITE(qa_correlator);
    CPPUNIT_TEST(order_and_conjugation);
    CPPUNIT_TEST(every_instruction_set);
    CPPUNIT_TEST(many_rows_and_threads);
    CPPUNIT_TEST(long_integrations_keep_their_digits);
    CPPUNIT_TEST(bytes_of_full_scale);
    CPPUNIT_TEST(on_a_device);
    CPPUNIT_TEST(on_matrix_units);
    CPPUNIT_TEST(wrong_word_is_refused);
    CPPUNIT_TEST(refusals_of_matrix_units);
    CPPUNIT_TEST(any_partition_of_the_stream);
    CPPUNIT_TEST(a_new_integration);
    CPPUNIT_TEST(a_new_stream);
    CPPUNIT_TEST(not_a_number);
    CPPUNIT_TEST(a_lost_device_is_left_for_the_host);
    CPPUNIT_TEST(the_choice);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

    static constexpr sample_type types[] = { sample_type::fc32, sample_type::cs8 };
    static constexpr sample_layout layouts[] = { sample_layout::streams,
                                                 sample_layout::vectors };
    static constexpr sample_type type_of_units = sample_type::cs8;
    static constexpr const char* device_variants[] = { "cpu_tile", "gpu_tile" };

public:
    void setUp() override
    {
        d_registry = std::make_unique<context_registry>(test_options());
    }
    void tearDown() override { device()->inject_failure(injected_call::none); }

    void order_and_conjugation()
    {
        antenna_array x(sample_type::fc32, 3, 1);
        x.set(0, 0, { 1, 2 });
        x.set(1, 0, { 3, -1 });
        x.set(2, 0, { -2, 5 });
        const visibility_list expected = { { 5, 0 }, { 1, -7 },   { 10, 0 },
                                           { 8, 9 }, { -11, 13 }, { 29, 0 } };
        auto engine = make(x, 1, "host");
        CPPUNIT_ASSERT_EQUAL(std::size_t(6), engine.visibilities());
        CPPUNIT_ASSERT(expected == run(engine, x, { 1 }));
    }

    void every_instruction_set()
    {
        const std::vector<std::size_t> antennas =
            small_tests() ? std::vector<std::size_t>{ 1, 3, 7 }
                          : std::vector<std::size_t>{ 1, 2, 3, 4, 5, 6, 7, 10, 50 };
        for (const auto* kernels : available_host_correlator_kernels())
            for (const auto type : types)
                for (const auto layout : layouts)
                    for (const auto n : antennas)
                        for (const std::size_t length : { 1, 17, 300, 2049 }) {
                            if (n * length > 20000)
                                continue; // many antennas need no long sums
                            const antenna_array x(type, n, length, layout);
                            host_correlator host(type, n, *kernels, 1);
                            check_executor(host, x, 1, length, kernels->name);
                        }
    }

    void many_rows_and_threads()
    {
        for (const auto type : types)
            for (const auto layout : layouts) {
                const antenna_array x(type, 100, 30, layout);
                host_correlator host(
                    type, 100, *available_host_correlator_kernels().front(), 3);
                check_executor(host, x, 5, 6, "rows");
                const antenna_array y(type, 3, small_tests() ? 700 : 7000, layout);
                host_correlator few(
                    type, 3, *available_host_correlator_kernels().front(), 3);
                check_executor(few, y, 100, y.samples() / 100, "few antennas");
            }
    }

    //! With equal samples all rounding errors have the same sign.
    void long_integrations_keep_their_digits()
    {
        const std::size_t samples = small_tests() ? 20000 : 1000000;
        for (const std::complex<float> value :
             { std::complex<float>(0.1F, 0.3F), std::complex<float>(0.7F, -0.07F) }) {
            antenna_array x(sample_type::fc32, 2, samples);
            x.fill(value);
            auto engine = make(x, samples, "host");
            const auto got = run(engine, x, { 8192 });
            const double expected =
                std::norm(std::complex<double>(value)) * static_cast<double>(samples);
            CPPUNIT_ASSERT_EQUAL(std::size_t(3), got.size());
            for (const auto& visibility : got) {
                CPPUNIT_ASSERT_DOUBLES_EQUAL(
                    1, visibility.real() / expected, max_sum_error);
                CPPUNIT_ASSERT_DOUBLES_EQUAL(
                    0, visibility.imag() / expected, max_sum_error);
            }
        }
    }

    void bytes_of_full_scale()
    {
        for (const auto& variant : { "simd", "cpu_tile", "gpu_tile" }) {
            // A simulator takes long for the kernel for GPUs. 600 samples are enough for
            // sums that a float does not hold exactly; the other variants also begin a
            // second piece.
            const bool is_slow = variant == std::string("gpu_tile");
            antenna_array x(sample_type::cs8,
                            2,
                            !small_tests() ? 20001
                            : is_slow      ? 600
                                           : 2100);
            x.fill({ -128, -128 });
            x.set(1, 0, { 127, -128 });
            auto engine = make(x, x.samples(), variant);
            const auto count = static_cast<double>(x.samples() - 1);
            const auto got = run(engine, x, { 5000 });
            const double unit = 1.0 / (128 * 128);
            const std::vector<std::complex<double>> expected = {
                { 2 * (count + 1), 0 },
                // 127 - 128 i times -128 + 128 i is 128 + 32640 i.
                { 2 * count + 128 * unit, 32640 * unit },
                { 2 * count + (127 * 127 + 128 * 128) * unit, 0 }
            };
            for (std::size_t i = 0; i < 3; i++)
                CPPUNIT_ASSERT_MESSAGE(variant,
                                       got[i] == std::complex<float>(expected[i]));
        }
    }

    void on_a_device()
    {
        const std::vector<std::size_t> antennas =
            small_tests() ? std::vector<std::size_t>{ 1, 5 }
                          : std::vector<std::size_t>{ 1, 3, 9, 70 };
        for (const auto& variant : device_variants)
            for (const auto type : types)
                for (const auto n : antennas) {
                    const auto layout =
                        n % 2 ? sample_layout::streams : sample_layout::vectors;
                    const antenna_array x(type, n, small_tests() ? 100 : 3001, layout);
                    const std::uint64_t integration = x.samples() / 3;
                    auto engine = make(x, integration, variant);
                    CPPUNIT_ASSERT_EQUAL(std::string(variant), engine.variant_name());
                    CPPUNIT_ASSERT_EQUAL(test_device().name, engine.device_name());
                    check(engine, x, integration, run(engine, x, { 700, 2000 }));
                    CPPUNIT_ASSERT(!engine.fell_back());
                    CPPUNIT_ASSERT(engine.may_use_devices());
                    CPPUNIT_ASSERT(engine.statistics().calls > 0);
                }
    }

    //! On a device without matrix units, the kernels run with their instructions
    //! replaced.
    void on_matrix_units()
    {
        for (const std::string variant : { "tensor", "warpgroup" }) {
            if (!can_run_units())
                return;
            const auto mode = mode_of(variant);
            auto antennas = small_tests()
                                ? std::vector<std::size_t>{ 1, 33 }
                                : std::vector<std::size_t>{ 1, 2, 15, 32, 33, 70 };
            if (mode == tensor_mode::native)
                antennas.insert(antennas.end(), { 64, 65, 128, 200, 257 });
            for (const auto n : antennas) {
                const auto layout =
                    n % 2 ? sample_layout::streams : sample_layout::vectors;
                const auto executor = make_opencl_correlator(
                    device(), variant, "copy", type_of_units, n, mode);
                CPPUNIT_ASSERT_EQUAL(variant, executor->variant_name());
                for (const std::size_t length : { 1, 7, 32, 100, 129 }) {
                    if (small_tests() && length != 7 && length != 129)
                        continue;
                    antenna_array x(type_of_units, n, 3 * length, layout);
                    check_executor(*executor, x, 3, length, variant);
                    // The negative of -128 is no byte.
                    x.fill({ -128, -128 });
                    x.set(n - 1, length - 1, { 127, -128 });
                    check_executor(*executor, x, 3, length, variant + ", full scale");
                }
            }
            // A row of several pieces.
            const std::size_t n = 2;
            const auto executor =
                make_opencl_correlator(device(), variant, "copy", type_of_units, n, mode);
            antenna_array x(type_of_units, n, 2 * executor->piece());
            check_executor(*executor, x, 1, x.samples(), variant + ", pieces");
            x.fill({ -128, -128 });
            check_executor(*executor, x, 1, x.samples(), variant + ", full pieces");
        }
    }

    //! A driver that puts one word into a wrong place gives sums that are not taken.
    void wrong_word_is_refused()
    {
        if (!can_run_units())
            return;
        const temporary_folder folder;
        for (const auto& [right, wrong] :
             { std::pair<std::string, std::string>("ROW_OF_LANE + i % 2 * 8, i / 2 * 4",
                                                   "ROW_OF_LANE + i % 2 * 8, i / 3 * 4"),
               std::pair<std::string, std::string>("(chunk ^ row % 8)] = values[i]",
                                                   "(chunk ^ row % 7)] = values[i]") }) {
            auto source = kernel_source("gemm_warpgroup");
            const auto at = source.find(right);
            CPPUNIT_ASSERT(at != std::string::npos);
            source.replace(at, right.size(), wrong);
            folder.write("gemm_warpgroup.cl", source);
            auto o = test_options();
            o.kernel_path = folder.path();
            d_registry = std::make_unique<context_registry>(o);
            assert_refused({ "variant", "'warpgroup'", "wrong sums", device()->name() },
                           [&] {
                               make_opencl_correlator(device(),
                                                      "warpgroup",
                                                      "copy",
                                                      type_of_units,
                                                      2,
                                                      mode_of("warpgroup"));
                           });
        }
    }

    void refusals_of_matrix_units()
    {
        for (const std::string variant : { "tensor", "warpgroup" }) {
            const auto refused = [&](const std::vector<std::string>& words,
                                     sample_type type) {
                assert_refused(words, [&] {
                    const auto o = options(test_device().id(), variant);
                    correlator(type, 2, 10, 10, o, *d_registry);
                });
            };
            const std::string name = "'" + variant + "'";
            refused({ "variant", name, "fc32" }, sample_type::fc32);
            const auto reason = reason_of(variant);
            if (!reason.empty())
                refused({ "variant", name, reason }, sample_type::cs8);
            const auto emulated = [&](sample_type type) {
                make_opencl_correlator(
                    device(), variant, "copy", type, 2, tensor_mode::emulated);
            };
            assert_refused({ "variant", name, "fc32" },
                           [&] { emulated(sample_type::fc32); });
            if (device()->limits().max_work_group_size < 128)
                assert_refused({ "work-items" }, [&] { emulated(sample_type::cs8); });
        }
    }

    void any_partition_of_the_stream()
    {
        std::mt19937 random(3);
        std::vector<std::size_t> cuts(1000);
        std::uniform_int_distribution<std::size_t> size(0, small_tests() ? 30 : 900);
        for (auto& cut : cuts)
            cut = size(random);
        for (const auto& variant : { "simd", "cpu_tile", "gpu_tile" })
            for (const auto layout : layouts)
                for (const std::uint64_t integration : { 1, 33, 2048, 9001 }) {
                    if (small_tests() && integration > 33)
                        continue; // the stream ends before
                    const std::size_t most =
                        variant == std::string("simd") ? 20000 : 10000;
                    const std::size_t samples =
                        small_tests() ? std::min<std::size_t>(150, integration * 20)
                                      : std::min<std::size_t>(most, integration * 100);
                    const antenna_array x(sample_type::fc32, 3, samples, layout);
                    auto engine = make(x, integration, variant);
                    const auto whole = run(engine, x, { samples });
                    check(engine, x, integration, whole);
                    auto other = make(x, integration, variant);
                    CPPUNIT_ASSERT_MESSAGE(variant, whole == run(other, x, cuts));
                    CPPUNIT_ASSERT_EQUAL(samples % integration, other.position());
                    CPPUNIT_ASSERT(!other.fell_back());
                }
    }

    void a_new_integration()
    {
        const antenna_array x(sample_type::fc32, 2, 100);
        auto engine = make(x, 30, "host");
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(60), engine.samples_for(2));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(3), engine.outputs_for(100));
        visibility_list out(3 * engine.visibilities());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), process(engine, x, 0, 40, out.data()));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(10), engine.position());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(20), engine.samples_for(1));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), engine.samples_for(0));
        CPPUNIT_ASSERT_THROW(engine.set_integration(40), std::logic_error);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), process(engine, x, 40, 20, out.data() + 3));
        engine.set_integration(40);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(40), engine.integration());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), process(engine, x, 60, 40, out.data() + 6));
        check_range(x, 0, 30, out.data());
        check_range(x, 30, 60, out.data() + 3);
        check_range(x, 60, 100, out.data() + 6);
        assert_refused({ "integration", "0", "1 to" },
                       [&] { engine.set_integration(0); });
    }

    void a_new_stream()
    {
        for (const auto& variant : { "simd", "cpu_tile", "gpu_tile" }) {
            // The kernel for GPUs takes a whole integration as one piece, and a simulator
            // takes long for it.
            const bool is_slow = small_tests() && variant == std::string("gpu_tile");
            const std::size_t part = is_slow ? 30 : 1;
            const antenna_array x(sample_type::fc32, 2, 6000 / part);
            // The stream ends in the middle of the first piece, or of a later one.
            for (const std::size_t taken : { 100 / part, 2100 / part }) {
                const std::size_t integration = small_tests() ? taken + 100 / part : 3000;
                auto engine = make(x, integration, variant);
                visibility_list out(engine.visibilities());
                process(engine, x, 0, taken, out.data());
                engine.reset();
                CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), engine.position());
                const std::size_t first = 2500 / part;
                process(engine, x, first, integration, out.data());
                check_range(x, first, first + integration, out.data());
            }
        }
    }

    void not_a_number()
    {
        for (const auto& variant : { "simd", "cpu_tile", "gpu_tile" }) {
            antenna_array x(sample_type::fc32, 2, 90);
            x.set(1, 40, { std::numeric_limits<float>::quiet_NaN(), 0 });
            auto engine = make(x, 30, variant);
            const auto got = run(engine, x, { 90 });
            check_range(x, 0, 30, got.data());
            CPPUNIT_ASSERT(std::isfinite(got[3].real()));
            CPPUNIT_ASSERT(std::isnan(got[5].real()));
            check_range(x, 60, 90, got.data() + 6);
            // An infinity, too, spoils the visibilities of its antenna and integration
            // alone.
            x.set(1, 40, { 0, std::numeric_limits<float>::infinity() });
            auto other = make(x, 30, variant);
            const auto infinite = run(other, x, { 90 });
            check_range(x, 0, 30, infinite.data());
            CPPUNIT_ASSERT(infinite[3] == got[3]);
            CPPUNIT_ASSERT(!std::isfinite(infinite[4].real()));
            CPPUNIT_ASSERT(!std::isfinite(infinite[5].real()));
            check_range(x, 60, 90, infinite.data() + 6);
        }
    }

    void a_lost_device_is_left_for_the_host()
    {
        const std::size_t unit = small_tests() ? 10 : 1000;
        for (const auto type : types) {
            const antenna_array x(type, 5, 30 * unit);
            auto engine = make(x, 14 * unit, "cpu_tile");
            visibility_list got(2 * engine.visibilities());
            const std::size_t first = 10 * unit + 1, second = 15 * unit + 1;
            std::size_t done = process(engine, x, 0, first, got.data());
            device()->inject_failure(injected_call::enqueue);
            done += process(engine, x, first, second - first, got.data());
            device()->inject_failure(injected_call::none);
            done += process(engine,
                            x,
                            second,
                            30 * unit - second,
                            got.data() + done * engine.visibilities());
            CPPUNIT_ASSERT_EQUAL(std::size_t(2), done);
            check(engine, x, 14 * unit, got);
            CPPUNIT_ASSERT(engine.fell_back());
            CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
            CPPUNIT_ASSERT(engine.plan().find("host instead") != std::string::npos);
            CPPUNIT_ASSERT(logged("the host goes on"));
        }
    }

    void the_choice()
    {
        const antenna_array x(sample_type::fc32, 2, 100);
        auto small = make(x, 50, "auto");
        CPPUNIT_ASSERT_EQUAL(std::string("host"), small.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("simd"), small.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), small.transfer_name());
        CPPUNIT_ASSERT(!small.may_use_devices());
        CPPUNIT_ASSERT_MESSAGE(small.plan(), small.plan().find("correlator/simd") == 0);
        if (small_tests())
            return;
        // For large calls the candidates are measured.
        const antenna_array y(sample_type::cs8, 20, 4000);
        auto large = make(y, y.samples(), "auto");
        CPPUNIT_ASSERT_MESSAGE(large.plan(),
                               large.plan().find("GFLOP/s") != std::string::npos);
        CPPUNIT_ASSERT(large.may_use_devices());
        check(large, y, y.samples(), run(large, y, { y.samples() }));
        // A measurement serves calls of about the same size.
        if (large.chosen().measured > 0) {
            const correlator other(y.type(),
                                   y.antennas(),
                                   y.samples(),
                                   y.samples() - 77,
                                   options("auto", "auto"),
                                   *d_registry);
            CPPUNIT_ASSERT_MESSAGE(other.plan(), other.chosen().remembered);
        }
    }

    void bad_arguments()
    {
        const auto refuses = [&](const std::vector<std::string>& words,
                                 sample_type type,
                                 std::size_t antennas,
                                 std::uint64_t integration,
                                 std::size_t typical,
                                 const correlator_options& o) {
            assert_refused(words, [&] {
                correlator(type, antennas, integration, typical, o, *d_registry);
            });
        };
        const auto fc32 = sample_type::fc32;
        const auto host = options("host", "auto");
        refuses({ "type", "f32", "fc32 or cs8" }, sample_type::f32, 1, 1, 1, host);
        refuses({ "antennas", "0", "1 to 4096" }, fc32, 0, 1, 1, host);
        refuses({ "antennas", "4097", "1 to 4096" }, fc32, 4097, 1, 1, host);
        refuses({ "integration", "0", "1 to 100000000000" }, fc32, 1, 0, 1, host);
        refuses({ "integration", "100000000001" }, fc32, 1, max_integration + 1, 1, host);
        refuses({ "typical_samples" }, fc32, 1, 1, 0, host);
    }

private:
    //! Whether the device can run the kernels for matrix units, or what replaces them.
    bool can_run_units()
    {
        const auto& limits = device()->limits();
        if (limits.max_work_group_size < 160 || limits.local_memory < 32768)
            return false; // a profile lowers the limits; a test checks the refusal
        // Oclgrind takes hours and all memory for the work-items of such a tile.
        return test_device().name.find("Oclgrind") == std::string::npos;
    }
    std::string reason_of(const std::string& variant)
    {
        return variant == "tensor" ? missing_tensor_reason(device()->device())
                                   : missing_warpgroup_reason(device()->device());
    }
    tensor_mode mode_of(const std::string& variant)
    {
        return reason_of(variant).empty() ? tensor_mode::native : tensor_mode::emulated;
    }

    std::shared_ptr<context> device() { return d_registry->get(test_device()); }

    correlator_options options(const std::string& device, const std::string& variant)
    {
        correlator_options o;
        o.device = device;
        o.variant = variant;
        o.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        return o;
    }

    //! An engine for \p where: "host" or "simd" is the host, a variant's name is the
    //! device under test, and with "auto" the engine chooses.
    correlator
    make(const antenna_array& x, std::uint64_t integration, const std::string& where)
    {
        const bool is_device = where == "cpu_tile" || where == "gpu_tile";
        const auto o = is_device         ? options(test_device().id(), where)
                       : where == "auto" ? options("auto", "auto")
                                         : options("host", "auto");
        return correlator(
            x.type(), x.antennas(), integration, x.samples(), o, *d_registry);
    }

    bool logged(const std::string& text) const
    {
        return std::any_of(d_log.begin(), d_log.end(), [&](const std::string& line) {
            return line.find(text) != std::string::npos;
        });
    }

    std::unique_ptr<context_registry> d_registry;
    std::vector<std::string> d_log;
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_correlator, "qa_correlator");

} // namespace
