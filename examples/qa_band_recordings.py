#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The band receiver on recordings as SDR programs write them, and how it reads frequencies."""

import argparse
import json
import subprocess
import sys
import tarfile
import wave

import numpy as np

from band_test_support import (CENTRE, CHANNEL_RATE, HERE, SAMPLE_RATE, TIMEOUT_S, BandTest, main,
                               make_band, write)


class band_recordings(BandTest):
    """Files as SDR programs write them tell rate and centre themselves."""

    def wav(self, name, parts, width):
        path = self.folder / name
        with wave.open(str(path), "wb") as file:
            file.setparams((2, width, SAMPLE_RATE, 0, "NONE", ""))
            file.writeframes(parts.tobytes())
        return path

    def sigmf(self, band, archived):
        pair = [self.folder / f"pass.sigmf-{kind}" for kind in ("meta", "data")]
        pair[0].write_text(json.dumps({
            "global": {"core:datatype": "cu8", "core:sample_rate": SAMPLE_RATE,
                       "core:version": "1.0.0"},
            "captures": [{"core:sample_start": 0, "core:frequency": CENTRE}], "annotations": []}))
        pair[1].write_bytes(write(self.folder / "band.cu8", band).read_bytes())
        if not archived:
            return pair[0]
        with tarfile.open(self.folder / "pass.sigmf", "w") as archive:
            for path in pair:
                archive.add(path, f"pass/{path.name}")
        return self.folder / "pass.sigmf"

    def test_every_kind(self):
        band = make_band(0.3)
        pairs = np.stack([band.real, band.imag], axis=-1)
        words = np.round(pairs * 32767).astype("<i2")
        raw = write(self.folder / "samples.cu8", band)
        named = self.folder / "g001_446M_480k.cu8"
        named.write_bytes(raw.read_bytes())
        for path, *more in (
                (self.wav("baseband_446000000Hz_12-00-00_31-01-2026.wav", words, 2),),
                (self.wav("SDRuno_20260131_120000Z_446000kHz.wav", words, 2),),
                # These samples have to be converted.
                (self.wav("SDRSharp_20260131_120000Z_446000000Hz_IQ.wav",
                          np.round(pairs * 127 + 128).astype(np.uint8), 1),),
                (self.sigmf(band, False),), (self.sigmf(band, True),),
                (write(self.folder / "x.cf32", band).rename(
                    self.folder / "gqrx_20260131_120000_446000000_480000_fc.raw"),),
                (raw, "--center", "446M", "--rate", "480k"), (named,)):
            with self.subTest(path=path.name):
                done = self.run_again("", "--headless", "--input", path, *more)
                self.assertIn(f"17 channels from {path.name}", done.stdout)
                self.assertRegex(done.stdout, r"(?m)^ +3 +445\.875000 .* open$")
                self.assertRegex(done.stdout.rstrip(), r"3 of 17 channels busy$")
        self.assertIn("by its name, which is like those of rtl_433", done.stderr)

    def test_over_and_over(self):
        path = write(self.folder / "g001_446M_480k.cu8", make_band(0.1))
        done = self.run_again("", "--headless", "--input", path, "--repeat", "--seconds", "0.45")
        self.assertRegex(done.stdout.rstrip(), r"3 of 17 channels busy$")
        with wave.open(str(self.folder / "band-output/channel.wav")) as audio:
            self.assertEqual(round(0.45 * CHANNEL_RATE), audio.getnframes())

    def test_the_standard_input(self):
        """A pipe, whose length is not known."""
        path = write(self.folder / "band.cu8", make_band(0.3))
        with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as pipe:
            done = subprocess.run(
                self.command("", "--headless", "--input", "-", "--type", "cu8", "--freq", "446M",
                             "--rate", "480k"), cwd=self.folder, stdin=pipe.stdout,
                capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            pipe.stdout.close()
        self.check(done, 0)
        self.assertIn("17 channels from the standard input", done.stdout)
        self.assertRegex(done.stdout.rstrip(), r"3 of 17 channels busy$")

    def test_a_truncated_file(self):
        path = write(self.folder / "g001_446M_480k.cu8", make_band(0.3))
        with path.open("ab") as file:
            file.write(b"\x80")
        done = self.run_again("", "--headless", "--input", path)
        self.assertRegex(done.stderr, "(?m)^remark: .*g001_446M_480k.cu8' is truncated")
        self.assertRegex(done.stdout.rstrip(), r"3 of 17 channels busy$")

    def test_rates(self):
        """A channel's rate is a part of the recording's, as near to 48000 as there is."""
        sys.path.insert(0, str(HERE))
        from band_receiver.band import usual_rate

        for rate, usual in ((2400000, 48000), (2048000, 51200), (1000000, 50000), (250000, 50000),
                            (10000000, 50000), (2400001, 48000), (10 ** 18, 48000)):
            self.assertEqual(usual, usual_rate(rate))

    def test_frequencies(self):
        from common.hertz import hertz, whole_hertz

        for text, value in (("446.1M", 446100000), ("12.5k", 12500), ("-12.5kHz", -12500),
                            ("2.4MS/s", 2400000), ("1e6", 1000000), ("2.048M", 2048000),
                            (".5G", 500000000), ("446.00625M", 446006250), ("7.1e3k", 7100000)):
            self.assertEqual(value, hertz(text))
            self.assertEqual(value, whole_hertz(text))
        self.assertEqual(6250.5, hertz("6250.5"))
        for text in ("446.1X", "", "M", "1e", "nan", "inf", "0x10", "1 k", "1e999", "4,5M"):
            for read in (hertz, whole_hertz):
                self.assertRaisesRegex(argparse.ArgumentTypeError, "must be a number of Hz",
                                       read, text)
        self.assertRaisesRegex(argparse.ArgumentTypeError, "whole number", whole_hertz, "6250.5")


if __name__ == "__main__":
    main()
