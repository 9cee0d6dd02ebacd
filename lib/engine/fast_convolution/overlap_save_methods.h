/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/overlap_save.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! A way of overlap-save on the host, which is a variant of fast convolution.
struct overlap_save_method {
    std::string name;
    std::unique_ptr<overlap_save> (*make)(const overlap_save_shape& shape);
    //! Whether there are blocks of this many rows, for few taps at least.
    bool (*covers)(std::size_t decimation, std::size_t rows);
    //! Nanoseconds of a block's item, as measured, and of it and a channel: what decides
    //! whether a call's rest is worth a block.
    double item_cost, channel_cost;
};

const std::vector<overlap_save_method>& overlap_save_methods();
//! The method of a name; null if there is none.
const overlap_save_method* find_overlap_save_method(const std::string& name);

/*!
 * The blocks of a method for some taps. A size that the shape's rows do not give, or that
 * would be nearly all overlap, is the smallest of which the overlap leaves three
 * quarters.
 *
 * \throws std::invalid_argument for rows or taps that the method does not cover
 */
std::unique_ptr<overlap_save> make_blocks(const overlap_save_method& method,
                                          overlap_save_shape shape);

} // namespace cldsp
