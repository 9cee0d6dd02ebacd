// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The types of input items as radios deliver them, such as pairs of integers.

#ifndef INCLUDED_CLDSP_IQ_TYPES_H
#define INCLUDED_CLDSP_IQ_TYPES_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/sample_types.h>
#include <gnuradio/gr_complex.h>
#include <cstdint>

namespace gr {
namespace cldsp {

/*
 * The types of input items, by their names in sample_types.h: s16 is std::int16_t, fc32
 * is gr_complex, cs8 has the members i and q, and cs12, whose pairs are packed, the array
 * bytes. They are exported, because the symbols of a template are no more visible than
 * its arguments.
 */
#define CLDSP_real_ITEM(NAME, NUMBER) using NAME = NUMBER;
#define CLDSP_complex_ITEM(NAME, NUMBER) using NAME = std::complex<NUMBER>;
#define CLDSP_pair_ITEM(NAME, NUMBER) \
    struct CLDSP_API NAME {           \
        NUMBER i;                     \
        NUMBER q;                     \
    };
#define CLDSP_packed_ITEM(NAME, BITS)   \
    struct CLDSP_API NAME {             \
        std::uint8_t bytes[(BITS) / 4]; \
    };
#define CLDSP_ITEM(NAME, CAPITALS, LETTERS, LAYOUT, NUMBER, ...) \
    CLDSP_##LAYOUT##_ITEM(NAME, NUMBER)
CLDSP_SAMPLE_TYPES(CLDSP_ITEM)
#undef CLDSP_ITEM
#undef CLDSP_packed_ITEM
#undef CLDSP_pair_ITEM
#undef CLDSP_complex_ITEM
#undef CLDSP_real_ITEM

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_IQ_TYPES_H */
