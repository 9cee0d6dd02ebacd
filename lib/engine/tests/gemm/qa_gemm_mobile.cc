// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the products' kernels for mobile GPUs that serve for comparison.

#include "gemm/ladder/gemm_image.h"
#include "tests/support/gemm_contract.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

using namespace cldsp;

namespace {

/*!
 * Tests of the mobile ladder. On a device without images the two variants with images
 * must be refused.
 */
class qa_gemm_mobile : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_mobile, gemm_contract);
    CPPUNIT_TEST(refuses_missing_images);
    CPPUNIT_TEST(largest_image);
    CPPUNIT_TEST(small_groups);
    CPPUNIT_TEST(small_buffers);
    CPPUNIT_TEST(images_over_buffers);
    CPPUNIT_TEST_SUITE_END();

protected:
    std::vector<gemm_product> products() override
    {
        return of_device([](const auto& variant) { return variant.ladder == "mobile"; });
    }

public:
    void refuses_missing_images()
    {
        limit([](device_limits& limits) { limits.images = false; });
        for (const auto& product : products())
            if (uses_images(product.variant))
                assert_refused({ "without images" }, [&] { checks(product); });
            else
                checks(product).check({ 9, 10, 11 });
    }

    void largest_image()
    {
        const auto height = device()->cl_device().getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
        const std::string too_high = "1 x " + std::to_string(height + 1) + " pixels";
        each([&](const gemm_checks& c) {
            if (!uses_images(c.product().variant))
                return;
            c.check({ 1, 1, height });
            for (const bool hold : { false, true })
                assert_refused({ too_high }, [&] {
                    c.check({ 1, 1, height + 1 }, 1, 0, hold);
                });
            if (c.product().variant == "dual_image")
                assert_refused({ "of a" }, [&] { c.check({ height + 1, 1, 1 }); });
            else
                c.check({ height + 1, 1, 1 });
            // and the kernel still works
            c.check({ 3, 4, 5 }, 1, 1);
        });
    }

    void small_groups()
    {
        limit([](device_limits& limits) {
            limits.max_work_item_sizes[0] = 5;
            limits.max_work_item_sizes[1] = 1;
        });
        calls_in_a_row();
    }

    void small_buffers()
    {
        limit([](device_limits& limits) { limits.max_buffer = 1000; });
        each([](const gemm_checks& c) {
            if (c.product().variant == "buffer_8x4")
                return;
            // The size of A transposed, with 35 rows padded to 36 and a gap of 16, or of
            // B as pixels.
            const std::size_t elements =
                uses_images(c.product().variant) ? 35 * 40 : 35 * 52;
            assert_refused({ std::to_string(elements * element_size(c.type())) }, [&] {
                c.check({ 35, 40, 35 });
            });
        });
    }

    //! The layouts of matrices that may be images over their buffers.
    void images_over_buffers()
    {
        gemm_image_rules rules;
        rules.max_width = 100;
        rules.max_height = 50;
        rules.pixel = 16;
        rules.over_buffers = true;
        rules.pitch_alignment = 4; // 16 floats
        rules.base_alignment = 2;
        rules.address_alignment = 128;
        const std::size_t enough = 1 << 20;
        const auto lies = [&](std::size_t offset,
                              std::size_t leading,
                              std::size_t rows,
                              std::size_t columns,
                              std::size_t bytes) {
            return rules.lies_as_image({ {}, offset, leading }, rows, columns, bytes);
        };
        CPPUNIT_ASSERT(lies(0, 16, 50, 16, enough));
        CPPUNIT_ASSERT(lies(32, 48, 7, 40, enough));
        CPPUNIT_ASSERT(!lies(0, 20, 7, 16, enough));   // the pitch is not aligned
        CPPUNIT_ASSERT(!lies(0, 16, 7, 15, enough));   // a pixel reaches into the gap
        CPPUNIT_ASSERT(!lies(16, 16, 7, 16, enough));  // the address is not aligned
        CPPUNIT_ASSERT(!lies(0, 16, 51, 16, enough));  // the height is too large
        CPPUNIT_ASSERT(!lies(0, 416, 7, 404, enough)); // the width is too large
        CPPUNIT_ASSERT(lies(0, 16, 2, 16, 128));
        CPPUNIT_ASSERT(!lies(0, 16, 2, 16, 127)); // the buffer ends before the last row
        CPPUNIT_ASSERT(!lies(32, 16, 2, 16, 255));
        rules.address_alignment = 1;
        // The first element is not at the start of a pixel.
        CPPUNIT_ASSERT(!lies(4, 16, 7, 16, enough));
        CPPUNIT_ASSERT(lies(8, 16, 7, 16, enough));
        rules.over_buffers = false;
        CPPUNIT_ASSERT(!lies(0, 16, 50, 16, enough));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_mobile, "qa_gemm_mobile");

} // namespace
