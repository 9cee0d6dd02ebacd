// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The visibilities of a block of samples, without a flowgraph.

#ifndef INCLUDED_CLDSP_CORRELATE_H
#define INCLUDED_CLDSP_CORRELATE_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/iq_types.h>
#include <gnuradio/gr_complex.h>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gr {
namespace cldsp {

//! The samples of several antennas, each a row, and the visibilities of their
//! integrations.
template <class T>
struct correlate_args {
    std::size_t antennas = 1;
    std::size_t samples = 1; //!< of each antenna
    const T* in = nullptr;
    std::size_t leading = 0;       //!< samples from row to row
    std::uint64_t integration = 1; //!< samples of an integration
    //! samples / integration vectors of antennas (antennas + 1) / 2 visibilities
    gr_complex* out = nullptr;
};

/*!
 * \brief The visibilities of a block of samples, without a flowgraph: see class
 * correlator, which defines their order.
 *
 * Samples after the last whole integration are left out. If \p device leaves a choice,
 * the host computes the first calls of the process, some seconds of work, at once; later
 * ones measure, as all do with the preference [cldsp] plan=wait. Thread-safe.
 *
 * \param args the samples; \p T is gr_complex or cs8
 * \param device as for correlator::make()
 * \throws std::invalid_argument naming the parameter, its value and the range; also for a
 *         named device that cannot be used
 */
template <class T>
CLDSP_API void correlate(const correlate_args<T>& args,
                         const std::string& device = "auto");

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CORRELATE_H */
