// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists OpenCL's devices and the host, and finds those that a text names.

#pragma once

#include <cldsp/device_limits.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cldsp {

enum class device_kind { host, cpu, gpu, accelerator };

//! "host", "cpu", "gpu" or "accelerator".
const char* device_kind_name(device_kind kind);

//! One OpenCL device, or the host itself.
struct device_info {
    device_kind kind = device_kind::host;
    std::size_t platform = 0;  //!< index P of the text "P:D"
    std::size_t index = 0;     //!< index D of the text "P:D"
    std::string name = "host"; //!< OpenCL's name; "host" for the host
    std::string platform_name;
    std::string vendor;
    std::string version; //!< e.g. "OpenCL 1.2 pocl"
    std::string driver_version;
    bool is_pocl = false;
    device_limits limits;

    bool is_host() const { return kind == device_kind::host; }
    //! "P:D" or "host".
    std::string id() const;
    //! One line for a person: id, name, kind, platform, driver.
    std::string describe() const;
};

/*!
 * Every OpenCL device of this machine in the ICD loader's order, and the host as the last
 * entry. On a machine without an ICD, platform or device the list has only the host, and
 * \p log gets the reason. No failure of a driver makes this function throw.
 */
std::vector<device_info> list_devices(const logger& log = {});

/*!
 * The devices that a text names, best first.
 *
 * \param text "auto" (every device and the host), "gpu", "cpu" (OpenCL CPU devices),
 * "host" (for which no OpenCL driver is loaded), "P:D" (platform and device index), or a
 * part of a device's or platform's name (any case). More than one device may match
 * "auto", "gpu", "cpu" and a name. "gpus", or a list of "P:D" and "host" such as
 * "1:0,1:1", names devices that share the channels of a bank, see
 * names_several_devices(); those of a list are in its order.
 * \param log see list_devices()
 * \throws std::invalid_argument if no device matches, or if an entry of a list is unknown
 * or repeated; the message lists the devices
 */
std::vector<device_info> find_devices(const std::string& text, const logger& log = {});

//! Whether find_devices() finds the host alone by this text, and loads no driver.
bool is_host_text(const std::string& text);

//! The text for find_devices() where only the host can do the work that is asked for:
//! "host" instead of "auto", so that no driver is loaded, and otherwise \p text.
std::string host_instead_of_auto(const std::string& text);

/*!
 * Whether a text is "gpus" or a list, so that a filter bank shares its channels over all
 * of the devices. For the text "gpus" the host may get channels too. Work that cannot be
 * shared, such as a single filter, runs on the best of these devices.
 */
bool names_several_devices(const std::string& text);

//! Whether a device works on the host's memory, so that it needs no copy of the data.
bool shares_memory(const device_info& device);

} // namespace cldsp
