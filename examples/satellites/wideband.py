# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Makes the wideband file: FM signals side by side in 8-bit IQ, as an RTL-SDR sends it."""

import wave
from pathlib import Path

import numpy as np
from gnuradio import analog, blocks, filter as gr_filter, gr
from gnuradio.filter import firdes

from common import ExampleError
from common.progress import watch

from . import packets
from .channels import AUDIO_RATE, DEVIATION, SAMPLE_RATE, Channel, place

INTERPOLATION = SAMPLE_RATE // AUDIO_RATE
KEY_UP_S = 0.3  # seconds of bare carrier before and after each recording
EDGE_S = 0.25  # seconds of silence before the first and after the last carrier
# These amplitudes are in steps of the 8-bit converter. Eight carriers of 12 steps reach 96 of 127,
# so nothing clips, and each stands 35 dB above the noise in its 48 kHz.
LARGEST_CARRIER = 12.0
CARRIER_SUM = 96.0
NOISE = 1.2
GENERATED = (("ALPHA", 1200, 3), ("BRAVO", 9600, 5), ("TANGO", 1200, 2),
             ("DELTA", 9600, 4), ("ECHO", 1200, 4), ("SIERRA", 9600, 6))


def recorded_channels(folder):
    """A channel for each WAV file in a folder, with the number of frames that atest finds in it."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ExampleError(f"the folder of recordings {folder} does not exist")
    files = sorted(folder.glob("*.wav"))
    if not files:
        raise ExampleError(f"there is no .wav file in {folder}")
    channels = []
    for path, offset in zip(files, place(len(files))):
        packets.check_audio(path)
        baud, expected = packets.best_baud(path)
        channels.append(Channel(path.stem, offset, baud, expected, path))
    return channels


def generated_channels(folder, plan=GENERATED):
    """A channel for each (name, baud, frames) of a plan, with audio from gen_packets."""
    channels = []
    for (name, baud, frames), offset in zip(plan, place(len(plan))):
        path = packets.generate(folder, name, baud, frames)
        readable, _ = packets.atest(path, baud)
        if readable != frames:
            raise ExampleError(f"atest finds {readable} of {frames} frames that gen_packets made")
        channels.append(Channel(name, offset, baud, frames, path))
    return channels


def _modulate(path):
    """The recording as an FM signal of amplitude 1 at AUDIO_RATE, its carrier keyed softly."""
    with wave.open(str(path)) as audio:
        samples = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2") / 32768.0
    # The loudness of a recording says nothing about the deviation of the satellite.
    samples = samples / max(np.abs(samples).max(initial=0.0), 1e-3)
    key = np.zeros(int(KEY_UP_S * AUDIO_RATE))
    phase = np.cumsum(np.concatenate([key, samples, key])) * (2 * np.pi * DEVIATION / AUDIO_RATE)
    signal = np.exp(1j * phase).astype(np.complex64)
    ramp = np.sin(np.linspace(0, np.pi / 2, AUDIO_RATE // 200)).astype(np.float32) ** 2
    signal[: len(ramp)] *= ramp
    signal[-len(ramp):] *= ramp[::-1]
    return signal


def _schedule(signals):
    """Put each signal at a different time in a common span; all get the same length."""
    edge = int(EDGE_S * AUDIO_RATE)
    length = max(len(s) for s in signals) + 2 * edge
    lined_up = []
    for k, signal in enumerate(signals):
        room = length - 2 * edge - len(signal)
        begin = edge + int(room * ((k + 1) * 0.618034 % 1))
        lined_up.append(np.pad(signal, (begin, length - begin - len(signal))))
    return lined_up


class Transmitters(gr.top_block):
    """Interpolates, shifts and adds up all channels with noise, and quantizes into a file."""

    def __init__(self, channels, path):
        super().__init__("satellite transmitters")
        signals = _schedule([_modulate(channel.source) for channel in channels])
        self.length = len(signals[0]) * INTERPOLATION
        # Keeps +-20 kHz of each channel and removes the images from 28 kHz on.
        taps = firdes.low_pass(INTERPOLATION, SAMPLE_RATE, 24000, 8000)
        level = min(LARGEST_CARRIER, CARRIER_SUM / len(channels))
        total = blocks.add_cc()
        for k, (channel, signal) in enumerate(zip(channels, signals)):
            self.connect(
                blocks.vector_source_c(signal),
                gr_filter.interp_fir_filter_ccf(INTERPOLATION, taps),
                blocks.rotator_cc(2 * np.pi * channel.offset / SAMPLE_RATE),
                blocks.multiply_const_cc(level),
                (total, k),
            )
        noise = analog.fastnoise_source_c(analog.GR_GAUSSIAN, NOISE, 1, 1 << 16)
        self.connect(noise, (total, len(channels)))
        split, interleave = blocks.complex_to_float(), blocks.interleave(gr.sizeof_float)
        bytes_out = blocks.float_to_uchar()
        self.connect(total, blocks.add_const_cc(127.5 + 127.5j), split)
        self.connect((split, 0), (interleave, 0))
        self.connect((split, 1), (interleave, 1))
        self.file = blocks.file_sink(gr.sizeof_char, str(path))
        self.connect(interleave, bytes_out, self.file)

    def fraction(self):
        return self.file.nitems_read(0) / (2 * self.length)


def make(channels, path, progress):
    """Write the wideband file of these channels."""
    top_block = Transmitters(channels, path)
    watch(top_block, progress, top_block.fraction)
    size = Path(path).stat().st_size
    # If a stream does not fill a whole number of buffers, its last block of samples may be missing.
    if size < 2 * top_block.length * 0.99:
        raise ExampleError(f"{path} is incomplete: is the disk full?")
    progress.note = f"{size / 1e6:.0f} MB"
