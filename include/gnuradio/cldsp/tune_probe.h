// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that tunes the kernels of running blocks, and reports on them.

#ifndef INCLUDED_CLDSP_TUNE_PROBE_H
#define INCLUDED_CLDSP_TUNE_PROBE_H

#include <gnuradio/block.h>
#include <gnuradio/cldsp/api.h>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! Statistics of a running block.
struct CLDSP_API block_statistics {
    std::string alias;
    std::string device, algorithm, variant, transfer, plan; //!< see engine_info
    double kernel_time = 0;     //!< average of a call in seconds
    double transfer_time = 0;   //!< average of a call in seconds
    std::uint64_t samples = 0;  //!< outputs, of its first port
    std::uint64_t renewals = 0; //!< number of times that another engine took over
    double operations = 0;      //!< per second while its kernel runs; 0: not known
    double roof_fraction = 0;   //!< of the device's roof; 0: not known
    bool fell_back = false;     //!< its device was lost and the host computes
};

/*!
 * \brief Tunes the kernels of the running blocks, measures the device's roofline, and
 * reports the blocks' statistics.
 *
 * The block has no stream ports. A tuning runs in a thread of its own. When it ends, the
 * running filters, banks and matrix products choose their engines again, and change to
 * them without losing a sample. There is one tuning at a time in a process: a second one
 * is refused. The end of the flowgraph ends a tuning, and its results are kept. When the
 * last running block of the module has ended, the probe completes the work that it has
 * begun and ends too, so that it does not keep a flowgraph from ending.
 *
 * Message ports:
 * - tune (input): any message starts a tuning. A dict may have the keys what, budget_s
 *   and strategy with values for this tuning. The symbol stop, or a dict with stop: true,
 *   ends the running tuning and keeps its results.
 * - query (input): any message asks for the events blocks and roofline.
 * - report (output): dicts with the keys event and text (one line), and
 *   - progress: device, family, problem, done, of (points), seconds, and, if there are
 *     any, best, current (seconds per run), point, failure;
 *     while a roofline is measured, only done and of
 *   - result: device, family, problem, default_seconds, seconds, speedup, point,
 *     confirmed, points, failed
 *   - roofline: device, and figures by name in FLOP/s, B/s and s
 *   - blocks: blocks, a dict by alias of dicts with the fields of block_statistics
 *   - done: tuned (problems), renewed (blocks), failed, stopped
 *   - error
 */
class CLDSP_API tune_probe : virtual public gr::block
{
public:
    using sptr = std::shared_ptr<tune_probe>;

    /*!
     * Whether the destructor waits for a tuning that runs; it does by default. If it does
     * not, the tuning ends in the background, and the program has to call end_planning()
     * before it returns from main().
     */
    virtual void set_wait_at_end(bool wait) = 0;

    /*!
     * \param device "auto", "gpu", "cpu" (an OpenCL CPU device), "host", "P:D" (platform
     *        and device index) or part of a device's name. Of these devices, those
     *        where blocks run are tuned, or the first OpenCL device if there are none.
     *        The host has a roofline but no kernels to tune.
     * \param what "blocks" (the filters, banks and matrix products of the running
     *        blocks), "roofline" (measures only), or a workload: "W1" (2429 taps,
     *        decimation 42), "W2" (201 taps, decimation 42), "W3" (101 taps, decimation
     *        1), "W1-fast" and "W3-fast" (the same by fast convolution), "G1" (a product
     *        of matrices of 1024 rows and columns, real), "G2" (64 beams of 64 antennas,
     *        65536 samples, complex), "G3" (4096 items, codes and bits)
     * \param budget_s seconds for a whole tuning, 0.1 to 3600
     * \param strategy see cldsp::tuning_strategies(): "full", "random", "annealing",
     *        "swarm", or for work-group sizes "powers", "candidates", "mnn_default",
     *        "mace_default"
     * \param at_start whether a tuning begins with the flowgraph
     * \param report_s seconds between events blocks and roofline, 0.01 to 3600; 0: only
     *        when asked
     * \throws std::invalid_argument naming the parameter, its value and the range
     */
    static sptr make(const std::string& device = "auto",
                     const std::string& what = "blocks",
                     double budget_s = 30,
                     const std::string& strategy = "annealing",
                     bool at_start = false,
                     double report_s = 0);

    /*!
     * Starts a tuning, also while no flowgraph runs.
     *
     * \param what empty: as constructed
     * \param budget_s 0: as constructed
     * \param strategy empty: as constructed
     * \return false if another tuning of this process is running, which is reported
     * \throws std::invalid_argument as make() does
     */
    virtual bool tune(const std::string& what = "",
                      double budget_s = 0,
                      const std::string& strategy = "") = 0;
    //! Ends a tuning after the point being measured; does not wait for it.
    virtual void stop_tuning() = 0;
    //! Whether this block's tuning is running.
    virtual bool tuning() const = 0;

    //! Figures by name, of the device that was tuned last; empty: not measured yet.
    virtual std::map<std::string, double> roofline() const = 0;
    //! Statistics of the running blocks of this process, by their aliases.
    virtual std::vector<block_statistics> statistics() const = 0;
    //! One line: the last report of a tuning.
    virtual std::string last_report() const = 0;

    //! "idle", "tuning", "done", "stopped" or "failed".
    virtual std::string tuning_state() const = 0;
    //! The part of the points that have been measured, 0 to 1.
    virtual double tuning_progress() const = 0;
    //! The speedup of the last result; 0: there is none.
    virtual double tuning_speedup() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_TUNE_PROBE_H */
