/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/rtp.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cldsp::app {

/*!
 * Where the bytes of one channel go: a file, the standard output, a command or a socket.
 * Calls bring whole samples.
 */
class byte_sink
{
public:
    virtual ~byte_sink() = default;
    //! \throws std::runtime_error that names the sink, if it can take no more
    virtual void write(const unsigned char* bytes, std::size_t count) = 0;
    //! Says that nothing follows, so that the other side can come to its end meanwhile.
    virtual void close() {}
    //! Completes what was written; nothing may follow. Also after a failure of write(),
    //! after which a file has whole samples. \throws std::runtime_error as write() does
    virtual void finish() = 0;
    //! Undoes the opening, before anything was written.
    virtual void discard() {}
    //! The bytes that have arrived, or were given to the system.
    virtual std::uint64_t written() const = 0;
    //! What went wrong without ending the sink, in one line; or empty.
    virtual std::string problem() const { return ""; }
    //! Whether it takes nothing any more.
    virtual bool is_given_up() const { return false; }
    //! The name of the file, the address or the command.
    virtual std::string target() const = 0;
};

//! The head of a file after so many bytes of samples; always equally long.
using file_head = std::function<std::string(std::uint64_t bytes)>;

struct file_wish {
    std::string name;
    std::size_t item_bytes = 1;
    bool overwrite = false;
    file_head head;        //!< empty: the file has only samples
    //! Of a second file, which is written at once, and again with the first sample if its
    //! text is another one then; empty: there is none.
    std::string meta_name;
    std::function<std::string()> meta_text;
};
//! A file of samples. \throws std::runtime_error if it exists or cannot be made
std::unique_ptr<byte_sink> make_file_sink(const file_wish& wish);

//! The standard output. \param head comes before the samples
std::unique_ptr<byte_sink> make_output_sink(const std::string& head);

/*!
 * The standard input of a command, which the shell runs. When it ends it is started
 * again, with the next sample; unless it has ended too soon too often. What a command
 * leaves in its pipe is lost.
 *
 * \param head comes before the samples, each time that the command is started
 * \param bytes_per_second of the samples
 */
std::unique_ptr<byte_sink> make_command_sink(const std::string& command,
                                             const std::string& channel,
                                             const std::string& head,
                                             std::size_t item_bytes,
                                             double bytes_per_second);

//! A host and a port, such as "localhost:5000" or "[::1]:5000".
struct udp_address {
    std::string host;
    unsigned port = 0;
    //! \throws std::invalid_argument
    static udp_address of(const std::string& text, const std::string& parameter);
};
/*!
 * Datagrams of whole samples. Nobody has to receive them.
 *
 * \param rtp for samples of 16-bit integers: each datagram begins with a head of RTP, and
 * has the integers in the order of the network
 * \throws std::runtime_error if the host is unknown
 */
std::unique_ptr<byte_sink> make_udp_sink(const udp_address& to,
                                         std::size_t item_bytes,
                                         const std::optional<rtp_stream>& rtp);

/*!
 * A socket of ZeroMQ from which subscribers get whole samples, in messages of 16 KiB at
 * most. Those that come later get what follows.
 *
 * \param waits whether the slowest subscriber is waited for; else it loses messages
 * \throws std::runtime_error if the address cannot be taken, and if the program was built
 * without ZeroMQ
 */
std::unique_ptr<byte_sink>
make_zmq_sink(const std::string& endpoint, std::size_t item_bytes, bool waits);

} // namespace cldsp::app
