// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs of filters, banks and products on a device, from its listing to its release.

#include "opencl_faults.h"
#include "scenarios.h"

#include "base/page_memory.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fft/vkfft_plan.h"
#include "opencl/commands.h"
#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_process.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/fir_tunable.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>
#include <cldsp/reference.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace cldsp {

namespace {

constexpr double direct_bound = -120;           // dB of the output's peak
constexpr double fast_convolution_bound = -100; // at the default accuracy

double device_seconds = 0;

context_options quiet_options(std::size_t queue_window = 0)
{
    context_options options;
    options.queue_window = queue_window;
    options.disk_cache = false;
    options.wisdom_file = false;
    options.device_timeout = device_seconds;
    return options;
}

std::string too_far(const std::string& what, double error, double bound)
{
    return error < bound ? "" : what + " off by " + std::to_string(error);
}

//! Memory that a device can use in place.
template <class T>
class page_array
{
public:
    explicit page_array(std::size_t count)
        : d_bytes((count * sizeof(T) + page - 1) / page * page),
          d_data(static_cast<T*>(std::aligned_alloc(page, d_bytes)))
    {
        if (!d_data)
            throw std::bad_alloc();
        std::memset(static_cast<void*>(d_data), 0, d_bytes);
    }
    ~page_array() { std::free(d_data); }
    page_array(const page_array&) = delete;
    page_array& operator=(const page_array&) = delete;
    T* data() { return d_data; }
    memory_region region() const { return { d_data, d_bytes }; }

private:
    static constexpr std::size_t page = 4096;
    std::size_t d_bytes;
    T* d_data;
};

/*!
 * A filter between two buffers, one for its items and one for its outputs, as in GNU
 * Radio: each call overwrites the outputs of the call before.
 */
class filter_scenario : public scenario
{
public:
    filter_scenario(const freq_xlating_fir_problem& problem,
                    const one_thread_options& options,
                    double bound,
                    bool changes = false)
        : d_problem(problem),
          d_options(options),
          d_bound(bound),
          d_changes(changes),
          d_items((max_taps - 1 + calls * outputs * problem.decimation) *
                  sample_size(problem.input))
    {
        const std::size_t size = sample_size(problem.input);
        const std::size_t part = outputs * problem.decimation;
        const auto fresh = noise(problem.input, calls * part, 42);
        std::memcpy(d_items.data() + (max_taps - 1) * size, fresh.data(), fresh.size());
        freq_xlating_fir_reference reference(problem);
        for (std::size_t i = 0; i < calls; ++i) {
            if (changes)
                change(
                    i,
                    [&](const auto& taps) { reference.set_taps(taps); },
                    [&](double hz) { reference.set_center_freq(hz); });
            const auto more = reference.process(fresh.data() + i * part * size, part);
            d_expected.insert(d_expected.end(), more.begin(), more.end());
        }
    }

    std::string run() override
    {
        start();
        page_array<std::complex<float>> out(outputs);
        std::vector<std::complex<float>> got;
        {
            context_registry registry(quiet_options(d_changes ? 2 : 0));
            freq_xlating_filter_bank filter(bank_of_one(d_problem), d_options, registry);
            made();
            filter.set_stream_memory(d_items.region(), out.region());
            for (std::size_t i = 0; i < calls; ++i) {
                if (d_changes)
                    change(
                        i,
                        [&](const auto& taps) { filter.set_taps({ taps }); },
                        [&](double hz) { filter.set_center_freq(0, hz); });
                const std::size_t history = filter.history();
                const std::size_t part = outputs * d_problem.decimation;
                const auto* in = d_items.data() + (max_taps - 1 - history + i * part) *
                                                      sample_size(d_problem.input);
                const auto result =
                    process(filter, in, history + part, { out.data(), outputs });
                if (result.produced != outputs || result.consumed != part)
                    return std::to_string(result.produced) + " outputs of " +
                           std::to_string(result.consumed) + " items";
                got.insert(got.end(), out.data(), out.data() + outputs);
                // The memory is free until the next call.
                std::memset(
                    static_cast<void*>(out.data()), 0x55, outputs * sizeof(got[0]));
            }
            end(filter.fell_back());
        }
        settle_commands();
        for (std::size_t i = 0; i < outputs * sizeof(got[0]); ++i)
            if (reinterpret_cast<const unsigned char*>(out.data())[i] != 0x55)
                return "outputs written after their call";
        return too_far("outputs", error_db(got, d_expected), d_bound);
    }

private:
    static constexpr std::size_t calls = 4, outputs = 192, max_taps = 100;

