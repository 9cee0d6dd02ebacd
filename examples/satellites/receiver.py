#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The receiver: one wide stream in, one WAV file of demodulated audio a channel out."""

import math
import time
import wave

from gnuradio import analog, blocks, cldsp, gr
from gnuradio.filter import firdes

from .channels import AUDIO_RATE, DemoError, Result
from .progress import watch

PASSBAND = 15000.0  # Hz; a 9600-baud signal and the drift of its transmitter fit
TRANSITION = 4000.0  # Hz
FULL_SCALE = 12000.0  # Hz of deviation, so that a recording made at 6 kHz has 6 dB to spare
STALLED_S = 10.0  # without a sample from a radio
# The stream's item -> the block that takes a channel out of it, and the item's size in bytes.
FILTERS = {
    "cu8": (cldsp.freq_xlating_fir_filter_cu8_f, 2),
    "cs8": (cldsp.freq_xlating_fir_filter_cs8_f, 2),
    "cs16": (cldsp.freq_xlating_fir_filter_cs16_f, 4),
    "cf32": (cldsp.freq_xlating_fir_filter_ccf, gr.sizeof_gr_complex),
}


class Receiver(gr.top_block):
    """
    source -> frequency-xlating FIR filter -> FM demodulator -> WAV, once for each channel.

    source is a block whose items are of the kind sample_format names, and length how many items
    it delivers. engine holds the filters' device, variant and transfer. A capture is a file
    that the stream itself goes to.
    """

    def __init__(self, source, sample_format, length, sample_rate, channels, folder, engine,
                 capture=None):
        super().__init__("satellite receiver")
        self.length = length
        self.sample_rate = sample_rate
        self.decimation = sample_rate // AUDIO_RATE
        self.channels = channels
        self.audio = [folder / f"{k + 1:02d}-{c.name}.wav" for k, c in enumerate(channels)]
        make_filter, item = FILTERS[sample_format]
        taps = firdes.low_pass(1.0, sample_rate, PASSBAND + TRANSITION / 2, TRANSITION)
        self.filters, self.sinks = [], []
        for channel, path in zip(channels, self.audio):
            xlating = make_filter(self.decimation, taps, channel.offset, sample_rate, **engine)
            sink = blocks.wavfile_sink(str(path), 1, AUDIO_RATE, blocks.FORMAT_WAV,
                                       blocks.FORMAT_PCM_16)
            demodulator = analog.quadrature_demod_cf(AUDIO_RATE / (2 * math.pi * FULL_SCALE))
            self.connect(source, xlating, demodulator, sink)
            self.filters.append(xlating)
            self.sinks.append(sink)
        if capture:
            self.connect(source, blocks.file_sink(item, str(capture)))
        self.seconds = 0.0

    def fraction(self):
        return min(f.nitems_read(0) for f in self.filters) / self.length

    def receive(self, progress):
        """Run to the end of the stream, and make sure that every channel got all of it."""
        begin = time.monotonic()
        alive = watch(self, progress, self.fraction, STALLED_S)
        self.seconds = time.monotonic() - begin
        for sink in self.sinks:
            sink.close()
        if not alive:
            raise DemoError(f"no sample arrived for {STALLED_S:.0f} s")
        wanted = self.length // self.decimation
        for channel, path in zip(self.channels, self.audio):
            with wave.open(str(path)) as audio:
                got = audio.getnframes()
            if got < wanted:
                raise DemoError(f"the stream of {channel.name} ended early: "
                                f"{got} of {wanted} samples")
        progress.note = f"{self.speed():.1f} times real time"

    def speed(self):
        """Seconds of signal for each second of work, all channels together."""
        return self.length / self.sample_rate / self.seconds

    def results(self, decoded):
        """A Result for each channel, from its (count, headers)."""
        signal_s = self.length / self.sample_rate
        results = []
        for channel, xlating, (count, heard) in zip(self.channels, self.filters, decoded):
            work_s = xlating.pc_work_time_total() * 1e-9
            results.append(
                Result(channel, count, heard, xlating.device_name(), xlating.variant_name(),
                       xlating.transfer_name(), xlating.fell_back(),
                       signal_s / work_s if work_s else 0.0)
            )
        return results


def default_device():
    """The id of the first OpenCL device, a GPU before a CPU; auto where there is none."""
    devices = opencl_devices()
    first = [d for d in devices if d["kind"] == "gpu"] + devices
    return first[0]["id"] if first else "auto"


def opencl_devices():
    """The OpenCL devices of this machine, as dicts with an id and a name."""
    return [device for device in cldsp.devices() if device["kind"] != "host"]


def format_of(path):
    """The sample format that a file's name ends in."""
    name = path.suffix.lstrip(".").lower()
    if name not in FILTERS:
        raise DemoError(f"--input {path}: the name must end in .{', .'.join(FILTERS)}")
    return name


def file_source(path, sample_format):
    """A block that reads a file of raw samples, and the number of samples in it."""
    item = FILTERS[sample_format][1]
    try:
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as error:
        raise DemoError(f"--input {path}: {error.strerror}") from error
    if size < item:
        raise DemoError(f"--input {path}: the file holds no sample")
    if size % item:
        raise DemoError(f"--input {path}: {size} bytes are no whole number of {item}-byte samples")
    return blocks.file_source(item, str(path), False), size // item
