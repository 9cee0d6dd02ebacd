// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The responses of a bank's channels on a device, in groups with the same layout.

#pragma once

#include "fast_convolution/forward_transform.h"
#include "fast_convolution/overlap_save.h"
#include "filter/filter_channel.h"
#include "opencl/buffer.h"
#include "opencl/device_table.h"
#include "opencl/staging.h"

#include <cldsp/context.h>
#include <cldsp/phase.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! How the responses lie in memory.
struct response_layout {
    //! Whether runs begin and end at multiples of the size of the inverse transform.
    bool whole_rows = false;
    //! The number of rows for which each channel has room. Rows are zero where the
    //! channel keeps no bins, and behind the last row. 0: a channel has room for its run
    //! only.
    std::size_t all_rows = 0;
    //! Whether the responses are real values for as long as the responses of all channels
    //! can be.
    bool real = false;
    //! With all_rows: whether the values of all rows for one bin lie side by side, and
    //! are rounded_gain(), as kernels/tensor_fold.cl takes them.
    bool by_bins = false;
};

//! A filter of linear phase: its response is real once a delay and a phase are taken out.
struct linear_phase {
    bool is_linear = false;
    phase64 turn; //!< the phase of the middle tap, and the mean phase of a tap and its
                  //!< mirror image
};

/*!
 * Finds out whether taps are those of a filter of linear phase: whether each is the
 * conjugate of its mirror image, up to one phase for all of them and errors of rounding.
 *
 * \param taps the rotated taps, see filter_channel
 */
linear_phase find_linear_phase(const std::vector<std::complex<double>>& taps);

/*!
 * The channels' frequency responses on the device, scaled for the transforms. Each
 * channel keeps one run of neighbouring bins, which has all bins that the accuracy asks
 * for.
 *
 * The channels are split into groups, each with a buffer of its own, so that thousands of
 * channels fit into devices with small buffers.
 */
class channel_responses
{
public:
    /*!
     * \param forward the transforms of the blocks
     * \param channels_per_group the largest number of channels in a group
     */
    channel_responses(std::shared_ptr<context> device,
                      const cl::CommandQueue& queue,
                      const overlap_save_block& block,
                      forward_transform& forward,
                      double accuracy,
                      std::size_t channels_per_group,
                      std::size_t channels,
                      const response_layout& layout);

    //! Tells that a channel has new taps or a new frequency.
    void forget(std::size_t channel) { d_placed[channel] = false; }
    /*!
     * Computes the responses that are missing. \throws opencl_error
     *
     * \param channels all channels
     * \param needed those whose responses are needed
     */
    void provide(const std::vector<filter_channel>& channels,
                 const std::vector<std::size_t>& needed);

    struct group {
        std::size_t first, channels;
        device_buffer responses;
    };
    const std::vector<group>& groups() const { return d_groups; }
    //! The number of values from one channel's response to the next one's.
    std::size_t stride() const { return d_stride; }
    //! Whether the values are real.
    bool real() const { return d_layout.real; }
    //! The phase that was taken out of a channel's response. The channel's outputs are
    //! still to be turned by it.
    phase64 turn(std::size_t channel) const { return d_turns[channel]; }
    //! The run of each channel: its first bin and its number of bins.
    const cl::Buffer& runs() const { return d_run_table.buffer(); }
    //! The first bin that a channel keeps, and the number of bins from there on. The run
    //! may go round the end of the spectrum.
    std::size_t first_bin(std::size_t channel) const { return d_runs[channel].s[0]; }
    std::size_t bins(std::size_t channel) const { return d_runs[channel].s[1]; }

private:
    std::size_t value_bytes() const;
    void make_groups();
    bool place(const filter_channel& setup, std::size_t channel);
    bool place_run(std::size_t channel);
    void place_rows(std::size_t channel);
    void read_response();
    cl_uint2 kept_run() const;
    cl_uint2 in_whole_rows(cl_uint2 run) const;
    void copy(const device_buffer& from,
              std::size_t from_value,
              std::size_t channel,
              std::size_t at,
              std::size_t values);
    void store_runs();

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    overlap_save_block d_block;
    forward_transform& d_forward;
    double d_accuracy;
    std::size_t d_channels_per_group;
    response_layout d_layout;
    std::size_t d_stride = 0;
    std::vector<group> d_groups;
    std::vector<cl_uint2> d_runs;
    std::vector<phase64> d_turns;
    std::vector<bool> d_placed; // whether the response of each channel is there
    device_table d_run_table;
    device_buffer d_scratch;  //!< the taps of a channel, or the rows of its response
    device_buffer d_response; //!< the transform of the taps
    staged_copies d_copies;   //!< between these buffers and the memory below
    std::vector<std::complex<float>> d_values; //!< the taps or the response on the host
    std::vector<float> d_gains;                //!< the rows of a response in their places
};

} // namespace cldsp
