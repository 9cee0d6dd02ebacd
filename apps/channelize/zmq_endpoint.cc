// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fills names and numbers into an address, and refuses one that would remove a file.

#include "channelize/zmq_endpoint.h"

#include <cldsp/errors.h>

#include <sys/stat.h>
#include <stdexcept>
#include <string>

namespace cldsp::app {

namespace {

constexpr unsigned long max_port = 65535;

bool begins_with(const std::string& text, const std::string& beginning)
{
    return text.compare(0, beginning.size(), beginning) == 0;
}

//! The text with every \p word replaced.
std::string
replaced(const std::string& text, const std::string& word, const std::string& by)
{
    std::string all;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(word, from)) != std::string::npos;
         from = at + word.size())
        all += text.substr(from, at - from) + by;
    return all + text.substr(from);
}

//! The port at the end, or 0.
unsigned long port_of(const std::string& endpoint)
{
    const auto colon = endpoint.rfind(':');
    const std::string port = endpoint.substr(colon + 1);
    if (port.empty() || port.size() > 5 ||
        port.find_first_not_of("0123456789") != std::string::npos)
        return 0;
    return std::stoul(port);
}

//! ZeroMQ removes what has the name of its socket, which should be an old socket.
void refuse_file(const std::string& name)
{
    struct stat about = {};
    if (name[0] != '@' && ::lstat(name.c_str(), &about) == 0 && !S_ISSOCK(about.st_mode))
        throw std::runtime_error("'" + name + "' exists already, and is no socket");
}

} // namespace

std::string zmq_endpoint(const std::string& text,
                         const std::string& name,
                         std::size_t index,
                         std::size_t count)
{
    const std::string tcp = "tcp://", ipc = "ipc://";
    const std::string own =
        replaced(replaced(text, "{index}", std::to_string(index)), "{name}", name);
    const bool has_place = own != text;
    if (begins_with(text, ipc) && text.size() > ipc.size()) {
        if (count > 1 && !has_place)
            throw_invalid("--zmq",
                          "'" + text + "'",
                          "with {name} or {index} in it, because there are " +
                              std::to_string(count) + " channels");
        refuse_file(own.substr(ipc.size()));
        return own;
    }
    const auto port = port_of(own);
    if (!begins_with(text, tcp) || own.rfind(':') <= tcp.size() || port < 1 ||
        port > max_port)
        throw_invalid("--zmq",
                      "'" + text + "'",
                      "tcp://ADDRESS:PORT with a port of 1 to 65535, such as "
                      "tcp://*:5555, or ipc://PATH");
    if (has_place)
        return own;
    if (port + index > max_port)
        throw_invalid("--zmq",
                      "'" + text + "'",
                      "a port from which on there is one for each channel");
    return own.substr(0, own.rfind(':') + 1) + std::to_string(port + index);
}

} // namespace cldsp::app
