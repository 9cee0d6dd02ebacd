// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The C interface of the library: handles, arrays and statuses around the engine.

#include "base/owner_gate.h"
#include "library/guard.h"

#include <cldsp/cldsp.h>
#include <cldsp/context.h>
#include <cldsp/correlator.h>
#include <cldsp/device.h>
#include <cldsp/errors.h>
#include <cldsp/fftw_planner.h>
#include <cldsp/gemm.h>
#include <cldsp/low_pass.h>
#include <cldsp/plan_log.h>
#include <cldsp/planned_engine.h>
#include <cldsp/stream_bank.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;
using cldsp::library::check_pointer;
using cldsp::library::guarded;
using cldsp::library::guarded_use;

namespace cldsp::library {

//! What the handles of a context share. Planning may go on when they have gone, and lets
//! the user's log and folder alone then.
struct shared_context {
    explicit shared_context(const context_options& options = {})
        : registry(std::make_shared<context_registry>(options)), owner(options.owner)
    {
    }
    ~shared_context()
    {
        if (owner)
            owner->close();
    }
    shared_context(const shared_context&) = delete;
    shared_context& operator=(const shared_context&) = delete;

    const std::shared_ptr<context_registry> registry;
    const std::shared_ptr<owner_gate> owner; // null: the context is never freed
};

using context_use = std::shared_ptr<const shared_context>;

} // namespace cldsp::library

using cldsp::library::context_use;
using cldsp::library::shared_context;

struct cldsp_context {
    context_use shared;
};

struct cldsp_devices {
    std::vector<device_info> infos;
    std::vector<std::string> ids;
    std::vector<cldsp_device> devices; // point to texts of the members above
};

struct cldsp_low_pass {
    std::vector<float> values;
    cldsp_taps taps; // points to the values
};

namespace cldsp::library {

constexpr std::uint64_t max_items = std::uint64_t(1) << 40; // of a call

//! The plans that a handle has had since it was made, of which there are few. None of
//! them changes, because the caller reads them when the handle may be in use again.
class kept_plans
{
public:
    const cldsp_plan* keep(const chosen_plan& now, std::string text, bool fell_back)
    {
        if (d_all.empty() || d_all.back().text != text ||
            (d_all.back().plan.fell_back != 0) != fell_back)
            d_all.emplace_back(now, std::move(text), fell_back);
        return &d_all.back().plan;
    }

private:
    struct kept_plan {
        kept_plan(const chosen_plan& its_chosen, std::string its_text, bool fell_back)
            : chosen(its_chosen),
              text(std::move(its_text)),
              plan{ chosen.device.c_str(),
                    chosen.device_name.c_str(),
                    chosen.algorithm.c_str(),
                    chosen.variant.c_str(),
                    chosen.transfer.c_str(),
                    text.c_str(),
                    chosen.ifft_size,
                    chosen.predicted,
                    chosen.measured,
                    chosen.remembered,
                    fell_back,
                    chosen.provisional }
        {
        }

        const chosen_plan chosen;
        const std::string text;
        const cldsp_plan plan;
    };

    std::list<kept_plan> d_all;
};

} // namespace cldsp::library

using cldsp::library::kept_plans;
using cldsp::library::max_items;

struct cldsp_filter_bank : cldsp::library::handle {
    const context_use context; // outlives the bank
    const std::size_t max_taps;
    stream_bank bank;
    plan_news news;
    kept_plans plans;

    cldsp_filter_bank(context_use its_context,
                      const freq_xlating_filter_bank_problem& problem,
                      std::size_t its_max_taps,
                      const freq_xlating_filter_bank_options& options)
        : context(std::move(its_context)),
          max_taps(its_max_taps),
          bank(problem, options, context->registry, { 0, max_taps }),
          news(context->registry, options.log, bank.bank().chosen())
    {
        tell_start(*context->registry, options.log, bank.bank().chosen());
    }

    void check_taps(const shared_taps& taps, const std::string& name) const
    {
        if (taps.size() > max_taps)
            throw_invalid(name,
                          std::to_string(taps.size()) + " taps",
                          "at most " + std::to_string(max_taps) + " taps (max_taps)");
    }
    std::size_t max_outputs(std::size_t items) const
    {
        if (items > max_items)
            throw_invalid(
                "items", std::to_string(items), "0 to " + std::to_string(max_items));
        return bank.max_outputs(items);
    }
    void check_room(std::size_t items, std::size_t room) const
    {
        const std::size_t most = max_outputs(items);
        if (room < most)
            throw_invalid("room",
                          std::to_string(room),
                          "at least " + std::to_string(most) + " for " +
                              std::to_string(items) + " items");
    }
};

