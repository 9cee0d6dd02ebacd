# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The receiver: one wide stream in, one WAV file of demodulated audio per channel out."""

import math
import time
import wave

from common import ExampleError
from common.progress import watch
from common.streams import FORMATS
from gnuradio import analog, blocks, cldsp, gr
from gnuradio.filter import firdes

from .channels import AUDIO_RATE, Result, Work

PASSBAND = 15000.0  # Hz; a 9600-baud signal and the drift of its transmitter fit
TRANSITION = 4000.0  # Hz
FULL_SCALE = 12000.0  # Hz of deviation, so that a recording made at 6 kHz has 6 dB to spare
STALLED_S = 10.0  # seconds without a sample from a radio, after which it counts as stalled


class Receiver(gr.top_block):
    """
    source -> filter bank, and from each of its outputs -> FM demodulator -> WAV.

    source is a block whose items have the format sample_format; length is the number of items that
    it delivers. engine has the bank's device, variant, transfer, algorithm and accuracy. capture is
    a file to which the stream itself is written.
    """

    def __init__(self, source, sample_format, length, sample_rate, channels, folder, engine,
                 capture=None):
        super().__init__("satellite receiver")
        self.length = length
        self.sample_rate = sample_rate
        self.decimation = sample_rate // AUDIO_RATE
        self.channels = channels
        self.audio = [folder / f"{k + 1:02d}-{c.name}.wav" for k, c in enumerate(channels)]
        form = FORMATS[sample_format]
        taps = firdes.low_pass(1.0, sample_rate, PASSBAND + TRANSITION / 2, TRANSITION)
        self.bank = form.bank(self.decimation, taps, [c.offset for c in channels], sample_rate,
                              **engine)
        self.connect(source, self.bank)
        self.sinks = []
        for k, path in enumerate(self.audio):
            sink = blocks.wavfile_sink(str(path), 1, AUDIO_RATE, blocks.FORMAT_WAV,
                                       blocks.FORMAT_PCM_16)
            demodulator = analog.quadrature_demod_cf(AUDIO_RATE / (2 * math.pi * FULL_SCALE))
            self.connect((self.bank, k), demodulator, sink)
            self.sinks.append(sink)
        if capture:
            self.connect(source, blocks.file_sink(form.item, str(capture)))
        self.elapsed = self.processor = 0.0

    def fraction(self):
        return self.bank.nitems_read(0) / self.length

    def receive(self, progress):
        """Run to the end of the stream, and check that every channel received all of it."""
        begin, processor = time.monotonic(), time.process_time()
        alive = watch(self, progress, self.fraction, STALLED_S)
        self.elapsed = time.monotonic() - begin
        self.processor = time.process_time() - processor
        for sink in self.sinks:
            sink.close()
        if not alive:
            raise ExampleError(f"no sample arrived for {STALLED_S:.0f} s")
        wanted = self.length // self.decimation
        for channel, path in zip(self.channels, self.audio):
            with wave.open(str(path)) as audio:
                got = audio.getnframes()
            if got < wanted:
                raise ExampleError(f"the stream of {channel.name} ended early: "
                                   f"{got} of {wanted} samples")
        progress.note = f"{self.length / self.sample_rate / self.elapsed:.1f} times real time"

    def work_done(self):
        """The device and plan of the bank, and the time that it took."""
        return Work(self.bank.device_name(), self.bank.plan(), self.bank.fell_back(),
                    self.length / self.sample_rate, self.elapsed, self.processor,
                    self.bank.pc_work_time_total() * 1e-9)

    def results(self, decoded):
        """A Result for each channel, from its pair (count, headers)."""
        return [Result(channel, *found) for channel, found in zip(self.channels, decoded)]


def opencl_devices():
    """The OpenCL devices of this machine, as dicts with an id and a name."""
    return [device for device in cldsp.devices() if device["kind"] != "host"]
