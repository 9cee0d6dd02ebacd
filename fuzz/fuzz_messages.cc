// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input becomes messages to blocks, in every form that messages have.

// The fuzzed input is turned into messages of every form that PMT has, for the code of
// the blocks that reads them. PMT's own deserialisation is not used, because it accepts
// lengths that no memory holds.

#include "fuzz_support.h"

#include "block_support.h"
#include "matrix.h"
#include "probe/message.h"

#include <cmath>
#include <cstring>

namespace {

std::string name(fuzz::bytes& input)
{
    constexpr const char* known[] = { "freq", "chan",     "channel",
                                      "what", "strategy", "budget_s",
                                      "stop", "all",      "annealing" };
    constexpr std::size_t count = sizeof(known) / sizeof(*known);
    const std::size_t which = input.byte() % (count + 1);
    // PMT keeps every symbol until the process ends, so only few other symbols are made.
    return which < count ? known[which] : std::string(input.byte(), 'x');
}

double real(fuzz::bytes& input)
{
    const std::uint64_t bits = input.number(8);
    double value;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

template <class ELEMENT>
std::vector<ELEMENT> elements(fuzz::bytes& input)
{
    std::vector<ELEMENT> values(input.byte() % 9);
    for (auto& value : values)
        value = static_cast<ELEMENT>(input.number(sizeof(ELEMENT) < 8 ? 2 : 8));
    return values;
}

pmt::pmt_t message(fuzz::bytes& input, int depth);

pmt::pmt_t uniform_vector(fuzz::bytes& input)
{
    switch (input.byte() % 12) {
#define UNIFORM(number, kind, type)                             \
    case number: {                                              \
        const auto values = elements<type>(input);              \
        return pmt::init_##kind##vector(values.size(), values); \
    }
        UNIFORM(0, u8, std::uint8_t)
        UNIFORM(1, s8, std::int8_t)
        UNIFORM(2, u16, std::uint16_t)
        UNIFORM(3, s16, std::int16_t)
        UNIFORM(4, u32, std::uint32_t)
        UNIFORM(5, s32, std::int32_t)
        UNIFORM(6, u64, std::uint64_t)
        UNIFORM(7, s64, std::int64_t)
        UNIFORM(8, f32, float)
        UNIFORM(9, f64, double)
        UNIFORM(10, c32, std::complex<float>)
    default:
        UNIFORM(11, c64, std::complex<double>)
#undef UNIFORM
    }
}

pmt::pmt_t list(fuzz::bytes& input, int depth)
{
    const std::size_t count = input.byte() % 5;
    const bool tuple = input.byte() % 2;
    pmt::pmt_t vector = pmt::make_vector(count, pmt::PMT_NIL);
    for (std::size_t i = 0; i < count; i++)
        pmt::vector_set(vector, i, message(input, depth - 1));
    return tuple ? pmt::to_tuple(vector) : vector;
}

pmt::pmt_t dict(fuzz::bytes& input, int depth)
{
    pmt::pmt_t all = pmt::make_dict();
    for (int count = input.byte() % 5; count > 0; count--) {
        const pmt::pmt_t key = pmt::intern(name(input));
        all = pmt::dict_add(all, key, message(input, depth - 1));
    }
    return all;
}

pmt::pmt_t message(fuzz::bytes& input, int depth)
{
    switch (input.byte() % (depth > 0 ? 14 : 9)) {
    case 0:
        return pmt::PMT_NIL;
    case 1:
        return pmt::from_bool(input.byte() % 2);
    case 2:
        return pmt::intern(name(input));
    case 3:
        return pmt::from_long(static_cast<long>(input.number(8)));
    case 4:
        return pmt::from_uint64(input.number(8));
    case 5:
        return pmt::from_double(real(input));
    case 6:
        return pmt::from_complex(real(input), real(input));
    case 7:
        return uniform_vector(input);
    case 8:
        return pmt::PMT_EOF;
    case 9:
    case 10:
        return list(input, depth);
    case 11: {
        const pmt::pmt_t first = message(input, depth - 1);
        return pmt::cons(first, message(input, depth - 1));
    }
    case 12:
        return dict(input, depth);
    default:
        return pmt::make_any(42);
    }
}

template <class T>
void read_matrix(const pmt::pmt_t& any)
{
    fuzz::taken([&] {
        const auto A = gr::cldsp::matrix_from_message<T>(any);
        fuzz::require(!A.empty(), "a matrix has rows");
        gr::cldsp::checked_matrix(A);
        fuzz::require(gr::cldsp::flattened(A).size() == A.size() * A[0].size(),
                      "a checked matrix is whole");
        gr::cldsp::flattened_transpose(A);
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::bytes input(data, size);
    const pmt::pmt_t any = message(input, 6);
    gr::cldsp::message_frequency(any);
    gr::cldsp::message_channel(any);
    read_matrix<float>(any);
    read_matrix<gr_complex>(any);
    fuzz::taken([&] {
        const auto wish = gr::cldsp::probe_wish_of(any);
        fuzz::require(std::isfinite(wish.budget_s) && wish.budget_s >= 0,
                      "a budget is a time");
    });
    return 0;
}
