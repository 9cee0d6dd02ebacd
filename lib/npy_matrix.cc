/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <gnuradio/cldsp/gemm.h>
#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>
#include <type_traits>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <regex>

namespace gr {
namespace cldsp {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what)
{
    ::cldsp::throw_invalid(
        "A", "the file '" + path + "', " + what, "a .npy file of a matrix");
}

//! What the header of a .npy file says.
struct npy_header {
    char kind = 0;        //!< of an element, as NumPy names it: f, i, u, b or c
    std::size_t size = 0; //!< bytes of an element
    bool big_endian = false;
    bool fortran_order = false; //!< column by column
    std::size_t rows = 0, columns = 0;
};

std::size_t dimension(const std::string& digits)
{
    // Longer ones would not fit into memory anyway.
    return digits.size() > 15 ? std::numeric_limits<std::size_t>::max()
                              : std::stoull(digits);
}

//! A Python dict of descr, fortran_order and shape, in any order.
npy_header parse(const std::string& text, const std::string& path)
{
    static const std::regex descr(R"('descr'\s*:\s*'([<>|=])([a-zA-Z])(\d+)')");
    static const std::regex order(R"('fortran_order'\s*:\s*(True|False))");
    static const std::regex shape(R"('shape'\s*:\s*\(\s*(\d+)\s*,\s*(\d+)\s*,?\s*\))");
    std::smatch match;
    npy_header header;
    if (!std::regex_search(text, match, descr))
        refuse(path, "whose elements are no plain numbers");
    header.big_endian = match[1] == ">";
    header.kind = *match[2].first;
    header.size = dimension(match[3]);
    if (!std::regex_search(text, match, order))
        refuse(path, "whose header is damaged");
    header.fortran_order = match[1] == "True";
    if (!std::regex_search(text, match, shape))
        refuse(path, "which has not two dimensions");
    header.rows = dimension(match[1]);
    header.columns = dimension(match[2]);
    return header;
}

std::string read(std::istream& file, std::size_t bytes, const std::string& path)
{
    std::string data(bytes, '\0');
    if (!file.read(data.data(), static_cast<std::streamsize>(bytes)))
        refuse(path, "which ends too early");
    return data;
}

npy_header read_header(std::istream& file, const std::string& path)
{
    constexpr std::size_t most = 1 << 20;
    const std::string start = read(file, 8, path);
    if (start.compare(0, 6, "\x93NUMPY") != 0)
        refuse(path, "which NumPy has not written");
    const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
    const std::string digits = read(file, length_bytes, path);
    std::size_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(digits[i]);
    if (length > most)
        refuse(path, "whose header is damaged");
    return parse(read(file, length, path), path);
}

bool host_is_big_endian()
{
    const std::uint16_t probe = 1;
    unsigned char first;
    std::memcpy(&first, &probe, 1);
    return first == 0;
}

template <class ELEMENT>
double value_of(const char* bytes)
{
    ELEMENT element;
    std::memcpy(&element, bytes, sizeof(element));
    return static_cast<double>(element);
}

using reader = double (*)(const char*);

//! Of a real number, or of one part of a complex one; null if there is no such type.
reader reader_of(char kind, std::size_t size)
{
    switch (kind) {
    case 'f':
        return size == 4   ? value_of<float>
               : size == 8 ? value_of<double>
               : size == 2 ? +[](const char* bytes) {
                     std::uint16_t half;
                     std::memcpy(&half, bytes, sizeof(half));
                     return static_cast<double>(::cldsp::from_half(half));
                 }
                           : reader(nullptr);
    case 'i':
        return size == 1   ? value_of<std::int8_t>
               : size == 2 ? value_of<std::int16_t>
               : size == 4 ? value_of<std::int32_t>
               : size == 8 ? value_of<std::int64_t>
                           : reader(nullptr);
    case 'u':
    case 'b':
        return size == 1   ? value_of<std::uint8_t>
               : size == 2 ? value_of<std::uint16_t>
               : size == 4 ? value_of<std::uint32_t>
               : size == 8 ? value_of<std::uint64_t>
                           : reader(nullptr);
    default:
        return nullptr;
    }
}

template <class T>
std::vector<std::vector<T>>
elements(const npy_header& header, std::string& data, const std::string& path)
{
    constexpr bool to_complex = std::is_same_v<T, gr_complex>;
    const bool complex = header.kind == 'c';
    const std::size_t part = complex ? header.size / 2 : header.size;
    const reader read_part = reader_of(complex ? 'f' : header.kind, part);
    if (!read_part || (complex && !to_complex))
        refuse(path,
               std::string("whose elements are of type ") + header.kind +
                   std::to_string(header.size));
    if (header.big_endian != host_is_big_endian() && part > 1)
        for (std::size_t at = 0; at < data.size(); at += part)
            std::reverse(data.begin() + at, data.begin() + at + part);

    std::vector<std::vector<T>> A(header.rows, std::vector<T>(header.columns));
    for (std::size_t row = 0; row < header.rows; row++)
        for (std::size_t column = 0; column < header.columns; column++) {
            const std::size_t index = header.fortran_order
                                          ? column * header.rows + row
                                          : row * header.columns + column;
            const char* bytes = data.data() + index * header.size;
            const auto real = static_cast<float>(read_part(bytes));
            if constexpr (to_complex)
                A[row][column] = { real,
                                   complex ? static_cast<float>(read_part(bytes + part))
                                           : 0 };
            else
                A[row][column] = real;
        }
    return A;
}

} // namespace

template <class T>
std::vector<std::vector<T>> load_npy(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        refuse(path, "which cannot be read");
    const npy_header header = read_header(file, path);
    if (header.rows == 0 || header.columns == 0 || header.size == 0)
        refuse(path, "which is empty");
    const auto begin = file.tellg();
    file.seekg(0, std::ios::end);
    const auto left = static_cast<std::size_t>(file.tellg() - begin);
    file.seekg(begin);
    if (header.rows > left / header.size / header.columns)
        refuse(path, "which ends too early");
    std::string data = read(file, header.rows * header.columns * header.size, path);
    return elements<T>(header, data, path);
}

template CLDSP_API std::vector<std::vector<float>> load_npy(const std::string&);
template CLDSP_API std::vector<std::vector<gr_complex>> load_npy(const std::string&);

} // namespace cldsp
} // namespace gr
