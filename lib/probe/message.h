// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What a message to a probe asks for.

#ifndef INCLUDED_CLDSP_PROBE_MESSAGE_H
#define INCLUDED_CLDSP_PROBE_MESSAGE_H

#include <pmt/pmt.h>
#include <string>

namespace gr {
namespace cldsp {

//! The content of a message on a probe's port "tune".
struct probe_wish {
    bool stop = false;
    std::string what, strategy; //!< empty: the argument of tune_probe::make()
    double budget_s = 0;        //!< 0: the argument of tune_probe::make()
};

/*!
 * Reads a message: the symbol stop, or a dict with the keys what, budget_s, strategy and
 * stop. Any other message asks for a tuning with the arguments of tune_probe::make().
 *
 * \throws std::invalid_argument for an unknown key or a value of another type
 */
probe_wish probe_wish_of(const pmt::pmt_t& message);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_MESSAGE_H */
