// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Refuses, fails, holds or skips the commands that a fault names.

#include "opencl_faults.h"

#include "tests/support/qa_known_programs.h"
#include "tests/support/qa_opencl_layer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace cldsp {

namespace {

//! The treatment of a call.
enum class fate { pass, refuse, fail, hang, skip };

opencl_kind kind_of(const std::string& function)
{
    for (const auto& known : opencl_functions)
        if (known.name == function)
            return known.kind;
    throw std::invalid_argument("there is no function '" + function + "'");
}

//! A device that hangs blocks every thread that waits for it, until the process is ended.
[[noreturn]] void wait_forever()
{
    for (;;)
        pause();
}

//! Holds the fault, and the commands that it affects.
class injector
{
public:
    void arm(const fault& what)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fault = what;
        d_calls.clear();
        d_struck = false;
    }

    void disarm()
    {
        settle();
        for (const auto queue : taken(d_queues))
            CLDSP_DRIVER(clReleaseCommandQueue)(queue);
        d_programs.forget();
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fault = {};
        for (const auto& [event, ghost] : d_ghosts) {
            if (ghost.what == fate::hang)
                CLDSP_DRIVER(clSetUserEventStatus)(event, CL_OUT_OF_RESOURCES);
            CLDSP_DRIVER(clReleaseEvent)(event);
        }
        d_ghosts.clear();
        d_owed.clear();
        d_hung.clear();
    }

    bool struck() const
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return d_struck;
    }
    std::map<std::string, std::uint64_t> calls() const
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return d_calls;
    }

    void settle()
    {
        open_gates();
        std::vector<cl_command_queue> queues;
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            queues = d_queues;
        }
        for (const auto queue : queues)
            CLDSP_DRIVER(clFinish)(queue);
    }

    cl_int treat(opencl_call& c, const std::function<cl_int()>& run)
    {
        fate what = next(c);
        if (what == fate::pass && is_command(c.kind))
            what = inherited(c);
        switch (what) {
        case fate::refuse:
            return code();
        case fate::fail:
        case fate::hang:
            return take(c, what, run);
        case fate::skip:
            return CLDSP_DRIVER(clEnqueueMarkerWithWaitList)(
                c.queue(), c.waits, c.list, c.event);
        case fate::pass:
            break;
        }
        if (is_command(c.kind))
            return enqueue(c, run);
        if (c.is(&clCreateCommandQueue))
            return keep_queue(c, run);
        if (c.is(&clFinish))
            return finish(c, run);
        if (const auto* const events = c.of(&clWaitForEvents))
            return wait(std::get<0>(*events), std::get<1>(*events));
        if (c.is(&clGetEventInfo) || c.is(&clGetEventProfilingInfo))
            return ask_event(c, run);
        return d_programs.treat(c, run);
    }

