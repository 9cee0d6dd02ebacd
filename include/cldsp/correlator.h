// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The correlator of antennas: products of all pairs, summed over integrations.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/logger.h>
#include <cldsp/run_statistics.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cldsp {

//! The largest number of antennas of a correlator.
constexpr std::size_t max_antennas = 4096;
//! The most samples of an integration. Sums of as many 8-bit products are still exact.
constexpr std::uint64_t max_integration = 100'000'000'000;

//! The number of visibilities of \p antennas antennas, their autocorrelations included.
constexpr std::size_t visibilities_of(std::size_t antennas)
{
    return antennas * (antennas + 1) / 2;
}
//! The operations that one sample of all antennas takes: 8 for each visibility.
constexpr double operations_per_sample(std::size_t antennas)
{
    constexpr double per_product = 8;
    return per_product * static_cast<double>(visibilities_of(antennas));
}

//! The samples of several antennas in host memory.
struct antenna_samples {
    const void* const* first; //!< the address of each antenna's first sample
    //! The distance from one sample of an antenna to its next, in samples: 1 if each
    //! antenna has a stream of its own, the number of antennas if the samples of one
    //! moment lie together.
    std::size_t step = 1;
};

//! Options that choose the engine; every text may be "auto".
struct correlator_options {
    std::string device = "auto"; //!< see find_devices()
    //! "simd" on the host; on OpenCL devices "cpu_tile" or "gpu_tile", or for cs8
    //! "tensor", which needs the matrix units of an NVIDIA GPU of compute capability 8.0
    //! or later, or "warpgroup", which needs those of compute capability 9.0.
    std::string variant = "auto";
    //! Whether the constructor takes no time: it opens no device and measures nothing. The
    //! host computes, and the plan is provisional if a better one may follow; see
    //! planned_engine.
    bool at_once = false;
    //! Asked between the calls that a plan measures. If it returns true, the constructor
    //! throws planning_stopped. Empty: no measurement is stopped.
    std::function<bool()> stopped;
    logger log;
};

/*!
 * The products of each pair of antennas, summed over the samples of an integration: the X
 * of an FX correlator.
 *
 * Visibility (i, j) of an integration is the sum over its samples t of x_i[t]
 * conj(x_j[t]) for antennas i >= j, counted from 0. It is element i (i + 1) / 2 + j of
 * the outputs: the lower triangle of the matrix X X^H, row by row. Element (i, i) is the
 * power of antenna i, whose imaginary part is 0.
 *
 * Sums of complex floats are accumulated in three steps: up to 256 samples in floats, up
 * to some thousand in floats again, and the sums of these in double precision. So the
 * error does not grow with the integration. Sums of 8-bit samples are exact, and rounded
 * once at the end.
 *
 * The samples are multiplied in pieces, whose ends do not depend on the calls: the
 * outputs are the same bits however the stream is cut into calls. If a device fails while
 * running, the host repeats the piece and continues, and the reason is logged. Only one
 * thread may use a correlator at a time.
 */
class correlator
{
public:
    /*!
     * \param type fc32, or cs8, whose values count as v / 128
     * \param antennas 1 to max_antennas
     * \param integration samples of an integration, 1 to max_integration
     * \param typical_samples samples of each antenna in a typical call, for which "auto"
     *        chooses; between two powers of two the choice is the same
     * \param options the device and the variant
     * \param registry has the contexts of the devices
     * \throws std::invalid_argument for another type, a number out of its range, an
     * unknown or unsuitable device or variant, or a device that was named and cannot be
     *         used
     */
    correlator(sample_type type,
               std::size_t antennas,
               std::uint64_t integration,
               std::size_t typical_samples,
               const correlator_options& options,
               context_registry& registry);
    ~correlator();
    correlator(correlator&&) noexcept;
    correlator& operator=(correlator&&) noexcept;

    /*!
     * Takes the next samples of each antenna. Samples of an incomplete piece are copied.
     *
     * If there is no memory, this throws std::bad_alloc. The same call may then be
     * repeated, and loses no sample and takes none twice; otherwise reset() has to
     * follow.
     *
     * \param in the samples
     * \param samples the number of samples of each antenna
     * \param out gets visibilities() values for each integration that ends, of which
     * there are outputs_for(samples)
     * \returns the number of integrations that have ended
     */
    std::size_t
    process(const antenna_samples& in, std::size_t samples, std::complex<float>* out);

    //! Drops the samples of an incomplete integration. The next sample begins a new one.
    void reset();

    //! The number of integrations that end with the next \p samples samples.
    std::uint64_t outputs_for(std::uint64_t samples) const;
    //! The number of samples up to the end of the integration \p outputs integrations
    //! ahead; 0 for 0.
    std::uint64_t samples_for(std::uint64_t outputs) const;
    //! The samples of the present integration that were taken; 0 at its beginning.
    std::uint64_t position() const;

    /*!
     * Sets the samples of the integrations that follow.
     *
     * \throws std::invalid_argument for a number out of its range; std::logic_error
     * unless position() is 0
     */
    void set_integration(std::uint64_t integration);
    std::uint64_t integration() const;

    std::size_t antennas() const;
    std::size_t visibilities() const { return visibilities_of(antennas()); }
    //! Whether the options and the size permit a device; otherwise the host computes.
    bool may_use_devices() const;
    std::string device_name() const;   //!< "host", or OpenCL's name of the device
    std::string variant_name() const;  //!< the variant that runs, never "auto"
    std::string transfer_name() const; //!< "zero_copy", "copy", or "none" on the host
    std::string plan() const;          //!< one line: the choice and its reason
    const chosen_plan& chosen() const; //!< the plan as data
    //! The statistics of the engine's calls; run_statistics::outputs counts the products
    //! of all pairs that were summed, samples times visibilities().
    run_statistics statistics() const;
    bool fell_back() const; //!< the device failed and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

//! \throws std::invalid_argument naming \p antennas and its range
void check_antennas(std::uint64_t antennas);
//! \throws std::invalid_argument naming \p integration and its range
void check_integration(std::uint64_t integration);

} // namespace cldsp
