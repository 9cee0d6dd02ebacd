// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A JSON value to read and to print, whose destructor allocates nothing.

#pragma once

#include <string_view>
#include <type_traits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cldsp {

/*!
 * A value of JSON, to read and to print. Nothing here allocates in a destructor, unlike
 * the values of nlohmann::json, whose destructors end the process if there is no memory.
 * So the engine's code uses this class, which alone calls that library.
 */
class json_value
{
public:
    using array = std::vector<json_value>;
    using object = std::map<std::string, json_value>;

    //! The deepest nesting that is read. Values are destroyed and printed by recursion.
    static constexpr std::size_t max_depth = 32;

    json_value() = default; //!< null
    json_value(bool value) : d_value(value) {}
    json_value(double value) : d_value(value) {}
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    json_value(T value)
    {
        if constexpr (std::is_signed_v<T>)
            d_value = static_cast<std::int64_t>(value);
        else
            d_value = static_cast<std::uint64_t>(value);
    }
    json_value(const char* text) : d_value(std::string(text)) {}
    json_value(std::string text) : d_value(std::move(text)) {}
    json_value(array values) : d_value(std::move(values)) {}
    json_value(object members) : d_value(std::move(members)) {}

    //! Reads a text; nothing if it is not JSON, or deeper than max_depth.
    static std::optional<json_value> parse(const std::string& text);
    //! The text without blanks, or with lines that are indented by \p indent for each
    //! level. Bytes that are not UTF-8 are replaced.
    std::string print(std::optional<std::size_t> indent = std::nullopt) const;

    bool is_object() const { return std::holds_alternative<object>(d_value); }
    //! The members of an object; none if this is something else.
    const object& members() const;
    //! The values of an array; none if this is something else.
    const array& values() const;
    //! A member of an object; null if there is none, or this is something else.
    const json_value& operator[](const std::string& name) const;

    // Each of these returns nothing if the value is of another type.
    std::optional<bool> boolean() const;
    std::optional<double> number() const;         //!< any number
    std::optional<std::int64_t> integer() const;  //!< a whole number
    std::optional<std::uint64_t> count() const;   //!< a whole number of 0 or more
    std::optional<std::string_view> text() const; //!< valid as long as this value

private:
    void print_to(std::string& text,
                  std::optional<std::size_t> indent,
                  std::size_t depth) const;

    std::variant<std::monostate,
                 bool,
                 std::int64_t,
                 std::uint64_t,
                 double,
                 std::string,
                 array,
                 object>
        d_value;
};

} // namespace cldsp
