// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The blocks that are banks, for each type of input and of taps.

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H
#define INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H

#include "filter_bank_block.h"
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief A filter_bank_block with taps of the type \p TAP_T, whatever its input.
template <class TAP_T>
class bank_block : public filter_bank_block, virtual public bank_with_taps<TAP_T>
{
public:
    using taps_lists = std::vector<std::vector<TAP_T>>;

    void set_taps(const taps_lists& taps) override;
    void update_taps(const taps_lists& taps) override;
    taps_lists taps() const override;
    int add_channel(const std::vector<TAP_T>& taps,
                    double center_freq,
                    int decimation,
                    double output_rate) override;

protected:
    bank_block(const filter_stream::problem_type& problem,
               const engine_choice& choice,
               bool rewrite_tags);
};

//! \brief The block behind freq_xlating_filter_bank.
template <class IN_T, class TAP_T>
class freq_xlating_filter_bank_impl : public freq_xlating_filter_bank<IN_T, TAP_T>,
                                      public bank_block<TAP_T>
{
public:
    //! \param problem one that has passed its check()
    freq_xlating_filter_bank_impl(const std::string& name,
                                  const filter_stream::problem_type& problem,
                                  const engine_choice& choice,
                                  bool rewrite_tags);
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H */
