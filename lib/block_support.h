// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What blocks share: the registry of contexts, preferences, logs and call sizes.

#ifndef INCLUDED_CLDSP_BLOCK_SUPPORT_H
#define INCLUDED_CLDSP_BLOCK_SUPPORT_H

#include <gnuradio/block.h>
#include <gnuradio/buffer.h>
#include <gnuradio/cldsp/iq_types.h>
#include <gnuradio/gr_complex.h>
#include <gnuradio/logger.h>
#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/filter_problem.h>
#include <cldsp/logger.h>
#include <cldsp/memory_region.h>
#include <cldsp/sample_type.h>
#include <pmt/pmt.h>
#include <type_traits>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The registry of contexts that all blocks of this process share. It is made at its first
 * use, with the options of the preferences.
 *
 * \throws std::invalid_argument for an unknown profile in the preferences
 */
::cldsp::context_registry& registry();

/*!
 * The two logs of a block. Debug messages have a log of their own, because the first log
 * shows them at GNU Radio's default level.
 */
struct block_logs {
    gr::logger_ptr log;
    gr::logger_ptr debug_log; //!< is shown if [LOG] debug_level is debug
};

//! A logger that passes the engine's messages to GNU Radio's logs, at the same level.
::cldsp::logger engine_logger(const block_logs& logs);

//! Writes a line into a log. The functions of gr::logger are templates, which every file
//! that calls them would compile with all that formats their arguments.
void log_info(const gr::logger_ptr& log, const std::string& text);
void log_warning(const gr::logger_ptr& log, const std::string& text); //!< as log_info()
void log_error(const gr::logger_ptr& log, const std::string& text);   //!< as log_info()

//! The seconds of input in a call that nobody notices as a delay.
constexpr double usual_latency = 0.025;

//! \throws std::invalid_argument unless it is 0 to 10
void check_latency(double latency);

//! A logger for a function. It passes on only the messages that a user should see: unlike
//! a block, a function does not log its choice.
//! \param name the name in the log, e.g. "cldsp.gemm"
::cldsp::logger function_logger(const std::string& name);

//! The arguments of a block that choose its engine; see freq_xlating_fir_filter::make().
struct engine_choice {
    std::string device;
    std::string variant;
    std::string transfer;
    std::string algorithm;
    double accuracy;
    double latency = usual_latency;
    std::string plan = "auto"; //!< see plans_later()
};

/*!
 * The choice, in which the preferences replace each text that is "auto".
 *
 * \throws std::invalid_argument if a text is empty, or for a plan that there is not
 */
engine_choice with_preferences(const engine_choice& choice);

/*!
 * Whether a block starts at once on the host, and plans while it runs: its argument
 * \p plan is "auto", and so is the preference [cldsp] plan, or that is not set. With
 * "wait" its constructor plans.
 *
 * \throws std::invalid_argument for another text
 */
bool plans_later(const std::string& plan);

/*!
 * Decides for a function without a flowgraph whether a call plans. The first calls do
 * not: the host takes less time for them than planning would. Thread-safe.
 */
class first_calls
{
public:
    /*!
     * Whether the host shall compute a call at once. If so, its operations are counted.
     *
     * \param device the device that the call may use; one that is named is used
     * \param operations floating-point operations of the call
     */
    bool have(const std::string& device, double operations);

private:
    std::mutex d_mutex;
    double d_operations = 0; // of the calls that were computed at once
};

/*!
 * The options of the engine's bank from a block's arguments and the preferences.
 *
 * \param threads the number of threads that a call on the host may use; 0: one for each
 * core
 * \param items see typical_items()
 * \throws std::invalid_argument if a text is empty
 */
::cldsp::freq_xlating_filter_bank_options filter_options(const engine_choice& choice,
                                                         unsigned threads,
                                                         std::size_t items,
                                                         const block_logs& logs);

//! How large a batch may be.
struct batch_limits {
    std::size_t items; //!< of the input
    std::size_t bytes; //!< of all output buffers
};

/*!
 * The number of outputs that a block asks for in each call of work(), if the stream has
 * them. With GNU Radio's default buffers, waking the threads of a flowgraph takes longer
 * than filtering.
 *
 * The number corresponds to \p latency seconds of input, but to at most limits.items
 * input items. If the sampling rate is only a placeholder such as 1 Hz, the number is the
 * smallest that \p min_items allows. With many channels it is smaller, so that their
 * buffers take at most limits.bytes, unless buffers of GNU Radio's default size already
 * take more.
 *
 * \param min_items input items that a batch shall have even if they last longer, see
 *        room_items()
 */
int batch_outputs(double sampling_freq,
                  std::size_t decimation,
                  std::size_t channels,
                  std::size_t min_items,
                  double latency,
                  const batch_limits& limits);

/*!
 * The limits of a block whose longest filter has \p max_taps: 65536 items, or eight times
 * the taps, up to 2 million, and 64 MiB. Fast convolution transforms a call's past items
 * with its new ones, so that in calls shorter than the taps most of its work is repeated.
 */
batch_limits usual_batch(std::size_t max_taps);

