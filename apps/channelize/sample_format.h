// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The format of samples in a file, and the engine's type for them.

#pragma once

#include <cldsp/sample_type.h>

#include <cstddef>
#include <string>

namespace cldsp::app {

/*!
 * The format of the samples in a file, and the engine's type to which they are converted.
 *
 * Items in a format of the engine are read without conversion. Others are converted while
 * reading: the bytes of big-endian 16-bit integers and floats are swapped, and all other
 * numbers become floats.
 */
class sample_format
{
public:
    //! The format of one number, such as I or Q.
    struct number {
        unsigned bits = 8;
        bool is_float = false;
        bool is_signed = true;
        bool big_endian = false;
        //! For unsigned numbers: whether the middle value, such as 128, means zero, as in
        //! WAV. If false, zero lies half a step below the middle value, at 127.5, as in
        //! cu8.
        bool zero_is_middle = false;
    };

    //! The engine's own format of this type.
    explicit sample_format(sample_type type);
    //! \throws std::invalid_argument if there is no such number
    sample_format(const number& each, bool is_complex);
    /*!
     * \param name the engine's name of a type ("cf32" is "fc32"), or a datatype of SigMF,
     * such as "ri24_be"
     * \param parameter the name of the parameter in the message of the exception
     * \throws std::invalid_argument if there is no such format
     */
    static sample_format of_name(const std::string& name, const std::string& parameter);

    sample_type type() const { return d_type; }
    //! Bytes of an item in the file.
    std::size_t item_bytes() const { return d_item_bytes; }
    //! Whether the file has the engine's items.
    bool is_native() const { return d_native; }
    //! Converts items of the file to items of type().
    void convert(const unsigned char* file, void* items, std::size_t count) const;
    //! Whether the numbers of the file are floats, which may have any value.
    bool is_float() const;

private:
    sample_type d_type;
    number d_number;
    std::size_t d_item_bytes;
    bool d_native;
};

//! The type as the ending of a file's name, and as the user writes it: the engine's name,
//! but cf32 for fc32.
std::string file_ending(sample_type type);
//! Those of all types, with commas between them.
std::string file_endings();

//! 2^(b - 1) for integers of b bits, or the full scale of a type that is scaled; 1 for
//! floats.
double largest_number(sample_type type);

//! The value of the largest sample of a type, as the filters see it: 32768 for s16,
//! because the filters do not scale these samples.
double full_scale(sample_type type);

//! Larger values, as a multiple of full scale, are in no recording.
constexpr float absurd_value = 1e6f;
//! Whether a number is NaN, infinite, or above absurd_value in its magnitude.
bool has_absurd_value(const float* numbers, std::size_t count);

} // namespace cldsp::app
