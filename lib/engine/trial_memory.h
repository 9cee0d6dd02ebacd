/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/freq_xlating_fir.h>
#include <cldsp/sample_type.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace cldsp {

//! Page-aligned memory, as a stream buffer is, for a measurement.
class trial_memory
{
public:
    //! Zeros. \throws std::bad_alloc
    explicit trial_memory(std::size_t bytes);

    template <class T>
    T* as() const
    {
        return static_cast<T*>(d_data.get());
    }
    memory_region region() const { return { d_data.get(), d_bytes }; }

private:
    struct release {
        void operator()(void* data) const { std::free(data); }
    };
    std::size_t d_bytes;
    std::unique_ptr<void, release> d_data;
};

//! Items of noise that is finite and of ordinary size in every input type.
trial_memory trial_input(sample_type type, std::size_t items);

} // namespace cldsp
