// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The function that multiplies two matrices, with engines kept for later calls.

#include "block_support.h"
#include "matrix.h"
#include <gnuradio/cldsp/matrix_product.h>
#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <tuple>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::gemm_shape;

//! The key of an engine that is kept for products of one kind. If the device is "auto",
//! the key has the sizes too, rounded up to powers of two.
struct engine_key {
    ::cldsp::gemm_type type;
    std::string device, variant, precision;
    gemm_shape typical;

    bool operator==(const engine_key& other) const
    {
        const auto all = [](const engine_key& k) {
            return std::tie(k.type,
                            k.device,
                            k.variant,
                            k.precision,
                            k.typical.m,
                            k.typical.n,
                            k.typical.k);
        };
        return all(*this) == all(other);
    }
};

//! An engine that is kept for later calls. Only one thread at a time may use it.
struct kept_engine {
    engine_key key;
    std::mutex mutex;
    std::unique_ptr<::cldsp::gemm> engine; // null until first used
};

//! The engines of the latest calls.
class engine_cache
{
public:
    std::shared_ptr<kept_engine> get(const engine_key& key)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        for (auto at = d_engines.begin(); at != d_engines.end(); ++at)
            if ((*at)->key == key) {
                d_engines.splice(d_engines.begin(), d_engines, at);
                return d_engines.front();
            }
        d_engines.push_front(std::make_shared<kept_engine>());
        d_engines.front()->key = key;
        if (d_engines.size() > most)
            d_engines.pop_back();
        return d_engines.front();
    }

private:
    // Few are kept, because each may hold buffers on a device.
    static constexpr std::size_t most = 16;

    std::mutex d_mutex;
    std::list<std::shared_ptr<kept_engine>> d_engines; // the last used one first
};

engine_cache& cache()
{
    // The cache is never destroyed: at exit the OpenCL driver may be gone before the
    // static objects of this library.
    static auto* const instance = new engine_cache;
    return *instance;
}

std::size_t power_of_two(std::size_t size)
{
    std::size_t power = 1;
    while (power < size && power < (std::size_t(1) << 31))
        power *= 2;
    return power;
}

//! A typical k, of which a product of bytes has at most max_s8_terms.
std::size_t typical_terms(::cldsp::gemm_type type, std::size_t k)
{
    return type == ::cldsp::gemm_type::s8
               ? std::min(power_of_two(k), ::cldsp::max_s8_terms)
               : power_of_two(k);
}

::cldsp::gemm_options options_of(const std::string& device,
                                 const std::string& variant,
                                 const std::string& precision)
{
    // The logger is never destroyed, like the engines, which hold copies of it.
    static const auto& log = *new ::cldsp::logger(function_logger("cldsp.gemm"));
    auto options = gemm_options_of(device, variant, "wait", {}, precision);
    options.log = log;
    return options;
}

} // namespace

template <class T>
void matrix_product(const matrix_product_args<T>& args,
                    const std::string& device,
                    const std::string& variant,
                    const std::string& precision)
{
    const auto type = gemm_type_of<T>();
    const auto options = options_of(device, variant, precision);
    const bool open = options.device != "host";
    const gemm_shape shape{ args.m, args.n, args.k };
    const gemm_shape typical = open ? gemm_shape{ power_of_two(args.m),
                                                  power_of_two(args.n),
                                                  typical_terms(type, args.k) }
                                    : gemm_shape{};
    const auto kept = cache().get(
        { type, options.device, options.variant, options.precision, typical });
    const std::lock_guard<std::mutex> guard(kept->mutex);
    const bool is_provisional = kept->engine && kept->engine->chosen().provisional;
    if (!kept->engine || is_provisional) {
        static auto& first = *new first_calls;
        auto its = options;
        its.at_once = options.variant == "auto" &&
                      first.have(options.device, shape.operations(type));
        if (!is_provisional || !its.at_once)
            kept->engine =
                std::make_unique<::cldsp::gemm>(type, typical, its, registry());
    }
    const bool lost_before = kept->engine->fell_back();
    kept->engine->multiply(shape,
                           args.alpha,
                           { args.a, args.a_leading },
                           { args.b, args.b_leading },
                           args.beta,
                           { args.c, args.c_leading });
    // The next call may succeed on the device, for example because it needs less memory.
    if (!lost_before && kept->engine->fell_back())
        kept->engine.reset();
}

template CLDSP_API void matrix_product(const matrix_product_args<float>&,
                                       const std::string&,
                                       const std::string&,
                                       const std::string&);
template CLDSP_API void matrix_product(const matrix_product_args<gr_complex>&,
                                       const std::string&,
                                       const std::string&,
                                       const std::string&);
template CLDSP_API void matrix_product(const matrix_product_args<std::int8_t>&,
                                       const std::string&,
                                       const std::string&,
                                       const std::string&);

std::vector<gemm_variant_description> list_gemm_variants()
{
    std::vector<gemm_variant_description> descriptions;
    for (const auto& variant : ::cldsp::gemm_variants()) {
        gemm_variant_description d;
        d.name = variant.name;
        d.description = variant.description;
        d.ladder = variant.ladder;
        for (const auto type : variant.types)
            d.types.push_back(::cldsp::type_name(type));
        descriptions.push_back(std::move(d));
    }
    return descriptions;
}

} // namespace cldsp
} // namespace gr
