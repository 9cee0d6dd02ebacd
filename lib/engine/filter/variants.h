// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Which variants, devices and transfers the options of a filter permit.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/filter_problem.h>
#include <cldsp/logger.h>

#include <functional>
#include <string>
#include <vector>

namespace cldsp {

class context_registry;

//! The options that restrict the choice of a variant.
struct plan_options {
    std::string device, algorithm, variant, transfer;
    double accuracy;
    logger log;
    bool at_once = false; // see freq_xlating_filter_bank_options
    std::function<bool()> stopped;

    static plan_options of(const freq_xlating_filter_bank_options& options)
    {
        return { options.device,   options.algorithm, options.variant, options.transfer,
                 options.accuracy, options.log,       options.at_once, options.stopped };
    }

    /*!
     * Whether the options allow the variant \p variant_name of
     * freq_xlating_fir_variants(). If they name a variant, only that one may run.
     * Otherwise every production variant of the named algorithm may run, or of any
     * algorithm if that is "auto".
     */
    bool allows(const std::string& variant_name) const;
    /*!
     * Whether a variant of fast convolution may run on an OpenCL device. On a CPU device
     * the options have to ask for it, because VkFFT takes seconds to compile there and is
     * slower than FFTW on the host.
     */
    bool allows_on_device(const std::string& variant_name,
                          const device_info& device) const;
    //! The options as text, for the key under which an answer is remembered.
    std::string key() const;
};

class filter_variant;

//! The variant with this name; null if there is none.
const filter_variant* find_variant(const std::string& name);

/*!
 * \throws std::invalid_argument for an unknown algorithm, variant or transfer, for a
 *         variant that is not of the algorithm or does not take the input type, or for an
 *         accuracy outside 0 to 0.1
 */
void check_plan_options(const plan_options& options, sample_type input);

//! \throws std::invalid_argument for an accuracy outside 0 to 0.1
void check_accuracy(double accuracy);

//! A device that candidates may run on, and a transfer of their data.
struct plan_place {
    device_info device;
    std::string transfer; //!< "none" on the host
};

//! The devices that the options leave open; the host alone for a variant of the host. At
//! once, only devices that are known without a driver.
//! \throws std::invalid_argument for an unknown device
std::vector<device_info> open_devices(const plan_options& options,
                                      const context_registry& registry);
//! Whether open_devices() has every device at once.
bool are_devices_known(const plan_options& options, const context_registry& registry);

/*!
 * Every device that the options name, with every transfer that they leave open. If they
 * name a variant, only devices that
 * can run it. The result is empty if the variant needs OpenCL, "auto" is the device, and
 * there is no OpenCL device: the host then computes instead.
 *
 * \throws std::invalid_argument for an unknown device, or a named device that cannot run
 *         the named variant
 */
std::vector<plan_place> open_places(const plan_options& options,
                                    const context_registry& registry);

//! The variant of the direct algorithm that "auto" stands for on a device: simd, cpu_tile
//! or gpu_tile.
std::string direct_variant(const device_info& device);

} // namespace cldsp
