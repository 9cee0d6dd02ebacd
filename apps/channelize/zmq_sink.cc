// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Publishes the samples of a channel on a ZeroMQ socket.

#include "channelize/byte_sink.h"
#include "channelize/stop_signal.h"

#include <zmq.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace cldsp::app {

namespace {

constexpr std::size_t message_bytes = 16384;
// At the end, or after a signal, subscribers have this much time for remaining messages.
constexpr double linger_seconds = 2; // seconds

//! All sockets share a context, which has a thread of its own.
std::shared_ptr<void> shared_context()
{
    static std::mutex mutex;
    static std::weak_ptr<void> known;
    const std::lock_guard<std::mutex> guard(mutex);
    auto context = known.lock();
    if (!context) {
        void* const made = zmq_ctx_new();
        if (!made)
            throw std::runtime_error("ZeroMQ cannot be used: " +
                                     std::string(zmq_strerror(zmq_errno())));
        context = std::shared_ptr<void>(made, zmq_ctx_term);
        zmq_ctx_set(made, ZMQ_MAX_SOCKETS, zmq_ctx_get(made, ZMQ_SOCKET_LIMIT));
        known = context;
    }
    return context;
}

class zmq_sink final : public byte_sink
{
public:
    zmq_sink(const std::string& endpoint, std::size_t item_bytes, bool waits)
        : d_endpoint(endpoint),
          d_most(message_bytes / item_bytes * item_bytes),
          d_context(shared_context()),
          d_socket(zmq_socket(d_context.get(), ZMQ_PUB), close_socket)
    {
        if (!d_socket)
            fail("cannot be used");
        set(ZMQ_LINGER, static_cast<int>(linger_seconds * 1000));
        // With this option a send is refused until every subscriber has room.
        set(ZMQ_XPUB_NODROP, waits ? 1 : 0);
        if (zmq_bind(d_socket.get(), endpoint.c_str()) != 0)
            fail("cannot be bound to");
    }

    void write(const unsigned char* bytes, std::size_t count) override
    {
        for (std::size_t done = 0; done < count;) {
            const std::size_t part = std::min(count - done, d_most);
            send(bytes + done, part);
            done += part;
        }
    }
    //! Closes the socket. ZeroMQ sends the remaining messages while the context ends.
    void finish() override { d_socket.reset(); }
    void discard() override { d_socket.reset(); }
    std::uint64_t written() const override { return d_written; }
    std::string target() const override { return d_endpoint; }

private:
    static void close_socket(void* socket)
    {
        if (socket)
            zmq_close(socket);
    }
    [[noreturn]] void fail(const char* what) const
    {
        throw std::runtime_error("'" + d_endpoint + "' of --zmq " + what + ": " +
                                 zmq_strerror(zmq_errno()));
    }
    void set(int option, int value)
    {
        if (zmq_setsockopt(d_socket.get(), option, &value, sizeof value) != 0)
            fail("cannot be set up");
    }
    void send(const unsigned char* bytes, std::size_t count)
    {
        while (zmq_send(d_socket.get(), bytes, count, ZMQ_DONTWAIT) < 0) {
            if (zmq_errno() != EAGAIN && zmq_errno() != EINTR)
                fail("cannot be written to");
            if (stop_signal::seconds() > linger_seconds)
                throw std::runtime_error("'" + d_endpoint +
                                         "' of --zmq cannot be written to: a subscriber "
                                         "does not read");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        d_written += count;
    }

    std::string d_endpoint;
    std::size_t d_most; // bytes of a message
    std::shared_ptr<void> d_context;
    std::unique_ptr<void, void (*)(void*)> d_socket;
    std::uint64_t d_written = 0;
};

} // namespace

std::unique_ptr<byte_sink>
make_zmq_sink(const std::string& endpoint, std::size_t item_bytes, bool waits)
{
    return std::make_unique<zmq_sink>(endpoint, item_bytes, waits);
}

} // namespace cldsp::app