struct cldsp_matrix_product : cldsp::library::handle {
    const context_use context; // outlives the product
    planned_engine<gemm, gemm_options> product;
    plan_news news;
    kept_plans plans;

    cldsp_matrix_product(context_use its_context,
                         gemm_type type,
                         const gemm_shape& typical,
                         const gemm_options& options)
        : context(std::move(its_context)),
          product(
              [registry = context->registry, type, typical](const gemm_options& its) {
                  return gemm(type, typical, its, *registry);
              },
              options),
          news(context->registry, options.log, product->chosen())
    {
        tell_start(*context->registry, options.log, product->chosen());
        product.resume_planning();
    }

    //! The engine for the next call.
    gemm& engine()
    {
        const auto prepare = [](gemm& next, const gemm& present) {
            next.hold_b_of(present);
        };
        if (product.renew(prepare))
            news.look(product.renewals(), product->chosen());
        return *product;
    }
};

struct cldsp_correlator : cldsp::library::handle {
    const context_use context; // outlives the engine
    planned_engine<correlator, correlator_options> engine;
    plan_news news;
    kept_plans plans;

    cldsp_correlator(context_use its_context,
                     sample_type type,
                     const cldsp_correlator_config& config,
                     const correlator_options& options)
        : context(std::move(its_context)),
          engine(
              [registry = context->registry,
               type,
               antennas = config.antennas,
               integration = config.integration,
               typical = config.typical_samples ? config.typical_samples : usual_samples](
                  const correlator_options& its) {
                  return correlator(type, antennas, integration, typical, its, *registry);
              },
              options),
          news(context->registry, options.log, engine->chosen())
    {
        tell_start(*context->registry, options.log, engine->chosen());
        engine.resume_planning();
    }

    //! Takes a better engine between two integrations, whose sums stay in one engine.
    void take_plan()
    {
        if (engine->position() == 0 && engine.renew())
            news.look(engine.renewals(), engine->chosen());
    }
    std::uint64_t outputs_for(std::size_t samples) const
    {
        if (samples > max_items)
            throw_invalid(
                "samples", std::to_string(samples), "0 to " + std::to_string(max_items));
        return engine->outputs_for(samples);
    }

    static constexpr std::size_t usual_samples = 8192;
};

