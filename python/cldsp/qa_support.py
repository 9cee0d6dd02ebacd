# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of the blocks: signals, flowgraphs and the double-precision model."""

import contextlib
import functools
import os

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr

IN_TREE_TYPES = ("ccc", "ccf", "fcc", "fcf", "scc", "scf")
REAL_BYTE_TYPES = ("bcc", "bcf")
# The types of IQ pairs of integers, by their names.
PAIRS = {row["name"]: row for row in cldsp.sample_types() if row["letters"].endswith("_")}
IQ_TYPES = tuple(row["letters"] + taps for row in PAIRS.values() for taps in "cf")
# (offset, scale) of the IQ types: value = (v - offset) / scale
IQ_SCALES = {kind: (row["zero"], row["one"]) for kind, row in PAIRS.items()}


def item_of(row):
    """An item of an IQ type: NumPy's type of its numbers, and how many there are. Those of a
    packed type are bytes."""
    number = {"signed": "int", "unsigned": "uint"}[row["number"]]
    dtype = np.dtype("uint8" if row["packed"] else f"{number}{row['bits']}")
    return dtype.type, row["item_size"] // dtype.itemsize


IQ_ITEMS = {kind: item_of(row) for kind, row in PAIRS.items()}
FILTER_TYPES = IN_TREE_TYPES + REAL_BYTE_TYPES + IQ_TYPES

# Whether blocks begin on the host, and change over to what their constructors ask for.
HOST_FIRST = os.environ.get("GR_CONF_CLDSP_PLAN") == "auto"

ALGORITHMS = ("direct", "fast_convolution", "auto")
# Seconds after which a part of a test counts as hung. scripts/test-debian gives emulated
# processors more.
PATIENCE_S = float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200)) / 4


@functools.lru_cache(maxsize=None)
def opencl_device(algorithm="direct"):
    """The device that tests run on: OpenCL's CPU device if it has the algorithm, otherwise the
    host."""
    if "cpu" not in [d["kind"] for d in cldsp.devices()]:
        return "host"
    if algorithm == "fast_convolution":
        try:
            cldsp.freq_xlating_fir_filter_ccf(1, [1.0], 0, 1, device="cpu", algorithm=algorithm)
        except ValueError:
            return "host"
    return "cpu"


def ways(host=ALGORITHMS, device=ALGORITHMS):
    """These algorithms on the host, and those on the OpenCL device, as options of a block."""
    places = [(a, "host") for a in host]
    places += [(a, opencl_device(a)) for a in device if opencl_device(a) != "host"]
    return [dict(algorithm=algorithm, device=place) for algorithm, place in places]


def make_block(suffix, *args, may_use_host=False, kind="fir", **kwargs):
    """Makes a block by its suffix, which computes directly unless the test names an algorithm or a
    variant; if a device is asked for, checks that the block uses it."""
    if "volk" not in suffix and "variant" not in kwargs:
        kwargs = dict(dict(algorithm="direct", accuracy=0), **kwargs)
    block = getattr(cldsp, f"freq_xlating_{kind}_filter_{suffix}")(*args, **kwargs)
    if kwargs.get("device") == "cpu" and not (may_use_host or HOST_FIRST):
        assert block.device_name() != "host", "the OpenCL device was left for the host"
    return block


BANK_TYPES = FILTER_TYPES


def make_bank(suffix, *args, may_use_host=False, **kwargs):
    """Makes a bank by its suffix; if a device is asked for, checks that the bank uses it."""
    bank = getattr(cldsp, "freq_xlating_filter_bank_" + suffix)(*args, **kwargs)
    if kwargs.get("device") == "cpu" and not (may_use_host or HOST_FIRST):
        assert bank.device_name() != "host", "the OpenCL device was left for the host"
    return bank


def random_taps(rng, suffix, count):
    """Taps of the magnitude of a low-pass filter's taps: their sum of magnitudes is about one."""
    taps = rng.standard_normal(count)
    if suffix[-1] == "c":
        taps = taps + 1j * rng.standard_normal(count)
    return list((taps / np.sum(np.abs(taps))).astype(
        np.complex64 if suffix[-1] == "c" else np.float32))


