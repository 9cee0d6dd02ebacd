// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of what follows the forward transform on a device.

#pragma once

#include "fast_convolution/channel_responses.h"
#include "fast_convolution/overlap_save.h"
#include "opencl/commands.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/tuning_values.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

struct pipeline_shape;

//! The data of the active channels that folds read.
struct active_tables {
    //! The indices of the active channels; where rows are folded a fused_fold::entry for
    //! each, in the order of the channels' bins within each group of responses.
    device_table channels;
    //! For folds with tiles: the range of rows of bins that each tile needs, as the first
    //! row and the one after the last.
    device_table tile_rows;
};

//! What a fold reads and writes: some blocks, and the active channels of one group of
//! responses.
struct fold_round {
    const cl::Buffer& spectra;
    const channel_responses& responses;
    const channel_responses::group& group;
    const active_tables& tables;
    std::size_t first, channels, first_tile; //!< in the tables
    const overlap_save_block& block;
    std::size_t blocks;
    const cl::Buffer& rotators; //!< of all active channels
    std::size_t outputs;        //!< of each channel
    const device_range& out;
};

//! Computes the outputs of channels from the spectra of blocks on a device: the fold, the
//! inverse transform and the rotator.
class channel_fold
{
public:
    virtual ~channel_fold() = default;
    //! Enqueues the kernels, and appends their events.
    virtual void enqueue(const fold_round& call, std::vector<cl::Event>& events) = 0;
};

//! The sizes of a fold, before there are kernels.
class fold_sizes
{
public:
    virtual ~fold_sizes() = default;

    //! Whether channels are computed in the order of their bins, in whole rows.
    virtual bool by_rows() const { return true; }
    //! The channels that a work-group computes together; 0: each alone.
    virtual std::size_t tile_channels() const { return 0; }
    //! The blocks that a work-group computes together.
    virtual std::size_t tile_blocks() const { return 1; }
    //! How the responses of complex channels lie in memory.
    virtual response_layout responses(const overlap_save_block& block) const = 0;

    //! Those of the tuned values that the fold has for itself.
    virtual tuning_values values() const { return {}; }
    //! These sizes with tuned values; null: the values do not fit the device.
    virtual std::shared_ptr<const fold_sizes> with(const tuning_values&,
                                                   const device_limits&) const
    {
        return nullptr;
    }
    //! These sizes, or smaller ones, that the device has been seen to compute rightly;
    //! null: these, without a look.
    //! \throws std::invalid_argument if there are none; opencl_error
    virtual std::shared_ptr<const fold_sizes>
    checked(const std::shared_ptr<context>&) const
    {
        return nullptr;
    }

    //! \throws std::invalid_argument if the device cannot run the kernels in work-groups
    //! of these sizes; opencl_error
    virtual std::unique_ptr<channel_fold> make(const std::shared_ptr<context>& device,
                                               const cl::CommandQueue& queue,
                                               const overlap_save_block& block,
                                               const pipeline_shape& shape) const = 0;
};

} // namespace cldsp
