// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the filters by VOLK alone.

#include "whole_number.h"
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>

namespace py = pybind11;

namespace {

constexpr const char* volk_class_doc =
    R"(The same filter as freq_xlating_fir_filter, on the host with VOLK alone.

For comparison. The letters of the name are input, output and taps: c complex, f float, s
16-bit integer (not scaled). Message port, tags and changes while running are those of
freq_xlating_fir_filter.)";

constexpr const char* volk_make_doc = R"(
Args:
    decimation: input items an output, 1 to what GNU Radio's buffer before the block holds:
        with history() less than 2**30 bytes
    taps: the low-pass prototype at 0 Hz, one or more finite values
    center_freq: frequency in Hz that is shifted to 0 Hz, finite
    sampling_freq: rate of the input in Hz, finite and above 0
    rewrite_tags: as that of freq_xlating_fir_filter

Raises:
    ValueError: naming the parameter, its value and the range)";

template <class IN_T, class TAP_T>
void bind_volk(py::module& m, const char* name)
{
    using block = gr::cldsp::freq_xlating_fir_filter_volk<IN_T, TAP_T>;

    py::class_<block, gr::cldsp::filter_with_taps<TAP_T>, std::shared_ptr<block>> c(
        m, name, volk_class_doc);
    c.def(init_with_whole("decimation", &block::make),
          py::arg("decimation"),
          py::arg("taps"),
          py::arg("center_freq"),
          py::arg("sampling_freq"),
          py::arg("rewrite_tags") = true,
          volk_make_doc);
}

} // namespace

void bind_freq_xlating_fir_filter_volk(py::module& m)
{
    bind_volk<gr_complex, gr_complex>(m, "freq_xlating_fir_filter_volk_ccc");
    bind_volk<gr_complex, float>(m, "freq_xlating_fir_filter_volk_ccf");
    bind_volk<float, gr_complex>(m, "freq_xlating_fir_filter_volk_fcc");
    bind_volk<float, float>(m, "freq_xlating_fir_filter_volk_fcf");
    bind_volk<std::int16_t, gr_complex>(m, "freq_xlating_fir_filter_volk_scc");
    bind_volk<std::int16_t, float>(m, "freq_xlating_fir_filter_volk_scf");
}
