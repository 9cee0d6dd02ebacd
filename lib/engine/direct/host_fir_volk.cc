// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One dot product of VOLK for each output, as GNU Radio's own filters do it.

#include "direct/host_direct_variant.h"
#include "simd/samples.h"

#include <volk/volk.h>
#include <volk/volk_version.h>

#include <algorithm>

namespace cldsp {

namespace {

/*!
 * One VOLK dot product per output, as in GNU Radio's own filter kernels.
 *
 * GNU Radio's kernels start each product at the aligned address before the window and
 * multiply the items before the window by zero. A NaN there makes the output NaN. Here a
 * product reads only its window, and VOLK picks its kernel for unaligned data.
 */
class host_fir_volk final : public host_fir
{
public:
    explicit host_fir_volk(const filter_channel& setup) { configure(setup); }

    void configure(const filter_channel& setup) override
    {
        d_type = setup.problem.input;
        d_decimation = setup.problem.decimation;
        const auto rotated = setup.rotated();
        d_taps.assign(rotated.rbegin(), rotated.rend());
        d_real = std::all_of(rotated.begin(), rotated.end(), [](const auto& tap) {
            return tap.imag() == 0;
        });
        d_taps_re.clear();
        d_taps_im.clear();
        for (const auto& tap : d_taps) {
            d_taps_re.push_back(tap.real());
            d_taps_im.push_back(tap.imag());
        }
        d_advance = -setup.step * d_decimation;
        fill_phasors(d_rotation, block, phase64(), d_advance);
        d_chunk = needs_conversion()
                      ? std::clamp<std::size_t>(scratch_items / d_decimation, 1, block)
                      : block;
    }

    std::string variant_name() const override { return "volk"; }
    using host_fir::run;
    void run(const fir_call& call, host_fir_scratch& scratch) override
    {
        const char* in = static_cast<const char*>(call.in);
        const std::size_t output_bytes = d_decimation * sample_size(d_type);
        phase64 phase = call.phase;
        for (std::size_t first = 0; first < call.outputs; first += d_chunk) {
            const std::size_t count = std::min(d_chunk, call.outputs - first);
            filter(in + first * output_bytes, call.out + first, count, scratch);
            rotate(call.out + first, count, phase);
            phase += d_advance * count;
        }
    }

private:
    static constexpr std::size_t block = 256; // outputs that share an exact phasor
    static constexpr std::size_t scratch_items = 16384; // 128 KiB, a part of the L2 cache

    //! Whether items are converted to complex float first. VOLK has dot products for the
    //! items of the other types.
    bool needs_conversion() const
    {
        return d_type != sample_type::fc32 && d_type != sample_type::f32 &&
               d_type != sample_type::s16;
    }

    void filter(const void* in,
                std::complex<float>* out,
                std::size_t count,
                host_fir_scratch& scratch) const
    {
        if (d_type == sample_type::f32) {
            filter_real(static_cast<const float*>(in), out, count);
        } else if (d_type == sample_type::s16) {
            filter_real(static_cast<const std::int16_t*>(in), out, count);
        } else if (needs_conversion()) {
            const std::size_t items = (count - 1) * d_decimation + d_taps.size();
            auto* converted = host_fir_scratch::room(scratch.items, items);
            if (is_complex(d_type)) {
                convert_samples(in, d_type, converted, items);
                filter_complex(converted, out, count);
            } else {
                auto* const numbers = reinterpret_cast<float*>(converted);
                convert_to_floats(in, d_type, numbers, items);
                filter_real(numbers, out, count);
            }
        } else {
            filter_complex(static_cast<const std::complex<float>*>(in), out, count);
        }
    }

    void filter_complex(const std::complex<float>* in,
                        std::complex<float>* out,
                        std::size_t count) const
    {
        const auto taps = static_cast<unsigned int>(d_taps.size());
        for (std::size_t i = 0; i < count; i++, in += d_decimation) {
            if (d_real)
                volk_32fc_32f_dot_prod_32fc(&out[i], in, d_taps_re.data(), taps);
            else
                volk_32fc_x2_dot_prod_32fc(&out[i], in, d_taps.data(), taps);
        }
    }

    // This does not call volk_32fc_32f_dot_prod_32fc. VOLK 2.5's kernel of that name for
    // unaligned data loads the real operand as if it were aligned, and faults.
    void filter_real(const float* in, std::complex<float>* out, std::size_t count) const
    {
        const auto taps = static_cast<unsigned int>(d_taps.size());
        for (std::size_t i = 0; i < count; i++, in += d_decimation) {
            float* parts = reinterpret_cast<float*>(&out[i]);
            volk_32f_x2_dot_prod_32f(&parts[0], in, d_taps_re.data(), taps);
            volk_32f_x2_dot_prod_32f(&parts[1], in, d_taps_im.data(), taps);
        }
    }

    void
    filter_real(const std::int16_t* in, std::complex<float>* out, std::size_t count) const
    {
        const auto taps = static_cast<unsigned int>(d_taps.size());
        for (std::size_t i = 0; i < count; i++, in += d_decimation)
            volk_16i_32fc_dot_prod_32fc(&out[i], in, d_taps.data(), taps);
    }

    void rotate(std::complex<float>* out, std::size_t count, phase64 phase) const
    {
        const std::complex<float> anchor(phase.phasor());
        const auto points = static_cast<unsigned int>(count);
        volk_32fc_x2_multiply_32fc(out, out, d_rotation, points);
#if VOLK_VERSION >= 30100
        volk_32fc_s32fc_multiply2_32fc(out, out, &anchor, points);
#else
        volk_32fc_s32fc_multiply_32fc(out, out, anchor, points);
#endif
    }

    sample_type d_type = sample_type::fc32;
    std::size_t d_decimation = 1;
    std::size_t d_chunk = block;              // outputs computed at a time
    phase64 d_advance;                        // phase step of an output
    volk::vector<std::complex<float>> d_taps; // rotated, oldest item's tap first
    volk::vector<float> d_taps_re;            // the real parts of d_taps
    volk::vector<float> d_taps_im;
    bool d_real = false; // all rotated taps are real
    std::complex<float> d_rotation[block];
};

} // namespace

std::unique_ptr<host_fir> make_host_fir_volk(const filter_channel& setup)
{
    return std::make_unique<host_fir_volk>(setup);
}

namespace {

class volk_variant final : public host_direct_variant
{
public:
    volk_variant()
        : host_direct_variant({ "volk", "on the host, VOLK's dot products", true, true })
    {
    }

    // VOLK is close to our own kernels for one channel at best. With several channels,
    // calls are spread over threads, and a measurement would now and then prefer VOLK by
    // chance.
    bool may_gain(const filter_task& task, const plan_place&) const override
    {
        return task.channels.size() == 1;
    }
    std::unique_ptr<host_fir> make_fir(const filter_channel& channel) const override
    {
        return make_host_fir_volk(channel);
    }
    direct_cost cost(const plan_shape&, const host_rates& rates) const override
    {
        return { rates.volk_output, rates.volk_tap, 0 };
    }
    double lone_tap(const host_rates& rates) const override { return rates.volk_tap; }
    double lone_output(const host_rates& rates) const override
    {
        return rates.volk_output;
    }
    bool uses_real_taps() const override { return false; }
};

} // namespace

const host_direct_variant& host_direct_volk()
{
    static const auto& variant = *new volk_variant;
    return variant;
}

} // namespace cldsp
