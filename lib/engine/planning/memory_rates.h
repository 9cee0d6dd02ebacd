// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The cost of bytes that do not come from a core's own cache.

#pragma once

#include <cldsp/context.h>

#include <cstddef>

namespace cldsp {

/*!
 * The cost of a byte that does not come from a core's own cache. The default values are
 * those of the machine on which host_rates were measured.
 */
struct memory_rates {
    std::size_t cache_bytes = std::size_t(1)
                              << 20; //!< of the cache that a core has alone
    //! Seconds for a byte on the way to or from the core, in work on a few times
    //! cache_bytes, which a shared cache may hold.
    double near_byte = 2e-11;
    //! Seconds for such a byte in work on 32 times cache_bytes or more.
    double far_byte = 2.2e-11;

    /*!
     * The seconds by which traffic beyond the core's own cache makes work longer.
     *
     * \param bytes that are read or written; a byte that is written counts twice, because
     *        its line is read first
     * \param working_set the bytes that the work comes back to. If they fit the cache,
     *        the traffic costs nothing more
     */
    double seconds(double bytes, double working_set) const;
};

/*!
 * The rates of this machine. The first call measures them within a tenth of a second, and
 * the registry remembers them.
 */
memory_rates calibrated_memory_rates(context_registry& registry);

//! The same, without measuring: those of the reference machine if nothing is remembered.
memory_rates known_memory_rates(context_registry& registry);

} // namespace cldsp
