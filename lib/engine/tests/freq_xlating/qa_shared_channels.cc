// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of banks whose channels several devices share, also when devices fail.

#include "base/page_memory.h"
#include "freq_xlating/shared_channels.h"
#include "tests/support/qa_bank_fixture.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/wisdom.h>

#include <nlohmann/json.hpp>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

using channel_counts = std::vector<std::size_t>;

//! A device that takes some time for each call, and more time for each channel.
struct scripted_device {
    double call, channel;
    bool fails = false;
};

share_times scripted_times(const std::vector<scripted_device>& devices,
                           const channel_counts& counts)
{
    share_times times;
    for (std::size_t i = 0; i < devices.size(); i++) {
        const auto& d = devices[i];
        times.seconds.push_back(d.fails ? std::numeric_limits<double>::infinity()
                                        : d.call +
                                              d.channel * static_cast<double>(counts[i]));
        if (counts[i])
            times.call = std::max(times.call, times.seconds.back());
    }
    return times;
}

balanced_shares balanced(std::size_t channels,
                         const std::vector<scripted_device>& devices)
{
    const std::vector<double> rates(devices.size(), 1.0);
    return balance_shares(channels, rates, [&](const auto& counts) {
        return scripted_times(devices, counts);
    });
}

std::size_t total(const channel_counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::size_t(0));
}

/*!
 * Tests of banks whose channels several devices share. Where there is only one device, as
 * with PoCL without POCL_DEVICES="pthread pthread", the tests that need two are skipped.
 */
class qa_shared_channels : public bank_fixture
{
    CPPUNIT_TEST_SUITE(qa_shared_channels);
    CPPUNIT_TEST(counts_follow_the_rates);
    CPPUNIT_TEST(channels_of_each_kind_are_dealt_out_in_turn);
    CPPUNIT_TEST(balanced_devices_take_the_same_time);
    CPPUNIT_TEST(a_device_that_does_not_help_gets_no_channel);
    CPPUNIT_TEST(a_device_that_slows_another_gets_no_channel);
    CPPUNIT_TEST(failed_devices_get_no_channel);
    CPPUNIT_TEST(bad_lists_are_refused);
    CPPUNIT_TEST(one_filter_runs_on_one_device);
    CPPUNIT_TEST(two_devices_give_what_one_gives);
    CPPUNIT_TEST(shares_are_measured_and_remembered);
    CPPUNIT_TEST(coming_and_idle_channels);
    CPPUNIT_TEST(different_rates);
    CPPUNIT_TEST(a_lost_device_loses_no_sample);
    CPPUNIT_TEST(a_device_lost_while_changing);
    CPPUNIT_TEST(a_lost_device_with_different_rates);
    CPPUNIT_TEST(a_lost_device_with_channels_off_the_raster);
    CPPUNIT_TEST(stream_memory_goes_to_every_device);
    CPPUNIT_TEST(devices_that_fail_at_once_are_left_out);
    CPPUNIT_TEST(the_host_goes_on_after_all_devices);
    CPPUNIT_TEST(the_host_takes_part);
    CPPUNIT_TEST_SUITE_END();

    std::vector<device_info> d_devices = test_devices();

    bool has_two(const char* test)
    {
        if (d_devices.size() < 2)
            std::cerr << test << " skipped: it needs two OpenCL devices\n";
        return d_devices.size() >= 2;
    }
    std::string pair() const { return d_devices[0].id() + "," + d_devices[1].id(); }
    std::shared_ptr<context> device(std::size_t i)
    {
        return d_registry.get(d_devices[i]);
    }
    freq_xlating_filter_bank_options on_pair()
    {
        return options(pair(), "gpu_tile", "copy");
    }

    //! The channels that a device gets, and how it computes them.
    struct prescribed_share {
        std::string device, variant, transfer;
        std::size_t channels;
    };

