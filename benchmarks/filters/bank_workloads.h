// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The filters and banks that this project measures, by their names.

#pragma once

#include "filters/workloads.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace cldsp::bench {

//! A filter, or a bank of such filters on one input.
struct bank_workload {
    std::string name;
    workload filter;
    std::size_t channels = 1;
    //! The input that a call of `cldsp bench` filters.
    std::size_t items = 1 << 20;
    //! False: the workload takes gigabytes or minutes, and is measured only where it is
    //! named.
    bool by_default = true;
    //! Whether the channels divide the sampling rate into equal parts, instead of lying
    //! anywhere.
    bool on_raster = false;

    bool is_bank() const { return channels > 1; }
};

//! The filters W1 to W4 and R1, the banks W5 and W6, whose channels have W1's filter, and
//! the banks W7_10, W7_100, W7_500 and W8 of long filters, and the banks W9_64 and
//! W9_1024, which are W5 and W6 with channels on a raster.
const std::vector<bank_workload>& all_bank_workloads();
//! \throws std::invalid_argument for an unknown name
const bank_workload& find_bank_workload(const std::string& name);

//! The problem of a bank with real taps for all channels. The first channel is that of
//! make_problem(); the frequencies of the others are on a raster, or lie anywhere in the
//! band, and are the same in every run.
freq_xlating_filter_bank_problem make_bank_problem(const bank_workload& work);

//! The memory that a call reads and writes: the items that all channels share, and room
//! for the outputs.
class call_memory
{
public:
    call_memory(const bank_workload& work, std::size_t items);

    const stream& data() const { return d_data; }
    std::size_t items() const { return d_data.items(); }
    std::size_t outputs() const { return d_outputs; } //!< outputs of one channel
    std::complex<float>* const* out() const { return d_places.data(); }
    std::vector<std::complex<float>> channel(std::size_t channel) const;

private:
    stream d_data;
    std::size_t d_outputs;
    std::vector<std::vector<std::complex<float>>> d_more; // channels after the first
    std::vector<std::complex<float>*> d_places;
};

} // namespace cldsp::bench
