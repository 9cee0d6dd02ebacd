/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

//! The problem and the limits that a kernel's work-group size depends on.
struct work_group_problem {
    std::vector<std::size_t> global; //!< work-items in each of 1 to 3 dimensions
    std::size_t max_items = 1;       //!< in a group of this kernel on the device
    std::size_t max_in_dimension[3] = { 1, 1, 1 };
    std::size_t compute_units = 1;
    std::size_t cache_bytes = 0; //!< of the device's global memory

    //! \throws std::invalid_argument for 0 or more than 3 dimensions, or a 0 anywhere
    //! but in cache_bytes
    void check() const;
    //! Whether the device takes a group of this size.
    bool allows(const std::vector<std::size_t>& group) const;
};

//! Work-items of a group in each dimension of its problem.
using work_group = std::vector<std::size_t>;

/*
 * The rules of two mobile frameworks for work-group sizes. Each list holds only sizes
 * that the device takes, none twice, and always the group of one work-item. All of them
 * throw as check() does.
 */

//! MNN's search: every power of two in each dimension, up to twice the global size.
std::vector<work_group> powers_work_groups(const work_group_problem& problem);

/*!
 * MACE's search. In three dimensions with global size (x, y, z): x, x/4, x/8, 4 or 1; y;
 * z, z/8, z/4, 8, 4 or 1. In two, with the largest group k: (k/2^i, 2^i) for i = 1 to 8,
 * (k, 1), (1, k). In one, for which MACE has no rule: the first numbers of those pairs.
 */
std::vector<work_group> candidates_work_groups(const work_group_problem& problem);

//! MNN without a search: each dimension is shared among twice as many groups as there are
//! compute units, or the next larger number that divides it.
work_group mnn_default_work_group(const work_group_problem& problem);

//! MACE without a search: the whole second dimension (one-dimensional: none); the others
//! as many work-items as the cache has pieces of 16 KiB.
work_group mace_default_work_group(const work_group_problem& problem);

//! Every number of work-items that the rules above name for a dimension, in ascending
//! order: the values of a tuning parameter. \throws as check() does, and if there is no
//! such \p dimension
std::vector<std::int64_t> work_group_values(const work_group_problem& problem,
                                            std::size_t dimension);

} // namespace cldsp
