// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Remembers verdicts on the drivers in this process and in a file, and asks for new ones.

#include "base/hash.h"
#include "base/json_value.h"
#include "opencl/driver_check.h"
#include "opencl/driver_surroundings.h"
#include "opencl/icd_search.h"

#include <cldsp/drivers.h>
#include <cldsp/errors.h>
#include <cldsp/locked_file.h>

#include <system_error>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace cldsp {

namespace {

using object = json_value::object;

// The file is {"format": 2, "verdicts": {KEY: TEXT}}, whose keys are surroundings and
// whose texts are verdicts.
constexpr std::int64_t format_of_verdicts = 2;
constexpr std::size_t max_verdicts = 16, max_bytes_of_verdicts = std::size_t(4) << 20;
// A driver that has failed gets another chance on the next day: not everything that may
// have changed is in the key.
constexpr std::int64_t seconds_of_failure = 24 * 3600;

using steady_clock = std::chrono::steady_clock;

//! A verdict, and when it was found to hold.
struct kept_verdict {
    driver_verdict verdict;
    steady_clock::time_point checked;
};

//! The verdicts of this process, and who tries the drivers now.
struct known_verdicts {
    std::mutex mutex; // guards the next two members, and is never held for long
    std::map<std::string, kept_verdict> all;
    std::optional<driver_verdict> latest;
    std::mutex trying;
};

known_verdicts*& verdicts_pointer()
{
    static known_verdicts* pointer = new known_verdicts; // threads may outlive statics
    return pointer;
}

// In a child of fork() a lock may stay locked by a thread that is not there.
known_verdicts& verdicts_of_process()
{
    auto& pointer = verdicts_pointer();
    static const int registered = ::pthread_atfork(
        nullptr, nullptr, [] { verdicts_pointer() = new known_verdicts; });
    (void)registered;
    return *pointer;
}

std::string file_of_verdicts(const device_listing& how)
{
    return how.cache_folder.empty() ? "" : how.cache_folder + "/drivers.json";
}

// A file cannot have a library loaded that the loader would not find.
bool are_configured(const std::vector<icd_entry>& drivers)
{
    std::vector<icd_entry> all;
    if (!drivers.empty())
        for (const bool ocl_icd : { true, false })
            for (auto& search : search_icds(ocl_icd))
                all.insert(all.end(), search.entries.begin(), search.entries.end());
    return std::all_of(drivers.begin(), drivers.end(), [&](const icd_entry& driver) {
        return std::any_of(all.begin(), all.end(), [&](const icd_entry& one) {
            return one.file == driver.file && one.library == driver.library;
        });
    });
}

bool still_holds(const driver_verdict& verdict)
{
    const auto age = static_cast<std::int64_t>(std::time(nullptr)) - verdict.time;
    return (verdict.failed.empty() || (age >= 0 && age < seconds_of_failure)) &&
           are_unchanged(verdict.files) && are_configured(verdict.only);
}

object verdicts_in(const std::optional<std::string>& bytes)
{
    const auto value = bytes ? json_value::parse(*bytes) : std::nullopt;
    if (!value || (*value)["format"].integer() != format_of_verdicts)
        return {};
    return (*value)["verdicts"].members();
}

std::optional<driver_verdict> read_verdict(const device_listing& how,
                                           const std::string& key)
{
    const auto file = file_of_verdicts(how);
    if (file.empty())
        return std::nullopt;
    try {
        const auto all =
            verdicts_in(read_file(file, max_bytes_of_verdicts, file_writer::trusted));
        const auto found = all.find(key);
        const auto text = found == all.end() ? std::nullopt : found->second.text();
        return text ? driver_verdict::parse(std::string(*text)) : std::nullopt;
    } catch (const std::system_error&) {
        return std::nullopt; // then the drivers are tried again
    }
}

std::int64_t time_of(const json_value& text)
{
    const auto verdict = driver_verdict::parse(std::string(text.text().value_or("")));
    return verdict ? verdict->time : 0;
}

void write_verdict(const device_listing& how,
                   const std::string& key,
                   const driver_verdict& verdict)
{
    const auto file = file_of_verdicts(how);
    if (file.empty())
        return;
    try {
        update_locked(
            file,
            max_bytes_of_verdicts,
            [&](const std::optional<std::string>& bytes) {
                auto all = verdicts_in(bytes);
                all[key] = verdict.text();
                while (all.size() > max_verdicts)
                    all.erase(std::min_element(
                        all.begin(), all.end(), [](const auto& a, const auto& b) {
                            return time_of(a.second) < time_of(b.second);
                        }));
                return json_value(object{ { "format", format_of_verdicts },
                                          { "verdicts", all } })
                    .print(1);
            },
            lock_waiting(how.log));
    } catch (const std::system_error& e) {
        log_to(how.log,
               log_level::debug,
               std::string("the verdict on the OpenCL drivers is not kept: ") + e.what());
    }
}

void keep_in_process(const std::string& key, const driver_verdict& verdict)
{
    auto& known = verdicts_of_process();
    const std::lock_guard<std::mutex> guard(known.mutex);
    known.all[key] = { verdict, steady_clock::now() };
    known.latest = verdict;
}

std::optional<driver_verdict> known_verdict(const device_listing& how,
                                            const std::string& key)
{
    constexpr auto fresh = std::chrono::seconds(1);
    auto& known = verdicts_of_process();
    const auto now = steady_clock::now();
    {
        const std::lock_guard<std::mutex> guard(known.mutex);
        const auto found = known.all.find(key);
        if (found != known.all.end() &&
            (now - found->second.checked < fresh || still_holds(found->second.verdict))) {
            found->second.checked = now;
            return known.latest = found->second.verdict;
        }
    }
    auto read = read_verdict(how, key);
    if (!read || !still_holds(*read))
        return std::nullopt;
    keep_in_process(key, *read);
    return read;
}

driver_proof try_drivers(const device_listing& how, const std::string& key)
{
    check_request request;
    request.cache_folder = how.cache_folder;
    request.salt = hash_text(key);
    request.stopped = how.stopped;
    request.is_slow = [&] {
        log_to(how.log,
               log_level::info,
               "waiting for the OpenCL drivers, which are tried in another process");
    };
    driver_proof proof;
    proof.verdict = check_drivers_apart(request, proof.why_not);
    if (!proof.verdict)
        return proof;
    proof.verdict->time = static_cast<std::int64_t>(std::time(nullptr));
    keep_in_process(key, *proof.verdict);
    write_verdict(how, key, *proof.verdict);
    return proof;
}

} // namespace

