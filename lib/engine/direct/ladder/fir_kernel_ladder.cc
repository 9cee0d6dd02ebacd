// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The steps from a naive direct kernel to a fast one, kept for comparison.

#include "direct/fir_kernel_rotated.h"
#include "direct/opencl_direct_variant.h"
#include "opencl/kernel_groups.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <iomanip>
#include <locale>
#include <sstream>

namespace cldsp {

namespace {

// Work-items per compute unit. With several of them, a slow one does not delay the call.
constexpr std::size_t items_per_unit = 4;
constexpr std::size_t naive_group = 64;

//! A rung of the ladder: a variant, and what its kernel needs.
struct rung {
    const char* name;
    const char* kernel; //!< the variant's own name may be a word of OpenCL C
    const char* description;
    bool one_output = false;     //!< for each work-item
    bool leaves_locally = false; //!< results go through local memory
    bool compiles_taps = false;
};

constexpr rung rungs[] = {
    { "naive", "naive", "one output per work-item", true },
    { "block", "block", "several outputs per work-item, one work-item per group" },
    { "float8",
      "float8_products",
      "as block, four complex products at a time in float8" },
    { "float16",
      "float16_products",
      "as block, eight complex products at a time in float16" },
    { "float8_evenodd",
      "float8_evenodd",
      "as float8, by the vectors' even and odd halves" },
    { "float16_evenodd",
      "float16_evenodd",
      "as float16, by the vectors' even and odd halves" },
    { "local",
      "local_copy",
      "as float16_evenodd; results leave through local memory by asynchronous copy",
      false,
      true },
    { "constant",
      "constant_taps",
      "as float16_evenodd; taps and decimation are compiled in",
      false,
      false,
      true },
};

//! The kernels take only complex float items, as the check of the options ensures.
class fir_kernel_ladder : public fir_kernel_rotated
{
public:
    fir_kernel_ladder(const rung& its_rung, const fir_kernel_args& args)
        : fir_kernel_rotated(its_rung.name, args), d_rung(its_rung)
    {
        build();
    }
    void configure(const filter_channel& setup) override
    {
        fir_kernel_rotated::configure(setup);
        if (d_rung.compiles_taps)
            build();
    }

protected:
    cl::NDRange prepare(std::size_t outputs, cl::NDRange& group) override
    {
        if (d_rung.one_output) {
            group = cl::NDRange(d_group);
            return cl::NDRange((outputs + d_group - 1) / d_group * d_group);
        }
        const std::size_t items =
            std::min(outputs, d_device->limits().compute_units * items_per_unit);
        d_outputs_per_item = (outputs + items - 1) / items;
        if (d_rung.leaves_locally)
            d_outputs_per_item = std::min(d_outputs_per_item, local_outputs());
        group = cl::NDRange(1);
        return cl::NDRange((outputs + d_outputs_per_item - 1) / d_outputs_per_item);
    }
    void
    set_last_args(cl_uint index, const cl_uint2& phase, const cl_uint2& step) override
    {
        d_kernel.setArg(index++, static_cast<cl_uint>(d_outputs_per_item));
        d_kernel.setArg(index++, phase);
        d_kernel.setArg(index++, step);
        if (d_rung.leaves_locally)
            d_kernel.setArg(index,
                            cl::Local(d_outputs_per_item * sizeof(std::complex<float>)));
    }

private:
    //! The number of outputs that fit half of the local memory.
    std::size_t local_outputs() const
    {
        return std::max<std::size_t>(
            1, d_device->limits().local_memory / 2 / sizeof(std::complex<float>));
    }

    void build()
    {
        replace(d_kernel,
                cl::Kernel(d_device->build("freq_xlating_fir_ladder",
                                           d_rung.compiles_taps ? taps_option() : ""),
                           d_rung.kernel));
        d_group = group_up_to(*d_device, d_kernel, naive_group);
    }

    //! The build options that define the decimation and the rotated, reversed taps as
    //! macros.
    std::string taps_option() const
    {
        const std::size_t bytes = d_setup.taps() * sizeof(std::complex<float>);
        if (bytes > d_device->limits().max_constant_buffer)
            throw_invalid("variant",
                          "'constant'",
                          "another one for " + std::to_string(d_setup.taps()) +
                              " taps: device '" + d_device->name() + "' has " +
                              std::to_string(d_device->limits().max_constant_buffer) +
                              " bytes of constant memory");
        std::ostringstream text;
        text.imbue(std::locale::classic());
        text << std::setprecision(9) << std::scientific
             << "-DDECIMATION=" << d_setup.problem.decimation
             << "u -DTAPS_COUNT=" << d_setup.taps() << "u -DTAPS=";
        const char* separator = "";
        const auto taps = d_setup.rotated();
        for (auto tap = taps.rbegin(); tap != taps.rend(); ++tap) {
            text << separator << "(float2)(" << static_cast<float>(tap->real()) << "f,"
                 << static_cast<float>(tap->imag()) << "f)";
            separator = ",";
        }
        return text.str();
    }

    const rung& d_rung;
    std::size_t d_outputs_per_item = 1;
    std::size_t d_group = 1; //!< where a work-item computes one output
};

class ladder_variant final : public opencl_direct_variant
{
public:
    explicit ladder_variant(const rung& its_rung)
        : opencl_direct_variant({ its_rung.name, its_rung.description, false, false }),
          d_rung(its_rung)
    {
    }
    std::unique_ptr<fir_kernel> make_kernel(const fir_kernel_args& args) const override
    {
        return std::make_unique<fir_kernel_ladder>(d_rung, args);
    }
    bool suits(const device_info&) const override { return false; }

private:
    const rung& d_rung;
};

std::vector<const opencl_direct_variant*> make_ladder()
{
    std::vector<const opencl_direct_variant*> all;
    for (const auto& one : rungs)
        all.push_back(new ladder_variant(one));
    return all;
}

} // namespace

const std::vector<const opencl_direct_variant*>& opencl_direct_ladder()
{
    static const auto& all =
        *new std::vector<const opencl_direct_variant*>(make_ladder());
    return all;
}

} // namespace cldsp
