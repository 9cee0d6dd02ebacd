// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of images that lie over buffers, with a simulated driver.

#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_opencl_layer.h"

#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

/*!
 * Simulates a driver that has images over buffers. It makes an image with its own memory
 * and the current contents of the buffer; copy_back() copies the image to the buffer.
 */
struct images_over_buffers {
    struct image {
        cl::Image2D pixels;
        cl::Buffer buffer;
        std::size_t width, height, pitch;
    };
    bool refuse = false;
    std::vector<image> made;

    // The data go through host memory, because some drivers fail to copy between an image
    // and a part of a buffer.
    static void fill(const image& i, const cl::CommandQueue& queue)
    {
        std::vector<std::uint8_t> rows(i.pitch * i.height);
        queue.enqueueReadBuffer(i.buffer, CL_TRUE, 0, rows.size(), rows.data());
        queue.enqueueWriteImage(
            i.pixels, CL_TRUE, {}, { i.width, i.height, 1 }, i.pitch, 0, rows.data());
    }
    void copy_back(const cl::CommandQueue& queue) const
    {
        for (const auto& i : made) {
            std::vector<std::uint8_t> rows(i.pitch * i.height);
            queue.enqueueReadBuffer(i.buffer, CL_TRUE, 0, rows.size(), rows.data());
            queue.enqueueReadImage(
                i.pixels, CL_TRUE, {}, { i.width, i.height, 1 }, i.pitch, 0, rows.data());
            queue.enqueueWriteBuffer(i.buffer, CL_TRUE, 0, rows.size(), rows.data());
        }
    }

    cl_int create(cl_context& context,
                  cl_mem_flags& flags,
                  const cl_image_format* format,
                  const cl_image_desc*& description,
                  const opencl_call& call,
                  const std::function<cl_int()>& run)
    {
        const cl_image_desc asked = *description;
        const std::size_t pixel = format->image_channel_data_type == CL_FLOAT ? 16 : 8;
        const cl::Buffer buffer(asked.buffer, true);
        const bool valid =
            flags == 0 && format->image_channel_order == CL_RGBA &&
            asked.image_row_pitch % (pitch_alignment * pixel) == 0 &&
            asked.image_row_pitch >= asked.image_width * pixel &&
            asked.image_row_pitch * asked.image_height <= buffer.getInfo<CL_MEM_SIZE>();
        if (refuse || !valid)
            return CL_INVALID_IMAGE_DESCRIPTOR;
        cl_image_desc own = asked;
        own.buffer = nullptr;
        own.image_row_pitch = 0;
        flags = CL_MEM_READ_WRITE;
        description = &own;
        const cl_int error = run();
        if (error != CL_SUCCESS)
            return error;
        made.push_back({ cl::Image2D(static_cast<cl_mem>(call.made), true),
                         buffer,
                         own.image_width,
                         own.image_height,
                         asked.image_row_pitch });
        fill(made.back(), cl::CommandQueue(cl::Context(context, true)));
        return CL_SUCCESS;
    }

    static constexpr cl_uint pitch_alignment = 4; // pixels
};
images_over_buffers driver;

} // namespace

cl_int cldsp::treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    if (auto* const arguments = call.of(&clCreateImage)) {
        auto& [context, flags, format, description, host, error] = *arguments;
        if (description->buffer)
            return driver.create(context, flags, format, description, call, run);
    }
    if (call.is(&clGetDeviceInfo) && call.what == CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR)
        return call.answer(images_over_buffers::pitch_alignment);
    if (call.is(&clGetDeviceInfo) && call.what == CL_DEVICE_EXTENSIONS)
        return call.answer(extensions_and("cl_khr_image2d_from_buffer", call.object));
    return run();
}

namespace {

/*!
 * Tests of the variants that read and write images. The driver is simulated: it can
 * create an image from a buffer (cl_khr_image2d_from_buffer). A device without images has
 * nothing to test.
 */
class qa_gemm_image_over_buffer : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_image_over_buffer);
    CPPUNIT_TEST(matrices_as_they_lie);
    CPPUNIT_TEST(old_c_is_no_image);
    CPPUNIT_TEST(held);
    CPPUNIT_TEST(pitch_that_does_not_fit);
    CPPUNIT_TEST(partly_filled_pixels);
    CPPUNIT_TEST(refused_by_the_driver);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };
    const std::shared_ptr<context> d_device = d_registry.get(test_device());
    const cl::CommandQueue d_queue = d_device->make_queue();

    static constexpr std::size_t gap = 4;     // fills the rows of the shape up to the
                                              // pitch
    static constexpr std::size_t start = 512; // elements; a multiple of any device's
                                              // alignment
    static gemm_shape fitting() { return { 21, 28, 12 }; }

    //! \param images number of images over buffers that the call must make
    //! \param copies number of matrices that it must copy instead, before the
    //! multiplication
    void check(const std::string& variant,
               const gemm_shape& shape,
               std::complex<float> beta,
               std::size_t gap,
               std::size_t images,
               std::size_t copies,
               bool hold = false)
    {
        if (!d_device->limits().images)
            return;
        for (const auto type : { gemm_type::f32, gemm_type::f16 }) {
            const auto kernel = make_gemm_kernel(variant, { d_device, d_queue, type });
            const gemm_case c(type, shape, 2, beta, 1, gap);
            driver.made.clear();
            const auto call = c.upload(*d_device, d_queue, start);
            d_queue.finish();
            gemm_events events;
            if (hold) {
                kernel->hold_b(shape.k, shape.n, call.b);
                events = kernel->enqueue_held(call);
                kernel->enqueue_held(call);
            } else {
                events = kernel->enqueue(call);
            }
            d_queue.finish();
            driver.copy_back(d_queue);
            const std::string text = variant + " " + c.describe();
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, images, driver.made.size());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, copies, events.prepare.size());
            CPPUNIT_ASSERT_MESSAGE(text, c.error(c.download(d_queue, call)) <= c.bound());
        }
        driver.made.clear();
    }

public:
    void tearDown() override { driver.refuse = false; }

    void matrices_as_they_lie()
    {
        check("image_buffer", fitting(), 0, gap, 1, 0);
        check("image_buffer", fitting(), 1, gap, 1, 0);
        check("dual_image", fitting(), 0, gap, 3, 0);
    }
    // A kernel that reads C must not write C as an image at the same time.
    void old_c_is_no_image() { check("dual_image", fitting(), 1, gap, 2, 0); }
    void held()
    {
        check("image_buffer", fitting(), 0, gap, 1, 0, true);
        // B is an image once; A and C in each of two calls.
        check("dual_image", fitting(), 0, gap, 5, 0, true);
    }
    void pitch_that_does_not_fit()
    {
        check("image_buffer", fitting(), 0, gap + 4, 0, 1);
        check("dual_image", fitting(), 0, gap + 4, 0, 2);
    }
    void partly_filled_pixels()
    {
        // Only the rows of A consist of whole pixels.
        check("dual_image", { 21, 27, 12 }, 0, gap, 1, 1);
        check("image_buffer", { 21, 27, 12 }, 0, gap + 1, 0, 1);
    }
    void refused_by_the_driver()
    {
        driver.refuse = true;
        check("image_buffer", fitting(), 0, gap, 0, 1);
        check("dual_image", fitting(), 0, gap, 0, 2);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_image_over_buffer,
                                      "qa_gemm_image_over_buffer");

} // namespace
