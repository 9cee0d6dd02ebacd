#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""What is between the tuned channel of the band receiver and its audio, recordings included."""

import re
import sys
import wave
from types import SimpleNamespace

import numpy as np
from band_test_support import CHANNEL_RATE, HERE, RASTER, BandTest, main

sys.path.insert(0, str(HERE))

SECONDS = 1.5
TONE = 1000  # Hz, of the audio


def times():
    return np.arange(int(SECONDS * CHANNEL_RATE)) / CHANNEL_RATE


def carrier(offset):
    return np.exp(2j * np.pi * offset * times())


def station(mode, tone=TONE):
    """A channel in which a station of this mode sends a tone."""
    if mode == "nfm":
        return np.exp(5000j / tone * np.sin(2 * np.pi * tone * times()))
    if mode == "am":
        return (1 + 0.8 * np.cos(2 * np.pi * tone * times())) * np.exp(0.3j)
    return carrier(tone if mode == "usb" else -tone)


def spectrum(audio):
    """The power of the last second at each whole Hz, the first one being that of 1 Hz."""
    last = audio[-CHANNEL_RATE:]
    return np.abs(np.fft.rfft(last * np.hanning(len(last))))[1:] ** 2


def power_at(powers, hz):
    return powers[hz - 4:hz + 3].sum()