namespace {

context_use use_of(const cldsp_context* context)
{
    if (context)
        return context->shared;
    // The default context is never destroyed, because a program may end while handles
    // exist, and the driver may be gone before static objects.
    static const auto& instance = *new context_use(std::make_shared<shared_context>());
    return instance;
}

//! The size of a structure in the first version of the library that had it.
template <class T>
constexpr std::size_t first_size = sizeof(T);
template <>
constexpr std::size_t
    first_size<cldsp_filter_bank_config> = offsetof(cldsp_filter_bank_config, plan);
template <>
constexpr std::size_t
    first_size<cldsp_matrix_product_config> = offsetof(cldsp_matrix_product_config, plan);

/*!
 * Copies a structure of the caller. The caller may have been compiled with an older
 * version of the structure, which ends earlier, so that the fields behind its end are
 * zeros, their defaults. Or with a newer one, whose further fields must not be used.
 */
template <class T>
T copy_of(const T* given, const char* name)
{
    check_pointer(given, name);
    if (given->size < sizeof(T) && given->size != first_size<T>)
        throw_invalid(std::string(name) + "->size",
                      std::to_string(given->size),
                      "at least " + std::to_string(sizeof(T)) +
                          ", or that of an older version, as the function of the "
                          "defaults sets it");
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    const std::size_t known = std::min(given->size, sizeof(T));
    if (given->size > 64 * sizeof(T) ||
        std::any_of(bytes + known, bytes + given->size, [](auto b) { return b; }))
        throw_invalid(std::string(name) + "->size",
                      std::to_string(given->size),
                      std::to_string(sizeof(T)) +
                          " for this version of the library, or more with zeros only");
    T copy = {};
    std::memcpy(&copy, given, known);
    return copy;
}

std::string text_of(const char* text) { return text ? text : "auto"; }

//! Whether the host computes at once, and what is faster follows.
bool begins_at_once(const char* plan)
{
    const auto text = text_of(plan);
    if (text != "auto" && text != "wait")
        throw_invalid("plan", "'" + text + "'", "\"auto\" or \"wait\"");
    return text == "auto";
}

std::string field(const std::string& name, std::size_t index)
{
    return name + "[" + std::to_string(index) + "]";
}

shared_taps taps_of(const cldsp_taps& taps, const std::string& name)
{
    if (!taps.real_taps == !taps.complex_taps)
        throw_invalid(name,
                      taps.real_taps ? "real and complex" : "two null pointers",
                      "real_taps or complex_taps");
    if (taps.count < 1 || taps.count > stream_bank::max_possible_taps)
        throw_invalid(name + ".count",
                      std::to_string(taps.count),
                      "1 to " + std::to_string(stream_bank::max_possible_taps));
    if (taps.real_taps)
        return shared_taps::values(taps.real_taps, taps.real_taps + taps.count);
    return shared_taps::values(taps.complex_taps, taps.complex_taps + taps.count);
}

std::vector<shared_taps> lists_of(const cldsp_taps* taps, std::size_t count)
{
    check_pointer(taps, "taps");
    if (count < 1 || count > freq_xlating_filter_bank_problem::max_slots)
        throw_invalid("tap_lists",
                      std::to_string(count),
                      "1 to " +
                          std::to_string(freq_xlating_filter_bank_problem::max_slots));
    std::vector<shared_taps> lists;
    for (std::size_t i = 0; i < count; i++)
        lists.push_back(taps_of(taps[i], field("taps", i)));
    return lists;
}

rate_ratio rate_of(const cldsp_rate& rate, const std::string& name)
{
    const bool is_none = rate.interpolation == 0 || rate.decimation == 0;
    const rate_ratio ratio = is_none
                                 ? rate_ratio{ rate.interpolation, rate.decimation }
                                 : rate_ratio::of(rate.interpolation, rate.decimation);
    ratio.check(name);
    return ratio;
}

freq_xlating_filter_bank_problem problem_of(const cldsp_filter_bank_config& config)
{
    constexpr std::size_t max_slots = freq_xlating_filter_bank_problem::max_slots;
    freq_xlating_filter_bank_problem problem;
    if (cldsp_item_size(config.input) == 0)
        throw_invalid("input",
                      std::to_string(config.input),
                      "one of cldsp_sample_type, 0 to " +
                          std::to_string(all_sample_types().size() - 1));
    problem.input = static_cast<sample_type>(config.input);
    problem.sampling_freq = config.sampling_freq;
    problem.phase = phase_reference::input;
    problem.max_channels = config.max_channels;
    if (config.channels < 1 || config.channels > max_slots)
        throw_invalid("channels",
                      std::to_string(config.channels),
                      "1 to " + std::to_string(max_slots));
    check_pointer(config.center_freqs, "center_freqs");
    problem.center_freqs.assign(config.center_freqs,
                                config.center_freqs + config.channels);
    problem.taps = lists_of(config.taps, config.tap_lists);
    if (!config.rates != !config.rate_count || config.rate_count > max_slots)
        throw_invalid("rate_count",
                      std::to_string(config.rate_count),
                      config.rates ? "1, or the number of slots" : "0 without rates");
    for (std::size_t i = 0; i < config.rate_count; i++)
        problem.rates.push_back(rate_of(config.rates[i], field("rates", i)));
    if (problem.rates.empty()) {
        // The bank keeps this many items.
        if (config.decimation < 1 || config.decimation > rate_ratio::max_decimation)
            throw_invalid("decimation",
                          std::to_string(config.decimation),
                          "1 to " + std::to_string(rate_ratio::max_decimation));
        problem.decimation = config.decimation;
    }
    return problem;
}

//! The largest number of taps that a channel may get.
//! \param max_taps the wanted one; 0: that of the longest channel
std::size_t checked_max_taps(const std::vector<shared_taps>& taps, std::size_t max_taps)
{
    constexpr std::size_t most = stream_bank::max_possible_taps;
    const std::size_t longest = stream_bank::longest_taps(taps);
    if (max_taps && (max_taps < longest || max_taps > most))
        throw_invalid("max_taps",
                      std::to_string(max_taps),
                      "0, or " + std::to_string(longest) + " (the longest taps) to " +
                          std::to_string(most));
    return max_taps ? max_taps : longest;
}

freq_xlating_filter_bank_options options_of(const cldsp_filter_bank_config& config,
                                            const context_registry& registry)
{
    freq_xlating_filter_bank_options options;
    options.device = text_of(config.device);
    options.algorithm = text_of(config.algorithm);
    options.variant = text_of(config.variant);
    options.accuracy = config.accuracy;
    options.threads = config.threads;
    if (config.typical_items > max_items)
        throw_invalid("typical_items",
                      std::to_string(config.typical_items),
                      "0 to " + std::to_string(max_items));
    if (config.typical_items)
        options.typical_items = config.typical_items;
    options.at_once = begins_at_once(config.plan);
    options.log = registry.options().log;
    return options;
}

} // namespace

