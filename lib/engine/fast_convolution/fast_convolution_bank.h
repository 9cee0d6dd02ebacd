/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/bank_executor.h"
#include "base/call_sums.h"
#include "fast_convolution/fast_convolution_lane.h"
#include "opencl/kernel_pace.h"
#include "fast_convolution/opencl_fast_convolution.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! See make_opencl_fast_convolution_bank().
class fast_convolution_bank : public bank_executor
{
public:
    fast_convolution_bank(std::shared_ptr<context> device,
                          const std::string& transfer,
                          const std::vector<fir_setup>& channels,
                          double accuracy,
                          std::size_t rows,
                          const tuning_values& tuned);

    void configure(std::size_t channel, const fir_setup& setup) override;
    void run(const bank_call& call) override;
    void set_stream_memory(memory_region in) override { set_stream_memory(in, {}); }
    void set_stream_memory(memory_region in, memory_region out);
    std::string device_name() const override { return d_device->name(); }
    std::string variant_name() const override { return opencl_fast_convolution_variant; }
    std::string transfer_name() const override { return d_lanes[0]->transfer_name(); }
    run_statistics statistics() const override { return d_sums.averages(); }
    bool device_is_lost() const override;

private:
    void make(std::size_t reach, std::size_t rows);
    fast_convolution_lane& lane(std::size_t index);
    std::size_t outputs_per_piece(std::size_t outputs) const;
    double multiply_adds(std::size_t outputs) const;
    void turn_rotators(const bank_call& call, std::size_t first);
    void run_pieces(const bank_call& call);

    std::shared_ptr<context> d_device;
    const std::string d_transfer;
    std::vector<fir_setup> d_channels;
    const double d_accuracy;
    tuning_values d_tuned;
    overlap_save_block d_block;
    lane_shape d_shape;
    bool d_overlaps; //!< a second lane hides transfers
    std::vector<std::unique_ptr<fast_convolution_lane>> d_lanes;
    std::unique_ptr<fast_convolution_responses> d_responses; // uses the first lane
    std::vector<cl_uint4> d_rotators;
    memory_region d_in_stream, d_out_stream;
    kernel_pace d_pace; //!< in blocks
    call_sums d_sums;
};

} // namespace cldsp
