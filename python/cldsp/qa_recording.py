#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The reader of recordings."""

import pathlib
import tempfile
import unittest
import wave

import numpy as np
from gnuradio import cldsp, gr_unittest


@unittest.skipUnless(hasattr(cldsp, "recording"), "the module was built without JSON")
class qa_recording(gr_unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, values):
        path = self.folder / name
        values.tofile(path)
        return str(path)

    def test_raw_samples(self):
        pairs = np.random.default_rng(1).integers(0, 256, (1000, 2), dtype=np.uint8)
        recording = cldsp.recording(self.write("g001_433.92M_250k.cu8", pairs))
        self.assertEqual(("cu8", 250e3, 433.92e6, 1000, "", False),
                         (recording.type, recording.rate, recording.center, recording.samples,
                          recording.datetime, recording.is_stream))
        self.assertIn("like those of rtl_433", recording.remarks[0])
        read = np.zeros((1100, 2), np.uint8)
        self.assertEqual(300, recording.read_into(read[:300]))
        # Room for a part of a sample stays as it is.
        self.assertEqual(1, recording.read_into(read[300:302].ravel()[:3]))
        self.assertEqual(699, recording.read_into(read[301:]))
        self.assertEqual(0, recording.read_into(read))
        np.testing.assert_array_equal(pairs[:300], read[:300])
        np.testing.assert_array_equal(pairs[301:], read[301:1000])
        self.assertEqual("", recording.problem)

    def test_wav(self):
        words = np.arange(200, dtype="<i2").reshape(100, 2)
        path = str(self.folder / "HDSDR_20260131_120000Z_7100kHz_RF.wav")
        with wave.open(path, "wb") as file:
            file.setparams((2, 2, 96000, 0, "NONE", ""))
            file.writeframes(words.tobytes())
        recording = cldsp.recording(path, center=7.2e6)
        self.assertEqual(("cs16", 96e3, 7.2e6, 100, "2026-01-31T12:00:00Z"),
                         (recording.type, recording.rate, recording.center, recording.samples,
                          recording.datetime))
        read = np.zeros((100, 2), np.int16)
        self.assertEqual(100, recording.read_into(read))
        np.testing.assert_array_equal(words, read)

    def test_other_types(self):
        """A type that the blocks do not have becomes one that they have."""
        values = np.array([[0.5, -0.25]] * 10, ">f4")
        recording = cldsp.recording(self.write("x.bin", values), "cf32_be", 1e6)
        self.assertEqual(("fc32", None), (recording.type, recording.center))
        read = np.zeros(10, np.complex64)
        self.assertEqual(10, recording.read_into(read))
        np.testing.assert_array_equal(np.full(10, 0.5 - 0.25j, np.complex64), read)

    def test_errors(self):
        path = self.write("x.cu8", np.zeros(20, np.uint8))
        other = self.write("x.dat", np.zeros(20, np.uint8))
        for error, text, arguments in (
                (RuntimeError, "No such file", (str(self.folder / "absent.cu8"),)),
                (RuntimeError, "is a folder", (str(self.folder), "cu8", 1e6)),
                (ValueError, "^rate is needed", (path,)),
                (ValueError, "^type is needed", (other, "", 1e6)),
                (ValueError, "parameter 'rate' is -1, but must be above 0", (path, "", -1)),
                (ValueError, "parameter 'type' is 'cu9'", (path, "cu9", 1e6))):
            self.assertRaisesRegex(error, text, cldsp.recording, *arguments)
        recording = cldsp.recording(path, rate=1e6)
        for buffer, error in ((np.zeros((10, 2), np.uint8).T, ValueError),
                              (np.zeros((10, 4), np.uint8)[:, :2], ValueError),
                              (bytes(20), BufferError), (7, TypeError)):
            self.assertRaises(error, recording.read_into, buffer)
        self.assertEqual(10, recording.read_into(bytearray(20)))


if __name__ == "__main__":
    gr_unittest.run(qa_recording)