/***********************************************************************
 * Context
 **********************************************************************/

cldsp_status cldsp_context_new(const cldsp_context_config* config,
                               cldsp_context** context)
{
    return guarded([&] {
        check_pointer(context, "context");
        *context = nullptr;
        const auto given = config ? copy_of(config, "config") : cldsp_context_defaults();
        context_options options;
        options.owner = std::make_shared<owner_gate>();
        if (given.log)
            options.log = [log = given.log, user = given.user, owner = options.owner](
                              log_level level, const std::string& text) {
                owner->pass([&] {
                    log(user, static_cast<cldsp_log_level>(level), text.c_str());
                });
            };
        if (given.cache_folder)
            options.cache_folder = given.cache_folder;
        options.disk_cache = options.wisdom_file = given.no_files == 0;
        options.queue_window = given.queue_window;
        if (!(given.longest_kernel >= 0 && std::isfinite(given.longest_kernel)))
            throw_invalid("longest_kernel",
                          number_text(given.longest_kernel) + " s",
                          "0 s or more, and finite");
        options.longest_kernel = given.longest_kernel;
        options.drivers = driver_policy_of("drivers", given.drivers ? given.drivers : "");
        *context = new cldsp_context{ std::make_shared<shared_context>(options) };
    });
}

void cldsp_context_free(cldsp_context* context)
{
    // The driver's threads and locks are those of the parent in a forked process: the
    // context stays in memory.
    guarded([&] { delete context; });
}

cldsp_status cldsp_share_fftw_planner(void* lock,
                                      cldsp_lock_function acquire,
                                      cldsp_lock_function release)
{
    return guarded([&] {
        check_pointer(lock, "lock");
        if (!acquire || !release)
            throw_invalid(
                acquire ? "release" : "acquire", "a null pointer", "a function");
        struct functions {
            void* lock;
            cldsp_lock_function acquire, release;
        };
        auto shared = std::make_unique<functions>(functions{ lock, acquire, release });
        const bool taken =
            share_fftw_planner_lock({ shared.get(),
                                      [](void* f) {
                                          const auto* all = static_cast<functions*>(f);
                                          all->acquire(all->lock);
                                      },
                                      [](void* f) noexcept {
                                          const auto* all = static_cast<functions*>(f);
                                          all->release(all->lock);
                                      },
                                      lock });
        if (taken) // until the process ends
            shared.release();
    });
}

/***********************************************************************
 * Devices
 **********************************************************************/

cldsp_status cldsp_devices_new(cldsp_context* context, cldsp_devices** devices)
{
    return guarded([&] {
        check_pointer(devices, "devices");
        *devices = nullptr;
        auto list = std::make_unique<cldsp_devices>();
        const auto used = use_of(context);
        const auto& registry = *used->registry;
        list->infos = list_devices(registry.listing(registry.options().log));
        for (const auto& info : list->infos)
            list->ids.push_back(info.id());
        for (std::size_t i = 0; i < list->infos.size(); i++) {
            const auto& info = list->infos[i];
            list->devices.push_back({ list->ids[i].c_str(),
                                      info.name.c_str(),
                                      device_kind_name(info.kind),
                                      info.platform_name.c_str(),
                                      info.vendor.c_str(),
                                      info.version.c_str(),
                                      info.driver_version.c_str(),
                                      info.limits.compute_units,
                                      info.limits.max_buffer });
        }
        *devices = list.release();
    });
}

size_t cldsp_devices_count(const cldsp_devices* devices)
{
    return devices ? devices->devices.size() : 0;
}

const cldsp_device* cldsp_devices_at(const cldsp_devices* devices, size_t index)
{
    return index < cldsp_devices_count(devices) ? &devices->devices[index] : nullptr;
}

