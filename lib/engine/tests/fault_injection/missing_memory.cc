// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Functions in the place of malloc() that count, and fail when they are told to.

#include "missing_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unwind.h>

// The allocator of the GNU C library.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* memory);

// The bounds of this program's code, and of the functions below that replace malloc() and
// so on, all from the linker.
extern const char __executable_start, etext;
extern const char __start_qa_hooks, __stop_qa_hooks;
}

#define CLDSP_HOOK [[gnu::noinline, gnu::section("qa_hooks")]]

namespace {

std::atomic<bool> armed{ false };
std::atomic<long> allocated{ 0 }, first_to_fail{ 0 }, live{ 0 };
std::atomic<bool> is_lasting{ false }, of_everybody{ false };
thread_local bool looking = false; // at the stack, which may itself allocate

bool is_between(std::uintptr_t address, const char& begin, const char& end)
{
    return address >= reinterpret_cast<std::uintptr_t>(&begin) &&
           address < reinterpret_cast<std::uintptr_t>(&end);
}

//! The library of a function; null for one that replaces malloc(), and for one of the C
//! or C++ library, which works for somebody else.
const char* user_at(std::uintptr_t address)
{
    if (is_between(address, __start_qa_hooks, __stop_qa_hooks))
        return nullptr;
    if (is_between(address, __executable_start, etext))
        return "engine";
    // dladdr() would search all symbols of the library.
    dl_find_object found{};
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0)
        return nullptr;
    const char* const library = found.dlfo_link_map->l_name;
    for (const char* name :
         { "/libstdc++", "/libc.so", "/libc-", "/libgcc_s", "/ld-linux", "/libm.so" })
        if (std::strstr(library, name))
            return nullptr;
    return library;
}

_Unwind_Reason_Code find_user(_Unwind_Context* frame, void* found)
{
    // A return address may be the first one behind its function.
    const char* const user = user_at(_Unwind_GetIP(frame) - 1);
    *static_cast<const char**>(found) = user;
    return user ? _URC_END_OF_STACK : _URC_NO_REASON;
}

CLDSP_HOOK bool is_refused()
{
    if (!armed.load(std::memory_order_relaxed) || looking)
        return false;
    if (!of_everybody) {
        looking = true;
        const char* user = nullptr;
        _Unwind_Backtrace(find_user, &user);
        looking = false;
        if (!user || std::strcmp(user, "engine") != 0)
            return false;
    }
    const long number = ++allocated;
    const long first = first_to_fail;
    return first > 0 && (is_lasting ? number >= first : number == first);
}

CLDSP_HOOK void* counted(void* memory)
{
    if (memory)
        live++;
    return memory;
}

CLDSP_HOOK void* refuse()
{
    errno = ENOMEM;
    return nullptr;
}

} // namespace

extern "C" {

CLDSP_HOOK void* malloc(size_t bytes)
{
    return is_refused() ? refuse() : counted(__libc_malloc(bytes));
}

CLDSP_HOOK void* calloc(size_t count, size_t bytes)
{
    return is_refused() ? refuse() : counted(__libc_calloc(count, bytes));
}

CLDSP_HOOK void* realloc(void* memory, size_t bytes)
{
    if (is_refused())
        return refuse();
    void* const moved = __libc_realloc(memory, bytes);
    if (!memory)
        counted(moved);
    else if (bytes == 0)
        live--;
    return moved;
}

CLDSP_HOOK void* memalign(size_t alignment, size_t bytes)
{
    return is_refused() ? refuse() : counted(__libc_memalign(alignment, bytes));
}

CLDSP_HOOK void* aligned_alloc(size_t alignment, size_t bytes)
{
    return is_refused() ? refuse() : counted(__libc_memalign(alignment, bytes));
}

CLDSP_HOOK int posix_memalign(void** memory, size_t alignment, size_t bytes)
{
    if (is_refused())
        return ENOMEM;
    *memory = counted(__libc_memalign(alignment, bytes));
    return *memory ? 0 : ENOMEM;
}

CLDSP_HOOK void free(void* memory)
{
    if (memory)
        live--;
    __libc_free(memory);
}

} // extern "C"

namespace cldsp {

memory_shortage::memory_shortage(std::size_t first, bool lasting, memory_users users)
{
    allocated = 0;
    first_to_fail = static_cast<long>(first);
    is_lasting = lasting;
    of_everybody = users == memory_users::everybody;
    armed = true;
}

memory_shortage::~memory_shortage() { end(); }

void memory_shortage::end() { armed = false; }

std::size_t memory_shortage::allocations()
{
    return static_cast<std::size_t>(allocated.load());
}

long live_allocations() { return live; }

const char* guilty_library(int descriptor)
{
    memory_shortage::end();
    std::array<void*, 100> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    backtrace_symbols_fd(frames.data(), count, descriptor);
    // The first one is this function, and the second one the handler of the signal.
    for (int i = 2; i < count; i++)
        if (const char* user = user_at(reinterpret_cast<std::uintptr_t>(frames[i]) - 1))
            return user;
    return "?";
}

} // namespace cldsp
