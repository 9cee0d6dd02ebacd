// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernel of products for Hopper's matrix units, which work for four warps.

#include "base/arithmetic.h"
#include "gemm/gemm_check.h"
#include "gemm/gemm_commands.h"
#include "gemm/gemm_parameters.h"
#include "gemm/gemm_problem.h"
#include "opencl/buffer.h"

#include <cldsp/logger.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

namespace cldsp {

namespace {

bool has_floats(gemm_type type)
{
    return type == gemm_type::f32 || type == gemm_type::c32;
}

//! Whether each float is multiplied as two parts.
bool is_split(gemm_type type, gemm_precision precision)
{
    return has_floats(type) && precision == gemm_precision::exact;
}

//! The elements of a word that the matrix units multiply; floats of complex matrices
//! count as elements.
std::size_t per_word(gemm_type type, gemm_precision precision)
{
    if (type == gemm_type::s8)
        return 4;
    if (type == gemm_type::f16 || precision == gemm_precision::half)
        return 2;
    return 1;
}

//! The parameters among which calls choose.
//! \param is_long whether there are too many terms for the sums of the matrix units
std::vector<warpgroup_tile>
default_tiles(gemm_type type, gemm_precision precision, bool is_long)
{
    if (is_split(type, precision))
        return { { 2, 128, 3, 2, true }, { 2, 64, 4, 2, true } };
    if (is_long)
        return { { 2, 128, 6, 1, true }, { 2, 64, 8, 1, true } };
    return { { 2, 256, 4, 1, false }, { 2, 128, 6, 1, false }, { 2, 64, 8, 1, false } };
}

//! The parameters for products whose B is not packed, those for the fewest rows first.
std::vector<warpgroup_wide_tile> default_wide_tiles(gemm_type type,
                                                    gemm_precision precision)
{
    if (type != gemm_type::c32 || precision == gemm_precision::half)
        return {};
    return { { 2, 64, 4, 1024 }, { 2, 128, 4, 1024 } };
}

//! Gives a kernel a queue of its own as long as this object exists.
class queue_of_trial
{
public:
    explicit queue_of_trial(gemm_kernel_args& args) : d_args(args), d_usual(args.queue)
    {
        d_args.queue = args.device->make_queue();
    }
    ~queue_of_trial() { d_args.queue = d_usual; }
    queue_of_trial(const queue_of_trial&) = delete;
    queue_of_trial& operator=(const queue_of_trial&) = delete;

private:
    gemm_kernel_args& d_args;
    cl::CommandQueue d_usual;
};

/*!
 * The kernel for matrix units that read both matrices from local memory.
 *
 * It packs A for each call, and B too unless it is held. If B is complex and has few rows
 * and many columns, and A has few rows, neither is packed: each element of B is read
 * once. Matrices whose packed form is larger than the device's largest buffer are
 * multiplied by "tensor", which packs less.
 */
class gemm_kernel_warpgroup final : public gemm_kernel
{
public:
    gemm_kernel_warpgroup(const gemm_kernel_args& args,
                          const std::vector<warpgroup_tile>& tiles,
                          const std::vector<warpgroup_tile>& long_tiles,
                          const std::vector<warpgroup_wide_tile>& wide_tiles,
                          tensor_mode mode,
                          std::size_t max_packed);
    gemm_events enqueue(const gemm_device_call& call) override;
    void hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b) override;
    gemm_events enqueue_held(const gemm_device_call& call) override;

private:
    //! The programs for one set of parameters.
    struct choice {
        warpgroup_tile tile;
        cl::Kernel multiply;
    };
    using choices = std::vector<choice>;
    //! The same for a B that is not packed, made at its first use.
    struct wide_choice {
        warpgroup_wide_tile tile;
        bool is_made = false, is_wrong = false;
        cl::Kernel multiply;
    };

    choices made(const std::vector<warpgroup_tile>& tiles) const;
    cl::Program program(const warpgroup_tile& tile) const;
    choice& best(const gemm_shape& shape);
    bool fits(std::size_t rows, std::size_t k) const;
    gemm_kernel& other();
    choices& choices_for(std::size_t k);
    warpgroup_blocks blocks(std::size_t rows, std::size_t k) const;
    cl_uint count(const char* name, std::size_t elements) const;
    const cl::Buffer& pack(cl::Kernel& kernel,
                           device_buffer& to,
                           const char* name,
                           const gemm_device_matrix& from,
                           std::size_t rows,
                           std::size_t k,
                           gemm_events& events);
    gemm_events multiply(const gemm_device_call& call, bool b_is_held, choice& with);
    wide_choice* wide_for(const gemm_device_call& call);
    bool make(wide_choice& choice);
    gemm_events multiply_wide(const gemm_device_call& call,
                              wide_choice& with,
                              std::size_t compute_units);