void cldsp_devices_free(cldsp_devices* devices) { delete devices; }

/***********************************************************************
 * Low pass filter
 **********************************************************************/

cldsp_status cldsp_low_pass_new(double sampling_freq,
                                double pass_freq,
                                double stop_freq,
                                double attenuation,
                                cldsp_low_pass** low_pass)
{
    return guarded([&] {
        check_pointer(low_pass, "low_pass");
        *low_pass = nullptr;
        auto made = std::make_unique<cldsp_low_pass>();
        made->values =
            design_low_pass({ sampling_freq, pass_freq, stop_freq, attenuation });
        made->taps = { made->values.data(), nullptr, made->values.size() };
        *low_pass = made.release();
    });
}

const cldsp_taps* cldsp_low_pass_taps(const cldsp_low_pass* low_pass)
{
    return low_pass ? &low_pass->taps : nullptr;
}

void cldsp_low_pass_free(cldsp_low_pass* low_pass) { delete low_pass; }

/***********************************************************************
 * Filter bank
 **********************************************************************/

size_t cldsp_item_size(int sample_type)
{
#define CLDSP_SAME_NUMBER(NAME, CAPITALS, ...)                                    \
    static_assert(CLDSP_##CAPITALS == static_cast<int>(cldsp::sample_type::NAME), \
                  "the numbers of cldsp_sample_type are those of the table");
    CLDSP_SAMPLE_TYPES(CLDSP_SAME_NUMBER)
#undef CLDSP_SAME_NUMBER
    if (sample_type < 0 ||
        sample_type >= static_cast<int>(cldsp::all_sample_types().size()))
        return 0;
    return sample_size(static_cast<cldsp::sample_type>(sample_type));
}

cldsp_status cldsp_filter_bank_new(cldsp_context* context,
                                   const cldsp_filter_bank_config* config,
                                   cldsp_filter_bank** bank)
{
    return guarded([&] {
        check_pointer(bank, "bank");
        *bank = nullptr;
        const auto given = copy_of(config, "config");
        auto used = use_of(context);
        const auto options = options_of(given, *used->registry);
        const auto problem = problem_of(given);
        *bank = new cldsp_filter_bank(std::move(used),
                                      problem,
                                      checked_max_taps(problem.taps, given.max_taps),
                                      options);
    });
}

void cldsp_filter_bank_free(cldsp_filter_bank* bank)
{
    // The threads of the bank are gone in a forked process: the bank stays in memory.
    guarded([&] { delete bank; });
}

cldsp_status cldsp_filter_bank_process(cldsp_filter_bank* bank,
                                       const void* in,
                                       size_t items,
                                       cldsp_complex* const* out,
                                       size_t room,
                                       size_t* outputs)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        if (items)
            check_pointer(in, "in");
        check_pointer(out, "out");
        check_pointer(outputs, "outputs");
        used.check_room(items, room);
        used.bank.process(in, items, out, room, outputs);
        used.news.look(used.bank.renewals(), used.bank.bank().chosen());
    });
}

cldsp_status
cldsp_filter_bank_max_outputs(cldsp_filter_bank* bank, size_t items, size_t* outputs)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        check_pointer(outputs, "outputs");
        *outputs = used.max_outputs(items);
    });
}

cldsp_status cldsp_filter_bank_slots(cldsp_filter_bank* bank, size_t* slots)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        check_pointer(slots, "slots");
        *slots = used.bank.bank().channels();
    });
}

cldsp_status cldsp_filter_bank_set_center_freq(cldsp_filter_bank* bank,
                                               size_t channel,
                                               double center_freq)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        used.bank.bank().set_center_freq(channel, center_freq);
    });
}

cldsp_status cldsp_filter_bank_schedule(cldsp_filter_bank* bank,
                                        size_t channel,
                                        const cldsp_frequency_point* points,
                                        size_t count)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        if (count)
            check_pointer(points, "points");
        std::vector<frequency_point> list;
        for (std::size_t i = 0; i < count; i++)
            list.push_back({ points[i].sample, points[i].hz, points[i].hz_per_second });
        used.bank.bank().schedule(channel, list);
    });
}

