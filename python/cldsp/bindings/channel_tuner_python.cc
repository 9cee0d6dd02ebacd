// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the block that tunes a channel of a bank.

#include "whole_number.h"
#include "without_gil.h"
#include <gnuradio/cldsp/channel_tuner.h>
#include <pybind11/pybind11.h>
#include <memory>

namespace py = pybind11;

void bind_channel_tuner(py::module& m)
{
    using block = gr::cldsp::channel_tuner;

    py::class_<block, gr::block, gr::basic_block, std::shared_ptr<block>>(
        m,
        "channel_tuner",
        R"(Connects what tunes a frequency-xlating filter to a channel of a filter bank.

Message port freq (input): a pair (any key . frequency in Hz) or a dict with the key freq, as
the filters take them; other messages are dropped. Message port freq (output): the pair
(channel . frequency in Hz), for the port freq of a bank.)")
        .def(py::init([](const whole_number& channel) {
                 const int index = channel.as<int>("channel", 0, 65535);
                 return without_gil([&] { return block::make(index); });
             }),
             py::arg("channel"),
             R"(
Args:
    channel: the channel of the bank, 0 to 65535

Raises:
    ValueError: naming the parameter, its value and the range)")
        .def("channel", &block::channel, "The channel of the bank.");
}
