// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An open file that is closed at the end, unless it is borrowed.

#pragma once

#include <unistd.h>
#include <utility>

namespace cldsp::app {

//! An open file of the system, which is closed at the end unless it is borrowed.
class file_descriptor
{
public:
    file_descriptor() = default;
    explicit file_descriptor(int number, bool borrowed = false)
        : d_number(number), d_borrowed(borrowed)
    {
    }
    ~file_descriptor() { reset(); }
    file_descriptor(file_descriptor&& o) noexcept { swap(o); }
    file_descriptor& operator=(file_descriptor&& o) noexcept
    {
        swap(o);
        return *this;
    }

    int get() const { return d_number; }
    explicit operator bool() const { return d_number >= 0; }
    //! Closes the file. \return the result of close()
    int reset()
    {
        const int number = std::exchange(d_number, -1);
        return number >= 0 && !d_borrowed ? ::close(number) : 0;
    }

private:
    void swap(file_descriptor& o) noexcept
    {
        std::swap(d_number, o.d_number);
        std::swap(d_borrowed, o.d_borrowed);
    }

    int d_number = -1;
    bool d_borrowed = false;
};

} // namespace cldsp::app
