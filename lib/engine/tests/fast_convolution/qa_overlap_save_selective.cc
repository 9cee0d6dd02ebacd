// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows for which shapes large blocks are transformed in their own way.

#include "fast_convolution/overlap_save_selective.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>

using namespace cldsp;

//! For which shapes selected_bins transforms large blocks in its own way. What these
//! blocks give is tested with those of all methods, by qa_overlap_save.
class qa_overlap_save_selective : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_selective);
    CPPUNIT_TEST(is_the_method_for_large_blocks);
    CPPUNIT_TEST(bad_shapes);
    CPPUNIT_TEST_SUITE_END();

    static constexpr overlap_save_shape large = {
        sample_type::s16, 600, 1201, 3, 160, 0, 0.001
    };

public:
    void is_the_method_for_large_blocks()
    {
        auto shape = large;
        for (const auto& kernels : available_overlap_save_kernels()) {
            const auto is = [&](const overlap_save_shape& s) {
                const auto method = make_overlap_save_selected_bins(s, kernels);
                return dynamic_cast<overlap_save_selective*>(method.get()) != nullptr;
            };
            shape = large;
            CPPUNIT_ASSERT(is(shape));
            shape.kept = 0.5; // bins are gathered
            CPPUNIT_ASSERT(!is(shape));
            shape.channels = 1;
            CPPUNIT_ASSERT(is(shape));
            shape.ifft_size = 161; // no whole tiles
            CPPUNIT_ASSERT(!is(shape));
            shape.ifft_size = 16; // blocks that fit the cache
            CPPUNIT_ASSERT(!is(shape));
            shape.ifft_size = 160;
            shape.decimation = 601; // a prime number
            CPPUNIT_ASSERT(!is(shape));
        }
    }

    void bad_shapes()
    {
        for (const auto& kernels : available_overlap_save_kernels()) {
            const auto refused = [&](overlap_save_shape shape,
                                     const std::vector<std::string>& words) {
                assert_refused(words, [&] { overlap_save_selective(shape, kernels); });
            };
            auto shape = large;
            shape.ifft_size = 161;
            refused(shape, { "'ifft_size'", "161", "a multiple of" });
            shape.ifft_size = 2;
            refused(shape, { "'ifft_size'", "2", "1201 taps" });
            shape = large;
            shape.channels = 0;
            refused(shape, { "'channels'", "0", "1 or more" });
            shape = large;
            shape.accuracy = -1;
            refused(shape, { "'accuracy'", "-1", "0 to 0.1" });
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save_selective,
                                      "qa_overlap_save_selective");