driver_policy driver_policy_of(const std::string& parameter, const std::string& text)
{
    if (text.empty())
        return driver_policy::standard;
    if (text == "prove")
        return driver_policy::prove;
    if (text == "named")
        return driver_policy::named;
    if (text == "trust")
        return driver_policy::trust;
    throw_invalid(parameter, "'" + text + "'", "prove, named or trust");
}

driver_policy policy_in_use(driver_policy policy)
{
    if (policy != driver_policy::standard)
        return policy;
    const char* text = std::getenv("CLDSP_DRIVERS");
    const auto set = driver_policy_of("CLDSP_DRIVERS", text ? text : "");
    return set == driver_policy::standard ? driver_policy::prove : set;
}

std::optional<driver_verdict> latest_verdict()
{
    auto& known = verdicts_of_process();
    const std::lock_guard<std::mutex> guard(known.mutex);
    return known.latest;
}

driver_proof prove_drivers(const device_listing& how, driver_trial trial)
{
    const auto key = driver_surroundings(how.cache_folder);
    const auto remembered = [&] {
        return trial == driver_trial::anew ? std::nullopt : known_verdict(how, key);
    };
    if (auto known = remembered(); known || trial == driver_trial::none)
        return { std::move(known), "" };
    std::unique_lock<std::mutex> alone(verdicts_of_process().trying, std::defer_lock);
    while (!alone.try_lock()) {
        if (how.stopped && how.stopped())
            throw planning_stopped();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (auto known = remembered()) // another thread has tried them
        return { std::move(known), "" };
    return try_drivers(how, key);
}

} // namespace cldsp
