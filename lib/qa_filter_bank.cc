// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the bank as a C++ program uses it.

#include "engine/tests/support/qa_refused.h"

#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/blocks/vector_source.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/top_block.h>
#include <cppunit/extensions/HelperMacros.h>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using cldsp::assert_refused;
using gr::cldsp::freq_xlating_filter_bank_ccf;
using gr::cldsp::freq_xlating_filter_bank_cu8_c;

// Tests of the bank as a C++ program uses it.
class qa_filter_bank : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_filter_bank);
    CPPUNIT_TEST(shifts_tones_to_0_hz);
    CPPUNIT_TEST(takes_iq_pairs);
    CPPUNIT_TEST(tells_what_was_set);
    CPPUNIT_TEST(has_rates_of_its_channels);
    CPPUNIT_TEST(names_bad_arguments);
    CPPUNIT_TEST(names_bad_rates);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double fs = 1000;
    static constexpr int decimation = 4;

    static std::vector<std::vector<gr_complex>>
    run(gr::basic_block_sptr source, gr::basic_block_sptr bank, int channels)
    {
        auto tb = gr::make_top_block("test");
        tb->connect(source, 0, bank, 0);
        std::vector<gr::blocks::vector_sink_c::sptr> sinks;
        for (int c = 0; c < channels; c++) {
            sinks.push_back(gr::blocks::vector_sink_c::make());
            tb->connect(bank, c, sinks.back(), 0);
        }
        tb->run();
        std::vector<std::vector<gr_complex>> outputs;
        for (const auto& sink : sinks)
            outputs.push_back(sink->data());
        return outputs;
    }

    // A tone at the frequency of a channel gives a constant; the taps of channel c have a
    // gain of c + 1 and a group delay of one item.
    void shifts_tones_to_0_hz()
    {
        const std::vector<double> center_freqs{ 125, -375, 0 };
        std::vector<std::vector<float>> taps;
        for (float gain : { 1.0f, 2.0f, 3.0f })
            taps.push_back({ 0.25f * gain, 0.5f * gain, 0.25f * gain });

        for (std::size_t c = 0; c < center_freqs.size(); c++) {
            const double turns = center_freqs[c] / fs;
            std::vector<gr_complex> tone(10001);
            for (std::size_t n = 0; n < tone.size(); n++)
                tone[n] = std::polar(1.0, 2 * M_PI * turns * n);
            auto bank = freq_xlating_filter_bank_ccf::make(
                decimation, taps, center_freqs, fs, "host");
            const auto outputs = run(gr::blocks::vector_source_c::make(tone), bank, 3);

            for (const auto& output : outputs)
                CPPUNIT_ASSERT_EQUAL(tone.size() / decimation, output.size());
            const gr_complex expected =
                std::polar(c + 1.0f, static_cast<float>(-2 * M_PI * turns));
            for (std::size_t n = 1; n < outputs[c].size(); n++)
                CPPUNIT_ASSERT(std::abs(outputs[c][n] - expected) < 1e-4f);
        }
    }

    void takes_iq_pairs()
    {
        auto bank = freq_xlating_filter_bank_cu8_c::make(1,
                                                         { { 1 }, { gr_complex(0, 1) } },
                                                         { 0, 0 },
                                                         fs,
                                                         "host",
                                                         "auto",
                                                         "auto",
                                                         "direct");
        auto source = gr::blocks::vector_source_b::make({ 0, 255, 255, 0 }, false, 2);
        const auto outputs = run(source, bank, 2);
        const std::vector<gr_complex> first{ { -1, 1 }, { 1, -1 } };
        const std::vector<gr_complex> second{ { -1, -1 }, { 1, 1 } };
        CPPUNIT_ASSERT(outputs[0] == first);
        CPPUNIT_ASSERT(outputs[1] == second);
    }

    void tells_what_was_set()
    {
        auto bank = freq_xlating_filter_bank_ccf::make(decimation,
                                                       { { 1, 2 } },
                                                       { 1, 2, 3 },
                                                       fs,
                                                       "host",
                                                       "auto",
                                                       "auto",
                                                       "direct",
                                                       0);
        CPPUNIT_ASSERT_EQUAL(3, bank->channels());
        CPPUNIT_ASSERT(bank->taps() == std::vector<std::vector<float>>({ { 1, 2 } }));
        bank->set_center_freq(1, 20);
        bank->set_taps({ { 1 }, { 2, 2 }, { 3 } });
        CPPUNIT_ASSERT(bank->center_freqs() == std::vector<double>({ 1, 20, 3 }));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), bank->taps().size());
        CPPUNIT_ASSERT_EQUAL(std::string("direct"), bank->algorithm_name());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), bank->device_name());
        CPPUNIT_ASSERT(!bank->plan().empty());
        CPPUNIT_ASSERT(!bank->fell_back());
    }

    void has_rates_of_its_channels()
    {
        auto bank = freq_xlating_filter_bank_ccf::make_with_rates(
            { 4, 0, 10 }, { { 1 } }, { 0, 0, 0 }, fs, { 0, 300, 100 }, "host");
        CPPUNIT_ASSERT(bank->output_rates() == std::vector<double>({ 250, 300, 100 }));
        CPPUNIT_ASSERT_EQUAL(3u, bank->decimation());
        const std::vector<gr_complex> ones(1009, 1);
        const auto outputs = run(gr::blocks::vector_source_c::make(ones), bank, 3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(252), outputs[0].size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(302), outputs[1].size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(100), outputs[2].size());
        for (const auto& output : outputs)
            for (std::size_t n = 20; n < output.size(); n++)
                CPPUNIT_ASSERT(std::abs(output[n] - 1.0f) < 1e-5f);
    }

    void names_bad_arguments()
    {
        using bank = freq_xlating_filter_bank_ccf;
        const double nan = std::numeric_limits<double>::quiet_NaN();
        assert_refused({ "decimation" }, [&] { bank::make(0, { { 1 } }, { 0 }, 1); });
        assert_refused({ "taps" }, [&] { bank::make(1, {}, { 0 }, 1); });
        assert_refused({ "taps" }, [&] { bank::make(1, { { 1 }, { 1 } }, { 0 }, 1); });
        assert_refused({ "center_freqs" }, [&] { bank::make(1, { { 1 } }, {}, 1); });
        assert_refused({ "center_freqs" }, [&] {
            bank::make(1, { { 1 } }, { 0, nan }, 1);
        });
        assert_refused({ "sampling_freq" }, [&] { bank::make(1, { { 1 } }, { 0 }, 0); });
        assert_refused({ "variant" },
                       [&] { bank::make(1, { { 1 } }, { 0 }, 1, "host", "espresso"); });
        assert_refused({ "transfer" }, [&] {
            bank::make(1, { { 1 } }, { 0 }, 1, "host", "auto", "teleport");
        });
        assert_refused({ "algorithm" }, [&] {
            bank::make(1, { { 1 } }, { 0 }, 1, "host", "auto", "auto", "magic");
        });
        assert_refused({ "accuracy" }, [&] {
            bank::make(1, { { 1 } }, { 0 }, 1, "host", "auto", "auto", "auto", nan);
        });
        auto good = bank::make(1, { { 1 } }, { 0 }, 1, "host");
        assert_refused({ "decimation" }, [&] { good->add_channel({ 1 }, 0, 2); });
        assert_refused({ "output_rate" }, [&] { good->add_channel({ 1 }, 0, 0, 0.5); });
        assert_refused({ "channel" }, [&] { good->set_center_freq(-1, 0); });
        assert_refused({ "channel" }, [&] { good->set_center_freq(1, 0); });
    }

    void names_bad_rates()
    {
        const auto refused = [](const std::string& name,
                                const std::vector<int>& decimations,
                                const std::vector<double>& rates) {
            assert_refused({ name }, [&] {
                freq_xlating_filter_bank_ccf::make_with_rates(
                    decimations, { { 1 } }, { 0, 0 }, fs, rates);
            });
        };
        refused("decimation", {}, { 0 });
        refused("decimation", { 1, 2, 3 }, { 0 });
        refused("decimation", { 0 }, { 0 });
        refused("decimation[1]", { 1, -2 }, { 0 });
        refused("decimation[0]", { 0, 2 }, { 0, 100 });
        refused("output_rate", { 0 }, {});
        refused("output_rate", { 0 }, { 950 });
        refused("output_rate[1]", { 0 }, { 100, 499.975 });
        refused("output_rate[1]", { 2, 4 }, { 0, 100 });
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_filter_bank);

} // namespace
