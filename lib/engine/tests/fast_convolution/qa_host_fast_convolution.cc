// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of calls, threads and leftover outputs around the blocks of each method.

#include "base/cache_sizes.h"
#include "base/thread_pool.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "tests/support/qa_fast_convolution_contract.h"
#include "tests/support/qa_filter_of_one.h"
#include "tests/support/qa_host_fir_support.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! Calls, threads and leftover outputs around the blocks of each method.
class qa_host_fast_convolution : public fast_convolution_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_host_fast_convolution, fast_convolution_contract);
    CPPUNIT_TEST(shapes);
    CPPUNIT_TEST(block_sizes);
    CPPUNIT_TEST(large_blocks_of_several_channels);
    CPPUNIT_TEST(responses_far_beyond_the_cache);
    CPPUNIT_TEST(reads_no_further);
    CPPUNIT_TEST(taps_change);
    CPPUNIT_TEST(taps_beyond_the_rows);
    CPPUNIT_TEST(bad_items_and_long_taps);
    CPPUNIT_TEST(streams_that_are_not_finite);
    CPPUNIT_TEST(bad_variants_and_sizes);
    CPPUNIT_TEST_SUITE_END();

    std::vector<way> ways() const override
    {
        std::vector<way> all;
        for (const auto* method : overlap_save_methods()) {
            const block_case usual = method->covers(7, 32) ? block_case{ 7, 60, 32 }
                                                           : block_case{ 1, 60, 256 };
            all.push_back({ method->name, usual, { "none" } });
        }
        return all;
    }
    bool takes(const way& how, std::size_t rows, std::size_t decimation) const override
    {
        return find_overlap_save_method(how.variant)->covers(decimation, rows);
    }
    //! Banks of several channels share out their work, however short a call is.
    std::unique_ptr<filter_executor> make(const way& how,
                                          const std::vector<filter_channel>& channels,
                                          std::size_t rows,
                                          double accuracy,
                                          const std::string&) const override
    {
        auto costs = model_costs(channels);
        const bool shares = channels.size() > 1;
        if (shares) {
            const auto block = costs.block;
            constexpr double slow = 1e4;
            for (double* part : { &costs.direct.call,
                                  &costs.direct.output,
                                  &costs.direct.tap,
                                  &costs.direct.first })
                *part *= slow;
            costs.block = [block](const overlap_save_method& method,
                                  std::size_t ifft_size,
                                  std::size_t count) {
                return slow * block(method, ifft_size, count);
            };
        }
        return make_host_fast_convolution(how.variant,
                                          channels,
                                          rows,
                                          accuracy,
                                          std::make_shared<thread_pool>(shares ? 3 : 1),
                                          costs);
    }
    std::size_t spoilt_beside(const way&, std::size_t) const override { return 0; }
    bool leaves_bins_out(const way& how) const override
    {
        return how.variant == "selected_bins";
    }

    //! Checks a filter of each method that has blocks of this size.
    static void check_stream(const stream& s, std::size_t rows)
    {
        for (const auto& variant : variants_for(s.setup.problem.decimation, rows)) {
            const auto fir = make_host_fast_convolution(variant, s.setup, rows, 0);
            CPPUNIT_ASSERT_EQUAL(variant, fir->variant_name());
            assert_right(error_db(s.run(*fir), s.expected),
                         variant + ", " + std::to_string(s.setup.taps()) + " taps, " +
                             std::to_string(s.setup.problem.decimation) + " to 1");
        }
    }
    //! \param rows 0: any
    static std::vector<std::string> variants_for(std::size_t decimation,
                                                 std::size_t rows = 0)
    {
        std::vector<std::string> names;
        for (const auto* method : overlap_save_methods())
            if (method->covers(decimation, rows ? rows : 256))
                names.push_back(method->name);
        return names;
    }

