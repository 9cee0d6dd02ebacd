/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_PROBE_ROOFS_H
#define INCLUDED_CLDSP_PROBE_ROOFS_H

#include <cldsp/roofline.h>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace gr {
namespace cldsp {

//! The rooflines of devices by their names. Thread-safe.
class probe_roofs
{
public:
    void add(const std::string& device, const ::cldsp::roofline& roof);
    //! Empty: the device was never measured. What was not found is looked for again only
    //! after look_again().
    std::optional<::cldsp::roofline> find(const std::string& device);
    void look_again();
    //! The device added last; empty: none.
    std::string last() const;

private:
    mutable std::mutex d_mutex;
    std::map<std::string, std::optional<::cldsp::roofline>> d_roofs;
    std::string d_last;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_ROOFS_H */