    std::size_t floats() const { return d_args.type == gemm_type::c32 ? 2 : 1; }
    std::size_t parts() const { return is_split(d_args.type, d_args.precision) ? 2 : 1; }

    gemm_kernel_args d_args;
    tensor_mode d_mode;
    choices d_choices, d_long_choices;
    std::vector<wide_choice> d_wide_choices;
    cl::Kernel d_pack_rows, d_pack_columns;
    device_buffer d_packed_a, d_packed_b, d_held_b;
    std::size_t d_held_n = 0, d_held_k = 0;
    gemm_device_matrix d_held;            // as it was given
    std::unique_ptr<gemm_kernel> d_other; // made at its first use
    const std::size_t d_max_packed;       // bytes of a packed matrix
};

gemm_kernel_warpgroup::gemm_kernel_warpgroup(
    const gemm_kernel_args& args,
    const std::vector<warpgroup_tile>& tiles,
    const std::vector<warpgroup_tile>& long_tiles,
    const std::vector<warpgroup_wide_tile>& wide_tiles,
    tensor_mode mode,
    std::size_t max_packed)
    : d_args(args),
      d_mode(mode),
      d_packed_a(args.device),
      d_packed_b(args.device),
      d_held_b(args.device),
      d_max_packed(std::min(max_packed, args.device->limits().max_buffer))
{
    const auto reason = missing_warpgroup_reason(args.device->device());
    if (mode == tensor_mode::native && !reason.empty())
        throw_invalid("variant", "'warpgroup'", "another one: " + reason);
    for (const auto& tile : wide_tiles) {
        check_tile(tile, parts(), args.device->limits(), mode);
        d_wide_choices.push_back({ tile, false, false, {} });
    }
    d_choices = made(tiles);
    d_long_choices = made(long_tiles);
    with_opencl_errors(*d_args.device, [&] {
        const auto built = program(d_choices[0].tile);
        replace(d_pack_rows, cl::Kernel(built, "pack_rows"));
        replace(d_pack_columns, cl::Kernel(built, "pack_columns"));
    });
    // Every stage of local memory is used more than once, and both matrices end within a
    // block. The emulation is slow.
    for (auto* all : { &d_choices, &d_long_choices })
        for (auto& each : *all) {
            const std::size_t steps =
                mode == tensor_mode::native ? 2 * each.tile.stages : 1;
            const gemm_shape shape = { each.tile.rows() + 9,
                                       (each.tile.columns + 10) / floats(),
                                       (steps * warpgroup_blocks::words_each + 3) *
                                           per_word(d_args.type, d_args.precision) /
                                           floats() };
            check_trial_product(
                d_args, "warpgroup", shape, [&](const gemm_device_call& call) {
                    multiply(call, false, each);
                });
        }
}

cl::Program gemm_kernel_warpgroup::program(const warpgroup_tile& tile) const
{
    return d_args.device->build("gemm_warpgroup",
                                tile.options(static_cast<int>(d_args.type),
                                             static_cast<int>(d_args.precision),
                                             d_mode),
                                warpgroup_architecture(d_mode));
}

gemm_kernel_warpgroup::choices
gemm_kernel_warpgroup::made(const std::vector<warpgroup_tile>& tiles) const
{
    choices all;
    for (const auto& tile : tiles) {
        check_tile(tile, d_args.device->limits(), d_mode);
        with_opencl_errors(*d_args.device, [&] {
            all.push_back({ tile, cl::Kernel(program(tile), "gemm") });
        });
    }
    return all;
}

gemm_kernel_warpgroup::choices& gemm_kernel_warpgroup::choices_for(std::size_t k)
{
    return d_long_choices.empty() || k * floats() <= max_terms_of_halves ? d_choices
                                                                         : d_long_choices;
}

gemm_kernel_warpgroup::choice& gemm_kernel_warpgroup::best(const gemm_shape& shape)
{
    return best_choice(choices_for(shape.k),
                       shape.m,
                       shape.n * floats(),
                       d_args.device->limits().compute_units);
}

//! The form of a matrix of \p rows rows, or columns if it is B, of k elements.
warpgroup_blocks gemm_kernel_warpgroup::blocks(std::size_t rows, std::size_t k) const
{
    return { rows,
             divide_up(k * floats(), per_word(d_args.type, d_args.precision)),
             parts() };
}

//! An offset or a leading dimension, whose floats the kernel counts in 32 bits.
cl_uint gemm_kernel_warpgroup::count(const char* name, std::size_t elements) const
{
    const std::size_t most = std::numeric_limits<cl_uint>::max() / floats();
    if (elements > most)
        throw_invalid(name, std::to_string(elements), "at most " + std::to_string(most));
    return static_cast<cl_uint>(elements);
}

//! Packs the rows of A or the columns of B, which are counted in floats.
const cl::Buffer& gemm_kernel_warpgroup::pack(cl::Kernel& kernel,
                                              device_buffer& to,
                                              const char* name,
                                              const gemm_device_matrix& from,
                                              std::size_t rows,
                                              std::size_t k,
                                              gemm_events& events)
{
    const auto packed = blocks(rows, k);
    const std::string title = std::string("packed ") + name;
    const auto& buffer = reserve(to, *d_args.device, packed.bytes(), title);
    with_opencl_errors(*d_args.device, [&] {
        set_args(kernel,
                 from.buffer,
                 count("matrix's offset", from.offset) * word(floats()),
                 count("matrix's leading dimension", from.leading) * word(floats()),
                 word(rows),
                 word(k * floats()),
                 word(packed.steps()),
                 buffer);
        events.prepare.push_back(
            enqueue_kernel(d_args,
                           kernel,
                           cl::NDRange(packed.pack_groups() * warpgroup_pack_items),
                           cl::NDRange(warpgroup_pack_items)));
    });
    return buffer;
}

//! Whether the packed form of some rows, or columns in floats, is small enough.
bool gemm_kernel_warpgroup::fits(std::size_t rows, std::size_t k) const
{
    return blocks(rows, k).bytes() <= d_max_packed;
}

gemm_kernel& gemm_kernel_warpgroup::other()
{
    if (!d_other)
        d_other = d_mode == tensor_mode::native
                      ? make_gemm_kernel_tensor(d_args)
                      : make_gemm_kernel_tensor(
                            d_args, { { 32, 32, 16, 32, 2 } }, tensor_mode::emulated);
    return *d_other;
}

gemm_events gemm_kernel_warpgroup::enqueue(const gemm_device_call& call)
{
    const auto& shape = call.shape;
    check_sizes(shape);
    if (auto* wide = wide_for(call))
        return multiply_wide(call, *wide, d_args.device->limits().compute_units);
    if (!fits(shape.m, shape.k) || !fits(shape.n * floats(), shape.k))
        return other().enqueue(call);
    return multiply(call, false, best(shape));
}

gemm_events gemm_kernel_warpgroup::multiply(const gemm_device_call& call,
                                            bool b_is_held,
                                            choice& with)
{
    gemm_events events;
    const std::size_t m = call.shape.m, n = call.shape.n;
    // Where A and B are not read, blocks of zeros take their place.
    const bool reads = call.alpha != std::complex<float>(0);
    const gemm_device_matrix nothing = { call.c.buffer, 0, 0 };
    const std::size_t terms = reads ? call.shape.k : 0;
    const auto& a =
        pack(d_pack_rows, d_packed_a, "A", reads ? call.a : nothing, m, terms, events);
    const auto& b = reads && b_is_held ? d_held_b.buffer()
                                       : pack(d_pack_columns,
                                              d_packed_b,
                                              "B",
                                              reads ? call.b : nothing,
                                              n * floats(),
                                              terms,
                                              events);
    const auto& tile = with.tile;
    return with_opencl_errors(*d_args.device, [&] {
        set_args(with.multiply,
                 word(m),
                 word(n),
                 word(blocks(m, terms).steps()),
                 float_pair(call.alpha),
                 a,
                 b,
                 float_pair(call.beta),
                 call.c.buffer,
                 count("C's offset", call.c.offset),
                 count("C's leading dimension", call.c.leading));
        const std::size_t groups = tile.count(m, n * floats());
        events.multiply.push_back(enqueue_kernel(d_args,
                                                 with.multiply,
                                                 cl::NDRange(groups * tile.items()),
                                                 cl::NDRange(tile.items())));
        return events;
    });
}

//! The parameters for a call whose B is not packed; null if none suit.
gemm_kernel_warpgroup::wide_choice*
gemm_kernel_warpgroup::wide_for(const gemm_device_call& call)
{
    if (call.alpha == std::complex<float>(0))
        return nullptr; // B is not read
    for (auto& each : d_wide_choices)
        if (each.tile.suits(call.shape.m, call.shape.n, call.shape.k) && make(each))
            return &each;
    return nullptr;
}

//! Makes and checks the kernels of a choice at its first use; returns whether they give
//! right products.
bool gemm_kernel_warpgroup::make(wide_choice& choice)
{
    if (choice.is_made || choice.is_wrong)
        return choice.is_made;
    const auto& tile = choice.tile;
    try {
        const auto built =
            d_args.device->build("gemm_warpgroup",
                                 tile.options(static_cast<int>(d_args.type),
                                              static_cast<int>(d_args.precision),
                                              d_mode),
                                 warpgroup_architecture(d_mode));
        with_opencl_errors(*d_args.device, [&] {
            replace(choice.multiply, cl::Kernel(built, "gemm_wide"));
        });
        // Two work-groups compute several tiles each, the last of which are not whole.
        const gemm_shape shape = { tile.columns / 2 - 3,
                                   5 * 64 * tile.groups + 7,
                                   16 * tile.steps - 3 };
        // A failure in the queue of the user's product would make that fail, too.
        const queue_of_trial trial(d_args);
        run_commands(*d_args.device, d_args.queue, 0, [&] {
            check_trial_product(
                d_args, "warpgroup", shape, [&](const gemm_device_call& call) {
                    multiply_wide(call, choice, 2);
                });
        });
        choice.is_made = true;
    } catch (const std::exception& e) {
        choice.is_wrong = true;
        log_to(d_args.device->log(),
               log_level::warning,
               "'warpgroup' packs each B on device '" + d_args.device->name() +
                   "': " + e.what());
    }
    return choice.is_made;
}

gemm_events gemm_kernel_warpgroup::multiply_wide(const gemm_device_call& call,
                                                 wide_choice& with,
                                                 std::size_t compute_units)
{
    gemm_events events;
    const auto& tile = with.tile;
    const auto& shape = call.shape;
    return with_opencl_errors(*d_args.device, [&] {
        set_args(with.multiply,
                 word(shape.m),
                 word(shape.n),
                 word(shape.k),
                 float_pair(call.alpha),
                 call.a.buffer,
                 count("A's offset", call.a.offset),
                 count("A's leading dimension", call.a.leading),
                 call.b.buffer,
                 count("B's offset", call.b.offset),
                 count("B's leading dimension", call.b.leading),
                 float_pair(call.beta),
                 call.c.buffer,
                 count("C's offset", call.c.offset),
                 count("C's leading dimension", call.c.leading));
        const std::size_t groups =
            tile.count(shape.n, std::max<std::size_t>(1, compute_units));
        events.multiply.push_back(enqueue_kernel(d_args,
                                                 with.multiply,
                                                 cl::NDRange(groups * tile.items()),
                                                 cl::NDRange(tile.items())));
        return events;
    });
}

void gemm_kernel_warpgroup::hold_b(std::size_t k,
                                   std::size_t n,
                                   const gemm_device_matrix& b)
{
    check_sizes({ 1, n, k });
    d_held = b;
    d_held_n = n;
    d_held_k = k;
    gemm_events events;
    if (fits(n * floats(), k))
        pack(d_pack_columns, d_held_b, "B", b, n * floats(), k, events);
    else
        other().hold_b(k, n, b);
}

gemm_events gemm_kernel_warpgroup::enqueue_held(const gemm_device_call& call)
{
    check_held(d_held_k);
    auto whole = call;
    whole.b = d_held;
    whole.shape.n = d_held_n;
    whole.shape.k = d_held_k;
    check_sizes(whole.shape);
    if (auto* wide = wide_for(whole))
        return multiply_wide(whole, *wide, d_args.device->limits().compute_units);
    if (!fits(d_held_n * floats(), d_held_k))
        return other().enqueue_held(call);
    if (!fits(whole.shape.m, d_held_k))
        return other().enqueue(whole);
    return multiply(whole, true, best(whole.shape));
}

} // namespace

