// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that correlates antennas.

#ifndef INCLUDED_CLDSP_CORRELATOR_IMPL_H
#define INCLUDED_CLDSP_CORRELATOR_IMPL_H

#include "planned_block.h"
#include "probe/running_blocks.h"
#include <gnuradio/cldsp/correlator.h>
#include <cldsp/correlator.h>
#include <pmt/pmt.h>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind correlator.
template <class T>
class correlator_impl
    : public correlator<T>,
      public planned_block<gr::block, ::cldsp::correlator, ::cldsp::correlator_options>
{
    using base =
        planned_block<gr::block, ::cldsp::correlator, ::cldsp::correlator_options>;

public:
    correlator_impl(int antennas,
                    std::int64_t integration,
                    bool vectors,
                    const std::string& device,
                    const std::string& plan);

    void set_integration(std::int64_t integration) override;
    std::int64_t integration() const override;
    int antennas() const override { return static_cast<int>(d_antennas); }
    int visibilities() const override
    {
        return static_cast<int>(::cldsp::visibilities_of(d_antennas));
    }

    // The kernels have no parameters that a tuner could search.
    std::vector<kernel_to_tune> kernels_to_tune() const override { return {}; }
    ::cldsp::kernel_work average_work() const override;

    bool start() override;
    void forecast(int noutput_items, gr_vector_int& ninput_items_required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    std::string algorithm() const override { return "correlator"; }
    bool apply_changes(); //!< returns false if there was none
    std::size_t samples_of_call(int noutput_items,
                                const gr_vector_int& ninput_items) const;
    void add_tags(std::size_t samples, std::size_t outputs);
    pmt::pmt_t rate_of_vectors() const;

    const std::size_t d_antennas;
    const bool d_vectors;
    std::atomic<std::uint64_t> d_wanted; // samples of the next integration
    std::vector<const void*> d_first;    // of each antenna, in a call
    std::vector<gr::tag_t> d_tags;
    pmt::pmt_t d_rx_rate; // the value of the input's last tag "rx_rate"; null: none yet
    std::uint64_t d_tagged_integration =
        0; // to which the last "rx_rate" of the output fits
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CORRELATOR_IMPL_H */
