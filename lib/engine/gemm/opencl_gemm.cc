// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products on a device, in parts where a matrix exceeds its buffers.

#include "gemm/opencl_gemm.h"

#include "gemm/gemm_executor.h"
#include "opencl/commands.h"
#include "opencl/kernel_pace.h"
#include "opencl/transfer.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cldsp {

namespace {

cl::Event* next(std::vector<cl::Event>& events)
{
    events.emplace_back();
    return &events.back();
}

/*!
 * Computes products with the kernels of one variant, and brings the matrices to the
 * device and back. If a matrix does not fit into a buffer of the device, the product is
 * computed in parts: some columns of B at a time, with some rows of A at a time.
 */
class opencl_executor final : public gemm_executor
{
public:
    opencl_executor(std::shared_ptr<context> device,
                    const std::string& variant,
                    const std::string& transfer,
                    gemm_type type,
                    const tuning_values& tuned,
                    gemm_precision precision);

    void multiply(const gemm_call& call) override;
    void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b) override;
    void multiply_held(const gemm_call& call) override;
    gemm_precision precision() const override { return d_precision; }
    bool device_is_lost() const override { return d_device->is_lost_after(d_queue); }

private:
    enum class b_source { call, held };

    template <class Action>
    void checked(double multiply_adds, const Action& action);
    void run(const gemm_call& call, b_source source);
    void run_part(const gemm_call& call,
                  const gemm_part& part,
                  std::size_t row,
                  std::size_t column,
                  gemm_device_call& device_call,
                  b_source source,
                  bool share);
    bool can_share(const gemm_call& call, b_source source) const;
    void check_fits(const gemm_shape& shape) const;
    std::size_t max_elements() const;
    std::size_t paced_rows(const gemm_shape& shape, const gemm_part& part) const;
    void add_times(const gemm_events& kernels);

    const unsigned char*
    at(const const_gemm_matrix& m, std::size_t row, std::size_t column) const
    {
        return static_cast<const unsigned char*>(m.data) +
               (row * m.leading + column) * d_element;
    }

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    const gemm_precision d_precision;
    const std::size_t d_element, d_result; // bytes of an element of A and B, and of C
    const bool d_share; // kernels work on the caller's memory where that is possible
    std::unique_ptr<gemm_kernel> d_kernel;
    gemm_memory d_a, d_b, d_c, d_held;
    std::vector<cl::Event> d_transfers; // of the present part
    const_gemm_matrix d_held_host;
    bool d_is_held = false; // whether B is held on the device
    kernel_pace d_pace;     // counts products of elements
};

// A matrix takes at most one half of the largest buffer, so that a padded or transposed
// copy of it fits into one.
constexpr std::size_t parts_of_a_buffer = 2;

double multiply_adds(const gemm_shape& shape)
{
    return static_cast<double>(shape.m) * static_cast<double>(shape.n) *
           static_cast<double>(shape.k);
}

opencl_executor::opencl_executor(std::shared_ptr<context> device,
                                 const std::string& variant,
                                 const std::string& transfer,
                                 gemm_type type,
                                 const tuning_values& tuned,
                                 gemm_precision precision)
    : gemm_executor({ device->name(), variant, transfer }),
      d_device(std::move(device)),
      d_queue(d_device->make_queue()),
      d_precision(precision),
      d_element(element_size(type)),
      d_result(result_size(type)),
      d_share(transfer == "zero_copy"),
      d_a(d_device, d_queue, d_element),
      d_b(d_device, d_queue, d_element),
      d_c(d_device, d_queue, d_result),
      d_held(d_device, d_queue, d_element),
      // The size of the first kernel: a few milliseconds on the slowest GPUs.
      d_pace(d_device->longest_kernel(), std::size_t(1) << 22)
{
    checked(0, [&] {
        d_kernel =
            make_gemm_kernel(variant, { d_device, d_queue, type, tuned, precision });
    });
}

//! Runs an action. If the action throws, the device has finished with the caller's
//! memory, or the device is lost.
template <class Action>
void opencl_executor::checked(double multiply_adds, const Action& action)
{
    try {
        run_commands(*d_device, d_queue, multiply_adds, action);
    } catch (...) {
        d_a.release();
        d_b.release();
        d_c.release();
        throw;
    }
}

std::size_t opencl_executor::max_elements() const
{
    return d_device->limits().max_buffer / parts_of_a_buffer / d_result;
}

void opencl_executor::check_fits(const gemm_shape& shape) const
{
    const std::size_t most = max_elements();
    if (shape.k > most)
        throw_invalid("k",
                      std::to_string(shape.k),
                      "at most " + std::to_string(most) + " on device '" +
                          d_device->name() + "'");
}

