/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_GETTERS_H
#define INCLUDED_CLDSP_ENGINE_GETTERS_H

#include "engine_variables.h"
#include <gnuradio/thread/thread.h>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * \brief What every block tells of its engine, as engine_info's functions and ControlPort
 * variables, and the lock that it takes for it.
 *
 * \p INTERFACE is the block's public class, a gr::block and engine_info; \p ENGINE is a
 * class of the engine, such as freq_xlating_fir.
 */
template <class INTERFACE, class ENGINE>
class engine_getters : public INTERFACE
{
public:
    std::string device_name() const override
    {
        const auto guard = lock();
        return engine().device_name();
    }
    std::string algorithm_name() const override
    {
        const auto guard = lock();
        return engine().algorithm_name();
    }
    std::string variant_name() const override
    {
        const auto guard = lock();
        return engine().variant_name();
    }
    std::string transfer_name() const override
    {
        const auto guard = lock();
        return engine().transfer_name();
    }
    double kernel_time_avg() const override
    {
        const auto guard = lock();
        return engine().statistics().kernel_time;
    }
    double transfer_time_avg() const override
    {
        const auto guard = lock();
        return engine().statistics().transfer_time;
    }
    std::string plan() const override
    {
        const auto guard = lock();
        return engine().plan();
    }
    bool fell_back() const override
    {
        const auto guard = lock();
        return engine().fell_back();
    }

    void setup_rpc() override { add_engine_variables(*this); }

protected:
    //! To be called with the lock held.
    virtual const ENGINE& engine() const = 0;

    // The runtime's lock for a block's parameters is not mutable, but getters need it as
    // well.
    gr::thread::scoped_lock lock() const
    {
        return gr::thread::scoped_lock(const_cast<gr::thread::mutex&>(this->d_setlock));
    }
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_GETTERS_H */
