// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests that every method of overlap-save passes, on each instruction set.

#include "tests/support/qa_overlap_save_case.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

//! The change of the gain for exponentials at some random frequencies, compared with the
//! exact response and relative to a gain of 1.
struct gain_change {
    double response = 0; //!< largest change of a block's mean gain
    double output = 0;   //!< largest change of any output
};

gain_change response_change(const overlap_save& method,
                            const overlap_save_case& c,
                            std::size_t frequencies)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> frequency(-0.5, 0.5);
    gain_change largest;
    transformed_blocks block(method, c);
    std::vector<std::complex<float>> items(method.block_items());
    for (std::size_t number = 0; number < frequencies; number++) {
        // Half of the frequencies are near the channel's centre, where its passband and
        // the edges of its stopband are; the others are anywhere.
        const double far = frequency(random);
        const auto step =
            phase64::from_turns(number % 2 ? far : 0.1 * far + c.setup(0).step.turns());
        for (std::size_t i = 0; i < items.size(); i++)
            items[i] = std::complex<float>((step * i).phasor());
        block.transform(items.data());
        const channel_outputs out = block.all();
        for (std::size_t channel = 0; channel < out.size(); channel++) {
            std::complex<double> exact = 0, sum = 0;
            const auto rotated = c.setup(channel).rotated();
            for (std::size_t k = 0; k < rotated.size(); k++)
                exact += rotated[k] * (-(step * k)).phasor();
            for (std::size_t i = 0; i < out[channel].size(); i++) {
                const std::size_t newest = c.shape.max_taps - 1 + i * c.shape.decimation;
                const auto gain = std::complex<double>(out[channel][i]) *
                                  (-(c.rotator(channel, i) + step * newest)).phasor();
                largest.output = std::max(largest.output, std::abs(gain - exact));
                sum += gain - exact;
            }
            largest.response =
                std::max(largest.response,
                         std::abs(sum) / static_cast<double>(out[channel].size()));
        }
    }
    return largest;
}

} // namespace

//! What every method of overlap-save has to do, on each instruction set. A method that
//! the engine's table names is tested.
class qa_overlap_save : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save);
    CPPUNIT_TEST(every_size);
    CPPUNIT_TEST(every_tap_count);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(linear_phase);
    CPPUNIT_TEST(channels_with_taps_of_their_own);
    CPPUNIT_TEST(smallest_blocks);
    CPPUNIT_TEST(frequencies);
    CPPUNIT_TEST(change_of_the_response);
    CPPUNIT_TEST(no_taps_and_large_taps);
    CPPUNIT_TEST(parts_of_a_block);
    CPPUNIT_TEST(blocks_together);
    CPPUNIT_TEST(several_threads);
    CPPUNIT_TEST(active_channels);
    CPPUNIT_TEST(configured_again);
    CPPUNIT_TEST(nothing_outside_the_block_is_read);
    CPPUNIT_TEST(bad_shapes);
    CPPUNIT_TEST(bad_channels);
    CPPUNIT_TEST_SUITE_END();

    static constexpr sample_type fc32 = sample_type::fc32, f32 = sample_type::f32,
                                 s16 = sample_type::s16;
    static constexpr tap_kind real = tap_kind::real, complex = tap_kind::complex,
                              symmetric = tap_kind::symmetric,
                              antisymmetric = tap_kind::antisymmetric,
                              hermitian = tap_kind::hermitian, turned = tap_kind::turned,
                              low_pass = tap_kind::low_pass,
                              bent = tap_kind::bent_low_pass;

    //! So few bins that they are read one by one, also those of several channels.
    static constexpr double few_bins = 0.01;

    //! Blocks so large that the transform stores only the bins that are kept.
    static overlap_save_shape
    large_shape(sample_type input, std::size_t max_taps, std::size_t channels)
    {
        return { input, 600, max_taps, channels, 160, 0, few_bins };
    }

    //! The shape of blocks on which every method runs that has the decimation at all.
    static overlap_save_shape
    common_shape(sample_type input, std::size_t decimation, std::size_t channels)
    {
        const std::size_t rows = decimation == 1 ? 256 : 64;
        return { input, decimation, 101, channels, rows, 0 };
    }

    //! Checks the outputs of all methods, on every instruction set, against the
    //! reference.
    static void check(const overlap_save_case& c)
    {
        for (const auto& way : c.ways) {
            c.configure(*way.method);
            c.check(outputs_of(*way.method, c), way.name);
        }
    }

    //! Calls \p test with every method, configured for the case.
    template <class Test>
    static void each_method(const overlap_save_shape& shape,
                            const std::vector<tap_kind>& kinds,
                            const Test& test)
    {
        overlap_save_case c(shape, kinds, {}, 1);
        for (const auto& way : c.ways) {
            c.configure(*way.method);
            test(c, *way.method, way.variant);
        }
    }

