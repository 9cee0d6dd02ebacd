// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of filters and banks: buffers, calls, tags and the frequency port.

#ifndef INCLUDED_CLDSP_FILTER_BLOCK_H
#define INCLUDED_CLDSP_FILTER_BLOCK_H

#include "channel_tags.h"
#include "engine_block.h"
#include "filter_stream.h"
#include <gnuradio/sync_decimator.h>
#include <gnuradio/tags.h>
#include <pmt/pmt.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief The base of filters and banks: a block that feeds a filter_stream. It has the
 * buffers, the calls, the tags and the port "freq"; derived classes add their setters.
 *
 * It is no template, because the blocks have a class for each type of input and of taps.
 * The derived class constructs the gr::sync_decimator, and calls take_frequencies().
 */
class filter_block : public engine_block<gr::sync_decimator, filter_stream::engine_type>
{
    using base = engine_block<gr::sync_decimator, filter_stream::engine_type>;

public:
    bool start() override;
    bool stop() override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;
    bool check_topology(int ninputs, int noutputs) override;
    int fixed_rate_noutput_to_ninput(int noutput_items) override;

    void choose_again() override { d_stream.choose_again(); }
    std::string wanted_device() const override { return d_stream.wanted_device(); }
    std::vector<kernel_to_tune> kernels_to_tune() const override;
    ::cldsp::kernel_work average_work() const override;

protected:
    using problem_type = filter_stream::problem_type;

    //! Who passes the tags of the input on.
    enum class tags_by {
        gnuradio,      //!< as they are
        block,         //!< as they are, also where outputs are idle
        block_rewrites //!< and "rx_rate" and "rx_freq" get the values of the output
    };

    //! \param threads the number of threads of a call on the host; 0: one for each core
    filter_block(const problem_type& problem,
                 const engine_choice& choice,
                 unsigned threads,
                 tags_by passes_tags);

    //! Gets the tags of the next items, for this call; the block passes them on.
    void get_tags(std::size_t items);

    /*!
     * Computes a call of any rates. Sets d_outputs.
     *
     * \param items the number of new items, at most d_stream.items_of_call() of \p room
     * \param room the largest number of outputs of a channel
     * \return 1, or WORK_DONE if the stream ends
     */
    int work_items(std::size_t items,
                   std::size_t room,
                   gr_vector_const_void_star& input_items,
                   gr_vector_void_star& output_items);

    /*!
     * Registers the port "freq".
     *
     * \param channel_of gives the channel that a message is for; empty: the message is
     * dropped
     */
    void take_frequencies(std::optional<int> (*channel_of)(const pmt::pmt_t&));

    const filter_stream::engine_type& engine() const override
    {
        return d_stream.engine();
    }
    std::string algorithm() const override { return engine().algorithm_name(); }
    std::size_t engines_taken() const override { return d_stream.renewals(); }

    struct call_size {
        int outputs = 0;
        std::size_t items = 0; // of the input; 0: there are no such calls
    };
    call_size d_usual_calls, d_longer_calls; // make_stream() sets them
    // Only the thread of the block uses it, except for functions that any thread may
    // call.
    filter_stream d_stream;
    // The memory for the outputs of each channel in the last call; null: the channel is
    // idle, or its output is not connected.
    std::vector<gr_complex*> d_out;
    // The outputs of each channel in the last call of work_items().
    std::vector<std::size_t> d_outputs;
    std::vector<gr::tag_t> d_tags; // of the items of a call

private:
    //! Applies the changes, and finds the memory for the outputs. \return whether there
    //! were any changes
    bool apply_changes(gr_vector_void_star& output_items);
    void find_producers(std::size_t connected, const filter_stream::changes& changes);

    void take_tag_policy();
    //! Adds the tags of the outputs of a call, whose first item had the index \p begin
    //! since the stream began.
    void tag_outputs(std::uint64_t begin);
    void tag_output(std::size_t channel, std::uint64_t begin);

    //! The frequency of a channel at an output of the last call.
    double frequency_at(std::size_t channel, std::uint64_t output) const;

    filter_stream make_stream(const problem_type& problem,
                              const engine_choice& choice,
                              unsigned threads);

    //! The outputs of the calls to ask for: those that the plan was made for. Buffers
    //! cannot grow while a flowgraph runs. So if the plan may still change to a device
    //! that needs longer calls, these are asked for; until then, the stream cuts them to
    //! the usual size.
    int call_outputs() const;

    // The program may have set an output multiple since the block was made.
    void check_decimation() const;

    filter_load load() const { return d_stream.load(statistics()); }

    //! What an output of the block remembers from call to call.
    struct output_port {
        bool produced = false; // whether its channel was active in the last call
        channel_tags tags;
    };
    std::vector<output_port> d_ports;     // one for each slot
    std::vector<std::size_t> d_producing; // the channels that have outputs
    bool d_starts = true;    // whether the next call is the first one of a flowgraph
    bool d_any_tags = false; // whether an output may have tags that are still to come
    // GNU Radio passes tags with their values, and at offsets in proportion to those of
    // the input, which do not fit an output that has been idle. The block then passes
    // them itself.
    const tags_by d_tags_by;
    bool d_passes_tags = false;
    gr::block::tag_propagation_policy_t d_tag_policy = gr::block::TPP_ALL_TO_ALL;
    unsigned d_decimation = 0, d_history = 0; // GNU Radio's, as set by the constructor
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_BLOCK_H */
