/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_selection.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <random>
#include <sstream>

namespace cldsp {

namespace {

using clock = std::chrono::steady_clock;

// A candidate runs for this long at most, warm-up included, so that a flowgraph with
// several devices still starts at once.
constexpr double seconds_a_candidate = 0.06;
constexpr int least_calls = 5;
// Small differences are noise, and then the host needs no driver.
constexpr double device_must_win_by = 1.05;

//! Page-aligned memory, as a stream buffer is.
class page_memory
{
public:
    explicit page_memory(std::size_t bytes)
        : d_bytes((bytes + page - 1) / page * page),
          d_data(static_cast<unsigned char*>(std::aligned_alloc(page, d_bytes)))
    {
        if (!d_data)
            throw std::bad_alloc();
        std::fill_n(d_data, d_bytes, 0);
    }
    ~page_memory() { std::free(d_data); }
    page_memory(const page_memory&) = delete;
    page_memory& operator=(const page_memory&) = delete;

    unsigned char* data() const { return d_data; }
    memory_region region() const { return { d_data, d_bytes }; }

private:
    static constexpr std::size_t page = 4096;
    std::size_t d_bytes;
    unsigned char* d_data;
};

//! One way that "auto" may choose.
struct candidate {
    device_info device;
    std::string variant, transfer;
    std::unique_ptr<fir_executor> executor;
    double seconds = 0; //!< a typical call, the median
};

//! What candidates are compared by.
double handicapped_seconds(const candidate& c)
{
    return c.seconds * (c.device.is_host() ? 1.0 : device_must_win_by);
}

//! The input and output of a typical call, the same for all candidates.
struct typical_call {
    typical_call(const fir_setup& setup, std::size_t items)
        : outputs(std::max<std::size_t>(1, items / setup.problem.decimation)),
          in(setup.window(outputs) * sample_size(setup.problem.input)),
          out(outputs * sizeof(std::complex<float>))
    {
        // Noise that is finite in every input type: small bytes make small integers, and
        // floats are drawn as such, for subnormal ones would slow the host down.
        std::minstd_rand random(1);
        const std::size_t size = sample_size(setup.problem.input);
        const std::size_t bytes = setup.window(outputs) * size;
        const bool floats = setup.problem.input == sample_type::fc32 ||
                            setup.problem.input == sample_type::f32;
        if (floats) {
            auto* values = reinterpret_cast<float*>(in.data());
            std::uniform_real_distribution<float> uniform(-1, 1);
            std::generate_n(
                values, bytes / sizeof(float), [&] { return uniform(random); });
        } else {
            std::generate_n(in.data(), bytes, [&] { return random() >> 8; });
        }
    }

