// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of transforms of large blocks of which only some bins are computed.

#include "fft/fftw_plan.h"
#include "fft/row_transform.h"
#include "fft/selective_transform.h"
#include "simd/split_planes.h"
#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_random_items.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using complex = std::complex<float>;

std::vector<std::complex<double>> bins_by_fftw(const fftw_vector<complex>& items)
{
    fftw_vector<complex> bins(items.size());
    fftw_plan::get(items.size(), fftw_direction::forward)
        ->execute(items.data(), bins.data());
    return { bins.begin(), bins.end() };
}

//! The places of tiles that are stored one behind the other, in reverse order.
std::vector<std::int32_t> places_of(const std::vector<bool>& wanted, std::size_t width)
{
    std::vector<std::int32_t> places(wanted.size(), -1);
    std::int32_t place = 0;
    for (std::size_t t = wanted.size(); t-- > 0;)
        if (wanted[t]) {
            places[t] = place;
            place += static_cast<std::int32_t>(2 * width);
        }
    return places;
}

//! A block, of which only a part is not zero, and its bins.
struct test_block {
    std::size_t size;
    selective_transform::placement items;
    const void* data;
    std::vector<std::complex<double>> expected;

    //! Checks the wanted bins on every set of kernels.
    template <class F>
    void check(const F& wants) const
    {
        for (const selective_kernels* kernels : available_selective_kernels()) {
            const std::size_t width = kernels->width;
            // Some sizes have few factors of two, for the shortest vectors alone.
            if (width > 4 && selective_transform::relative_cost(size, width) == 0)
                continue;
            const auto transform = selective_transform::make(size, items, *kernels);
            CPPUNIT_ASSERT(transform);
            CPPUNIT_ASSERT_EQUAL(size, transform->tiles() * width);
            std::vector<bool> wanted;
            for (std::size_t t = 0; t < transform->tiles(); t++)
                wanted.push_back(wants(t * width, (t + 1) * width));
            const auto places = places_of(wanted, width);
            const auto selected = transform->select(places);
            const auto count =
                static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
            constexpr float guard = 1234.5f;
            aligned_vector<float> bins(count * 2 * width + 16, guard);
            auto memory = transform->make_memory();
            // The second block finds the memory as the first one left it.
            for (int i = 0; i < 2; i++)
                transform->run(data, memory, selected, bins.data());
            for (std::size_t i = count * 2 * width; i < bins.size(); i++)
                CPPUNIT_ASSERT_EQUAL(guard, bins[i]);

            std::vector<complex> got;
            std::vector<std::complex<double>> right;
            for (std::size_t t = 0; t < wanted.size(); t++)
                for (std::size_t i = 0; wanted[t] && i < width; i++) {
                    const float* tile = bins.data() + places[t];
                    got.emplace_back(tile[i], tile[i + width]);
                    right.push_back(expected[t * width + split_lane(i, width)]);
                }
            const double error = error_db(got, right);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(size) + ", " + kernels->name + ": " +
                                       std::to_string(error) + " dB",
                                   error < -120);
        }
    }
};

bool all_bins(std::size_t, std::size_t) { return true; }

} // namespace

