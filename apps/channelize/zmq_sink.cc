// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Publishes the samples of a channel on a ZeroMQ socket.

#include "channelize/byte_sink.h"
#include "channelize/stop_signal.h"

#include <zmq.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace cldsp::app {

namespace {

constexpr std::size_t message_bytes = 16384;
// After a signal, or at the end of a radio, subscribers have this much time for remaining
// messages.
constexpr double linger_seconds = 2; // seconds

//! The context that all sockets share, which has a thread of its own.
class zmq_context
{
public:
    static std::shared_ptr<zmq_context> shared()
    {
        static std::mutex mutex;
        static std::weak_ptr<zmq_context> known;
        const std::lock_guard<std::mutex> guard(mutex);
        auto context = known.lock();
        if (!context)
            known = context = std::make_shared<zmq_context>();
        return context;
    }

    zmq_context() : d_context(zmq_ctx_new())
    {
        if (!d_context)
            throw std::runtime_error("ZeroMQ cannot be used: " +
                                     std::string(zmq_strerror(zmq_errno())));
        zmq_ctx_set(d_context, ZMQ_MAX_SOCKETS, zmq_ctx_get(d_context, ZMQ_SOCKET_LIMIT));
    }
    ~zmq_context()
    {
        if (d_context)
            end(d_context);
    }
    zmq_context(const zmq_context&) = delete;
    zmq_context& operator=(const zmq_context&) = delete;

    void* get() const { return d_context; }

    //! Waits until the messages of all sockets, which are closed, are sent. \return false
    //! if the run is to stop and some were not sent within linger_seconds
    bool end()
    {
        // Only the end of the context tells that all is sent, and it knows no time limit.
        std::promise<void> promise;
        auto ended = promise.get_future();
        std::thread([context = std::exchange(d_context, nullptr),
                     promise = std::move(promise)]() mutable {
            end(context);
            promise.set_value();
        }).detach();
        using clock = std::chrono::steady_clock;
        const auto soonest = clock::now() + std::chrono::duration<double>(linger_seconds);
        while (ended.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
            if (stop_signal::seconds() > linger_seconds && clock::now() > soonest)
                return false;
        return true;
    }

    //! Whether a failure has told that a subscriber does not read.
    bool told = false;

private:
    static void end(void* context)
    {
        while (zmq_ctx_term(context) != 0 && zmq_errno() == EINTR) {
        }
    }

    void* d_context;
};

class zmq_sink final : public byte_sink
{
public:
    zmq_sink(const std::string& endpoint, std::size_t item_bytes, bool waits)
        : d_endpoint(endpoint),
          d_most(message_bytes / item_bytes * item_bytes),
          d_waits(waits),
          d_context(zmq_context::shared()),
          d_socket(zmq_socket(d_context->get(), ZMQ_PUB), close_socket)
    {
        if (!d_socket)
            fail("cannot be used");
        set(ZMQ_LINGER, 0);
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
    //! Closes the socket. The last one of a run waits for the messages of all.
    void finish() override
    {
        set(ZMQ_LINGER, d_waits ? -1 : static_cast<int>(linger_seconds * 1000));
        d_socket.reset();
        const auto context = std::move(d_context);
        if (d_waits && context.use_count() == 1 && !context->end() && !context->told)
            throw std::runtime_error(
                "not all messages of --zmq were sent: a subscriber does not read");
    }
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
            if (stop_signal::seconds() > linger_seconds) {
                d_context->told = true;
                throw std::runtime_error("'" + d_endpoint +
                                         "' of --zmq cannot be written to: a subscriber "
                                         "does not read");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        d_written += count;
    }

    std::string d_endpoint;
    std::size_t d_most; // bytes of a message
    bool d_waits;
    std::shared_ptr<zmq_context> d_context;
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
