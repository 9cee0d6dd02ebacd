// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Where the bytes of a channel go: a file, a command, a socket or the standard output.

#pragma once

#include "channelize/command_template.h"
#include "channelize/rtp.h"
#include "channelize/run_files.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

/*!
 * The destination of one channel's bytes: a file, the standard output, a command or a
 * socket. Each call of write() brings whole samples.
 */
class byte_sink
{
public:
    virtual ~byte_sink() = default;
    //! \throws std::runtime_error that names the sink, if it can take no more
    virtual void write(const unsigned char* bytes, std::size_t count) = 0;
    //! Announces the end of the bytes, so that the reader can already finish its work
    //! while other sinks are closed.
    virtual void close() {}
    //! Completes the output; no bytes may follow. It may also be called after write() has
    //! failed, and a file then ends with a whole sample. \throws std::runtime_error as
    //! write() does
    virtual void finish() = 0;
    //! Replaces what an existing file holds; called once, when all sinks are open and the
    //! run begins. Until then a file keeps its contents. \throws std::runtime_error as
    //! write() does
    virtual void begin() {}
    //! Undoes the opening; only allowed before the first write(). Only files that the
    //! opening has made are removed.
    virtual void discard() {}
    //! The number of bytes that the receiver or the operating system has accepted.
    virtual std::uint64_t written() const = 0;
    //! A failure that did not end the run, described in one line; empty if there was
    //! none.
    virtual std::string problem() const { return ""; }
    //! Whether the sink drops all further bytes, because it has failed too often.
    virtual bool is_given_up() const { return false; }
    //! The name of the file, the address or the command.
    virtual std::string target() const = 0;
};

//! Makes the head of a file that has \p bytes bytes of samples. Its length never changes.
using file_head = std::function<std::string(std::uint64_t bytes)>;

struct file_wish {
    std::string name;
    std::size_t item_bytes = 1;
    bool overwrite = false;
    //! Whether a symbolic link may be followed, because the user has named it.
    bool follow = false;
    file_head head; //!< empty: the file has only samples
    //! The name of a second file for metadata; empty: there is none. The file is written
    //! by begin(), and again with the first sample if meta_state() then gives another
    //! text. The state is short and tells all that may change in the text, which itself
    //! may be long.
    std::string meta_name;
    std::function<std::string()> meta_text, meta_state;
};
//! A file of samples. \param others the files of the run, to which it is added
//! \throws std::runtime_error if it exists, cannot be made, or is one of the others
std::unique_ptr<byte_sink> make_file_sink(const file_wish& wish, run_files& others);
//! \throws std::runtime_error if a file of \p wish exists that may not be replaced
void refuse_existing(const file_wish& wish);

//! The standard output. \param head bytes that precede the samples
//! \param others the files of the run, to which it is added
//! \throws std::runtime_error if it is one of the others
std::unique_ptr<byte_sink> make_output_sink(const std::string& head, run_files& others);

//! What a shell runs.
struct shell_command {
    std::string text;
    std::vector<command_variable> variables; //!< beside those of this process
};

//! Whether the shell finds a program, or has a command, of this name.
bool is_known_to_shell(const std::string& word);

/*!
 * The standard input of a command, which the shell runs. A command that ends is started
 * again with the next sample, unless it has failed several times in succession. Bytes
 * that a command has not read from its pipe are lost.
 *
 * \param head bytes that precede the samples each time the command is started
 * \param bytes_per_second the rate of the samples
 */
std::unique_ptr<byte_sink> make_command_sink(const shell_command& command,
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
 * Sends UDP datagrams of whole samples, whether or not a receiver listens.
 *
 * \param rtp for samples of 16-bit integers: each datagram then begins with an RTP head,
 * and its integers are in network byte order
 * \throws std::runtime_error if the host is unknown
 */
std::unique_ptr<byte_sink> make_udp_sink(const udp_address& to,
                                         std::size_t item_bytes,
                                         const std::optional<rtp_stream>& rtp);

/*!
 * A ZeroMQ socket that publishes whole samples in messages of at most 16 KiB. A
 * subscriber that connects later gets the samples from then on.
 *
 * \param waits true: write() and the last socket's finish() wait for the slowest
 * subscriber, after a signal for two seconds; false: a slow subscriber loses messages
 * \throws std::runtime_error if the address is not available, or if the program was built
 * without ZeroMQ
 */
std::unique_ptr<byte_sink>
make_zmq_sink(const std::string& endpoint, std::size_t item_bytes, bool waits);

} // namespace cldsp::app