def random_items(rng, suffix, count):
    """White noise at the full range of the block's input type, one row per item."""
    suffix = suffix.replace("volk_", "")
    kind = suffix.split("_")[0]
    if kind in IQ_ITEMS:
        dtype, numbers = IQ_ITEMS[kind]
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max + 1, (count, numbers), dtype=dtype)
    if suffix[0] == "b":
        return rng.integers(-128, 128, count, dtype=np.int8)
    if suffix[0] == "s":
        return rng.integers(-32768, 32768, count, dtype=np.int16)
    if suffix[0] == "f":
        return rng.uniform(-1, 1, count).astype(np.float32)
    return (rng.uniform(-1, 1, count) + 1j * rng.uniform(-1, 1, count)).astype(np.complex64)


def iq_items(kind, pairs):
    """Items of an IQ type from rows of I and Q."""
    pairs = np.asarray(pairs)
    row = PAIRS[kind]
    if not row["packed"]:
        return pairs.astype(IQ_ITEMS[kind][0])
    numbers = pairs & (1 << row["bits"]) - 1
    words = numbers[:, 0] | numbers[:, 1] << row["bits"]
    return np.stack([words >> 8 * k & 255 for k in range(row["item_size"])],
                    axis=-1).astype(np.uint8)


def iq_pairs(kind, items):
    """Rows of I and Q from the items of an IQ type."""
    row = PAIRS[kind]
    if not row["packed"]:
        return items
    words = sum(items[:, k].astype(int) << 8 * k for k in range(row["item_size"]))
    sign = 1 << (row["bits"] - 1)
    return (np.stack([words, words >> row["bits"]], axis=-1) & (2 * sign - 1) ^ sign) - sign


def item_values(suffix, items):
    """The items in double precision, scaled as the block scales them."""
    kind = suffix.split("_")[0]
    if kind in IQ_SCALES:
        offset, scale = IQ_SCALES[kind]
        values = (iq_pairs(kind, items).astype(float) - offset) / scale
        return values[:, 0] + 1j * values[:, 1]
    return items.astype(complex)


# Two changes that lie this many items apart are applied one after the other, because the stream
# buffer between source and block holds far fewer items.
APART = 80000
# The same for complex items before a block with a sampling rate of 48 kHz at most, and a past of
# no more than the 8191 items that every filter has: the buffer holds 18944 of them, or 24576
# where memory has pages of 64 KiB.
NEAR = 26000


def apart(suffix):
    """The distance of two changes for items of a type, at 48 kHz at most."""
    return NEAR if suffix in ("ccc", "ccf") else APART


class array_source(gr.sync_block):
    """Items of an array, in calls of sizes that the test chooses.

    actions is a list of (item position, callable): each is called before that item is given.
    tags is a list of tags, in the order of their offsets; see tag_at(). The caller has to keep the
    source: a flowgraph does not hold the Python side of its blocks.
    """

    def __init__(self, items, chunks=None, actions=(), tags=()):
        items = np.ascontiguousarray(items)
        signature = (items.dtype, items.shape[1:]) if items.ndim > 1 else items.dtype
        gr.sync_block.__init__(self, "array_source", [], [signature])
        self.items = items
        self.position = 0
        self.chunks = chunks
        self.actions = actions
        self.tags = tags

    def start(self):
        self.position = 0
        self.tags_given = 0
        self.pending = list(self.actions)
        return True

    def work(self, input_items, output_items):
        left = len(self.items) - self.position
        if left == 0:
            return -1
        if self.pending and self.pending[0][0] == self.position:
            self.pending.pop(0)[1]()
        if self.pending:
            left = min(left, self.pending[0][0] - self.position)
        count = min(left, len(output_items[0]))
        if self.chunks is not None:
            count = min(count, next(self.chunks))
        output_items[0][:count] = self.items[self.position:self.position + count]
        self.position += count
        while (self.tags_given < len(self.tags)
               and self.tags[self.tags_given].offset < self.position):
            tag = self.tags[self.tags_given]
            self.add_item_tag(0, tag.offset, tag.key, tag.value)
            self.tags_given += 1
        return count


