// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that folds and DFT filter banks keep to the limits of small devices.

#include "fast_convolution/dft_bank.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "tests/support/qa_fast_convolution_contract.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Fast convolution by each kind of fold, and the DFT filter bank, under each profile.
class qa_profile_fast_convolution : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_fast_convolution);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(every_fold);
    CPPUNIT_TEST(several_kernels_of_rows);
    CPPUNIT_TEST(refused_blocks);
    CPPUNIT_TEST(refused_matrix_units);
    CPPUNIT_TEST(overlapping_pieces);
    CPPUNIT_TEST(failing_devices);
#endif
    CPPUNIT_TEST(dft_banks);
    CPPUNIT_TEST(refused_dft_banks);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double bound = -120; // dB of the output's peak
    // Small enough for several batches of blocks and of channels.
    static constexpr std::size_t buffer = std::size_t(32) << 10;
    static constexpr std::size_t decimation = 2, taps = 9, rows = 16;

    static std::vector<filter_channel> channels(std::size_t count, bool real_taps)
    {
        return make_channels(sample_type::fc32, decimation, taps, count, real_taps);
    }

    static void check(filter_executor& bank,
                      const std::vector<filter_channel>& all,
                      std::size_t outputs,
                      const std::string& what)
    {
        stream_case c(all, outputs);
        for (const bool lent : { false, true }) {
            if (lent)
                c.lend_to(bank);
            c.again();
            c.run_in_cuts(bank, 5);
            CPPUNIT_ASSERT_MESSAGE(words(what, c.error()), c.error() < bound);
        }
        bank.set_stream_memory({}, {});
    }

    static std::vector<filter_channel> raster_of_12(sample_type type = sample_type::fc32)
    {
        return on_raster(
            12, { 5, -3, 0, 5, 7, -6, 2 }, 7, random_taps(60, true, 3), type);
    }