private:
    // By the standard the commands of a released queue run on, but some drivers wait for
    // them instead. A reference keeps the queue.
    cl_int keep_queue(const opencl_call& c, const std::function<cl_int()>& run)
    {
        const cl_int error = run();
        if (const auto queue = static_cast<cl_command_queue>(c.made)) {
            const std::lock_guard<std::mutex> guard(d_mutex);
            CLDSP_DRIVER(clRetainCommandQueue)(queue);
            d_queues.push_back(queue);
        }
        return error;
    }

    cl_int finish(const opencl_call& c, const std::function<cl_int()>& run)
    {
        open_gates();
        const fate what = of_queue(c.queue());
        if (what == fate::hang)
            wait_forever();
        const cl_int result = run();
        return what == fate::fail ? code() : result;
    }

    cl_int wait(cl_uint count, const cl_event* events)
    {
        open_gates();
        std::vector<cl_event> running;
        for (cl_uint i = 0; i < count; ++i) {
            const fate what = of(events[i]);
            if (what == fate::hang)
                wait_forever();
            if (what == fate::pass)
                running.push_back(events[i]);
        }
        const cl_int result =
            running.empty() && count
                ? CL_SUCCESS
                : CLDSP_DRIVER(clWaitForEvents)(static_cast<cl_uint>(running.size()),
                                                running.data());
        return running.size() < count ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                                      : result;
    }

    // The user event that stands for a command has no queue and no times of its own.
    cl_int ask_event(const opencl_call& c, const std::function<cl_int()>& run)
    {
        cl_command_queue queue = nullptr;
        const bool stands = of(static_cast<cl_event>(c.object), &queue) != fate::pass;
        if (c.is(&clGetEventProfilingInfo))
            return stands ? CL_PROFILING_INFO_NOT_AVAILABLE : run();
        if (c.what == CL_EVENT_COMMAND_QUEUE && stands)
            return c.answer(queue);
        if (c.what == CL_EVENT_COMMAND_EXECUTION_STATUS)
            open_gates();
        return run();
    }

    //! Gives a command to the driver, with the events that it has to wait for.
    cl_int enqueue(opencl_call& c, const std::function<cl_int()>& run)
    {
        if (c.blocking)
            open_gates();
        const auto list = with_gate(c);
        c.waits = static_cast<cl_uint>(list.size());
        c.list = list.empty() ? nullptr : list.data();
        return run();
    }

    int code() const
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return d_fault.code;
    }

    //! Counts a call, and decides its treatment.
    fate next(const opencl_call& c)
    {
        bool lost_now = false;
        const fate result = decide(c, lost_now);
        // A lost device must not write to memory any more.
        if (lost_now)
            settle();
        return result;
    }

    //! \param lost_now set to true if the device is lost with this call
    fate decide(const opencl_call& c, bool& lost_now)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        const auto count = ++d_calls[c.name];
        const bool same = d_fault.function == c.name;
        const bool now = same && count == d_fault.call;
        lost_now = now && d_fault.kind == fault_kind::lost;
        d_struck = d_struck || now;
        const bool from_now_on = same && d_struck;
        switch (d_fault.kind) {
        case fault_kind::none:
            return fate::pass;
        case fault_kind::one:
        case fault_kind::release:
            return now ? fate::refuse : fate::pass;
        case fault_kind::late:
            return now || (d_struck && c.kind == opencl_kind::waits) ? fate::refuse
                                                                     : fate::pass;
        case fault_kind::sticky:
            return from_now_on ? fate::refuse : fate::pass;
        case fault_kind::lost:
            return d_struck ? fate::refuse : fate::pass;
        case fault_kind::event:
            return now ? fate::fail : fate::pass;
        case fault_kind::events:
            return d_struck && is_command(c.kind) ? fate::fail : fate::pass;
        case fault_kind::hang:
            return now ? fate::hang : fate::pass;
        case fault_kind::nonsense:
            return from_now_on ? fate::skip : fate::pass;
        }
        return fate::pass;
    }

    //! The treatment that a command inherits from the commands before it.
    fate inherited(const opencl_call& c)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (d_hung.count(c.queue()))
            return fate::hang;
        if (d_owed.erase(c.queue()))
            return fate::fail;
        fate result = fate::pass;
        for (cl_uint i = 0; i < c.waits; ++i) {
            const auto found = d_ghosts.find(c.list[i]);
            if (found != d_ghosts.end() && result != fate::hang)
                result = found->second.what;
        }
        return result;
    }

    /*!
     * Accepts a command that is not to run.
     *
     * \param run gives it to the driver
     */
    cl_int take(opencl_call& c, fate what, const std::function<cl_int()>& run)
    {
        if (c.blocking && what == fate::hang)
            wait_forever();
        if (c.kind == opencl_kind::maps && !c.blocking) {
            // The address is returned by the call itself, however the command ends.
            open_gates();
            const opencl_call asked = c;
            c.blocking = true;
            c.waits = 0;
            c.list = nullptr;
            c.event = nullptr;
            const cl_int error = run();
            c = asked;
            if (error != CL_SUCCESS)
                return error;
        }
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (c.blocking)
            return d_fault.code;
        cl_context context = nullptr;
        cl_int result = CLDSP_DRIVER(clGetCommandQueueInfo)(
            c.queue(), CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
        if (result != CL_SUCCESS)
            return result;
        const cl_event event = CLDSP_DRIVER(clCreateUserEvent)(context, &result);
        if (result != CL_SUCCESS)
            return result;
        if (what == fate::fail)
            CLDSP_DRIVER(clSetUserEventStatus)(event, d_fault.code);
        else
            d_hung.insert(c.queue());
        // The event is kept until the fault is over, so that no other event gets its
        // address.
        d_ghosts[event] = { c.queue(), what };
        if (c.event) {
            CLDSP_DRIVER(clRetainEvent)(event);
            *c.event = event;
        } else if (what == fate::fail) {
            // Without an event, the failure shows only in later commands of the queue.
            d_owed.insert(c.queue());
        }
        return CL_SUCCESS;
    }

    //! The events that a command has to wait for: its own list, and for a late fault also
    //! a gate.
    std::vector<cl_event> with_gate(const opencl_call& c)
    {
        std::vector<cl_event> list(c.list, c.list + c.waits);
        const std::lock_guard<std::mutex> guard(d_mutex);
        cl_context context = nullptr;
        cl_int result = CL_SUCCESS;
        if (d_fault.kind == fault_kind::late && !c.blocking &&
            CLDSP_DRIVER(clGetCommandQueueInfo)(
                c.queue(), CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr) ==
                CL_SUCCESS) {
            const cl_event gate = CLDSP_DRIVER(clCreateUserEvent)(context, &result);
            if (result == CL_SUCCESS) {
                d_gates.push_back(gate);
                list.push_back(gate);
            }
        }
        return list;
    }

    //! Called when a thread waits: lets the device run the commands that are held back.
    void open_gates()
    {
        // Drivers call the engine's callbacks from this loop.
        for (const auto gate : taken(d_gates)) {
            CLDSP_DRIVER(clSetUserEventStatus)(gate, CL_COMPLETE);
            CLDSP_DRIVER(clReleaseEvent)(gate);
        }
    }

    //! The treatment of the command that belongs to an event.
    fate of(cl_event event, cl_command_queue* queue = nullptr) const
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        const auto found = d_ghosts.find(event);
        if (found == d_ghosts.end())
            return fate::pass;
        if (queue)
            *queue = found->second.queue;
        return found->second.what;
    }

    //! The result of waiting for all commands of a queue.
    fate of_queue(cl_command_queue queue)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return d_hung.count(queue)   ? fate::hang
               : d_owed.erase(queue) ? fate::fail
                                     : fate::pass;
    }

    template <class T>
    std::vector<T> taken(std::vector<T>& from)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return std::exchange(from, {});
    }

    struct ghost {
        cl_command_queue queue;
        fate what; // fail or hang
    };
    known_programs d_programs;
    mutable std::mutex d_mutex;
    fault d_fault;
    std::map<std::string, std::uint64_t> d_calls;
    bool d_struck = false;
    std::map<cl_event, ghost> d_ghosts;
    std::set<cl_command_queue> d_owed; // queues that have to report a failure
    std::set<cl_command_queue> d_hung;
    std::vector<cl_command_queue> d_queues; // retained
    std::vector<cl_event> d_gates;          // not opened yet
};