    template <class Taps, class Frequency>
    static void change(std::size_t call, const Taps& set_taps, const Frequency& set_freq)
    {
        if (call == 1)
            set_taps(random_taps(max_taps, false, 9));
        if (call > 1)
            set_freq(-200000.5 * static_cast<double>(call));
        if (call == 3)
            set_taps(random_taps(20, true, 10));
    }

    freq_xlating_fir_problem d_problem;
    one_thread_options d_options;
    double d_bound;
    bool d_changes;
    page_array<unsigned char> d_items;
    std::vector<std::complex<double>> d_expected;
};

//! A bank of three channels, whose outputs go to three buffers.
class bank_scenario : public scenario
{
public:
    bank_scenario(const freq_xlating_filter_bank_problem& problem,
                  const freq_xlating_filter_bank_options& options,
                  double bound)
        : d_problem(problem),
          d_options(options),
          d_bound(bound),
          d_stream(noise(problem.input, items(), 43))
    {
        const std::size_t history = problem.taps[0].size() - 1;
        std::fill_n(d_stream.begin(), history * sample_size(problem.input), 0);
        for (std::size_t c = 0; c < problem.channels(); ++c)
            d_expected.push_back(
                freq_xlating_fir_reference(problem.channel(c))
                    .process(d_stream.data() + history * sample_size(problem.input),
                             items() - history));
    }

    std::string run() override
    {
        start();
        bank_outputs got(d_problem.channels(), calls * outputs);
        {
            context_registry registry(quiet_options());
            freq_xlating_filter_bank bank(d_problem, d_options, registry);
            made();
            const std::size_t part = outputs * d_problem.decimation;
            for (std::size_t i = 0; i < calls; ++i) {
                const auto result = bank.process(
                    d_stream.data() + i * part * sample_size(d_problem.input),
                    bank.history() + part,
                    got.at(i * outputs).data(),
                    outputs);
                if (result.produced != outputs)
                    return std::to_string(result.produced) + " outputs";
            }
            end(bank.fell_back());
        }
        settle_commands();
        for (std::size_t c = 0; c < d_expected.size(); ++c) {
            const auto wrong = too_far(
                "channel " + std::to_string(c), error_db(got[c], d_expected[c]), d_bound);
            if (!wrong.empty())
                return wrong;
        }
        return "";
    }

private:
    static constexpr std::size_t calls = 3, outputs = 150;
    std::size_t items() const
    {
        return d_problem.taps[0].size() - 1 + calls * outputs * d_problem.decimation;
    }

    freq_xlating_filter_bank_problem d_problem;
    freq_xlating_filter_bank_options d_options;
    double d_bound;
    std::vector<unsigned char> d_stream;
    std::vector<std::vector<std::complex<double>>> d_expected;
};

/*!
 * Channels that are folded on emulated matrix units. Only tests can ask for these, of the
 * executor. So there is no bank that would go on on the host.
 */
class tensor_fold_scenario : public scenario
{
public:
    explicit tensor_fold_scenario(const std::string& device)
        : d_device(device),
          d_channels(make_channels(sample_type::fc32, 4, 33, 3, true)),
          d_case(d_channels, 150)
    {
    }

