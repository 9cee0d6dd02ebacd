# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The addresses and topics that the server and its workers use over ZeroMQ."""

import re

from common import ExampleError

DEFAULT_PORT = 5600
LARGEST_PORT = 65535


def key(channel):
    """The topic that a channel's samples are published under."""
    return f"channel-{channel:04d}"


def port(base, channel):
    """The port of a channel; the base port takes messages that tune."""
    return base + 1 + channel


def parse_address(text):
    """Host and base port of tcp://HOST:PORT."""
    match = re.fullmatch(r"tcp://([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})", text)
    if not match or not 1 <= int(match[2]) <= LARGEST_PORT:
        raise ExampleError(f"--connect {text}: expected tcp://HOST:PORT, for example "
                           f"tcp://192.168.1.5:{DEFAULT_PORT}")
    return match[1], int(match[2])