/*!
 * The limits of a block that runs on a device with memory of its own, whose commands and
 * transfers take as long as the host needs for a usual batch: a million items, or as
 * usual if that is more, and 256 MiB. Where a longer latency than the usual one is
 * allowed, both grow with it, up to the 64 MiB of items with which such a device is
 * nearly at the speed of its bus, and 1 GiB.
 */
batch_limits batch_with_bus(std::size_t max_taps, std::size_t item_size, double latency);

/*!
 * The smallest batch, in input items, with which the buffer before a block has as much
 * room for new items as GNU Radio's default buffer. The past items of the block stay in
 * that buffer; without a batch they would leave so little room that a slow stream comes
 * in short calls.
 *
 * GNU Radio makes the buffer for twice the batch and the past items.
 */
std::size_t room_items(std::size_t item_size, std::size_t past_items);

//! The batch (outputs of a call) for a block: \p batch, or less if the flowgraph limits
//! the buffers or the calls of the block.
int limited_batch(gr::block& block, int batch, int noutputs);

/*!
 * Makes GNU Radio's buffers at least as large as min_output_buffer() of each output says.
 * GNU Radio rounds this size down to a multiple of the block's alignment or output
 * multiple. It ignores this size where there is a max_output_buffer(), and sets that to
 * the size of each buffer that it makes, so that a second run would get another one.
 */
class asked_buffers
{
public:
    //! Sets the largest sizes to what the program has set. Must be called before the
    //! flowgraph makes the buffers, and before anything that reads these sizes.
    void forget_made(gr::block& block, int noutputs);
    //! Sets sizes that GNU Radio rounds to what was asked for, for the present multiple.
    void round_up(gr::block& block);
    //! Must be called when the buffers are made: sets the smallest sizes to what the
    //! program has set.
    void note_made(gr::block& block);

private:
    struct sizes {
        long least, rounded; //!< the smallest size as asked for, and as GNU Radio gets it
        long most, made;     //!< the largest one as asked for, and as GNU Radio sets it
    };
    std::vector<sizes> d_sizes; // of each output
};

/*!
 * The number of input items that a typical call of work() brings: those of \p batch
 * outputs. With GNU Radio's default buffers it is three quarters of an input buffer,
 * unless half of the output buffer is full before.
 */
std::size_t typical_items(std::size_t item_size, std::size_t decimation, int batch);

/*!
 * Checks the decimation of a block whose input items have \p item_size bytes.
 *
 * GNU Radio makes the input buffer of a decimating block twice as large as what the block
 * reads at a time: the input of \p multiple outputs, and the history. This function
 * demands that the buffer is smaller than 2 GiB, because GNU Radio counts items in 32
 * bits, and in some places bytes too.
 *
 * \param parameter the block's name of this parameter, for the message
 * \return \p decimation
 * \throws std::invalid_argument if it is below 1, or so large that the buffer is too
 * large
 */
unsigned checked_decimation(int decimation,
                            std::size_t item_size,
                            int multiple = 1,
                            std::size_t history = 1,
                            const char* parameter = "decimation");

//! The memory of a stream buffer: its two mappings, which follow each other. Empty if the
//! buffer has only one mapping.
::cldsp::memory_region region_of(gr::buffer& buffer);

//! Converts the taps of a block to those of the engine.
template <class TAP_T>
std::vector<gr_complex> complex_taps(const std::vector<TAP_T>& taps)
{
    return { taps.begin(), taps.end() };
}

//! Converts the taps of the engine to those of a block.
template <class TAP_T>
std::vector<TAP_T> taps_as(const std::vector<gr_complex>& taps)
{
    if constexpr (std::is_same_v<TAP_T, gr_complex>) {
        return taps;
    } else {
        std::vector<TAP_T> real;
        real.reserve(taps.size());
        for (const auto& tap : taps)
            real.push_back(tap.real());
        return real;
    }
}

//! Whether no part of a message is a null pointer, which Python's None becomes there. The
//! functions of PMT would follow it.
bool is_complete(const pmt::pmt_t& message);
//! A real or whole number; empty: the complete value is something else.
std::optional<double> real_number(const pmt::pmt_t& value);
//! The frequency in a complete message for the port "freq"; empty: it has none.
std::optional<double> message_frequency(const pmt::pmt_t& message);
//! The channel that a complete message for the port "freq" names; empty: it names none.
std::optional<int> message_channel(const pmt::pmt_t& message);

//! The engine's type of an input item, and the letters for it in the names of blocks.
template <class T>
struct item_traits;

#define CLDSP_ITEM_TRAITS(NAME, CAPITALS, LETTERS, ...)          \
    template <>                                                  \
    struct item_traits<NAME> {                                   \
        static constexpr auto type = ::cldsp::sample_type::NAME; \
        static constexpr const char* letters = #LETTERS;         \
    };
CLDSP_SAMPLE_TYPES(CLDSP_ITEM_TRAITS)
#undef CLDSP_ITEM_TRAITS

//! The end of the name of a block, e.g. "ccf". For IQ types it has no letter for the
//! output, e.g. "cu8_f".
template <class IN_T, class TAP_T>
std::string type_suffix()
{
    return std::string(item_traits<IN_T>::letters) +
           (std::is_same_v<TAP_T, gr_complex> ? "c" : "f");
}

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_BLOCK_SUPPORT_H */
