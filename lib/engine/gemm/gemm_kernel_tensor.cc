// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernel of products for the matrix units of NVIDIA GPUs.

#include "base/arithmetic.h"
#include "gemm/gemm_check.h"
#include "gemm/gemm_commands.h"
#include "gemm/gemm_parameters.h"
#include "gemm/gemm_problem.h"
#include "opencl/buffer.h"

#include <cldsp/gemm_reference.h>
#include <cldsp/logger.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <tuple>

namespace cldsp {

namespace {

constexpr std::size_t words_per_step = 16;
constexpr std::size_t warp_size = 32;
constexpr std::size_t pack_items = 128; // PACK_ITEMS and PACK_SIDE of the kernel
constexpr std::size_t pack_side = 32;
// A product for a first check: the last tile is not whole, and there are four steps of k
// or more, whose rows in the words of any type start at multiples of 16 bytes.
constexpr gemm_shape product_of_check = { 36, 40, 208 };
// The emulation is slow.
constexpr gemm_shape emulated_product_of_check = { 36, 40, 44 };

//! The elements in a word, of types that the kernel reads in words.
std::size_t per_word(gemm_type type)
{
    return type == gemm_type::f16 ? 2 : type == gemm_type::s8 ? 4 : 1;
}

//! The words from one packed row to the next. Rows of 4 words or more start at multiples
//! of 16 bytes. A packed matrix is at most four times as large as the matrix.
std::size_t packed_leading(std::size_t words)
{
    return words < 4 ? words : round_up(words, 4);
}

/*!
 * The kernel for matrix units.
 *
 * It takes matrices of floats as they are. It reads halves in words of two along k, and
 * bytes in words of four, of A along the rows and of B along the columns. B is therefore
 * packed for each call, or once if it is held, and A only if its rows are no whole words.
 */
class gemm_kernel_tensor : public gemm_kernel
{
public:
    gemm_kernel_tensor(const gemm_kernel_args& args,
                       const std::vector<gemm_tensor_parameters>& choices,
                       tensor_mode mode,
                       bool with_large_tiles);
    gemm_events enqueue(const gemm_device_call& call) override;
    void hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b) override;
    gemm_events enqueue_held(const gemm_device_call& call) override;

private:
    void check(const gemm_tensor_parameters& parameters) const;
    cl::Kernel& get(std::size_t choice, bool aligned, bool is_long = false);
    bool is_aligned(const gemm_device_matrix& matrix) const;
    cl_uint count(const char* name, std::size_t elements) const;
    void add_large_tiles();
    std::size_t best_choice(const gemm_shape& shape) const
    {
        return gemm_tensor_parameters::best_of(
            d_choices, d_args.type, shape, d_args.device->limits().compute_units);
    }
    gemm_events
    multiply(const gemm_device_call& call, bool b_is_packed, std::size_t choice);
    gemm_device_matrix words_of_a(const gemm_device_call& call, gemm_events& events);
    gemm_device_matrix packed_b(device_buffer& to,
                                std::size_t k,
                                std::size_t n,
                                const gemm_device_matrix& b,
                                gemm_events& events);
    void check_product(std::size_t choice, const gemm_shape& shape);

    std::size_t floats() const { return d_args.type == gemm_type::c32 ? 2 : 1; }
    bool takes_words() const { return per_word(d_args.type) > 1; }
    std::size_t words(std::size_t k) const { return divide_up(k, per_word(d_args.type)); }