public:
    // With an even number of taps the response of linear phase is delayed by half an
    // item. Pairs of real items are transformed; a block of an odd size has none.
    void every_size()
    {
        for (const auto type : { fc32, f32 })
            for (const std::size_t decimation : { 1, 2, 5, 7, 10, 42 })
                for (const std::size_t rows :
                     { 16, 32, 61, 64, 128, 256, 420, 512, 768, 1024 })
                    for (const std::size_t taps : { 100, 101 })
                        if (taps + 9 * decimation < rows * decimation)
                            check({ { type, decimation, taps, 2, rows, 0 },
                                    { symmetric, complex } });
        for (std::size_t rows = 2048; rows <= 65536; rows *= 2)
            check({ { fc32, 1, 41, 1, rows, 0 }, { complex } });
        // More channels than a group has.
        for (const std::size_t decimation : { 2, 10, 42 })
            check({ { fc32, decimation, 100, 19, 64, 0 }, { symmetric } });
        for (const auto type : { fc32, f32 }) {
            check({ { type, 1, 3, 2, 16 * 16 * 16 * 20, 0 }, { symmetric, complex } });
            check({ { type, 1200, 2401, 2, 96, 0, few_bins }, { symmetric, complex } });
            check({ { type, 2048, 4097, 2, 64, 0, few_bins }, { symmetric, complex } });
        }
    }

    void every_tap_count()
    {
        std::size_t number = 0;
        for (const auto type : { fc32, f32 })
            for (const std::size_t decimation :
                 { 1, 2, 3, 7, 8, 15, 16, 17, 42, 50, 64, 100, 101 }) {
                std::vector<std::size_t> counts = { 1, 2, 3, 40, 101 };
                for (const std::size_t multiple : { decimation, 3 * decimation })
                    for (const std::size_t count :
                         { multiple - 1, multiple, multiple + 1 })
                        if (count > 3)
                            counts.push_back(count);
                if (decimation == 42)
                    counts.push_back(2429);
                for (const std::size_t taps : counts) {
                    std::size_t rows = decimation == 1 ? 256 : 16;
                    while ((taps - 1) / decimation + 9 >= rows)
                        rows *= 4;
                    // Bins are gathered, or read one by one.
                    check({ { type,
                              decimation,
                              taps,
                              2,
                              rows,
                              0,
                              number++ % 2 ? few_bins : 1 },
                            { complex, number % 3 ? complex : symmetric } });
                }
            }
        for (const std::size_t taps : { 15, 16, 17, 512 })
            check({ { fc32, 1, taps, 2, 512, 0 }, { complex } });
        for (const std::size_t taps : { 1, 2, 599, 600, 601, 4322 })
            check({ large_shape(s16, taps, 3), { symmetric, hermitian, turned } });
    }

    void every_type()
    {
        for (const sample_type type : all_sample_types()) {
            for (const double kept : { 1.0, few_bins })
                for (const std::size_t decimation : { 1, 7, 42 }) {
                    auto shape = common_shape(type, decimation, 3);
                    shape.kept = kept;
                    check({ shape, { real, complex, symmetric } });
                }
            check({ large_shape(type, 1201, 2), { symmetric, complex } });
        }
    }

    void linear_phase()
    {
        std::size_t number = 0;
        for (const std::size_t taps : { 1, 2, 40, 41, 42, 43, 100, 101 })
            for (const std::size_t decimation : { 1, 2, 7, 42 })
                for (const double kept : { 1.0, few_bins }) {
                    overlap_save_shape shape{
                        number++ % 3 ? fc32 : f32,     decimation, taps, 4,
                        decimation == 1 ? 256U : 128U, 0,          kept
                    };
                    check({ shape, { symmetric, antisymmetric, hermitian, turned } });
                }
    }

    void channels_with_taps_of_their_own()
    {
        const std::vector<tap_kind> kinds = { symmetric, symmetric, complex,
                                              symmetric, real,      hermitian };
        for (const std::size_t decimation : { 1, 7, 42 })
            for (const std::size_t max_taps : { 200, 201 })
                for (const std::size_t rows : { 420, 512 })
                    check({ { fc32, decimation, max_taps, 6, rows, 0 },
                            kinds,
                            { max_taps,
                              max_taps - 1,
                              77,
                              max_taps - 2 * decimation,
                              1,
                              42 } });
        check({ large_shape(s16, 1801, 4),
                { symmetric, complex, symmetric, real },
                { 1801, 77, 601, 33 } });
    }

    void smallest_blocks()
    {
        check({ { fc32, 1, 1, 1, 1, 0 }, { complex } });
        check({ { fc32, 5, 1, 2, 1, 0 }, { symmetric, complex } });
        check({ { fc32, 5, 5, 2, 1, 0 }, { symmetric, complex } });
        // The taps are as long as the block, or leave few outputs of it.
        for (const std::size_t less : { 0, 1, 2, 3 }) {
            const std::size_t taps = (128 - less) * 42;
            check({ { fc32, 42, taps, 1, 128, 0 }, { symmetric } });
            check({ { fc32, 42, taps, 3, 128, 0 },
                    { symmetric, complex, real },
                    { taps, 1, 2 } });
            check({ { fc32, 1, 256 - less, 1, 256, 0 }, { complex } });
        }
    }

    // Bins at 0 Hz, at half the sampling frequency, at the other bins that are their own
    // mirrors, and round the end of the spectrum.
    void frequencies()
    {
        for (const double center_freq :
             { 0.0, 1008000.0, 504000.0, -504000.0, -1.0, 1007990.0, 5e6 }) {
            const auto check_at = [&](const overlap_save_shape& shape,
                                      const std::vector<tap_kind>& kinds) {
                overlap_save_case c(shape, kinds);
                c.set_center_freq(0, center_freq);
                c.set_center_freq(1, -0.7 * center_freq);
                check(c);
            };
            for (const std::size_t decimation : { 1, 7 })
                check_at(common_shape(fc32, decimation, 2), { symmetric, complex });
            for (const auto type : { s16, sample_type::cs16 }) {
                auto shape = large_shape(type, 12001, 2);
                shape.accuracy = 1e-7;
                check_at(shape, { low_pass });
            }
        }
    }

    // The gains that are left out lie below the accuracy at each bin, and so does the
    // mean gain between the bins. At single outputs, errors of many bins can add up to a
    // little more.
    void change_of_the_response()
    {
        const auto check_at = [](overlap_save_shape shape,
                                 tap_kind kind,
                                 std::size_t frequencies) {
            double exact = 0;
            for (const double accuracy : { 0.0, 1e-5, 1e-4, 1e-3 }) {
                shape.accuracy = accuracy;
                each_method(
                    shape,
                    { kind },
                    [&](const auto& c, const auto& method, const std::string& variant) {
                        const auto change = response_change(method, c, frequencies);
                        const std::string what =
                            variant + ", " + c.describe(0) + ", accuracy " +
                            std::to_string(accuracy) + ": response " +
                            std::to_string(1e6 * change.response) + "e-6, output " +
                            std::to_string(1e6 * change.output) + "e-6";
                        CPPUNIT_ASSERT_MESSAGE(
                            what, change.response <= std::max(1e-6, accuracy));
                        CPPUNIT_ASSERT_MESSAGE(
                            what, change.output <= std::max(1e-6, 1.5 * accuracy));
                        if (variant != "selected_bins")
                            return; // exact at any accuracy
                        if (accuracy == 0)
                            exact = change.response;
                        else
                            CPPUNIT_ASSERT_MESSAGE(what + ": no bin was left out",
                                                   change.response > 4 * exact);
                    });
            }
        };
        for (const tap_kind kind : { low_pass, bent }) {
            check_at({ fc32, 1, 401, 2, 2048, 0 }, kind, 150);
            check_at({ fc32, 30, 401, 2, 128, 0 }, kind, 150);
            check_at(large_shape(fc32, 1201, 2), kind, 10);
        }
    }

    void no_taps_and_large_taps()
    {
        for (const std::size_t decimation : { 1, 7 })
            for (const double accuracy : { 0.0, 1e-5 }) {
                auto shape = common_shape(fc32, decimation, 3);
                shape.accuracy = accuracy;
                overlap_save_case c(shape, { symmetric }, {}, 1);
                auto taps = make_taps(complex, 101, 3);
                for (auto& tap : taps)
                    tap *= 1e30f;
                c.set_taps(0, taps);
                for (auto& tap : taps)
                    tap *= 1e-35f * 1e-25f;
                c.set_taps(1, taps);
                c.set_taps(2, std::vector<std::complex<float>>(101));
                for (const auto& way : c.ways) {
                    for (const auto& before : outputs_of(*way.method, c))
                        assert_silent(before);
                    c.configure(*way.method);
                    const channel_outputs out = outputs_of(*way.method, c);
                    for (const std::size_t channel : { 0, 1 })
                        c.check(channel, out[channel], way.name);
                    assert_silent(out[2]);
                }
            }
        const overlap_save_case large(large_shape(s16, 1201, 1), { symmetric });
        for (const auto& way : large.ways)
            assert_silent(outputs_of(*way.method, large)[0]);
    }

    static void assert_silent(const std::vector<std::complex<float>>& out)
    {
        for (const auto& value : out)
            CPPUNIT_ASSERT(value == 0.0f);
    }

    void parts_of_a_block()
    {
        const auto parts =
            [](const auto& c, const auto& method, const std::string& what) {
                transformed_blocks block(method, c);
                block.transform(c.block());
                const channel_outputs whole = block.all();
                const std::size_t channels = c.shape.channels, most = whole[0].size();
                for (std::size_t outputs = 0; outputs <= most;
                     outputs += outputs < 40 || outputs + 40 >= most ? 1 : 17)
                    for (std::size_t first = 0; first < channels; first++) {
                        const std::size_t count = 1 + outputs % (channels - first);
                        const auto some = block.outputs(first, count, outputs);
                        for (std::size_t i = 0; i < count; i++)
                            CPPUNIT_ASSERT_MESSAGE(what,
                                                   std::equal(some[i].begin(),
                                                              some[i].end(),
                                                              whole[first + i].begin()));
                    }
            };
        for (const std::size_t decimation : { 1, 7 })
            each_method(common_shape(fc32, decimation, 5), { symmetric, complex }, parts);
        each_method(large_shape(s16, 1201, 2), { symmetric, complex }, parts);
    }

    //! Blocks that are computed in one call give what they give alone.
    void blocks_together()
    {
        constexpr std::size_t blocks = 5;
        for (const std::size_t decimation : { 1, 3, 7, 42 })
            for (const std::size_t channels : { 1, 2, 21 }) {
                const overlap_save_case c(
                    { sample_type::cs16, decimation, 101, channels, 256, 0 },
                    { complex, symmetric, symmetric });
                for (const auto& way : c.ways) {
                    c.configure(*way.method);
                    const std::size_t size = way.method->block_outputs();
                    transformed_blocks all(
                        *way.method,
                        c,
                        noise(c.shape.input, c.shape.items_of(blocks * size), 21),
                        blocks);
                    channel_outputs apart(channels);
                    for (std::size_t b = 0; b < blocks; b++) {
                        const auto one = all.outputs(0, channels, size, b * size);
                        for (std::size_t i = 0; i < channels; i++)
                            apart[i].insert(apart[i].end(), one[i].begin(), one[i].end());
                    }
                    for (const std::size_t outputs :
                         { 5 * size, 4 * size + 1, 2 * size - 1 }) {
                        const auto together = all.outputs(0, channels, outputs);
                        for (std::size_t i = 0; i < channels; i++) {
                            const std::vector<std::complex<double>> expected(
                                apart[i].begin(),
                                apart[i].begin() + static_cast<long>(outputs));
                            const double error = error_db(together[i], expected);
                            CPPUNIT_ASSERT_MESSAGE(way.name + ", " + c.describe(i) +
                                                       ": " + std::to_string(error) +
                                                       " dB",
                                                   error < -125);
                        }
                    }
                }
            }
    }

    //! Each thread has a spectrum and a workspace of its own, and items of its own.
    void several_threads()
    {
        const auto on_threads = [](const auto& c, const auto& method, const auto& what) {
            constexpr std::size_t count = 3, rounds = 60;
            std::vector<std::vector<unsigned char>> items;
            std::vector<channel_outputs> expected;
            for (unsigned i = 0; i < count; i++) {
                items.push_back(noise(c.shape.input, method.block_items(), 50 + i));
                transformed_blocks block(method, c);
                block.transform(items[i].data());
                expected.push_back(block.all());
            }
            std::vector<std::size_t> wrong(count);
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < count; i++)
                threads.emplace_back([&, i] {
                    transformed_blocks block(method, c);
                    for (std::size_t round = 0; round < rounds; round++) {
                        block.transform(items[i].data());
                        wrong[i] += block.all() != expected[i];
                    }
                });
            for (auto& thread : threads)
                thread.join();
            for (const std::size_t outputs : wrong)
                CPPUNIT_ASSERT_EQUAL_MESSAGE(what, std::size_t(0), outputs);
        };
        for (const auto type : { fc32, s16 }) {
            for (const std::size_t decimation : { 1, 7 }) {
                auto shape = common_shape(type, decimation, 3);
                shape.ifft_size = decimation == 1 ? 4096 : 512;
                each_method(shape, { symmetric, complex }, on_threads);
            }
            each_method(large_shape(type, 1201, 1), { symmetric }, on_threads);
        }
    }

    // Bins of idle channels are not stored.
    void active_channels()
    {
        const auto switched = [](const auto& c, auto& method, const std::string& what) {
            const channel_outputs whole = outputs_of(method, c);
            c.check(whole, what);
            const std::size_t size = whole[0].size();
            for (const std::vector<std::size_t>& active :
                 { std::vector<std::size_t>{ 0 }, { 1 }, { 2 }, { 0, 2 }, { 0, 1, 2 } }) {
                const bool skips = method.set_active(active);
                method.settle();
                transformed_blocks block(method, c);
                block.transform(c.block());
                if (skips) {
                    std::vector<bool> wanted(3);
                    for (const std::size_t channel : active)
                        wanted[channel] = true;
                    const auto out = block.outputs(0, 3, size, 0, wanted);
                    for (const std::size_t channel : active)
                        c.check(channel, out[channel], what);
                } else {
                    for (const std::size_t channel : active)
                        CPPUNIT_ASSERT_MESSAGE(
                            what, block.outputs(channel, 1, size)[0] == whole[channel]);
                }
            }
            // A channel that is configured while it is idle.
            method.set_active({ 0 });
            method.configure(1, c.setup(1));
            method.settle();
            method.set_active({ 0, 1, 2 });
            method.settle();
            c.check(outputs_of(method, c), what);
        };
        for (const double kept : { 1.0, few_bins })
            for (const std::size_t decimation : { 1, 7 }) {
                auto shape = common_shape(fc32, decimation, 3);
                shape.kept = kept;
                each_method(shape, { symmetric, complex }, switched);
            }
        auto shape = large_shape(s16, 12001, 3);
        shape.accuracy = 1e-7;
        each_method(shape, { low_pass }, switched);
    }

    void configured_again()
    {
        const auto again = [](const overlap_save_shape& shape, tap_kind kind) {
            overlap_save_case c(shape, { kind }, {}, 1);
            for (const auto& way : c.ways) {
                c.set_center_freq(1, 123456.7);
                c.set_taps(1, make_taps(kind, shape.max_taps, 6));
                c.configure(*way.method);
                const channel_outputs before = outputs_of(*way.method, c);
                c.check(before, way.name);
                const auto check_changed = [&] {
                    way.method->configure(1, c.setup(1));
                    way.method->settle();
                    const auto after = outputs_of(*way.method, c);
                    CPPUNIT_ASSERT_MESSAGE(
                        way.name, after[0] == before[0] && after[2] == before[2]);
                    c.check(1, after[1], way.name);
                };
                c.set_center_freq(1, 654321.0);
                check_changed();
                c.set_taps(1, make_taps(complex, 33, 8));
                check_changed();
            }
        };
        for (const std::size_t decimation : { 1, 7 })
            again(common_shape(fc32, decimation, 3), symmetric);
        auto shape = large_shape(s16, 12001, 3);
        shape.accuracy = 1e-7;
        again(shape, low_pass);
    }

    void nothing_outside_the_block_is_read()
    {
        const auto guarded = [](const auto& c,
                                const auto& method,
                                const std::string& what) {
            const channel_outputs whole = outputs_of(method, c);
            const std::size_t bytes = method.block_items() * sample_size(c.shape.input);
            for (const bool at_end : { true, false }) {
                const guarded_memory in(bytes, at_end);
                std::memcpy(in.data(), c.block(), bytes);
                transformed_blocks block(method, c);
                block.transform(in.data());
                CPPUNIT_ASSERT_MESSAGE(what, block.all() == whole);
            }
        };
        for (const sample_type type : all_sample_types()) {
            for (const std::size_t decimation : { 1, 17, 42 })
                each_method(
                    common_shape(type, decimation, 2), { symmetric, complex }, guarded);
            for (const std::size_t taps : { 1201, 900 })
                each_method(large_shape(type, taps, 1), { symmetric }, guarded);
        }
    }

    void bad_shapes()
    {
        constexpr auto most = std::numeric_limits<std::size_t>::max();
        const auto& kernels = available_overlap_save_kernels().front();
        for (const auto* method : overlap_save_methods()) {
            const auto refused = [&](std::size_t decimation,
                                     std::size_t max_taps,
                                     std::size_t channels,
                                     std::size_t ifft_size,
                                     double accuracy,
                                     const std::vector<std::string>& words) {
                assert_refused(words, [&] {
                    method->make(
                        { fc32, decimation, max_taps, channels, ifft_size, accuracy },
                        kernels);
                });
            };
            refused(0, 1, 1, 256, 0, { "'decimation'", "0", "1 or more" });
            refused(1, 0, 1, 256, 0, { "'max_taps'", "0", "1 or more" });
            refused(1, 1, 0, 256, 0, { "'channels'", "0", "1 or more" });
            refused(1, 1, 1, 0, 0, { "'ifft_size'", "0", "1 or more" });
            refused(1, 1, 1, most, 0, { "'ifft_size'", std::to_string(most), "at most" });
            refused(most, 43, 1, 256, 0, { "'ifft_size'", "256", "at most 0" });
            for (const double accuracy :
                 { -1e-9, 0.11, std::numeric_limits<double>::quiet_NaN() })
                refused(1, 1, 1, 256, accuracy, { "'accuracy'", "0 to 0.1" });
            // Blocks that are shorter than the taps.
            if (method->covers(42, 64))
                refused(42, 42 * 64 + 1, 1, 64, 0, { "'ifft_size'", "64", "2689" });
            const auto full = method->make({ fc32, 1, 256, 1, 256, 0 }, kernels);
            if (full->block_items() == 256)
                refused(1, 257, 1, 256, 0, { "'ifft_size'", "256", "257" });
            for (const std::size_t rows : { 1, 8, 63, 96, 128, 256, 300, 2048, 1 << 21 })
                for (const std::size_t decimation : { 1, 2 }) {
                    if (method->covers(decimation, rows))
                        continue;
                    const std::string text = refusal([&] {
                        method->make({ fc32, decimation, 1, 1, rows, 0 }, kernels);
                    });
                    if (text.find("'decimation'") != std::string::npos)
                        assert_names(text, { std::to_string(decimation), "1 for" });
                    else
                        assert_names(
                            text,
                            { "'ifft_size'", std::to_string(rows), "a power of two" });
                }
        }
    }

    void bad_channels()
    {
        for (auto shape : { common_shape(fc32, 1, 2),
                            common_shape(fc32, 7, 2),
                            large_shape(s16, 1201, 2) }) {
            const overlap_save_case c(shape, { symmetric }, {}, 1);
            shape.max_taps--;
            const std::string taps = std::to_string(shape.max_taps);
            for (const auto& way : ways_of(shape, 1)) {
                assert_refused({ "'channel'", "2", "below 2" },
                               [&] { way.method->configure(2, c.setup(0)); });
                assert_refused({ "'taps'", " taps", "at most " + taps },
                               [&] { way.method->configure(0, c.setup(0)); });
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save, "qa_overlap_save");