    //! Has the wisdom say how many channels each device gets.
    void prescribe(const freq_xlating_filter_bank_problem& bank,
                   const freq_xlating_filter_bank_options& with,
                   const std::vector<prescribed_share>& shares)
    {
        freq_xlating_filter_bank(bank, with, d_registry);
        auto answers = d_registry.wisdom().all("plans");
        for (const auto& [key, answer] : answers["plans"]) {
            auto text = nlohmann::json::parse(answer.text);
            if (!text.contains("shares"))
                continue;
            text["shares"].clear();
            for (const auto& share : shares)
                text["shares"].push_back({ { "device", share.device },
                                           { "channels", share.channels },
                                           { "variant", share.variant },
                                           { "transfer", share.transfer } });
            d_registry.wisdom().store("plans", key, text.dump());
        }
        d_log.clear();
    }
    //! As above, for devices that compute by the variant in the options.
    void prescribe(const freq_xlating_filter_bank_problem& bank,
                   const freq_xlating_filter_bank_options& with,
                   const channel_counts& counts)
    {
        std::vector<prescribed_share> shares;
        for (std::size_t i = 0; i < counts.size(); i++)
            shares.push_back(
                { d_devices[i].id(), with.variant, with.transfer, counts[i] });
        prescribe(bank, with, shares);
    }

    static std::vector<std::size_t> channels_of(const chosen_plan& plan)
    {
        std::vector<std::size_t> counts;
        for (const auto& share : plan.shares)
            counts.push_back(share.channels);
        return counts;
    }

    //! Banks on several devices and on the host, which get the same calls and changes.
    struct bank_pair {
        freq_xlating_filter_bank shared, host;
        std::vector<unsigned char> stream;
        std::size_t size, place = 0, room = 0;
        double error = -400;

        template <class Action>
        void both(const Action& action)
        {
            action(shared);
            action(host);
        }
        //! Filters \p items items in both banks.
        void run(std::size_t items)
        {
            const std::size_t history = shared.history();
            CPPUNIT_ASSERT_EQUAL(host.history(), history);
            const std::size_t n = shared.channels();
            bank_outputs a(n, items + 1), b(n, items + 1);
            std::vector<std::size_t> made(n), wanted(n);
            const auto* in = stream.data() + (place - history) * size;
            const auto taken = shared.process_items(
                in, history + items, a.at(0).data(), items, made.data());
            CPPUNIT_ASSERT_EQUAL(
                host.process_items(
                    in, history + items, b.at(0).data(), items, wanted.data()),
                taken);
            CPPUNIT_ASSERT(made == wanted);
            for (std::size_t c = 0; c < n; c++) {
                CPPUNIT_ASSERT(shared.phase(c) == host.phase(c));
                const std::vector<std::complex<double>> want(b[c].begin(), b[c].end());
                if (shared.channel_active(c) && made[c])
                    error = std::max(error, error_db(a[c], want));
            }
            place += taken;
        }
    };

    bank_pair beside_host(const freq_xlating_filter_bank_problem& bank,
                          const freq_xlating_filter_bank_options& with,
                          std::size_t items)
    {
        const std::size_t before = 200;
        return { freq_xlating_filter_bank(bank, with, d_registry),
                 freq_xlating_filter_bank(bank, options("host", "simd"), d_registry),
                 noise(bank.input, before + items, 3),
                 sample_size(bank.input),
                 before };
    }

    freq_xlating_filter_bank_problem problem_of_rates()
    {
        auto bank = problem(6);
        bank.rates = { { 1, 4 }, { 1, 8 }, { 1, 4 }, { 2, 9 }, { 1, 8 }, { 1, 4 } };
        return bank;
    }

public:
    void counts_follow_the_rates()
    {
        CPPUNIT_ASSERT((channel_counts{ 5, 5 } == counts_by_rates(10, { 2, 2 })));
        CPPUNIT_ASSERT((channel_counts{ 768, 256 } == counts_by_rates(1024, { 3, 1 })));
        CPPUNIT_ASSERT((channel_counts{ 0, 7 } == counts_by_rates(7, { 0, 1e-9 })));
        CPPUNIT_ASSERT(counts_by_rates(7, { 0, 0 }).empty());
        std::mt19937 random(1);
        for (int i = 0; i < 200; i++) {
            const std::size_t channels = 1 + random() % 3000;
            std::vector<double> rates(1 + random() % 5);
            for (auto& rate : rates)
                rate = 1e-3 * static_cast<double>(1 + random() % 100000);
            const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
            const auto counts = counts_by_rates(channels, rates);
            CPPUNIT_ASSERT_EQUAL(channels, total(counts));
            for (std::size_t d = 0; d < rates.size(); d++)
                CPPUNIT_ASSERT(std::abs(static_cast<double>(counts[d]) -
                                        static_cast<double>(channels) * rates[d] / all) <
                               1 + 1e-6);
        }
    }

