// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A second mapping of a stream's memory, which a late command cannot use to do harm.

#pragma once

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <memory>
#include <vector>

namespace cldsp {

/*!
 * A second mapping, at another address, of shared memory with another owner, such as a
 * stream buffer of GNU Radio.
 *
 * The OpenCL driver of a CPU gets the address of this mapping, and works on the owner's
 * memory without a copy. When the device is lost, the mapping is replaced by private
 * memory at the same address. A late command then neither accesses memory that was freed
 * nor writes into memory that others use.
 */
class memory_alias
{
public:
    /*!
     * Makes a second mapping of \p region.
     *
     * \returns null if the memory is not shared, such as memory of malloc(), or if the
     * system cannot map it
     */
    static std::unique_ptr<memory_alias> of(const context& device,
                                            const memory_region& region);
    ~memory_alias();
    memory_alias(const memory_alias&) = delete;
    memory_alias& operator=(const memory_alias&) = delete;

    const memory_region& region() const { return d_region; } //!< the second mapping
    //! Replaces the second mapping by private memory, for good.
    //! \returns false if the system refuses it
    bool part() noexcept;

private:
    memory_alias(const context& device, const memory_region& region);

    std::shared_ptr<device_watch> d_watch;
    memory_region d_region;
    bool d_parted = false;
};

} // namespace cldsp