    std::string run() override
    {
        start();
        d_case.again();
        {
            context_registry registry(quiet_options());
            const auto bank =
                make_opencl_fast_convolution(registry.get(find_devices(d_device).at(0)),
                                             "tensor_fold",
                                             "copy",
                                             d_channels,
                                             0,
                                             16,
                                             {},
                                             tensor_mode::emulated);
            made();
            d_case.run_in_cuts(*bank, 3);
        }
        settle_commands();
        return too_far("outputs", d_case.error(), direct_bound);
    }

private:
    std::string d_device;
    std::vector<filter_channel> d_channels;
    stream_case d_case;
};

//! Products of two sizes, and one product with a B that is held.
class gemm_scenario : public scenario
{
public:
    gemm_scenario(gemm_type type, const gemm_options& options)
        : d_type(type), d_options(options)
    {
        d_cases.emplace_back(type, gemm_shape{ 48, 40, 56 }, 1.5f, 0.0f, 1);
        d_cases.emplace_back(type, gemm_shape{ 33, 17, 70 }, 1.0f, 0.5f, 2);
        d_cases.emplace_back(type, gemm_shape{ 64, 64, 64 }, 1.0f, 0.0f, 3, 0);
    }

    std::string run() override
    {
        start();
        std::vector<gemm_case::matrix> got;
        {
            context_registry registry(quiet_options());
            gemm engine(d_type, { 64, 64, 64 }, d_options, registry);
            made();
            for (std::size_t i = 0; i < d_cases.size(); ++i)
                got.push_back(d_cases[i].run(engine, i == 1));
            end(engine.fell_back());
        }
        settle_commands();
        for (std::size_t i = 0; i < got.size(); ++i) {
            const auto wrong = too_far(
                d_cases[i].describe(), d_cases[i].error(got[i]), d_cases[i].bound());
            if (!wrong.empty())
                return wrong;
        }
        return "";
    }

private:
    gemm_type d_type;
    gemm_options d_options;
    std::vector<gemm_case> d_cases;
};

//! Correlations, with a change of the codes in between.
class gemm_1bit_scenario : public scenario
{
public:
    explicit gemm_1bit_scenario(const gemm_options& options)
        : d_options(options), d_cases{ { 200, 9, 30, 1 }, { 200, 9, 70, 2 } }
    {
        for (const auto& c : d_cases)
            d_expected.push_back(c.expected());
    }

    std::string run() override
    {
        start();
        std::vector<std::vector<std::int32_t>> got;
        {
            context_registry registry(quiet_options());
            gemm_1bit engine(d_cases[0].codes, d_cases[0].bits, 30, d_options, registry);
            made();
            got.push_back(d_cases[0].run(engine));
            engine.set_codes(d_cases[1].codes);
            got.push_back(d_cases[1].run(engine));
            end(engine.fell_back());
        }
        settle_commands();
        return got == d_expected ? "" : "correlations differ";
    }

private:
    gemm_options d_options;
    std::vector<gemm_1bit_case> d_cases;
    std::vector<std::vector<std::int32_t>> d_expected;
};

//! A search of two points, and a filter that uses the result.
class tuner_scenario : public scenario
{
public:
    explicit tuner_scenario(const std::string& device)
        : d_device(device),
          d_problem(make_fir_problem(sample_type::fc32, 4, 33, true)),
          d_case(d_problem, 300)
    {
    }

