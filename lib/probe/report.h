// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The reports that a probe sends as messages.

#ifndef INCLUDED_CLDSP_PROBE_REPORT_H
#define INCLUDED_CLDSP_PROBE_REPORT_H

#include "probe/run.h"
#include <gnuradio/cldsp/tune_probe.h>
#include <cldsp/roofline.h>
#include <pmt/pmt.h>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! A report of a probe: a dict with the keys event and text, and further keys.
class probe_report
{
public:
    probe_report(const std::string& event, const std::string& text);

    probe_report& add(const char* key, const pmt::pmt_t& value);
    probe_report& add(const char* key, const std::string& value);
    probe_report& add(const char* key, double value);
    probe_report& add_count(const char* key, std::uint64_t value);
    probe_report& add_flag(const char* key, bool value);

    const pmt::pmt_t& message() const { return d_message; }
    const std::string& text() const { return d_text; }

private:
    std::string d_text;
    pmt::pmt_t d_message;
};

probe_report progress_report(const ::cldsp::device_info& device,
                             const ::cldsp::device_tunable& kernel,
                             const ::cldsp::tuning_progress& progress);
probe_report result_report(const ::cldsp::device_info& device,
                           const ::cldsp::device_tunable& kernel,
                           const ::cldsp::tuning_result& result);
probe_report roofline_report(const ::cldsp::device_info& device,
                             const ::cldsp::roofline& roof);
probe_report blocks_report(const std::vector<block_statistics>& blocks);
probe_report done_report(const probe_outcome& outcome, bool stopped);

//! The rooflines of devices by their names. Thread-safe.
class probe_roofs
{
public:
    void add(const std::string& device, const ::cldsp::roofline& roof);
    //! The roofline of a device; empty: the device was never measured. A device that was
    //! not found is looked up again after a probe of this process has measured one, and
    //! after look_again().
    std::optional<::cldsp::roofline> find(const std::string& device);
    void look_again();
    //! The name of the device that was added last; empty: there is none.
    std::string last() const;

private:
    void forget_unknown();

    mutable std::mutex d_mutex;
    std::map<std::string, std::optional<::cldsp::roofline>> d_roofs;
    std::string d_last;
    std::size_t d_measured = 0; // those that were there when something was looked up
};

//! The statistics of the blocks that run now, sorted by alias and compared with the
//! rooflines of their devices.
std::vector<block_statistics> running_statistics(probe_roofs& roofs);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_REPORT_H */