def tag_at(offset, value, key="freq"):
    tag = gr.tag_t()
    tag.offset, tag.key, tag.value = offset, pmt.intern(key), value
    return tag


def connect_sinks(tb, source, block, outputs):
    """Connects a block to a source, and a sink to each of its outputs. Returns the sinks."""
    sinks = [blocks.vector_sink_c() for _ in range(outputs)]
    tb.connect(source, block)
    for output, sink in enumerate(sinks):
        tb.connect((block, output), sink)
    return sinks


def run_block(block, items, chunks=None, max_noutput=100000, actions=()):
    """Runs a block over items. Returns its outputs as an array, and the tags at its output."""
    tb = gr.top_block()
    source = array_source(items, chunks, actions)
    sink = blocks.vector_sink_c()
    tb.connect(source, block, sink)
    tb.run(max_noutput)
    return np.array(sink.data()), sink.tags()


def run_bank(bank, items, chunks=None, max_noutput=100000, actions=(), tags=(), outputs=None):
    """Runs a bank over items, with all or only the first outputs connected. Returns outputs and
    tags, each a list with one entry per output."""
    tb = gr.top_block()
    source = array_source(items, chunks, actions, tags)
    sinks = connect_sinks(tb, source, bank, outputs or bank.channels())
    tb.run(max_noutput)
    return [np.array(sink.data()) for sink in sinks], [sink.tags() for sink in sinks]


def messages_with_none():
    """Messages with Python's None in them, which becomes a null pointer. Later versions of
    pybind11 refuse to make them; the list is then empty."""
    key = pmt.intern("freq")
    messages = []
    for make in (lambda: pmt.cons(key, None), lambda: pmt.cons(None, pmt.from_double(1)),
                 lambda: pmt.cons(None, None), lambda: pmt.dict_add(pmt.make_dict(), key, None),
                 lambda: pmt.make_vector(2, None), lambda: pmt.make_tuple(pmt.cons(key, None))):
        with contextlib.suppress(TypeError):
            messages.append(make())
    return messages


def post(block, message, port="freq"):
    """Sends a message to a block."""
    block.to_basic_block()._post(pmt.intern(port), message)


def freq_tags(tags):
    """Offsets and frequencies of the tags with which blocks mark changes."""
    return [(t.offset, pmt.to_double(t.value)) for t in tags
            if pmt.symbol_to_string(t.key) == "freq"]


class change:
    """The taps and the centre frequency from a given output on."""

    def __init__(self, offset, taps, center_freq):
        self.offset, self.taps, self.center_freq = offset, taps, center_freq


def filtered(x, taps, step):
    """Every step-th value of np.convolve(x, taps, "valid"). Unless there are few products, the
    others are not computed."""
    if step * len(taps) < 1000:
        return np.convolve(x, taps, "valid")[::step]
    windows = np.lib.stride_tricks.sliding_window_view(x, len(taps))[::step]
    backwards = np.ascontiguousarray(taps[::-1])
    return np.array([window @ backwards for window in windows])


