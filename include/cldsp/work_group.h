// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Candidates for the size of a work-group, by the rules of MNN and MACE.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

//! The problem and the limits on which the work-group size of a kernel depends.
struct work_group_problem {
    std::vector<std::size_t> global; //!< work-items in each of 1 to 3 dimensions
    std::size_t max_items = 1;       //!< work-items in a group of this kernel at most
    std::size_t max_in_dimension[3] = { 1, 1, 1 };
    std::size_t compute_units = 1;
    std::size_t cache_bytes = 0; //!< size of the cache of the device's global memory

    //! \throws std::invalid_argument for 0 or more than 3 dimensions, or if another
    //! member than cache_bytes is 0
    void check() const;
    //! Whether the device takes a group of this size.
    bool allows(const std::vector<std::size_t>& group) const;
};

//! The number of work-items of a group in each dimension of the problem.
using work_group = std::vector<std::size_t>;

/*
 * The rules of two frameworks for neural networks on mobile devices, MNN and MACE, for
 * work-group sizes. Each list has only sizes that the device allows, none of them twice;
 * it has the group of one work-item if there is no other. All functions throw
 * std::invalid_argument as work_group_problem::check() does.
 */

//! MNN's search: every power of two in each dimension, up to twice the global size.
std::vector<work_group> powers_work_groups(const work_group_problem& problem);

/*!
 * MACE's search. In three dimensions with global size (x, y, z): all combinations of x,
 * x/4, x/8, 4 or 1 with y and with z, z/8, z/4, 8, 4 or 1. In two dimensions, where a
 * group has at most k work-items: (k/2^i, 2^i) for i = 1 to 8, (k, 1) and (1, k). For one
 * dimension MACE has no rule, and this function takes the first numbers of those pairs.
 */
std::vector<work_group> candidates_work_groups(const work_group_problem& problem);

//! MNN's size without a search: each dimension is divided into twice as many groups as
//! there are compute units, or into the next larger number of groups that divides it.
work_group mnn_default_work_group(const work_group_problem& problem);

//! MACE's size without a search: the whole second dimension, if there is one; in the
//! other dimensions as many work-items as the cache has pieces of 16 KiB.
work_group mace_default_work_group(const work_group_problem& problem);

//! Every number of work-items that the rules above give for a dimension, in ascending
//! order: the values of a tuning parameter.
//! \throws std::invalid_argument as work_group_problem::check() does, and if there is no
//! such \p dimension
std::vector<std::int64_t> work_group_values(const work_group_problem& problem,
                                            std::size_t dimension);

} // namespace cldsp