    gemm_kernel_args d_args;
    std::vector<gemm_tensor_parameters> d_choices;
    tensor_mode d_mode;
    std::map<std::tuple<std::size_t, bool, bool>, cl::Kernel> d_kernels;
    cl::Kernel d_pack_rows, d_pack_columns; // of types that are read in words
    device_buffer d_words_of_a, d_words_of_b, d_held_words;
    gemm_device_matrix d_held;
    std::size_t d_held_n = 0, d_held_k = 0;
};

gemm_kernel_tensor::gemm_kernel_tensor(const gemm_kernel_args& args,
                                       const std::vector<gemm_tensor_parameters>& choices,
                                       tensor_mode mode,
                                       bool with_large_tiles)
    : d_args(args),
      d_choices(choices),
      d_mode(mode),
      d_words_of_a(args.device),
      d_words_of_b(args.device),
      d_held_words(args.device)
{
    const auto reason = missing_tensor_reason(args.device->device());
    if (mode == tensor_mode::native && !reason.empty())
        throw_invalid("variant", "'tensor'", "another one: " + reason);
    if (choices.empty())
        throw_invalid("choices", "empty", "one or more");
    for (const auto& parameters : choices)
        check(parameters);
    const auto& product =
        mode == tensor_mode::native ? product_of_check : emulated_product_of_check;
    check_product(best_choice(product), product);
    if (mode == tensor_mode::native && with_large_tiles)
        add_large_tiles();
}

/*!
 * Adds the tiles that need more local memory than the device reports, if it can run them:
 * NVIDIA's OpenCL reports 48 KB, and builds kernels with as much as the GPU has, which is
 * 99 KB or more.
 */
void gemm_kernel_tensor::add_large_tiles()
{
    // Exact products of floats are faster with the smaller tiles, which leave registers.
    if (d_args.type == gemm_type::f32 && d_args.precision == gemm_precision::exact)
        return;
    const auto large = gemm_tensor_parameters::large();
    if (!may_use_large_tiles(d_args.device->limits(), large.items()))
        return;
    d_choices.push_back(large);
    try {
        check_product(d_choices.size() - 1, product_of_check);
        check_product(d_choices.size() - 1,
                      { large.group_rows, large.group_columns, product_of_check.k });
    } catch (const std::exception& e) {
        d_choices.pop_back();
        log_to(d_args.device->log(),
               log_level::debug,
               "'tensor' does without its largest tiles on device '" +
                   d_args.device->name() + "': " + e.what());
    }
}

void gemm_kernel_tensor::check(const gemm_tensor_parameters& p) const
{
    const auto& limits = d_args.device->limits();
    const auto in_range =
        [](const char* name, std::size_t value, std::size_t step, std::size_t most) {
            if (value == 0 || value % step != 0 || value > most)
                throw_invalid(name,
                              std::to_string(value),
                              "a multiple of " + std::to_string(step) + " up to " +
                                  std::to_string(most));
        };
    in_range("warp_rows", p.warp_rows, 16, 128);
    in_range("warp_columns", p.warp_columns, 32, 128);
    in_range("group_rows", p.group_rows, p.warp_rows, 256);
    in_range("group_columns", p.group_columns, p.warp_columns, 256);
    if (p.stages < 2 || p.stages > 4)
        throw_invalid("stages", std::to_string(p.stages), "2 to 4");
    in_range("work-items",
             p.items(),
             warp_size,
             std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]));
    in_range("local memory", p.local_memory(d_args.type), 1, limits.local_memory);
}

//! \param choice the number of the parameters
//! \param aligned whether all rows start at multiples of 16 bytes
//! \param is_long whether sums of halves leave the matrix unit from time to time
cl::Kernel& gemm_kernel_tensor::get(std::size_t choice, bool aligned, bool is_long)
{
    auto& kernel = d_kernels[{ choice, aligned, is_long }];
    if (!kernel()) {
        const auto& p = d_choices[choice];
        const auto built = d_args.device->build(
            "gemm_tensor",
            "-DTYPE=" + std::to_string(static_cast<int>(d_args.type)) +
                " -DGROUP_ROWS=" + std::to_string(p.group_rows) +
                " -DGROUP_COLUMNS=" + std::to_string(p.group_columns) +
                " -DWARP_ROWS=" + std::to_string(p.warp_rows) + " -DWARP_COLUMNS=" +
                std::to_string(p.warp_columns) + " -DSTAGES=" + std::to_string(p.stages) +
                " -DPRECISION=" + std::to_string(static_cast<int>(d_args.precision)) +
                " -DALIGNED=" + std::to_string(aligned ? 1 : 0) +
                (is_long ? " -DLONG=1" : "") +
                " -DEMULATE=" + std::to_string(d_mode == tensor_mode::emulated ? 1 : 0));
        with_opencl_errors(*d_args.device, [&] {
            if (takes_words() && !d_pack_columns()) {
                replace(d_pack_rows, cl::Kernel(built, "pack_rows"));
                replace(d_pack_columns, cl::Kernel(built, "pack_columns"));
            }
            replace(kernel, cl::Kernel(built, "gemm"));
        });
    }
    return kernel;
}

//! Whether every row starts at a multiple of 16 bytes.
bool gemm_kernel_tensor::is_aligned(const gemm_device_matrix& matrix) const
{
    const std::size_t chunk = 16 / (takes_words() ? 4 : element_size(d_args.type));
    return matrix.offset % chunk == 0 && matrix.leading % chunk == 0;
}

//! An offset or a leading dimension, whose floats the kernel counts in 32 bits.
cl_uint gemm_kernel_tensor::count(const char* name, std::size_t elements) const
{
    const std::size_t most = std::numeric_limits<cl_uint>::max() / floats();
    if (elements > most)
        throw_invalid(name, std::to_string(elements), "at most " + std::to_string(most));
    return static_cast<cl_uint>(elements);
}

