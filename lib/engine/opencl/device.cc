// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists the platforms and devices of OpenCL, and finds those that a text names.

#include "base/engine_threads.h"
#include "base/exits.h"
#include "base/forks.h"
#include "opencl/icd_search.h"
#include "opencl/pocl_workers.h"
#include "opencl/program_cache.h"
#include "opencl/rusticl.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/errors.h>
#include <cldsp/opencl_platforms.h>
#include <cldsp/pocl.h>

#include <system_error>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <set>

namespace cldsp {

const char* device_kind_name(device_kind kind)
{
    switch (kind) {
    case device_kind::host:
        return "host";
    case device_kind::cpu:
        return "cpu";
    case device_kind::gpu:
        return "gpu";
    case device_kind::accelerator:
        break;
    }
    return "accelerator";
}

namespace {

std::string lower_case(std::string text)
{
    for (auto& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// Whether the loader has loaded the drivers for the engine.
std::atomic<bool> drivers_are_loaded{ false };

std::mutex& listing_mutex()
{
    static auto& mutex = *new std::mutex; // threads may outlive static objects
    return mutex;
}

// Removes the NULs and spaces with which some drivers end or pad their texts.
std::string trimmed(std::string text)
{
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
    text.erase(std::find_if_not(text.rbegin(), text.rend(), is_space).base(), text.end());
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
    return text;
}

// Whether a version text is "OpenCL 1.1 ..." or older. A text of another form is taken
// for a newer version.
bool older_than_1_2(const std::string& version)
{
    return version.rfind("OpenCL 1.0", 0) == 0 || version.rfind("OpenCL 1.1", 0) == 0;
}

// A device may report several types, as simulators do. The kernels for GPUs suit most of
// these devices.
device_kind kind_of(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return device_kind::gpu;
    if (type & CL_DEVICE_TYPE_CPU)
        return device_kind::cpu;
    return device_kind::accelerator;
}

// What a driver tells of a device, or \p instead if it refuses the query. Only what every
// kernel depends on leaves a device out when it is not told.
template <cl_device_info query, class T>
T told_or(const cl::Device& device, T instead)
{
    T value{};
    return clGetDeviceInfo(device(), query, sizeof(value), &value, nullptr) == CL_SUCCESS
               ? value
               : instead;
}

// Whether queues tell when their commands ran. A driver may report such queues and then
// refuse them; a timer without a resolution tells the truth. Mesa's rusticl holds a lock
// while it waits for the times of a command, so that nobody can ask for its status.
bool tells_times(const cl::Device& device, const std::string& platform_name)
{
    const auto properties =
        told_or<CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties>(device, 0);
    return (properties & CL_QUEUE_PROFILING_ENABLE) != 0 &&
           told_or<CL_DEVICE_PROFILING_TIMER_RESOLUTION, std::size_t>(device, 0) > 0 &&
           !is_rusticl(platform_name);
}

// Whether fma() is an instruction. PoCL looks for it on x86 only; every 64-bit Arm
// processor has it.
bool has_fma(const cl::Device& device, const std::string& platform_name)
{
#ifdef __aarch64__
    if (is_pocl(platform_name))
        return true;
#endif
    return (told_or<CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config>(device, 0) &
            CL_FP_FMA) != 0 &&
           !is_rusticl(platform_name);
}

device_limits limits_of(const cl::Device& device, const std::string& platform_name)
{
    device_limits limits;
    const auto sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
    for (std::size_t i = 0; i < std::min<std::size_t>(3, sizes.size()); i++)
        limits.max_work_item_sizes[i] = std::max<std::size_t>(1, sizes[i]);
    const auto extensions = " " + device.getInfo<CL_DEVICE_EXTENSIONS>() + " ";
    limits.max_work_group_size =
        std::max<std::size_t>(1, device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
    limits.local_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    limits.max_buffer = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    // Without an answer the least that OpenCL's embedded profile permits is assumed.
    limits.max_constant_buffer =
        told_or<CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong>(device, 1024);
    limits.max_parameter_size =
        told_or<CL_DEVICE_MAX_PARAMETER_SIZE, std::size_t>(device, 256);
    limits.base_address_alignment = // given in bits
        std::max<std::size_t>(
            1, told_or<CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint>(device, 1024) / 8);
    limits.compute_units =
        std::max<std::size_t>(1, device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
    limits.native_vector_width_float = std::max<std::size_t>(
        1, told_or<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint>(device, 1));
    limits.images = told_or<CL_DEVICE_IMAGE_SUPPORT, cl_bool>(device, CL_FALSE) != 0;
    limits.fp16 = extensions.find(" cl_khr_fp16 ") != std::string::npos;
    limits.fp64 = extensions.find(" cl_khr_fp64 ") != std::string::npos;
    limits.host_unified_memory =
        told_or<CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool>(device, CL_FALSE) != 0;
    limits.out_of_order =
        (told_or<CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties>(device, 0) &
         CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    limits.fma = has_fma(device, platform_name);
    // A CPU's local memory is in its caches.
    limits.fast_local_memory =
        kind_of(device.getInfo<CL_DEVICE_TYPE>()) == device_kind::cpu ||
        told_or<CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type>(device, CL_GLOBAL) ==
            CL_LOCAL;
    limits.profiling = tells_times(device, platform_name);
    limits.maps_in_place = !is_rusticl(platform_name);
    return limits;
}

// The reason why a device cannot run the engine's kernels; empty: it can.
std::string unfit_reason(const cl::Device& device)
{
    if (!device.getInfo<CL_DEVICE_AVAILABLE>())
        return "is not available";
    if (!device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>())
        return "has no compiler";
    if (older_than_1_2(device.getInfo<CL_DEVICE_VERSION>()))
        return "is older than OpenCL 1.2";
    return "";
}

// 0: it is no GPU of NVIDIA's. PoCL may imitate one.
int compute_capability_of(const cl::Device& device, const device_info& info)
{
    constexpr cl_device_info major_number = 0x4000, minor_number = 0x4001;
    if (info.is_pocl || info.kind != device_kind::gpu)
        return 0;
    const std::string extensions = " " + device.getInfo<CL_DEVICE_EXTENSIONS>() + " ";
    cl_uint major = 0, minor = 0;
    if (extensions.find(" cl_nv_device_attribute_query ") == std::string::npos ||
        clGetDeviceInfo(device(), major_number, sizeof(major), &major, nullptr) !=
            CL_SUCCESS ||
        clGetDeviceInfo(device(), minor_number, sizeof(minor), &minor, nullptr) !=
            CL_SUCCESS)
        return 0;
    return static_cast<int>(10 * major + minor);
}

device_info info_of(const cl::Device& device, std::size_t platform, std::size_t index)
{
    device_info info;
    info.kind = kind_of(device.getInfo<CL_DEVICE_TYPE>());
    info.platform = platform;
    info.index = index;
    info.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
    const cl::Platform owner(device.getInfo<CL_DEVICE_PLATFORM>());
    info.platform_name = trimmed(owner.getInfo<CL_PLATFORM_NAME>());
    info.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
    info.version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
    info.driver_version = trimmed(device.getInfo<CL_DRIVER_VERSION>());
    info.is_pocl = is_pocl(info.platform_name);
    info.compute_capability = compute_capability_of(device, info);
    info.limits = limits_of(device, info.platform_name);
    return info;
}

void list_platform(const cl::Platform& platform,
                   std::size_t number,
                   std::vector<device_info>& found,
                   const logger& log)
{
    const std::string where = "OpenCL platform " + std::to_string(number);
    std::vector<cl::Device> devices;
    try {
        devices = opencl_devices(platform);
    } catch (const cl::Error& e) {
        log_to(log,
               log_level::debug,
               where + " has no device: " + opencl_error_name(e.err()));
        return;
    }
    for (std::size_t i = 0; i < devices.size(); i++) {
        const std::string which = where + ", device " + std::to_string(i) + " ";
        try {
            const std::string reason = unfit_reason(devices[i]);
            if (reason.empty())
                found.push_back(info_of(devices[i], number, i));
            else
                log_to(log, log_level::debug, which + reason);
        } catch (const cl::Error& e) {
            log_to(log,
                   log_level::warning,
                   which + "is left out: " + e.what() + " failed with " +
                       opencl_error_name(e.err()));
        }
    }
}

bool is_forked_from_user_of_opencl(const logger& log)
{
    if (!is_forked())
        return false;
    static std::atomic<bool> told{ false };
    log_to(log,
           told.exchange(true) ? log_level::debug : log_level::warning,
           "no OpenCL device: this process was forked from one that had used OpenCL");
    return true;
}

void tell_no_platform(const logger& log, const std::string& error)
{
    log_to(log,
           log_level::debug,
           "no OpenCL platform" + error +
               ": is a driver installed, and does OCL_ICD_VENDORS name its folder?");
}

std::vector<cl::Platform> list_platforms(const logger& log)
{
    std::vector<cl::Platform> platforms;
    try {
        platforms = opencl_platforms();
    } catch (const cl::Error& e) { // so the ICD loader reports that there is no platform
        tell_no_platform(log, " (" + opencl_error_name(e.err()) + ")");
        return {};
    }
    if (platforms.empty())
        tell_no_platform(log, "");
    return platforms;
}

//! The devices of all drivers, which are loaded into this process.
std::vector<device_info> loaded_devices(const logger& log)
{
    std::vector<device_info> found;
    const auto platforms = list_platforms(log);
    for (std::size_t i = 0; i < platforms.size(); i++)
        list_platform(platforms[i], i, found, log);
    return found;
}

//! Whether a text is told for the first time in this process.
bool is_news(const logger& log, const std::string& text)
{
    static auto& mutex = *new std::mutex;
    static auto& told = *new std::set<std::string>;
    const std::lock_guard<std::mutex> guard(mutex);
    return log && told.insert(text).second;
}

void warn_once(const logger& log, const std::string& text)
{
    log_to(log, is_news(log, text) ? log_level::warning : log_level::debug, text);
}

void tell(const driver_verdict& verdict, const logger& log)
{
    const std::string doctor = "; 'cldsp doctor' tells more";
    for (const auto& driver : verdict.failed)
        warn_once(log,
                  verdict.devices.empty()
                      ? "OpenCL is not used: " + driver.text() + doctor
                      : "an OpenCL driver is not used: " + driver.text() + doctor);
    for (const auto& device : verdict.unusable)
        log_to(log, log_level::debug, device.text());
    if (verdict.devices.empty() && verdict.unusable.empty() && verdict.failed.empty())
        tell_no_platform(log, "");
}

//! The OpenCL devices that are there for a text.
struct found_drivers {
    std::vector<device_info> devices;
    std::string missing; //!< why there may be more
};

//! \param is_named whether devices are named, so that it is worth waiting for them
found_drivers look_for_devices(const device_listing& how, bool is_named)
{
    found_drivers found;
    auto policy = policy_in_use(how.drivers);
    if (is_forked_from_user_of_opencl(how.log))
        return found;
    if (policy == driver_policy::prove) {
        const auto proof = prove_drivers(
            how, how.at_once && !is_named ? driver_trial::none : driver_trial::if_needed);
        if (proof.verdict) {
            tell(*proof.verdict, how.log);
            found.devices = proof.verdict->devices;
            for (const auto& driver : proof.verdict->failed)
                found.missing += "; " + driver.text();
            for (const auto& device : proof.verdict->unusable)
                found.missing += "; " + device.text();
            return found;
        }
        if (proof.why_not.empty())
            return found;
        policy = driver_policy::named;
        const std::string why =
            "no other process can try the OpenCL drivers (" + proof.why_not + ")";
        warn_once(how.log, why + ": they are loaded only for a device that is named");
        found.missing = "; " + why;
    }
    if (is_named ||
        (policy == driver_policy::trust && (!how.at_once || drivers_are_loaded)))
        found.devices = loaded_devices(how.log);
    return found;
}

bool is_index(const std::string& text)
{
    const auto colon = text.find(':');
    const auto digits = [](const std::string& part) {
        return !part.empty() &&
               std::all_of(part.begin(), part.end(), [](unsigned char c) {
                   return std::isdigit(c) != 0;
               });
    };
    return colon != std::string::npos && digits(text.substr(0, colon)) &&
           digits(text.substr(colon + 1));
}

// The text for all GPUs, which share the channels of a bank.
constexpr const char* several_gpus = "gpus";

// Whether an entry of a list of devices has the form of one.
bool is_entry(const std::string& text) { return text == "host" || is_index(text); }

//! The entries of a list of devices, without spaces; empty: the text has no comma.
std::vector<std::string> entries_of(const std::string& text)
{
    std::vector<std::string> entries;
    if (text.find(',') == std::string::npos)
        return entries;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        entries.push_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return entries;
}

bool matches(const device_info& device, const std::string& text)
{
    if (text == "auto")
        return true;
    if (device.is_host())
        return false;
    if (text == "gpu" || text == several_gpus)
        return device.kind == device_kind::gpu;
    if (text == "cpu")
        return device.kind == device_kind::cpu;
    if (is_index(text))
        return device.id() == text;
    return lower_case(device.name).find(text) != std::string::npos ||
           lower_case(device.platform_name).find(text) != std::string::npos ||
           (device.is_pocl && text == "pocl");
}

//! The devices with their names, for a message.
std::string names_of(const std::vector<device_info>& devices)
{
    std::string names;
    for (const auto& d : devices)
        names += (names.empty() ? "" : ", ") + d.id() +
                 (d.is_host() ? "" : " (" + d.name + ")");
    return names;
}

[[noreturn]] void refuse(const std::string& value,
                         const std::string& range,
                         const std::vector<device_info>& devices,
                         const std::string& missing)
{
    throw_invalid("device", value, range + "; there is " + names_of(devices) + missing);
}

//! The devices of a list, in its order.
std::vector<device_info> listed_devices(const std::string& text,
                                        const std::vector<std::string>& entries,
                                        const std::vector<device_info>& devices,
                                        const std::string& missing)
{
    std::vector<device_info> found;
    for (const auto& entry : entries) {
        const auto device =
            std::find_if(devices.begin(), devices.end(), [&](const device_info& d) {
                return d.id() == entry;
            });
        if (device == devices.end())
            refuse("'" + text + "' with the entry '" + entry + "'",
                   "a list of P:D and host, of devices that are there",
                   devices,
                   missing);
        if (std::any_of(found.begin(), found.end(), [&](const device_info& d) {
                return d.id() == entry;
            }))
            refuse("'" + text + "' with '" + entry + "' twice",
                   "a list that names each device once",
                   devices,
                   missing);
        found.push_back(*device);
    }
    return found;
}

bool is_platform_of_pocl(const cl::Platform& platform)
{
    try {
        return is_pocl(platform.getInfo<CL_PLATFORM_NAME>());
    } catch (const cl::Error&) {
        return false;
    }
}

//! The device of a platform with a name, which is mostly the one at its index.
std::optional<cl::Device> device_of(const cl::Platform& platform,
                                    const device_info& wanted)
{
    const auto devices = opencl_devices(platform);
    const auto is_it = [&](const cl::Device& device) {
        return trimmed(device.getInfo<CL_DEVICE_NAME>()) == wanted.name;
    };
    if (wanted.index < devices.size() && is_it(devices[wanted.index]))
        return devices[wanted.index];
    const auto found = std::find_if(devices.begin(), devices.end(), is_it);
    return found == devices.end() ? std::nullopt : std::optional<cl::Device>(*found);
}

// The order of find_devices(): GPUs, accelerators, CPUs, the host.
int rank(const device_info& device)
{
    switch (device.kind) {
    case device_kind::gpu:
        return 0;
    case device_kind::accelerator:
        return 1;
    case device_kind::cpu:
        return 2;
    default:
        return 3;
    }
}

} // namespace

std::string device_info::id() const
{
    return is_host() ? "host" : std::to_string(platform) + ":" + std::to_string(index);
}

std::string device_info::lasting_name() const
{
    // "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 19.1.7, DRM 3.61, 6.12.48-amd64)"
    const auto kernel = name.find(", DRM ");
    if (kernel == std::string::npos)
        return name;
    const auto end = std::min(name.find(')', kernel), name.size());
    return name.substr(0, kernel) + name.substr(end);
}

std::string device_info::describe() const
{
    if (is_host())
        return "host: this machine's processor, without OpenCL";
    return id() + ": " + name + " (" + device_kind_name(kind) + ", " + platform_name +
           ", " + version + ", driver " + driver_version + ")";
}

namespace {

// The loader reads its variables in the first call of the process, and then loads the
// drivers that they name. So the variables name some drivers alone during this call,
// where others are known to fail, and only there: a thread that reads the environment at
// the same time, in whatever library, may get a wrong value of these two variables, or
// miss another one while the array of variables moves. If some other code of the process
// has called the loader before, all drivers are loaded already, and the variables mean
// nothing. A second caller of the loader waits in it, and gets the same drivers.
std::vector<cl::Platform> loaded_platforms(const std::vector<icd_entry>& only)
{
    const std::lock_guard<std::mutex> one_at_a_time(listing_mutex());
    watch_forks();
    std::vector<cl::Platform> platforms;
    if (drivers_are_loaded || only.empty()) {
        drivers_are_loaded = true;
        cl::Platform::get(&platforms);
        return platforms;
    }
    try {
        const shown_drivers shown(only);
        struct restored {
            shown_drivers::variables before;
            ~restored() { shown_drivers::set(before); }
        } variables{ shown_drivers::set(shown.values()) };
        drivers_are_loaded = true;
        cl::Platform::get(&platforms);
    } catch (const std::system_error&) {
        // No folder can name the good drivers alone, so that none is loaded.
        throw cl::Error(CL_OUT_OF_HOST_MEMORY, "clGetPlatformIDs");
    }
    return platforms;
}

} // namespace

// Drivers start threads when they are listed, which all contexts use later. So an idle
// thread leaves the listing to its normal one.
std::vector<cl::Platform> opencl_platforms(const std::vector<icd_entry>& only)
{
    return at_normal_priority([&] {
        auto platforms = loaded_platforms(only);
        libraries_were_loaded();
        return platforms;
    });
}

std::vector<cl::Device> opencl_devices(const cl::Platform& platform)
{
    return at_normal_priority([&] {
        const std::lock_guard<std::mutex> one_at_a_time(listing_mutex());
        const pocl_worker_binding binding(is_platform_of_pocl(platform));
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        libraries_were_loaded();
        return devices;
    });
}

cl::Device opencl_device(const device_info& device, driver_policy drivers)
{
    const auto verdict =
        policy_in_use(drivers) == driver_policy::prove ? latest_verdict() : std::nullopt;
    std::vector<cl::Platform> platforms;
    if (!verdict || verdict->may_load())
        platforms = opencl_platforms(verdict ? verdict->only : std::vector<icd_entry>());
    if (device.platform < platforms.size())
        std::rotate(platforms.begin(),
                    platforms.begin() + static_cast<std::ptrdiff_t>(device.platform),
                    platforms.end());
    else if (!verdict)
        platforms.clear();
    for (const auto& platform : platforms) {
        if (!verdict) {
            const auto devices = opencl_devices(platform);
            if (device.index < devices.size())
                return devices[device.index];
            break;
        }
        if (trimmed(platform.getInfo<CL_PLATFORM_NAME>()) == device.platform_name)
            if (const auto found = device_of(platform, device))
                return *found;
    }
    throw cl::Error(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
}

device_listing standard_listing(const logger& log)
{
    device_listing how;
    how.log = log;
    how.cache_folder = program_cache::default_folder();
    return how;
}

std::vector<device_info> list_devices(const device_listing& how)
{
    auto found = look_for_devices(how, false).devices;
    found.emplace_back(); // the host
    return found;
}

std::vector<device_info> list_devices(const logger& log)
{
    return list_devices(standard_listing(log));
}

std::vector<device_info> find_devices(const std::string& text, const device_listing& how)
{
    std::vector<device_info> found;
    if (is_host_text(text)) { // A driver that fails may end the process.
        found.emplace_back();
        return found;
    }
    const std::string wanted = lower_case(trimmed(text));
    auto drivers = look_for_devices(how, wanted != "auto");
    auto& devices = drivers.devices;
    devices.emplace_back(); // the host
    if (!wanted.empty())
        std::copy_if(devices.begin(),
                     devices.end(),
                     std::back_inserter(found),
                     [&](const device_info& d) { return matches(d, wanted); });
    if (found.empty()) { // a device's name may have commas
        const auto entries = entries_of(wanted);
        if (std::any_of(entries.begin(), entries.end(), is_entry))
            return listed_devices(text, entries, devices, drivers.missing);
    }
    if (found.empty() && (wanted == "gpu" || wanted == several_gpus || wanted == "cpu"))
        throw std::invalid_argument(
            "parameter 'device' is '" + text + "', but there is no " +
            (wanted == "cpu" ? "processor with an OpenCL driver" : "GPU") +
            " here; devices: " + names_of(devices) + drivers.missing);
    if (found.empty())
        refuse("'" + text + "'",
               "auto, gpu, gpus, cpu, host, P:D, a list of P:D and host such as "
               "0:0,0:1, or a part of a name that is here",
               devices,
               drivers.missing);
    std::stable_sort(
        found.begin(), found.end(), [](const device_info& a, const device_info& b) {
            return rank(a) < rank(b);
        });
    return found;
}

std::vector<device_info> find_devices(const std::string& text, const logger& log)
{
    return find_devices(text, standard_listing(log));
}

bool are_devices_known(const std::string& text, const device_listing& how)
{
    if (is_host_text(text))
        return true;
    switch (policy_in_use(how.drivers)) {
    case driver_policy::prove:
        return prove_drivers(how, driver_trial::none).verdict.has_value();
    case driver_policy::trust:
        return drivers_are_loaded;
    default:
        return true;
    }
}

bool is_host_text(const std::string& text) { return lower_case(trimmed(text)) == "host"; }

std::string host_instead_of_auto(const std::string& text)
{
    return lower_case(trimmed(text)) == "auto" ? "host" : text;
}

bool names_several_devices(const std::string& text)
{
    const std::string wanted = lower_case(trimmed(text));
    const auto entries = entries_of(wanted);
    return wanted == several_gpus ||
           (!entries.empty() && std::all_of(entries.begin(), entries.end(), is_entry));
}

bool shares_memory(const device_info& device)
{
    return device.kind == device_kind::cpu || device.limits.host_unified_memory;
}

} // namespace cldsp