class band_modes(BandTest):
    def demodulate(self, demodulator, channel):
        """The audio of a channel; the demodulator may have had others before."""
        from gnuradio import blocks, gr

        flowgraph, sink = gr.top_block(), blocks.vector_sink_f()
        flowgraph.connect(blocks.vector_source_c(channel.astype(np.complex64)), demodulator, sink)
        flowgraph.run()
        if demodulator.mode.name != "nfm":  # the carrier's begin is a click in FM
            self.assertLess(np.abs(sink.data()).max(), 1)
        return np.array(sink.data())

    def demodulator(self, mode, width=None, squelch=-100.0):
        from band_receiver.demodulator import Demodulator
        from band_receiver.modes import MODES, NAMES

        return Demodulator(CHANNEL_RATE, RASTER, squelch, MODES[NAMES.index(mode)], width)

    def test_a_tone_in_each_mode(self):
        from band_receiver.modes import NAMES

        noise = np.random.default_rng(3).normal(scale=0.003, size=(len(times()), 2))
        noise = noise[:, 0] + 1j * noise[:, 1]
        self.assertEqual(["nfm", "am", "usb", "lsb"], NAMES)
        for mode in NAMES:
            for level in (0.5, 0.001):
                with self.subTest(mode=mode, level=level):
                    audio = self.demodulate(self.demodulator(mode),
                                            level * (station(mode) + noise))
                    self.assertEqual(len(times()), len(audio))
                    powers = spectrum(audio)
                    self.assertAlmostEqual(TONE, np.argmax(powers) + 1, delta=0.01 * TONE)
                    tone = power_at(powers, TONE)
                    self.assertGreater(10 * np.log10(tone / (powers.sum() - tone)), 30)
                    # A weak station is as loud as a strong one.
                    peak = np.abs(audio[-CHANNEL_RATE // 2:]).max()
                    self.assertTrue(0.5 < peak < 0.8, peak)

    def test_another_mode_of_the_same_demodulator(self):
        from band_receiver.modes import MODES

        demodulator = self.demodulator("nfm")
        for mode in (*MODES, *MODES):
            demodulator.set_mode(mode)
            self.assertEqual(mode.passband(demodulator.width), demodulator.passband())
            powers = spectrum(self.demodulate(demodulator, 0.1 * station(mode.name)))
            tone = power_at(powers, TONE)
            self.assertGreater(10 * np.log10(tone / (powers.sum() - tone)), 30)
        # Each mode keeps its width.
        demodulator.set_mode(MODES[1])
        demodulator.set_width(7000)
        demodulator.set_mode(MODES[2])
        self.assertEqual((100, 2800), demodulator.passband())
        demodulator.set_mode(MODES[3])
        self.assertEqual((-2800, -100), demodulator.passband())
        demodulator.set_mode(MODES[1])
        self.assertEqual((-3500, 3500), demodulator.passband())

    def test_one_sideband(self):
        """Neither the other sideband nor a carrier between them is heard."""
        both = 0.1 * (station("usb", 1000) + station("lsb", 1700) + carrier(0))
        for mode, heard, not_heard in (("usb", 1000, 1700), ("lsb", 1700, 1000)):
            powers = spectrum(self.demodulate(self.demodulator(mode), both))
            tone = power_at(powers, heard)
            self.assertGreater(10 * np.log10(tone / power_at(powers, not_heard)), 45)
            self.assertGreater(10 * np.log10(tone / powers[:20].sum()), 20)

    def test_width(self):
        """A neighbour is heard until it is outside of the passband."""
        for mode, neighbour, beat, wide, narrow in (("am", 6000, 6000, 15000, 6000),
                                                    ("usb", 3500, 3500, 4000, 2400),
                                                    ("lsb", -2000, 2000, 2700, 1200)):
            with self.subTest(mode=mode):
                channel = 0.1 * station(mode) + 0.03 * carrier(neighbour)
                demodulator = self.demodulator(mode, wide)
                for width, is_heard in ((wide, True), (narrow, False), (wide, True)):
                    demodulator.set_width(width)
                    powers = spectrum(self.demodulate(demodulator, channel))
                    ratio = 10 * np.log10(power_at(powers, beat) / power_at(powers, TONE))
                    self.assertTrue(ratio > -20 if is_heard else ratio < -50, ratio)

    def test_bounds_of_widths(self):
        demodulator = self.demodulator("am")
        self.assertEqual(10000, demodulator.width)
        for asked, width in ((1, 300), (1e6, 0.84 * CHANNEL_RATE)):
            demodulator.set_width(asked)
            self.assertEqual(width, demodulator.width)
        self.assertEqual(0.84 * RASTER, self.demodulator("nfm").width)
        self.assertEqual(0.42 * CHANNEL_RATE, self.upper_end("usb", 1e6))

    def upper_end(self, mode, width):
        demodulator = self.demodulator(mode)
        demodulator.set_width(width)
        return demodulator.passband()[1]

    def test_squelch(self):
        """What is outside of the passband does not open it."""
        weak, strong = 0.001 * station("usb"), 0.1 * station("lsb")
        for channel, is_open in ((strong, False), (weak + strong, False),
                                 (0.1 * station("usb"), True)):
            audio = self.demodulate(self.demodulator("usb", squelch=-40.0), channel)
            self.assertEqual(is_open, bool(np.abs(audio[-CHANNEL_RATE:]).max() > 0.1))

    def test_automatic_gain(self):
        from band_receiver.automatic_gain import AutomaticGain

        random = np.random.default_rng(8)
        loudness = np.repeat(10 ** random.uniform(-4, 0, 30), 1600)
        signal = (loudness * np.exp(1j * random.uniform(0, 7, len(loudness)))).astype(np.complex64)
        signal[:4000] = 0

        def feed(most):
            block, begin, got = AutomaticGain(CHANNEL_RATE, 0.7), 0, []
            while begin < len(signal):
                end = min(len(signal), begin + int(random.integers(1, most)))
                out = np.empty(end - begin, np.complex64)
                self.assertEqual(len(out), block.work([signal[begin:end]], [out]))
                got.append(out)
                begin = end
            return np.concatenate(got)

        whole = feed(len(signal))
        delay = np.argmax(np.abs(whole) > 0) - 4000
        self.assertEqual(2 * 96, delay)
        # However the stream is cut, and whatever comes after a pause, nothing overshoots.
        np.testing.assert_allclose(whole, feed(300), rtol=1e-5, atol=1e-7)
        self.assertLess(np.abs(whole).max(), 0.7001)
        np.testing.assert_allclose(np.angle(whole[delay + 4000:]), np.angle(signal[4000:-delay]),
                                   atol=1e-3)
        # Each part that is louder than those before has the full peak.
        for k in range(3, 30):
            if loudness[1600 * k] > loudness[:1600 * k].max():
                middle = np.abs(whole[1600 * k + 800])
                self.assertAlmostEqual(0.7, middle, delta=0.01)


class band_recorder(BandTest):
    def record(self, recorder, audio):
        from gnuradio import blocks, gr

        flowgraph = gr.top_block()
        flowgraph.connect(blocks.vector_source_f(audio.astype(np.float32)), recorder)
        flowgraph.run()
        self.assertEqual(len(audio), recorder.nitems_read(0))

    def read(self, path):
        with wave.open(str(path)) as audio:
            self.assertEqual((1, 2, CHANNEL_RATE), audio.getparams()[:3])
            return np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2") / 32767

    def test_files(self):
        from band_receiver.recorder import Recorder, new_path

        recorder = Recorder(CHANNEL_RATE)
        tone = 0.5 * np.sin(2 * np.pi * TONE * times())
        self.record(recorder, tone)  # nothing is recorded yet
        path = new_path(self.folder, 446.05e6)
        self.assertRegex(path.name, r"^446050000Hz_\d{8}T\d{6}Z\.wav$")
        self.assertEqual([], list(self.folder.iterdir()))
        recorder.begin(path)
        self.assertEqual((path, 0), (recorder.path, recorder.seconds))
        self.record(recorder, tone)
        # It can be read before it is closed.
        np.testing.assert_allclose(tone, self.read(path), atol=1e-4)
        self.assertEqual(SECONDS, recorder.seconds)
        self.record(recorder, 3 * tone)
        recorder.close()
        self.assertEqual((None, None), (recorder.path, recorder.failure))
        np.testing.assert_allclose(np.clip([*tone, *3 * tone], -1, 1), self.read(path), atol=1e-4)
        self.record(recorder, tone)
        self.assertEqual(2 * len(tone), len(self.read(path)))
        recorder.begin(path)  # made anew
        recorder.close()
        self.assertEqual(0, len(self.read(path)))
        # No two recordings have one name.
        seen = {path}
        for _ in range(3):
            new = new_path(self.folder, 446.05e6)
            self.assertNotIn(new, seen)
            seen.add(new)
            new.touch()

    def test_no_file_grows_too_large(self):
        from band_receiver.recorder import MOST_BYTES, Recorder

        self.assertLess(MOST_BYTES + 36, 2 ** 32)
        recorder = Recorder(CHANNEL_RATE)
        recorder.most_bytes = 100000
        recorder.begin(self.folder / "long.wav")
        ramp = np.arange(len(times())) / len(times())
        self.record(recorder, ramp)
        recorder.close()
        self.assertEqual(SECONDS, recorder.seconds)
        self.assertIsNone(recorder.failure)
        files = [self.folder / name for name in ("long.wav", "long-2.wav")]
        self.assertEqual(set(files), set(self.folder.iterdir()))
        parts = [self.read(file) for file in files]
        self.assertLessEqual(2 * max(len(part) for part in parts), 100000)
        np.testing.assert_allclose(ramp, np.concatenate(parts), atol=1e-4)

    def test_failures(self):
        """The stream goes on, and what is on the disk can be read."""
        from pathlib import Path

        from band_receiver.recorder import Recorder

        class FullDisk:
            """A file on a disk that has room for some bytes."""

            def __init__(self, file, room):
                self.file, self.room = file, room

            def __getattr__(self, name):
                return getattr(self.file, name)

            def write(self, data):
                free = self.room - self.file.tell()
                if free <= 0:
                    raise OSError(28, "No space left on device")
                return self.file.write(data[:free])

        recorder = Recorder(CHANNEL_RATE)
        tone = 0.5 * np.sin(2 * np.pi * TONE * times())
        full = [(Path("/dev/full"), "No space left on device")] * Path("/dev/full").exists()
        for path, pattern in (*full, (self.folder / "no/such.wav", "No such file or directory"),
                              (self.folder, "Is a directory")):
            recorder.begin(path)
            self.record(recorder, tone)
            self.assertRegex(recorder.failure,
                             f"^{re.escape(str(path))} cannot be written: {pattern}$")
            self.assertIsNone(recorder.path)
            recorder.close()
        path = self.folder / "part.wav"
        recorder.begin(path)
        self.assertIsNone(recorder.failure)
        recorder._file = FullDisk(recorder._file, 100001)  # pylint: disable=protected-access
        self.record(recorder, tone)
        self.assertRegex(recorder.failure, "part.wav cannot be written: No space left on device$")
        got = self.read(path)
        self.assertGreater(len(got), 10000)
        np.testing.assert_allclose(tone[:len(got)], got, atol=1e-4)


class band_gain(BandTest):
    """The gain, through a source that notes what it is asked for."""

    class Source:
        def __init__(self, has_automatic):
            self.has_automatic, self.automatic, self.gain = has_automatic, has_automatic, 10.0

        def get_gain_range(self, channel):
            assert channel == 0
            return SimpleNamespace(minimum=lambda: 0.0, maximum=lambda: 49.6, step=lambda: 0.0)

        def has_gain_mode(self, _channel):
            return self.has_automatic

        def get_gain_mode(self, _channel):
            return self.automatic

        def set_gain_mode(self, _channel, automatic):
            self.automatic = automatic

        def get_gain(self, _channel):
            return self.gain

        def set_gain(self, _channel, gain):
            self.gain = round(2 * gain) / 2  # as a radio that has only some gains

    def test_gain(self):
        from common import ExampleError
        from common.radio import RadioGain

        source = self.Source(True)
        gain = RadioGain(source)
        self.assertEqual((0, 49.6, True, True), (gain.least, gain.most, gain.has_automatic,
                                                 gain.automatic()))
        gain.set(20.2)
        self.assertEqual((20.0, False), (gain.value(), gain.automatic()))
        gain.set_automatic()
        self.assertTrue(source.automatic)
        for value in (-0.1, 50.0, float("nan")):
            with self.assertRaisesRegex(ExampleError, f"--gain {value:g}: must be 0 to 49.6 dB"):
                gain.set(value)
        self.assertTrue(source.automatic)
        manual = self.Source(False)
        gain = RadioGain(manual)
        gain.set_automatic()
        gain.set(49.6)
        self.assertEqual((49.5, False), (gain.value(), gain.automatic()))


if __name__ == "__main__":
    main()