public:
    void shapes()
    {
        for (const std::size_t decimation : { 1, 2, 3, 5, 8, 16, 17, 42, 50, 130 })
            for (const std::size_t taps : { 1, 2, 41, 42, 43, 201, 1000 })
                check_stream(
                    stream(make_problem(sample_type::fc32, decimation, taps, false),
                           small_tests() ? 150 : 700),
                    0);
        check_stream(stream(make_problem(sample_type::fc32, 42, 2429, true), 1000), 0);
        for (const auto type : all_sample_types())
            check_stream(stream(make_problem(type, 12, 131, true), 1000), 0);
    }

    void block_sizes()
    {
        const stream s(make_problem(sample_type::fc32, 42, 300, true), 1500);
        for (const std::size_t rows : { 16, 32, 64, 128, 256, 512, 1024 })
            check_stream(s, rows);
    }

    // The transform of these blocks stores only the bins that the active channels keep.
    void large_blocks_of_several_channels()
    {
        constexpr std::size_t decimation = 600, outputs = 500;
        for (const auto type : { sample_type::s16, sample_type::fc32 }) {
            const auto channel = [&](double center_freq) {
                return filter_channel(
                    { type, decimation, narrow_taps(750), center_freq, 2016000.0 });
            };
            std::vector<filter_channel> channels = { channel(123456.7),
                                                     channel(-1007000.0),
                                                     channel(0) };
            const auto bank = make_host_fast_convolution("selected_bins",
                                                         channels,
                                                         160,
                                                         1e-7,
                                                         std::make_shared<thread_pool>(2),
                                                         model_costs(channels));
            const auto check_all = [&] {
                stream_case c(channels, outputs);
                c.run(*bank);
                assert_right(c.error(), "large blocks");
                for (const unsigned seed : { 1, 2, 3 }) {
                    c.again();
                    c.run_in_cuts(*bank, seed);
                    assert_right(c.error(), "large blocks, in cuts");
                }
                for (const auto& active :
                     std::vector<std::vector<std::size_t>>{ { 1 }, { 0, 2 } }) {
                    stream_case some(channels, outputs);
                    some.run_some(*bank, active);
                    for (const std::size_t one : active)
                        assert_right(some.error_of(one), "large blocks, idle channels");
                }
            };
            check_all();
            channels[1] = channel(777000.1);
            bank->configure(1, channels[1]);
            check_all();
        }
    }

    //! Few threads share the channels of many blocks.
    void responses_far_beyond_the_cache()
    {
        constexpr std::size_t decimation = 64, outputs = 4000, rows = 1440, count = 200;
        std::vector<filter_channel> channels;
        for (std::size_t c = 0; c < count; c++)
            channels.push_back(filter_channel({ sample_type::fc32,
                                                decimation,
                                                narrow_taps(16),
                                                123.4 * static_cast<double>(c * c),
                                                20160000.0 }));
        CPPUNIT_ASSERT(
            reads_responses_again(count, decimation * rows, core_cache_bytes()));
        stream_case c(channels, outputs);
        for (const unsigned threads : { 1, 2, 3 }) {
            const auto bank =
                make_host_fast_convolution("selected_bins",
                                           channels,
                                           rows,
                                           1e-7,
                                           std::make_shared<thread_pool>(threads),
                                           model_costs(channels));
            c.run(*bank);
            assert_right(c.error(), std::to_string(threads) + " threads");
            c.again();
        }
    }

    //! Also where the blocks have been made for longer taps than those of the call.
    void reads_no_further()
    {
        for (const std::size_t decimation : { 1, 7, 42 })
            for (const std::size_t outputs : { 1, 60, 500, 2000 })
                for (const std::size_t taps : { 299, 298, 160 }) {
                    const stream s(
                        make_problem(sample_type::fc32, decimation, taps, true), outputs);
                    for (const bool at_end : { false, true }) {
                        const guarded_memory items(s.items.size(), at_end);
                        std::copy(s.items.begin(),
                                  s.items.end(),
                                  static_cast<unsigned char*>(items.data()));
                        const guarded_memory out(outputs * sizeof(std::complex<float>),
                                                 at_end);
                        auto* to = static_cast<std::complex<float>*>(out.data());
                        for (const auto& variant : variants_for(decimation)) {
                            const auto fir = make_host_fast_convolution(
                                variant,
                                filter_channel(make_problem(
                                    sample_type::fc32, decimation, 299, true)),
                                0,
                                0);
                            fir->configure(s.setup);
                            fir->run(s.call(items.data(), to));
                            assert_right(error_db({ to, to + outputs }, s.expected),
                                         variant);
                        }
                    }
                }
    }

    //! Taps that need other blocks, from call to call.
    void taps_change()
    {
        for (const std::size_t decimation : { 1, 16 })
            for (const auto& variant : variants_for(decimation)) {
                const auto fir = make_host_fast_convolution(
                    variant,
                    filter_channel(make_problem(sample_type::cu8, decimation, 299, true)),
                    0,
                    0);
                for (const std::size_t taps : { 300, 3000, 17, 299, 3001 }) {
                    const stream s(make_problem(sample_type::cu8, decimation, taps, true),
                                   1000);
                    fir->configure(s.setup);
                    assert_right(error_db(s.run(*fir), s.expected), variant);
                }
            }
    }

    // A block's transform of rows has a maximum length; the stream continues with longer
    // taps.
    void taps_beyond_the_rows()
    {
        const auto fir = make_host_fast_convolution(
            "polyphase",
            filter_channel(make_problem(sample_type::fc32, 16, 100, true)),
            0,
            0);
        const stream s(make_problem(sample_type::fc32, 16, 20000, true), 2000);
        fir->configure(s.setup);
        assert_right(error_db(s.run(*fir), s.expected), "long taps");
        CPPUNIT_ASSERT_EQUAL(std::string("selected_bins"), fir->variant_name());
        // With short taps the bank returns to the method that the options name.
        const stream other(make_problem(sample_type::fc32, 16, 90, true), 2000);
        fir->configure(other.setup);
        assert_right(error_db(other.run(*fir), other.expected), "short taps");
        CPPUNIT_ASSERT_EQUAL(std::string("polyphase"), fir->variant_name());
    }

    //! In blocks of the size that is chosen, and in leftover outputs.
    void bad_items_and_long_taps()
    {
        const float inf = std::numeric_limits<float>::infinity();
        for (const block_case& b : { block_case{ 1, 51, 0 },
                                     block_case{ 1, 700, 0 },
                                     block_case{ 8, 51, 0 },
                                     block_case{ 8, 1001, 0 },
                                     block_case{ 42, 300, 0 } })
            for (const auto& variant : variants_for(b.decimation)) {
                const way how{ variant, b, { "none" } };
                const auto channels =
                    channels_of(how, sample_type::fc32, b, 1 + b.taps % 2 * 2, true);
                const auto bank = make(how, channels, 0, 0, "none");
                for (const std::size_t part : { 0, 1, 3, 7, 10 }) {
                    stream_case c(channels, small_tests() ? 700 : 2500);
                    c.spoil((c.items() - 1) * part / 10, { 1, part % 2 ? inf : -inf });
                    c.run(*bank);
                    c.check_spoilt(0, bound, variant);
                    c.again();
                    c.run_in_cuts(*bank, static_cast<unsigned>(part));
                    c.check_spoilt(0, bound, variant + ", in cuts");
                }
            }
    }

    // These outputs are not computed, because a sum would have the payload of the item's
    // NaN.
    void streams_that_are_not_finite()
    {
        for (const auto type : { sample_type::fc32, sample_type::f32 })
            for (const std::size_t decimation : { 1, 16 }) {
                const stream s(make_problem(type, decimation, 301, true),
                               small_tests() ? 700 : 2500);
                const std::size_t count = s.items.size() / sizeof(float);
                for (const float value :
                     { std::nanf("0x1234"), std::numeric_limits<float>::infinity() })
                    // Either no item of the stream is finite, or all but one are, which
                    // then spoils some outputs.
                    for (const bool all : { false, true }) {
                        auto bad = s;
                        auto* items = reinterpret_cast<float*>(bad.items.data());
                        if (all)
                            std::fill_n(items, count, value);
                        else
                            items[count / 2] = value;
                        for (const auto& variant : variants_for(decimation))
                            check_nans(bad, variant, all);
                    }
            }
    }

    static void check_nans(const stream& s, const std::string& variant, bool all)
    {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        const auto fir = make_host_fast_convolution(variant, s.setup, 0, 0);
        const float not_computed[] = { nan, nan };
        std::size_t spoilt = 0;
        for (const auto& value : s.run(*fir)) {
            const bool re = std::isnan(value.real()), im = std::isnan(value.imag());
            CPPUNIT_ASSERT_MESSAGE(variant,
                                   (re && im) || (!all && std::isfinite(value.real()) &&
                                                  std::isfinite(value.imag())));
            spoilt += re;
            CPPUNIT_ASSERT(!re || std::memcmp(&value, not_computed, sizeof(value)) == 0);
        }
        CPPUNIT_ASSERT(all || (spoilt > 0 && spoilt < s.outputs));
    }

    void bad_variants_and_sizes()
    {
        const filter_channel setup(make_problem(sample_type::fc32, 42, 300, true));
        assert_refused({ "'variant'", "'simd'", "polyphase", "selected_bins" },
                       [&] { make_host_fast_convolution("simd", setup, 0, 0); });
        assert_refused({ "'ifft_size'", "100", "a power of two" },
                       [&] { make_host_fast_convolution("polyphase", setup, 100, 0); });
        const filter_channel huge(make_problem(sample_type::fc32, 1, 100000, true));
        assert_refused({ "'variant'", "'polyphase'", "100000 taps" },
                       [&] { make_host_fast_convolution("polyphase", huge, 0, 0); });
        const auto bank = make_host_fast_convolution("polyphase", setup, 0, 0);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), bank->device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), bank->transfer_name());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_fast_convolution,
                                      "qa_host_fast_convolution");

} // namespace cldsp