//! A matrix A in words, which is A itself if all its rows are whole words.
gemm_device_matrix gemm_kernel_tensor::words_of_a(const gemm_device_call& call,
                                                  gemm_events& events)
{
    const auto& a = call.a;
    const std::size_t each = per_word(d_args.type);
    if (call.shape.k % each == 0 && a.offset % each == 0 && a.leading % each == 0)
        return { a.buffer, a.offset / each, a.leading / each };
    const std::size_t leading = packed_leading(words(call.shape.k));
    gemm_device_matrix packed;
    packed.leading = leading;
    packed.buffer = reserve(d_words_of_a,
                            *d_args.device,
                            call.shape.m * leading * sizeof(cl_uint),
                            "packed A");
    get(0, true); // makes the kernels that pack
    with_opencl_errors(*d_args.device, [&] {
        set_args(d_pack_rows,
                 a.buffer,
                 count("A's offset", a.offset),
                 count("A's leading dimension", a.leading),
                 static_cast<cl_uint>(call.shape.k),
                 packed.buffer,
                 static_cast<cl_uint>(leading));
        events.prepare.push_back(enqueue_kernel(d_args,
                                                d_pack_rows,
                                                cl::NDRange(call.shape.m * pack_items),
                                                cl::NDRange(pack_items)));
    });
    return packed;
}

//! The columns of a matrix B as rows of words.
gemm_device_matrix gemm_kernel_tensor::packed_b(device_buffer& to,
                                                std::size_t k,
                                                std::size_t n,
                                                const gemm_device_matrix& b,
                                                gemm_events& events)
{
    const std::size_t leading = packed_leading(words(k));
    gemm_device_matrix packed;
    packed.leading = leading;
    packed.buffer =
        reserve(to, *d_args.device, n * leading * sizeof(cl_uint), "packed B");
    get(0, true); // makes the kernels that pack
    const std::size_t tiles = divide_up(n, pack_side) * divide_up(words(k), pack_side);
    with_opencl_errors(*d_args.device, [&] {
        set_args(d_pack_columns,
                 b.buffer,
                 count("B's offset", b.offset),
                 count("B's leading dimension", b.leading),
                 static_cast<cl_uint>(k),
                 static_cast<cl_uint>(n),
                 packed.buffer,
                 static_cast<cl_uint>(leading));
        events.prepare.push_back(enqueue_kernel(d_args,
                                                d_pack_columns,
                                                cl::NDRange(tiles * pack_items),
                                                cl::NDRange(pack_items)));
    });
    return packed;
}

gemm_events gemm_kernel_tensor::enqueue(const gemm_device_call& call)
{
    return multiply(call, false, best_choice(call.shape));
}

//! \param call the matrices
//! \param b_is_packed whether call.b is what packed_b() returns, if B is packed at all
//! \param choice the number of the parameters
gemm_events gemm_kernel_tensor::multiply(const gemm_device_call& call,
                                         bool b_is_packed,
                                         std::size_t choice)
{
    check_sizes(call.shape);
    gemm_events events;
    auto a = call.a;
    auto b = call.b;
    auto shape = call.shape;
    if (call.alpha == std::complex<float>(0)) {
        // The kernel does not read A and B, but its arguments need some buffer.
        shape.k = 0;
        a = b = gemm_device_matrix{ call.c.buffer, 0, 0 };
    } else if (takes_words()) {
        a = words_of_a(call, events);
        if (!b_is_packed)
            b = packed_b(d_words_of_b, shape.k, shape.n, b, events);
        shape.k = words(shape.k);
    }
    const auto& p = d_choices[choice];
    const bool is_long =
        d_args.type == gemm_type::f16 && call.shape.k > max_terms_of_halves;
    auto& kernel = get(choice, is_aligned(a) && is_aligned(b), is_long);
    const std::size_t groups =
        divide_up(shape.m, p.group_rows) * divide_up(shape.n * floats(), p.group_columns);
    return with_opencl_errors(*d_args.device, [&] {
        set_args(kernel,
                 static_cast<cl_uint>(shape.m),
                 static_cast<cl_uint>(shape.n),
                 static_cast<cl_uint>(shape.k),
                 float_pair(call.alpha),
                 a.buffer,
                 count("A's offset", a.offset),
                 count("A's leading dimension", a.leading),
                 b.buffer,
                 count("B's offset", b.offset),
                 count("B's leading dimension", b.leading),
                 float_pair(call.beta),
                 call.c.buffer,
                 count("C's offset", call.c.offset),
                 count("C's leading dimension", call.c.leading));
        events.multiply.push_back(enqueue_kernel(
            d_args, kernel, cl::NDRange(groups * p.items()), cl::NDRange(p.items())));
        return events;
    });
}

