// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products in the manner of mobile GPUs, with images and vectors, for comparison.

#include "gemm/gemm_problem.h"
#include "gemm/ladder/gemm_kernel_ladder.h"

#include <cldsp/errors.h>

namespace cldsp {

namespace {

constexpr std::size_t group_columns = 16, group_rows = 4; // size of a group in work-items
// Padding of each row of the transposed A, in elements, a multiple of 4. Without the
// padding, rows of some sizes lie a power of two apart, and a CPU's cache keeps only a
// few lines at such distances.
constexpr std::size_t transposed_gap = 16;

std::size_t tiles(std::size_t elements, std::size_t tile)
{
    return (elements + tile - 1) / tile;
}

//! A kernel and the size of its work-groups.
struct sized_kernel {
    cl::Kernel kernel;
    std::array<std::size_t, 2> group;
};

class gemm_kernel_tiles : public gemm_kernel_ladder
{
protected:
    gemm_kernel_tiles(const gemm_kernel_args& args, const std::string& options = "")
        : gemm_kernel_ladder(args),
          d_program(device().build("gemm_mobile", type_option() + options))
    {
    }

    sized_kernel make(const std::string& name) const
    {
        cl::Kernel kernel(d_program, name.c_str());
        const auto group = group_of(kernel, group_columns, group_rows);
        return { std::move(kernel), group };
    }
    //! Enqueues a work-item for every \p tile_rows rows by four columns.
    cl::Event launch_tiles(const sized_kernel& k,
                           std::size_t rows,
                           std::size_t columns,
                           std::size_t tile_rows) const
    {
        return launch(k.kernel, { tiles(columns, 4), tiles(rows, tile_rows) }, k.group);
    }

private:
    const cl::Program d_program;
};

//! `tile4x4` and `tile4x4_fma`: A is transposed for every call.
class gemm_kernel_4x4 : public gemm_kernel_tiles
{
public:
    gemm_kernel_4x4(const std::string& rung, const gemm_kernel_args& args)
        : gemm_kernel_tiles(args), d_multiply(make(rung))
    {
    }

protected:
    void multiply(const gemm_device_call& call,
                  const gemm_prepared_b& b,
                  gemm_events& events) override
    {
        const auto& s = call.shape;
        gemm_device_matrix a = call.a;
        if (s.k > 0) {
            const std::size_t leading = tiles(s.m, 4) * 4 + transposed_gap;
            a = transpose(call.a, s.m, s.k, leading, d_transposed, events.prepare);
        }
        gemm_kernel_arguments(d_multiply.kernel)
            .add_matrix(a)
            .add_matrix(b.matrix)
            .add_product(call);
        events.multiply.push_back(launch_tiles(d_multiply, s.m, s.n, 4));
    }

private:
    sized_kernel d_multiply;
    gemm_work_space d_transposed;
};

class gemm_kernel_8x4 : public gemm_kernel_tiles
{
public:
    explicit gemm_kernel_8x4(const gemm_kernel_args& args,
                             const std::string& options = "")
        : gemm_kernel_tiles(args, options), d_multiply(make("buffer_8x4"))
    {
    }

protected:
    void multiply(const gemm_device_call& call,
                  const gemm_prepared_b& b,
                  gemm_events& events) override
    {
        gemm_kernel_arguments(d_multiply.kernel)
            .add_matrix(call.a)
            .add_matrix(b.matrix)
            .add_product(call);
        events.multiply.push_back(
            launch_tiles(d_multiply, call.shape.m, call.shape.n, 8));
    }

private:
    sized_kernel d_multiply;
};

//! `image_buffer` and `dual_image`. A call without products (alpha is 0) has no images to
//! read, so `buffer_8x4` computes it.
class gemm_kernel_images : public gemm_kernel_8x4
{
public:
    //! \param dual whether A and C are images, too
    gemm_kernel_images(const std::string& rung, bool dual, const gemm_kernel_args& args)
        : gemm_kernel_8x4(checked(rung, args), " -DIMAGES=1"),
          d_dual(dual),
          d_rules(image_rules(device(), type(), rung)),
          d_multiply(make(rung)),
          d_to_image(make("buffer_to_image")),
          d_to_buffer(make("image_to_buffer"))
    {
    }

protected:
    void prepare_b(std::size_t k,
                   std::size_t n,
                   const gemm_device_matrix& b,
                   gemm_prepared_b& to,
                   std::vector<cl::Event>& events) override
    {
        to.image.hold(device(), image_of(b, k, n, to.pixels, "b", events));
    }

