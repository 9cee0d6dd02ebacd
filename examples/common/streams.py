#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Streams of raw samples: their formats, the bank for each, and files of them."""

from collections import namedtuple

import numpy as np
from gnuradio import blocks, cldsp, gr

from . import ExampleError

# item: bytes per sample. parts: how many numbers a sample is stored in. part: NumPy's type of those
# numbers. If there are two parts, a number stands for (number - zero) / one; the three bytes of
# cs12 hold two such numbers of 12 bits. bank and filter: the blocks with real taps that take this
# format.
Format = namedtuple("Format", "item parts part zero one bank filter")
FORMATS = {
    "cu8": Format(2, 2, np.uint8, 127.5, 127.5, cldsp.freq_xlating_filter_bank_cu8_f,
                  cldsp.freq_xlating_fir_filter_cu8_f),
    "cs8": Format(2, 2, np.int8, 0.0, 128.0, cldsp.freq_xlating_filter_bank_cs8_f,
                  cldsp.freq_xlating_fir_filter_cs8_f),
    "cs12": Format(3, 3, np.uint8, 0.0, 2048.0, cldsp.freq_xlating_filter_bank_cs12_f,
                   cldsp.freq_xlating_fir_filter_cs12_f),
    "cs16": Format(4, 2, np.int16, 0.0, 32768.0, cldsp.freq_xlating_filter_bank_cs16_f,
                   cldsp.freq_xlating_fir_filter_cs16_f),
    "cf32": Format(8, 2, np.float32, 0.0, 1.0, cldsp.freq_xlating_filter_bank_ccf,
                   cldsp.freq_xlating_fir_filter_ccf),
}


def _unpacked(items):
    """Rows of I and Q from rows of the three bytes of packed pairs."""
    first, middle, last = (items[..., k].astype(np.int16) for k in range(3))
    bits = np.stack([first | (middle & 15) << 8, middle >> 4 | last << 4], axis=-1)
    return (bits ^ 0x800) - 0x800


def to_complex(parts, sample_format):
    """Complex samples from rows of the numbers that an item is stored in."""
    form = FORMATS[sample_format]
    if form.parts == 3:
        parts = _unpacked(parts)
    scaled = (parts.astype(np.float32) - np.float32(form.zero)) / np.float32(form.one)
    return np.ascontiguousarray(scaled).view(np.complex64)[..., 0]


def format_of(path):
    """The sample format that a file's name ends in."""
    name = path.suffix.lstrip(".").lower()
    if name not in FORMATS:
        raise ExampleError(f"--input {path}: the name must end in .{', .'.join(FORMATS)}")
    return name


def file_source(path, sample_format, repeat=False):
    """A block that reads a file of raw samples, and the number of samples in it."""
    item = FORMATS[sample_format].item
    try:
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as error:
        raise ExampleError(f"--input {path}: {error.strerror}") from error
    if size < item:
        raise ExampleError(f"--input {path}: the file holds no sample")
    if size % item:
        raise ExampleError(f"--input {path}: {size} bytes are no whole number of {item}-byte "
                           "samples")
    return blocks.file_source(item, str(path), repeat), size // item


class Chain(gr.hier_block2):
    """A source and the blocks behind it, as one source."""

    def __init__(self, name, item, steps):
        super().__init__(name, gr.io_signature(0, 0, 0), gr.io_signature(1, 1, item))
        self.connect(*steps, self)
