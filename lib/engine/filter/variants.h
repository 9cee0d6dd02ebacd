/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>
#include <cldsp/filter_problem.h>
#include <cldsp/logger.h>

#include <string>
#include <vector>

namespace cldsp {

//! The options that the single filter and the bank have in common.
struct plan_options {
    std::string device, algorithm, variant, transfer;
    double accuracy;
    logger log;

    template <class Options>
    static plan_options of(const Options& options)
    {
        return { options.device,   options.algorithm, options.variant,
                 options.transfer, options.accuracy,  options.log };
    }

    //! Whether a variant of freq_xlating_fir_variants() may run: it is the one named, or
    //! none is and it is a variant that "auto" picks and of the algorithm named.
    bool allows(const std::string& variant_name) const;
    /*!
     * Whether VkFFT's fast convolution may run on an OpenCL device. On a CPU it has to be
     * asked for: there it compiles for seconds and is slower than FFTW on the host.
     */
    bool allows_vkfft(const device_info& device) const;
    //! As text, for the key of a remembered answer.
    std::string key() const;
};

//! The variant of a name; null if there is none.
const variant_info* find_variant(const std::string& name);

/*!
 * \throws std::invalid_argument for an unknown algorithm, variant or transfer, a variant
 * that is not of the algorithm or not for the input type, or an accuracy outside 0 to 0.1
 */
void check_plan_options(const plan_options& options, sample_type input);

//! \throws std::invalid_argument outside 0 to 0.1
void check_accuracy(double accuracy);

//! Where candidates may run: a device, and a way of its data.
struct plan_place {
    device_info device;
    std::string transfer; //!< "none" on the host
};

/*!
 * Every device that the options name, with every transfer they leave open, where the
 * variant named can run. Empty if that needs OpenCL, "auto" is the device, and there is
 * no OpenCL device: the host then computes instead.
 *
 * \throws std::invalid_argument for an unknown device, or a named one that cannot run the
 * variant named
 */
std::vector<plan_place> open_places(const plan_options& options);

//! The variant of the direct algorithm that "auto" is on a device: simd, cpu_tile or
//! gpu_tile.
std::string direct_variant(const device_info& device);

} // namespace cldsp