cldsp_status cldsp_filter_bank_set_taps(cldsp_filter_bank* bank,
                                        const cldsp_taps* taps,
                                        size_t tap_lists)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        const auto lists = lists_of(taps, tap_lists);
        for (std::size_t i = 0; i < lists.size(); i++)
            used.check_taps(lists[i], field("taps", i));
        used.bank.bank().set_taps(lists);
    });
}

cldsp_status
cldsp_filter_bank_set_active(cldsp_filter_bank* bank, size_t channel, int active)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        used.bank.bank().set_channel_active(channel, active != 0);
    });
}

cldsp_status cldsp_filter_bank_add_channel(cldsp_filter_bank* bank,
                                           const cldsp_taps* taps,
                                           double center_freq,
                                           const cldsp_rate* rate,
                                           size_t* channel)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        check_pointer(taps, "taps");
        check_pointer(channel, "channel");
        std::optional<rate_ratio> wanted;
        if (rate)
            wanted = rate_of(*rate, "rate");
        const auto list = taps_of(*taps, "taps");
        used.check_taps(list, "taps");
        *channel = used.bank.bank().add_channel(list, center_freq, wanted);
    });
}

cldsp_status cldsp_filter_bank_remove_channel(cldsp_filter_bank* bank, size_t channel)
{
    return guarded_use(
        bank, "bank", [&](auto& used) { used.bank.bank().remove_channel(channel); });
}

cldsp_status cldsp_filter_bank_reset(cldsp_filter_bank* bank)
{
    return guarded_use(bank, "bank", [&](auto& used) { used.bank.reset(); });
}

cldsp_status cldsp_filter_bank_plan(cldsp_filter_bank* bank, const cldsp_plan** plan)
{
    return guarded_use(bank, "bank", [&](auto& used) {
        check_pointer(plan, "plan");
        const auto& engine = used.bank.bank();
        *plan = used.plans.keep(engine.chosen(), engine.plan(), engine.fell_back());
    });
}

/***********************************************************************
 * Matrix product
 **********************************************************************/

namespace {

std::complex<float> factor(const cldsp_complex* given, float otherwise)
{
    return given ? *given : otherwise;
}

} // namespace

cldsp_status cldsp_matrix_product_new(cldsp_context* context,
                                      const cldsp_matrix_product_config* config,
                                      cldsp_matrix_product** product)
{
    return guarded([&] {
        static_assert(CLDSP_MATRIX_F32 == static_cast<int>(gemm_type::f32) &&
                      CLDSP_MATRIX_C32 == static_cast<int>(gemm_type::c32) &&
                      CLDSP_MATRIX_F16 == static_cast<int>(gemm_type::f16) &&
                      CLDSP_MATRIX_S8 == static_cast<int>(gemm_type::s8));
        check_pointer(product, "product");
        *product = nullptr;
        const auto given = copy_of(config, "config");
        if (given.type < CLDSP_MATRIX_F32 || given.type > CLDSP_MATRIX_S8)
            throw_invalid("type",
                          std::to_string(given.type),
                          "one of cldsp_matrix_type, " +
                              std::to_string(CLDSP_MATRIX_F32) + " to " +
                              std::to_string(CLDSP_MATRIX_S8));
        const auto used = use_of(context);
        gemm_options options;
        options.device = text_of(given.device);
        options.variant = text_of(given.variant);
        if (given.precision)
            options.precision = given.precision;
        options.held_b = given.holds_b != 0;
        options.at_once = begins_at_once(given.plan);
        options.log = used->registry->options().log;
        *product = new cldsp_matrix_product(used,
                                            static_cast<gemm_type>(given.type),
                                            { given.m, given.n, given.k },
                                            options);
    });
}

void cldsp_matrix_product_free(cldsp_matrix_product* product)
{
    // A forked process keeps the product in memory, as it keeps a bank.
    guarded([&] { delete product; });
}

cldsp_status cldsp_matrix_product_multiply(cldsp_matrix_product* product,
                                           size_t m,
                                           size_t n,
                                           size_t k,
                                           const cldsp_complex* alpha,
                                           const void* a,
                                           size_t a_leading,
                                           const void* b,
                                           size_t b_leading,
                                           const cldsp_complex* beta,
                                           void* c,
                                           size_t c_leading)
{
    return guarded_use(product, "product", [&](auto& used) {
        used.engine().multiply({ m, n, k },
                               factor(alpha, 1),
                               { a, a_leading },
                               { b, b_leading },
                               factor(beta, 0),
                               { c, c_leading });
    });
}

