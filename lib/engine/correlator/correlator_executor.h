// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of what adds up the products of all pairs of antennas.

#pragma once

#include "opencl/matrix_units.h"
#include "planning/operation_executor.h"

#include <cldsp/context.h>
#include <cldsp/correlator.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * The samples of one call: \p rows integrations, or parts of them, of \p length samples
 * each. The rows follow each other without gaps.
 */
struct correlator_batch {
    antenna_samples in;
    std::size_t rows = 1;
    std::size_t length = 1;
};

/*!
 * One way of computing the sums of a correlator, for one type of samples and number of
 * antennas.
 */
class correlator_executor : public operation_executor
{
public:
    using operation_executor::operation_executor;

    /*!
     * Adds the products of each row to the row's sums, as correlator orders them. Sums of
     * cs8 count the samples as whole numbers.
     *
     * A row of several pieces is cut into the pieces, and their sums are added in order.
     * So the row's sums have the same bits as if each piece had a call of its own.
     *
     * \param batch rows of up to piece() samples each, at most max_rows(); or one row
     *        that is a whole number of pieces, at most max_rows() of them. The host takes
     *        every batch, because it repeats the batches of a device that has failed
     * \param sums the sums of all rows, row by row without gaps
     * \throws opencl_error if the device failed. The sums are then unchanged
     */
    virtual void add(const correlator_batch& batch, std::complex<double>* sums) = 0;
    //! The samples of a row that this executor sums in single precision or in 32 bits.
    virtual std::size_t piece() const = 0;
    //! The most rows of \p length samples in a call, 1 or more; \p length is at most
    //! piece().
    virtual std::size_t max_rows(std::size_t length) const = 0;
};

std::unique_ptr<correlator_executor> make_host_correlator(sample_type type,
                                                          std::size_t antennas);

/*!
 * Makes an executor on an OpenCL device.
 *
 * \param device the context of the device
 * \param variant the name of a variant for OpenCL devices
 * \param transfer see make_device_transfer()
 * \param type the type of the samples
 * \param antennas the number of antennas
 * \param mode how variants for matrix units multiply
 * \throws std::invalid_argument if the device's buffers are too small for the antennas,
 *         or the device or the type does not fit matrix units; opencl_error
 */
std::unique_ptr<correlator_executor>
make_opencl_correlator(std::shared_ptr<context> device,
                       const std::string& variant,
                       const std::string& transfer,
                       sample_type type,
                       std::size_t antennas,
                       tensor_mode mode = tensor_mode::native);

} // namespace cldsp
