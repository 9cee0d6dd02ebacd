// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads and prints JSON by nlohmann::json, which nothing else in the engine calls.

#include "base/json_value.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace cldsp {

namespace {

/*!
 * Makes a value of what the parser reports, item by item. The functions are those of
 * nlohmann::json_sax; they return false to end the parse.
 */
class value_builder
{
public:
    json_value take() { return std::move(d_root); }

    bool null() { return add({}); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value) { return add(value); }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    template <class Bytes>
    bool binary(Bytes&) // not in texts
    {
        return false;
    }
    bool start_object(std::size_t) { return open<json_value::object>(); }
    bool start_array(std::size_t) { return open<json_value::array>(); }
    bool key(std::string& name)
    {
        d_open.back().key = std::move(name);
        return true;
    }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    template <class Exception>
    bool parse_error(std::size_t, const std::string&, const Exception&)
    {
        return false;
    }

private:
    //! An array or object whose end has not come yet.
    struct open_value {
        std::variant<json_value::array, json_value::object> content;
        std::string key; // of the next member of an object
    };

    template <class Content>
    bool open()
    {
        if (d_open.size() == json_value::max_depth)
            return false;
        d_open.push_back({ Content(), {} });
        return true;
    }

    bool close()
    {
        auto ended =
            std::visit([](auto& content) { return json_value(std::move(content)); },
                       d_open.back().content);
        d_open.pop_back();
        return add(std::move(ended));
    }

    bool add(json_value value)
    {
        if (d_open.empty()) {
            d_root = std::move(value);
            return true;
        }
        auto& parent = d_open.back();
        if (auto* members = std::get_if<json_value::object>(&parent.content))
            members->insert_or_assign(std::move(parent.key), std::move(value));
        else
            std::get<json_value::array>(parent.content).push_back(std::move(value));
        return true;
    }

    json_value d_root;
    std::vector<open_value> d_open;
};

/*!
 * Appends a number or a string. Of nlohmann::json's values, only those without others
 * inside are made here: their destructors do not allocate.
 */
template <class Scalar>
void print_scalar(std::string& text, const Scalar& value)
{
    using nlohmann::json;
    text += json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

std::optional<json_value> json_value::parse(const std::string& text)
{
    value_builder builder;
    if (!nlohmann::json::sax_parse(text, &builder))
        return std::nullopt;
    return builder.take();
}

std::string json_value::print(std::optional<std::size_t> indent) const
{
    std::string text;
    print_to(text, indent, 0);
    return text;
}

void json_value::print_to(std::string& text,
                          std::optional<std::size_t> indent,
                          std::size_t depth) const
{
    const auto begin_line = [&](std::size_t level) {
        if (indent)
            text.append(1, '\n').append(*indent * level, ' ');
    };
    const auto print_all =
        [&](char open, char close, const auto& all, const auto& print) {
            text += open;
            bool first = true;
            for (const auto& one : all) {
                if (!std::exchange(first, false))
                    text += ',';
                begin_line(depth + 1);
                print(one);
            }
            if (!first)
                begin_line(depth);
            text += close;
        };
    if (const auto* const list = std::get_if<array>(&d_value)) {
        print_all('[', ']', *list, [&](const json_value& value) {
            value.print_to(text, indent, depth + 1);
        });
    } else if (const auto* const all = std::get_if<object>(&d_value)) {
        print_all('{', '}', *all, [&](const object::value_type& member) {
            print_scalar(text, member.first);
            text += indent ? ": " : ":";
            member.second.print_to(text, indent, depth + 1);
        });
    } else {
        std::visit(
            [&](const auto& value) {
                using type = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<type, std::monostate>)
                    text += "null";
                else if constexpr (!std::is_same_v<type, array> &&
                                   !std::is_same_v<type, object>)
                    print_scalar(text, value);
            },
            d_value);
    }
}

const json_value::object& json_value::members() const
{
    static const object none;
    const auto* const all = std::get_if<object>(&d_value);
    return all ? *all : none;
}

const json_value::array& json_value::values() const
{
    static const array none;
    const auto* const all = std::get_if<array>(&d_value);
    return all ? *all : none;
}

const json_value& json_value::operator[](const std::string& name) const
{
    static const json_value null;
    const auto found = members().find(name);
    return found == members().end() ? null : found->second;
}

std::optional<bool> json_value::boolean() const
{
    const auto* const value = std::get_if<bool>(&d_value);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> json_value::number() const
{
    if (const auto* const value = std::get_if<double>(&d_value))
        return *value;
    if (const auto* const value = std::get_if<std::int64_t>(&d_value))
        return static_cast<double>(*value);
    if (const auto* const value = std::get_if<std::uint64_t>(&d_value))
        return static_cast<double>(*value);
    return std::nullopt;
}

std::optional<std::int64_t> json_value::integer() const
{
    if (const auto* const value = std::get_if<std::int64_t>(&d_value))
        return *value;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const auto value = count();
    return value && *value <= static_cast<std::uint64_t>(most)
               ? std::optional(static_cast<std::int64_t>(*value))
               : std::nullopt;
}

std::optional<std::uint64_t> json_value::count() const
{
    if (const auto* const value = std::get_if<std::uint64_t>(&d_value))
        return *value;
    const auto* const value = std::get_if<std::int64_t>(&d_value);
    return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value))
                                : std::nullopt;
}

std::optional<std::string_view> json_value::text() const
{
    const auto* const value = std::get_if<std::string>(&d_value);
    return value ? std::optional<std::string_view>(*value) : std::nullopt;
}

} // namespace cldsp
