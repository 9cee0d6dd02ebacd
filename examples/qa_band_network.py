#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A server and its workers, all on this machine."""

import subprocess
import sys
import time
import wave

import numpy as np

from band_test_support import (BUSY, BUSY_NUMBERS, CENTRE, CHANNEL_RATE, HERE, QUIET, RASTER,
                               SAMPLE_RATE, TIMEOUT_S, BandTest, free_port, main, make_band,
                               write)


class band_network(BandTest):
    """A server and its workers, all on this machine."""

    def setUp(self):
        super().setUp()
        self.band = make_band(0.5)
        self.path = write(self.folder / "band.cf32", self.band)

    def serve(self, *arguments):
        """Starts a server of the file on free ports; returns the server and its address."""
        for _ in range(20):
            port = free_port()
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
            # Another program may use one of the ports.
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
        """The outputs of a bank for the second pass through the file, by channel number."""
        sys.path.insert(0, str(HERE))
        from band_receiver.band import Band, Channel
        from gnuradio import blocks, cldsp, gr

        offsets = range(-200000, 200001, RASTER)
        band = Band(CENTRE, SAMPLE_RATE, RASTER, CHANNEL_RATE,
                    [Channel(k, CENTRE + f, f) for k, f in enumerate(offsets)])
        bank = cldsp.freq_xlating_filter_bank_ccf(band.decimation, band.taps(), band.offsets,
                                                  SAMPLE_RATE, "host", algorithm="direct")
        flowgraph = gr.top_block()
        twice = np.tile(self.band.astype(np.complex64), 2)
        flowgraph.connect(blocks.vector_source_c(twice), bank)
        sinks = [blocks.vector_sink_c() for _ in offsets]
        for k, sink in enumerate(sinks):
            flowgraph.connect((bank, k), sink)
        flowgraph.run()
        return [np.array(sink.data())[len(twice) // 20:] for sink in sinks]

    def find(self, part, period):
        """The position of a part in a periodic signal, at which the difference is smallest."""
        spectrum = np.fft.fft(period.astype(complex))
        shape = np.fft.fft(np.ones(len(part)), len(period))
        energy = np.fft.ifft(np.fft.fft(np.abs(period.astype(complex)) ** 2) * np.conj(shape))
        alike = np.fft.ifft(spectrum * np.conj(np.fft.fft(part.astype(complex), len(period))))
        return np.argmin(energy.real - 2 * alike.real)

    def test_workers_get_the_banks_samples(self):
        server, address = self.serve("--repeat")
        # One noisy and one busy channel. Their samples show which position of the file they come
        # from.
        workers = {number: self.work(address, "--channel", number, "--seconds", "0.4",
                                     "--output", f"{number}.cf32")
                   for number in (QUIET, BUSY_NUMBERS[0])}
        sounds = [self.work(address, "--channel", BUSY_NUMBERS[1], "--seconds", "0.2", *arguments)
                  for arguments in (("--output", "sound.wav"),
                                    ("--output", "usb.wav", "--mode", "usb", "--width", "4200"))]
        for worker in [*workers.values(), *sounds]:
            self.assertEqual(0, worker.wait(TIMEOUT_S))
        self.stop(server)
        expected = self.channels()
        for number in workers:
            got = np.fromfile(self.folder / f"{number}.cf32", dtype=np.complex64)
            self.assertEqual(int(0.4 * CHANNEL_RATE), len(got))
            # At the very start of the stream the filter has an empty history.
            got = got[1000:]
            period = expected[number]
            place = (self.find(got, period) + np.arange(len(got))) % len(period)
            np.testing.assert_allclose(got, period[place], rtol=0,
                                       atol=2e-5 * np.abs(period).max())
        # The fourth of the lines that the tone of 1000 Hz has in FM is the strongest up to 4300 Hz.
        for name, tone in (("sound.wav", BUSY[50000][1]), ("usb.wav", 4000)):
            with wave.open(str(self.folder / name)) as audio:
                self.assertEqual(int(0.2 * CHANNEL_RATE), audio.getnframes())
                frames = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2") / 32768
            spectrum = np.abs(np.fft.rfft(frames[-CHANNEL_RATE // 10:]))
            self.assertEqual(tone, 10 * (np.argmax(spectrum[5:]) + 5))

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
        # The worker ends by itself, whether or not its message came before the end of so short a
        # file.
        errors = worker.communicate(timeout=TIMEOUT_S)[1]
        self.assertIn(worker.returncode, (0, 2))
        self.assertNotIn("Traceback", errors)
        if worker.returncode == 2:
            self.assertIn("nothing arrived from", errors)


if __name__ == "__main__":
    main()
