# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A stream through filters whose loads differ."""

import numpy as np
from gnuradio import blocks, cldsp, gr

# (taps, decimation, channels)
LOADS = ((2429, 42, 1), (201, 42, 1), (101, 1, 1), (401, 42, 16))
NOISE_ITEMS = 1 << 18


def low_pass(taps, decimation, sample_rate):
    """The taps of a low pass for this decimation; taps is their number."""
    cutoff = 0.4 * sample_rate / max(decimation, 2)
    window = np.hamming(taps)
    t = np.arange(taps) - (taps - 1) / 2
    prototype = window * np.sinc(2 * cutoff / sample_rate * t)
    return [float(x) for x in prototype / prototype.sum()]


class Stream(gr.top_block):
    """Noise through filters of several sizes and a bank, all observed by a probe."""

    def __init__(self, sample_rate, device, variant, probe):
        gr.top_block.__init__(self, "tune monitor")
        self.sample_rate = sample_rate
        self.probe = probe
        noise = np.random.default_rng(1).standard_normal(2 * NOISE_ITEMS).astype(np.float32)
        source = blocks.vector_source_c(noise.view(np.complex64), repeat=True)
        self.paced = blocks.throttle(gr.sizeof_gr_complex, sample_rate)
        self.connect(source, self.paced)
        self.filters = [self._add(*load, device, variant) for load in LOADS]
        self.connect(probe)

    def _add(self, taps, decimation, channels, device, variant):
        prototype = low_pass(taps, decimation, self.sample_rate)
        if channels == 1:
            block = cldsp.freq_xlating_fir_filter_ccf(
                decimation, prototype, 0.1 * self.sample_rate, self.sample_rate, device, variant)
            name = f"{taps} taps, decimation {decimation}"
        else:
            offsets = (np.arange(channels) - channels / 2) / channels * self.sample_rate
            block = cldsp.freq_xlating_filter_bank_ccf(
                decimation, prototype, list(offsets), self.sample_rate, device, variant)
            name = f"{channels} channels, {taps} taps, decimation {decimation}"
        block.set_block_alias(name)
        self.connect(self.paced, block)
        for channel in range(channels):
            self.connect((block, channel), blocks.null_sink(gr.sizeof_gr_complex))
        return block
