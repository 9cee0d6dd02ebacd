# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Recordings in every form that the command cldsp takes: SigMF, WAV and raw samples."""

import sys

from gnuradio import cldsp, gr

from . import ExampleError
from .streams import FORMATS

USUAL_RATE = 2400000  # of raw samples that tell none


class Recording:
    """
    A recording of pairs of I and Q: its sample_format, its rate, its centre, and its length in
    samples, the last two None if they are not known. kind, rate and centre replace what it says.
    """

    def __init__(self, name, kind="", rate=None, centre=None):
        if not hasattr(cldsp, "recording"):
            raise ExampleError("--input: the module was built without nlohmann-json3-dev")
        self.name, self.wish = name, (kind, rate, centre)
        self.reader = self._open()
        self.sample_format = "cf32" if self.reader.type == "fc32" else self.reader.type
        self.centre, self.length = self.reader.center, self.reader.samples
        self.is_stream, self.remarks = self.reader.is_stream, self.reader.remarks
        self.rate = round(self.reader.rate)
        if self.sample_format not in FORMATS:
            raise ExampleError(f"--input {name}: has real samples ({self.sample_format}), but must "
                               "have I and Q")
        if self.rate != self.reader.rate:
            raise ExampleError(f"--input {name}: has the rate {self.reader.rate:.15g} Hz, but must "
                               "have a whole number of Hz")
        if self.length == 0:
            raise ExampleError(f"--input {name}: the file holds no sample")

    def _open(self):
        """A reader at the first sample."""
        kind, rate, centre = self.wish
        try:
            try:
                return cldsp.recording(self.name, kind, rate, centre)
            except ValueError:
                if rate is not None:
                    raise
                # If it is not the rate that it misses, this fails, too.
                return cldsp.recording(self.name, kind, USUAL_RATE, centre)
        except (ValueError, RuntimeError) as error:
            raise ExampleError(f"--input: {error}") from error

    def again(self):
        self.reader = self._open()


class RecordingSource(gr.sync_block):
    """The samples of a recording, over and over if that is wanted."""

    def __init__(self, recording, repeat=False):
        form = FORMATS[recording.sample_format]
        gr.sync_block.__init__(self, "recording", None, [(form.part, form.parts)])
        self.recording, self.repeat = recording, repeat

    def work(self, input_items, output_items):
        try:
            count = self.recording.reader.read_into(output_items[0])
            if not count and self.repeat:
                self.recording.again()
                count = self.recording.reader.read_into(output_items[0])
        except (ExampleError, RuntimeError) as error:
            print(f"error: {error}", file=sys.stderr)
            return -1
        if not count and self.recording.reader.problem:
            print(f"remark: {self.recording.reader.problem}", file=sys.stderr)
        return count or -1  # the end