cldsp_status cldsp_matrix_product_hold_b(
    cldsp_matrix_product* product, size_t k, size_t n, const void* b, size_t b_leading)
{
    return guarded_use(product, "product", [&](auto& used) {
        used.engine().hold_b(k, n, { b, b_leading });
    });
}

cldsp_status cldsp_matrix_product_multiply_held(cldsp_matrix_product* product,
                                                size_t m,
                                                const cldsp_complex* alpha,
                                                const void* a,
                                                size_t a_leading,
                                                const cldsp_complex* beta,
                                                void* c,
                                                size_t c_leading)
{
    return guarded_use(product, "product", [&](auto& used) {
        used.engine().multiply_held(
            m, factor(alpha, 1), { a, a_leading }, factor(beta, 0), { c, c_leading });
    });
}

cldsp_status cldsp_matrix_product_plan(cldsp_matrix_product* product,
                                       const cldsp_plan** plan)
{
    return guarded_use(product, "product", [&](auto& used) {
        check_pointer(plan, "plan");
        const auto& engine = *used.product;
        *plan = used.plans.keep(engine.chosen(), engine.plan(), engine.fell_back());
    });
}

/***********************************************************************
 * Correlator
 **********************************************************************/

cldsp_status cldsp_correlator_new(cldsp_context* context,
                                  const cldsp_correlator_config* config,
                                  cldsp_correlator** correlator)
{
    return guarded([&] {
        check_pointer(correlator, "correlator");
        *correlator = nullptr;
        const auto given = copy_of(config, "config");
        if (given.input != CLDSP_FC32 && given.input != CLDSP_CS8)
            throw_invalid(
                "input", std::to_string(given.input), "CLDSP_FC32 or CLDSP_CS8");
        check_antennas(given.antennas);
        check_integration(given.integration);
        if (given.typical_samples > max_items)
            throw_invalid("typical_samples",
                          std::to_string(given.typical_samples),
                          "0 to " + std::to_string(max_items));
        const auto used = use_of(context);
        correlator_options options;
        options.device = text_of(given.device);
        options.variant = text_of(given.variant);
        options.at_once = begins_at_once(given.plan);
        options.log = used->registry->options().log;
        *correlator = new cldsp_correlator(
            used, static_cast<sample_type>(given.input), given, options);
    });
}

void cldsp_correlator_free(cldsp_correlator* correlator)
{
    // A forked process keeps the correlator in memory, as it keeps a bank.
    guarded([&] { delete correlator; });
}

cldsp_status cldsp_correlator_process(cldsp_correlator* correlator,
                                      const void* const* first,
                                      size_t step,
                                      size_t samples,
                                      cldsp_complex* out,
                                      size_t room,
                                      size_t* outputs)
{
    return guarded_use(correlator, "correlator", [&](auto& used) {
        check_pointer(outputs, "outputs");
        const auto ending = used.outputs_for(samples);
        if (room < ending)
            throw_invalid("room",
                          std::to_string(room),
                          "at least " + std::to_string(ending) + " for " +
                              std::to_string(samples) + " samples");
        if (samples == 0) {
            *outputs = 0;
            return;
        }
        check_pointer(first, "first");
        for (std::size_t antenna = 0; antenna < used.engine->antennas(); antenna++)
            check_pointer(first[antenna], field("first", antenna).c_str());
        if (step < 1)
            throw_invalid("step", std::to_string(step), "1 or more");
        if (ending)
            check_pointer(out, "out");
        used.take_plan();
        *outputs = used.engine->process({ first, step }, samples, out);
    });
}

cldsp_status
cldsp_correlator_outputs(cldsp_correlator* correlator, size_t samples, size_t* outputs)
{
    return guarded_use(correlator, "correlator", [&](auto& used) {
        check_pointer(outputs, "outputs");
        *outputs = used.outputs_for(samples);
    });
}

cldsp_status cldsp_correlator_reset(cldsp_correlator* correlator)
{
    return guarded_use(
        correlator, "correlator", [&](auto& used) { used.engine->reset(); });
}

cldsp_status cldsp_correlator_plan(cldsp_correlator* correlator, const cldsp_plan** plan)
{
    return guarded_use(correlator, "correlator", [&](auto& used) {
        check_pointer(plan, "plan");
        const auto& engine = *used.engine;
        *plan = used.plans.keep(engine.chosen(), engine.plan(), engine.fell_back());
    });
}