    void multiply(const gemm_device_call& call,
                  const gemm_prepared_b& b,
                  gemm_events& events) override
    {
        const auto& s = call.shape;
        if (s.k == 0) {
            gemm_kernel_8x4::multiply(call, b, events);
            return;
        }
        gemm_kernel_arguments arguments(d_multiply.kernel);
        if (!d_dual) {
            arguments.add_matrix(call.a).add(b.image.get()).add_product(call);
            events.multiply.push_back(launch_tiles(d_multiply, s.m, s.n, 8));
            return;
        }
        const auto a = image_of(call.a, s.m, s.k, d_a, "a", events.prepare);
        // A kernel may not read C as a buffer while it writes it as an image.
        std::optional<cl::Image2D> c_itself;
        if (call.beta == std::complex<float>(0))
            c_itself = image_over(device(), d_rules, type(), call.c, s.m, s.n);
        const cl::Image2D c =
            c_itself ? *c_itself : d_c.grow(device(), d_rules, type(), s.m, s.n, "c");
        arguments.add(a).add(b.image.get()).add_product(call).add(c);
        events.multiply.push_back(launch_tiles(d_multiply, s.m, s.n, 8));
        if (!c_itself)
            events.multiply.push_back(copy(d_to_buffer, call.c, s.m, s.n, c));
    }

private:
    //! Checks that the device has images. Must be called before a program with images is
    //! built.
    static const gemm_kernel_args& checked(const std::string& rung,
                                           const gemm_kernel_args& args)
    {
        image_rules(*args.device, args.type, rung);
        return args;
    }

    //! An image over the matrix itself if that is possible, else a copy in \p space.
    cl::Image2D image_of(const gemm_device_matrix& matrix,
                         std::size_t rows,
                         std::size_t columns,
                         gemm_image_space& space,
                         const std::string& what,
                         std::vector<cl::Event>& events)
    {
        if (auto itself = image_over(device(), d_rules, type(), matrix, rows, columns))
            return *itself;
        const auto& image = space.grow(device(), d_rules, type(), rows, columns, what);
        events.push_back(copy(d_to_image, matrix, rows, columns, image));
        return image;
    }

    //! Copies a matrix to an image, or an image to a matrix.
    cl::Event copy(sized_kernel& direction,
                   const gemm_device_matrix& matrix,
                   std::size_t rows,
                   std::size_t columns,
                   const cl::Image2D& image) const
    {
        gemm_kernel_arguments(direction.kernel)
            .add_matrix(matrix)
            .add_count(rows)
            .add_count(columns)
            .add(image);
        return launch_tiles(direction, rows, columns, 1);
    }

    const bool d_dual;
    const gemm_image_rules d_rules;
    sized_kernel d_multiply, d_to_image, d_to_buffer;
    gemm_image_space d_a, d_c;
};

template <class Kernel, class... Rung>
// It lives as long as the process, as every variant does.
const gemm_variant* mobile(const char* name, const char* description, Rung... rung)
{
    return new gemm_variant(
        { name, description, "mobile", { gemm_type::f32, gemm_type::f16 } },
        [=](const gemm_kernel_args& args) {
            return make_on_ladder<Kernel>(args, rung...);
        });
}

} // namespace

const variant_table<gemm_problem>& gemm_mobile_ladder()
{
    static const auto& table = *new variant_table<gemm_problem>{
        mobile<gemm_kernel_4x4>(
            "tile4x4",
            "4 by 4 elements of C a work-item, A transposed first, vload4",
            "tile4x4"),
        mobile<gemm_kernel_8x4>("buffer_8x4",
                                "8 by 4 elements of C a work-item, from buffers"),
        mobile<gemm_kernel_images>("image_buffer",
                                   "as buffer_8x4; B is read through an image",
                                   "image_buffer",
                                   false),
        mobile<gemm_kernel_images>("dual_image",
                                   "A and B are read and C is written through images",
                                   "dual_image",
                                   true),
        mobile<gemm_kernel_4x4>("tile4x4_fma", "as tile4x4 with fma()", "tile4x4_fma"),
    };
    return table;
}

} // namespace cldsp
