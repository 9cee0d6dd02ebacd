// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The threads that read, compute and write, and how each one's failure ends the run.

#include "channelize/pipeline.h"

#include "base/reason.h"

#include "channelize/blocking_queue.h"
#include "channelize/stop_signal.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace cldsp::app {

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin)
{
    return std::chrono::duration<double>(clock_type::now() - begin).count();
}

class pipeline
{
public:
    pipeline(sample_source& source,
             channel_bank& bank,
             std::vector<channel_output>& outputs,
             const pipeline_limits& limits,
             const progress_report& report)
        : d_source(source),
          d_bank(bank),
          d_outputs(outputs),
          d_limits(limits),
          d_report(report)
    {
        for (int i = 0; i < limits.pieces; i++) {
            d_free_inputs.push(bank.make_input());
            d_free_outputs.push(bank.make_outputs());
        }
    }

    pipeline_result run()
    {
        std::thread reader([this] {
            guarded([this] { read(); }, false);
            d_inputs.close();
        });
        std::thread writer([this] { guarded([this] { write(); }, true); });
        guarded([this] { compute(); }, true);
        d_outputs_due.close();
        // The reader may be waiting for a free piece, but no thread returns one any more.
        d_free_inputs.cancel();
        reader.join();
        writer.join();
        for (auto& output : d_outputs)
            guarded([&] { output.sink().close(); }, false);
        for (auto& output : d_outputs) {
            guarded([&] { output.sink().finish(); }, false);
            if (!output.sink().problem().empty())
                d_result.failures.push_back(output.sink().problem());
        }
        if (!d_source.problem().empty())
            d_result.failures.push_back(d_source.problem());
        d_result.seconds = seconds_since(d_begin);
        return d_result;
    }

private:
    using input = std::unique_ptr<input_piece>;
    using output = std::unique_ptr<output_piece>;

    //! Runs the action of a thread and records the text of its exception.
    //! \param fatal whether an exception also stops the other threads
    template <class F>
    void guarded(const F& action, bool fatal)
    {
        std::string why;
        try {
            return action();
        } catch (const std::exception& e) {
            why = reason_of(e);
        }
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            d_result.failures.push_back(why);
        }
        if (fatal) {
            stop_signal::ask(); // the reader may wait for its input
            d_inputs.cancel();
            d_free_inputs.cancel();
            d_free_outputs.cancel();
            d_outputs_due.cancel();
        }
    }

    void read()
    {
        std::uint64_t items = 0;
        while (auto piece = d_free_inputs.pop()) {
            std::size_t room = room_at_speed((*piece)->room());
            if (d_limits.items)
                room = static_cast<std::size_t>(
                    std::min<std::uint64_t>(room, *d_limits.items - items));
            (*piece)->count = room > 0 ? d_source.read((*piece)->items(), room) : 0;
            if ((*piece)->count == 0)
                return;
            items += (*piece)->count;
            d_inputs.push(std::move(*piece));
            if (d_limits.speed > 0)
                wait_until(static_cast<double>(items) /
                           (d_source.rate() * d_limits.speed));
        }
    }
    //! The number of items to read at once: at most \p room, and at most 50 ms of the run
    //! if the speed is limited.
    std::size_t room_at_speed(std::size_t room) const
    {
        constexpr double seconds = 0.05;
        const double items = d_source.rate() * d_limits.speed * seconds;
        return d_limits.speed > 0 && items < static_cast<double>(room)
                   ? static_cast<std::size_t>(items) + 1
                   : room;
    }
    void wait_until(double seconds) const
    {
        constexpr double step = 0.05; // after which a signal is noticed
        for (double left; (left = seconds - seconds_since(d_begin)) > 0;) {
            if (stop_signal::number())
                return;
            std::this_thread::sleep_for(
                std::chrono::duration<double>(std::min(left, step)));
        }
    }

    void compute()
    {
        while (auto piece = d_inputs.pop()) {
            auto outputs = d_free_outputs.pop();
            if (!outputs)
                return;
            d_bank.process(**piece, **outputs);
            d_result.items = (*outputs)->items;
            d_free_inputs.push(std::move(*piece));
            d_outputs_due.push(std::move(*outputs));
        }
    }

    void write()
    {
        while (auto piece = d_outputs_due.pop()) {
            for (std::size_t c = 0; c < d_outputs.size(); c++)
                d_outputs[c].write((*piece)->channels[c].data(), (*piece)->counts[c]);
            if (std::all_of(d_outputs.begin(), d_outputs.end(), [](const auto& output) {
                    return output.sink().is_given_up();
                }))
                throw std::runtime_error("no channel has a command that runs");
            const std::uint64_t items = (*piece)->items;
            d_free_outputs.push(std::move(*piece));
            d_report(items);
        }
    }

    sample_source& d_source;
    channel_bank& d_bank;
    std::vector<channel_output>& d_outputs;
    const pipeline_limits d_limits;
    const progress_report& d_report;
    const clock_type::time_point d_begin = clock_type::now();
    blocking_queue<input> d_free_inputs, d_inputs;
    blocking_queue<output> d_free_outputs, d_outputs_due;
    std::mutex d_mutex; // of the failures
    pipeline_result d_result;
};

} // namespace

pipeline_result run_pipeline(sample_source& source,
                             channel_bank& bank,
                             std::vector<channel_output>& outputs,
                             const pipeline_limits& limits,
                             const progress_report& report)
{
    return pipeline(source, bank, outputs, limits, report).run();
}

} // namespace cldsp::app
