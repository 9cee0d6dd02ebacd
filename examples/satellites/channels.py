# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Channels, and their positions in a wideband file."""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional

from common import ExampleError

SAMPLE_RATE = 2016000  # sample rate of the wideband stream: 42 times the rate of a channel
AUDIO_RATE = 48000  # sample rate of each demodulated channel
DEVIATION = 6000.0  # Hz, for a full-scale audio sample
CHANNEL_SPACING = 50000.0  # Hz, the smallest distance that keeps neighbours apart
BAUDS = (1200, 9600)


@dataclass
class Channel:
    """One narrow-band FM signal in the wide stream."""

    name: str
    offset: int  # Hz from the centre of the wide stream
    baud: int
    expected: Optional[int] = None  # number of frames; None if it is not known
    source: Optional[Path] = None  # the audio file that the signal was made from


@dataclass
class Result:
    """The result of one channel."""

    channel: Channel
    decoded: int
    heard: List[str] = field(default_factory=list)  # "SOURCE>DESTINATION" of its frames

    @property
    def missing(self):
        return max(0, (self.channel.expected or 0) - self.decoded)


@dataclass
class Work:
    """The device and plan of the filter bank, and the time it took."""

    device: str
    plan: str  # one line: algorithm, kernel, rates, fastest alternative
    fell_back: bool  # the device failed during the run, and the host continued
    signal_s: float  # seconds of signal
    elapsed_s: float
    processor_s: float  # processor time of all threads of the process
    bank_s: float  # time in the calls of the bank alone

    @property
    def speed(self):
        """How many times faster than real time one processor core runs the whole flowgraph."""
        return self.signal_s / self.processor_s if self.processor_s else 0.0


def place(count, sample_rate=SAMPLE_RATE):
    """
    Offsets in Hz for count channels. They are spread unevenly over the middle 86 % of the band, and
    coprime to the sampling rate, so that the period of every oscillator is a full second.
    """
    span = 0.86 * sample_rate
    slot = span / count
    if slot < CHANNEL_SPACING:
        raise ExampleError(
            f"{count} channels do not fit into {sample_rate / 1e6:g} MHz; "
            f"at most {int(span // CHANNEL_SPACING)} do"
        )
    room = min(0.16, 0.5 * (slot - CHANNEL_SPACING) / slot)
    golden = (math.sqrt(5) - 1) / 2
    offsets = []
    for k in range(count):
        shift = room * (2 * ((k + 1) * golden % 1) - 1)
        offset = round(-span / 2 + slot * (k + 0.5 + shift))
        while math.gcd(offset, sample_rate) != 1:
            offset += 1
        offsets.append(offset)
    return offsets


def parse_channel(text, sample_rate):
    """A channel from OFFSET_HZ:BAUD[:NAME], as the command line gives it."""
    parts = text.split(":", 2)
    form = f"--channel {text}: expected OFFSET_HZ:BAUD[:NAME], for example -312500:9600:beacon"
    if len(parts) < 2:
        raise ExampleError(form)
    try:
        offset, baud = round(float(parts[0])), int(parts[1])
    except (ValueError, OverflowError):
        raise ExampleError(form) from None
    if baud not in BAUDS:
        raise ExampleError(f"--channel {text}: {baud} baud is not one of {BAUDS}")
    limit = sample_rate // 2 - AUDIO_RATE // 2
    if abs(offset) > limit:
        raise ExampleError(
            f"--channel {text}: the offset must be within +-{limit} Hz "
            f"at a sampling rate of {sample_rate} Hz"
        )
    name = parts[2] if len(parts) == 3 else f"{offset / 1000:+.1f} kHz"
    if not re.fullmatch(r"[\w .+-]+", name):
        raise ExampleError(f"--channel {text}: a name is made of letters, digits, space and _.+-")
    return Channel(name, offset, baud)
