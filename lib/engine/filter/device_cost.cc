// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Adds up a call's kernels, transfers and enqueues by the device's rates.

#include "filter/device_cost.h"

#include <complex>

namespace cldsp {

double device_seconds(const plan_shape& shape,
                      const plan_place& place,
                      double kernels,
                      double runs,
                      const host_rates& host)
{
    const auto rates = estimated_rates(place.device);
    const double bytes =
        static_cast<double>(shape.items * sample_size(shape.input)) +
        static_cast<double>(shape.channels) * static_cast<double>(shape.outputs()) *
            static_cast<double>(sizeof(std::complex<float>));
    double seconds = runs * rates.call + kernels + bytes * rates.transfer;
    if (place.transfer != "zero_copy")
        seconds += 2 * runs * rates.map + bytes * rates.copy;
    return place.device.kind == device_kind::cpu ? seconds * host.slowness : seconds;
}

} // namespace cldsp
