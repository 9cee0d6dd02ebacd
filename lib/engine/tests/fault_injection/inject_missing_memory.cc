// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes every allocation fail in turn, and judges how small runs end.

/*
 * Lets memory be missing at each allocation in turn, in small runs of the library, and
 * judges how they end: with right results, or by saying that there is no memory.
 * Afterwards, with memory, the same run has to give right results, and no more memory may
 * be in use than after the failure before. Each failure is tried in a process of its own,
 * in which nothing has been computed yet. The exit status is 1 if there is a defect.
 */

#include "missing_memory.h"

#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_process.h"

#include <cldsp/background_thread.h>
#include <cldsp/cldsp.h>
#include <cldsp/context.h>
#include <cldsp/correlator.h>
#include <cldsp/device.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm_1bit.h>

#include <system_error>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cldsp;

namespace {

const char* const usage =
    "usage: inject_missing_memory [OPTION]...\n"
    "  --scenario NAME   only this one; may be given several times\n"
    "  --device          the scenarios of \"auto\" and of devices, not those of the "
    "host\n"
    "  --fault N:KIND    only the N-th allocation; KIND is one or sticky\n"
    "  --most N          allocations of a scenario at most, spread over all (all)\n"
    "  --everybody       also allocations of drivers and other libraries fail\n"
    "  --verbose         a line for each allocation, and where a process ended\n"
    "  --list            name the scenarios\n";

/***********************************************************************
 * Scenarios
 **********************************************************************/

// What a run has computed; its memory exists before memory is short.
constexpr std::size_t max_values = 8192;
struct outputs {
    std::array<float, max_values> values;
    std::size_t count = 0;

    void add(const float* from, std::size_t n)
    {
        n = std::min(n, max_values - count);
        std::copy_n(from, n, values.data() + count);
        count += n;
    }
    void add(const std::complex<float>* from, std::size_t n)
    {
        add(reinterpret_cast<const float*>(from), 2 * n);
    }
};

struct settings_of_run {
    std::string cache_folder; // empty: no files
    const char* device = "host";
};

bool has_retried = false;

//! Whether the exception that is being handled says that there is no memory. A thread
//! that cannot be started has an error code of its own, which also stands for other
//! causes.
bool is_missing_memory()
{
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return true;
    } catch (const std::system_error& e) {
        return e.code() == std::errc::resource_unavailable_try_again;
    } catch (...) {
        return false;
    }
}

//! Calls a function of an object that exists. If there is no memory for it, nothing may
//! have changed: with memory, the same call has to succeed.
template <class Call>
void patiently(const Call& call)
{
    try {
        call();
    } catch (...) {
        if (!is_missing_memory())
            throw;
        memory_shortage::end();
        has_retried = true;
        call();
    }
}