bool opencl_executor::can_share(const gemm_call& call, b_source source) const
{
    const auto& s = call.shape;
    return d_share && d_a.can_share({ call.a.data, call.a.leading, s.m, s.k }) &&
           (source == b_source::held ||
            d_b.can_share({ call.b.data, call.b.leading, s.k, s.n })) &&
           d_c.can_share({ call.c.data, call.c.leading, s.m, s.n });
}

void opencl_executor::multiply(const gemm_call& call)
{
    checked(multiply_adds(call.shape), [&] { run(call, b_source::call); });
}

void opencl_executor::hold_b(std::size_t k, std::size_t n, const_gemm_matrix b)
{
    checked(multiply_adds({ 1, n, k }), [&] {
        d_held.release();
        d_held_host = b;
        // If B does not fit, each call brings it over in parts.
        const gemm_block block = { b.data, b.leading, k, n };
        const bool share = d_share && d_held.can_share(block);
        d_is_held = share || k * n <= max_elements();
        if (!d_is_held)
            return;
        d_transfers.clear();
        const auto held = d_held.put(block, share, true, d_transfers);
        d_kernel->hold_b(k, n, held);
        // The kernel may read the caller's memory, which may be freed together with this
        // executor.
        d_device->finish(d_queue);
    });
}

void opencl_executor::multiply_held(const gemm_call& call)
{
    gemm_call with_b = call;
    with_b.b = d_held_host;
    checked(multiply_adds(call.shape),
            [&] { run(with_b, d_is_held ? b_source::held : b_source::call); });
}

void opencl_executor::run(const gemm_call& call, b_source source)
{
    const auto& s = call.shape;
    const bool share = can_share(call, source);
    gemm_part part{ s.m, s.n };
    if (!share) {
        check_fits(s);
        part = largest_gemm_part(s, max_elements(), source == b_source::held);
    }
    for (std::size_t column = 0; column < s.n; column += part.columns) {
        gemm_device_call device_call;
        device_call.alpha = call.alpha;
        device_call.beta = call.beta;
        for (std::size_t row = 0; row < s.m;) {
            const gemm_part paced{ paced_rows(s,
                                              { std::min(part.rows, s.m - row),
                                                std::min(part.columns, s.n - column) }),
                                   part.columns };
            run_part(call, paced, row, column, device_call, source, share);
            row += paced.rows;
        }
    }
    d_sums.add_call(s.m * s.n);
}

void opencl_executor::run_part(const gemm_call& call,
                               const gemm_part& part,
                               std::size_t row,
                               std::size_t column,
                               gemm_device_call& device_call,
                               b_source source,
                               bool share)
{
    const std::complex<float> zero = 0;
    const auto& s = call.shape;
    auto& shape = device_call.shape;
    shape = { std::min(part.rows, s.m - row), std::min(part.columns, s.n - column), s.k };
    d_transfers.clear();
    if (source == b_source::call && row == 0)
        device_call.b = d_b.put({ at(call.b, 0, column), call.b.leading, s.k, shape.n },
                                share,
                                call.alpha != zero,
                                d_transfers);
    device_call.a = d_a.put({ at(call.a, row, 0), call.a.leading, shape.m, s.k },
                            share,
                            call.alpha != zero,
                            d_transfers);
    const gemm_block c = { static_cast<const unsigned char*>(call.c.data) +
                               (row * call.c.leading + column) * d_result,
                           call.c.leading,
                           shape.m,
                           shape.n };
    device_call.c = d_c.put(c, share, call.beta != zero, d_transfers);

    const auto kernels = source == b_source::held ? d_kernel->enqueue_held(device_call)
                                                  : d_kernel->enqueue(device_call);
    d_c.get(c, d_transfers);
    d_queue.flush();
    if (!d_c.finish(d_transfers))
        d_device->wait(kernels.multiply.back());
    add_times(kernels);
    double longest = 0;
    for (const auto& event : kernels.multiply)
        longest = std::max(longest, event_seconds(*d_device, event));
    d_pace.ran(shape.m * shape.n * shape.k, longest);
    if (share) {
        d_a.release();
        d_b.release();
        d_c.release();
    }
}

//! The number of rows of a part that one kernel may compute.
std::size_t opencl_executor::paced_rows(const gemm_shape& shape,
                                        const gemm_part& part) const
{
    const std::size_t a_row = part.columns * shape.k;
    return std::max<std::size_t>(1, d_pace.units(part.rows * a_row) / a_row);
}

void opencl_executor::add_times(const gemm_events& kernels)
{
    time_spans times(*d_device);
    for (const auto* events : { &kernels.prepare, &kernels.multiply })
        for (const auto& event : *events)
            times.add(event);
    d_sums.add_times(times.seconds(), 0);
    for (const auto& event : d_transfers)
        d_sums.add_times(0, event_seconds(*d_device, event));
}

} // namespace

