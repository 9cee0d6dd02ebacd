// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Owns a buffer or an image that is never released once its device is lost.

#pragma once

#include "opencl/device_watch.h"

#include <cldsp/context.h>

#include <memory>
#include <utility>

namespace cldsp {

/*!
 * Owns a buffer or an image through its handle of OpenCL's C++ bindings. On a lost device
 * the memory is never released, because commands may still use it. The destructor does
 * not throw.
 */
template <class Memory>
class held_memory
{
public:
    held_memory() = default;
    held_memory(const context& device, Memory memory) { hold(device, std::move(memory)); }
    ~held_memory() { drop(); }
    held_memory(held_memory&&) noexcept = default;
    held_memory& operator=(held_memory&& other) noexcept
    {
        drop();
        d_watch = std::move(other.d_watch);
        replace(d_memory, std::move(other.d_memory));
        return *this;
    }

    void hold(const context& device, Memory memory) noexcept
    {
        drop();
        d_watch = device.shared_watch();
        replace(d_memory, std::move(memory));
    }
    void drop() noexcept
    {
        if (d_watch && d_watch->is_lost())
            d_memory() = nullptr;
        else
            replace(d_memory);
    }
    //! Null before hold(), and after drop().
    const Memory& get() const { return d_memory; }

private:
    std::shared_ptr<device_watch> d_watch;
    Memory d_memory;
};

} // namespace cldsp
