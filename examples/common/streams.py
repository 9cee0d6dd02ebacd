# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Streams of raw samples: their formats, the bank for each, and files of them."""

from collections import namedtuple

import numpy as np
from gnuradio import blocks, cldsp, gr

from . import ExampleError

# item: bytes per sample. parts: how many numbers a sample is stored in. part: NumPy's type of those
# numbers. Where bits is 0, a number v stands for (v - zero) / one. Otherwise the parts are bytes of
# a little-endian integer, whose low bits are I and whose high bits are Q. bank and filter: the blocks
# with real taps that take this format.
Format = namedtuple("Format", "item parts part bits zero one bank filter")


def _format(row):
    """The format of a row of cldsp.sample_types()."""
    kinds = {"float": "f", "signed": "i", "unsigned": "u"}
    part = np.dtype(np.uint8 if row["packed"] else f"{kinds[row['number']]}{row['bits'] // 8}")
    bits = row["bits"] if row["packed"] else 0
    blocks_of_type = (getattr(cldsp, f"freq_xlating_{kind}_{row['letters']}f")
                      for kind in ("filter_bank", "fir_filter"))
    return Format(row["item_size"], row["item_size"] // part.itemsize, part.type, bits, row["zero"],
                  row["one"], *blocks_of_type)


FORMATS = {"cf32" if row["name"] == "fc32" else row["name"]: _format(row)
           for row in cldsp.sample_types() if row["complex"]}


def _unpacked(parts, bits):
    """Rows of I and Q from rows of the bytes of packed pairs."""
    words = sum(parts[:, k].astype(np.int32) << 8 * k for k in range(parts.shape[1]))
    sign = 1 << (bits - 1)
    halves = np.stack([words, words >> bits], axis=-1) & (2 * sign - 1)
    return (halves ^ sign) - sign


def to_complex(parts, sample_format):
    """Complex samples from rows of the numbers that an item is stored in."""
    form = FORMATS[sample_format]
    parts = parts.reshape(-1, form.parts)
    if form.bits:
        parts = _unpacked(parts, form.bits)
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
        self.steps = steps  # blocks in Python, which GNU Radio does not keep
        self.connect(*steps, self)
