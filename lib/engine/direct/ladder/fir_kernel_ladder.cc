/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_kernel_rotated.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <iomanip>
#include <locale>
#include <map>
#include <sstream>

namespace cldsp {

namespace {

// Work-items per compute unit. With several of them, a slow one does not delay the call.
constexpr std::size_t items_per_unit = 4;
constexpr std::size_t naive_group = 64;

//! The name of a variant's kernel. The variant's own name may be a word of OpenCL C.
const std::string& kernel_of(const std::string& rung)
{
    static const auto& names = *new std::map<std::string, std::string>{
        { "naive", "naive" },
        { "block", "block" },
        { "float8", "float8_products" },
        { "float16", "float16_products" },
        { "float8_evenodd", "float8_evenodd" },
        { "float16_evenodd", "float16_evenodd" },
        { "local", "local_copy" },
        { "constant", "constant_taps" },
    };
    return names.at(rung);
}

//! The kernels take only complex float items, as the check of the options ensures.
class fir_kernel_ladder : public fir_kernel_rotated
{
public:
    fir_kernel_ladder(const std::string& rung, const fir_kernel_args& args)
        : fir_kernel_rotated(rung, args),
          d_naive(rung == "naive"),
          d_local(rung == "local"),
          d_constant(rung == "constant")
    {
        build();
    }
    void configure(const filter_channel& setup) override
    {
        fir_kernel_rotated::configure(setup);
        if (d_constant)
            build();
    }

protected:
    cl::NDRange prepare(std::size_t outputs, cl::NDRange& group) override
    {
        if (d_naive) {
            const auto& limits = d_device->limits();
            const std::size_t size = std::min({ naive_group,
                                                limits.max_work_group_size,
                                                limits.max_work_item_sizes[0] });
            group = cl::NDRange(size);
            return cl::NDRange((outputs + size - 1) / size * size);
        }
        const std::size_t items =
            std::min(outputs, d_device->limits().compute_units * items_per_unit);
        d_outputs_per_item = (outputs + items - 1) / items;
        if (d_local)
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
        if (d_local)
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
                                           d_constant ? taps_option() : ""),
                           kernel_of(d_name).c_str()));
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

    const bool d_naive, d_local, d_constant;
    std::size_t d_outputs_per_item = 1;
};

} // namespace

std::unique_ptr<fir_kernel> make_fir_kernel_ladder(const std::string& rung,
                                                   const fir_kernel_args& args)
{
    return std::make_unique<fir_kernel_ladder>(rung, args);
}

} // namespace cldsp
