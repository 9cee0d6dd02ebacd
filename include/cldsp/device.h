// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists OpenCL's devices and the host, and finds those that a text names.

#pragma once

#include <cldsp/device_limits.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <functional>
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
    //! The compute capability of an NVIDIA GPU, e.g. 80 for 8.0; 0: it is none.
    int compute_capability = 0;
    device_limits limits;

    bool is_host() const { return kind == device_kind::host; }
    //! "P:D" or "host".
    std::string id() const;
    //! The name for what is remembered of the device. Mesa's radeonsi has the release of
    //! the kernel in its names, which is left out: an update of that would forget it all.
    std::string lasting_name() const;
    //! One line for a person: id, name, kind, platform, driver.
    std::string describe() const;
};

/*!
 * How OpenCL's drivers come into this process. A driver that fails may end the process,
 * or never return.
 */
enum class driver_policy {
    standard, //!< as the variable CLDSP_DRIVERS says, or else prove
    /*!
     * A driver has to prove itself in another process before it is loaded into this one:
     * it lists its devices, and builds and runs a kernel on each. What comes of it is
     * kept in the cache folder as a verdict. Devices are listed from the verdict, without
     * any driver; the good drivers are loaded when one of their devices is opened.
     */
    prove,
    //! No other process is started. Drivers are loaded where a device of theirs is named;
    //! "auto" is the host alone.
    named,
    trust //!< Every driver is loaded when the devices are listed.
};

//! The policy "prove", "named" or "trust"; empty: standard.
//! \param parameter what the message calls it
//! \param text the name of the policy, or an empty text
//! \throws std::invalid_argument for another text
driver_policy driver_policy_of(const std::string& parameter, const std::string& text);

//! How list_devices() and find_devices() look for devices.
struct device_listing {
    logger log; //!< gets the reasons why devices and drivers are left out
    driver_policy drivers = driver_policy::standard;
    //! The folder of verdicts, and of the programs that drivers store and load in their
    //! proof; empty: nothing is kept. context_registry::listing() fills it in.
    std::string cache_folder;
    //! Whether only what is known already counts: "auto" does not wait for drivers that
    //! have no verdict, and leaves them out. A device that is named is waited for.
    bool at_once = false;
    //! Is called while drivers prove themselves. If it returns true, that is ended, and
    //! planning_stopped is thrown. Empty: it is not stopped.
    std::function<bool()> stopped;
};

//! A listing with the standard policy, and the user's cache folder.
device_listing standard_listing(const logger& log = {});

/*!
 * Every OpenCL device of this machine in the ICD loader's order, and the host as the last
 * entry. On a machine without an ICD, platform or device the list has only the host, and
 * the log gets the reason. No failure of a driver makes this function throw.
 *
 * Where drivers are loaded only for devices that are named, the host is the only entry.
 * So it is where they should prove themselves, but no other process can be started.
 */
std::vector<device_info> list_devices(const device_listing& how);
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
 * \param how see list_devices()
 * \throws std::invalid_argument if no device matches, or if an entry of a list is unknown
 * or repeated; the message lists the devices
 */
std::vector<device_info> find_devices(const std::string& text, const device_listing& how);
std::vector<device_info> find_devices(const std::string& text, const logger& log = {});
//! Whether find_devices() has every device at once: no driver has to be tried or loaded
//! for it.
bool are_devices_known(const std::string& text, const device_listing& how);
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