def reference(values, decimation, taps, center_freq, sampling_freq, changes=(),
              phase="group_delay"):
    """The double-precision model: y[n] = exp(j p[n]) sum_k h[k] exp(j w k) x[n D - k].

    The phase p steps by -w D per output. It starts at -w (N - 1) / 2, and at a change it moves
    by -(w_new - w_old) (N - 1) / 2; N is the number of taps after the change. With the phase
    of the "input" it starts at 0 and does not move.
    """
    outputs = len(values) // decimation
    y = np.empty(outputs, complex)
    turns = 0.0
    frequency = 0.0
    steps = [change(0, taps, center_freq)] + list(changes)
    for i, step in enumerate(steps):
        end = steps[i + 1].offset if i + 1 < len(steps) else outputs
        h = np.asarray(step.taps).astype(np.complex64).astype(complex)
        f = step.center_freq / sampling_freq
        if phase == "group_delay":
            turns -= (f - frequency) * (len(h) - 1) / 2
        frequency = f
        rotated = h * np.exp(2j * np.pi * np.mod(f * np.arange(len(h)), 1))
        n = np.arange(step.offset, end)
        if len(n):
            first = step.offset * decimation - (len(h) - 1)
            last = (end - 1) * decimation
            x = np.zeros(last + 1 - first, complex)
            x[max(0, -first):] = values[max(0, first):last + 1]
            full = filtered(x, rotated, decimation)
            p = np.mod(turns - f * decimation * (n - step.offset), 1)
            y[step.offset:end] = full * np.exp(2j * np.pi * p)
            turns = np.mod(turns - f * decimation * len(n), 1)
    return y


def interpolation(rate):
    """The delay G in items and the function g(t) by which outputs lie between the items."""
    if rate.numerator == 1:
        return 0, lambda t: np.ones_like(t)
    attenuation = 140
    beta = 0.1102 * (attenuation - 8.7)
    delay = int(np.ceil((attenuation - 7.95) / 14.36 / (1 - float(rate)) / 2))

    def kernel(t):
        inside = np.clip(1 - (t / delay) ** 2, 0, None)
        return np.where(np.abs(t) < delay,
                        np.sinc(t) * np.i0(beta * np.sqrt(inside)) / np.i0(beta), 0)
    return delay, kernel


def rate_reference(values, rate, taps, center_freq, fs, changes=()):
    """The double-precision model of a channel with P outputs for Q items.

    Output m belongs to the time m Q / P = i + u, with 0 <= u < 1. It is exp(j p)
    sum_k hc(k + u) exp(j w k) x[i - k] with hc(t) = sum_k h[k] g(t - k - G). The phase p steps
    by -w for each item of i; with N taps hc it starts at -w (N - 1) / 2, and at a change it moves
    by -(w_new - w_old) (N - 1) / 2.
    """
    P, Q = rate.numerator, rate.denominator
    outputs = len(values) * P // Q
    newest = np.arange(outputs + 1) * Q // P
    delay, kernel = interpolation(rate)
    y = np.empty(outputs, complex)
    turns = frequency = 0.0
    steps = [change(0, taps, center_freq)] + list(changes)
    for number, step in enumerate(steps):
        end = steps[number + 1].offset if number + 1 < len(steps) else outputs
        h = np.asarray(step.taps).astype(np.complex64).astype(complex)
        count = len(h) + 2 * delay
        f = step.center_freq / fs
        turns -= (f - frequency) * (count - 1) / 2
        frequency = f
        rotation = np.exp(2j * np.pi * np.mod(f * np.arange(count), 1))
        for phase in range(P):
            u = phase * Q % P / P
            hc = h if P == 1 else np.convolve(h, kernel(np.arange(-delay, delay + 1) + u))
            m = np.arange(step.offset, end)
            m = m[m % P == phase]
            if not len(m):
                continue
            first = newest[m[0]] - (count - 1)
            x = np.zeros(newest[m[-1]] + 1 - first, complex)
            x[max(0, -first):] = values[max(0, first):newest[m[-1]] + 1]
            sums = filtered(x, hc * rotation, Q)  # m grows by P, and its newest item by Q
            p = turns - f * (newest[m] - newest[step.offset])
            y[m] = sums * np.exp(2j * np.pi * np.mod(p, 1))
        turns = np.mod(turns - f * (newest[end] - newest[step.offset]), 1)
    return y


def error_db(result, expected):
    """The largest difference, in dB of the expected signal's peak."""
    assert len(result) == len(expected), (len(result), len(expected))
    difference = np.max(np.abs(result - expected))
    return 20 * np.log10(max(difference, 1e-30) / np.max(np.abs(expected)))