    std::string run() override
    {
        start();
        std::vector<std::complex<float>> got;
        {
            context_registry registry(quiet_options());
            const auto kernel = make_fir_tunable(
                registry, find_devices(d_device).at(0), d_problem, items, "cpu_tile");
            made();
            tuning_options search;
            search.strategy = "random";
            search.evaluations = 2;
            // Each look at this clock takes a second, so that a few rounds of runs decide
            // about the points, however fast the machine is.
            search.now = [now = 0.0]() mutable { return now++; };
            search.seconds = 20;
            search.runs = 1;
            search.leaders = 1;
            const auto result = tune_and_remember(*kernel, search, registry.wisdom());
            if (result.best && result.points[*result.best].error > kernel->tolerance())
                return "a wrong point is the best";
            one_thread_options options;
            options.device = d_device;
            options.variant = "cpu_tile";
            options.transfer = "copy";
            options.typical_items = items;
            freq_xlating_filter_bank filter(bank_of_one(d_problem), options, registry);
            got = d_case.run(filter);
            end(filter.fell_back());
        }
        return too_far("outputs", error_db(got, d_case.expected()), direct_bound);
    }

private:
    static constexpr std::size_t items = 2048; // of a measured call
    std::string d_device;
    freq_xlating_fir_problem d_problem;
    fir_case d_case;
};

//! The listing of devices, a context, and a program that is stored on disk and read from
//! there.
class context_scenario : public scenario
{
public:
    explicit context_scenario(const std::string& device) : d_device(device) {}

    std::string run() override
    {
        start();
        const auto devices = list_devices();
        if (devices.empty() || !devices.back().is_host())
            return "the host is not listed";
        made();
        const temporary_folder folder;
        for (int start = 0; start < 2; ++start) {
            auto options = quiet_options();
            options.disk_cache = true;
            options.cache_folder = folder.path();
            context_registry registry(options);
            const auto device = registry.get(find_devices(d_device).at(0));
            const auto wrong = doubled(*device);
            if (!wrong.empty())
                return wrong;
        }
        return "";
    }

private:
    static std::string doubled(const context& device)
    {
        const auto program = device.build_source(
            "kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }", "");
        // Pages hold the values, as in the engine: a late command may still write to
        // them.
        const page_memory memory(count * sizeof(float));
        auto* const values = memory.as<float>();
        std::fill_n(values, count, 1.5f);
        const auto queue = device.make_queue();
        try {
            run_commands(
                device, queue, count, [&] { double_on(device, queue, program, values); });
        } catch (...) {
            if (device.is_lost())
                memory.keep();
            throw;
        }
        return std::all_of(values, values + count, [](float v) { return v == 12; })
                   ? ""
                   : "a kernel's results differ";
    }

    static void double_on(const context& device,
                          const cl::CommandQueue& queue,
                          const cl::Program& program,
                          float* values)
    {
        const cl::Buffer buffer(device.cl_context(),
                                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                count * sizeof(float),
                                values);
        cl::Kernel kernel(program, "twice");
        kernel.setArg(0, buffer);
        for (int i = 0; i < 3; ++i) {
            cl::Event event;
            queue.enqueueNDRangeKernel(kernel,
                                       cl::NullRange,
                                       cl::NDRange(count),
                                       cl::NullRange,
                                       nullptr,
                                       &event);
            device.wait(event);
        }
        // A blocking call would have no bound.
        cl::Event read;
        queue.enqueueReadBuffer(
            buffer, CL_FALSE, 0, count * sizeof(float), values, nullptr, &read);
        device.wait(read);
    }

