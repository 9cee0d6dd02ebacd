// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Page-aligned memory that is never freed after its device is lost.

#pragma once

#include <cldsp/memory_region.h>
#include <cldsp/sample_type.h>

#include <cstddef>
#include <memory>

namespace cldsp {

/*!
 * Page-aligned memory that the engine passes to an executor in the place of a caller's
 * memory. A kernel may access it without a copy. If the device is lost, this memory must
 * not be freed: a late command could write into memory that has a new owner by then.
 */
class page_memory
{
public:
    //! Allocates \p bytes zeros. \throws std::bad_alloc
    explicit page_memory(std::size_t bytes);

    template <class T>
    T* as() const
    {
        return static_cast<T*>(d_data.get());
    }
    memory_region region() const { return { d_data.get(), d_data.get_deleter().bytes }; }

    //! From now on the memory is never freed, not even by the destructor.
    void keep() const noexcept { d_data.get_deleter().kept = true; }
    bool is_kept() const noexcept { return d_data.get_deleter().kept; }

private:
    struct release {
        void operator()(void* data) const noexcept;
        std::size_t bytes;
        mutable bool kept;
    };
    std::unique_ptr<void, release> d_data;
};

/*!
 * Calls keep() on a call's memory, in its own destructor, if the executor's device is
 * lost. Declare it after the executor: it is then destroyed before the executor is, also
 * where a constructor throws.
 */
template <class executor, class call>
class kept_if_lost
{
public:
    kept_if_lost(const executor& e, const call& c) : d_executor(e), d_call(c) {}
    ~kept_if_lost()
    {
        if (d_executor.device_is_lost())
            d_call.keep();
    }
    kept_if_lost(const kept_if_lost&) = delete;
    kept_if_lost& operator=(const kept_if_lost&) = delete;

private:
    const executor& d_executor;
    const call& d_call;
};

//! Input items for a measurement: noise whose values are finite and of ordinary size in
//! every type.
page_memory trial_input(sample_type type, std::size_t items);

} // namespace cldsp
