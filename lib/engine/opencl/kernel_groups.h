// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fits the work-groups of a kernel to what the compiled kernel may have.

#pragma once

#include "opencl/commands.h"

#include <cldsp/context.h>
#include <cldsp/device_limits.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace cldsp {

//! A compiled kernel may have fewer work-items in a group than it was built for: the
//! groups of a small GPU share few registers. Whoever can makes a smaller one, by
//! with_groups_that_run(); elsewhere the variant is left out with this reason.
class group_refused : public std::invalid_argument
{
public:
    group_refused(const std::string& text, std::size_t most)
        : std::invalid_argument(text), d_most(most)
    {
    }
    //! The work-items that a group of the kernel may have.
    std::size_t most() const { return d_most; }

private:
    std::size_t d_most;
};

//! \throws group_refused always: the compiled kernels may have \p most work-items
[[noreturn]] void refuse_group(const context& device,
                               std::size_t most,
                               std::size_t items,
                               const std::string& variant);

//! \throws group_refused if a group of the compiled kernel may not have \p items
//! work-items
void check_group_size(const context& device,
                      const cl::Kernel& kernel,
                      std::size_t items,
                      const std::string& variant);

//! The largest power of two that is at most \p wanted and the work-items that a group of
//! the compiled kernel may have, in its first dimension. For kernels that run in groups
//! of any size.
std::size_t
group_up_to(const context& device, const cl::Kernel& kernel, std::size_t wanted);

//! The fewest work-items for which a smaller group is made.
constexpr std::size_t min_group = 16;

//! Whether kernels should keep few values in the registers of a work-item: where compiled
//! kernels run in small groups alone, more of them spill, and take long to compile.
//! Groups below min_group would have no room for useful sizes.
bool has_few_registers(const device_limits& limits);

//! The limits with groups of at most \p items work-items.
device_limits with_groups_of(device_limits limits, std::size_t items);

/*!
 * Calls \p make with limits, which chooses the sizes of kernels by them, builds these and
 * checks each by check_group_size(). Where one is refused, \p make is called again for
 * groups as small as that kernel may have. Programs that were built before come from the
 * cache.
 *
 * \returns what \p make returns
 * \throws group_refused if a kernel may not even have \p min_group work-items, or \p make
 *         has no sizes for as few
 */
template <class Make>
auto with_groups_that_run(device_limits limits, const Make& make)
{
    std::optional<group_refused> refused;
    for (;;) {
        try {
            return make(std::as_const(limits));
        } catch (const group_refused& now) {
            if (now.most() < min_group || now.most() >= limits.max_work_group_size)
                throw;
            limits = with_groups_of(limits, now.most());
            refused = now;
        } catch (const std::invalid_argument&) {
            if (refused)
                throw group_refused(*refused);
            throw;
        }
    }
}

} // namespace cldsp