    static constexpr std::size_t count = 64;
    std::string d_device;
};

one_thread_options filter_options(const std::string& device,
                                  const std::string& variant,
                                  const std::string& transfer)
{
    one_thread_options options;
    options.device = device;
    options.variant = variant;
    options.transfer = transfer;
    options.typical_items = 1000;
    return options;
}

//! A direct filter with low rates.
template <bool changes>
auto direct(const std::string& transfer)
{
    return [transfer](const std::string& device) {
        return std::make_unique<filter_scenario>(
            make_fir_problem(sample_type::fc32, 4, 33, true),
            filter_options(device, "cpu_tile", transfer),
            direct_bound,
            changes);
    };
}

//! A filter that chooses its algorithm on the devices that \p choose names.
template <class CHOOSE>
auto planned(const CHOOSE& choose)
{
    return [choose](const std::string& device) {
        return std::make_unique<filter_scenario>(
            make_fir_problem(sample_type::fc32, 4, 33, true),
            filter_options(choose(device), "auto", "auto"),
            fast_convolution_bound);
    };
}

//! A bank of three channels. \param on_raster whether their frequencies are a quarter of
//! the sampling rate apart
auto bank(const std::string& variant, double bound, bool on_raster = false)
{
    return [variant, bound, on_raster](const std::string& device) {
        freq_xlating_filter_bank_options options;
        options.device = device;
        options.variant = variant;
        options.transfer = "copy";
        options.typical_items = 1000;
        auto problem = make_bank_problem(sample_type::s16, 4, 33, true, 3);
        if (on_raster)
            for (std::size_t c = 0; c < 3; c++)
                problem.center_freqs[c] =
                    1000 + static_cast<double>(c) * problem.sampling_freq / 4;
        return std::make_unique<bank_scenario>(problem, options, bound);
    };
}

auto product(gemm_type type, const std::string& variant)
{
    return [type, variant](const std::string& device) {
        gemm_options options;
        options.device = device;
        options.variant = variant;
        return std::make_unique<gemm_scenario>(type, options);
    };
}

std::vector<scenario_kind> make_scenario_kinds()
{
    std::vector<scenario_kind> kinds = {
        { "context",
          [](const auto& device) { return std::make_unique<context_scenario>(device); } },
        { "fir_copy", direct<false>("copy") },
        { "fir_mapped", direct<false>("mapped"), true },
        { "fir_zero_copy", direct<false>("zero_copy"), true },
        { "changes", direct<true>("copy"), true },
        { "bank_direct", bank("cpu_tile", direct_bound) },
        { "gemm_f32", product(gemm_type::f32, "cpu_tile") },
        { "gemm_c32", product(gemm_type::c32, "gpu_tile"), true },
        { "gemm_image", product(gemm_type::f32, "dual_image"), true },
        { "gemm_1bit",
          [](const auto& device) {
              gemm_options options;
              options.device = device;
              options.variant = "cpu_tile";
              return std::make_unique<gemm_1bit_scenario>(options);
          } },
        { "tuner",
          [](const auto& device) { return std::make_unique<tuner_scenario>(device); },
          true },
        { "dft_bank", bank("dft_bank", direct_bound, true), true },
        { "planned", planned([](const auto&) { return "auto"; }) },
        { "planned_device", planned([](const auto& device) { return device; }), true },
    };
#ifdef CLDSP_HAVE_CLBLAST
    kinds.push_back({ "gemm_clblast", product(gemm_type::f32, "clblast"), true });
#endif
    if (vkfft_plan::missing().empty()) {
        kinds.push_back({ "fir_vkfft", [](const auto& device) {
                             return std::make_unique<filter_scenario>(
                                 make_fir_problem(sample_type::fc32, 4, 33, true),
                                 filter_options(device, "vkfft", "copy"),
                                 fast_convolution_bound);
                         } });
        kinds.push_back({ "bank_vkfft", bank("vkfft", fast_convolution_bound), true });
        kinds.push_back(
            { "bank_fused", bank("fused_fold", fast_convolution_bound), true });
        kinds.push_back({ "tensor_fold",
                          [](const auto& device) {
                              return std::make_unique<tensor_fold_scenario>(device);
                          },
                          true });
    }
    return kinds;
}

} // namespace

void set_device_timeout(double seconds) { device_seconds = seconds; }

const std::vector<scenario_kind>& scenario_kinds()
{
    static const auto kinds = make_scenario_kinds();
    return kinds;
}

const scenario_kind& find_scenario_kind(const std::string& name)
{
    for (const auto& kind : scenario_kinds())
        if (kind.name == name)
            return kind;
    throw std::invalid_argument("there is no scenario '" + name + "'");
}

} // namespace cldsp
