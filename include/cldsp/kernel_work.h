/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/filter_problem.h>
#include <cldsp/roofline.h>

#include <cstddef>
#include <string>

namespace cldsp {

//! The operations and bytes of a call, to compare its time with a roofline.
struct kernel_work {
    double operations = 0; //!< in single precision; a multiply-add counts as two
    double bytes = 0;      //!< inputs and outputs, each once: no kernel moves fewer

    double intensity() const { return bytes > 0 ? operations / bytes : 0; }
    //! The part of the roof that is reached; 0 if the roof or the time is not known.
    double fraction_of(const roofline& roof, double seconds) const;
};

/*!
 * The operations of the algorithm by which a variant computes a bank of filters, or a
 * bank of one.
 *
 * The direct algorithm counts 8 for each tap of an output, and 4 if the variant exploits
 * real taps. Fast convolution counts 5 n log2 n for a transform, 8 for a kept bin and 6
 * for the rotator of an output, as if all outputs came from whole blocks.
 *
 * \param variant see freq_xlating_fir_variants()
 * \param ifft_size of fast convolution, as the plan tells; the direct algorithm
 * ignores it
 * \param accuracy the filter's option
 * \param outputs of each channel in a call
 * \throws std::invalid_argument for an unknown variant or a size that is not above the
 * overlap of the taps
 */
kernel_work filter_work(const freq_xlating_filter_bank_problem& problem,
                        const std::string& variant,
                        std::size_t ifft_size,
                        double accuracy,
                        std::size_t outputs);

} // namespace cldsp
