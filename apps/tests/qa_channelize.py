#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp channelize`: every output is compared with the filter's definition, in
double precision, or with the signal that was put in."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest
import wave

from channelize_support import (EXACT, OFFSET, RATE, TYPES, ChannelizeCommandTest, error_db,
                                noise, np, raw, reference, tone)
from support import PROGRAM, TIMEOUT


class ChannelizeTest(ChannelizeCommandTest):

    # Filters

    def test_filters_meet_their_specification(self):
        empty = self.file("x.cf32", b"")
        for rate, bandwidth, stopband in ((8000, 6000, 60), (48000, 20000, 80),
                                          (96000, 90000, 40), (1000, 800, 100),
                                          (12000, 11000, 20), (2000, 100, 120)):
            design, (taps,) = self.taps(empty, "--rate", RATE, "--stopband", stopband,
                                        "--channel", f"0,{rate},bw={bandwidth}")
            self.assertEqual(design["channels"][0]["taps"], len(taps))
            size = 1 << 18
            gains = np.abs(np.fft.rfft(taps, size))
            hertz = np.arange(len(gains)) * RATE / size
            error = 10 ** (-stopband / 20)
            self.assertLess(gains[hertz >= rate / 2].max(initial=0), error, rate)
            self.assertLess(np.abs(gains[hertz <= bandwidth / 2] - 1).max(), 2 * error, rate)

    def test_channels_of_one_kind_have_one_filter(self):
        design, filters = self.taps(
            self.file("x.cf32", b""), "--rate", RATE, "--channel", "0,8k",
            "--channel", "9k,8k", "--channel", "9k,8k,bw=4k")
        self.assertEqual(len(filters), 2)
        self.assertEqual([c["filter"] for c in design["channels"]], [0, 0, 1])

    # Signals

    def test_every_type(self):
        for kind, (is_complex, write, read) in TYPES.items():
            numbers = write(noise(60001 * (2 if is_complex else 1)))
            path = self.file("x.raw", numbers.tobytes())
            arguments = [path, "--type", kind, "--rate", RATE,
                         "--channel", f"{OFFSET},8k,bw=6k"]
            _, (taps,) = self.taps(*arguments)
            self.channelize(*arguments, "--out", self.out, "--format", "raw", "--overwrite")
            items = read(numbers.tobytes()).astype(float)
            if is_complex:
                items = items[::2] + 1j * items[1::2]
            expected = reference(items, taps, OFFSET, 12)
            got = self.result()
            self.assertEqual(len(got), len(items) // 12, kind)
            self.assertLess(error_db(got, expected), -110, kind)

    def test_a_rate_as_a_driver_reports_it(self):
        rate, true = 1000000.026491, 48000.001271568
        path = self.file("x.cf32", raw(tone(700, 125000, rate)))
        good = [path, "--rate", rate, "--channel", "0,48k,bw=20k", "--channel", "0,1M,name=all"]
        written, said = self.channelize(*good, "--out", self.out, "--json")
        self.assertTrue(any("48000.0012716 Hz instead of 48000 Hz" in line for line in said), said)
        channels = json.loads(written)["channels"]
        self.assertEqual([c["samples"] for c in channels], [6000, 125000])
        self.assertAlmostEqual(channels[0]["rate"], true, places=6)
        meta = json.loads((self.out / "ch1.sigmf-meta").read_text(encoding="utf-8"))
        self.assertAlmostEqual(meta["global"]["core:sample_rate"], true, places=6)
        self.channelize(*good[:5], "--out", self.out, "--format", "wav")
        self.assertEqual((self.out / "ch1.wav").read_bytes()[24:28], struct.pack("<I", 48000))
        # Audio may have a rate of its own, or all of this one.
        for audio, count in (("48k", 6000), ("24k", 3000)):
            self.channelize(*good[:5], "--out", self.out, "--demod", "fm", "--audio-rate", audio,
                            "--overwrite")
            content = (self.out / "ch1.wav").read_bytes()
            self.assertEqual(len(content), 44 + 2 * count)

    def test_packed_pairs(self):
        help_text = self.run_command("channelize", "--help").stdout
        # Pairs of numbers that are not whole bytes.
        kinds = [int(bits) for bits in re.findall(r"\bcs(\d+)\b", help_text) if int(bits) % 8]
        self.assertIn(12, kinds)
        for bits in kinds:
            one = 1 << (bits - 1)
            values = np.round(noise(20000) * (one - 1)).astype(int)
            words = (values[::2] & 2 * one - 1) | (values[1::2] & 2 * one - 1) << bits
            packed = np.stack([words >> 8 * k & 255 for k in range(bits // 4)], axis=1).astype("u1")
            path = self.file(f"x.cs{bits}", packed.tobytes())
            arguments = [path, "--rate", RATE, "--channel", f"{OFFSET},8k,bw=6k"]
            _, (taps,) = self.taps(*arguments)
            self.channelize(*arguments, "--out", self.out, "--format", "raw", "--overwrite")
            items = (values[::2] + 1j * values[1::2]) / one
            self.assertLess(error_db(self.result(), reference(items, taps, OFFSET, 12)), -110)

    def test_channels_of_different_rates(self):
        # A tone in the passband comes out at its place, later by the delay.
        count = 60000
        path = self.file("x.cf32", raw(tone(OFFSET + 700, count)))
        for extra in (EXACT, ("--device", "host", "--variant", "selected_bins")):
            said = self.channelize(
                path, "--rate", RATE, "--channel", f"{OFFSET},8k,bw=4k,name=a",
                "--channel", f"{OFFSET},9k,bw=4k,name=b",
                "--channel", f"{OFFSET + 1000},22050,bw=4k,name=c,stopband=80",
                "--channel=-20k,8k,bw=4k,name=d", "--out", self.out, "--format", "raw",
                "--overwrite", "--json", *extra, exact=False)[0]
            channels = {c["name"]: c for c in json.loads(said)["channels"]}
            for name, rate, hertz in (("a", 8000, 700), ("b", 9000, 700), ("c", 22050, -300)):
                got = self.result(name)
                self.assertEqual(len(got), int(count * rate / RATE))
                self.assertEqual(channels[name]["samples"], len(got))
                times = np.arange(len(got)) / rate - channels[name]["delay"]
                expected = 0.5 * np.exp(2j * np.pi * hertz * times)
                settled = slice(int(2 * channels[name]["delay"] * rate) + 2, None)
                self.assertLess(np.abs(got - expected)[settled].max(), 2e-3)
            self.assertLess(np.abs(self.result("d")[200:]).max(), 1e-3)  # out of its band

    def test_the_cut_of_the_stream_does_not_matter(self):
        # A pipe whose pieces end within samples gives the same output as the file, up to
        # rounding.
        for channel in ("12345.678,8k,bw=6k", "12345.678,9k,bw=6k"):
            for kind in ("cu8", "cs16", "ri24_le"):
                data = TYPES["cu8"][1](noise(90000)).tobytes()
                path = self.file("x.raw", data)
                arguments = ["--type", kind, "--rate", RATE, "--channel", channel,
                             "--out", "-"]
                whole, _ = self.channelize(path, *arguments, status=1
                                           if len(data) % 4 and kind == "cs16" else 0)
                process = self.start("-", *arguments, stdin=subprocess.PIPE, bufsize=0)
                sizes = (1, 2, 3, 5, 7, 1000, 1, 4097, 13)
                at = turn = 0
                while at < len(data):
                    size = sizes[turn % len(sizes)]
                    process.stdin.write(data[at:at + size])
                    at, turn = at + size, turn + 1
                    if turn % 7 == 0:
                        time.sleep(0.001)
                written, said = process.communicate(timeout=TIMEOUT)
                self.assertEqual(process.returncode, 0, said)
                a, b = np.frombuffer(whole, "<c8"), np.frombuffer(written, "<c8")
                self.assertEqual(len(a), len(b))
                self.assertGreater(len(a), 1000)
                self.assertLess(error_db(b, a), -120)

    def test_many_pieces(self):
        # More items than a piece holds; unsigned bytes, whose history is no silence.
        count = 2500001
        data = TYPES["cu8"][1](noise(2 * count))
        path = self.file("x.cu8", data.tobytes())
        arguments = [path, "--rate", RATE, "--channel", f"{OFFSET},800,bw=400"]
        _, (taps,) = self.taps(*arguments)
        items = TYPES["cu8"][2](data.tobytes())
        expected = reference(items[::2] + 1j * items[1::2], taps, OFFSET, 120)
        for extra in (("simd", -110), ("selected_bins", -80), ("polyphase", -80)):
            self.channelize(*arguments, "--out", self.out, "--format", "raw", "--overwrite",
                            "--device", "host", "--variant", extra[0], exact=False)
            got = self.result()
            self.assertEqual(len(got), count // 120)
            self.assertLess(error_db(got, expected), extra[1])
            begin = slice(0, len(taps) // 120)
            self.assertLess(np.abs(got - expected)[begin].max(), 1e-4 * np.abs(expected).max())

    def test_the_engine_is_named_once(self):
        path = self.file("x.cf32", raw(noise(1000)))
        _, said = self.channelize(path, "--rate", RATE, "--channel", "0,8k", "--out", "-")
        self.assertEqual(len([line for line in said if "direct/simd on host" in line]), 1)

    def test_integers_are_clipped_and_counted(self):
        path = self.file("x.cf32", raw(4 * tone(0, 20000)))
        written, said = self.channelize(path, "--rate", RATE, "--channel", "0,8k", "--out",
                                        "-", "--output-type", "cs16")
        got = np.frombuffer(written, "<i2")
        self.assertEqual(got.max(), 32767)
        self.assertTrue(any("numbers were clipped" in line for line in said), said)
        path = self.file("x.cf32", raw(tone(0, 20000)))
        written, said = self.channelize(path, "--rate", RATE, "--channel", "0,8k", "--out",
                                        "-", "--output-type", "cs16")
        self.assertEqual(np.frombuffer(written, "<i2")[-2], 16384)
        self.assertFalse(any("clipped" in line for line in said), said)

    # Files

    def test_sigmf(self):
        center = 137e6
        path = self.sigmf("x", raw(tone(100e3 - 90000, 20000)), captures=[
            {"core:sample_start": 0, "core:frequency": center,
             "core:datetime": "2026-01-01T00:00:00.5Z"}])
        for name in (path, path.with_suffix(".sigmf-data")):
            said = json.loads(self.channelize(
                name, "--channel", "137.01M,8k,name=noaa", "--out", self.out, "--json",
                "--overwrite")[0])
        delay = said["channels"][0]["delay"]
        self.assertAlmostEqual(said["items"] / said["seconds"], said["items_per_second"],
                               delta=1e-3 * said["items_per_second"])
        meta = json.loads((self.out / "noaa.sigmf-meta").read_text(encoding="utf-8"))
        self.assertEqual(meta["global"]["core:datatype"], "cf32_le")
        self.assertEqual(meta["global"]["core:sample_rate"], 8000)
        self.assertEqual(meta["captures"][0]["core:frequency"], 137.01e6)
        self.assertEqual(meta["captures"][0]["core:datetime"],
                         f"2026-01-01T00:00:00.{round((0.5 - delay) * 1e9):09d}Z")
        got = np.fromfile(self.out / "noaa.sigmf-data", "<c8")
        self.assertEqual(len(got), 20000 // 12)
        self.assertLess(np.abs(np.abs(got[100:]) - 0.5).max(), 1e-3)
        # An output can be read as an input again, and its centre frequency is known.
        self.channelize(self.out / "noaa.sigmf-meta", "--channel", "137.0105M,2k",
                        "--out", self.folder / "again", "--output-type", "ci16_le")
        got = np.fromfile(self.folder / "again" / "ch1.sigmf-data", "<i2")
        self.assertEqual(len(got), 2 * (20000 // 12 // 4))

    def test_sigmf_heads_and_tails(self):
        content = raw(tone(0, 4000))
        path = self.sigmf("x", b"head" + content + b"tails", globals={
            "core:trailing_bytes": 5, "core:dataset": "x.sigmf-data"},
            captures=[{"core:sample_start": 0, "core:header_bytes": 4}])
        written, _ = self.channelize(path, "--channel", "0,96k,bw=40k", "--out", "-")
        self.assertEqual(len(written), len(content))

    def test_damaged_sigmf(self):
        content = raw(tone(0, 100))
        channel = ("--channel", "0,8k", "--out", self.out)
        for more, name in (({"globals": {"core:datatype": None}}, "no core:datatype"),
                           ({"datatype": "cf16_le"}, "'cf16_le'"),
                           ({"globals": {"core:datatype": 5}}, "core:datatype"),
                           ({"globals": {"core:sample_rate": "fast"}}, "core:sample_rate"),
                           ({"globals": {"core:sample_rate": -1}}, "core:sample_rate"),
                           ({"globals": {"core:sample_rate": None}}, "--rate"),
                           ({"globals": {"core:num_channels": 2}}, "channel"),
                           ({"captures": [{"core:frequency": 1}, {"core:frequency": 2}]},
                            "core:frequency"),
                           ({"captures": 7}, "captures")):
            path = self.sigmf("x", content, **more)
            self.assert_refused(path, *channel, names=[name])
            self.assertFalse(self.out.exists())
        self.assert_refused(self.sigmf("x", content[:7]), *channel,
                            names=["less than one sample"], status=1)
        for text in ("{ damaged", "[]", "7", '{"global": []}', "[" * 100000):
            self.sigmf("x", content)
            self.assert_refused(self.file("x.sigmf-meta", text), *channel, status=1,
                                names=["x.sigmf-meta"])
        (self.folder / "x.sigmf-data").unlink()
        self.assert_refused(self.sigmf("y", b"").with_name("x.sigmf-meta"), *channel, status=1)

    def test_data_that_end_within_a_sample(self):
        # All whole samples are filtered, and the incomplete last one is reported.
        for path in (self.file("x.cf32", raw(tone(0, 1200)) + b"abc"),
                     self.sigmf("x", raw(tone(0, 1200)) + b"abc")):
            self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "--out", self.out,
                                "--format", "raw", "--overwrite",
                                names=["truncated", "3 bytes"], status=1)
            self.assertEqual(len(self.result()), 100)

    def wav(self, name, code, bits, channels, content, size=None, extra=b"", riff=None):
        item = channels * bits // 8
        head = struct.pack("<HHIIHH", code, channels, RATE, RATE * item, item, bits)
        data = struct.pack("<4sI", b"data", len(content) if size is None else size)
        body = b"WAVEfmt " + struct.pack("<I", 16) + head + extra + data + content
        riff = len(body) if riff is None else riff
        return self.file(name, b"RIFF" + struct.pack("<I", riff) + body)

    def test_wav_in(self):
        signal_in = noise(40000)
        forms = ((1, 8, lambda v: np.round(v * 127 + 128).astype("u1"),
                  lambda v: (v.astype(float) - 128) / 128),
                 (1, 16, lambda v: np.round(v * 32767).astype("<i2"), lambda v: v / 32768),
                 (3, 32, lambda v: v.astype("<f4"), lambda v: v.astype(float)),
                 (3, 64, lambda v: v.astype("<f8"), lambda v: v))
        for code, bits, write, read in forms:
            for channels in (1, 2):
                numbers = write(signal_in)
                path = self.wav("x.wav", code, bits, channels, numbers.tobytes())
                items = read(numbers)
                if channels == 2:
                    items = items[::2] + 1j * items[1::2]
                arguments = ["--channel", f"{OFFSET},8k,bw=6k"]
                _, (taps,) = self.taps(path, *arguments)
                expected = reference(items, taps, OFFSET, 12)
                for source, more in ((path, {}), ("-", {"data": path.read_bytes()})):
                    kind = ("--type", "wav") if source == "-" else ()
                    written, _ = self.channelize(source, *kind, *arguments, "--out", "-",
                                                 **more)
                    got = np.frombuffer(written, "<c8")
                    self.assertEqual(len(got), len(items) // 12)
                    self.assertLess(error_db(got, expected), -110, (code, bits, channels))

    def test_wav_of_24_bits_and_its_centre(self):
        numbers = np.round(noise(20000) * 8388607).astype("<i4")
        content = numbers.view("u1").reshape(-1, 4)[:, :3].tobytes()
        auxi = bytes(32) + struct.pack("<II", 145000000, 0)
        extra = b"auxi" + struct.pack("<I", len(auxi)) + auxi
        path = self.wav("x.wav", 1, 24, 2, content, extra=extra)
        arguments = [path, "--channel", f"{145e6 + OFFSET},8k,bw=6k"]
        _, (taps,) = self.taps(*arguments)
        written, _ = self.channelize(*arguments, "--out", "-")
        items = (numbers[::2] + 1j * numbers[1::2]) / 2**23
        self.assertLess(error_db(np.frombuffer(written, "<c8"),
                                 reference(items, taps, OFFSET, 12)), -110)

    def test_damaged_wav(self):
        good = self.wav("x.wav", 1, 16, 2, bytes(4000)).read_bytes()
        channel = ("--channel", "0,8k", "--out", self.out, "--format", "raw", "--overwrite")
        for name, content in (("RIFF", b"nonsense" * 10), ("WAVE", b"RIFF1234AVI "),
                              ("first sample", good[:30]), ("first sample", b"RIFF"),
                              ("16 MiB", good[:12] + b"junk\xff\xff\xff\x7f")):
            self.assert_refused(self.file("x.wav", content), *channel, names=[name], status=1)
        self.assert_refused(self.wav("x.wav", 2, 16, 2, bytes(4000)), *channel, status=1,
                            names=["format 2"])
        self.assert_refused(self.wav("x.wav", 1, 16, 3, bytes(4000)), *channel, status=1,
                            names=["3 channels"])
        self.assert_refused(self.wav("x.wav", 1, 13, 2, bytes(4000)), *channel, status=1)
        # The part of the file that is there is filtered.
        self.assert_refused(self.wav("x.wav", 1, 16, 2, bytes(4800), size=8000), *channel,
                            names=["truncated", "8000", "4800"], status=1)
        self.assertEqual(len(self.result()), 100)
        # Programs that write to a pipe do not know the size.
        for size, riff in ((0, 0), (0, 36), (0, 0xffffffff), (0xffffffff, None)):
            self.channelize(self.wav("x.wav", 1, 16, 2, bytes(4800), size=size, riff=riff),
                            *channel)
            self.assertEqual(len(self.result()), 100)

    def test_wav_with_the_size_of_a_stream(self):
        # sox writes 0x7ffff000, or less for whole samples; what was a stream may be a file now.
        for bits, size in ((16, 0x7ffff000), (16, 0x7fffffff), (24, 0x7fffeffc)):
            content = bytes(1200 * 2 * bits // 8)
            self.channelize(self.wav("x.wav", 1, bits, 2, content, size=size), "--channel",
                            "0,8k", "--out", self.out, "--format", "raw", "--overwrite")
            self.assertEqual(len(self.result()), 100)
        # No sample is lost behind the first 2 GiB, of which none is on the disk.
        path = self.wav("x.wav", 1, 16, 2, b"", size=0x7ffff000)
        with open(path, "r+b") as file:
            file.truncate(44 + 0x7ffff000 + 4000)
        process = self.start(path, "--rate", "1G", "--channel", "0,1M", "--out", self.out,
                             "--format", "raw", "--overwrite", "--speed", 0.001, "--progress")
        said = b""
        while b"%" not in said:  # such as "0.0 % of 0.537 s"
            self.assertIsNone(process.poll())
            said += process.stderr.read1()
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=TIMEOUT)[1]
        self.assertIn(f"of {(0x7ffff000 + 4000) // 4} samples", said.decode())
        # Recorders split files at other sizes near 2 GiB.
        self.assert_refused(self.wav("x.wav", 1, 16, 2, bytes(4800), size=0x7ffffff8),
                            "--channel", "0,8k", "--out", self.out, "--format", "raw",
                            "--overwrite", names=["truncated"], status=1)

    def test_wav_without_samples(self):
        # The chunk behind the samples is none.
        path = self.wav("x.wav", 1, 16, 2, b"LIST" + struct.pack("<I", 4000) + bytes(4000), size=0)
        for source, more in ((path, {}), ("-", {"data": path.read_bytes()})):
            written, said = self.channelize(source, "--type", "wav", "--channel", "0,8k", "--out",
                                            "-", status=1, **more)
            self.assertEqual(written, b"")
            self.assertIn("has no samples", "".join(said))

    def test_wav_out(self):
        path = self.file("x.cf32", raw(tone(700, 9600)))
        self.channelize(path, "--rate", RATE, "--channel", "0,8k", "--format", "wav", "--out",
                        self.out, "--output-type", "cs16")
        content = (self.out / "ch1.wav").read_bytes()
        self.assert_plain_wav(content, (1, 2, 8000, 32000, 4, 16), 800 * 4)
        again, _ = self.channelize(self.out / "ch1.wav", "--channel", "0,8k,bw=4k",
                                   "--out", "-")
        self.assertEqual(len(again), 800 * 8)

    def assert_plain_wav(self, content, form, size):
        """The head that every program reads, of 44 bytes, or of 58 if samples are floats. Returns
        the bytes behind it."""
        self.assertEqual(content[:4] + content[8:16], b"RIFFWAVEfmt ")
        if form[0] == 1:
            self.assertEqual(struct.unpack("<IHHIIHH", content[16:36]), (16, *form))
            at = 36
        else:
            self.assertEqual(struct.unpack("<IHHIIHHH4sII", content[16:50]),
                             (18, *form, 0, b"fact", 4, size // form[4]))
            at = 50
        self.assertEqual(struct.unpack("<4sI", content[at:at + 8]), (b"data", size))
        self.assertEqual(struct.unpack("<I", content[4:8])[0], size + at)
        return content[at + 8:]

    def test_wav_of_unknown_length(self):
        # A file of IQ gets a head with room for 64-bit sizes, a file of audio the plain head.
        data = raw(tone(700, 9600))
        arguments = ["-", "--type", "cf32", "--rate", RATE, "--channel", "0,8k", "--format",
                     "wav", "--out", self.out, "--overwrite"]
        self.channelize(*arguments, data=data)
        content = (self.out / "ch1.wav").read_bytes()
        self.assertEqual(content[:4] + content[8:16], b"RIFFWAVEJUNK")
        self.assertEqual(struct.unpack("<I", content[4:8])[0], len(content) - 8)
        self.assertEqual(struct.unpack("<HHIIHHH4sII", content[56:86]),
                         (3, 2, 8000, 64000, 8, 32, 0, b"fact", 4, 800))
        self.assertEqual(struct.unpack("<4sI", content[86:94]), (b"data", 800 * 8))
        self.assertEqual(len(content), 94 + 800 * 8)
        for kind, form in ((), (1, 1, 4000, 8000, 2, 16)), (("f32",), (3, 1, 4000, 16000, 4, 32)):
            self.channelize(*arguments, "--demod", "am", "--audio-rate", "4k",
                            *(["--output-type", *kind] if kind else []), data=data)
            size = 400 * form[4]
            rest = self.assert_plain_wav((self.out / "ch1.wav").read_bytes(), form, size)
            self.assertEqual(len(rest), size)

    def test_wav_that_will_be_long(self):
        # 8 GB of samples, of which none is on the disk.
        path = self.folder / "x.cs8"
        with open(path, "wb") as file:
            file.truncate(8000 << 20)
        process = self.start(path, "--rate", RATE, "--channel", "0,16k", "--format", "wav",
                             "--out", self.out, "--speed", 1)
        data = self.out / "ch1.wav"
        while not data.exists() or data.stat().st_size <= 94:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(data.read_bytes()[12:16], b"JUNK")

    def test_wav_into_pipes(self):
        # Each command gets one head without a length, and the command reads such a head itself.
        unknown = 0x7ffff000
        path = self.file("x.cf32", raw(noise(9600)))
        good = [path, "--rate", RATE, "--channel", "0,8k"]
        whole, _ = self.channelize(*good, "--out", "-")
        written, _ = self.channelize(*good, "--out", "-", "--format", "wav")
        head = 58
        self.assertEqual(
            self.assert_plain_wav(written, (3, 2, 8000, 64000, 8, 32), unknown), whole)
        self.channelize(*good, "--exec", f"cat > {self.folder}/got", "--format", "wav")
        self.assertEqual((self.folder / "got").read_bytes(), written)
        for source in ("-", self.file("own.wav", written)):
            again, _ = self.channelize(source, "--type", "wav", "--channel", "0,8k,bw=4k",
                                       "--out", "-", data=written if source == "-" else None)
            self.assertEqual(len(again), len(whole))
        # A command that is started again gets the head again, also if no samples follow.
        self.channelize(self.file("y.cf32", raw(noise(1920000))), *good[1:], "--exec",
                        f"head -c {head + 240000} > {self.folder}/part.$$", "--format", "wav")
        parts = list(self.folder.glob("part.*"))
        self.assertGreater(len(parts), 2)
        for part in parts:
            self.assertEqual(part.read_bytes()[:head], written[:head])
        self.channelize(self.file("z.cf32", b""), *good[1:], "--exec",
                        f"cat > {self.folder}/none", "--format", "wav", status=1)
        self.assertEqual((self.folder / "none").read_bytes(), written[:head])

    # Channels

    def test_lists_of_channels(self):
        path = self.file("x.cf32", raw(noise(9600)))
        forms = {
            "a.csv": "name,frequency,rate,bandwidth\none,1k,8k,4k\n# none\n\n\"two\",-2.5kHz,"
                     "9000,\n",
            "b.csv": "1000,8k,4000,one\n-2500,9k,,two\n",
            "a.json": '[{"name": "one", "frequency": 1000, "rate": "8k", "bandwidth": 4e3},'
                      '{"frequency": "-2.5k", "rate": 9000, "name": "two", "bw": null}]',
            "b.json": '\n {"channels": [{"name": "one", "frequency": "1k", "rate": 8000, '
                      '"bw": "4k"}, {"frequency": -2500, "rate": 9000.0, "name": "two"}]}'}
        for name, text in forms.items():
            design, _ = self.taps(path, "--rate", RATE, "--channels", self.file(name, text))
            self.assertEqual([(c["name"], c["frequency"], c["rate"], c["bandwidth"])
                              for c in design["channels"]],
                             [("one", 1000, 8000, 4000), ("two", -2500, 9000, 7200)], name)
        design, _ = self.taps(path, "--rate", RATE, "--channels", self.folder / "b.csv",
                              "--channel", "0,8k")
        self.assertEqual([c["name"] for c in design["channels"]], ["one", "two", "ch3"])

    def test_bad_lists(self):
        path = self.file("x.cf32", raw(noise(960)))
        for text, name in (("", "no channels"), ("frequency,rate\n1k", "no rate"),
                           ("frequency,speed\n1k,8k", "'speed'"), ("1k,8k\n1x,8k", "line 2"),
                           ("1k,8k,4k,a,b", "5 cells"), ('1k,8k,4k,"a', "quotation"),
                           ("frequency,frequency\n1,2", "twice"),
                           ("[{]", "JSON"), ("[7]", "channel 1"), ("{}", "no list"),
                           ('[{"frequency": [1], "rate": 8000}]', "neither"),
                           ('[{"frequency": 1}]', "no rate"), ("[" * 100000, "nested")):
            self.assert_refused(path, "--rate", RATE, "--channels", self.file("list", text),
                                "--out", self.out, names=[name], status=2)
        for missing in ("/nonexistent", self.folder):
            self.assert_refused(path, "--rate", RATE, "--channels", missing, "--out",
                                self.out, names=[missing], status=1)

    def test_bad_channels(self):
        path = self.file("x.cf32", raw(noise(960)))
        for channel, name in (
                ("47k,8k", "-44800 to 44800 Hz"), ("0,90k", "rate"), ("0,0", "rate"),
                ("0,-1", "rate"), ("0,8k,bw=8k", "bandwidth"), ("0,8k,bw=0", "bandwidth"),
                ("0,8k,bw=7999.9999", "bandwidth' is 7999.9999 Hz, but must be at most 7999.79"),
                ("0,8k,stopband=300", "stopband' is 300 dB, but must be 20 to 120 dB"),
                ("0,8k,stopband=x", "stopband' is 'x', but must be a number of dB"), ("0,8k,colour=red", "'colour'"),
                ("0,8k,4k", "'4k'"),
                ("137.1M", "'137.1M': there is no rate, but a channel is FREQUENCY,RATE, such as "
                           "137.1M,48k"),
                ("rate=8k", "there is no frequency, but a channel is FREQUENCY,RATE, such as "
                            "144.5M,48k"), ("zero,8k", "'zero'"),
                ("nan,8k", "'nan'"), ("0x10,8k", "'0x10'"), ("1e999,8k", "'1e999'"),
                ("0,8k,name=a/b", "'a/b'"), ("0,8k,name=..", "'..'"),
                ("0,8k,name=a\u009b2J", "'a?2J'"), ("0,8k,name=a\udc9b2J", "'a?2J'"),
                ("0,8k,rate=9k", "twice"), ("0,47997.6", "the nearest is 48000")):
            self.assert_refused(path, "--rate", RATE, "--channel", channel, "--out", self.out,
                                names=[name], status=2)
        self.assert_refused(path, "--rate", RATE, "--center", "100M", "--channel", "1k,8k",
                            "--out", self.out, names=["99955200 to 100044800", "ch1"])
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k,name=a", "--channel",
                            "9k,8k,name=a", "--out", self.out, names=["'a'", "1 and 2"])
        self.assert_refused(path, "--rate", RATE, "--out", self.out, names=["--channel"])
        self.assertFalse(self.out.exists())

    def test_bad_options(self):
        path = self.file("x.cf32", raw(noise(960)))
        good = [path, "--rate", RATE, "--channel", "0,8k"]
        for more, name in (
                (["--out", self.out, "--udp", "a:1"], "'output' is --out and --udp, but"),
                (["--udp", "localhost"], "HOST:PORT"), (["--udp", "localhost:70000"], "65535"),
                (["--out", self.out, "--output-type", "f32"], "--demod"),
                (["--out", self.out, "--demod", "fm", "--output-type", "cf32"], "--demod"),
                (["--out", self.out, "--demod", "fm", "--audio-rate", "9M"],
                 "at most 1000 times the channel's rate, 8000 Hz"),
                (["--out", self.out, "--output-type", "x8"], "--output-type' is 'x8', but must"),
                (["--out", self.out, "--type", "x8"], "--type' is 'x8', but must be cu8"),
                (["--out", "-", "--format", "sigmf"], "raw or wav"),
                (["--exec", "cat", "--format", "sigmf"], "raw or wav"),
                (["--udp", "localhost:5000", "--format", "wav"], "raw except"),
                (["--udp", "localhost:65535", "--channel", "9k,8k"], "one for each channel"),
                (["--udp", "localhost:65534", "--rtp", "--channel", "9k,8k"], "one for each"),
                (["--udp", "localhost:5000", "--rtp", "--output-type", "cf32"], "'cf32'"),
                (["--out", self.out, "--rtp"], "--rtp is for --udp"),
                (["--zmq", "localhost:5000"], "tcp://ADDRESS:PORT"),
                (["--zmq", "tcp://*"], "'tcp://*'"), (["--zmq", "tcp://*:0"], "1 to 65535"),
                (["--zmq", "tcp://:5555"], "'tcp://:5555'"), (["--zmq", "udp://*:1"], "'udp://*:1'"),
                (["--zmq", "ipc://"], "'ipc://'"),
                (["--zmq", "ipc:///tmp/x", "--channel", "9k,8k"], "{name}"),
                (["--zmq", "tcp://*:65535", "--channel", "9k,8k"], "one for each channel"),
                (["--zmq", "tcp://*:5555", "--format", "wav"], "raw except"),
                (["--zmq", "tcp://*:5555", "--udp", "localhost:1"], "--udp and --zmq, but"),
                (["--out", self.out, "--gain", "3"], "radio"),
                (["--out", self.out, "--seconds", "0"], "--seconds"),
                (["--out", self.out, "--seconds", "nan"], "--seconds"),
                (["--out", self.out, "--seconds", "10m"], "or a number of s"),
                (["--out", self.out, "--speed", "nan"], "--speed' is nan, but must be 0 to"),
                (["--out", self.out, "--speed", "-1"], "--speed"),
                (["--out", self.out, "--stopband", "nan"], "--stopband' is nan, but must be 20"),
                (["--out", self.out, "--demod", "fm", "--audio-rate", "4k", "--deemphasis",
                  "nan"], "--deemphasis' is 'nan', but must be a time such as 75us"),
                (["--out", self.out, "--demod", "fm", "--deemphasis", "50m"], "1.5s, or a number of us"),
                (["--out", self.out, "--demod", "fm", "--deemphasis", "2s"], "must be 0 to 1 s"),
                (["--out", self.out, "--demod", "fm", "--deemphasis", "75k"], "'75k'"),
                (["--out", "-", "--channel", "9k,8k"], "2 channels"),
                (["--out", "-", "--json"], "--json"),
                (["--out", "-", "--taps", "-"], "--taps is '-', but must be a file"),
                (["--exec", "cat | {name}"], "--exec' is {name} as a command"),
                (["--exec", "sh -c 'cat > {name}'", "--channel", "0,8k,name=a;b"],
                 "channel 'a;b': parameter 'name' is 'a;b'"),
                (["--exec", "decoder {name}", "--channel", "0,8k,name=a;b"], '"$CLDSP_NAME'),
                (["--out", self.out, "--deviation", "5k"], "--demod fm")):
            self.assert_refused(*good, *more, names=[name], status=2)
        self.assert_refused(*good, "--out", self.out, "--device", "nonsense", exact=False,
                            names=["'nonsense'", "auto, gpu, gpus, cpu, host", "there is "], status=2)
        self.assertFalse(self.out.exists())
        self.assert_refused(path, "--rate", "0", "--channel", "0,8k", "--out", self.out,
                            names=["--rate"], status=2)
        self.assert_refused(path, "--channel", "0,8k", "--out", self.out, names=["--rate"])
        # The error names the unit that was left out.
        for rate, meant in (("2.4", "2.4M"), ("2400", "2400k")):
            self.assert_refused(path, "--rate", rate, "--channel", "0,48k", "--out", self.out,
                                status=2, names=[f"'--rate' is '{rate}' ({rate} Hz)", "48000 Hz",
                                                 f"write {meant} for 2.40 MHz"])
        self.assert_refused(path, "--rate", RATE, "--center", "100M", "--channel", "100.001,8k",
                            "--out", self.out, names=["'frequency' is 100.001 Hz",
                                                      "; write 100.001M"])
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "more", "--out", self.out,
                            names=["not expected: more"], status=2)
        self.assert_refused(path, "--rate", "250001", "--channel", "0,250001", "--out", self.out,
                            "--demod", "am", "--audio-rate", "4k", status=2,
                            names=["--audio-rate' is 4000 Hz", "250001 Hz, with P and Q at most 56"])
        self.assert_refused("-", "--channel", "0,8k", "--out", self.out, names=["--type"])
        self.assert_refused(self.folder / "none", "--channel", "0,8k", names=["No such file"])
        self.assert_refused(self.folder, "--channel", "0,8k", names=["it is a folder"])
        self.assert_refused(self.file("x.sigmf-meta", b""), "--channel", "0,8k", "--out", self.out,
                            names=["x.sigmf-meta' is empty"], status=1)
        for missing in ("/nonexistent", "/nonexistent.wav", "/nonexistent.sigmf-meta"):
            self.assert_refused(missing, "--rate", RATE, "--type", "cu8", "--channel", "0,8k",
                                "--out", self.out, names=["/nonexistent"], status=1)
        self.assert_refused(self.folder, "--rate", RATE, "--type", "cu8", "--channel", "0,8k",
                            "--out", self.out, names=["folder"], status=1)

    def test_the_input_comes_last(self):
        path = self.file("x.cf32", raw(noise(960)))
        for channels in (["0,8k"], ["0,8k", "--channel", "9k,8k"]):
            self.channelize("--rate", "96kS/s", "--channel", *channels, path, "--out", self.out,
                            "--overwrite")

    def test_no_samples(self):
        for source, more in ((self.file("x.cf32", b""), {}), ("-", {"data": b""})):
            _, said = self.channelize(source, "--type", "cf32", "--rate", RATE, "--channel",
                                      "0,8k", "--out", self.out, "--overwrite", status=1, **more)
            self.assertIn("has no samples", "".join(said))

    # Files that cannot be written

    def test_files_are_not_replaced_unasked(self):
        path = self.file("x.cf32", raw(noise(9600)))
        good = [path, "--rate", RATE, "--channel", "0,8k,name=a", "--channel", "0,8k,name=b",
                "--out", self.out, "--format", "raw"]
        self.out.mkdir()
        (self.out / "b.cf32").write_bytes(b"mine")
        self.assert_refused(*good, names=["b.cf32", "--overwrite"], status=1)
        self.assertEqual([f.name for f in self.out.iterdir()], ["b.cf32"])
        self.assertEqual((self.out / "b.cf32").read_bytes(), b"mine")
        self.channelize(*good, "--overwrite")
        self.assertEqual(len(self.result("b")), 800)
        # Even --overwrite does not replace the input itself.
        before = path.read_bytes()
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k,name=x", "--out",
                            self.folder, "--format", "raw", "--overwrite",
                            names=["the input itself"], status=1)
        self.assertEqual(path.read_bytes(), before)

    def test_files_of_two_names(self):
        path = self.file("x.cf32", raw(noise(9600)))
        good = [path, "--rate", RATE, "--channel", "0,8k,name=a", "--channel", "0,8k,name=b",
                "--out", self.out, "--format", "raw"]
        taps = ["--taps", self.out / "a.cf32"]
        # What exists keeps its contents, and what does not is not made.
        self.assert_refused(*good, *taps, names=["a.cf32", "the same file"], status=1)
        self.assertFalse((self.out / "a.cf32").exists())
        self.out.mkdir(exist_ok=True)
        (self.out / "a.cf32").write_bytes(b"mine")
        os.link(self.out / "a.cf32", self.folder / "other")
        for more in (taps, ["--taps", self.folder / "other"],
                     ["--taps", self.out / ".." / "out" / "a.cf32"]):
            self.assert_refused(*good, "--overwrite", *more, names=["the same file"], status=1)
            self.assertEqual([f.name for f in self.out.iterdir()], ["a.cf32"])
        os.link(self.out / "a.cf32", self.out / "b.cf32")
        self.assert_refused(*good, "--overwrite", names=["a.cf32", "b.cf32", "same"], status=1)
        self.assertEqual((self.out / "a.cf32").read_bytes(), b"mine")
        # The input has another name.
        before = path.read_bytes()
        (self.out / "b.cf32").unlink()
        os.link(path, self.out / "b.cf32")
        self.assert_refused(*good, "--overwrite", names=["b.cf32", "the input itself"], status=1)
        with open(path, "ab") as file:
            for more in (["--out", "-"], ["--exec", "cat", "--json"], ["--taps", "-"]):
                self.assert_refused(*good[:5], *more, names=["standard output", "the input"],
                                    status=1, stdout=file)
        self.assertEqual(path.read_bytes(), before)
        # Devices may be named twice, pipes may not.
        self.channelize(*good[:5], "--out", "-", "--taps", "/dev/null", stdout=subprocess.DEVNULL)
        self.assert_refused(*good[:5], "--out", "-", "--taps", "/dev/stdout", names=["the same"],
                            status=1)

    def test_links_are_not_followed(self):
        path = self.file("x.cf32", raw(noise(9600)))
        theirs = self.file("theirs", b"theirs")
        for form, name in (("raw", "a.cf32"), ("sigmf", "a.sigmf-data"), ("sigmf", "a.sigmf-meta"),
                           ("wav", "a.wav")):
            for target in (theirs, self.folder / "new"):
                self.out.mkdir()
                (self.out / name).symlink_to(target)
                said = self.assert_refused(
                    path, "--rate", RATE, "--channel", "0,8k,name=a", "--out", self.out,
                    "--format", form, "--overwrite", names=[name, "symbolic link"], status=1)
                self.assertNotIn("exists already", said)
                self.assertEqual([f.name for f in self.out.iterdir()], [name])
                (self.out / name).unlink()
                self.out.rmdir()
        self.assertEqual(theirs.read_bytes(), b"theirs")
        self.assertFalse((self.folder / "new").exists())
        # A link to the folder itself, and one that is named by an option, may be followed.
        self.out.symlink_to(self.folder)
        (self.folder / "link").symlink_to(theirs)
        self.channelize(path, "--rate", RATE, "--channel", "0,8k,name=a", "--out", self.out,
                        "--format", "raw", "--overwrite", "--taps", self.folder / "link")
        self.assertEqual((self.folder / "a.cf32").stat().st_size, 800 * 8)
        self.assertEqual(json.loads(theirs.read_bytes())["rate"], RATE)

    def test_what_is_refused_replaces_nothing(self):
        path = self.file("x.cf32", raw(noise(9600)))
        good = [path, "--rate", RATE, "--out", self.out, "--overwrite", "--channel",
                "0,8k,name=a"]
        self.out.mkdir()
        mine = {name: f"my {name}".encode()
                for name in ("a.sigmf-data", "a.sigmf-meta", "a.wav", "a.cf32")}
        for name, content in mine.items():
            (self.out / name).write_bytes(content)
        for more, status in (
                (["--device", "typo"], 2), (["--device", "host", "--variant", "typo"], 2),
                (["--profile", "typo"], 2),
                (["--format", "wav", "--channel", "0,7812.5,name=b"], 2),
                (["--demod", "fm", "--audio-rate", "4M", "--channel", "0,3k,name=b"], 2),
                (["--format", "raw", "--channel", "0,8k,name=b"], 1)):
            if status == 1:  # b cannot be opened
                (self.out / "b.cf32").mkdir()
            taps = self.folder / "taps"
            self.assert_refused(*good, "--taps", taps, *more, exact=False, status=status)
            self.assertFalse(taps.exists())
            got = {f.name: f.read_bytes() for f in self.out.iterdir() if f.is_file()}
            self.assertEqual(got, mine, more)
        # The new file is shorter, and keeps nothing of the old one.
        (self.out / "a.cf32").write_bytes(bytes(100000))
        self.channelize(*good, "--format", "raw")
        self.assertEqual(len(self.result("a")), 800)

    def test_a_signal_while_planning_replaces_nothing(self):
        self.out.mkdir()
        data = self.out / "ch1.cf32"
        data.write_bytes(b"mine")
        path = self.file("x.cf32", raw(noise(960000)))
        # A cache of its own makes the program measure all of the host's plans, for many channels
        # of different filters, which takes longer than the way of the signal.
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "empty")
        channels = [f"--channel={100 * i},{8000 + 160 * i},bw={6000 + 10 * i}" for i in range(40)]
        process = self.start(path, "--rate", RATE, *channels, "--out", self.out,
                             "--overwrite", "--format", "raw", "--device", "host",
                             "--plan", "wait", "--progress", exact=False)
        said = process.stderr.read1()
        self.assertIn(b"choosing", said)
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("before the first sample", said.decode())
        self.assertEqual(data.read_bytes(), b"mine")

    def test_taps_replace_nothing_unasked(self):
        path = self.sigmf("x", raw(noise(9600)))
        channels = self.file("list.csv", "0,8k")
        good = [path, "--channels", channels]
        for file in (path, path.with_suffix(".sigmf-data"), channels):
            link = self.folder / "link"
            link.symlink_to(file)
            before = file.read_bytes()
            for name in (file, link):
                for more in ([], ["--overwrite"]):
                    self.assert_refused(*good, "--taps", name, *more, status=1, exact=False,
                                        names=["'" + str(name) + "' is the "])
            self.assertEqual(file.read_bytes(), before)
            link.unlink()
        taps = self.file("taps", "mine" * 10000)
        self.assert_refused(*good, "--taps", taps, names=["exists already; --overwrite"],
                            status=1)
        self.assertEqual(taps.read_bytes(), b"mine" * 10000)
        self.channelize(*good, "--taps", taps, "--overwrite")
        self.assertEqual(len(json.loads(taps.read_bytes())["filters"]), 1)
        self.channelize(*good, "--taps", "/dev/null")
        taps.unlink()
        self.channelize(*good, "--taps", taps, "--out", self.out)
        self.assertEqual(len(json.loads(taps.read_bytes())["filters"]), 1)

    def test_closed_standard_files(self):
        path = self.file("x.cf32", raw(noise(9600)))
        rest = ["--type", "cf32", "--rate", RATE, "--channel", "0,8k", "--out"]
        for source, out, closed, name in ((path, "-", 1, "standard output"),
                                          ("-", self.out, 0, "standard input")):
            process = self.start(source, *rest, out, preexec_fn=lambda n=closed: os.close(n))
            _, said = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 1)
            self.assertIn(name, said.decode())
        # Files are not written where the standard error should be.
        process = self.start(path, *rest, self.folder / "more", preexec_fn=lambda: os.close(2))
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        self.assertEqual((self.folder / "more" / "ch1.sigmf-data").stat().st_size, 800 * 8)

    def test_folders_that_cannot_be_written(self):
        path = self.file("x.cf32", raw(noise(9600)))
        good = [path, "--rate", RATE, "--channel", "0,8k", "--out"]
        self.assert_refused(*good, path, names=["x.cf32"], status=1)
        self.assert_refused(*good, path / "deeper", names=["deeper"], status=1)
        self.assert_refused(*good, "/proc/nothing", names=["/proc/nothing"], status=1)

    def test_full_disk(self):
        # A limit of the file size simulates a full disk.
        path = self.file("x.cf32", raw(tone(0, 3000000)))
        limit = 100003
        for extra, size in ((("--format", "raw"), 100000), (("--format", "wav"), 100002)):
            self.assert_refused(
                path, "--rate", RATE, "--channel", "0,16k,bw=8k,name=a", "--channel",
                "0,8k,bw=4k,name=b", "--out", self.out, "--overwrite", *extra, status=1,
                names=["cannot be written", "/a."], preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (limit, limit)))
            name = "a.cf32" if "raw" in extra else "a.wav"
            got = (self.out / name).read_bytes()
            self.assertEqual(len(got), size)
            if "wav" in extra:
                self.assertEqual(struct.unpack("<4sI", got[50:58]), (b"data", size - 58))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                self.assert_refused(path, "--rate", RATE, "--channel", "0,16k", "--out", "-",
                                    stdout=full, status=1, names=["standard output"])

    def test_output_without_a_reader(self):
        path = self.file("x.cf32", raw(tone(0, 1000000)))
        for source, stdin in ((path, subprocess.DEVNULL), ("-", subprocess.PIPE)):
            reading, writing = os.pipe()
            os.close(reading)
            process = self.start(source, "--type", "cf32", "--rate", RATE, "--channel",
                                 "0,16k", "--out", "-", stdin=stdin, stdout=writing)
            os.close(writing)
            if stdin is subprocess.PIPE:  # which stays open
                process.stdin.write(raw(tone(0, 1000)))
                process.stdin.flush()
            process.wait(TIMEOUT)
            said = process.stderr.read().decode()
            process.stderr.close()
            if process.stdin:
                process.stdin.close()
            self.assertEqual(process.returncode, 1)
            self.assertEqual(said.count("Broken pipe"), 1, said)

    def test_samples_are_not_for_a_terminal(self):
        path = self.file("x.cf32", raw(noise(960)))
        ours, terminal = os.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, terminal)
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "--out", "-", status=2,
                            stdout=terminal, names=["'--out' is '-'", "terminal"])

    # Commands and sockets

    def test_commands(self):
        count = 960000
        path = self.file("x.cf32", raw(noise(count)))
        self.out.mkdir()
        channels = ["--rate", RATE, "--channel", "5k,8k,name=it's a", "--channel", "0,9k"]
        self.channelize(path, *channels, "--exec",
                        f"cat > {self.out}/{{name}}.{{rate}}.{{frequency}}.{{index}}.{{type}}")
        self.channelize(path, *channels, "--out", self.folder / "files", "--format", "raw")
        for got, expected in (("it's a.8000.5000.0.cf32", "it's a.cf32"),
                              ("ch2.9000.0.1.cf32", "ch2.cf32")):
            # Each run measures what computes fastest, and rounds as that does.
            got = np.fromfile(self.out / got, "<c8")
            expected = np.fromfile(self.folder / "files" / expected, "<c8")
            self.assertEqual(len(got), len(expected))
            self.assertLess(np.abs(got - expected).max(), 1e-4 * np.abs(expected).max())

    def test_names_are_no_commands(self):
        # Whatever quotes stand around a name, it is the name of a file here.
        path = self.file("x.cf32", raw(noise(960)))
        names = ["$(touch x)", "; touch x ;", "`touch x`", "\"; touch x; \"", "'; touch x; '"]
        channels = self.file("list.json", json.dumps(
            [{"frequency": 0, "rate": 8000, "name": name} for name in names]))
        self.out.mkdir()
        for quote in ("", "'", '"'):
            self.channelize(path, "--rate", RATE, "--channels", channels, "--exec",
                            f"cat > {quote}{{name}}.out{quote}", cwd=self.out)
            self.assertEqual({file.name for file in self.out.iterdir()},
                             {name + ".out" for name in names})
            for file in self.out.iterdir():
                self.assertEqual(file.stat().st_size, 80 * 8)
                file.unlink()

    def test_other_braces_in_commands(self):
        path = self.file("x.cf32", raw(noise(960)))
        good = [path, "--rate", RATE, "--channel", "0,8k,name=a"]
        self.channelize(*good, "--exec", f"f={self.out}; wc -c | awk '{{print $1}}' > ${{f}}")
        self.assertEqual(self.out.read_text(encoding="ascii"), "640\n")
        _, said = self.channelize(*good, "--exec", f"cat > {self.folder}/{{{{name}}}}{{speed}}")
        self.assertEqual((self.folder / "{name}{speed}").stat().st_size, 640)
        self.assertTrue(any("{speed}" in line and "{bandwidth}" in line for line in said), said)
        _, said = self.channelize(*good, "--exec", "cat > /dev/null #{" + "a" * 100000)

    def test_commands_that_end(self):
        # Each command reads more than a second of the signal and ends; the next one continues.
        count, taken = 1920000, 30000 * 8
        path = self.file("x.cf32", raw(noise(count)))
        _, said = self.channelize(
            path, "--rate", RATE, "--channel", "5k,8k,name=a", "--exec",
            f"head -c {taken} > {self.folder}/got.$$; exit 3", status=1)
        files = list(self.folder.glob("got.*"))
        self.assertGreater(len(files), 2)
        whole, _ = self.channelize(path, "--rate", RATE, "--channel", "5k,8k", "--out", "-")
        for file in files:
            # Each begins with a whole sample of the stream.
            first = file.read_bytes()[:16 * 8]
            self.assertEqual(whole.find(first) % 8, 0)
            self.assertGreaterEqual(whole.find(first), 0)
        self.assertTrue(any("status 3; it is started again" in line for line in said), said)

    def test_commands_that_cannot_live(self):
        path = self.file("x.cf32", raw(noise(960000)))
        _, said = self.channelize(path, "--rate", RATE, "--channel", "5k,8k,name=a",
                                  "--channel", "0,8k,name=b", "--exec",
                                  f"if [ {{name}} = a ]; then kill -9 $$; else cat > "
                                  f"{self.folder}/b; fi", status=1)
        self.assertTrue(any("'a' was ended by signal 9 5 times" in line for line in said), said)
        self.assertEqual((self.folder / "b").stat().st_size, 80000 * 8)
        _, said = self.channelize(path, "--rate", RATE, "--channel", "5k,8k", "--exec",
                                  "cat | /nonexistent", status=1)
        self.assertTrue(any("status 127" in line for line in said), said)

    def test_programs_that_are_not_here(self):
        path = self.file("x.cf32", raw(noise(960)))
        good = [path, "--rate", RATE, "--channel", "0,8k"]
        for command, program in (("/nonexistent", "/nonexistent"), ("./none -r {rate}", "./none"),
                                 ("nonexistent {name}", "nonexistent"), (" none; cat", "none")):
            self.assert_refused(*good, "--exec", command, status=2,
                                names=[f"'--exec' is '{command}'", f"no program '{program}'"])

    def receivers(self, step):
        """Two sockets whose ports differ by a number, and the first of the ports."""
        for _ in range(100):
            sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
            for each in sockets:
                self.addCleanup(each.close)
                each.setblocking(False)
            sockets[0].bind(("127.0.0.1", 0))
            port = sockets[0].getsockname()[1]
            try:
                sockets[1].bind(("127.0.0.1", port + step))
                return sockets, port
            except (OSError, OverflowError):
                pass
        self.fail("there are no free ports")

    def datagrams(self, receiver):
        got = []
        try:
            while True:
                got.append(receiver.recv(65536))
        except BlockingIOError:
            return got

    def test_udp(self):
        path = self.file("x.cf32", raw(noise(9601)))
        sockets, port = self.receivers(1)
        channels = ["--rate", RATE, "--channel", "5k,8k,name=a", "--channel", "0,16k,name=b"]
        self.channelize(path, *channels, "--udp", f"127.0.0.1:{port}", "--speed", 10)
        self.channelize(path, *channels, "--out", self.out, "--format", "raw")
        for receiver, name in zip(sockets, "ab"):
            got = self.datagrams(receiver)
            self.assertEqual({len(part) for part in got[:-1]}, {1472})
            self.assertEqual(b"".join(got), self.result(name).tobytes())
            receiver.close()
        # Datagrams are sent even if nobody receives them.
        self.channelize(path, *channels, "--udp", f"127.0.0.1:{port}", "--speed", 10)

    def test_rtp(self):
        # The streams are IQ of two rates, one of which has its own payload type, and audio.
        path = self.file("x.cf32", raw(noise(96007)))
        channels = ["--rate", RATE, "--channel", "5k,8k,name=a", "--channel", "0,9k,name=b"]
        audio = ["--demod", "am", "--audio-rate", "4k", "--output-type", "s16"]
        for extra, form, size, kinds in (([], ["--output-type", "cs16"], 4, (126, 98)),
                                         (audio, audio, 2, (97, 97))):
            sockets, port = self.receivers(2)
            said = json.loads(self.channelize(path, *channels, *extra, "--rtp", "--json", "--udp",
                                              f"127.0.0.1:{port}", "--speed", 10)[0])
            self.channelize(path, *channels, *form, "--out", self.out, "--format", "raw",
                            "--overwrite")
            sources = set()
            for index, (receiver, name, kind) in enumerate(zip(sockets, "ab", kinds)):
                got = self.datagrams(receiver)
                self.assertEqual({len(part) for part in got[:-1]}, {1472 // 4 * 4})
                heads = [struct.unpack(">BBHII", part[:12]) for part in got]
                for i, (flags, mark, number, clock, source) in enumerate(heads):
                    before = sum(len(part) - 12 for part in got[:i]) // size
                    self.assertEqual(flags, 0x80)
                    self.assertEqual(mark, kind | (0x80 if i == 0 else 0))
                    self.assertEqual(number, (heads[0][2] + i) % 2**16)
                    self.assertEqual(clock, (heads[0][3] + before) % 2**32)
                    self.assertEqual(source, heads[0][4])
                sources.add(heads[0][4])
                payload = np.frombuffer(b"".join(part[12:] for part in got), ">i2")
                file = np.fromfile(self.out / f"{name}.{form[-1]}", "<i2")
                self.assertGreater(len(file), 3500)
                # The pace cuts the stream elsewhere, which may round a sample to its neighbour.
                self.assertEqual(len(payload), len(file))
                self.assertLessEqual(np.abs(payload.astype(int) - file).max(), 1)
                target = said["channels"][index]["target"]
                self.assertEqual(target, f"rtp://127.0.0.1:{port + 2 * index}")
            self.assertEqual(len(sources), 2)

    def test_speed(self):
        path = self.file("x.cf32", raw(noise(RATE)))
        begin = time.monotonic()
        self.channelize(path, "--rate", RATE, "--channel", "5k,8k", "--out", "-", "--speed", 2)
        self.assertGreater(time.monotonic() - begin, 0.45)

    # Signals and progress

    def test_signals_end_a_stream(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("-", "--type", "cf32", "--rate", RATE, "--channel",
                                 "0,8k,bw=6k", "--out", self.out, "--overwrite", "--json",
                                 stdin=subprocess.PIPE)
            process.stdin.write(raw(tone(0, 12000)))
            process.stdin.flush()
            data = self.out / "ch1.sigmf-data"
            while not data.exists() or data.stat().st_size < 8000:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
            process.wait(TIMEOUT)  # although the input is open
            report = json.loads(process.stdout.read())
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()
            self.assertEqual(process.returncode, 0)
            self.assertEqual(report["ended_by"], f"signal {int(number)}")
            self.assertEqual(report["channels"][0]["samples"], 1000)
            self.assertEqual(data.stat().st_size, 8000)
            json.loads((self.out / "ch1.sigmf-meta").read_text(encoding="utf-8"))

    def test_a_signal_in_a_file(self):
        path = self.file("x.cf32", raw(noise(RATE)))
        process = self.start(path, "--rate", RATE, "--channel", "0,8k", "--out", self.out,
                             "--speed", 0.01, "--format", "wav")
        data = self.out / "ch1.wav"
        while not data.exists() or data.stat().st_size < 200:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(said.decode(), r"stopped by signal 2 after \d+ of 96000 samples")
        content = data.read_bytes()
        self.assertEqual(struct.unpack("<I", content[54:58])[0], len(content) - 58)

    def test_a_signal_while_a_command_hangs(self):
        path = self.file("x.cf32", raw(noise(960000)))
        process = self.start(path, "--rate", RATE, "--channel", "0,16k", "--exec",
                             f"head -c 8; echo > {self.folder}/began; sleep 1000")
        while not (self.folder / "began").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 1)
        self.assertIn("does not read", said.decode())

    def test_a_signal_ends_commands_that_stay(self):
        # Waiting for all commands takes no longer than waiting for one, which is 4 s.
        path = self.file("x.cf32", raw(noise(9600)))
        count = 30
        channels = [f"--channel={1000 * i},8k" for i in range(count)]
        process = self.start(path, "--rate", RATE, *channels, "--exec",
                             f"cat > {self.folder}/{{name}}; trap '' TERM; "
                             f"echo > {self.folder}/{{name}}.end; sleep 1000")
        while len(list(self.folder.glob("*.end"))) < count:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertLess(time.monotonic() - begin, 4 * count * 0.75)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(said.decode().count("was ended by signal 9"), count)
        for number in range(1, count + 1):
            self.assertEqual((self.folder / f"ch{number}").stat().st_size, 800 * 8)

    def test_progress(self):
        path = self.file("x.cf32", raw(noise(2 * RATE)))
        arguments = ["--rate", RATE, "--channel", "0,8k", "--out", "-", "--speed", 1]
        _, said = self.channelize(path, *arguments, "--progress")
        self.assertTrue(any("%" in line and "real time" in line for line in said), said)
        _, said = self.channelize(path, *arguments[:-2])
        self.assertEqual(len(said), 2, said)

    # Audio

    def audio(self, samples, *arguments, rate=RATE):
        path = self.file("x.cf32", raw(samples))
        written, _ = self.channelize(path, "--rate", rate, "--channel", "0,48k,bw=30k",
                                     "--out", "-", "--output-type", "f32", *arguments)
        return np.frombuffer(written, "<f4").astype(float)

    def test_fm(self):
        count, audio_hertz, deviation = 96000, 1000, 5000
        turns = np.sin(2 * np.pi * audio_hertz * np.arange(count) / RATE) * \
            deviation / audio_hertz
        samples = np.exp(1j * turns)
        for audio_rate in (48000, 8000, 22050):
            got = self.audio(samples, "--demod", "fm", "--audio-rate", audio_rate,
                             "--deviation", "5k")
            self.assertEqual(len(got), int(count * audio_rate / RATE))
            spectrum = np.fft.rfft(got[-audio_rate // 2:] * np.hanning(audio_rate // 2))
            level = 4 * np.abs(spectrum) / (audio_rate // 2)
            self.assertAlmostEqual(level[audio_hertz // 2], 1, delta=0.01)
            away = np.abs(np.arange(len(level)) - audio_hertz // 2) > 4
            self.assertLess(level[away].max(), 0.01)
        # The usual full scale is half of the bandwidth.
        got = self.audio(samples, "--demod", "fm")
        self.assertAlmostEqual(np.abs(got[1000:]).max(), 5 / 15, delta=0.01)
        # 1 kHz is 3 dB down with a time constant of 159 us.
        for constant in ("159.155", "159.155u", "159.155us", "0.159155ms", "159.155e-6s"):
            soft = self.audio(samples, "--demod", "fm", "--deemphasis", constant)
            self.assertAlmostEqual(np.abs(soft[1000:]).max(), 5 / 15 / 2**0.5, delta=0.01)

    def test_audio_begins_without_a_click(self):
        # While the filter fills, the strong neighbour passes it, far from the channel.
        rate, count = 2400000, 480000
        t = np.arange(count) / rate
        path = self.file("x.cf32", raw(sum(
            np.exp(2j * np.pi * offset * t + 3000j / hertz * np.sin(2 * np.pi * hertz * t))
            for offset, hertz in ((-500e3, 440), (250e3, 1000)))))
        for offset, channel_rate in (("-500k", "48k"), ("250k", "48k"), ("250k", "44.1k")):
            for demod, extra in (("fm", ["--deviation", "5k"]), ("am", [])):
                with self.subTest(offset=offset, rate=channel_rate, demod=demod):
                    said = json.loads(self.channelize(
                        path, "--rate", rate, "--channel", f"{offset},{channel_rate},bw=12k",
                        "--demod", demod, *extra, "--audio-rate", channel_rate, "--format", "raw",
                        "--output-type", "f32", "--out", self.out, "--overwrite", "--json")[0])
                    got = np.fromfile(self.out / "ch1.f32", "<f4")
                    filling = 2 * said["channels"][0]["delay"] * said["channels"][0]["rate"]
                    silent = np.argmax(got != 0)
                    self.assertGreaterEqual(silent, filling - 1e-6)
                    self.assertLess(silent, filling + 2)
                    self.assertLess(np.abs(got).max(), 3 / 5 + 0.01 if demod == "fm" else 0.05)

    def test_audio_of_any_rate(self):
        # The usual 48 kHz, out of lower rates and of one that is only a little higher.
        for rate in (8000, 12500, 25000, 44100, 50000):
            with self.subTest(rate):
                fs, seconds = 20 * rate, 1
                t = np.arange(fs * seconds) / fs
                path = self.file("x.cf32", raw(np.exp(0.5j * np.sin(2 * np.pi * 1000 * t))))
                written, _ = self.channelize(path, "--rate", fs, "--channel", f"0,{rate}",
                                             "--out", "-", "--output-type", "f32", "--demod", "fm",
                                             "--deviation", "500")
                got = np.frombuffer(written, "<f4").astype(float)
                self.assertEqual(len(got), 48000 * seconds)
                spectrum = np.fft.rfft(got[-24000:] * np.hanning(24000))
                level = 4 * np.abs(spectrum) / 24000
                # The turn from one sample to the next is the mean of the frequency between them.
                self.assertAlmostEqual(level[500], np.sinc(1000 / rate), delta=0.01)
                away = np.abs(np.arange(len(level)) - 500) > 4
                self.assertLess(level[away].max(), 0.02)

    def test_no_further_options(self):
        # A recording and its channel are enough: the audio is here, with its usual rate.
        path = self.file("x.cf32", raw(noise(9600)))
        done = subprocess.run([PROGRAM, "channelize", path, "--rate", str(RATE), "--channel", "0,25k",
                               "--demod", "fm"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("written here", done.stderr)
        content = (self.folder / "ch1.wav").read_bytes()
        self.assertEqual(content[24:28], struct.pack("<I", 48000))
        self.assertEqual(len(content), 44 + 2 * (9600 * 48000 // RATE))

    def test_am(self):
        count = 2 * RATE
        audio = np.sin(2 * np.pi * 1000 * np.arange(count) / RATE) / 2
        got = self.audio(0.1 * (1 + audio) * np.exp(1j), "--demod", "am", "--audio-rate",
                         "12k")[12000:]
        self.assertAlmostEqual(np.abs(got).max(), 0.5, delta=0.02)
        self.assertAlmostEqual(np.mean(got), 0, delta=0.02)

    def test_audio_files(self):
        path = self.file("x.cf32", raw(tone(1000, 9600)))
        self.channelize(path, "--rate", RATE, "--channel", "0,16k", "--demod", "fm",
                        "--audio-rate", "8k", "--out", self.out)
        content = (self.out / "ch1.wav").read_bytes()
        rest = self.assert_plain_wav(content, (1, 1, 8000, 16000, 2, 16), 800 * 2)
        values = np.frombuffer(rest, "<i2") / 32768
        self.assertEqual(len(values), 800)
        self.assertAlmostEqual(values[-1], 1000 / 6400, delta=0.002)

    def test_other_programs_read_the_audio(self):
        path = self.file("x.cf32", raw(tone(1000, 9600)))
        good = [path, "--rate", RATE, "--channel", "0,16k", "--audio-rate", "8k", "--out", self.out,
                "--demod", "fm", "--overwrite"]
        self.channelize(*good)
        with wave.open(str(self.out / "ch1.wav")) as file:
            self.assertEqual(file.getparams()[:4], (1, 2, 8000, 800))
        if not shutil.which("sox"):
            self.skipTest("no sox")
        for kind in ("s16", "f32"):
            self.channelize(*good, "--output-type", kind)
            done = subprocess.run(["sox", self.out / "ch1.wav", "-t", "f32", "-"], check=True,
                                  capture_output=True)
            self.assertEqual(done.stderr, b"")
            samples = np.frombuffer(done.stdout, "<f4")
            self.assertEqual(len(samples), 800)
            self.assertAlmostEqual(samples[-1], 1000 / 6400, delta=0.002)

    def test_audio_that_is_too_loud_is_limited(self):
        # A frequency twice as far from the centre as the deviation, on both sides.
        turns = np.cumsum(np.repeat([1, -1], 24000)) * 2 * np.pi * 10000 / RATE
        path = self.file("x.cf32", raw(np.exp(1j * turns)))
        written, said = self.channelize(path, "--rate", RATE, "--channel", "0,48k,bw=30k", "--demod",
                                        "fm", "--deviation", "5k", "--out", "-")
        got = np.frombuffer(written, "<i2")
        self.assertEqual(set(got[4000:8000]), {32767})
        self.assertEqual(set(got[16000:20000]), {-32768})
        self.assertTrue(any("numbers were clipped" in line for line in said), said)

    def test_not_enough_memory(self):
        # The limit leaves room for the program, but not for all that it would need.
        path = self.file("x.cf32", raw(noise(960)))
        # By far the most channels that may be given.
        channels = self.file("list.csv", "".join(f"{i % 40000},8k\n" for i in range(65000)))
        said = set()
        for mebibytes in (256, 320, 400):
            limit = mebibytes << 20
            process = self.start(path, "--rate", RATE, "--channels", channels, "--exec", ":",
                                 preexec_fn=lambda limit=limit: resource.setrlimit(
                                     resource.RLIMIT_AS, (limit, limit)))
            with process:
                text = process.communicate(timeout=TIMEOUT)[1].decode()
            self.assertNotIn("std::", text)
            self.assertNotIn("bad_alloc", text)
            said.update(line for line in text.splitlines() if "not enough memory for" in line)
        self.assertTrue(said)

    def test_memory_is_bounded(self):
        # The file is larger than the memory that the program may use.
        path = self.folder / "x.cu8"
        with open(path, "wb") as file:
            file.truncate(400 << 20)
        process = self.start(path, "--rate", "100M", "--channel", "0,50k,bw=25k", "--out",
                             self.out, "--device", "host", "--variant", "polyphase",
                             exact=False)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        most = 0  # KiB
        while process.poll() is None:
            for line in status.read_text(encoding="ascii").splitlines():
                if line.startswith("VmHWM:"):
                    most = max(most, int(line.split()[1]))
            time.sleep(0.02)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertGreater(most, 1 << 10)
        self.assertLess(most, 300 << 10)


if __name__ == "__main__":
    unittest.main()
