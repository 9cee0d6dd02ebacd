# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A block that records audio in WAV files while the flowgraph runs."""

import os
import struct
import threading
import time
from contextlib import suppress

import numpy as np
from gnuradio import gr

SAMPLE_BYTES = 2
MOST_BYTES = 2 ** 32 - 2 ** 20  # of samples; the sizes in a WAV file have 32 bits


def new_path(folder, frequency):
    """A file that does not exist yet, named by a frequency in Hz and the time in UTC."""
    now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    return _free(folder / f"{frequency:.0f}Hz_{now}.wav")


def _free(path):
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_stem(f"{path.stem}-{number}")
    return candidate


class Recorder(gr.sync_block):
    """
    Takes audio, and drops it unless it records. A file is complete after each call of work(). A
    file that cannot be written ends the recording, never the stream.
    """

    def __init__(self, sample_rate):
        gr.sync_block.__init__(self, "recorder", [np.float32], None)
        self.sample_rate = sample_rate
        self.most_bytes = MOST_BYTES
        self.failure = None  # why the last recording ended by itself, in words
        self._lock = threading.Lock()
        self._path, self._file, self._bytes = None, None, 0
        self._recorded = 0  # samples since begin()

    @property
    def path(self):
        """The file that is being written, or None."""
        return self._path if self._file else None

    @property
    def seconds(self):
        """The duration of this recording, or of the last one."""
        return self._recorded / self.sample_rate

    def begin(self, path):
        """Record in a file, which is made anew; failure tells whether it could be."""
        self.close()
        with self._lock:
            self.failure, self._recorded = None, 0
            self._attempt(self._open, path)

    def close(self):
        """End the recording, if there is one."""
        with self._lock:
            if self._file:
                self._attempt(self._file.close)
            self._file = None

    def work(self, input_items, output_items):
        samples = input_items[0]
        with self._lock:
            if self._file:
                self._attempt(self._write, samples)
        return len(samples)

    def _attempt(self, action, *arguments):
        try:
            action(*arguments)
        except OSError as error:
            self.failure = f"{self._path} cannot be written: {error.strerror}"
            file, self._file = self._file, None
            if file:
                with suppress(OSError):
                    file.close()

    def _open(self, path):
        self._path, self._bytes = path, 0
        self._file = open(path, "wb", buffering=0)
        self._write_header()

    def _write(self, samples):
        data = np.clip(np.rint(samples * 32767), -32768, 32767).astype("<i2").tobytes()
        if self._bytes + len(data) > self.most_bytes:
            self._file.close()
            self._open(_free(self._path))
        left = memoryview(data)
        while left:
            # A disk that is nearly full takes a part.
            left = left[self._file.write(left):]
        self._bytes += len(data)
        self._recorded += len(samples)
        self._write_header()

    def _write_header(self):
        rate = self.sample_rate
        header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + self._bytes, b"WAVE", b"fmt ", 16,
                             1, 1, rate, rate * SAMPLE_BYTES, SAMPLE_BYTES, 8 * SAMPLE_BYTES,
                             b"data", self._bytes)
        self._file.seek(0)
        self._file.write(header)
        self._file.seek(0, os.SEEK_END)