class qa_selective_transform : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_selective_transform);
    CPPUNIT_TEST(every_size_of_a_pass);
    CPPUNIT_TEST(large_blocks);
    CPPUNIT_TEST(part_of_a_block);
    CPPUNIT_TEST(integers);
    CPPUNIT_TEST(some_bins);
    CPPUNIT_TEST(bins_of_pairs);
    CPPUNIT_TEST(sizes_that_are_not_covered);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t pair_bytes = sizeof(complex);

    // The sizes together need each size of each pass, with vectors of 4, 8 and 16.
    void every_size_of_a_pass()
    {
        for (const std::size_t size : { 18000,
                                        21600,
                                        22500,
                                        30720,
                                        34560,
                                        54000,
                                        57600,
                                        62208,
                                        65536,
                                        76800,
                                        80000,
                                        82944,
                                        108000,
                                        110592,
                                        129600,
                                        135000,
                                        139968 }) {
            const auto items = random_items(size, 17);
            test_block{ size,
                        { pair_format::f32, 0, size * pair_bytes },
                        items.data(),
                        bins_by_fftw(items) }
                .check(all_bins);
        }
    }

    // FFTW would take a minute to measure these. The bins of few items are sums of few
    // waves.
    void large_blocks()
    {
        for (const std::size_t size :
             { 294912, 414720, 540000, 995328, 1280000, 3981312 }) {
            fftw_vector<complex> items(size);
            std::vector<std::complex<double>> bins(size);
            std::minstd_rand random(23);
            for (int i = 0; i < 20; i++) {
                const std::size_t at = random() % size;
                items[at] += 1;
                const phase64 step = phase64::from_turns(-static_cast<double>(at) /
                                                         static_cast<double>(size));
                const auto turn = step.phasor();
                std::complex<double> wave;
                for (std::size_t k = 0; k < size; k++) {
                    // Products lose accuracy slowly.
                    wave = k % 4096 == 0 ? (step * k).phasor() : wave * turn;
                    bins[k] += wave;
                }
            }
            test_block{
                size, { pair_format::f32, 0, size * pair_bytes }, items.data(), bins
            }
                .check(all_bins);
        }
    }

    // The items begin anywhere in the block and in memory, and may wrap round its end.
    void part_of_a_block()
    {
        constexpr std::size_t size = 16 * 12 * 20 * 10;
        const auto noise = random_items(size, 5);
        for (const std::size_t shift : { 0, 1, 399, 1000 })
            for (const std::size_t missing : { 0, 1, 300, 5000 }) {
                const std::size_t count = size - missing;
                fftw_vector<complex> block(size);
                for (std::size_t i = 0; i < count; i++)
                    block[(shift + i) % size] = noise[i];
                std::vector<char> memory(count * pair_bytes + 1);
                std::memcpy(memory.data() + 1, noise.data(), count * pair_bytes);
                test_block{ size,
                            { pair_format::f32, shift * pair_bytes, count * pair_bytes },
                            memory.data() + 1,
                            bins_by_fftw(block) }
                    .check(all_bins);
            }
    }

    // Integers at any place: a shift of half a pair moves real items by one.
    void integers()
    {
        constexpr std::size_t size = 16 * 15 * 18 * 10;
        std::minstd_rand random(3);
        for (const std::size_t shift : { 0, 7, 500 })
            for (const std::size_t missing : { 0, 3 }) {
                std::vector<std::int16_t> items(2 * size - missing);
                fftw_vector<complex> block(size);
                auto* const parts = reinterpret_cast<float*>(block.data());
                for (std::size_t i = 0; i < items.size(); i++) {
                    items[i] = static_cast<std::int16_t>(random());
                    parts[(shift + i) % (2 * size)] = items[i];
                }
                test_block{ size,
                            { pair_format::s16, shift * 2, items.size() * 2 },
                            items.data(),
                            bins_by_fftw(block) }
                    .check(all_bins);
            }
    }

    void some_bins()
    {
        constexpr std::size_t size = 16 * 12 * 20 * 10;
        const auto items = random_items(size, 11);
        const test_block block{ size,
                                { pair_format::f32, 0, size * pair_bytes },
                                items.data(),
                                bins_by_fftw(items) };
        for (const std::size_t first : { std::size_t(0), std::size_t(1234), size - 33 })
            for (const std::size_t count : { 1, 100, 3000 })
                block.check([&](std::size_t begin, std::size_t end) {
                    return begin < first + count && end > first;
                });
    }

    void bins_of_pairs()
    {
        constexpr std::size_t size = 32 * 64; // real items
        const auto noise = random_items(size, 23);
        fftw_vector<complex> real(size), pairs(size / 2);
        for (std::size_t i = 0; i < size; i++) {
            real[i] = noise[i].real();
            reinterpret_cast<float*>(pairs.data())[i] = noise[i].real();
        }
        const auto expected = bins_by_fftw(real);
        const auto of_pairs = bins_by_fftw(pairs);
        for (const selective_kernels* kernels : available_selective_kernels()) {
            const std::size_t width = kernels->width, tile = 2 * width;
            const std::size_t tiles = size / 2 / width;
            aligned_vector<float> planes, turns;
            std::vector<mirrored_places> places;
            const auto append_tile = [&](const auto& bin, std::size_t first, auto& out) {
                std::vector<complex> values;
                for (std::size_t i = 0; i < width; i++)
                    values.emplace_back(bin(first + split_lane(i, width)));
                append_planes(values.data(), width, out);
            };
            for (std::size_t t = 0; t < tiles; t++)
                append_tile(
                    [&](std::size_t k) { return of_pairs[k]; }, t * width, planes);
            for (std::size_t t = 0; t < 2 * tiles; t++) {
                append_tile(
                    [&](std::size_t k) {
                        const double angle = -2 * M_PI * static_cast<double>(k) / size;
                        return std::polar(0.5, angle - M_PI / 2);
                    },
                    t * width,
                    turns);
                const std::size_t z = t % tiles, far = (tiles - z) % tiles;
                const std::size_t near = (far + tiles - 1) % tiles;
                places.push_back({ static_cast<std::uint32_t>(z * tile),
                                   static_cast<std::uint32_t>(near * tile),
                                   static_cast<std::uint32_t>(far * tile) });
            }
            aligned_vector<float> out(places.size() * tile);
            kernels->split_pairs(
                places.data(), places.size(), planes.data(), turns.data(), out.data());
            std::vector<complex> got;
            std::vector<std::complex<double>> right;
            for (std::size_t t = 0; t < 2 * tiles; t++)
                for (std::size_t i = 0; i < width; i++) {
                    got.emplace_back(out[t * tile + i], out[t * tile + width + i]);
                    right.push_back(expected[t * width + split_lane(i, width)]);
                }
            CPPUNIT_ASSERT(error_db(got, right) < -120);
        }
    }

    void sizes_that_are_not_covered()
    {
        for (const selective_kernels* kernels : available_selective_kernels())
            for (const std::size_t size : { std::size_t(0),
                                            std::size_t(1),
                                            std::size_t(8) * 8 * 8 * 4,
                                            std::size_t(16) * 16 * 16 * 11,
                                            std::size_t(49) * 48 * 48 * 48 * 48 }) {
                CPPUNIT_ASSERT_EQUAL(
                    0.0, selective_transform::relative_cost(size, kernels->width));
                CPPUNIT_ASSERT(!selective_transform::make(
                    size, { pair_format::f32, 0, 0 }, *kernels));
            }
        CPPUNIT_ASSERT(selective_transform::relative_cost(16 * 16 * 16 * 16, 16) > 0);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_selective_transform, "qa_selective_transform");
