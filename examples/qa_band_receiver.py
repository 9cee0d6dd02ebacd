#!/usr/bin/python3
#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""
Runs band_receiver as a user does, on a band that it makes. Without an argument every test runs;
with the name of a class, its tests only. Exit status 77: the tests could not run here.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import wave
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
RECEIVER = HERE / "band_receiver"
SAMPLE_RATE, CHANNEL_RATE, RASTER, CENTRE = 480000, 48000, 25000, 446e6
# Offset of a channel -> amplitude of its carrier and its tone in Hz. All others are noise.
BUSY = {-125000: (0.2, 800), 50000: (0.1, 1000), 175000: (0.05, 2000)}
NOISE = 0.004  # each of I and Q
TIMEOUT_S = 600  # only what hangs takes so long
QUIET = 8  # channel numbers: 0 is at -200 kHz
BUSY_NUMBERS = [3, 10, 15]
PNG = b"\x89PNG\r\n\x1a\n"


def make_band(seconds):
    """Complex samples, which go on without a jump when they are repeated."""
    count = int(seconds * SAMPLE_RATE)
    time_s = np.arange(count) / SAMPLE_RATE
    noise = np.random.default_rng(5).normal(scale=NOISE, size=(count, 2))
    band = noise[:, 0] + 1j * noise[:, 1]
    for offset, (amplitude, tone) in BUSY.items():
        swing = 5000 / tone * np.sin(2 * np.pi * tone * time_s)
        band += amplitude * np.exp(1j * (2 * np.pi * offset * time_s + swing))
    return band


def write(path, band):
    """A file in the format that its name ends in."""
    parts = np.stack([band.real, band.imag], axis=-1)
    kind = path.suffix[1:]
    if kind == "cu8":
        parts = np.clip(np.round(parts * 127.5 + 127.5), 0, 255).astype(np.uint8)
    elif kind in ("cs8", "cs16"):
        one = {"cs8": 128, "cs16": 32768}[kind]
        parts = np.round(parts * one).astype({"cs8": np.int8, "cs16": np.int16}[kind])
    else:
        parts = parts.astype(np.float32)
    parts.tofile(path)
    return path


