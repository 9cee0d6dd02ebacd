/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/ladder/gemm_image.h"
#include "tests/gemm/qa_gemm_ladder_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_refused.h"

#include <cppunit/extensions/HelperMacros.h>

#include <functional>
#include <string>

using namespace cldsp;

namespace {

/*!
 * Tests of the mobile ladder against the double-precision model. On a device without
 * images the two variants with images must be refused.
 */
class qa_gemm_mobile : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_mobile);
    CPPUNIT_TEST(sizes);
    CPPUNIT_TEST(random_rectangles);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(without_products);
    CPPUNIT_TEST(calls_in_a_row);
    CPPUNIT_TEST(failures);
    CPPUNIT_TEST(nothing_held);
    CPPUNIT_TEST(refuses_complex);
    CPPUNIT_TEST(refuses_missing_images);
    CPPUNIT_TEST(largest_image);
    CPPUNIT_TEST(small_groups);
    CPPUNIT_TEST(small_buffers);
    CPPUNIT_TEST(images_over_buffers);
    CPPUNIT_TEST_SUITE_END();

    gemm_ladder d_ladder{ "mobile" };

    static bool uses_images(const std::string& variant)
    {
        return variant == "image_buffer" || variant == "dual_image";
    }
    bool has_images() const { return d_ladder.device()->limits().images; }

    template <class Check>
    void each(const Check& check)
    {
        for (const auto& rung : d_ladder.rungs())
            if (has_images() || !uses_images(rung.name))
                (d_ladder.*check)(rung);
    }

public:
    void sizes() { each(&gemm_ladder::check_sizes); }
    void random_rectangles() { each(&gemm_ladder::check_random_rectangles); }
    void factors() { each(&gemm_ladder::check_factors); }
    void without_products() { each(&gemm_ladder::check_without_products); }
    void calls_in_a_row() { each(&gemm_ladder::check_calls_in_a_row); }
    void failures() { each(&gemm_ladder::check_failures); }
    void nothing_held() { each(&gemm_ladder::check_nothing_held); }

    void refuses_complex()
    {
        for (const auto& rung : d_ladder.rungs())
            assert_refused({ "matrices of c32" }, [&] {
                d_ladder.make({ rung.name, gemm_type::c32 });
            });
    }

    void refuses_missing_images()
    {
        device_limits limits = d_ladder.device()->limits();
        limits.images = false;
        d_ladder.limit(limits);
        for (const auto& rung : d_ladder.rungs())
            if (uses_images(rung.name))
                assert_refused({ "without images" }, [&] { d_ladder.make(rung); });
            else
                d_ladder.check(rung, *d_ladder.make(rung), { 9, 10, 11 }, 1, 0);
    }

    void largest_image()
    {
        if (!has_images())
            return;
        const auto height =
            d_ladder.device()->cl_device().getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
        const std::string too_high = "1 x " + std::to_string(height + 1) + " pixels";
        for (const auto& rung : d_ladder.rungs()) {
            if (!uses_images(rung.name))
                continue;
            const auto kernel = d_ladder.make(rung);
            d_ladder.check(rung, *kernel, { 1, 1, height }, 1, 0);
            assert_refused({ too_high }, [&] {
                d_ladder.check(rung, *kernel, { 1, 1, height + 1 }, 1, 0);
            });
            assert_refused({ too_high }, [&] {
                d_ladder.check(rung, *kernel, { 1, 1, height + 1 }, 1, 0, true);
            });
            if (rung.name == "dual_image")
                assert_refused({ "of a" }, [&] {
                    d_ladder.check(rung, *kernel, { height + 1, 1, 1 }, 1, 0);
                });
            else
                d_ladder.check(rung, *kernel, { height + 1, 1, 1 }, 1, 0);
            // and the kernel still works
            d_ladder.check(rung, *kernel, { 3, 4, 5 }, 1, 1);
        }
    }

    void small_groups()
    {
        device_limits limits = d_ladder.device()->limits();
        limits.max_work_item_sizes[0] = 5;
        limits.max_work_item_sizes[1] = 1;
        d_ladder.limit(limits);
        each(&gemm_ladder::check_calls_in_a_row);
    }

    void small_buffers()
    {
        device_limits limits = d_ladder.device()->limits();
        limits.max_buffer = 1000;
        d_ladder.limit(limits);
        for (const auto& rung : d_ladder.rungs()) {
            if (rung.name == "buffer_8x4" || (uses_images(rung.name) && !has_images()))
                continue;
            // The size of A transposed, with 35 rows padded to 36 and a gap of 16, or of
            // B as pixels.
            const std::size_t elements = uses_images(rung.name) ? 35 * 40 : 35 * 52;
            const std::size_t bytes = elements * element_size(rung.type);
            assert_refused({ std::to_string(bytes) }, [&] {
                d_ladder.check(rung, *d_ladder.make(rung), { 35, 40, 35 }, 1, 0);
            });
        }
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
