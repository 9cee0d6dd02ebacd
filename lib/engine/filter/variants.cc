/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter/variants.h"

#include "base/text_stream.h"

#include <cldsp/errors.h>

#include <utility>

namespace cldsp {

namespace {

//! The text "one of auto" and the names of the variants for which \p fits is true.
template <class Fits>
std::string one_of_variants(const Fits& fits)
{
    std::string known = "one of auto";
    for (const auto& variant : freq_xlating_fir_variants())
        if (fits(variant))
            known += ", " + variant.name;
    return known;
}

void check_variant(const plan_options& options, sample_type input)
{
    if (options.variant == "auto")
        return;
    const auto* variant = find_variant(options.variant);
    const std::string value = "'" + options.variant + "'";
    for (const auto& [old_name, name] : { std::pair("rows", "polyphase"),
                                          std::pair("grid", "four_step"),
                                          std::pair("bins", "selected_bins") })
        if (options.variant == old_name)
            throw_invalid("variant", value, std::string("'") + name + "', its new name");
    if (!variant)
        throw_invalid(
            "variant", value, one_of_variants([](const auto&) { return true; }));
    if (options.algorithm != "auto" && variant->algorithm != options.algorithm)
        throw_invalid("variant",
                      value,
                      one_of_variants([&](const variant_info& v) {
                          return v.algorithm == options.algorithm;
                      }) + " for algorithm '" +
                          options.algorithm + "'");
    if (input != sample_type::fc32 && !variant->production)
        throw_invalid(
            "variant",
            value,
            one_of_variants([](const variant_info& v) { return v.production; }) +
                " for " + sample_type_name(input) + " items");
}

} // namespace

void check_plan_options(const plan_options& options, sample_type input)
{
    if (options.algorithm != "auto" && options.algorithm != "direct" &&
        options.algorithm != "fast_convolution")
        throw_invalid("algorithm",
                      "'" + options.algorithm + "'",
                      "one of auto, direct, fast_convolution");
    check_variant(options, input);
    if (options.transfer != "auto" && options.transfer != "copy" &&
        options.transfer != "mapped" && options.transfer != "zero_copy")
        throw_invalid("transfer",
                      "'" + options.transfer + "'",
                      "one of auto, copy, mapped, zero_copy");
    check_accuracy(options.accuracy);
}

void check_accuracy(double accuracy)
{
    if (!(accuracy >= 0 && accuracy <= 0.1)) // false for a NaN, too
        throw_invalid("accuracy", number_text(accuracy), "0 to 0.1");
}

bool plan_options::allows(const std::string& variant_name) const
{
    if (variant != "auto")
        return variant == variant_name;
    const auto* info = find_variant(variant_name);
    return info && info->production &&
           (algorithm == "auto" || algorithm == info->algorithm);
}

bool plan_options::allows_on_device(const std::string& variant_name,
                                    const device_info& device_) const
{
    return allows(variant_name) &&
           (device_.kind != device_kind::cpu || variant == variant_name ||
            (algorithm == "fast_convolution" && device != "auto"));
}

const std::vector<std::string>& opencl_fast_convolutions()
{
    static const auto& names = *new std::vector<std::string>{
        "fused_fold", "tiled_fold", "tensor_fold", "vkfft"
    };
    return names;
}

std::string plan_options::key() const
{
    text_stream text;
    text << "device=" << device << " algorithm=" << algorithm << " variant=" << variant
         << " transfer=" << transfer << " accuracy=" << accuracy;
    return text.str();
}

std::vector<plan_place> open_places(const plan_options& options)
{
    const auto* named = find_variant(options.variant);
    std::vector<plan_place> places;
    for (auto& device : find_devices(
             named && named->host ? host_instead_of_auto(options.device) : options.device,
             options.log)) {
        if (named && named->host != device.is_host())
            continue;
        if (device.is_host())
            places.push_back({ std::move(device), "none" });
        else if (options.transfer != "auto")
            places.push_back({ std::move(device), options.transfer });
        else if (!shares_memory(device))
            // On such a device "zero_copy" is "mapped" without the host's copy of the
            // input, if the driver pins the stream's memory.
            places.push_back({ std::move(device), "zero_copy" });
        else
            for (const char* transfer : { "zero_copy", "mapped", "copy" })
                places.push_back({ device, transfer });
    }
    if (places.empty() && options.device != "auto")
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      one_of_variants(
                          [&](const variant_info& v) { return v.host != named->host; }) +
                          " on device '" + options.device + "'");
    return places;
}

std::string direct_variant(const device_info& device)
{
    switch (device.kind) {
    case device_kind::host:
        return "simd";
    case device_kind::cpu:
        return "cpu_tile";
    default:
        return "gpu_tile";
    }
}

const std::vector<variant_info>& freq_xlating_fir_variants()
{
    static const auto& variants = *new std::vector<variant_info>{
        { "naive", "one output per work-item", false, false },
        { "block",
          "several outputs per work-item, one work-item per group",
          false,
          false },
        { "float8", "as block, four complex products at a time in float8", false, false },
        { "float16",
          "as block, eight complex products at a time in float16",
          false,
          false },
        { "float8_evenodd",
          "as float8, by the vectors' even and odd halves",
          false,
          false },
        { "float16_evenodd",
          "as float16, by the vectors' even and odd halves",
          false,
          false },
        { "local",
          "as float16_evenodd; results leave through local memory by asynchronous copy",
          false,
          false },
        { "constant",
          "as float16_evenodd; taps and decimation are compiled in",
          false,
          false },
        { "cpu_tile",
          "for CPU devices: items become floats first, then a register tile",
          false,
          true },
        { "gpu_tile",
          "for GPUs: a work-group shares the taps, or the sums, of several outputs",
          false,
          true },
        { "volk", "on the host, VOLK's dot products", true, true },
        { "simd", "on the host, a register tile on its vector unit", true, true },
        { "polyphase",
          "on the host, overlap-save on transforms of columns",
          true,
          true,
          "fast_convolution" },
        { "four_step",
          "on the host, overlap-save on transforms of columns and rows; decimation 1",
          true,
          true,
          "fast_convolution" },
        { "selected_bins",
          "on the host, overlap-save on a transform of the whole block",
          true,
          true,
          "fast_convolution" },
        { "fused_fold",
          "overlap-save; one kernel folds, transforms back and rotates each channel",
          false,
          true,
          "fast_convolution" },
        { "tiled_fold",
          "overlap-save; one kernel folds the channels in tiles, another one does the "
          "rest",
          false,
          true,
          "fast_convolution" },
        { "tensor_fold",
          "as tiled_fold; the matrix units of NVIDIA GPUs fold",
          false,
          true,
          "fast_convolution" },
        { "dft_bank",
          "one kernel for channels with the same taps on a raster of frequencies: sums, "
          "then a transform",
          false,
          true,
          "fast_convolution" },
        { "vkfft",
          "overlap-save on VkFFT's transforms",
          false,
          true,
          "fast_convolution" },
    };
    return variants;
}

const variant_info* find_variant(const std::string& name)
{
    for (const auto& variant : freq_xlating_fir_variants())
        if (variant.name == name)
            return &variant;
    return nullptr;
}

} // namespace cldsp
