// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Small runs of the engine, the same each time, that judge their results.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! A small run of the engine as an application would do it, the same each time.
class scenario
{
public:
    virtual ~scenario() = default;
    /*!
     * Runs the scenario, from the first listing of devices to the last release.
     *
     * \return a description of wrong results; empty if the results are right
     * \throws the exceptions of the engine
     */
    virtual std::string run() = 0;

    //! Whether the engine had been constructed when run() threw.
    bool was_made() const { return d_made; }
    //! Whether the host had to take over.
    bool fell_back() const { return d_fell_back; }

protected:
    void start() { d_made = d_fell_back = false; }
    void made() { d_made = true; }
    void end(bool fell_back) { d_fell_back = fell_back; }

private:
    bool d_made = false;
    bool d_fell_back = false;
};

//! A function that makes a scenario and computes the expected results.
struct scenario_kind {
    std::string name;
    //! The argument is the id of the first OpenCL device.
    std::function<std::unique_ptr<scenario>(const std::string&)> make;
    //! Whether devices, contexts and executors are made as in another scenario, so that
    //! the commands make the difference.
    bool is_variation = false;
};

const scenario_kind& find_scenario_kind(const std::string& name);

const std::vector<scenario_kind>& scenario_kinds();

//! Sets how long the scenarios wait for a device before they take it for lost; 0: for
//! ever.
void set_device_timeout(double seconds);

} // namespace cldsp
