// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The operations and bytes of a call, to compare its time with a roofline.

#pragma once

#include <cldsp/filter_problem.h>
#include <cldsp/roofline.h>

#include <cstddef>
#include <string>

namespace cldsp {

//! The operations and bytes of a call. With them the time of the call can be compared
//! with a roofline.
struct kernel_work {
    double operations = 0; //!< single-precision operations; a multiply-add is two
    double bytes = 0;      //!< all inputs and outputs, once: no kernel moves fewer

    double intensity() const { return bytes > 0 ? operations / bytes : 0; }
    //! The rate that was reached, divided by the highest rate that the roofline allows; 0
    //! if the roofline or the time is not known.
    double fraction_of(const roofline& roof, double seconds) const;
};

/*!
 * The operations and bytes of one call of a bank of filters, computed by \p variant.
 *
 * The direct algorithm counts 8 operations for each tap of an output, or 4 if the variant
 * exploits real taps. Fast convolution counts 5 n log2 n for a transform of n points, 8
 * for each bin that is kept, and 6 for the rotator of an output, as if all outputs came
 * from whole blocks.
 *
 * \param problem the bank
 * \param variant see freq_xlating_fir_variants()
 * \param ifft_size the block size of fast convolution, see chosen_plan; the direct
 * algorithm ignores it
 * \param accuracy see freq_xlating_filter_bank_options
 * \param outputs the number of outputs of one channel in a call
 * \throws std::invalid_argument for an unknown variant or a size that is not above the
 * overlap of the taps
 */
kernel_work filter_work(const freq_xlating_filter_bank_problem& problem,
                        const std::string& variant,
                        std::size_t ifft_size,
                        double accuracy,
                        std::size_t outputs);

} // namespace cldsp
