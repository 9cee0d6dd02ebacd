// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shares copies among threads, past the caches where they are large.

#include "opencl/host_copies.h"

#include "base/streaming_copy.h"
#include "base/thread_pool.h"

#include <algorithm>
#include <cstring>

namespace cldsp {

namespace {

// Measured on an NVIDIA H200's host: one thread copies 6 to 12 GB/s, and twelve 44 to
// 100, a third more past the caches. The bus carries 55 each way.
constexpr unsigned max_threads = 12;
// The bytes that one thread copies at a time.
constexpr std::size_t max_share = std::size_t(1) << 18;
// Shorter copies are not shared: one thread copies this many bytes in about the time that
// other threads take to wake up.
constexpr std::size_t min_shared_bytes = std::size_t(1) << 19;
// Copies of this many bytes go past the caches, because the next reader would find only
// the last of them there.
constexpr std::size_t min_streamed_bytes = std::size_t(1) << 23;
// Only parts of this many bytes go past the caches: the processor waits at the end of
// each one until its last stores have reached the memory. Rows of 1 KiB take three times
// as long that way.
constexpr std::size_t min_streamed_part = std::size_t(1) << 14;

void copy(void* to, const void* from, std::size_t bytes, bool streams)
{
    if (streams && bytes >= min_streamed_part)
        streaming_copy(to, from, bytes);
    else
        std::memcpy(to, from, bytes);
}

} // namespace

unsigned host_copies::threads()
{
    return std::min(max_threads, thread_pool::count_for(0));
}

void host_copies::add(void* to, const void* from, std::size_t bytes)
{
    auto* const at = static_cast<unsigned char*>(to);
    const auto* const source = static_cast<const unsigned char*>(from);
    try {
        for (std::size_t done = 0; done < bytes; done += max_share)
            add_part({ at + done, source + done, std::min(max_share, bytes - done) });
    } catch (...) {
        clear(); // the caller gives up all of them
        throw;
    }
}

void host_copies::add_part(const part& one)
{
    if (d_shares.empty() || d_share_bytes + one.bytes > max_share) {
        d_shares.push_back(d_parts.size());
        d_share_bytes = 0;
    }
    d_parts.push_back(one);
    d_share_bytes += one.bytes;
    d_bytes += one.bytes;
}

void host_copies::clear()
{
    d_parts.clear();
    d_shares.clear();
    d_share_bytes = d_bytes = 0;
}

void host_copies::run()
{
    const bool streams = d_bytes >= min_streamed_bytes;
    const auto copy_share = [this, streams](std::size_t share, unsigned) {
        const std::size_t end =
            share + 1 < d_shares.size() ? d_shares[share + 1] : d_parts.size();
        for (std::size_t i = d_shares[share]; i < end; ++i)
            copy(d_parts[i].to, d_parts[i].from, d_parts[i].bytes, streams);
    };
    if (d_bytes < min_shared_bytes) {
        for (std::size_t share = 0; share < d_shares.size(); ++share)
            copy_share(share, 0);
    } else {
        d_device.copy_threads().parallel_for(d_shares.size(), copy_share);
    }
    clear();
}

} // namespace cldsp