class BandTest(unittest.TestCase):
    """Runs the programs in an empty folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="qa-band-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def command(self, program, *arguments):
        return [sys.executable, "-B", str(RECEIVER / program), *map(str, arguments)]

    def run_program(self, program, *arguments, status=0, **environment):
        done = subprocess.run(self.command(program, *arguments), cwd=self.folder,
                              env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, check=False)
        print(done.stdout, done.stderr, sep="")
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(status, done.returncode)
        return done

    def refuse(self, program, pattern, *arguments):
        done = self.run_program(program, *arguments, status=2)
        self.assertRegex(done.stderr, pattern)
        self.assertLess(len(done.stderr), 3000)


class band_headless(BandTest):
    common = ("--sample-rate", SAMPLE_RATE, "--freq", CENTRE, "--headless")

    def receive(self, kind, *arguments):
        path = write(self.folder / f"band.{kind}", make_band(1.0))
        return self.run_program("", "--input", path, *self.common, *arguments)

    def rows(self, printed):
        """{offset in Hz: (mean dB, share of time open in %, squelch)}"""
        rows = re.findall(r"^ +\d+ +(\d+\.\d{6}) +(\S+) +\S+ +(\S+)  (open|closed)$", printed,
                          re.MULTILINE)
        return {round(float(mhz) * 1e6 - CENTRE): (float(mean), float(share), state)
                for mhz, mean, share, state in rows}

    def check_tone(self, path, offset):
        tone = BUSY[offset][1]
        with wave.open(str(path)) as audio:
            self.assertEqual(CHANNEL_RATE, audio.getframerate())
            frames = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2") / 32768
        self.assertEqual(CHANNEL_RATE, len(frames))
        spectrum = np.abs(np.fft.rfft(frames[-CHANNEL_RATE // 2:])) / (CHANNEL_RATE / 4)
        self.assertEqual(tone, 2 * np.argmax(spectrum[5:]) + 10)
        # The whole deviation is 0.7 of full scale, less what de-emphasis takes.
        loss = 1 / np.sqrt(1 + (2 * np.pi * tone * 75e-6) ** 2)
        self.assertAlmostEqual(0.7 * loss, spectrum[tone // 2], delta=0.07)

    def test_every_format(self):
        for kind in ("cu8", "cs8", "cs16", "cf32"):
            with self.subTest(format=kind):
                done = self.receive(kind, "--tune", CENTRE + 50000)
                rows = self.rows(done.stdout)
                self.assertEqual(list(range(-200000, 200001, RASTER)), list(rows))
                for offset, (mean, share, state) in rows.items():
                    if offset in BUSY:
                        level = 20 * np.log10(BUSY[offset][0])
                        self.assertAlmostEqual(level, mean, delta=0.5)
                        self.assertGreaterEqual(share, 99.0)
                        self.assertEqual("open", state)
                    else:
                        self.assertLess(mean, -55)
                        self.assertEqual((0.0, "closed"), (share, state))
                self.assertRegex(done.stdout, r"(?m)^receiving: ")
                self.assertRegex(done.stdout.rstrip(), r"3 of 17 channels busy$")
                output = self.folder / "band-output"
                self.assertEqual(PNG, (output / "band.png").read_bytes()[:8])
                self.check_tone(output / "channel.wav", 50000)

    def test_listed_channels(self):
        listed = f"{CENTRE + 175000:.0f},{CENTRE - 125000:.0f},{CENTRE + 30000:.0f}"
        done = self.receive("cs16", "--channels", listed, "--tune", CENTRE - 125000, "--output",
                            self.folder / "there")
        rows = self.rows(done.stdout)
        self.assertEqual([-125000, 30000, 175000], list(rows))
        self.assertEqual(["open", "closed", "open"], [state for _, _, state in rows.values()])
        self.check_tone(self.folder / "there/channel.wav", -125000)

    def test_raster_and_squelch(self):
        done = self.receive("cu8", "--raster", 12500, "--raster-origin", CENTRE + 6250,
                            "--squelch", "-22", "--repeat", "--seconds", "1")
        rows = self.rows(done.stdout)
        self.assertEqual(34, len(rows))
        self.assertEqual(list(range(-206250, 206251, 12500)), list(rows))
        # A carrier is half in each of two neighbours: only the loudest passes the threshold.
        self.assertEqual({-131250, -118750},
                         {offset for offset, row in rows.items() if row[1] > 0})

    def test_parts_of_a_stream(self):
        """Levels and waterfall give the same however the stream is cut."""
        sys.path.insert(0, str(HERE))
        from band_receiver.levels import Levels
        from band_receiver.waterfall import Waterfall

        random = np.random.default_rng(6)
        samples = random.normal(size=(3, 30000, 2)).astype(np.float32).view(np.complex64)[..., 0]
        items = random.integers(0, 256, (700000, 2), dtype=np.uint8)

        def feed(block, streams):
            begin, count = 0, streams[0].shape[0]
            while begin < count:
                end = min(count, begin + int(random.integers(1, 4000)))
                self.assertEqual(end - begin, block.work([s[begin:end] for s in streams], []))
                begin = end
            return block

        one = Levels(3, CHANNEL_RATE, 3.0)
        one.work(list(samples), [])
        powers = np.mean(np.abs(samples[:, :29760].reshape(3, 62, 480)) ** 2, axis=2)
        np.testing.assert_allclose(one.mean(), 10 * np.log10(powers.mean(axis=1)), atol=1e-4)
        np.testing.assert_allclose(one.peak, powers.max(axis=1), rtol=1e-5)
        np.testing.assert_array_equal(one.open_windows, (powers > 10 ** 0.3).sum(axis=1))
        cut = feed(Levels(3, CHANNEL_RATE, 3.0), list(samples))
        self.assertEqual((62, 240), (cut.windows, cut.filled))
        for name in ("energy", "peak", "last", "open_windows", "part"):
            np.testing.assert_allclose(getattr(cut, name), getattr(one, name), rtol=1e-5)
        whole = Waterfall("cu8", len(items))
        whole.work([items], [])
        self.assertEqual((341, 2048), whole.powers().shape)
        np.testing.assert_array_equal(whole.powers(),
                                      feed(Waterfall("cu8", len(items)), [items]).powers())


class band_bad_input(BandTest):
    def test_options(self):
        path = write(self.folder / "band.cu8", make_band(0.01))
        one = ("--input", path, "--headless", "--sample-rate", SAMPLE_RATE)
        for pattern, arguments in (
            ("required: --input", ["--headless"]),
            ("No such file", ["--input", "absent.cu8", "--headless"]),
            ("must end in", ["--input", "band.txt", "--headless"]),
            ("--gain goes with", [*one, "--gain", "3"]),
            ("needs --freq", ["--input", "rtl", "--headless"]),
            ("--repeat goes with a file", ["--input", "rtl", "--freq", "1e8", "--repeat"]),
            ("--output goes with", ["--input", path, "--output", "x"]),
            ("--raster 10:", [*one, "--raster", "10"]),
            ("--raster nan", [*one, "--raster", "nan"]),
            ("--sample-rate 500000", [*one, "--sample-rate", "500000"]),
            ("--channel-rate 0", [*one, "--channel-rate", "0"]),
            ("is not in the band", [*one, "--channels", "300000"]),
            ("expected frequencies", [*one, "--channels", "1e3;2e3"]),
            ("exclude each other", [*one, "--channels", "1e3", "--raster-origin", "0"]),
            ("--raster-origin inf", [*one, "--raster-origin", "inf"]),
            ("at most 1000", [*one, "--raster", "100"]),
            ("--tune 1e6: not in", [*one, "--tune", "1e6"]),
            ("--tune nan", [*one, "--tune", "nan"]),
            ("--seconds 0", [*one, "--seconds", "0"]),
            ("no-such-thing", [*one, "--device", "no-such-thing"]),
            ("no-such-thing", [*one, "--algorithm", "no-such-thing"]),
            ("accuracy", [*one, "--accuracy", "1"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse("", pattern.replace("1e6", "1000000"), *arguments)

    def test_server_and_worker(self):
        path = write(self.folder / "band.cu8", make_band(0.01))
        served = ("--input", path, "--sample-rate", SAMPLE_RATE)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            for pattern, arguments in (
                ("cannot listen at", [*served, "--port", taken.getsockname()[1]]),
                ("must be 1 to", [*served, "--port", "65530"]),
                ("--lossless goes with", ["--input", "rtl", "--freq", "1e8", "--lossless"]),
            ):
                self.refuse("server.py", pattern, *arguments)
        there = ("--connect", "tcp://127.0.0.1:1", "--channel", "0")
        for pattern, arguments in (
            ("nothing arrived from", [*there, "--timeout", "0.5", "--output", "x.cf32"]),
            ("expected tcp://HOST:PORT", ["--connect", "localhost:5600", "--channel", "0"]),
            ("--channel -1", [*there[:2], "--channel", "-1"]),
            ("must end in .wav or", [*there, "--output", "x.mp3"]),
            ("--seconds -1", [*there, "--seconds", "-1"]),
            ("--rate 0", [*there, "--rate", "0"]),
        ):
            self.refuse("worker.py", pattern, *arguments)


class band_network(BandTest):
    """A server and its workers, all on this machine."""

    def setUp(self):
        super().setUp()
        self.band = make_band(0.5)
        self.path = write(self.folder / "band.cf32", self.band)

    def serve(self, *arguments):
        """A server of the file on free ports; returns it and its address."""
        for _ in range(20):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = min(free.getsockname()[1], 65000)
            log = (self.folder / "server.log").open("w+")
            self.addCleanup(log.close)
            server = subprocess.Popen(
                self.command("server.py", "--input", self.path, "--sample-rate", SAMPLE_RATE,
                             "--freq", CENTRE, "--device", "host", "--accuracy", "0",
                             "--lossless", "--port", port, *arguments),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            self.addCleanup(self.end, server)
            limit = time.monotonic() + TIMEOUT_S
            while server.poll() is None and time.monotonic() < limit:
                text = (self.folder / "server.log").read_text()
                if "\nserving " in text:
                    return server, f"tcp://127.0.0.1:{port}"
                time.sleep(0.1)
            text = (self.folder / "server.log").read_text()
            # A port between them may be in use.
            self.assertIn("cannot listen at", text)
        self.fail("no free ports")

    def end(self, server):
        if server.poll() is None:
            server.kill()
            server.wait()

    def work(self, address, *arguments):
        return subprocess.Popen(
            self.command("worker.py", "--connect", address, "--timeout", TIMEOUT_S, *arguments),
            cwd=self.folder, stdin=subprocess.DEVNULL)

    def stop(self, server):
        server.terminate()
        self.assertEqual(0, server.wait(TIMEOUT_S))
        text = (self.folder / "server.log").read_text()
        self.assertIn("the server has ended", text)
        self.assertNotIn("Traceback", text)

    def channels(self):
        """What one bank gives for the file when it comes the second time, by channel number."""
        sys.path.insert(0, str(HERE))
        from band_receiver.band import Band, Channel
        from gnuradio import blocks, cldsp, gr

        offsets = range(-200000, 200001, RASTER)
        band = Band(CENTRE, SAMPLE_RATE, RASTER, CHANNEL_RATE,
                    [Channel(k, CENTRE + f, f) for k, f in enumerate(offsets)])
        bank = cldsp.freq_xlating_filter_bank_ccf(band.decimation, band.taps(), band.offsets,
                                                  SAMPLE_RATE, "host", "direct")
        flowgraph = gr.top_block()
        twice = np.tile(self.band.astype(np.complex64), 2)
        flowgraph.connect(blocks.vector_source_c(twice), bank)
        sinks = [blocks.vector_sink_c() for _ in offsets]
        for k, sink in enumerate(sinks):
            flowgraph.connect((bank, k), sink)
        flowgraph.run()
        return [np.array(sink.data())[len(twice) // 20:] for sink in sinks]

    def test_workers_get_the_banks_samples(self):
        server, address = self.serve("--repeat")
        # A noisy channel and a busy one, whose samples say where in the file they are from.
        workers = {number: self.work(address, "--channel", number, "--seconds", "0.4",
                                     "--output", f"{number}.cf32")
                   for number in (QUIET, BUSY_NUMBERS[0])}
        sound = self.work(address, "--channel", BUSY_NUMBERS[1], "--seconds", "0.2", "--output",
                          "sound.wav")
        for worker in [*workers.values(), sound]:
            self.assertEqual(0, worker.wait(TIMEOUT_S))
        self.stop(server)
        expected = self.channels()
        for number in workers:
            got = np.fromfile(self.folder / f"{number}.cf32", dtype=np.complex64)
            self.assertEqual(int(0.4 * CHANNEL_RATE), len(got))
            # The stream's very start has the filter's empty history before it.
            got = got[1000:]
            period = expected[number]
            match = np.fft.ifft(np.fft.fft(period) * np.conj(np.fft.fft(got, len(period))))
            place = (np.argmax(np.abs(match)) + np.arange(len(got))) % len(period)
            np.testing.assert_allclose(got, period[place], rtol=0,
                                       atol=2e-5 * np.abs(period).max())
        with wave.open(str(self.folder / "sound.wav")) as audio:
            self.assertEqual(int(0.2 * CHANNEL_RATE), audio.getnframes())
            frames = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2") / 32768
        spectrum = np.abs(np.fft.rfft(frames[-CHANNEL_RATE // 10:]))
        self.assertEqual(BUSY[50000][1], 10 * (np.argmax(spectrum[5:]) + 5))

    def test_a_worker_tunes_its_channel(self):
        server, address = self.serve("--repeat")
        # The message takes effect while the first worker, or one after it, receives.
        for _ in range(10):
            worker = self.work(address, "--channel", QUIET, "--tune", 50000, "--seconds", "0.3",
                               "--output", "tuned.cf32")
            self.assertEqual(0, worker.wait(TIMEOUT_S))
            got = np.fromfile(self.folder / "tuned.cf32", dtype=np.complex64)
            level = 10 * np.log10(np.mean(np.abs(got[-2000:]) ** 2))
            if level > -40:
                break
        self.assertAlmostEqual(20 * np.log10(BUSY[50000][0]), level, delta=0.5)
        self.stop(server)

    def test_the_end_of_a_file(self):
        server, address = self.serve()
        worker = subprocess.Popen(
            self.command("worker.py", "--connect", address, "--channel", QUIET, "--timeout",
                         "2", "--output", "end.wav"),
            cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(0, server.wait(TIMEOUT_S))
        self.assertIn("the server has ended", (self.folder / "server.log").read_text())
        # It ends by itself, whether or not it came before the end of such a short file.
        errors = worker.communicate(timeout=TIMEOUT_S)[1]
        self.assertIn(worker.returncode, (0, 2))
        self.assertNotIn("Traceback", errors)
        if worker.returncode == 2:
            self.assertIn("nothing arrived from", errors)


class band_window(BandTest):
    """The window, without a display."""

    def test_runs_to_the_end_of_a_file(self):
        path = write(self.folder / "band.cu8", make_band(1.0))
        done = self.run_program("", "--input", path, "--sample-rate", SAMPLE_RATE, "--freq",
                                CENTRE, QT_QPA_PLATFORM="offscreen")
        self.assertIn("17 channels from band.cu8", done.stdout)

    def test_mouse_and_sliders(self):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        sys.path.insert(0, str(HERE))
        from argparse import Namespace

        from band_receiver import band as bands
        from band_receiver import gui, options
        from band_receiver.receiver import BandReceiver
        from PyQt5 import Qt, QtTest

        application = Qt.QApplication.instance() or Qt.QApplication(sys.argv[:1])
        path = write(self.folder / "band.cs8", make_band(1.0))
        args = Namespace(input=str(path), freq=CENTRE, sample_rate=SAMPLE_RATE, repeat=True,
                         seconds=None, raster=25000.0, raster_origin=None, channels=None,
                         channel_rate=CHANNEL_RATE)
        receiver = BandReceiver(options.open_stream(args, live=True), bands.make_band(args),
                                {"device": "host"}, -45.0, CENTRE)
        window = gui.Window(receiver, -45.0, sound=False)
        receiver.start()
        window.show()
        try:
            self.wait_for(QtTest, lambda: receiver.levels.windows > 20)
            for widget in (window.waterfall_widget, window.spectrum_widget):
                canvas = next(w for w in widget.findChildren(Qt.QWidget)
                              if w.metaObject().className() == "QwtPlotCanvas")
                for share in (0.22, 0.83):
                    place = Qt.QPoint(int(canvas.width() * share), canvas.height() // 2)
                    QtTest.QTest.mouseDClick(canvas, Qt.Qt.LeftButton, Qt.Qt.NoModifier, place)
                    clicked = (share - 0.5) * SAMPLE_RATE
                    self.wait_for(QtTest, lambda c=clicked: abs(
                        receiver.bank.center_freqs()[-1] - c) < 0.8 * RASTER)
                    offset = receiver.bank.center_freqs()[-1]
                    self.assertEqual(0, offset % RASTER)
                    label = f"{(CENTRE + offset) / 1e6:.6f} MHz"
                    self.wait_for(QtTest, lambda t=label: window.tuned_label.text() == t)
            window.slider.setValue(1234)
            self.wait_for(QtTest, lambda: receiver.bank.center_freqs()[-1] == 123400)
            others = receiver.bank.center_freqs()[:-1]
            self.assertEqual(list(range(-200000, 200001, RASTER)), others)
            self.wait_for(QtTest, lambda: "3 of 17" in window.state_label.text())
            window.threshold.setValue(-10)
            self.wait_for(QtTest, lambda: "0 of 17" in window.state_label.text())
            self.assertEqual(-10, receiver.fm.squelch.threshold())
        finally:
            receiver.stop()
            receiver.wait()
            window.close()
        del application

    def wait_for(self, qt_test, condition):
        limit = time.monotonic() + TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), limit)
            qt_test.QTest.qWait(50)


if __name__ == "__main__":
    outcome = unittest.main(verbosity=2, exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(outcome.skipped) == outcome.testsRun else 0)
