/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H
#define INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H

#include "filter_bank_block.h"
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind freq_xlating_filter_bank.
template <class IN_T, class TAP_T>
class freq_xlating_filter_bank_impl : public freq_xlating_filter_bank<IN_T, TAP_T>,
                                      public filter_bank_block
{
public:
    using taps_lists = std::vector<std::vector<TAP_T>>;

    //! \param problem one that has passed its check()
    freq_xlating_filter_bank_impl(const std::string& name,
                                  const filter_stream::problem_type& problem,
                                  const engine_choice& choice,
                                  bool rewrite_tags);

    void set_taps(const taps_lists& taps) override;
    void update_taps(const taps_lists& taps) override;
    taps_lists taps() const override;
    int add_channel(const std::vector<TAP_T>& taps,
                    double center_freq,
                    int decimation,
                    double output_rate) override;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H */