void gemm_kernel_tensor::hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b)
{
    // Floats need no other form of B.
    d_held = b;
    d_held_k = k;
    d_held_n = n;
    if (takes_words()) {
        check_sizes({ 1, n, k });
        gemm_events events;
        d_held = packed_b(d_held_words, k, n, b, events);
    }
}

gemm_events gemm_kernel_tensor::enqueue_held(const gemm_device_call& call)
{
    check_held(d_held_k);
    auto whole = call;
    whole.b = d_held;
    whole.shape.n = d_held_n;
    whole.shape.k = d_held_k;
    return multiply(whole, true, best_choice(whole.shape));
}

//! Checks the product of the parameters of this number.
//! \throws std::invalid_argument if it is wrong
void gemm_kernel_tensor::check_product(std::size_t choice, const gemm_shape& shape)
{
    check_trial_product(d_args, "tensor", shape, [&](const gemm_device_call& call) {
        multiply(call, false, choice);
    });
}

} // namespace

std::size_t gemm_tensor_parameters::local_memory(gemm_type type) const
{
    const std::size_t signals = stages >= 4 ? 2 * sizeof(cl_ulong) : 0;
    if (per_word(type) > 1)
        return stages * (group_rows + group_columns) * words_per_step * sizeof(cl_uint) +
               signals;
    // A row of B has 4 floats of padding. A complex row serves two words of A.
    const std::size_t depth =
        type == gemm_type::c32 ? words_per_step / 2 : words_per_step;
    const std::size_t floats = group_rows * words_per_step + depth * (group_columns + 4);
    return stages * floats * sizeof(float) + signals;
}

std::vector<gemm_tensor_parameters> gemm_tensor_parameters::defaults(gemm_type type)
{
    if (type == gemm_type::c32)
        return { { 64, 128, 64, 32, 3 }, { 64, 64, 32, 32, 3 } };
    if (per_word(type) > 1)
        return { { 128, 128, 64, 64, 3 }, { 64, 128, 32, 64, 3 }, { 64, 64, 32, 32, 3 } };
    return { { 128, 128, 64, 64, 2 }, { 128, 64, 64, 32, 2 }, { 64, 64, 32, 32, 2 } };
}

std::size_t
gemm_tensor_parameters::best_of(const std::vector<gemm_tensor_parameters>& choices,
                                gemm_type type,
                                const gemm_shape& shape,
                                std::size_t compute_units)
{
    const std::size_t columns = shape.n * (type == gemm_type::c32 ? 2 : 1);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto& p = choices[i];
        const std::size_t groups =
            divide_up(shape.m, p.group_rows) * divide_up(columns, p.group_columns);
        const auto rounds = static_cast<double>(divide_up(groups, compute_units));
        // For rows * columns products a warp loads as many words as rows + columns.
        const auto rows = static_cast<double>(p.warp_rows);
        const auto across = static_cast<double>(p.warp_columns);
        // So does a group, from further away.
        const auto group_rows = static_cast<double>(p.group_rows);
        const auto group_columns = static_cast<double>(p.group_columns);
        const double tile = group_rows * group_columns;
        const double cost = rounds * tile * (1 + 8 * (rows + across) / (rows * across)) *
                            (1 + 64 * (group_rows + group_columns) / tile);
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

std::unique_ptr<gemm_kernel>
make_gemm_kernel_tensor(const gemm_kernel_args& args,
                        const std::vector<gemm_tensor_parameters>& choices,
                        tensor_mode mode)
{
    return std::make_unique<gemm_kernel_tensor>(args, choices, mode, false);
}

std::unique_ptr<gemm_kernel> make_gemm_kernel_tensor(const gemm_kernel_args& args)
{
    return std::make_unique<gemm_kernel_tensor>(
        args, gemm_tensor_parameters::defaults(args.type), tensor_mode::native, true);
}

const gemm_variant& gemm_tensor_variant()
{
    static const auto& variant = *new gemm_variant(
        { "tensor",
          "for the matrix units of NVIDIA GPUs: floats are split into two parts",
          "production",
          gemm_types_with_bytes(),
          min_tensor_capability },
        [](const gemm_kernel_args& args) { return make_gemm_kernel_tensor(args); },
        has_tensor_units);
    return variant;
}

} // namespace cldsp
