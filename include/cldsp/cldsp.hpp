// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The C++ interface of the library, inline code over its C interface.

#ifndef INCLUDED_CLDSP_HPP
#define INCLUDED_CLDSP_HPP

#include <cldsp/cldsp.h>

#include <type_traits>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/*!
 * \file
 * The C++ interface of libcldsp. It is inline code over the functions of cldsp/cldsp.h,
 * so that a program may be compiled by any compiler and standard library for C++17, and
 * needs nothing but that C interface of the library at run time.
 *
 * **Errors.** A bad argument throws std::invalid_argument with the parameter's name, its
 * value and the permitted range; a call that is not permitted now throws
 * std::logic_error; an error of a driver or of the system throws std::runtime_error; and
 * a lack of memory throws std::bad_alloc. After an exception nothing has changed.
 *
 * **Threads and processes.** The rules are those of cldsp/cldsp.h: one thread at a time
 * for each object.
 */

namespace cldsp {

// The library's own classes have the names of this file without this namespace.
inline namespace interface0 {

//! \cond
namespace detail {

inline void check(cldsp_status status)
{
    switch (status) {
    case CLDSP_OK:
        return;
    case CLDSP_INVALID_ARGUMENT:
        throw std::invalid_argument(cldsp_last_error());
    case CLDSP_WRONG_STATE:
        throw std::logic_error(cldsp_last_error());
    case CLDSP_OUT_OF_MEMORY:
        throw std::bad_alloc();
    default:
        throw std::runtime_error(cldsp_last_error());
    }
}

template <class T, void (*FREE)(T*)>
struct deleter {
    void operator()(T* handle) const noexcept { FREE(handle); }
};
template <class T, void (*FREE)(T*)>
using handle = std::unique_ptr<T, deleter<T, FREE>>;

} // namespace detail
//! \endcond

//! The version of the library that runs, e.g. "0.1.0".
inline std::string version() { return cldsp_version(); }

//! The settings of a context; see cldsp_context_config.
struct context_config {
    //! Receives the messages, from any thread. It must not throw or call the library.
    std::function<void(cldsp_log_level, const std::string&)> log;
    std::string cache_folder; //!< empty: that of the user
    bool no_files = false;
    std::size_t queue_window = 0;
    double longest_kernel = 0; //!< in seconds
    std::string drivers;       //!< "prove" (empty: this), "named" or "trust"
};

//! The state that objects share; see cldsp_context. A copy is the same context. Objects
//! that are made without a context use the context of the process.
class context
{
public:
    // A move copies. A context that was moved from would be that of the process.
    context(const context&) = default;
    context& operator=(const context&) = default;

    explicit context(const context_config& config) : d_state(std::make_shared<state>())
    {
        d_state->log = config.log;
        auto c = cldsp_context_defaults();
        if (d_state->log) {
            c.user = d_state.get();
            c.log = [](void* user, cldsp_log_level level, const char* text) {
                static_cast<state*>(user)->log(level, text);
            };
        }
        c.cache_folder =
            config.cache_folder.empty() ? nullptr : config.cache_folder.c_str();
        c.no_files = config.no_files;
        c.queue_window = config.queue_window;
        c.longest_kernel = config.longest_kernel;
        c.drivers = config.drivers.empty() ? nullptr : config.drivers.c_str();
        cldsp_context* made = nullptr;
        detail::check(cldsp_context_new(&c, &made));
        d_state->handle.reset(made);
    }

    //! The context of the process.
    static context of_process() { return context(); }
    //! Its handle for the functions of cldsp/cldsp.h; null for the context of the
    //! process.
    cldsp_context* get() const { return d_state ? d_state->handle.get() : nullptr; }

private:
    context() = default;
    struct state {
        std::function<void(cldsp_log_level, const std::string&)> log;
        detail::handle<cldsp_context, cldsp_context_free> handle;
    };
    std::shared_ptr<state> d_state;
};

//! One device; see cldsp_device.
struct device {
    std::string id, name, kind, platform, vendor, version, driver_version;
    std::size_t compute_units = 0;
    std::size_t max_buffer = 0; //!< in bytes
};

//! The OpenCL devices of the machine, and the host as the last entry.
inline std::vector<device> devices(const context& shared = context::of_process())
{
    cldsp_devices* made = nullptr;
    detail::check(cldsp_devices_new(shared.get(), &made));
    const detail::handle<cldsp_devices, cldsp_devices_free> list(made);
    std::vector<device> found;
    for (std::size_t i = 0; i < cldsp_devices_count(made); i++) {
        const cldsp_device& d = *cldsp_devices_at(made, i);
        found.push_back({ d.id,
                          d.name,
                          d.kind,
                          d.platform,
                          d.vendor,
                          d.version,
                          d.driver_version,
                          d.compute_units,
                          d.max_buffer });
    }
    return found;
}

//! The chosen device and algorithm, and the reason; see cldsp_plan.
struct plan {
    std::string device, device_name, algorithm, variant, transfer;
    std::string text; //!< the whole plan in one line, for people
    std::size_t block_size = 0;
    double predicted = 0, measured = 0;
    bool remembered = false, fell_back = false;
    bool provisional = false; //!< the host computes at once, and a better one may follow

    //! The value of a plan of the C interface.
    static plan of(const cldsp_plan& p)
    {
        return { p.device,          p.device_name,    p.algorithm,
                 p.variant,         p.transfer,       p.text,
                 p.block_size,      p.predicted,      p.measured,
                 p.remembered != 0, p.fell_back != 0, p.provisional != 0 };
    }
};

//! The taps of a low pass filter at 0 Hz.
class taps
{
public:
    taps(std::vector<float> values) : d_real(std::move(values)) {}
    taps(std::vector<std::complex<float>> values)
        : d_complex(std::move(values)), d_is_complex(true)
    {
    }
    //! The taps for the C interface, valid as long as this object.
    cldsp_taps get() const
    {
        // A list without taps gets a pointer that is not null, so that the error names
        // the number of taps.
        static const float none = 0;
        static const std::complex<float> no_complex = 0;
        if (d_is_complex)
            return { nullptr,
                     d_complex.empty() ? &no_complex : d_complex.data(),
                     d_complex.size() };
        return { d_real.empty() ? &none : d_real.data(), nullptr, d_real.size() };
    }

private:
    std::vector<float> d_real;
    std::vector<std::complex<float>> d_complex;
    bool d_is_complex = false;
};

/*!
 * Designs a low pass filter with Kaiser's window; see cldsp_low_pass_new().
 *
 * \param sampling_freq the rate of the stream in Hz, above 0 and finite
 * \param pass_freq the end of the passband in Hz, above 0
 * \param stop_freq the begin of the stopband in Hz, above \p pass_freq and at most half
 * of \p sampling_freq; half of a channel's output rate keeps signals from folding into it
 * \param attenuation of the stopband in dB, 20 to 120
 * \return the taps, symmetric and odd in number, whose sum is 1
 * \throws std::invalid_argument for an argument that is out of its range, or a filter of
 * more than 4194304 taps
 */
inline std::vector<float> low_pass(double sampling_freq,
                                   double pass_freq,
                                   double stop_freq,
                                   double attenuation = 60)
{
    cldsp_low_pass* made = nullptr;
    detail::check(
        cldsp_low_pass_new(sampling_freq, pass_freq, stop_freq, attenuation, &made));
    const detail::handle<cldsp_low_pass, cldsp_low_pass_free> filter(made);
    const cldsp_taps& list = *cldsp_low_pass_taps(made);
    return { list.real_taps, list.real_taps + list.count };
}

//! The channels of a bank; see cldsp_filter_bank_config.
struct filter_bank_config {
    cldsp_sample_type input = CLDSP_FC32;
    double sampling_freq = 1; //!< in Hz
    std::size_t decimation = 1;
    std::vector<cldsp_rate>
        rates; //!< of each slot, or one for all; empty: the decimation
    std::vector<double> center_freqs;          //!< of each channel, in Hz
    std::size_t max_channels = 0;              //!< slots; 0: one for each channel
    std::vector<cldsp::interface0::taps> taps; //!< of each channel, or one list for all
    std::size_t max_taps = 0;
    std::string device = "auto", algorithm = "auto", variant = "auto";
    double accuracy = 1e-5;
    unsigned threads = 0;
    std::size_t typical_items = 0;
    //! "auto": the bank begins on the host, and moves to what is faster; "wait": its
    //! constructor measures.
    std::string plan = "auto";
};

//! Channels of one stream, each moved to 0 Hz, filtered and decimated; see
//! cldsp_filter_bank.
class filter_bank
{
public:
    using sample = std::complex<float>;

    //! Makes a bank that computes by the fastest of all that the configuration leaves
    //! open, at once or from some later call on; see cldsp_filter_bank_new().
    explicit filter_bank(const filter_bank_config& config,
                         const context& shared = context::of_process())
        : d_context(shared), d_item_size(cldsp_item_size(config.input))
    {
        const auto lists = lists_of(config.taps);
        auto c = cldsp_filter_bank_defaults();
        c.input = config.input;
        c.sampling_freq = config.sampling_freq;
        c.decimation = config.decimation;
        c.rates = config.rates.empty() ? nullptr : config.rates.data();
        c.rate_count = config.rates.size();
        c.center_freqs = config.center_freqs.data();
        c.channels = config.center_freqs.size();
        c.max_channels = config.max_channels;
        c.taps = lists.data();
        c.tap_lists = config.taps.size();
        c.max_taps = config.max_taps;
        c.device = config.device.c_str();
        c.algorithm = config.algorithm.c_str();
        c.variant = config.variant.c_str();
        c.accuracy = config.accuracy;
        c.threads = config.threads;
        c.typical_items = config.typical_items;
        c.plan = config.plan.c_str();
        cldsp_filter_bank* made = nullptr;
        detail::check(cldsp_filter_bank_new(d_context.get(), &c, &made));
        d_handle.reset(made);
    }

    filter_bank(filter_bank&&) noexcept = default;
    //! Swaps the objects, so that the old handle still has its context, whose log it may
    //! call.
    filter_bank& operator=(filter_bank&& other) noexcept
    {
        std::swap(d_context, other.d_context);
        std::swap(d_handle, other.d_handle);
        std::swap(d_item_size, other.d_item_size);
        return *this;
    }

    //! The number of slots, each of which has a channel unless it is free.
    std::size_t slots() const
    {
        std::size_t count = 0;
        detail::check(cldsp_filter_bank_slots(d_handle.get(), &count));
        return count;
    }
    //! The largest number of outputs that a channel can have in a call of \p items items.
    std::size_t max_outputs(std::size_t items) const
    {
        std::size_t count = 0;
        detail::check(cldsp_filter_bank_max_outputs(d_handle.get(), items, &count));
        return count;
    }

    /*!
     * Filters the next items of the stream, all of which are consumed.
     *
     * \param in items of the bank's sample type, such as std::complex<float>, or for
     * #CLDSP_CS16 a struct or an array of two std::int16_t
     * \param items their number
     * \param out becomes the outputs of each slot; those of idle channels are zeros.
     * After an exception every slot is empty
     *
     * \throws std::invalid_argument if the size of an Item is not that of the sample type
     */
    template <class Item>
    void process(const Item* in, std::size_t items, std::vector<std::vector<sample>>& out)
    {
        static_assert(std::is_trivially_copyable<Item>::value, "items are samples");
        try {
            if (sizeof(Item) != d_item_size)
                throw std::invalid_argument("parameter 'in' has items of " +
                                            std::to_string(sizeof(Item)) +
                                            " bytes, but must have the bank's, of " +
                                            std::to_string(d_item_size));
            const std::size_t room = max_outputs(items);
            out.resize(slots());
            // Two threads that call this at once share nothing but the handle, which
            // refuses one of them.
            std::vector<sample*> places(out.size());
            std::vector<std::size_t> outputs(out.size());
            for (std::size_t c = 0; c < out.size(); c++) {
                out[c].resize(room);
                places[c] = out[c].data();
            }
            process(in, items, places.data(), room, outputs.data());
            for (std::size_t c = 0; c < out.size(); c++)
                out[c].resize(outputs[c]);
        } catch (...) {
            for (auto& slot : out)
                slot.clear();
            throw;
        }
    }
    //! As cldsp_filter_bank_process().
    void process(const void* in,
                 std::size_t items,
                 sample* const* out,
                 std::size_t room,
                 std::size_t* outputs)
    {
        detail::check(
            cldsp_filter_bank_process(d_handle.get(), in, items, out, room, outputs));
    }

    //! Retunes a channel, from its next output on.
    void set_center_freq(std::size_t channel, double center_freq)
    {
        detail::check(
            cldsp_filter_bank_set_center_freq(d_handle.get(), channel, center_freq));
    }
    //! Makes a channel's frequency a function of time; see cldsp_filter_bank_schedule().
    void schedule(std::size_t channel, const std::vector<cldsp_frequency_point>& points)
    {
        detail::check(cldsp_filter_bank_schedule(
            d_handle.get(), channel, points.data(), points.size()));
    }
    //! Sets one list of taps for all slots, or one for each.
    void set_taps(const std::vector<taps>& values)
    {
        const auto lists = lists_of(values);
        detail::check(
            cldsp_filter_bank_set_taps(d_handle.get(), lists.data(), values.size()));
    }
    //! Makes a channel idle or active.
    void set_active(std::size_t channel, bool active)
    {
        detail::check(cldsp_filter_bank_set_active(d_handle.get(), channel, active));
    }
    //! Adds a channel in the first free slot, and returns its index.
    std::size_t add_channel(const taps& values, double center_freq)
    {
        return add(values, center_freq, nullptr);
    }
    //! The same in the first free slot of a rate.
    std::size_t add_channel(const taps& values, double center_freq, cldsp_rate rate)
    {
        return add(values, center_freq, &rate);
    }
    //! Removes a channel, whose slot is free then.
    void remove_channel(std::size_t channel)
    {
        detail::check(cldsp_filter_bank_remove_channel(d_handle.get(), channel));
    }
    //! Begins a new stream.
    void reset() { detail::check(cldsp_filter_bank_reset(d_handle.get())); }

    interface0::plan plan() const
    {
        const cldsp_plan* now = nullptr;
        detail::check(cldsp_filter_bank_plan(d_handle.get(), &now));
        return interface0::plan::of(*now);
    }

private:
    static std::vector<cldsp_taps> lists_of(const std::vector<taps>& values)
    {
        std::vector<cldsp_taps> lists;
        for (const auto& list : values)
            lists.push_back(list.get());
        // An empty list gets a pointer that is not null, so that the error names its
        // length.
        if (lists.empty())
            lists.push_back({ nullptr, nullptr, 0 });
        return lists;
    }
    std::size_t add(const taps& values, double center_freq, const cldsp_rate* rate)
    {
        const auto list = values.get();
        std::size_t channel = 0;
        detail::check(cldsp_filter_bank_add_channel(
            d_handle.get(), &list, center_freq, rate, &channel));
        return channel;
    }

    context d_context; // whose log the bank may call
    std::size_t d_item_size;
    detail::handle<cldsp_filter_bank, cldsp_filter_bank_free> d_handle;
};

//! A matrix product; see cldsp_matrix_product_config.
struct matrix_product_config {
    cldsp_matrix_type type = CLDSP_MATRIX_F32;
    std::size_t m = 0, n = 0, k = 0; //!< the sizes of a typical call, 1 or more
    bool holds_b = false;
    std::string device = "auto", variant = "auto";
    std::string precision = "exact"; //!< the least precise arithmetic that is permitted
    std::string plan = "auto";       //!< or "wait", see filter_bank_config
};

//! The product C = alpha A B + beta C; see cldsp_matrix_product.
class matrix_product
{
public:
    explicit matrix_product(const matrix_product_config& config,
                            const context& shared = context::of_process())
        : d_context(shared)
    {
        auto c = cldsp_matrix_product_defaults();
        c.type = config.type;
        c.m = config.m;
        c.n = config.n;
        c.k = config.k;
        c.holds_b = config.holds_b;
        c.device = config.device.c_str();
        c.variant = config.variant.c_str();
        c.precision = config.precision.c_str();
        c.plan = config.plan.c_str();
        cldsp_matrix_product* made = nullptr;
        detail::check(cldsp_matrix_product_new(d_context.get(), &c, &made));
        d_handle.reset(made);
    }

    matrix_product(matrix_product&&) noexcept = default;
    //! Swaps the objects, so that the old handle still has its context, whose log it may
    //! call.
    matrix_product& operator=(matrix_product&& other) noexcept
    {
        std::swap(d_context, other.d_context);
        std::swap(d_handle, other.d_handle);
        return *this;
    }

    //! As cldsp_matrix_product_multiply().
    void multiply(std::size_t m,
                  std::size_t n,
                  std::size_t k,
                  std::complex<float> alpha,
                  const void* a,
                  std::size_t a_leading,
                  const void* b,
                  std::size_t b_leading,
                  std::complex<float> beta,
                  void* c,
                  std::size_t c_leading)
    {
        detail::check(cldsp_matrix_product_multiply(d_handle.get(),
                                                    m,
                                                    n,
                                                    k,
                                                    &alpha,
                                                    a,
                                                    a_leading,
                                                    b,
                                                    b_leading,
                                                    &beta,
                                                    c,
                                                    c_leading));
    }
    //! As cldsp_matrix_product_hold_b().
    void hold_b(std::size_t k, std::size_t n, const void* b, std::size_t b_leading)
    {
        detail::check(cldsp_matrix_product_hold_b(d_handle.get(), k, n, b, b_leading));
    }
    //! As cldsp_matrix_product_multiply_held().
    void multiply_held(std::size_t m,
                       std::complex<float> alpha,
                       const void* a,
                       std::size_t a_leading,
                       std::complex<float> beta,
                       void* c,
                       std::size_t c_leading)
    {
        detail::check(cldsp_matrix_product_multiply_held(
            d_handle.get(), m, &alpha, a, a_leading, &beta, c, c_leading));
    }

    interface0::plan plan() const
    {
        const cldsp_plan* now = nullptr;
        detail::check(cldsp_matrix_product_plan(d_handle.get(), &now));
        return interface0::plan::of(*now);
    }

private:
    context d_context; // whose log the product may call
    detail::handle<cldsp_matrix_product, cldsp_matrix_product_free> d_handle;
};

//! The antennas of a correlator; see cldsp_correlator_config.
struct correlator_config {
    cldsp_sample_type input = CLDSP_FC32; //!< or CLDSP_CS8
    std::size_t antennas = 1;
    std::uint64_t integration = 1; //!< in samples
    std::size_t typical_samples = 0;
    std::string device = "auto", variant = "auto";
    std::string plan = "auto"; //!< or "wait", see filter_bank_config
};

//! The products of each pair of antennas, summed over integrations; see cldsp_correlator.
class correlator
{
public:
    explicit correlator(const correlator_config& config,
                        const context& shared = context::of_process())
        : d_context(shared), d_visibilities(config.antennas * (config.antennas + 1) / 2)
    {
        auto c = cldsp_correlator_defaults();
        c.input = config.input;
        c.antennas = config.antennas;
        c.integration = config.integration;
        c.typical_samples = config.typical_samples;
        c.device = config.device.c_str();
        c.variant = config.variant.c_str();
        c.plan = config.plan.c_str();
        cldsp_correlator* made = nullptr;
        detail::check(cldsp_correlator_new(d_context.get(), &c, &made));
        d_handle.reset(made);
    }

    correlator(correlator&&) noexcept = default;
    //! Swaps the objects, so that the old handle still has its context, whose log it may
    //! call.
    correlator& operator=(correlator&& other) noexcept
    {
        std::swap(d_context, other.d_context);
        std::swap(d_handle, other.d_handle);
        std::swap(d_visibilities, other.d_visibilities);
        return *this;
    }

    //! Takes the next samples of each antenna, and returns the visibilities of the
    //! integrations that have ended; see cldsp_correlator_process().
    std::vector<std::complex<float>>
    process(const void* const* first, std::size_t step, std::size_t samples)
    {
        std::size_t ending = 0;
        detail::check(cldsp_correlator_outputs(d_handle.get(), samples, &ending));
        std::vector<std::complex<float>> out(ending * d_visibilities);
        detail::check(cldsp_correlator_process(
            d_handle.get(), first, step, samples, out.data(), ending, &ending));
        return out;
    }
    //! Drops the samples of an integration that has not ended.
    void reset() { detail::check(cldsp_correlator_reset(d_handle.get())); }

    interface0::plan plan() const
    {
        const cldsp_plan* now = nullptr;
        detail::check(cldsp_correlator_plan(d_handle.get(), &now));
        return interface0::plan::of(*now);
    }

private:
    context d_context; // whose log the correlator may call
    std::size_t d_visibilities;
    detail::handle<cldsp_correlator, cldsp_correlator_free> d_handle;
};

} // namespace interface0
} // namespace cldsp

#endif /* INCLUDED_CLDSP_HPP */