public:
    //! Some channels in several batches, with every transfer, and then other taps.
    void every_fold()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const std::string variant : { "vkfft", "fused_fold", "tiled_fold" })
                for (const char* transfer : { "copy", "mapped", "zero_copy" }) {
                    auto all = channels(transfer == std::string("copy") ? 300 : 3, true);
                    const auto bank = make_opencl_fast_convolution(
                        device, variant, transfer, all, 0, rows);
                    CPPUNIT_ASSERT_EQUAL(variant, bank->variant_name());
                    CPPUNIT_ASSERT_EQUAL(std::string(transfer), bank->transfer_name());
                    check(*bank, all, 300, words(profile, variant, transfer));
                    auto problem = all[1].problem;
                    problem.taps = random_taps(taps, false, 77);
                    all[1] = filter_channel(problem);
                    bank->configure(1, all[1]);
                    check(*bank, all, 40, words(profile, variant, "complex taps"));
                }
            // Items that are not complex floats, and a single filter.
            for (const std::string variant : { "vkfft", "fused_fold" }) {
                const auto one =
                    make_channels(sample_type::cs12, decimation, taps, 1, false);
                const auto bank = make_opencl_fast_convolution(
                    device, variant, "zero_copy", one, 0, rows);
                check(*bank, one, 500, words(profile, variant, "cs12"));
            }
        }
    }

    //! Where a work-item holds few values of a row, the transforms take more kernels.
    void several_kernels_of_rows()
    {
        const auto device = small_device("vc4", buffer);
        const auto all = make_channels(sample_type::fc32, 18, 60, 2, true);
        const auto bank =
            make_opencl_fast_convolution(device, "fused_fold", "copy", all, 0, 8);
        check(*bank, all, 100, "rows of 18 values");
    }

    void refused_blocks()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const auto all = channels(2, true);
            const auto refused = [&](const std::string& variant,
                                     std::size_t ifft_size,
                                     const std::vector<std::string>& words) {
                assert_refused(words, [&] {
                    make_opencl_fast_convolution(
                        device, variant, "copy", all, 0, ifft_size);
                });
            };
            // A buffer takes 4096 values, of which VkFFT transforms fewer at a time.
            refused("vkfft", 2049, { "ifft_size", "2049", "at most 2048" });
            if (profile !=
                "v3d") { // whose groups of 32 transform all that a buffer takes
                refused("vkfft", 2048, { "another one", "work-items" });
                refused("fused_fold", 256, { "ifft_size", "256", "a power of two" });
            }
            // A request for taps that are too long for any block changes nothing.
            const auto bank = make_opencl_fast_convolution(
                device, "vkfft", "copy", all, 0, profile == "v3d" ? 2048 : rows);
            auto problem = all[0].problem;
            problem.taps = shared_taps::values(buffer / 8 + 1, 1.0f);
            assert_refused({ "taps" },
                           [&] { bank->configure(0, filter_channel(problem)); });
            check(*bank, all, 50, profile);
        }
    }

    //! Even an emulated kernel for matrix units needs larger work-groups.
    void refused_matrix_units()
    {
        for (const auto& profile : lowering_profiles())
            for (const auto mode : { tensor_mode::native, tensor_mode::emulated })
                assert_refused({ "'tensor_fold'", "another one" }, [&] {
                    make_opencl_fast_convolution(small_device(profile, buffer),
                                                 "tensor_fold",
                                                 "copy",
                                                 channels(2, true),
                                                 0,
                                                 rows,
                                                 {},
                                                 mode);
                });
    }

    //! The method for GPUs with memory of their own.
    void overlapping_pieces()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_gpu(profile, buffer);
            const auto all = channels(2, true);
            const auto raster = raster_of_12();
            for (const char* transfer : { "copy", "mapped", "zero_copy" }) {
                const auto fold =
                    make_opencl_fast_convolution(device, "vkfft", transfer, all, 0, rows);
                check(*fold, all, 4000, words(profile, transfer));
                const auto bank =
                    make_opencl_dft_bank(device, transfer, raster, 1e-7, 12);
                check(*bank, raster, 1500, words(profile, "dft_bank", transfer));
            }
        }
    }

    void failing_devices()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const auto all = channels(2, true);
            for (const auto call : { injected_call::enqueue, injected_call::allocate }) {
                int failures = 0;
                for (bool failed = true; failed; failures += failed) {
                    const auto bank = make_opencl_fast_convolution(
                        device, "vkfft", "copy", all, 0, rows);
                    stream_case c(all, 100);
                    device->inject_failure(call, failures);
                    failed = false;
                    try {
                        c.run(*bank);
                    } catch (const opencl_error&) {
                        failed = true;
                    }
                    device->inject_failure(injected_call::none);
                    // The executor continues after a failure of the driver.
                    c.again();
                    c.run(*bank);
                    CPPUNIT_ASSERT(c.error() < bound);
                }
                CPPUNIT_ASSERT(failures > 1);
            }
        }
    }

    void dft_banks()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const auto type : { sample_type::fc32, sample_type::cs12 })
                for (const char* transfer : { "copy", "mapped", "zero_copy" }) {
                    auto all = raster_of_12(type);
                    const auto bank =
                        make_opencl_dft_bank(device, transfer, all, 1e-7, 12);
                    const auto what = words(profile, sample_type_name(type), transfer);
                    check(*bank, all, 400, what);
                    if (profile == "cl12-min")
                        continue; // no block is long enough for the channel
                    all[3].set_center_freq(54321.0); // off the raster
                    bank->configure(3, all[3]);
                    check(*bank, all, 100, what + " off the raster");
                }
        }
    }

    void refused_dft_banks()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const std::size_t most = max_dft_bank_size(device->limits());
            CPPUNIT_ASSERT_EQUAL(std::size_t(profile == "vc4"   ? 768
                                             : profile == "v3d" ? 3855
                                                                : 64),
                                 most);
            auto all = raster_of_12();
            assert_refused(
                { "ifft_size", "20000", "from 2 to " + std::to_string(most) },
                [&] { make_opencl_dft_bank(device, "copy", all, 1e-7, 20000); });
            // A request for too many taps changes nothing.
            const auto bank = make_opencl_dft_bank(device, "copy", all, 1e-7, 12);
            auto longer = all[0];
            longer.set_taps(shared_taps::values(buffer / 8, 1.0f));
            assert_refused({ "taps" }, [&] { bank->configure(0, longer); });
            check(*bank, all, 40, profile);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_fast_convolution,
                                      "qa_profile_fast_convolution");

} // namespace