void check(cldsp_status status)
{
    if (status == CLDSP_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (status == CLDSP_FAILED && std::strstr(cldsp_last_error(), "start thread"))
        throw std::system_error(
            std::make_error_code(std::errc::resource_unavailable_try_again));
    if (status != CLDSP_OK)
        throw std::runtime_error(cldsp_last_error());
}

template <class Object, void (*free_object)(Object*)>
struct freeing {
    void operator()(Object* object) const { free_object(object); }
};
template <class Object, void (*free_object)(Object*)>
using owner = std::unique_ptr<Object, freeing<Object, free_object>>;

class scenario
{
public:
    virtual ~scenario() = default;
    virtual void run(const settings_of_run& settings, outputs& out) = 0;
};

owner<cldsp_context, cldsp_context_free> make_context(const settings_of_run& settings)
{
    auto config = cldsp_context_defaults();
    config.no_files = settings.cache_folder.empty();
    config.cache_folder = config.no_files ? nullptr : settings.cache_folder.c_str();
    config.log = [](void*, cldsp_log_level, const char*) {};
    cldsp_context* context = nullptr;
    const auto status = cldsp_context_new(&config, &context);
    owner<cldsp_context, cldsp_context_free> made(context);
    check(status);
    return made;
}

context_options options_of(const settings_of_run& settings)
{
    context_options options;
    options.cache_folder = settings.cache_folder;
    options.disk_cache = options.wisdom_file = !settings.cache_folder.empty();
    return options;
}

class context_scenario : public scenario
{
    void run(const settings_of_run& settings, outputs&) override
    {
        const auto context = make_context(settings);
    }
};

class low_pass_scenario : public scenario
{
    void run(const settings_of_run&, outputs& out) override
    {
        cldsp_low_pass* filter = nullptr;
        const auto status = cldsp_low_pass_new(48000, 3000, 4000, 60, &filter);
        const owner<cldsp_low_pass, cldsp_low_pass_free> made(filter);
        check(status);
        const auto* taps = cldsp_low_pass_taps(filter);
        out.add(taps->real_taps, taps->count);
    }
};

class devices_scenario : public scenario
{
    void run(const settings_of_run& settings, outputs& out) override
    {
        const auto context = make_context(settings);
        cldsp_devices* devices = nullptr;
        const auto status = cldsp_devices_new(context.get(), &devices);
        const owner<cldsp_devices, cldsp_devices_free> made(devices);
        check(status);
        const auto count = static_cast<float>(cldsp_devices_count(devices));
        out.add(&count, 1);
    }
};

//! A bank of the C interface, whose channels are changed while the stream runs.
class bank_scenario : public scenario
{
public:
    bank_scenario(const char* algorithm,
                  const char* variant,
                  bool with_rates,
                  bool changes,
                  const char* plan = "wait")
        : d_changes(changes)
    {
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        for (auto& tap : d_values)
            tap = normal(random);
        for (auto& item : d_stream)
            item = { normal(random), normal(random) };
        d_config.algorithm = algorithm;
        d_config.variant = variant;
        d_config.sampling_freq = 48000;
        d_config.decimation = 4;
        d_config.center_freqs = d_freqs.data();
        d_config.channels = d_freqs.size();
        d_config.max_channels = 4;
        d_config.max_taps = d_values.size();
        d_config.taps = &d_taps;
        d_config.tap_lists = 1;
        d_config.typical_items = part;
        d_config.plan = plan;
        if (with_rates) {
            d_config.max_channels = d_config.channels;
            d_config.rates = d_rates.data();
            d_config.rate_count = d_rates.size();
        }
    }

private:
    static constexpr std::size_t parts = 4, part = 701;

    void run(const settings_of_run& settings, outputs& out) override
    {
        const auto context = make_context(settings);
        d_config.device = settings.device;
        cldsp_filter_bank* bank = nullptr;
        const auto status = cldsp_filter_bank_new(context.get(), &d_config, &bank);
        const owner<cldsp_filter_bank, cldsp_filter_bank_free> made(bank);
        check(status);
        for (std::size_t i = 0; i < parts; i++) {
            if (d_changes)
                change(bank, i);
            patiently([&] {
                check(cldsp_filter_bank_process(bank,
                                                d_stream.data() + i * part,
                                                part,
                                                d_places.data(),
                                                part,
                                                d_outputs.data()));
            });
            std::size_t slots = 0;
            patiently([&] { check(cldsp_filter_bank_slots(bank, &slots)); });
            for (std::size_t c = 0; c < slots; c++)
                out.add(d_places[c], d_outputs[c]);
        }
        const cldsp_plan* plan = nullptr;
        patiently([&] { check(cldsp_filter_bank_plan(bank, &plan)); });
    }

    void change(cldsp_filter_bank* bank, std::size_t call)
    {
        std::size_t added = 0;
        const cldsp_taps short_taps = { d_values.data(), nullptr, 9 };
        switch (call) {
        case 1:
            patiently([&] { check(cldsp_filter_bank_set_center_freq(bank, 1, 777)); });
            patiently([&] {
                check(cldsp_filter_bank_add_channel(
                    bank, &short_taps, 5000, nullptr, &added));
            });
            break;
        case 2:
            patiently([&] { check(cldsp_filter_bank_set_active(bank, 0, 0)); });
            patiently([&] { check(cldsp_filter_bank_set_taps(bank, &short_taps, 1)); });
            break;
        case 3:
            patiently([&] { check(cldsp_filter_bank_remove_channel(bank, 2)); });
            patiently([&] { check(cldsp_filter_bank_set_active(bank, 0, 1)); });
            break;
        default:
            break;
        }
    }

    bool d_changes;
    std::array<float, 33> d_values;
    std::array<std::complex<float>, parts * part> d_stream;
    std::array<double, 3> d_freqs = { -10e3, 1234.5, 20e3 };
    std::array<cldsp_rate, 3> d_rates = { { { 1, 4 }, { 3, 16 }, { 1, 10 } } };
    cldsp_taps d_taps = { d_values.data(), nullptr, d_values.size() };
    cldsp_filter_bank_config d_config = cldsp_filter_bank_defaults();
    std::array<std::array<std::complex<float>, part>, 4> d_out;
    std::array<cldsp_complex*, 4> d_places = {
        d_out[0].data(), d_out[1].data(), d_out[2].data(), d_out[3].data()
    };
    std::array<std::size_t, 4> d_outputs{};
};

//! A filter as the blocks use it. The problem is made before memory is short.
class filter_scenario : public scenario
{
public:
    explicit filter_scenario(const std::string& variant)
    {
        std::mt19937 random(2);
        std::normal_distribution<float> normal;
        for (auto& item : d_stream)
            item = { normal(random), normal(random) };
        d_problem.decimation = 4;
        d_problem.sampling_freq = 48000;
        d_problem.center_freq = 3210;
        for (int k = 0; k < 33; k++)
            d_problem.taps.emplace_back(normal(random), normal(random));
        d_taps.assign(d_problem.taps.begin(), d_problem.taps.begin() + 17);
        d_options.variant = variant;
        d_options.typical_items = 4 * room;
    }

private:
    static constexpr std::size_t parts = 4, room = 200;

    void run(const settings_of_run& settings, outputs& out) override
    {
        context_registry registry(options_of(settings));
        d_options.device = settings.device;
        freq_xlating_filter_bank filter(bank_of_one(d_problem), d_options, registry);
        for (std::size_t i = 0; i < parts; i++) {
            if (i == 2)
                patiently([&] { filter.set_taps({ d_taps }); });
            if (i == 3)
                patiently([&] { filter.set_center_freq(0, -999); });
            const std::size_t history = filter.history();
            const auto* in = d_stream.data() + 64 - history + i * room * 4;
            patiently([&] {
                process(filter, in, history + 4 * room, { d_out.data(), room });
            });
            out.add(d_out.data(), room);
        }
    }

    freq_xlating_fir_problem d_problem;
    one_thread_options d_options;
    std::vector<std::complex<float>> d_taps;
    std::array<std::complex<float>, 64 + parts * room * 4> d_stream;
    std::array<std::complex<float>, room> d_out;
};

//! A bank in which one channel follows a schedule of frequencies.
class schedule_scenario : public scenario
{
public:
    schedule_scenario()
    {
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        for (auto& item : d_stream)
            item = { normal(random), normal(random) };
        d_problem.decimation = 4;
        d_problem.sampling_freq = 48000;
        d_problem.center_freqs = { 1000, -2000 };
        std::vector<std::complex<float>> taps;
        for (std::size_t k = 0; k < history + 1; k++)
            taps.emplace_back(normal(random), 0);
        d_problem.taps = { taps };
        d_options.device = "host";
        d_options.variant = "simd";
        d_points = { { 100, 500, 2000 }, { 900, -3000, 0 }, { 1500, 10, -100 } };
        d_later = { { 2000, 77, 0 } };
    }

private:
    static constexpr std::size_t parts = 4, room = 200, history = 32;

    void run(const settings_of_run& settings, outputs& out) override
    {
        context_registry registry(options_of(settings));
        freq_xlating_filter_bank bank(d_problem, d_options, registry);
        patiently([&] { bank.schedule(0, d_points); });
        for (std::size_t i = 0; i < parts; i++) {
            if (i == 2)
                patiently([&] { bank.schedule(0, d_later); });
            patiently([&] {
                bank.process(d_stream.data() + i * room * 4,
                             history + 4 * room,
                             d_places.data(),
                             room);
            });
            for (const auto* place : d_places)
                out.add(place, room);
        }
    }

    freq_xlating_filter_bank_problem d_problem;
    freq_xlating_filter_bank_options d_options;
    std::vector<frequency_point> d_points, d_later;
    std::array<std::complex<float>, history + parts * room * 4> d_stream;
    std::array<std::array<std::complex<float>, room>, 2> d_out;
    std::array<std::complex<float>*, 2> d_places = { d_out[0].data(), d_out[1].data() };
};

class product_scenario : public scenario
{
public:
    explicit product_scenario(const char* plan = "wait") : d_plan(plan)
    {
        std::mt19937 random(4);
        std::normal_distribution<float> normal;
        for (auto* matrix : { &d_a, &d_b })
            for (auto& value : *matrix)
                value = normal(random);
    }

private:
    static constexpr std::size_t size = 40;

    void run(const settings_of_run& settings, outputs& out) override
    {
        const auto context = make_context(settings);
        auto config = cldsp_matrix_product_defaults();
        config.m = config.n = config.k = size;
        config.plan = d_plan;
        config.device = settings.device;
        cldsp_matrix_product* product = nullptr;
        const auto status = cldsp_matrix_product_new(context.get(), &config, &product);
        const owner<cldsp_matrix_product, cldsp_matrix_product_free> made(product);
        check(status);
        patiently([&] {
            check(cldsp_matrix_product_multiply(product,
                                                size,
                                                size,
                                                size,
                                                nullptr,
                                                d_a.data(),
                                                size,
                                                d_b.data(),
                                                size,
                                                nullptr,
                                                d_c.data(),
                                                size));
        });
        out.add(d_c.data(), d_c.size());
        patiently([&] {
            check(cldsp_matrix_product_hold_b(product, 20, 20, d_b.data(), size));
        });
        patiently([&] {
            check(cldsp_matrix_product_multiply_held(
                product, size, nullptr, d_a.data(), size, nullptr, d_c.data(), size));
        });
        out.add(d_c.data(), 20);
        const cldsp_plan* plan = nullptr;
        patiently([&] { check(cldsp_matrix_product_plan(product, &plan)); });
    }

    const char* d_plan;
    std::array<float, size * size> d_a, d_b, d_c{};
};

class gemm_1bit_scenario : public scenario
{
public:
    gemm_1bit_scenario()
    {
        std::mt19937 random(5);
        for (auto* list : { &d_codes, &d_later })
            for (std::size_t j = 0; j < codes; j++) {
                list->emplace_back(bits / 8);
                for (auto& byte : list->back())
                    byte = static_cast<std::uint8_t>(random());
            }
        for (auto& byte : d_items)
            byte = static_cast<std::uint8_t>(random());
    }

private:
    static constexpr std::size_t bits = 128, codes = 9, items = 30;

    void run(const settings_of_run& settings, outputs& out) override
    {
        context_registry registry(options_of(settings));
        d_options.device = settings.device;
        gemm_1bit engine(d_codes, bits, items, d_options, registry);
        for (int call = 0; call < 2; call++) {
            if (call == 1)
                patiently([&] { engine.set_codes(d_later); });
            patiently([&] {
                engine.correlate({ d_items.data(), d_items.size() },
                                 { d_out.data(), d_out.size() });
            });
            for (const auto sum : d_out) {
                const auto value = static_cast<float>(sum);
                out.add(&value, 1);
            }
        }
    }

    gemm_options d_options;
    std::vector<std::vector<std::uint8_t>> d_codes, d_later;
    std::array<std::uint8_t, items * bits / 8> d_items;
    std::array<std::int32_t, items * codes> d_out{};
};

class correlator_scenario : public scenario
{
public:
    correlator_scenario()
    {
        std::mt19937 random(6);
        std::normal_distribution<float> normal;
        for (auto& item : d_samples)
            item = { normal(random), normal(random) };
    }

private:
    static constexpr std::size_t antennas = 3, integration = 300, part = 250, parts = 4;

    void run(const settings_of_run& settings, outputs& out) override
    {
        context_registry registry(options_of(settings));
        d_options.device = settings.device;
        correlator engine(
            sample_type::fc32, antennas, integration, part, d_options, registry);
        for (std::size_t i = 0; i < parts; i++) {
            std::array<const void*, antennas> first;
            for (std::size_t a = 0; a < antennas; a++)
                first[a] = d_samples.data() + (a * parts + i) * part;
            std::size_t ended = 0;
            patiently(
                [&] { ended = engine.process({ first.data() }, part, d_out.data()); });
            out.add(d_out.data(), ended * visibilities_of(antennas));
        }
    }

    correlator_options d_options;
    std::array<std::complex<float>, antennas * part * parts> d_samples;
    std::array<std::complex<float>, 2 * visibilities_of(antennas)> d_out{};
};

struct scenario_kind {
    const char* name;
    const char* device; // "host": it runs on the host only
    bool with_files;    // wisdom and programs, which a run before has stored
    std::function<std::unique_ptr<scenario>()> make;
};

template <class Scenario, class... Arguments>
auto maker(Arguments... arguments)
{
    return [=] { return std::make_unique<Scenario>(arguments...); };
}

const std::vector<scenario_kind>& scenario_kinds()
{
    static const std::vector<scenario_kind> kinds = {
        { "context", "host", true, maker<context_scenario>() },
        { "low_pass", "host", true, maker<low_pass_scenario>() },
        { "bank_direct",
          "host",
          true,
          maker<bank_scenario>("direct", "simd", false, true) },
        { "bank_measured",
          "host",
          false,
          maker<bank_scenario>("fast_convolution", nullptr, false, false) },
        { "bank_remembered",
          "host",
          true,
          maker<bank_scenario>(nullptr, nullptr, false, true) },
        { "bank_rates",
          "host",
          true,
          maker<bank_scenario>("direct", nullptr, true, false) },
        { "bank_at_once",
          "host",
          false,
          maker<bank_scenario>(nullptr, nullptr, false, true, "auto") },
        { "filter_direct", "host", true, maker<filter_scenario>("simd") },
        { "filter", "host", true, maker<filter_scenario>("auto") },
        { "schedule", "host", true, maker<schedule_scenario>() },
        { "product", "host", true, maker<product_scenario>() },
        { "product_at_once", "host", false, maker<product_scenario>("auto") },
        { "gemm_1bit", "host", true, maker<gemm_1bit_scenario>() },
        { "correlator", "host", true, maker<correlator_scenario>() },
        { "devices", "auto", false, maker<devices_scenario>() },
        { "auto_bank",
          "auto",
          true,
          maker<bank_scenario>(nullptr, nullptr, false, true) },
        { "auto_product", "auto", true, maker<product_scenario>() },
        { "auto_gemm_1bit", "auto", true, maker<gemm_1bit_scenario>() },
        { "auto_correlator", "auto", true, maker<correlator_scenario>() },
        { "device_filter", "cpu", true, maker<filter_scenario>("cpu_tile") },
        { "device_bank",
          "cpu",
          true,
          maker<bank_scenario>(nullptr, "cpu_tile", false, true) },
        { "device_fold",
          "cpu",
          true,
          maker<bank_scenario>("fast_convolution", nullptr, false, false) },
        { "device_product", "cpu", true, maker<product_scenario>() },
        { "device_gemm_1bit", "cpu", true, maker<gemm_1bit_scenario>() },
        { "device_correlator", "cpu", true, maker<correlator_scenario>() },
    };
    return kinds;
}

/***********************************************************************
 * One failure, in a process of its own
 **********************************************************************/

enum class ending { right, refused, retried, wrong, unclear, broken, leak, died, hung };
constexpr std::array<const char*, 9> ending_names = { "right", "refused", "retried",
                                                      "wrong", "unclear", "broken",
                                                      "leak",  "died",    "hung" };

bool is_good(ending how) { return how <= ending::retried; }

struct settings {
    std::vector<std::string> scenarios;
    bool devices = false;
    std::size_t fault = 0; // 0: all
    bool lasting = false;
    std::size_t most = 0; // 0: all
    memory_users users = memory_users::engine;
    bool verbose = false;
};

//! What a child process reports, in memory that it shares with its parent.
struct report {
    ending how;
    std::size_t allocations;
    std::array<char, 300> detail;
    std::array<char, 200> guilty;
    outputs expected;
    outputs found;

    void set(ending now, const char* text = "")
    {
        how = now;
        std::snprintf(detail.data(), detail.size(), "%s", text);
    }
};

report* shared = nullptr;
int trace = -1; // where a child that ends prints its stack

void note_the_guilty()
{
    const char* const library = guilty_library(trace);
    if (!shared->guilty[0])
        std::snprintf(shared->guilty.data(), shared->guilty.size(), "%s", library);
}

void on_signal(int signal)
{
    // A second signal ends the process.
    std::signal(signal, SIG_DFL);
    note_the_guilty();
    raise(signal);
}

double difference_db(const outputs& expected, const outputs& found)
{
    if (expected.count != found.count)
        return INFINITY;
    double error = 0, peak = 1e-30;
    for (std::size_t i = 0; i < expected.count; i++) {
        error = std::max<double>(error, std::abs(expected.values[i] - found.values[i]));
        peak = std::max<double>(peak, std::abs(expected.values[i]));
    }
    return 20 * std::log10(error / peak + 1e-30);
}

constexpr double bound = -85; // dB; "auto" may choose another algorithm

bool is_right(scenario& it, const settings_of_run& settings)
{
    shared->found.count = 0;
    it.run(settings, shared->found);
    return difference_db(shared->expected, shared->found) < bound;
}

//! Runs the scenario while memory is short.
void run_short(scenario& it,
               const settings_of_run& run,
               const settings& s,
               std::size_t first,
               bool lasting)
{
    has_retried = false;
    shared->found.count = 0;
    try {
        {
            const memory_shortage shortage(first, lasting, s.users);
            it.run(run, shared->found);
        }
        if (!(difference_db(shared->expected, shared->found) < bound))
            shared->set(ending::wrong, "other results");
        else
            shared->set(has_retried ? ending::retried : ending::right);
    } catch (const std::exception& e) {
        const bool is_clear = is_missing_memory() && !has_retried;
        shared->set(is_clear ? ending::refused : ending::unclear, e.what());
    } catch (...) {
        shared->set(ending::unclear, "no std::exception");
    }
}

//! Waits until planning in the background, which nobody wants any more, has stopped.
void wait_for_planning()
{
    const auto idle = std::make_shared<std::promise<void>>();
    background_thread::planning().post([idle] { idle->set_value(); });
    idle->get_future().wait();
}

void judge(scenario& it,
           const settings_of_run& run,
           const settings& s,
           std::size_t first,
           bool lasting)
{
    run_short(it, run, s, first, lasting);
    shared->allocations = memory_shortage::allocations();
    if (!is_good(shared->how))
        return;
    const auto how = shared->how;
    try {
        if (!is_right(it, run))
            return shared->set(ending::broken, "other results after the failure");
        // The state of the process may grow once, not each time.
        std::array<long, 6> live{};
        for (auto& count : live) {
            run_short(it, run, s, first, lasting);
            wait_for_planning();
            count = live_allocations();
        }
        if (std::is_sorted(live.begin(), live.end(), std::less_equal<>()) &&
            std::string(run.device) == "host")
            return shared->set(
                ending::leak,
                (std::to_string(live.back() - live.front()) + " in 5 failures").c_str());
        if (!is_good(shared->how))
            return;
        if (!is_right(it, run))
            return shared->set(ending::broken, "other results after some failures");
        shared->set(how);
    } catch (const std::exception& e) {
        shared->set(ending::broken, e.what());
    }
}

template <class Function>
void in_a_child(bool on_host, const Function& function)
{
    constexpr unsigned bound_seconds = 120;
    std::cout.flush();
    shared->set(ending::died);
    shared->guilty[0] = '\0';
    if (ftruncate(trace, 0) == 0)
        lseek(trace, 0, SEEK_SET);
    const pid_t child = fork();
    if (child < 0)
        throw std::runtime_error("cannot start a process");
    if (child == 0) {
        std::array<void*, 1> frames;
        backtrace(frames.data(), 1); // loads what it needs
        for (const int signal : { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE })
            std::signal(signal, on_signal);
        // Drivers may have handlers of their own for signals.
        std::set_terminate([] {
            note_the_guilty();
            std::abort();
        });
        dup2(trace, STDERR_FILENO);
        if (on_host) // without drivers, which take long to load
            setenv("OCL_ICD_VENDORS", "/dev/null", 1);
        alarm(bound_seconds);
        function();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        shared->set(WTERMSIG(status) == SIGALRM ? ending::hung : ending::died,
                    strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        shared->set(ending::died, "an exit status");
}

/***********************************************************************
 * All failures
 **********************************************************************/

struct tally {
    std::array<std::size_t, ending_names.size()> count{};
    std::size_t of_others = 0; // deaths in other libraries

    bool good() const
    {
        for (std::size_t i = 0; i < count.size(); i++)
            if (count[i] && !is_good(static_cast<ending>(i)))
                return false;
        return true;
    }
    void add(const tally& other)
    {
        for (std::size_t i = 0; i < count.size(); i++)
            count[i] += other.count[i];
        of_others += other.of_others;
    }
};

void print_row(const std::string& name, const tally& t, std::size_t allocations)
{
    std::printf("%-17s", name.c_str());
    for (const auto n : t.count)
        std::printf("%8zu", n);
    std::printf("%12zu\n", allocations);
    std::fflush(stdout);
}

void tell(const scenario_kind& kind, std::size_t first, bool lasting, const settings& s)
{
    std::printf("%s: --scenario %s --fault %zu:%s: %s %s\n",
                ending_names[static_cast<std::size_t>(shared->how)],
                kind.name,
                first,
                lasting ? "sticky" : "one",
                shared->detail.data(),
                shared->guilty.data());
    if (s.verbose && shared->how == ending::died) {
        std::array<char, 8000> text;
        const auto got = pread(trace, text.data(), text.size() - 1, 0);
        std::printf("%.*s\n", static_cast<int>(std::max<ssize_t>(got, 0)), text.data());
    }
    std::fflush(stdout);
}

//! The allocations that fail: all, or some that are spread over all.
std::vector<std::size_t> chosen(std::size_t count, const settings& s)
{
    if (s.fault)
        return { s.fault };
    const std::size_t most = s.most ? std::min(s.most, count) : count;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < most; i++)
        all.push_back(1 + i * count / most);
    return all;
}

tally run_scenario(const scenario_kind& kind, const settings& s)
{
    const temporary_folder folder;
    const settings_of_run run{ kind.with_files ? folder.path() : std::string(),
                               kind.device };
    const bool on_host = std::string(kind.device) == "host";
    const auto it = kind.make();
    in_a_child(on_host, [&] { it->run(run, shared->expected = {}); }); // fills the cache
    shared->expected.count = 0;
    in_a_child(on_host, [&] {
        const memory_shortage none(0, false, s.users);
        it->run(run, shared->expected);
        shared->allocations = memory_shortage::allocations();
        shared->set(ending::right);
    });
    if (shared->how != ending::right)
        throw std::runtime_error(std::string(kind.name) +
                                 " fails without a fault: " + shared->detail.data());
    const std::size_t count = shared->allocations;
    tally t;
    for (const bool lasting : { false, true }) {
        if (s.fault && lasting != s.lasting)
            continue;
        for (const auto first : chosen(count, s)) {
            in_a_child(on_host, [&] { judge(*it, run, s, first, lasting); });
            const bool of_others = shared->how == ending::died && shared->guilty[0] &&
                                   std::strcmp(shared->guilty.data(), "engine") != 0;
            if (of_others)
                t.of_others++;
            else
                t.count[static_cast<std::size_t>(shared->how)]++;
            if (s.verbose || !is_good(shared->how))
                tell(kind, first, lasting, s);
        }
    }
    print_row(kind.name, t, count);
    if (t.of_others)
        std::printf("  %zu more ended in other libraries\n", t.of_others);
    return t;
}

settings read_arguments(int argc, char** argv)
{
    settings s;
    for (int i = 1; i < argc; i++) {
        const std::string option = argv[i];
        const auto value = [&]() -> std::string {
            if (++i == argc)
                throw std::invalid_argument(option + " needs a value");
            return argv[i];
        };
        if (option == "--scenario") {
            s.scenarios.push_back(value());
        } else if (option == "--device") {
            s.devices = true;
        } else if (option == "--fault") {
            const auto text = value();
            s.fault = std::stoul(text);
            s.lasting = text.find("sticky") != text.npos;
        } else if (option == "--most") {
            s.most = std::stoul(value());
        } else if (option == "--everybody") {
            s.users = memory_users::everybody;
        } else if (option == "--verbose") {
            s.verbose = true;
        } else {
            throw std::invalid_argument("there is no option '" + option + "'");
        }
    }
    if (s.scenarios.empty())
        for (const auto& kind : scenario_kinds())
            if ((std::string(kind.device) != "host") == s.devices)
                s.scenarios.push_back(kind.name);
    return s;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        if (argc == 2 && std::string(argv[1]) == "--help") {
            std::cout << usage;
            return 0;
        }
        if (argc == 2 && std::string(argv[1]) == "--list") {
            for (const auto& kind : scenario_kinds())
                std::cout << kind.name << '\n';
            return 0;
        }
        const auto s = read_arguments(argc, argv);
        shared = static_cast<report*>(mmap(nullptr,
                                           sizeof(report),
                                           PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS,
                                           -1,
                                           0));
        trace = fileno(std::tmpfile());
        if (shared == MAP_FAILED || trace < 0)
            throw std::runtime_error("there is no memory to share, or no temporary file");
        std::printf("%-17s", "scenario");
        for (const char* name : ending_names)
            std::printf("%8s", name);
        std::printf("%12s\n", "allocations");
        tally sum;
        for (const auto& name : s.scenarios) {
            const auto& kinds = scenario_kinds();
            const auto found =
                std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) {
                    return k.name == name;
                });
            if (found == kinds.end())
                throw std::invalid_argument("there is no scenario '" + name + "'");
            sum.add(run_scenario(*found, s));
        }
        print_row("all", sum, 0);
        return sum.good() ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << "inject_missing_memory: " << e.what() << "\n" << usage;
        return 2;
    }
}