gemm_part
largest_gemm_part(const gemm_shape& shape, std::size_t max_elements, bool is_b_held)
{
    const std::size_t fitting = max_elements / shape.k;
    gemm_part part{ std::min(shape.m, fitting), std::min(shape.n, fitting) };
    while (part.rows * part.columns > max_elements) {
        auto& larger = part.rows > part.columns ? part.rows : part.columns;
        larger = (larger + 1) / 2;
    }
    // Parts are multiples of the largest tile of any kernel.
    constexpr std::size_t tile = 256;
    if (part.rows < shape.m && part.rows > tile)
        part.rows -= part.rows % tile;
    if (part.columns < shape.n && part.columns > tile)
        part.columns -= part.columns % tile;
    // A B that is held as a whole cannot be cut. Instead C is cut into fewer rows, if
    // needed.
    if (is_b_held) {
        part.rows = std::min(part.rows, std::max<std::size_t>(1, max_elements / shape.n));
        part.columns = shape.n;
    }
    return part;
}

gemm_memory::gemm_memory(std::shared_ptr<context> device,
                         cl::CommandQueue queue,
                         std::size_t element)
    : d_device(std::move(device)),
      d_queue(std::move(queue)),
      d_element(element),
      d_coherent(d_device->device().kind == device_kind::cpu),
      d_copy(d_device),
      d_copies(d_device, d_queue),
      d_shared(d_device)
{
}

bool gemm_memory::can_share(const gemm_block& block) const
{
    const auto& limits = d_device->limits();
    if (!d_coherent && !limits.host_unified_memory)
        return false;
    const std::size_t before =
        reinterpret_cast<std::uintptr_t>(block.data) % limits.base_address_alignment;
    // On devices other than CPUs, a cache line that the matrix shares with other data may
    // be stale.
    if (d_coherent ? before % d_element != 0 : before != 0)
        return false;
    return block.bytes(d_element) + before <= limits.max_buffer;
}

gemm_device_matrix gemm_memory::put(const gemm_block& block,
                                    bool shared,
                                    bool content,
                                    std::vector<cl::Event>& events)
{
    d_is_shared = shared;
    if (shared)
        return share(block, events);

    gemm_device_matrix result;
    result.leading = block.columns;
    const std::size_t row = block.columns * d_element;
    d_copy.reserve(block.rows * row);
    result.buffer = d_copy.buffer();
    if (!content)
        return result;
    d_copies.write(result.buffer,
                   { block.data, row, block.rows, block.leading * d_element },
                   events);
    return result;
}

gemm_device_matrix gemm_memory::share(const gemm_block& block,
                                      std::vector<cl::Event>& events)
{
    // The wrapped memory begins at the alignment boundary before the data. Kernels do not
    // touch what lies between.
    const std::size_t before = reinterpret_cast<std::uintptr_t>(block.data) %
                               d_device->limits().base_address_alignment;
    d_shared.forget();
    d_shared.wrap({ static_cast<const unsigned char*>(block.data) - before,
                    block.bytes(d_element) + before });
    d_shared_offset = before;
    if (!d_coherent) {
        // "Invalidate" keeps the driver from writing stale data over the host's. Memory
        // that is only written by the kernels is brought over too, because the gaps
        // between its rows belong to the caller.
        d_shared.map(d_queue,
                     CL_MAP_WRITE_INVALIDATE_REGION,
                     before,
                     block.bytes(d_element),
                     nullptr,
                     next(events));
        d_shared.unmap(next(events));
    }
    return { d_shared.buffer(), before / d_element, block.leading };
}

void gemm_memory::get(const gemm_block& block, std::vector<cl::Event>& events)
{
    if (!d_is_shared) {
        d_copies.begin_read(d_copy.buffer(),
                            { block.data,
                              block.columns * d_element,
                              block.rows,
                              block.leading * d_element });
        return;
    }
    if (d_coherent)
        return;
    d_shared.map(d_queue,
                 CL_MAP_READ,
                 d_shared_offset,
                 block.bytes(d_element),
                 nullptr,
                 next(events));
    d_shared.unmap(next(events));
}

bool gemm_memory::finish(std::vector<cl::Event>& events)
{
    if (!d_is_shared)
        d_copies.finish_read(events);
    else if (!d_coherent)
        d_device->wait(events.back());
    return !d_is_shared || !d_coherent;
}

void gemm_memory::release() noexcept { d_shared.forget(); }

std::unique_ptr<gemm_executor> make_opencl_gemm(std::shared_ptr<context> device,
                                                const std::string& variant,
                                                const std::string& transfer,
                                                gemm_type type,
                                                const tuning_values& tuned,
                                                gemm_precision precision)
{
    return make_on_device<opencl_executor>(
        device, variant, transfer, type, tuned, precision);
}

} // namespace cldsp
