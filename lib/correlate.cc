// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The function that correlates whole recordings of antennas without a flowgraph.

#include "block_support.h"
#include <gnuradio/cldsp/correlate.h>
#include <cldsp/correlator.h>
#include <type_traits>
#include <vector>

namespace gr {
namespace cldsp {

template <class T>
void correlate(const correlate_args<T>& args, const std::string& device)
{
    // The logger is never destroyed: at exit GNU Radio's logs may be gone before this
    // library's statics.
    static const auto& log = *new ::cldsp::logger(function_logger("cldsp.correlate"));
    ::cldsp::correlator_options options;
    options.device = with_preferences({ device, "auto", "auto", "auto", 0 }).device;
    options.log = log;
    static auto& first = *new first_calls;
    options.at_once = first.have(options.device,
                                 ::cldsp::operations_per_sample(args.antennas) *
                                     static_cast<double>(args.samples));
    constexpr auto type =
        std::is_same_v<T, cs8> ? ::cldsp::sample_type::cs8 : ::cldsp::sample_type::fc32;
    ::cldsp::correlator engine(
        type, args.antennas, args.integration, args.samples, options, registry());
    std::vector<const void*> rows;
    for (std::size_t a = 0; a < args.antennas; a++)
        rows.push_back(args.in + a * args.leading);
    const std::uint64_t whole = engine.outputs_for(args.samples) * args.integration;
    engine.process({ rows.data(), 1 }, static_cast<std::size_t>(whole), args.out);
}

template CLDSP_API void correlate(const correlate_args<gr_complex>&, const std::string&);
template CLDSP_API void correlate(const correlate_args<cs8>&, const std::string&);

} // namespace cldsp
} // namespace gr
