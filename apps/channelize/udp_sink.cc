// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Sends the samples of a channel as datagrams, with or without RTP's head.

#include "channelize/byte_sink.h"
#include "channelize/file_descriptor.h"

#include <cldsp/errors.h>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace cldsp::app {

namespace {

// The payload of UDP over IPv4 in an Ethernet frame of 1500 bytes.
constexpr std::size_t max_payload = 1472;
constexpr unsigned max_udp_port = 65535;

class udp_sink final : public byte_sink
{
public:
    udp_sink(const udp_address& to,
             std::size_t item_bytes,
             const std::optional<rtp_stream>& rtp)
        : d_target((rtp ? "rtp://" : "udp://") + to.host + ":" + std::to_string(to.port)),
          d_item_bytes(item_bytes),
          d_size((max_payload - (rtp ? rtp_head_bytes : 0)) / item_bytes * item_bytes),
          d_rtp(rtp)
    {
        if (rtp) { // RFC 3550 wants the first numbers to be random
            std::random_device random;
            d_number = static_cast<std::uint16_t>(random());
            d_time = random();
        }
        addrinfo wish = {};
        wish.ai_socktype = SOCK_DGRAM;
        addrinfo* found = nullptr;
        const int error =
            getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &wish, &found);
        if (error)
            throw std::runtime_error("the host '" + to.host +
                                     "' of --udp is unknown: " + gai_strerror(error));
        const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found,
                                                                       freeaddrinfo);
        d_socket = file_descriptor(socket(
            found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol));
        if (!d_socket || connect(d_socket.get(), found->ai_addr, found->ai_addrlen) != 0)
            fail(errno);
    }

    void write(const unsigned char* bytes, std::size_t count) override
    {
        d_waiting.insert(d_waiting.end(), bytes, bytes + count);
        std::size_t sent = 0;
        for (; d_waiting.size() - sent >= d_size; sent += d_size)
            send_samples(d_waiting.data() + sent, d_size);
        d_waiting.erase(d_waiting.begin(),
                        d_waiting.begin() + static_cast<std::ptrdiff_t>(sent));
    }
    void finish() override
    {
        if (d_socket && !d_waiting.empty())
            send_samples(d_waiting.data(), d_waiting.size());
        d_waiting.clear();
        d_socket.reset();
    }
    std::uint64_t written() const override { return d_written; }
    std::string target() const override { return d_target; }

private:
    [[noreturn]] void fail(int error)
    {
        throw std::runtime_error("'" + target() + "' cannot be sent to: " +
                                 std::generic_category().message(error));
    }
    void send_samples(const unsigned char* bytes, std::size_t count)
    {
        if (d_rtp) {
            const auto head = rtp_head(*d_rtp, d_number++, d_time, d_written == 0);
            d_time += static_cast<std::uint32_t>(count / d_item_bytes);
            d_datagram.assign(head.begin(), head.end());
            for (std::size_t i = 0; i + 1 < count; i += 2) {
                std::uint16_t number = 0;
                std::memcpy(&number, bytes + i, sizeof number);
                d_datagram.push_back(static_cast<unsigned char>(number >> 8));
                d_datagram.push_back(static_cast<unsigned char>(number & 0xff));
            }
            send_one(d_datagram.data(), d_datagram.size());
        } else {
            send_one(bytes, count);
        }
        d_written += count;
    }
    void send_one(const unsigned char* bytes, std::size_t count)
    {
        while (send(d_socket.get(), bytes, count, 0) < 0) {
            // ECONNREFUSED reports that an earlier datagram found no receiver.
            if (errno == EINTR || errno == ECONNREFUSED)
                continue;
            if (errno != ENOBUFS && errno != EAGAIN)
                fail(errno);
            pollfd file = { d_socket.get(), POLLOUT, 0 };
            poll(&file, 1, 1);
        }
    }

    std::string d_target;
    std::size_t d_item_bytes;
    std::size_t d_size; // bytes of the samples in a full datagram
    std::optional<rtp_stream> d_rtp;
    std::uint16_t d_number = 0;            // of the next datagram
    std::uint32_t d_time = 0;              // of its first sample, in samples
    std::vector<unsigned char> d_datagram; // of RTP
    file_descriptor d_socket;
    std::vector<unsigned char> d_waiting; // bytes that fill no datagram yet
    std::uint64_t d_written = 0;
};

} // namespace

udp_address udp_address::of(const std::string& text, const std::string& parameter)
{
    const auto colon = text.rfind(':');
    udp_address found;
    std::string port;
    if (colon != std::string::npos) {
        found.host = text.substr(0, colon);
        port = text.substr(colon + 1);
        if (found.host.size() > 2 && found.host.front() == '[' &&
            found.host.back() == ']')
            found.host = found.host.substr(1, found.host.size() - 2);
    }
    const bool digits = !port.empty() && port.size() <= 5 &&
                        port.find_first_not_of("0123456789") == std::string::npos;
    found.port = digits ? static_cast<unsigned>(std::stoul(port)) : 0;
    if (found.host.empty() || found.port < 1 || found.port > max_udp_port)
        throw_invalid(parameter,
                      "'" + text + "'",
                      "HOST:PORT with a port of 1 to " + std::to_string(max_udp_port));
    return found;
}

std::unique_ptr<byte_sink> make_udp_sink(const udp_address& to,
                                         std::size_t item_bytes,
                                         const std::optional<rtp_stream>& rtp)
{
    return std::make_unique<udp_sink>(to, item_bytes, rtp);
}

} // namespace cldsp::app