// It is never destroyed, because drivers call OpenCL until the process has ended.
injector& faults()
{
    static auto* const all = new injector;
    return *all;
}

} // namespace

const std::vector<std::string>& fault_kind_names()
{
    static const std::vector<std::string> names = { "one",    "late",    "sticky",
                                                    "lost",   "release", "event",
                                                    "events", "hang",    "nonsense" };
    return names;
}

fault_kind find_fault_kind(const std::string& name)
{
    const auto& names = fault_kind_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        throw std::invalid_argument("there is no kind of fault '" + name + "'");
    return static_cast<fault_kind>(1 + (found - names.begin()));
}

std::string fault::text() const
{
    return function + ":" + std::to_string(call) + ":" +
           (kind == fault_kind::none
                ? "none"
                : fault_kind_names()[static_cast<std::size_t>(kind) - 1]);
}

fault fault::parse(const std::string& text)
{
    const auto first = text.find(':'), second = text.rfind(':');
    if (first == second || first == std::string::npos)
        throw std::invalid_argument("a fault is FUNCTION:CALL:KIND, not '" + text + "'");
    fault result;
    result.function = text.substr(0, first);
    kind_of(result.function);
    result.call = std::stoull(text.substr(first + 1, second - first - 1));
    const auto kind = text.substr(second + 1);
    result.kind = kind == "none" ? fault_kind::none : find_fault_kind(kind);
    return result;
}

bool fault::possible() const
{
    const auto of_function = kind_of(function);
    switch (kind) {
    case fault_kind::release:
        return of_function == opencl_kind::releases;
    case fault_kind::event:
    case fault_kind::events:
    case fault_kind::hang:
        return is_command(of_function);
    case fault_kind::nonsense:
        return function == "clEnqueueNDRangeKernel";
    case fault_kind::one:
    case fault_kind::late:
        return of_function != opencl_kind::releases; // the kind for these is "release"
    default:
        return true;
    }
}

armed_fault::armed_fault(const fault& what) { faults().arm(what); }
armed_fault::~armed_fault() { faults().disarm(); }
bool armed_fault::struck() const { return faults().struck(); }
std::map<std::string, std::uint64_t> armed_fault::calls() const
{
    return faults().calls();
}

void settle_commands() { faults().settle(); }

cl_int treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    return faults().treat(call, run);
}

} // namespace cldsp
