#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The band receiver without a display, on files and on a radio that plays a file."""

import concurrent.futures
import importlib.util
import os
import re
import resource
import socket
import sys
import wave

import numpy as np

from band_test_support import (BUSY, CENTRE, CHANNEL_RATE, HERE, PNG, RADIO_RATE, RASTER,
                               SAMPLE_RATE, BandTest, free_port, main, make_band, write)


class band_headless(BandTest):
    common = ("--sample-rate", SAMPLE_RATE, "--freq", CENTRE, "--headless")

    def receive(self, kind, *arguments):
        path = write(self.folder / f"band.{kind}", make_band(1.0))
        return self.run_again("", "--input", path, *self.common, *arguments)

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
        # Full deviation gives 0.7 of full scale, less the loss in the de-emphasis.
        loss = 1 / np.sqrt(1 + (2 * np.pi * tone * 75e-6) ** 2)
        self.assertAlmostEqual(0.7 * loss, spectrum[tone // 2], delta=0.07)

    def test_every_format(self):
        for kind in ("cu8", "cs8", "cs12", "cs16", "cf32"):
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
        # Half of a carrier's power lies in each of two neighbours, so only the loudest passes the
        # threshold.
        self.assertEqual({-131250, -118750},
                         {offset for offset, row in rows.items() if row[1] > 0})

    def test_modes_and_widths(self):
        """Two carriers, 1.5 and 3.2 kHz above the tuned frequency; in AM there are beats."""
        time_s = np.arange(SAMPLE_RATE) / SAMPLE_RATE
        band = 0.1 * sum(np.exp(2j * np.pi * (62500 + tone) * time_s) for tone in (1500, 3200))
        path = write(self.folder / "tones.cf32", band)
        for options, heard, not_heard in (
                (("--mode", "usb"), [1500], [3200, 1700]),
                (("--mode", "USB", "--width", "3500"), [1500, 3200], [1700]),
                (("--mode", "am", "--width", "7000"), [1700], [1500, 3200])):
            with self.subTest(options=options):
                self.run_again("", "--input", path, *self.common, "--tune", CENTRE + 62500,
                               *options)
                with wave.open(str(self.folder / "band-output/channel.wav")) as audio:
                    frames = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2")
                self.assertEqual(CHANNEL_RATE, len(frames))
                last = frames[-CHANNEL_RATE // 2:] * np.hanning(CHANNEL_RATE // 2)
                levels = 20 * np.log10(np.abs(np.fft.rfft(last)) + 1)
                for tone in heard:
                    self.assertGreater(levels[tone // 2], levels.max() - 3)
                for tone in not_heard:
                    self.assertLess(levels[tone // 2], levels.max() - 40)

    def test_audio_that_cannot_be_written(self):
        path = write(self.folder / "band.cu8", make_band(1.0))
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60000, limits[1]))
        try:
            done = self.run_program("", "--input", path, *self.common, status=2)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertIn("--output: band-output/channel.wav cannot be written: File too large",
                      done.stderr)
        with wave.open(str(self.folder / "band-output/channel.wav")) as audio:
            self.assertGreater(audio.getnframes(), 20000)

    def test_parts_of_a_stream(self):
        """Levels and waterfall are the same however the stream is cut into calls."""
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


class band_rtl_fake_radio(BandTest):
    def setUp(self):
        super().setUp()
        for module, package in (("SoapySDR", "python3-soapysdr"), ("gnuradio.soapy", "gnuradio")):
            if importlib.util.find_spec(module) is None:
                self.skipTest(f"{module} is missing: install the package {package}")
        modules = os.environ.get("CLDSP_TEST_SOAPY_MODULES")
        if not modules:
            self.skipTest("the fake radio was not built: install the package libsoapysdr-dev")
        path = write(self.folder / "on-air.cu8", make_band(1.0, RADIO_RATE))
        self.radio = {"SOAPY_SDR_PLUGIN_PATH": modules, "CLDSP_FAKE_RADIO_FILE": str(path)}
        self.options = ("--input", "rtl", "--radio", "driver=cldsp-fake", "--freq", CENTRE,
                        "--sample-rate", RADIO_RATE)

    def test_headless(self):
        done = self.run_program("", *self.options, "--headless", "--seconds", "1.5",
                                "--squelch", "-35",
                                **self.radio)
        self.assertIn("35 channels from a file that plays radio", done.stdout)
        self.assertRegex(done.stdout.rstrip(), r"3 of 35 channels busy$")

    def test_gain(self):
        self.run_program("", *self.options, "--headless", "--seconds", "0.2", "--gain", "50",
                         **self.radio)
        for gain in ("50.5", "-1"):
            done = self.run_program("", *self.options, "--headless", "--gain", gain, status=2,
                                    **self.radio)
            self.assertIn(f"--gain {gain}: must be 0 to 50 dB for this radio", done.stderr)

    def test_served(self):
        done = self.run_program("server.py", *self.options, "--seconds", "1.5", "--port",
                                free_port(), **self.radio)
        self.assertIn("serving a file that plays radio", done.stdout)
        self.assertRegex(done.stdout.rstrip(), r"the server has ended$")

    def test_radio_that_hangs(self):
        # Both at once, because each of them waits for a while.
        programs = (("", ["--headless"]), ("server.py", ["--port", free_port()]))
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = [pool.submit(self.run_program, program, *self.options, *more, status=2,
                                CLDSP_FAKE_RADIO_SILENT="0", **self.radio)
                    for program, more in programs]
        for run in runs:
            self.assertIn("no sample arrived for", run.result().stderr)


class band_bad_input(BandTest):
    def test_options(self):
        path = write(self.folder / "band.cu8", make_band(0.01))
        (self.folder / "there/band.png").mkdir(parents=True)
        (self.folder / "there.txt").write_text("no samples")
        (self.folder / "empty.cu8").touch()
        with wave.open(str(self.folder / "mono.wav"), "wb") as mono:
            mono.setparams((1, 2, 48000, 0, "NONE", ""))
            mono.writeframes(bytes(960))
        one = ("--input", path, "--headless", "--sample-rate", SAMPLE_RATE)
        for pattern, arguments in (
            ("required: --input", ["--headless"]),
            ("No such file", ["--input", "absent.cu8", "--headless"]),
            ("type is needed, because the name 'there.txt' does not", ["--input", "there.txt"]),
            ("--input empty.cu8: the file holds no sample", ["--input", "empty.cu8"]),
            ("--input mono.wav: has real samples .s16., but must have I and Q",
             ["--input", "mono.wav"]),
            ("--type goes with a recording", ["--input", "rtl", "--freq", "1e8", "--type", "cu8"]),
            ("--repeat goes with a file", ["--input", "-", "--type", "cu8", "--repeat"]),
            ("--gain goes with", [*one, "--gain", "3"]),
            ("needs --freq", ["--input", "rtl", "--headless"]),
            ("--repeat goes with a file", ["--input", "rtl", "--freq", "1e8", "--repeat"]),
            ("--output goes with", ["--input", path, "--output", "x"]),
            ("--raster 10:", [*one, "--raster", "10"]),
            ("--raster: 'nan' must be a number of Hz", [*one, "--raster", "nan"]),
            ("--sample-rate 500001: must be 2 or more times --channel-rate 48000",
             [*one, "--sample-rate", "500001"]),
            ("--sample-rate 0: must be above 0", [*one, "--rate", "0"]),
            ("--channel-rate 0", [*one, "--channel-rate", "0"]),
            ("is not in the band", [*one, "--channels", "300000"]),
            ("expected frequencies", [*one, "--channels", "1e3;2e3"]),
            ("exclude each other", [*one, "--channels", "1e3", "--raster-origin", "0"]),
            ("--raster-origin: 'inf' must be", [*one, "--raster-origin", "inf"]),
            ("at most 1000", [*one, "--raster", "100"]),
            ("--tune 1e6: not in", [*one, "--tune", "1e6"]),
            ("--mode fm: must be nfm, am, usb or lsb", [*one, "--mode", "fm"]),
            ("--width 299: must be 300 to 40320 Hz, with nfm", [*one, "--width", "299"]),
            ("--width: 'nan' must be a number of Hz", [*one, "--width", "nan"]),
            ("--width 20061: must be 300 to 20060 Hz, with lsb in a channel of 48000",
             [*one, "--mode", "lsb", "--width", "20061"]),
            ("--record-folder goes with the window", [*one, "--record-folder", "there"]),
            (r"--record-folder band\.cu8: must be a folder that can be written to",
             [*one[:2], *one[3:], "--record-folder", "band.cu8"]),
            ("--tune: 'nan' must be", [*one, "--tune", "nan"]),
            ("--freq/--center: '446.1X' must be a number of Hz such as 446.1M",
             [*one, "--freq", "446.1X"]),
            ("--sample-rate/--rate: '2.5' must be a whole number", [*one, "--rate", "2.5"]),
            ("--seconds 0", [*one, "--seconds", "0"]),
            (r"--seconds 1e\+15: must be above 0, to 100000000", [*one, "--repeat", "--seconds",
                                                                  "1e15"]),
            ("--sample-rate 480+: must be above 0, to 10000000000",
             [*one, "--channels", "0", "--sample-rate", 48 * 10 ** 30]),
            ("[0-9]+ channels: at most 1000", [*one, "--sample-rate", 48 * 10 ** 8]),
            ("no-such-thing", [*one, "--device", "no-such-thing"]),
            ("no-such-thing", [*one, "--algorithm", "no-such-thing"]),
            ("accuracy", [*one, "--accuracy", "1"]),
            (r"--output band\.cu8/band\.png: must be a file", [*one, "--output", "band.cu8"]),
            ("--output is there/band.png, but must be a file", [*one, "--output", "there"]),
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
            (r"--output is x\.mp3, but must end with \.wav or", [*there, "--output", "x.mp3"]),
            ("--output is .*, but must be a file", [*there, "--output", self.folder]),
            ("--output /dev/null/x.wav: must be", [*there, "--output", "/dev/null/x.wav"]),
            ("--seconds -1", [*there, "--seconds", "-1"]),
            ("--seconds 10+.0: must be above 0, to 100000000", [*there, "--seconds", "1e15"]),
            ("--mode wfm: must be nfm, am", [*there, "--mode", "wfm"]),
            ("--width 1: must be 300 to 40320 Hz", [*there, "--width", "1", "--output", "x.wav"]),
            ("--rate 999: must be 1000 to 192000", [*there, "--rate", "999"]),
            ("--rate 10+: must be 1000 to 192000", [*there, "--rate", 10 ** 300]),
            ("--rate: '10+' must be a number of Hz", [*there, "--rate", 10 ** 400]),
        ):
            self.refuse("worker.py", pattern, *arguments)


if __name__ == "__main__":
    main()