    void channels_of_each_kind_are_dealt_out_in_turn()
    {
        auto bank = problem(90);
        for (std::size_t c = 0; c < 90; c++)
            bank.rates.push_back({ 1, c < 30 ? std::size_t(8) : std::size_t(4) });
        const auto dealt = deal_channels(bank, { 60, 0, 30 });
        CPPUNIT_ASSERT_EQUAL(std::size_t(60), dealt[0].size());
        CPPUNIT_ASSERT(dealt[1].empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t(30), dealt[2].size());
        std::vector<int> times(90);
        for (const auto& channels : dealt) {
            CPPUNIT_ASSERT(std::is_sorted(channels.begin(), channels.end()));
            for (const auto c : channels)
                times[c]++;
        }
        CPPUNIT_ASSERT(times == std::vector<int>(90, 1));
        // A third of each rate, and of the first channels of each rate.
        for (const auto& [first, end] :
             { std::pair(0, 30), { 0, 15 }, { 30, 90 }, { 30, 45 } }) {
            const auto count = std::count_if(
                dealt[2].begin(), dealt[2].end(), [first = first, end = end](auto c) {
                    return static_cast<int>(c) >= first && static_cast<int>(c) < end;
                });
            CPPUNIT_ASSERT(std::abs(3 * static_cast<int>(count) - (end - first)) <= 3);
        }
    }

