// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shares the channels of a bank among several devices.

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"
#include "freq_xlating/group_selection.h"

#include <cldsp/device.h>
#include <cldsp/filter_problem.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The numbers of channels that devices of different rates get. They add up to
 * \p channels, and differ from the exact parts by less than one.
 *
 * \param rates of each device, 0 or more; a device of rate 0 gets no channel
 * \return empty if no device has a rate above 0
 */
std::vector<std::size_t> counts_by_rates(std::size_t channels,
                                         const std::vector<double>& rates);

/*!
 * Deals a bank's channels out to devices. Each device gets its part of the channels of
 * every rate and of every length, in turn with the others: so calls with some idle
 * channels are balanced, too.
 *
 * \param counts the number of channels for each device; together all channels
 * \return the channels of each device, in ascending order
 */
std::vector<std::vector<std::size_t>>
deal_channels(const freq_xlating_filter_bank_problem& bank,
              const std::vector<std::size_t>& counts);

//! The times of calls that several devices compute together.
struct share_times {
    std::vector<double> seconds; //!< of each device; infinite: it failed
    double call = 0;             //!< of the whole call
};

//! Numbers of channels that balance the devices.
struct balanced_shares {
    std::vector<std::size_t> counts; //!< empty: every device failed
    std::vector<double> rates; //!< channels per second of each device; 0: it failed, or
                               //!< it was no help
    double call = 0;           //!< seconds of a call
};

/*!
 * Searches for numbers of channels with which all devices take the same time. It begins
 * with supposed rates. Then the numbers follow from the rates, which are measured again
 * with these numbers. The slowest device gets no channels if calls take less than 5 %
 * longer without it.
 *
 * \param rates the supposed rate of each device, above 0
 * \param measure runs calls with these numbers of channels. In its first call the numbers
 *        may add up to more than \p channels, because every device is measured
 */
balanced_shares balance_shares(
    std::size_t channels,
    const std::vector<double>& rates,
    const std::function<share_times(const std::vector<std::size_t>&)>& measure);

//! The part of a bank that one device computes.
struct device_share {
    device_info device;
    std::vector<std::size_t> channels; //!< in ascending order
    filter_selection selected;         //!< the executor of these channels, and its plan
    //! The channels per second of the device, or 1 where the rates are not known. The
    //! channels of a failed device are dealt out to the others in proportion to their
    //! rates.
    double rate = 1;
};

/*!
 * The executor of a bank whose channels are shared over several devices. All of them
 * compute at the same time, each with its own thread of the host.
 *
 * If a device fails, its channels go to the others, which compute them for the same call:
 * no output is lost or repeated. If all devices have failed, a call throws what the last
 * one threw.
 */
class shared_channels final : public filter_executor
{
public:
    /*!
     * Makes the executor of a device for more channels than it has.
     *
     * \param plan the plan of the executor that the device has
     * \throws opencl_error and std::invalid_argument if the device cannot compute them
     */
    using maker = std::function<filter_selection(const device_info& device,
                                                 const freq_xlating_filter_bank_problem&,
                                                 const chosen_plan& plan)>;

    shared_channels(const freq_xlating_filter_bank_problem& problem,
                    std::vector<device_share> shares,
                    maker make,
                    logger log);

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;
    void set_stream_memory(memory_region in, memory_region) override;
    std::string device_name() const override;
    std::string variant_name() const override;
    std::string transfer_name() const override;
    run_statistics statistics() const override;
    void clear_statistics() override;
    bool device_is_lost() const override;
    bool take_new_plan(chosen_plan& plan) override;

    //! The plan of all devices together, without a rate.
    chosen_plan plan() const;
    //! The seconds of the last call on a device; infinite if it has failed.
    double seconds_of(const device_info& device) const;

private:
    struct member {
        device_share share;
        std::size_t history = 0; // items before the newest one that an output needs
        std::vector<channel_call> calls; // one for each of its channels
        double seconds = 0;              // of the last call
        std::exception_ptr error;
        std::string failure; // why the device failed; empty: it has not
    };
    struct place {
        std::size_t member, index;
    };

    template <class Action>
    static void guarded(member& one, const Action& action);
    void find_places();
    void find_history(member& one) const;
    bool prepare(member& one, const filter_call& call);
    void run_member(member& one, const filter_call& call) const;
    bool has_failures() const;
    void give_away();
    std::vector<std::size_t> take_out_failed();
    void add_channels(member& one, const std::vector<std::size_t>& channels);
    template <class F>
    std::string of_all(const F& name) const;

    freq_xlating_filter_bank_problem d_problem; // with the present taps and frequencies
    const maker d_make;
    const logger d_log;
    std::vector<member> d_members;
    std::vector<place> d_places;              // of each channel
    std::vector<std::complex<float>*> d_left; // outputs that a call still has to compute
    std::vector<member*> d_due;               // members that have some of them
    memory_region d_in{};
    thread_pool d_pool;
    std::uint64_t d_calls = 0, d_outputs = 0;
    std::string d_last_name, d_reason; // of the devices that failed
    bool d_device_is_lost = false, d_changed = false;
};

} // namespace cldsp
