/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! What an application does with the engine, small and the same each time.
class scenario
{
public:
    virtual ~scenario() = default;
    /*!
     * Does it from the first listing of devices to the last release.
     *
     * \return what is wrong with the results; empty: nothing
     * \throws what the engine throws
     */
    virtual std::string run() = 0;

    //! Whether the engine was made when run() threw.
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

//! How to make a scenario; what its results are compared with is computed then.
struct scenario_kind {
    std::string name;
    //! The first OpenCL device's id is passed.
    std::function<std::unique_ptr<scenario>(const std::string&)> make;
};

const std::vector<scenario_kind>& scenario_kinds();

} // namespace cldsp