    void balanced_devices_take_the_same_time()
    {
        const std::vector<std::vector<scripted_device>> all = {
            { { 1e-3, 1e-5 }, { 1e-3, 1e-5 } },
            { { 1e-3, 1e-5 }, { 1e-3, 3e-5 } },
            { { 0, 1e-5 }, { 0, 2e-5 }, { 0, 4e-5 } },
            { { 2e-3, 1e-5 }, { 1e-4, 4e-5 }, { 1e-3, 2e-5 } },
        };
        for (const auto& devices : all) {
            const auto found = balanced(1000, devices);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1000), total(found.counts));
            // The exact answer gives every device the same time t.
            double calls = 0, inverse = 0;
            for (const auto& d : devices) {
                calls += d.call / d.channel;
                inverse += 1 / d.channel;
            }
            const double ideal = (1000 + calls) / inverse;
            CPPUNIT_ASSERT(found.call <= 1.1 * ideal);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                scripted_times(devices, found.counts).call, found.call, 1e-9);
            // Supposed rates that are far off lead there, too.
            std::vector<double> rates(devices.size(), 1.0);
            rates.back() = 0.125;
            CPPUNIT_ASSERT(balance_shares(1000, rates, [&](const auto& counts) {
                               return scripted_times(devices, counts);
                           }).call <= 1.1 * ideal);
        }
    }

    void a_device_that_slows_another_gets_no_channel()
    {
        // The second device has a good rate, but the first device is half as fast beside
        // it.
        const auto found = balance_shares(100, { 1.0, 1.0 }, [](const auto& counts) {
            const double slower = counts[1] ? 2 : 1;
            return scripted_times({ { 1e-4, slower * 1e-5 }, { 1e-4, 3e-5 } }, counts);
        });
        CPPUNIT_ASSERT((channel_counts{ 100, 0 } == found.counts));
    }

    void a_device_that_does_not_help_gets_no_channel()
    {
        // The second device takes as long for any call as the first device for all
        // channels.
        const auto found = balanced(100, { { 1e-4, 1e-5 }, { 1.1e-3, 1e-4 } });
        CPPUNIT_ASSERT((channel_counts{ 100, 0 } == found.counts));
        CPPUNIT_ASSERT_EQUAL(0.0, found.rates[1]);
        // Of these two, each is worth its channels.
        CPPUNIT_ASSERT(balanced(100, { { 0, 1e-5 }, { 0, 4e-5 } }).counts[1] > 0);
    }

    void failed_devices_get_no_channel()
    {
        const scripted_device good{ 1e-4, 1e-5 }, bad{ 1e-4, 1e-5, true };
        CPPUNIT_ASSERT((channel_counts{ 0, 9 } == balanced(9, { bad, good }).counts));
        CPPUNIT_ASSERT(balanced(9, { bad, bad }).counts.empty());
        // More devices than channels.
        CPPUNIT_ASSERT_EQUAL(std::size_t(2),
                             total(balanced(2, { good, bad, good }).counts));
    }

    void bad_lists_are_refused()
    {
        const std::string id = d_devices[0].id();
        const auto bank = problem();
        const auto refused = [&](const std::string& text,
                                 const std::vector<std::string>& words) {
            assert_refused(words, [&] {
                freq_xlating_filter_bank(bank, options(text), d_registry);
            });
        };
        refused(id + ",99:0", { "'device'", "entry '99:0'", "there is " + id });
        refused(id + "," + id, { "'device'", "'" + id + "' twice", "once" });
        refused(id + ",", { "'device'", "entry ''", "list of P:D and host" });
        refused("host,gpu", { "'device'", "entry 'gpu'" });
        refused("host,host", { "'host' twice" });
        refused(id + ",host,nonsense", { "entry 'nonsense'" });
        if (std::none_of(d_devices.begin(), d_devices.end(), [](const auto& d) {
                return d.kind == device_kind::gpu;
            }))
            refused("gpus", { "'device'", "'gpus'", "no GPU here", "devices: " + id });
        auto o = options(id + ",host", "gpu_tile");
        assert_refused({ "'variant'", "'gpu_tile'", "host" },
                       [&] { freq_xlating_filter_bank(bank, o, d_registry); });
        CPPUNIT_ASSERT(names_several_devices(" GPUS "));
        CPPUNIT_ASSERT(names_several_devices("0:0, host"));
        CPPUNIT_ASSERT(!names_several_devices("0:0"));
        CPPUNIT_ASSERT(!names_several_devices("a name, with a comma"));
        const auto found = find_devices("Host , " + id);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), found.size());
        CPPUNIT_ASSERT(found[0].is_host());
        CPPUNIT_ASSERT_EQUAL(id, found[1].id());
    }

    void one_filter_runs_on_one_device()
    {
        freq_xlating_filter_bank bank(
            problem(1), options(d_devices[0].id() + ",host"), d_registry);
        CPPUNIT_ASSERT(bank.chosen().shares.empty());
        const std::string device = bank.chosen().device;
        CPPUNIT_ASSERT(device == "host" || device == d_devices[0].id());
    }

    void two_devices_give_what_one_gives()
    {
        if (!has_two("two_devices_give_what_one_gives"))
            return;
        for (const sample_type type : { sample_type::fc32, sample_type::cs16 }) {
            auto bank = problem(7);
            bank.input = type;
            std::mt19937 random(9);
            bank.taps = random_bank_taps(7, 33, random); // of different lengths
            prescribe(bank, on_pair(), { 5, 2 });
            bank_beside_singles both(bank, on_pair(), d_registry, 4);
            CPPUNIT_ASSERT((channel_counts{ 5, 2 } == channels_of(both.bank().chosen())));
            both.run(small_tests() ? 100 : 900, 40);
            CPPUNIT_ASSERT(both.error() < -120);
            CPPUNIT_ASSERT(!both.bank().fell_back());
            const auto statistics = both.bank().statistics();
            CPPUNIT_ASSERT(statistics.calls > 2);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(small_tests() ? 100 : 900),
                                 statistics.outputs);
            CPPUNIT_ASSERT(statistics.kernel_time > 0);
        }
    }

    void shares_are_measured_and_remembered()
    {
        if (!has_two("shares_are_measured_and_remembered"))
            return;
        const auto bank = problem(8);
        const freq_xlating_filter_bank first(bank, on_pair(), d_registry);
        const auto& plan = first.chosen();
        CPPUNIT_ASSERT(plan.measured > 0);
        CPPUNIT_ASSERT(!plan.remembered);
        CPPUNIT_ASSERT(logged("compiling and measuring for '"));
        const freq_xlating_filter_bank second(bank, on_pair(), d_registry);
        CPPUNIT_ASSERT(second.chosen().remembered);
        CPPUNIT_ASSERT(channels_of(plan) == channels_of(second.chosen()));
        CPPUNIT_ASSERT_DOUBLES_EQUAL(plan.measured, second.chosen().measured, 1);
        CPPUNIT_ASSERT(!is_outdated(second.chosen(), bank, on_pair(), d_registry));

        prescribe(bank, on_pair(), { 6, 2 });
        const freq_xlating_filter_bank third(bank, on_pair(), d_registry);
        assert_names(third.plan(),
                     { "6 channels on '" + d_devices[0].name + "' (" + d_devices[0].id() +
                           ") by direct/gpu_tile/copy",
                       "2 on '" + d_devices[1].name + "' (" + d_devices[1].id() + ")",
                       "measured",
                       "(remembered)" });
        CPPUNIT_ASSERT_EQUAL(d_devices[0].id() + ", " + d_devices[1].id(),
                             third.chosen().device);
        // A remembered plan for another number of channels is not used.
        prescribe(bank, on_pair(), { 6, 3 });
        const freq_xlating_filter_bank fourth(bank, on_pair(), d_registry);
        CPPUNIT_ASSERT(!fourth.chosen().remembered);
        CPPUNIT_ASSERT_EQUAL(std::size_t(8), total(channels_of(fourth.chosen())));
        // Placeholders are not measured.
        auto placeholder = bank;
        placeholder.taps = { { 1.0f } };
        placeholder.center_freqs.resize(4);
        const freq_xlating_filter_bank fifth(placeholder, on_pair(), d_registry);
        CPPUNIT_ASSERT((channel_counts{ 2, 2 } == channels_of(fifth.chosen())));
        CPPUNIT_ASSERT_EQUAL(0.0, fifth.chosen().measured);
        CPPUNIT_ASSERT(is_outdated(fifth.chosen(), bank, on_pair(), d_registry));
    }

    void coming_and_idle_channels()
    {
        if (!has_two("coming_and_idle_channels"))
            return;
        auto bank = problem(3);
        bank.max_channels = 6;
        prescribe(bank, on_pair(), { 3, 3 });
        auto both = beside_host(bank, on_pair(), 4000);
        both.run(400);
        both.both([](auto& b) {
            CPPUNIT_ASSERT_EQUAL(std::size_t(3),
                                 b.add_channel(random_taps(61, false, 8), 1e5));
        });
        both.run(400);
        both.both([](auto& b) { b.set_channel_active(1, false); });
        both.run(404);
        both.both([](auto& b) {
            b.remove_channel(0);
            b.schedule(2, { { 1300, 2e5 }, { 1600, 3e5 } });
        });
        both.run(800);
        both.both([](auto& b) {
            b.set_channel_active(1, true);
            b.place_channel(0, random_taps(5, true, 9), -3e5);
            b.set_center_freq(3, -1e5);
        });
        both.run(400);
        both.shared.take_engine(freq_xlating_filter_bank(bank, on_pair(), d_registry));
        both.run(400);
        // Only one device has work, and then none.
        for (const std::size_t active : { 1, 0 }) {
            both.both([&](auto& b) {
                for (std::size_t c = 0; c < 4; c++)
                    b.set_channel_active(c, c < active);
            });
            both.run(200);
        }
        CPPUNIT_ASSERT(both.error < -120);
        CPPUNIT_ASSERT(!both.shared.fell_back());
    }

    void different_rates()
    {
        if (!has_two("different_rates"))
            return;
        const auto bank = problem_of_rates();
        prescribe(bank, on_pair(), { 4, 2 });
        auto both = beside_host(bank, on_pair(), 4000);
        CPPUNIT_ASSERT((channel_counts{ 4, 2 } == channels_of(both.shared.chosen())));
        for (const std::size_t items : { 500, 3, 700, 61 })
            both.run(items);
        both.both([](auto& b) { b.set_center_freq(3, 1e5); });
        both.run(900);
        CPPUNIT_ASSERT(both.error < -120);
        CPPUNIT_ASSERT(!both.shared.fell_back());
    }

    void a_lost_device_loses_no_sample()
    {
        if (!has_two("a_lost_device_loses_no_sample"))
            return;
        const auto bank = problem(7);
        prescribe(bank, on_pair(), { 3, 4 });
        for (const std::size_t lost : { 0, 1 })
            for (const int after : { 0, 4, 31 }) {
                d_log.clear();
                bank_beside_singles both(bank, on_pair(), d_registry, 5);
                both.run(50, 20); // its changes have to reach the other device as well
                device(lost)->inject_failure(injected_call::enqueue, after);
                for (int i = 0; i < 100 && !both.bank().fell_back(); i++)
                    both.run(small_tests() ? 50 : 200, 0);
                both.run(small_tests() ? 50 : 200, 3);
                device(lost)->inject_failure(injected_call::none);
                CPPUNIT_ASSERT(both.error() < -120);
                CPPUNIT_ASSERT(both.bank().fell_back());
                const auto& plan = both.bank().chosen();
                CPPUNIT_ASSERT((channel_counts{ 7 } == channels_of(plan)));
                CPPUNIT_ASSERT_EQUAL(d_devices[1 - lost].id(), plan.device);
                assert_names(both.bank().plan(),
                             { "7 channels on",
                               "instead: device",
                               "(" + d_devices[lost].id() + ") failed",
                               "clEnqueueNDRangeKernel" });
                CPPUNIT_ASSERT(logged("the other devices go on"));
                // The plan that runs now is not outdated.
                CPPUNIT_ASSERT(!is_outdated(plan, bank, on_pair(), d_registry));
            }
    }

    void a_device_lost_while_changing()
    {
        if (!has_two("a_device_lost_while_changing"))
            return;
        const auto bank = problem(7);
        prescribe(bank, on_pair(), { 3, 4 });
        const std::pair<injected_call, int> failures[] = {
            { injected_call::enqueue, 2 },
            { injected_call::enqueue, 9 },
            { injected_call::allocate, 0 },
        };
        for (const auto& [call, after] : failures) {
            bank_beside_singles both(bank, on_pair(), d_registry, 6);
            device(1)->inject_failure(call, after);
            both.run(small_tests() ? 100 : 800, 30);
            device(1)->inject_failure(injected_call::none);
            CPPUNIT_ASSERT(both.error() < -120);
            CPPUNIT_ASSERT(both.bank().fell_back());
            CPPUNIT_ASSERT_EQUAL(d_devices[0].id(), both.bank().chosen().device);
        }
    }

    void a_lost_device_with_different_rates()
    {
        if (!has_two("a_lost_device_with_different_rates"))
            return;
        const auto bank = problem_of_rates();
        prescribe(bank, on_pair(), { 3, 3 });
        auto both = beside_host(bank, on_pair(), 4000);
        both.run(301);
        device(0)->inject_failure(injected_call::enqueue, 1);
        both.run(500);
        device(0)->inject_failure(injected_call::none);
        both.run(407);
        CPPUNIT_ASSERT(both.error < -120);
        CPPUNIT_ASSERT(both.shared.fell_back());
        CPPUNIT_ASSERT((channel_counts{ 6 } == channels_of(both.shared.chosen())));
    }

    //! The channels are on a raster when the bank is made, and not when a device fails.
    void a_lost_device_with_channels_off_the_raster()
    {
        if (!has_two("a_lost_device_with_channels_off_the_raster"))
            return;
        auto bank = problem(6);
        for (std::size_t c = 0; c < 6; c++)
            bank.center_freqs[c] =
                (static_cast<double>(c) + 0.3) * bank.sampling_freq / 6;
        auto with = on_pair();
        with.variant = "dft_bank";
        prescribe(bank, with, { 3, 3 });
        auto both = beside_host(bank, with, 4000);
        both.run(500);
        both.both(
            [&](auto& each) { each.set_center_freq(1, 0.123 * bank.sampling_freq); });
        both.run(500);
        device(1)->inject_failure(injected_call::enqueue, 1);
        both.run(1000);
        device(1)->inject_failure(injected_call::none);
        CPPUNIT_ASSERT(both.shared.fell_back());
        CPPUNIT_ASSERT_EQUAL(d_devices[0].id(), both.shared.chosen().device);
        both.run(500);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(both.error), both.error < -85);
    }

    void stream_memory_goes_to_every_device()
    {
        if (!has_two("stream_memory_goes_to_every_device"))
            return;
        const auto bank = problem(4);
        const auto with = options(pair(), "gpu_tile", "zero_copy");
        prescribe(bank, with, { 2, 2 });
        freq_xlating_filter_bank shared(bank, with, d_registry);
        freq_xlating_filter_bank host(bank, options("host", "simd"), d_registry);
        const std::size_t history = 32, outputs = 1000;
        const auto bytes = noise(bank.input, history + 4 * outputs, 2);
        const page_memory memory(bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory.as<unsigned char>());
        shared.set_stream_memory(memory.region());
        bank_outputs a(4, outputs), b(4, outputs);
        for (std::size_t done = 0; done < outputs; done += 250) {
            if (done == 500)
                device(0)->inject_failure(injected_call::enqueue, 1);
            const auto* at = memory.as<std::complex<float>>() + 4 * done;
            shared.process(at, history + 1000, a.at(done).data(), 250);
            host.process(at, history + 1000, b.at(done).data(), 250);
            CPPUNIT_ASSERT_EQUAL(done >= 500, shared.fell_back());
        }
        device(0)->inject_failure(injected_call::none);
        shared.set_stream_memory({});
        for (std::size_t c = 0; c < 4; c++) {
            const std::vector<std::complex<double>> want(b[c].begin(), b[c].end());
            CPPUNIT_ASSERT(error_db(a[c], want) < -120);
        }
        CPPUNIT_ASSERT_EQUAL(std::string("zero_copy"), shared.transfer_name());
        CPPUNIT_ASSERT_EQUAL(d_devices[1].id(), shared.chosen().device);
    }

    void devices_that_fail_at_once_are_left_out()
    {
        if (!has_two("devices_that_fail_at_once_are_left_out"))
            return;
        const auto bank = problem(5);
        device(0)->inject_failure(injected_call::build);
        {
            bank_beside_singles both(bank, on_pair(), d_registry, 5);
            CPPUNIT_ASSERT((channel_counts{ 5 } == channels_of(both.bank().chosen())));
            CPPUNIT_ASSERT_EQUAL(d_devices[1].id(), both.bank().chosen().device);
            CPPUNIT_ASSERT(both.bank().fell_back());
            assert_names(both.bank().plan(),
                         { "(" + d_devices[0].id() + ") is left out", "clBuildProgram" });
            CPPUNIT_ASSERT(logged("is left out"));
            both.run(100, 3);
            CPPUNIT_ASSERT(both.error() < -120);
        }
        // A plan that was made while a device was broken is not remembered.
        device(0)->inject_failure(injected_call::none);
        const freq_xlating_filter_bank whole(bank, on_pair(), d_registry);
        CPPUNIT_ASSERT(!whole.chosen().remembered);
        CPPUNIT_ASSERT(!whole.fell_back());

        context_registry fresh(test_options());
        for (const auto& info : { d_devices[0], d_devices[1] })
            fresh.get(info)->inject_failure(injected_call::build);
        bank_beside_singles both(bank, on_pair(), fresh, 6);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), both.bank().device_name());
        CPPUNIT_ASSERT(both.bank().fell_back());
        CPPUNIT_ASSERT(logged("the host computes instead"));
        both.run(100, 3);
        CPPUNIT_ASSERT(both.error() < -120);
    }

    void the_host_goes_on_after_all_devices()
    {
        if (!has_two("the_host_goes_on_after_all_devices"))
            return;
        const auto bank = problem(7);
        prescribe(bank, on_pair(), { 3, 4 });
        bank_beside_singles both(bank, on_pair(), d_registry, 7);
        both.run(100, 0);
        for (const std::size_t lost : { 0, 1 })
            device(lost)->inject_failure(injected_call::enqueue, 0);
        both.run(100, 3);
        for (const std::size_t lost : { 0, 1 })
            device(lost)->inject_failure(injected_call::none);
        CPPUNIT_ASSERT(both.error() < -120);
        CPPUNIT_ASSERT(both.bank().fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), both.bank().device_name());
        CPPUNIT_ASSERT(both.bank().chosen().shares.empty());
        CPPUNIT_ASSERT(logged("the host goes on"));
    }

    void the_host_takes_part()
    {
        auto with = options(d_devices[0].id() + ",host");
        with.algorithm = "direct";
        with.threads = 1;
        with.typical_items = 2048;
        const auto bank = problem(9);
        // Whatever the rates are, all channels are computed.
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(9),
            total(
                channels_of(freq_xlating_filter_bank(bank, with, d_registry).chosen())));
        prescribe(bank,
                  with,
                  { { d_devices[0].id(), "cpu_tile", "copy", 4 },
                    { "host", "simd", "none", 5 } });
        bank_beside_singles both(bank, with, d_registry, 8);
        CPPUNIT_ASSERT((channel_counts{ 4, 5 } == channels_of(both.bank().chosen())));
        both.run(small_tests() ? 100 : 600, 10);
        device(0)->inject_failure(injected_call::enqueue, 0);
        both.run(small_tests() ? 100 : 300, 3);
        device(0)->inject_failure(injected_call::none);
        CPPUNIT_ASSERT(both.error() < -120);
        const auto& shares = both.bank().chosen().shares;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), shares.size());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), shares.back().device);
        CPPUNIT_ASSERT_EQUAL(std::size_t(9), shares.back().channels);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_shared_channels, "qa_shared_channels");

} // namespace