    double run(fir_executor& executor) const
    {
        const auto start = clock::now();
        executor.run({ in.data(),
                       reinterpret_cast<std::complex<float>*>(out.data()),
                       outputs,
                       phase64() });
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    std::size_t outputs;
    page_memory in, out;
};

double measure(fir_executor& executor, const typical_call& call)
{
    const auto start = clock::now();
    call.run(executor); // the first call pages memory in
    std::vector<double> times;
    do
        times.push_back(call.run(executor));
    while (times.size() < least_calls ||
           std::chrono::duration<double>(clock::now() - start).count() <
               seconds_a_candidate);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

const variant_info* find_variant(const std::string& name)
{
    for (const auto& v : freq_xlating_fir_variants())
        if (v.name == name)
            return &v;
    return nullptr;
}

void check_names(const freq_xlating_fir_options& options, sample_type input)
{
    if (options.variant != "auto" && !find_variant(options.variant)) {
        std::string known = "auto";
        for (const auto& v : freq_xlating_fir_variants())
            known += ", " + v.name;
        throw_invalid("variant", "'" + options.variant + "'", "one of " + known);
    }
    if (options.transfer != "auto" && options.transfer != "copy" &&
        options.transfer != "mapped" && options.transfer != "zero_copy")
        throw_invalid("transfer",
                      "'" + options.transfer + "'",
                      "one of auto, copy, mapped, zero_copy");
    if (options.variant != "auto" && input != sample_type::fc32 &&
        !find_variant(options.variant)->production) {
        std::string fitting = "auto";
        for (const auto& v : freq_xlating_fir_variants())
            if (v.production)
                fitting += ", " + v.name;
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      "one of " + fitting + " for " + sample_type_name(input) + " items");
    }
}

std::unique_ptr<fir_executor>
make(const candidate& c, const fir_setup& setup, context_registry& registry)
{
    if (c.device.is_host())
        return make_host_fir(c.variant, setup);
    return make_opencl_fir(registry.get(c.device), c.variant, c.transfer, setup);
}

//! Every combination that the options leave open.
std::vector<candidate> candidates(const freq_xlating_fir_options& options,
                                  const std::vector<device_info>& devices)
{
    const variant_info* named = find_variant(options.variant);
    std::vector<candidate> result;
    for (const auto& device : devices) {
        if (named && named->host != device.is_host())
            continue;
        if (device.is_host() || options.transfer != "auto")
            result.push_back({ device, options.variant, options.transfer, nullptr });
        else
            for (const char* transfer : { "zero_copy", "mapped", "copy" })
                result.push_back({ device, options.variant, transfer, nullptr });
    }
    return result;
}

std::string describe(const candidate& c, const typical_call& call, const fir_setup& setup)
{
    std::ostringstream text;
    text.precision(4);
    text << c.executor->device_name() << "/" << c.executor->variant_name() << "/"
         << c.executor->transfer_name() << " "
         << static_cast<double>(call.outputs * setup.problem.decimation) / c.seconds / 1e6
         << " MS/s";
    return text.str();
}

//! What a measurement's answer holds for.
std::string problem_key(const fir_setup& setup,
                        const freq_xlating_fir_options& options,
                        const context_registry& registry)
{
    std::ostringstream key;
    key << "freq_xlating_fir " << sample_type_name(setup.problem.input)
        << " taps=" << setup.taps() << (setup.real_taps ? "r" : "c")
        << " decimation=" << setup.problem.decimation
        << " items=" << options.typical_items << " device=" << options.device
        << " variant=" << options.variant << " transfer=" << options.transfer
        << " profile=" << registry.options().profile;
    return key.str();
}

std::string answer_of(const candidate& c)
{
    return c.device.id() + " " + c.executor->variant_name() + " " +
           c.executor->transfer_name();
}

fir_selection host_instead(const fir_setup& setup,
                           const freq_xlating_fir_options& options,
                           const std::string& why)
{
    log_to(options.log, log_level::warning, "the host computes instead: " + why);
    return { make_host_fir("auto", setup), true };
}

} // namespace

fir_selection select_fir(const fir_setup& setup,
                         const freq_xlating_fir_options& options,
                         context_registry& registry)
{
    check_names(options, setup.problem.input);
    const auto devices = find_devices(options.device, options.log);
    auto open = candidates(options, devices);
    if (open.empty()) {
        // "auto" with an OpenCL variant where there is no OpenCL device goes on, as every
        // flowgraph does there; a named device that cannot run the variant is a mistake.
        if (options.device == "auto")
            return host_instead(
                setup, options, "variant '" + options.variant + "' needs OpenCL");
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      find_variant(options.variant)->host
                          ? "an OpenCL variant or auto on device '" + options.device + "'"
                          : "simd, volk or auto on the host");
    }

    const std::string key = problem_key(setup, options, registry);
    const std::string remembered = registry.remembered(key);
    if (!remembered.empty()) {
        std::istringstream words(remembered);
        std::string id, variant, transfer;
        words >> id >> variant >> transfer;
        for (auto& c : open) {
            if (c.device.id() == id && (c.device.is_host() || c.transfer == transfer)) {
                c.variant = variant;
                try {
                    return { make(c, setup, registry), false };
                } catch (const opencl_error&) {
                    break; // the measurement below finds out what still works
                }
            }
        }
    }

    std::string refused;
    bool mistake = false;
    std::vector<candidate> ready;
    for (auto& c : open) {
        try {
            c.executor = make(c, setup, registry);
            ready.push_back(std::move(c));
        } catch (const std::invalid_argument& e) {
            mistake = true;
            refused = e.what();
        } catch (const opencl_error& e) {
            refused = e.what();
            log_to(options.log,
                   log_level::warning,
                   "device '" + c.device.name + "' is left out: " + e.what());
        }
    }
    if (ready.empty()) {
        if (mistake)
            throw std::invalid_argument(refused);
        return host_instead(setup, options, refused);
    }
    if (ready.size() == 1) {
        log_to(options.log, log_level::info, "runs on " + answer_of(ready[0]));
        return { std::move(ready[0].executor), false };
    }

    const typical_call call(setup, options.typical_items);
    candidate* best = nullptr;
    std::string report;
    for (auto& c : ready) {
        try {
            c.executor->set_stream_memory(call.in.region(), call.out.region());
            c.seconds = measure(*c.executor, call);
            c.executor->set_stream_memory({}, {});
        } catch (const opencl_error& e) {
            log_to(options.log,
                   log_level::warning,
                   "device '" + c.device.name + "' is left out: " + e.what());
            refused = e.what();
            continue;
        }
        report += (report.empty() ? "" : ", ") + describe(c, call, setup);
        if (!best || handicapped_seconds(c) < handicapped_seconds(*best))
            best = &c;
    }
    if (!best)
        return host_instead(setup, options, refused);
    log_to(options.log,
           log_level::info,
           "runs on " + answer_of(*best) + ", measured: " + report);
    registry.remember(key, answer_of(*best));
    // A fresh one starts with empty statistics.
    best->variant = best->executor->variant_name();
    return { make(*best, setup, registry), false };
}

} // namespace cldsp
