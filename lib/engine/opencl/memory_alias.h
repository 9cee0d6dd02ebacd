/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <memory>
#include <vector>

namespace cldsp {

/*!
 * A second place at which the host sees somebody's shared memory, such as a stream buffer
 * of GNU Radio's.
 *
 * A processor's OpenCL driver that gets this place works on the owner's memory without a
 * copy, and can be parted from it: when the device is lost, private memory takes the
 * place, so that a late command neither finds memory that was freed nor writes into what
 * others use.
 */
class memory_alias
{
public:
    /*!
     * \returns null where the memory is not shared, as what malloc() gives is not, or
     * where the system cannot do it
     */
    static std::unique_ptr<memory_alias> of(const context& device,
                                            const memory_region& region);
    ~memory_alias();
    memory_alias(const memory_alias&) = delete;
    memory_alias& operator=(const memory_alias&) = delete;

    const memory_region& region() const { return d_region; } //!< of the second place
    //! Puts private memory in its place, for good. \returns false where the system
    //! refuses it
    bool part() noexcept;

private:
    memory_alias(const context& device, const memory_region& region);

    std::shared_ptr<device_watch> d_watch;
    memory_region d_region;
    bool d_parted = false;
};

} // namespace cldsp
