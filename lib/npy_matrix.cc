// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the matrix in a NumPy file that nobody has to trust.

#include "message_text.h"
#include <gnuradio/cldsp/gemm.h>
#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string>

namespace gr {
namespace cldsp {

namespace {

//! The largest header, as in NumPy for a file that is not trusted; a matrix needs about
//! 100 bytes.
constexpr std::size_t max_header_bytes = 10000;
//! The largest number of rows, and of columns: a vector of this many complex values takes
//! 128 MiB.
constexpr std::size_t max_dimension = std::size_t(1) << 24;
constexpr std::size_t max_elements = std::size_t(1) << 28;

[[noreturn]] void refuse(const std::string& path, const std::string& what)
{
    // The path may come from a message, and may be of any length.
    const std::string told = beginning_of(path, 300);
    ::cldsp::throw_invalid(
        "A", "the file '" + told + "', " + what, "a .npy file of a matrix");
}

//! A regular file, open for reading.
class regular_file
{
public:
    explicit regular_file(const std::string& path) : d_path(path)
    {
        if (path.find('\0') != std::string::npos)
            refuse(path, "whose name has a zero byte");
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        d_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (d_descriptor < 0)
            refuse(path, std::string("which cannot be read: ") + std::strerror(errno));
        struct stat status = {};
        if (::fstat(d_descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
            ::close(d_descriptor);
            refuse(path, "which is no regular file");
        }
        d_left = static_cast<std::uint64_t>(status.st_size);
    }
    ~regular_file() { ::close(d_descriptor); }
    regular_file(const regular_file&) = delete;
    regular_file& operator=(const regular_file&) = delete;

    const std::string& path() const { return d_path; }
    //! The number of bytes that have not been read yet.
    std::uint64_t left() const { return d_left; }

    void read(char* to, std::size_t bytes)
    {
        if (bytes > d_left)
            refuse(d_path, "which ends too early");
        d_left -= bytes;
        while (bytes > 0) {
            const ssize_t got = ::read(d_descriptor, to, bytes);
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                refuse(d_path,
                       std::string("which cannot be read: ") + std::strerror(errno));
            if (got == 0)
                refuse(d_path, "which ends too early");
            to += got;
            bytes -= static_cast<std::size_t>(got);
        }
    }

    std::string read(std::size_t bytes)
    {
        std::string data(bytes, '\0');
        read(data.data(), bytes);
        return data;
    }

private:
    std::string d_path;
    int d_descriptor = -1;
    std::uint64_t d_left = 0;
};

template <class ELEMENT>
double value_of(const char* bytes)
{
    ELEMENT element;
    std::memcpy(&element, bytes, sizeof(element));
    return static_cast<double>(element);
}

double value_of_half(const char* bytes)
{
    std::uint16_t half;
    std::memcpy(&half, bytes, sizeof(half));
    return ::cldsp::from_half(half);
}

double value_of_bool(const char* bytes) { return *bytes != 0; }

//! The type of the elements of a file.
struct element_type {
    const char* name;       //!< as NumPy writes it, without the order of its bytes
    std::size_t parts;      //!< 2 for complex numbers, else 1
    std::size_t part_bytes; //!< the bytes of one part
    double (*value)(const char* part);
};

constexpr std::array<element_type, 14> element_types = {
    { { "f2", 1, 2, value_of_half },
      { "f4", 1, 4, value_of<float> },
      { "f8", 1, 8, value_of<double> },
      { "c8", 2, 4, value_of<float> },
      { "c16", 2, 8, value_of<double> },
      { "i1", 1, 1, value_of<std::int8_t> },
      { "i2", 1, 2, value_of<std::int16_t> },
      { "i4", 1, 4, value_of<std::int32_t> },
      { "i8", 1, 8, value_of<std::int64_t> },
      { "u1", 1, 1, value_of<std::uint8_t> },
      { "u2", 1, 2, value_of<std::uint16_t> },
      { "u4", 1, 4, value_of<std::uint32_t> },
      { "u8", 1, 8, value_of<std::uint64_t> },
      { "b1", 1, 1, value_of_bool } }
};

//! The header of a .npy file.
struct npy_header {
    element_type type = {};
    bool big_endian = false;
    bool fortran_order = false; //!< column by column
    std::size_t rows = 0, columns = 0;
};

/*!
 * Reads the text of the header: a Python dict of descr, fortran_order and shape, each
 * once, in any order.
 */
npy_header parse_header(std::string text, const std::string& path)
{
    // White space may stand anywhere in a dict, and in none of these values. Without it
    // no header of a matrix is as long as this, so that no text is too long for an
    // expression.
    constexpr std::size_t max_length = 200;
    text.erase(
        std::remove_if(text.begin(),
                       text.end(),
                       [](char c) { return std::strchr(" \t\r\n\f\v", c) && c != 0; }),
        text.end());
    std::replace(text.begin(), text.end(), '"', '\'');
    static const auto& dict = *new std::regex(
        R"(\{('(descr|fortran_order|shape)':('[^']*'|\[.*\]|True|False|\([0-9,]*\))(,|(?=\}))){3}\})");
    static const auto& descr = *new std::regex(R"('descr':(?:'([<>|=])([^']*)')?)");
    static const auto& order = *new std::regex("'fortran_order':(True|False)");
    static const auto& shape = *new std::regex(R"('shape':\(([0-9]+,)*[0-9]*\))");
    static const auto& two = *new std::regex(R"('shape':\(([0-9]+),([0-9]+),?\))");

    std::smatch type, columns_first, sizes;
    if (text.size() > max_length || !std::regex_match(text, dict) ||
        !std::regex_search(text, type, descr) ||
        !std::regex_search(text, columns_first, order) || !std::regex_search(text, shape))
        refuse(path, "whose header is damaged");
    // The type of a structure would be a list.
    if (!type[1].matched)
        refuse(path, "whose elements are no plain numbers");
    if (!std::regex_search(text, sizes, two))
        refuse(path, "which does not have two dimensions");

    npy_header header;
    const std::string name = type[2];
    const auto found =
        std::find_if(element_types.begin(), element_types.end(), [&](const auto& known) {
            return name == known.name;
        });
    if (found == element_types.end())
        refuse(path, "whose elements are of type " + name.substr(0, 20));
    header.type = *found;
    header.big_endian = type[1] == ">";
    header.fortran_order = columns_first[1] == "True";
    // A number with too many digits becomes the largest one, which is above every limit.
    header.rows = std::strtoull(sizes[1].str().c_str(), nullptr, 10);
    header.columns = std::strtoull(sizes[2].str().c_str(), nullptr, 10);
    return header;
}

npy_header read_header(regular_file& file)
{
    const std::string start = file.read(8);
    const int version = start[6];
    if (start.compare(0, 6, "\x93NUMPY") != 0 || version < 1 || version > 3)
        refuse(file.path(), "which NumPy has not written");
    const std::string digits = file.read(version == 1 ? 2 : 4);
    std::size_t length = 0;
    for (std::size_t i = digits.size(); i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(digits[i]);
    if (length > max_header_bytes)
        refuse(file.path(),
               "whose header has " + std::to_string(length) + " bytes, more than " +
                   std::to_string(max_header_bytes));
    return parse_header(file.read(length), file.path());
}

//! Checks the sizes in a header.
//! \throws std::invalid_argument if the file is too short for the matrix, or the matrix
//! is too large
void check_size(const npy_header& header, const regular_file& file)
{
    if (header.rows == 0 || header.columns == 0)
        refuse(file.path(), "which is empty");
    if (std::max(header.rows, header.columns) > max_dimension ||
        header.rows > max_elements / header.columns)
        refuse(file.path(),
               "which has more than " + std::to_string(max_dimension) +
                   " rows or columns, or more than " + std::to_string(max_elements) +
                   " elements");
    const std::uint64_t elements = std::uint64_t(header.rows) * header.columns;
    if (elements * header.type.parts * header.type.part_bytes > file.left())
        refuse(file.path(), "which ends too early");
}

bool host_is_big_endian()
{
    const std::uint16_t probe = 1;
    unsigned char first;
    std::memcpy(&first, &probe, 1);
    return first == 0;
}

template <class T>
std::vector<std::vector<T>> read_elements(const npy_header& header, regular_file& file)
{
    constexpr bool to_complex = std::is_same_v<T, gr_complex>;
    const element_type& type = header.type;
    if (type.parts > 1 && !to_complex)
        refuse(file.path(), std::string("whose elements are of type ") + type.name);
    check_size(header, file);

    std::vector<std::vector<T>> A(header.rows, std::vector<T>(header.columns));
    const bool swap = header.big_endian != host_is_big_endian();
    const std::size_t element_bytes = type.parts * type.part_bytes;
    const std::size_t count = header.rows * header.columns;
    constexpr std::size_t max_piece = std::size_t(1) << 16;
    std::string piece;
    std::size_t row = 0, column = 0;
    for (std::size_t done = 0; done < count;) {
        const std::size_t now = std::min(max_piece, count - done);
        piece.resize(now * element_bytes);
        file.read(piece.data(), piece.size());
        done += now;
        if (swap)
            for (std::size_t at = 0; at < piece.size(); at += type.part_bytes)
                std::reverse(piece.begin() + at, piece.begin() + at + type.part_bytes);
        for (std::size_t at = 0; at < piece.size(); at += element_bytes) {
            const char* bytes = piece.data() + at;
            const auto real = static_cast<float>(type.value(bytes));
            if constexpr (to_complex)
                A[row][column] = { real,
                                   type.parts == 1 ? 0
                                                   : static_cast<float>(type.value(
                                                         bytes + type.part_bytes)) };
            else
                A[row][column] = real;
            std::size_t& inner = header.fortran_order ? row : column;
            std::size_t& outer = header.fortran_order ? column : row;
            if (++inner == (header.fortran_order ? header.rows : header.columns)) {
                inner = 0;
                outer++;
            }
        }
    }
    return A;
}

} // namespace

template <class T>
std::vector<std::vector<T>> load_npy(const std::string& path)
{
    regular_file file(path);
    return read_elements<T>(read_header(file), file);
}

template CLDSP_API std::vector<std::vector<float>> load_npy(const std::string&);
template CLDSP_API std::vector<std::vector<gr_complex>> load_npy(const std::string&);

} // namespace cldsp
} // namespace gr
