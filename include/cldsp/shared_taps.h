// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A list of taps that all its copies share.

#pragma once

#include <initializer_list>
#include <complex>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cldsp {

//! Whether every imaginary part is zero.
bool are_real(const std::vector<std::complex<float>>& taps);

/*!
 * A list of taps that copies share. The channels of a bank often have the same long list,
 * and a bank has many lists: to copy it takes no time, however long they are.
 */
class shared_taps
{
public:
    using values = std::vector<std::complex<float>>;
    using value_type = values::value_type;

    shared_taps(values taps);
    shared_taps(std::initializer_list<value_type> taps) : shared_taps(values(taps)) {}

    operator const values&() const { return d_list->taps; }
    std::size_t size() const { return d_list->taps.size(); }
    bool empty() const { return d_list->taps.empty(); }
    const value_type* data() const { return d_list->taps.data(); }
    const value_type& operator[](std::size_t i) const { return d_list->taps[i]; }
    values::const_iterator begin() const { return d_list->taps.begin(); }
    values::const_iterator end() const { return d_list->taps.end(); }
    //! Whether every imaginary part is zero; this takes no time.
    bool are_real() const { return d_list->real; }
    //! Whether both are copies of one list, so that they are equal for sure.
    bool is(const shared_taps& other) const { return d_list == other.d_list; }

    //! Whether the taps are equal, bit for bit.
    friend bool operator==(const shared_taps& a, const shared_taps& b);
    friend bool operator!=(const shared_taps& a, const shared_taps& b)
    {
        return !(a == b);
    }

private:
    struct list {
        values taps;
        bool real;
    };
    std::shared_ptr<const list> d_list;
};

bool operator==(const shared_taps& a, const shared_taps& b);

} // namespace cldsp