std::unique_ptr<gemm_kernel>
make_gemm_kernel_warpgroup(const gemm_kernel_args& args,
                           const std::vector<warpgroup_tile>& tiles,
                           tensor_mode mode,
                           std::size_t max_packed,
                           const std::vector<warpgroup_wide_tile>& wide_tiles)
{
    if (tiles.empty())
        throw_invalid("tiles", "empty", "one or more");
    return std::make_unique<gemm_kernel_warpgroup>(
        args, tiles, std::vector<warpgroup_tile>(), wide_tiles, mode, max_packed);
}

const gemm_variant& gemm_warpgroup_variant()
{
    static const auto& variant = *new gemm_variant(
        { "warpgroup",
          "as tensor for NVIDIA's Hopper GPUs: the units read packed blocks themselves",
          "production",
          gemm_types_with_bytes(),
          warpgroup_capability,
          warpgroup_capability },
        [](const gemm_kernel_args& args) -> std::unique_ptr<gemm_kernel> {
            // Sums of bytes are exact, and those of exact floats leave the matrix units
            // anyway.
            const bool is_rounded =
                args.type != gemm_type::s8 && !is_split(args.type, args.precision);
            return std::make_unique<gemm_kernel_warpgroup>(
                args,
                default_tiles(args.type, args.precision, false),
                is_rounded ? default_tiles(args.type, args.precision, true)
                           : std::vector<warpgroup_tile>(),
                default_wide_tiles(args.type, args.precision),
                tensor_mode::native,
                std::numeric_limits<std::size_t>::max());
        },
        has_warpgroup_units);
    return variant;
}

} // namespace cldsp
