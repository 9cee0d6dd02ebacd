// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that predictions grow with the work, and rank the algorithms rightly.

#include "direct/host_direct_variant.h"
#include "fast_convolution/block_cost.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/overlap_save_method.h"
#include "filter/kept_bins.h"
#include "freq_xlating/cost_model.h"
#include "planning/memory_rates.h"
#include "storage/host_identity.h"
#include "tests/support/qa_process.h"

#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

const overlap_save_method& method(const std::string& name)
{
    return *find_overlap_save_method(name);
}

double predict_host_fast_convolution(const plan_shape& shape,
                                     const std::string& name,
                                     std::size_t ifft_size,
                                     const host_rates& rates)
{
    return method(name).predict(shape, ifft_size, rates);
}

//! The seconds on a device of a variant of fast convolution, or by the direct algorithm.
double predict_device(const plan_shape& shape,
                      const device_info& device,
                      const std::string& transfer,
                      std::size_t ifft_size,
                      const host_rates& rates,
                      const std::string& variant = "vkfft")
{
    return find_variant(ifft_size ? variant : "gpu_tile")
        ->predict(shape, { device, transfer }, ifft_size, rates);
}

} // namespace

class qa_cost_model : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_cost_model);
    CPPUNIT_TEST(direct_grows_with_the_work);
    CPPUNIT_TEST(fast_convolution_grows_with_the_work);
    CPPUNIT_TEST(each_algorithm_wins_where_it_should);
    CPPUNIT_TEST(blocks_shorter_than_the_overlap_give_nothing);
    CPPUNIT_TEST(blocks_give_what_the_overlap_leaves);
    CPPUNIT_TEST(candidate_rows_are_usable);
    CPPUNIT_TEST(candidate_rows_fit_the_call);
    CPPUNIT_TEST(candidate_rows_of_odd_shapes);
    CPPUNIT_TEST(devices_differ_by_their_size);
    CPPUNIT_TEST(cpu_device_is_as_slow_as_the_host);
    CPPUNIT_TEST(transfers_cost);
    CPPUNIT_TEST(kept_bins_follow_the_response);
    CPPUNIT_TEST(kept_bins_of_odd_filters);
    CPPUNIT_TEST(memory_costs_beyond_the_cache);
    CPPUNIT_TEST(values_between_the_steps_count);
    CPPUNIT_TEST(long_blocks_wait_for_memory);
    CPPUNIT_TEST(blocks_follow_the_cache);
    CPPUNIT_TEST(short_calls_pay_for_whole_blocks);
    CPPUNIT_TEST(short_direct_calls_pay_for_the_history);
    CPPUNIT_TEST(long_inverse_transforms_cost_more);
    CPPUNIT_TEST(variants_on_a_device_differ);
    CPPUNIT_TEST(sizes_on_a_device_follow_the_call);
    CPPUNIT_TEST(arm64_has_rates_of_its_own);
    CPPUNIT_TEST(calibration_is_remembered);
    CPPUNIT_TEST(memory_rates_are_remembered);
    CPPUNIT_TEST(damaged_calibrations_are_measured_anew);
    CPPUNIT_TEST_SUITE_END();

    const host_rates d_rates;

    static plan_shape shape(std::size_t taps,
                            std::size_t decimation,
                            std::size_t channels = 1,
                            std::size_t items = 6000)
    {
        plan_shape s;
        s.taps = taps;
        s.decimation = decimation;
        s.channels = channels;
        s.items = items;
        return s;
    }

    double direct(const plan_shape& s) const
    {
        return host_direct_simd().predict(s, d_rates);
    }

    //! The prediction for the best of all block sizes.
    double fast(const plan_shape& s) const
    {
        double best = std::numeric_limits<double>::infinity();
        for (const char* variant : { "polyphase", "selected_bins" })
            for (const auto ifft_size : method(variant).sizes(s, d_rates, 3))
                best = std::min(
                    best, predict_host_fast_convolution(s, variant, ifft_size, d_rates));
        return best;
    }

    void direct_grows_with_the_work()
    {
        const auto base = shape(201, 10, 4);
        for (const char* variant : { "simd", "volk" }) {
            const auto cost = [&](const plan_shape& s) {
                return find_variant(variant)->predict(s, {}, 0, d_rates);
            };
            CPPUNIT_ASSERT(cost(base) > 0);
            CPPUNIT_ASSERT(cost(shape(401, 10, 4)) > cost(base));
            CPPUNIT_ASSERT(cost(shape(201, 5, 4)) > cost(base));
            CPPUNIT_ASSERT(cost(shape(201, 10, 8)) > cost(base));
            CPPUNIT_ASSERT(cost(shape(201, 10, 4, 12000)) > cost(base));
            const auto shared = [&](plan_shape s) {
                s.threads = 2;
                return cost(s);
            };
            CPPUNIT_ASSERT(shared(shape(201, 10, 400)) < 0.6 * cost(shape(201, 10, 400)));
            // Waking a thread for a short call would take longer than it saves.
            CPPUNIT_ASSERT_EQUAL(cost(shape(11, 10, 2)), shared(shape(11, 10, 2)));
        }
    }

    void fast_convolution_grows_with_the_work()
    {
        for (const char* variant : { "polyphase", "selected_bins" }) {
            const auto cost = [&](const plan_shape& s) {
                return predict_host_fast_convolution(s, variant, 256, d_rates);
            };
            const auto base = shape(2429, 42, 4, 42 * 190);
            CPPUNIT_ASSERT(std::isfinite(cost(base)));
            CPPUNIT_ASSERT(cost(shape(2429, 42, 8, 42 * 190)) > cost(base));
            CPPUNIT_ASSERT(cost(shape(2429, 42, 4, 42 * 390)) > cost(base));
            // A short call is not worth waking other threads for.
            auto threaded = base;
            threaded.threads = 4;
            CPPUNIT_ASSERT(cost(threaded) == cost(base));
            const auto large = shape(2429, 42, 64, 42 * 1900);
            threaded = large;
            threaded.threads = 4;
            CPPUNIT_ASSERT(cost(threaded) < cost(large));
            // A longer filter costs nothing more until it needs one more block.
            CPPUNIT_ASSERT_EQUAL(cost(shape(2000, 42, 4, 42 * 190)), cost(base));
            CPPUNIT_ASSERT(cost(shape(5000, 42, 4, 42 * 190)) > cost(base));
        }
        auto kept = shape(2429, 42, 64);
        const double all =
            predict_host_fast_convolution(kept, "selected_bins", 256, d_rates);
        kept.kept = 0.1;
        CPPUNIT_ASSERT(
            predict_host_fast_convolution(kept, "selected_bins", 256, d_rates) < all);
        const auto slow = d_rates.scaled(10);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(10 * all,
                                     predict_host_fast_convolution(
                                         shape(2429, 42, 64), "selected_bins", 256, slow),
                                     1e-9);
    }

    void each_algorithm_wins_where_it_should()
    {
        CPPUNIT_ASSERT(direct(shape(33, 4)) < fast(shape(33, 4)));
        CPPUNIT_ASSERT(direct(shape(201, 42)) < fast(shape(201, 42)));
        CPPUNIT_ASSERT(fast(shape(2429, 1)) < direct(shape(2429, 1)));
        CPPUNIT_ASSERT(fast(shape(2429, 42)) < direct(shape(2429, 42)));
        auto bank = shape(2429, 42, 64);
        bank.kept = 0.05;
        CPPUNIT_ASSERT(10 * fast(bank) < direct(bank));
    }

    void blocks_shorter_than_the_overlap_give_nothing()
    {
        const auto s = shape(2429, 42);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), method("selected_bins").outputs(s, 57));
        CPPUNIT_ASSERT(
            std::isinf(predict_host_fast_convolution(s, "selected_bins", 57, d_rates)));
        CPPUNIT_ASSERT(
            std::isinf(predict_host_fast_convolution(s, "polyphase", 16, d_rates)));
        CPPUNIT_ASSERT(std::isinf(predict_device(s, {}, "copy", 57, d_rates)));
    }

    void blocks_give_what_the_overlap_leaves()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t(256 - 57),
                             method("selected_bins").outputs(shape(2429, 42), 256));
        CPPUNIT_ASSERT_EQUAL(std::size_t(64),
                             method("selected_bins").outputs(shape(1, 1), 64));
        CPPUNIT_ASSERT_EQUAL(std::size_t(64),
                             method("selected_bins").outputs(shape(42, 42), 64));
        CPPUNIT_ASSERT_EQUAL(std::size_t(63),
                             method("selected_bins").outputs(shape(43, 42), 64));
        // A row of the transform by ifft_size gives one output or more. The overlap, in
        // whole rows, invalidates at most one row more than necessary.
        for (const std::size_t decimation : { 1, 2, 3, 8, 42, 200 }) {
            const auto s = shape(1000, decimation);
            const auto more = method("polyphase").outputs(s, 1024);
            const auto less = method("polyphase").outputs(s, 1023);
            const auto phases = more - less;
            CPPUNIT_ASSERT(phases >= 1 && phases <= 32);
            const auto lost = 1024 * phases - more;
            CPPUNIT_ASSERT(lost >= 999 / decimation / phases * phases);
            CPPUNIT_ASSERT(lost <= 999 / decimation + 2 * phases);
        }
    }

    void candidate_rows_are_usable()
    {
        for (const char* variant : { "polyphase", "selected_bins" })
            for (const std::size_t taps : { 1, 2, 50, 101, 999, 2429, 5000 })
                for (const std::size_t decimation : { 1, 2, 7, 42, 200 }) {
                    const auto s = shape(taps, decimation);
                    const auto sizes = method(variant).sizes(s, d_rates, 3);
                    CPPUNIT_ASSERT(sizes.size() <= 3);
                    CPPUNIT_ASSERT(!sizes.empty() || variant == std::string("polyphase"));
                    for (const auto ifft_size : sizes)
                        CPPUNIT_ASSERT(method(variant).outputs(s, ifft_size) > 0);
                    CPPUNIT_ASSERT(
                        std::is_sorted(sizes.begin(), sizes.end(), [&](auto a, auto b) {
                            return predict_host_fast_convolution(s, variant, a, d_rates) <
                                   predict_host_fast_convolution(s, variant, b, d_rates);
                        }));
                }
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(1),
            method("selected_bins").sizes(shape(2429, 42), d_rates, 1).size());
    }

    void candidate_rows_fit_the_call()
    {
        // A call of 199 outputs is exactly one block with an ifft_size of 256.
        const auto s = shape(2429, 42, 1, 199 * 42);
        CPPUNIT_ASSERT_EQUAL(std::size_t(256),
                             method("polyphase").sizes(s, d_rates, 1).at(0));
        // If no power of two fits well, other sizes are chosen.
        auto odd = shape(5000, 42, 1, 260 * 42);
        odd.real_taps = false;
        const auto ifft_size = method("selected_bins").sizes(odd, d_rates, 1).at(0);
        CPPUNIT_ASSERT((ifft_size & (ifft_size - 1)) != 0);
        const auto cost = [&](std::size_t size) {
            return predict_host_fast_convolution(odd, "selected_bins", size, d_rates);
        };
        for (std::size_t size = 128; size <= 4096; size *= 2)
            CPPUNIT_ASSERT(cost(ifft_size) < cost(size));
    }

    void candidate_rows_of_odd_shapes()
    {
        // Problems with one tap, calls of one output, and filters longer than any block
        // of a variant.
        CPPUNIT_ASSERT(
            !method("selected_bins").sizes(shape(1, 1, 1, 1), d_rates, 3).empty());
        CPPUNIT_ASSERT(
            !method("selected_bins").sizes(shape(1, 1000000, 1, 1), d_rates, 3).empty());
        CPPUNIT_ASSERT(
            !method("selected_bins").sizes(shape(100000, 1), d_rates, 3).empty());
        CPPUNIT_ASSERT(method("polyphase").sizes(shape(1000000, 1), d_rates, 3).empty());
    }

    void devices_differ_by_their_size()
    {
        device_info small, large;
        small.kind = large.kind = device_kind::gpu;
        small.limits.max_work_group_size = 12;
        small.limits.host_unified_memory = true;
        large.limits.max_work_group_size = 1024;
        large.limits.compute_units = 132;
        const auto heavy = shape(2429, 1, 1, 1000000);
        CPPUNIT_ASSERT(100 * predict_device(heavy, large, "mapped", 0, d_rates) <
                       predict_device(heavy, small, "mapped", 0, d_rates));
        // In small calls the constant cost of a call dominates.
        const auto light = shape(33, 10, 1, 100);
        CPPUNIT_ASSERT(predict_device(light, large, "mapped", 0, d_rates) >
                       direct(light));
        // For a long filter a block of fast convolution costs less.
        CPPUNIT_ASSERT(predict_device(heavy, small, "mapped", 16384, d_rates) <
                       predict_device(heavy, small, "mapped", 0, d_rates));
    }

    void cpu_device_is_as_slow_as_the_host()
    {
        device_info device;
        const auto slow = d_rates.scaled(2.5).scaled(4);
        for (const std::size_t ifft_size : { 0, 16384 }) {
            const auto seconds = [&](const host_rates& host) {
                return predict_device(
                    shape(2429, 1, 1, 1000000), device, "mapped", ifft_size, host);
            };
            device.kind = device_kind::cpu;
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                10 * seconds(d_rates), seconds(slow), 1e-9 * seconds(slow));
            device.kind = device_kind::gpu;
            CPPUNIT_ASSERT_EQUAL(seconds(d_rates), seconds(slow));
        }
    }

    void transfers_cost()
    {
        device_info gpu;
        gpu.kind = device_kind::gpu;
        auto s = shape(33, 10, 1, 1000000);
        const double bytes_8 = predict_device(s, gpu, "copy", 0, d_rates);
        CPPUNIT_ASSERT(predict_device(s, gpu, "zero_copy", 0, d_rates) < bytes_8);
        s.input = sample_type::cu8;
        CPPUNIT_ASSERT(predict_device(s, gpu, "copy", 0, d_rates) < bytes_8);
    }

    //! A windowed low-pass filter whose passband is the fraction \p part of all
    //! frequencies.
    static std::vector<std::complex<float>> low_pass(std::size_t taps, double part)
    {
        std::vector<std::complex<float>> h(taps);
        for (std::size_t k = 0; k < taps; k++) {
            const double t = static_cast<double>(k) - static_cast<double>(taps - 1) / 2;
            const double window = 0.54 + 0.46 * std::cos(2 * M_PI * t / double(taps));
            const double sinc = t == 0 ? part : std::sin(M_PI * part * t) / (M_PI * t);
            h[k] = static_cast<float>(window * sinc);
        }
        return h;
    }

    void kept_bins_follow_the_response()
    {
        const auto h = low_pass(2429, 1.0 / 42);
        CPPUNIT_ASSERT_EQUAL(1.0, kept_bins(h, 0));
        const double hard = kept_bins(h, 1e-5), soft = kept_bins(h, 1e-4),
                     softest = kept_bins(h, 0.1);
        CPPUNIT_ASSERT(hard > soft && soft > softest);
        CPPUNIT_ASSERT(softest > 0.9 / 42 && softest < 1.5 / 42);
    }

    void kept_bins_of_odd_filters()
    {
        CPPUNIT_ASSERT_EQUAL(1.0, kept_bins({ 1 }, 0.1));
        CPPUNIT_ASSERT_EQUAL(0.0, kept_bins({ 0, 0 }, 1e-5));
        const double narrow = kept_bins(low_pass(60001, 1e-4), 0.1);
        CPPUNIT_ASSERT(narrow >= 0 && narrow < 0.05);
    }

    void memory_costs_beyond_the_cache()
    {
        memory_rates memory;
        memory.cache_bytes = 1000;
        memory.near_byte = 1;
        memory.far_byte = 10;
        CPPUNIT_ASSERT_EQUAL(0.0, memory.seconds(5, 1000));
        double before = 0;
        for (double set = 1100; set < 1e6; set *= 1.1) {
            const double seconds = memory.seconds(5, set);
            CPPUNIT_ASSERT(seconds >= before && seconds <= 50);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(2 * seconds, memory.seconds(10, set), 1e-9);
            before = seconds;
        }
        CPPUNIT_ASSERT(before > 49);
        // A working set beyond the largest that was measured is no slower.
        CPPUNIT_ASSERT_EQUAL(memory.seconds(5, 1e6), memory.seconds(5, 1e9));
    }

    //! These rates with a memory that is \p factor times as slow.
    host_rates with_slow_memory(double factor) const
    {
        auto rates = d_rates;
        rates.memory.near_byte *= factor;
        rates.memory.far_byte *= factor;
        return rates;
    }

    void values_between_the_steps_count()
    {
        // The items of a transform, its results, and the values between its steps.
        const double items =
            static_cast<double>(d_rates.memory.cache_bytes) / (3 * value_bytes);
        CPPUNIT_ASSERT_EQUAL(0.0, transform_traffic(0.99 * items, 2, d_rates));
        CPPUNIT_ASSERT(transform_traffic(1.5 * items, 2, d_rates) > 0);
    }

    void long_blocks_wait_for_memory()
    {
        const auto slow = with_slow_memory(10);
        const auto blocks = [&](const plan_shape& s,
                                const char* variant,
                                std::size_t ifft_size,
                                const host_rates& rates) {
            return predict_host_fast_convolution(s, variant, ifft_size, rates);
        };
        // Blocks that fit the cache, with all responses.
        for (const char* variant : { "polyphase", "selected_bins" }) {
            const auto s = shape(201, 10);
            CPPUNIT_ASSERT_EQUAL(blocks(s, variant, 64, d_rates),
                                 blocks(s, variant, 64, slow));
        }
        // Hundreds of thousands of items are transformed at the speed of the memory.
        for (const auto input : { sample_type::fc32, sample_type::s16 }) {
            auto s = shape(356401, 10800, 10, 1 << 20);
            s.input = input;
            s.kept = 0.01;
            CPPUNIT_ASSERT(blocks(s, "selected_bins", 64, slow) >
                           3 * blocks(s, "selected_bins", 64, d_rates));
        }
        // Short blocks of many channels whose responses exceed the cache.
        const auto bank = shape(2429, 42, 256, 65536);
        CPPUNIT_ASSERT(blocks(bank, "selected_bins", 256, slow) >
                       1.5 * blocks(bank, "selected_bins", 256, d_rates));
        // Long blocks in one variant are as far from the cache as in another.
        const auto one = shape(20000, 1, 1, 1 << 20);
        CPPUNIT_ASSERT(blocks(one, "four_step", 1 << 19, slow) >
                       1.5 * blocks(one, "four_step", 1 << 19, d_rates));
    }

    void blocks_follow_the_cache()
    {
        // Without decimation, half of a Raspberry Pi 4's cache has room for half the
        // block.
        auto rates = with_slow_memory(10);
        const auto best = [&](std::size_t cache_bytes) {
            rates.memory.cache_bytes = cache_bytes;
            return method("four_step").sizes(shape(2429, 1, 1, 1 << 18), rates, 1).at(0);
        };
        CPPUNIT_ASSERT_EQUAL(std::size_t(16384), best(std::size_t(1) << 20));
        CPPUNIT_ASSERT_EQUAL(std::size_t(8192), best(std::size_t(1) << 19));
    }

    void short_calls_pay_for_whole_blocks()
    {
        // A call of few outputs, most of whose window is history, takes a whole block.
        auto s = shape(356401, 10800, 100, 10800);
        s.kept = 0.001;
        const std::size_t valid = method("selected_bins").outputs(s, 128);
        const auto call = [&](std::size_t outputs) {
            s.items = outputs * s.decimation;
            return predict_host_fast_convolution(s, "selected_bins", 128, d_rates);
        };
        CPPUNIT_ASSERT(
            call(1) >=
            std::min(method("selected_bins").predict_block(s, 128, d_rates), direct(s)));
        CPPUNIT_ASSERT_DOUBLES_EQUAL(call(valid), call(valid / 2), 1e-3 * call(valid));
        CPPUNIT_ASSERT(call(2 * valid) > 1.9 * call(valid));
        CPPUNIT_ASSERT(call(valid + 1) > 1.05 * call(valid));
    }

    void short_direct_calls_pay_for_the_history()
    {
        // The first output needs as many prepared items as there are taps.
        auto s = shape(356401, 10800, 1, 10800);
        const double one = direct(s);
        s.items *= 2;
        CPPUNIT_ASSERT(direct(s) < 1.8 * one);
        // An executor decides by the same figures.
        const auto costs = host_direct_simd().costs(s, d_rates);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(direct(s), costs.direct(2, s.taps), 1e-9);
        CPPUNIT_ASSERT_EQUAL(d_rates.call, costs.direct(0, s.taps));
    }

    void long_inverse_transforms_cost_more()
    {
        // Long blocks gain nothing where no outputs overlap, and their inverse transforms
        // take longer.
        for (const std::size_t decimation : { 2, 3, 4 }) {
            const auto s = shape(1, decimation, 113, 8340);
            const auto seconds = [&](std::size_t ifft_size) {
                return predict_host_fast_convolution(
                    s, "selected_bins", ifft_size, d_rates);
            };
            CPPUNIT_ASSERT(seconds(256) < seconds(1024));
        }
    }

    static device_info large_gpu()
    {
        device_info gpu;
        gpu.kind = device_kind::gpu;
        gpu.limits.max_work_group_size = 1024;
        for (auto& size : gpu.limits.max_work_item_sizes)
            size = 1024;
        gpu.limits.compute_units = 132;
        gpu.limits.local_memory = 48 << 10;
        gpu.limits.max_buffer = std::size_t(4) << 30;
        return gpu;
    }

    void variants_on_a_device_differ()
    {
        const auto gpu = large_gpu();
        const auto seconds = [&](const char* variant, std::size_t channels) {
            auto s = shape(2429, 42, channels, 1 << 20);
            s.kept = 0.05;
            return predict_device(s, gpu, "copy", 256, d_rates, variant);
        };
        // One kernel for a channel reads and writes less than three. Tiles share what
        // many channels read.
        CPPUNIT_ASSERT(seconds("fused_fold", 64) < seconds("vkfft", 64));
        CPPUNIT_ASSERT(seconds("tiled_fold", 1024) < seconds("vkfft", 1024));
        CPPUNIT_ASSERT(seconds("tiled_fold", 1024) != seconds("fused_fold", 1024));
        // Matrix units leave more of the bins' reads to one work-group.
        CPPUNIT_ASSERT(seconds("tensor_fold", 1024) < seconds("tiled_fold", 1024));
    }

    void sizes_on_a_device_follow_the_call()
    {
        const auto gpu = large_gpu();
        for (const char* variant :
             { "vkfft", "fused_fold", "tiled_fold", "tensor_fold" }) {
            const auto size = [&](std::size_t channels, std::size_t outputs) {
                return fast_convolution_size(variant, gpu, 42, 2429, channels, outputs);
            };
            const std::size_t overlap = 2428 / 42;
            for (const std::size_t channels : { 1, 64 }) {
                // A block is longer than the overlap. In a short call it is no longer
                // than its outputs need; there is a size in each doubling.
                CPPUNIT_ASSERT(size(channels, 0) > overlap);
                CPPUNIT_ASSERT(size(channels, 10) > overlap);
                CPPUNIT_ASSERT(size(channels, 10) < 2 * (overlap + 10));
                CPPUNIT_ASSERT(size(channels, 10) <= size(channels, 1000000));
            }
        }
        CPPUNIT_ASSERT_THROW(fast_convolution_size("fused_fold", gpu, 1, 1 << 24, 1, 0),
                             std::invalid_argument);
    }

    void memory_rates_are_remembered()
    {
        const temporary_folder folder;
        context_options options;
        options.cache_folder = folder.path();
        context_registry registry(options);
        const auto first = calibrated_rates(registry).memory;
        CPPUNIT_ASSERT(first.cache_bytes > 0);
        CPPUNIT_ASSERT(first.near_byte > 0 && first.near_byte <= first.far_byte);
        const auto key = host_identity() + ", memory";
        CPPUNIT_ASSERT(!registry.wisdom().find("calibration", key).empty());
        context_registry later(options);
        later.wisdom().store(
            "calibration", key, "{\"near_byte\": 2e-11, \"far_byte\": 3e-11}");
        CPPUNIT_ASSERT_EQUAL(3e-11, calibrated_memory_rates(later).far_byte);
        for (const char* text : { "nonsense",
                                  "{}",
                                  "{\"near_byte\": 2e-11}",
                                  "{\"near_byte\": 2e-11, \"far_byte\": \"3\"}",
                                  "{\"near_byte\": 3e-11, \"far_byte\": 2e-11}",
                                  "{\"near_byte\": -1, \"far_byte\": 1e300}" }) {
            later.wisdom().store("calibration", key, text);
            const auto rates = calibrated_memory_rates(later);
            CPPUNIT_ASSERT(rates.near_byte > 0 && rates.near_byte <= rates.far_byte);
            CPPUNIT_ASSERT(later.wisdom().find("calibration", key) != text);
        }
    }

    // The order of filters by their modelled cycles for an item: at a decimation of 42
    // the direct one needs 6.1, 13.8 and 34.8 for 201, 801 and 2429 taps and
    // polyphase 9.5 and 11.6 for 401 and 2429, at 1 the direct one 41.6 and 70.5 for 51
    // and 101 taps and four_step 34.3 for 101.
    void arm64_has_rates_of_its_own()
    {
        const auto rates = arm64_rates();
        CPPUNIT_ASSERT(rates.simd_tap > d_rates.simd_tap);
        CPPUNIT_ASSERT(rates.slowness > d_rates.slowness);
        const auto is_direct =
            [&](const char* name, std::size_t taps, std::size_t decimation) {
                const auto s = shape(taps, decimation, 1, 1 << 18);
                const auto best = method(name).sizes(s, rates, 1).at(0);
                return host_direct_simd().predict(s, rates) <
                       method(name).predict(s, best, rates);
            };
        CPPUNIT_ASSERT(is_direct("polyphase", 201, 42));
        CPPUNIT_ASSERT(!is_direct("polyphase", 801, 42));
        CPPUNIT_ASSERT(!is_direct("polyphase", 2429, 42));
        CPPUNIT_ASSERT(is_direct("four_step", 15, 1));
        CPPUNIT_ASSERT(!is_direct("four_step", 101, 1));
    }

    void calibration_is_remembered()
    {
        const temporary_folder folder;
        context_options options;
        options.cache_folder = folder.path();
        context_registry registry(options);
        const auto first = calibrated_rates(registry);
        CPPUNIT_ASSERT(first.simd_tap > 0);
        CPPUNIT_ASSERT_EQUAL(first.simd_tap, calibrated_rates(registry).simd_tap);
        context_registry later(options);
        // A measurement that other threads disturbed is not kept for later.
        if (!later.wisdom().find("calibration", host_identity()).empty())
            CPPUNIT_ASSERT_EQUAL(first.simd_tap, calibrated_rates(later).simd_tap);
        later.wisdom().store("calibration", host_identity(), "{\"factor\": 2.5}");
        CPPUNIT_ASSERT_DOUBLES_EQUAL(2.5 * reference_rates().polyphase_item,
                                     calibrated_rates(later).polyphase_item,
                                     1e-15);
    }

    void damaged_calibrations_are_measured_anew()
    {
        context_options options;
        options.wisdom_file = false;
        context_registry registry(options);
        for (const char* text : { "nonsense",
                                  "{}",
                                  "{\"factor\": \"2\"}",
                                  "{\"factor\": -1}",
                                  "{\"factor\": 1e300}" }) {
            registry.wisdom().store("calibration", host_identity(), text);
            const auto rates = calibrated_rates(registry);
            CPPUNIT_ASSERT(rates.simd_tap > 0 && rates.simd_tap < 1e-6);
            CPPUNIT_ASSERT(registry.wisdom().find("calibration", host_identity()) !=
                           text);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_cost_model, "qa_cost_model");
