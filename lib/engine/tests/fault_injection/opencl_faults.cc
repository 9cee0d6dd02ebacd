/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl_faults.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace cldsp {

namespace {

//! The treatment of a call.
enum class fate { pass, refuse, fail, hang, skip };

//! A command with the arguments that its caller gave.
struct command {
    const char* function;
    cl_command_queue queue;
    bool blocking;
    cl_uint waits;
    const cl_event* list;
    cl_event* event;
};

bool is_release(const std::string& function)
{
    return function.rfind("clRelease", 0) == 0;
}
bool is_command(const std::string& function)
{
    return function.rfind("clEnqueue", 0) == 0;
}

bool is_wait(const std::string& function)
{
    return function == "clFinish" || function == "clWaitForEvents";
}

//! A device that hangs blocks every thread that waits for it, until the process is ended.
[[noreturn]] void wait_forever()
{
    for (;;)
        pause();
}

//! Finds the driver's function by its name.
template <class FUNCTION>
FUNCTION* driver(FUNCTION*, const char* name)
{
    return reinterpret_cast<FUNCTION*>(dlsym(RTLD_NEXT, name));
}
#define DRIVER(name)                                                \
    ([] {                                                           \
        static const auto function = ::cldsp::driver(&name, #name); \
        return function;                                            \
    }())

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
            DRIVER(clReleaseCommandQueue)(queue);
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fault = {};
        for (const auto& [event, ghost] : d_ghosts) {
            if (ghost.what == fate::hang)
                DRIVER(clSetUserEventStatus)(event, CL_OUT_OF_RESOURCES);
            DRIVER(clReleaseEvent)(event);
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
    int code() const
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return d_fault.code;
    }

    //! Counts a call, and decides its treatment.
    fate next(const char* function)
    {
        bool lost_now = false;
        const fate result = decide(function, lost_now);
        // A lost device must not write to memory any more.
        if (lost_now)
            settle();
        return result;
    }

    //! \param function the name of the OpenCL function
    //! \param lost_now set to true if the device is lost with this call
    fate decide(const char* function, bool& lost_now)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        const auto count = ++d_calls[function];
        const bool same = d_fault.function == function;
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
            return now || (d_struck && is_wait(function)) ? fate::refuse : fate::pass;
        case fault_kind::sticky:
            return from_now_on ? fate::refuse : fate::pass;
        case fault_kind::lost:
            return d_struck ? fate::refuse : fate::pass;
        case fault_kind::event:
            return now ? fate::fail : fate::pass;
        case fault_kind::events:
            return d_struck && is_command(function) ? fate::fail : fate::pass;
        case fault_kind::hang:
            return now ? fate::hang : fate::pass;
        case fault_kind::nonsense:
            return from_now_on ? fate::skip : fate::pass;
        }
        return fate::pass;
    }

    //! The treatment that a command inherits from the commands before it.
    fate inherited(const command& c)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (d_hung.count(c.queue))
            return fate::hang;
        if (d_owed.erase(c.queue))
            return fate::fail;
        fate result = fate::pass;
        for (cl_uint i = 0; i < c.waits; ++i) {
            const auto found = d_ghosts.find(c.list[i]);
            if (found != d_ghosts.end() && result != fate::hang)
                result = found->second.what;
        }
        return result;
    }

    //! Accepts a command that is not to run.
    cl_int take(const command& c, fate what)
    {
        if (c.blocking && what == fate::hang)
            wait_forever();
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (c.blocking)
            return d_fault.code;
        cl_context context = nullptr;
        cl_int result = DRIVER(clGetCommandQueueInfo)(
            c.queue, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
        if (result != CL_SUCCESS)
            return result;
        const cl_event event = DRIVER(clCreateUserEvent)(context, &result);
        if (result != CL_SUCCESS)
            return result;
        if (what == fate::fail)
            DRIVER(clSetUserEventStatus)(event, d_fault.code);
        else
            d_hung.insert(c.queue);
        // The event is kept until the fault is over, so that no other event gets its
        // address.
        d_ghosts[event] = { c.queue, what };
        if (c.event) {
            DRIVER(clRetainEvent)(event);
            *c.event = event;
        } else if (what == fate::fail) {
            // Without an event, the failure shows only in later commands of the queue.
            d_owed.insert(c.queue);
        }
        return CL_SUCCESS;
    }

    /*!
     * Keeps a reference to a new queue. By the standard the commands of a released queue
     * run on, but some drivers wait for them instead.
     */
    void keep(cl_command_queue queue)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        DRIVER(clRetainCommandQueue)(queue);
        d_queues.push_back(queue);
    }

    //! The events that a command has to wait for: its own list, and for a late fault also
    //! a gate.
    std::vector<cl_event> with_gate(const command& c)
    {
        std::vector<cl_event> list(c.list, c.list + c.waits);
        const std::lock_guard<std::mutex> guard(d_mutex);
        cl_context context = nullptr;
        cl_int result = CL_SUCCESS;
        if (d_fault.kind == fault_kind::late && !c.blocking &&
            DRIVER(clGetCommandQueueInfo)(
                c.queue, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr) ==
                CL_SUCCESS) {
            const cl_event gate = DRIVER(clCreateUserEvent)(context, &result);
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
            DRIVER(clSetUserEventStatus)(gate, CL_COMPLETE);
            DRIVER(clReleaseEvent)(gate);
        }
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
            DRIVER(clFinish)(queue);
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

private:
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

// The functions below have no object to belong to, so they use this one. It is never
// destroyed, because drivers call these functions until the process has ended.
injector& faults()
{
    static auto* const all = new injector;
    return *all;
}

bool refused(const char* function) { return faults().next(function) == fate::refuse; }

//! \param run gives the command to the driver, with the events that it has to wait for
template <class RUN>
cl_int enqueue(const command& c, const RUN& run)
{
    fate what = faults().next(c.function);
    if (what == fate::pass)
        what = faults().inherited(c);
    switch (what) {
    case fate::refuse:
        return faults().code();
    case fate::fail:
    case fate::hang:
        return faults().take(c, what);
    case fate::skip:
        return DRIVER(clEnqueueMarkerWithWaitList)(c.queue, c.waits, c.list, c.event);
    case fate::pass:
        break;
    }
    if (c.blocking)
        faults().open_gates();
    const auto list = faults().with_gate(c);
    return run(static_cast<cl_uint>(list.size()), list.empty() ? nullptr : list.data());
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
    result.call = std::stoull(text.substr(first + 1, second - first - 1));
    const auto kind = text.substr(second + 1);
    result.kind = kind == "none" ? fault_kind::none : find_fault_kind(kind);
    return result;
}

bool fault::possible() const
{
    switch (kind) {
    case fault_kind::release:
        return is_release(function);
    case fault_kind::event:
    case fault_kind::events:
    case fault_kind::hang:
        return is_command(function);
    case fault_kind::nonsense:
        return function == "clEnqueueNDRangeKernel";
    case fault_kind::one:
    case fault_kind::late:
        return !is_release(function); // the kind for these is "release"
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

} // namespace cldsp

/*
 * Every OpenCL function that the engine and its libraries call. The test
 * "engine_faults_cover_opencl" finds any that is missing here.
 */

using namespace cldsp;

//! Defines a function that returns its status.
#define STATUS(name, parameters, arguments)                               \
    CL_API_ENTRY cl_int CL_API_CALL name parameters                       \
    {                                                                     \
        return refused(#name) ? faults().code() : DRIVER(name) arguments; \
    }

//! Defines a function that returns an object, and its status through its last parameter,
//! `result`.
#define OBJECT(type, name, parameters, arguments) \
    CL_API_ENTRY type CL_API_CALL name parameters \
    {                                             \
        if (!refused(#name))                      \
            return DRIVER(name) arguments;        \
        if (result)                               \
            *result = faults().code();            \
        return nullptr;                           \
    }

//! Defines a command, whose last parameters are `waits`, `list` and `event`.
#define COMMAND(name, blocking, parameters, arguments)                 \
    CL_API_ENTRY cl_int CL_API_CALL name parameters                    \
    {                                                                  \
        return enqueue({ #name, queue, blocking, waits, list, event }, \
                       [&](cl_uint waits, const cl_event* list) {      \
                           return DRIVER(name) arguments;              \
                       });                                             \
    }

// Defines a function that returns information; these functions all have parameters of the
// same form.
#define INFO(name, handle)                                                          \
    STATUS(name,                                                                    \
           (handle object, cl_uint what, size_t size, void* value, size_t* actual), \
           (object, what, size, value, actual))
#define RETAIN_AND_RELEASE(object, handle)    \
    STATUS(clRetain##object, (handle o), (o)) \
    STATUS(clRelease##object, (handle o), (o))

extern "C" {

STATUS(clGetPlatformIDs,
       (cl_uint room, cl_platform_id* ids, cl_uint* count),
       (room, ids, count))
INFO(clGetPlatformInfo, cl_platform_id)
STATUS(clGetDeviceIDs,
       (cl_platform_id platform,
        cl_device_type type,
        cl_uint room,
        cl_device_id* ids,
        cl_uint* count),
       (platform, type, room, ids, count))
INFO(clGetDeviceInfo, cl_device_id)
RETAIN_AND_RELEASE(Device, cl_device_id)

OBJECT(cl_context,
       clCreateContext,
       (const cl_context_properties* properties,
        cl_uint count,
        const cl_device_id* devices,
        void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
        void* data,
        cl_int* result),
       (properties, count, devices, notify, data, result))
INFO(clGetContextInfo, cl_context)
RETAIN_AND_RELEASE(Context, cl_context)
STATUS(clGetSupportedImageFormats,
       (cl_context context,
        cl_mem_flags flags,
        cl_mem_object_type type,
        cl_uint room,
        cl_image_format* formats,
        cl_uint* count),
       (context, flags, type, room, formats, count))

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context context,
                     cl_device_id device,
                     cl_command_queue_properties properties,
                     cl_int* result)
{
    if (refused("clCreateCommandQueue")) {
        if (result)
            *result = faults().code();
        return nullptr;
    }
    const auto queue = DRIVER(clCreateCommandQueue)(context, device, properties, result);
    if (queue)
        faults().keep(queue);
    return queue;
}
INFO(clGetCommandQueueInfo, cl_command_queue)
RETAIN_AND_RELEASE(CommandQueue, cl_command_queue)
STATUS(clFlush, (cl_command_queue queue), (queue))

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    if (refused("clFinish"))
        return faults().code();
    faults().open_gates();
    const fate what = faults().of_queue(queue);
    if (what == fate::hang)
        wait_forever();
    const cl_int result = DRIVER(clFinish)(queue);
    return what == fate::fail ? faults().code() : result;
}

OBJECT(cl_mem,
       clCreateBuffer,
       (cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* result),
       (context, flags, size, host, result))
OBJECT(cl_mem,
       clCreateSubBuffer,
       (cl_mem buffer,
        cl_mem_flags flags,
        cl_buffer_create_type type,
        const void* info,
        cl_int* result),
       (buffer, flags, type, info, result))
OBJECT(cl_mem,
       clCreateImage,
       (cl_context context,
        cl_mem_flags flags,
        const cl_image_format* format,
        const cl_image_desc* description,
        void* host,
        cl_int* result),
       (context, flags, format, description, host, result))
INFO(clGetMemObjectInfo, cl_mem)
INFO(clGetImageInfo, cl_mem)
RETAIN_AND_RELEASE(MemObject, cl_mem)

OBJECT(cl_program,
       clCreateProgramWithSource,
       (cl_context context,
        cl_uint count,
        const char** texts,
        const size_t* lengths,
        cl_int* result),
       (context, count, texts, lengths, result))
OBJECT(cl_program,
       clCreateProgramWithBinary,
       (cl_context context,
        cl_uint count,
        const cl_device_id* devices,
        const size_t* lengths,
        const unsigned char** binaries,
        cl_int* each,
        cl_int* result),
       (context, count, devices, lengths, binaries, each, result))
STATUS(clBuildProgram,
       (cl_program program,
        cl_uint count,
        const cl_device_id* devices,
        const char* options,
        void(CL_CALLBACK* notify)(cl_program, void*),
        void* data),
       (program, count, devices, options, notify, data))
INFO(clGetProgramInfo, cl_program)
STATUS(clGetProgramBuildInfo,
       (cl_program program,
        cl_device_id device,
        cl_program_build_info what,
        size_t size,
        void* value,
        size_t* actual),
       (program, device, what, size, value, actual))
RETAIN_AND_RELEASE(Program, cl_program)

OBJECT(cl_kernel,
       clCreateKernel,
       (cl_program program, const char* name, cl_int* result),
       (program, name, result))
STATUS(clSetKernelArg,
       (cl_kernel kernel, cl_uint index, size_t size, const void* value),
       (kernel, index, size, value))
INFO(clGetKernelInfo, cl_kernel)
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel kernel,
        cl_device_id device,
        cl_kernel_work_group_info what,
        size_t size,
        void* value,
        size_t* actual),
       (kernel, device, what, size, value, actual))
RETAIN_AND_RELEASE(Kernel, cl_kernel)

RETAIN_AND_RELEASE(Event, cl_event)

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(
    cl_event event, cl_event_info what, size_t size, void* value, size_t* actual)
{
    if (refused("clGetEventInfo"))
        return faults().code();
    // The user event that stands for a command has no queue of its own.
    cl_command_queue queue = nullptr;
    if (what == CL_EVENT_COMMAND_QUEUE && size >= sizeof(queue) && value &&
        faults().of(event, &queue) != fate::pass) {
        std::memcpy(value, &queue, sizeof(queue));
        return CL_SUCCESS;
    }
    if (what == CL_EVENT_COMMAND_EXECUTION_STATUS)
        faults().open_gates();
    return DRIVER(clGetEventInfo)(event, what, size, value, actual);
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(
    cl_event event, cl_profiling_info what, size_t size, void* value, size_t* actual)
{
    if (refused("clGetEventProfilingInfo"))
        return faults().code();
    if (faults().of(event) != fate::pass)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return DRIVER(clGetEventProfilingInfo)(event, what, size, value, actual);
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* events)
{
    if (refused("clWaitForEvents"))
        return faults().code();
    faults().open_gates();
    std::vector<cl_event> running;
    for (cl_uint i = 0; i < count; ++i) {
        const fate what = faults().of(events[i]);
        if (what == fate::hang)
            wait_forever();
        if (what == fate::pass)
            running.push_back(events[i]);
    }
    const cl_int result = running.empty() && count
                              ? CL_SUCCESS
                              : DRIVER(clWaitForEvents)(
                                    static_cast<cl_uint>(running.size()), running.data());
    return running.size() < count ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : result;
}

STATUS(clSetEventCallback,
       (cl_event event,
        cl_int status,
        void(CL_CALLBACK* notify)(cl_event, cl_int, void*),
        void* data),
       (event, status, notify, data))

COMMAND(clEnqueueReadBuffer,
        blocking != CL_FALSE,
        (cl_command_queue queue,
         cl_mem buffer,
         cl_bool blocking,
         size_t offset,
         size_t size,
         void* to,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, buffer, blocking, offset, size, to, waits, list, event))
COMMAND(clEnqueueWriteBuffer,
        blocking != CL_FALSE,
        (cl_command_queue queue,
         cl_mem buffer,
         cl_bool blocking,
         size_t offset,
         size_t size,
         const void* from,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, buffer, blocking, offset, size, from, waits, list, event))
COMMAND(clEnqueueReadBufferRect,
        blocking != CL_FALSE,
        (cl_command_queue queue,
         cl_mem buffer,
         cl_bool blocking,
         const size_t* origin,
         const size_t* host_origin,
         const size_t* region,
         size_t row,
         size_t slice,
         size_t host_row,
         size_t host_slice,
         void* to,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue,
         buffer,
         blocking,
         origin,
         host_origin,
         region,
         row,
         slice,
         host_row,
         host_slice,
         to,
         waits,
         list,
         event))
COMMAND(clEnqueueWriteBufferRect,
        blocking != CL_FALSE,
        (cl_command_queue queue,
         cl_mem buffer,
         cl_bool blocking,
         const size_t* origin,
         const size_t* host_origin,
         const size_t* region,
         size_t row,
         size_t slice,
         size_t host_row,
         size_t host_slice,
         const void* from,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue,
         buffer,
         blocking,
         origin,
         host_origin,
         region,
         row,
         slice,
         host_row,
         host_slice,
         from,
         waits,
         list,
         event))
COMMAND(clEnqueueCopyBuffer,
        false,
        (cl_command_queue queue,
         cl_mem from,
         cl_mem to,
         size_t from_offset,
         size_t to_offset,
         size_t size,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, from, to, from_offset, to_offset, size, waits, list, event))
COMMAND(clEnqueueFillBuffer,
        false,
        (cl_command_queue queue,
         cl_mem buffer,
         const void* pattern,
         size_t pattern_size,
         size_t offset,
         size_t size,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, buffer, pattern, pattern_size, offset, size, waits, list, event))
COMMAND(clEnqueueCopyBufferToImage,
        false,
        (cl_command_queue queue,
         cl_mem from,
         cl_mem to,
         size_t offset,
         const size_t* origin,
         const size_t* region,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, from, to, offset, origin, region, waits, list, event))
COMMAND(clEnqueueUnmapMemObject,
        false,
        (cl_command_queue queue,
         cl_mem buffer,
         void* pointer,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, buffer, pointer, waits, list, event))
COMMAND(clEnqueueNDRangeKernel,
        false,
        (cl_command_queue queue,
         cl_kernel kernel,
         cl_uint dimensions,
         const size_t* offset,
         const size_t* global,
         const size_t* local,
         cl_uint waits,
         const cl_event* list,
         cl_event* event),
        (queue, kernel, dimensions, offset, global, local, waits, list, event))
COMMAND(clEnqueueMarkerWithWaitList,
        false,
        (cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event),
        (queue, waits, list, event))
COMMAND(clEnqueueBarrierWithWaitList,
        false,
        (cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event),
        (queue, waits, list, event))

CL_API_ENTRY void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue,
                                                  cl_mem buffer,
                                                  cl_bool blocking,
                                                  cl_map_flags flags,
                                                  size_t offset,
                                                  size_t size,
                                                  cl_uint waits,
                                                  const cl_event* list,
                                                  cl_event* event,
                                                  cl_int* result)
{
    const command c = {
        "clEnqueueMapBuffer", queue, blocking != CL_FALSE, waits, list, event
    };
    fate what = faults().next(c.function);
    if (what == fate::pass)
        what = faults().inherited(c);
    if (what == fate::pass) {
        if (c.blocking)
            faults().open_gates();
        const auto all = faults().with_gate(c);
        return DRIVER(clEnqueueMapBuffer)(queue,
                                          buffer,
                                          blocking,
                                          flags,
                                          offset,
                                          size,
                                          static_cast<cl_uint>(all.size()),
                                          all.empty() ? nullptr : all.data(),
                                          event,
                                          result);
    }
    void* pointer = nullptr;
    cl_int status = faults().code();
    if (what != fate::refuse) {
        // The pointer is returned by the call itself, however the command ends.
        faults().open_gates();
        if (!c.blocking)
            pointer = DRIVER(clEnqueueMapBuffer)(queue,
                                                 buffer,
                                                 CL_TRUE,
                                                 flags,
                                                 offset,
                                                 size,
                                                 0,
                                                 nullptr,
                                                 nullptr,
                                                 &status);
        if (c.blocking || status == CL_SUCCESS)
            status = faults().take(c, what);
    }
    if (result)
        *result = status;
    return status == CL_SUCCESS ? pointer : nullptr;
}

} // extern "C"
