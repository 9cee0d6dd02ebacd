# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A progress bar on a terminal, a few plain lines anywhere else."""

import sys
import time

WIDTH = 32
LABEL = 22


class Progress:
    """One step of the work, with a fraction from 0 to 1. Use it in a with statement."""

    def __init__(self, label, stream=None):
        self.label = label
        self.stream = stream or sys.stdout
        self.terminal = self.stream.isatty()
        self.quarter = 0
        self.note = ""

    def __enter__(self):
        self.begin = time.monotonic()
        if not self.terminal:
            self._write(f"{self.label} ...\n")
        self.update(0.0)
        return self

    def update(self, fraction):
        fraction = min(max(fraction, 0.0), 1.0)
        if self.terminal:
            full = round(fraction * WIDTH)
            bar = "=" * full + " " * (WIDTH - full)
            self._write(f"\r{self.label:<{LABEL}} [{bar}] {100 * fraction:3.0f} %")
        elif int(4 * fraction) > self.quarter:
            self.quarter = int(4 * fraction)
            if self.quarter < 4:
                self._write(f"{self.label}: {25 * self.quarter} %\n")

    def __exit__(self, kind, _value, _traceback):
        if kind is None:
            self.update(1.0)
        seconds = time.monotonic() - self.begin
        outcome = f"{seconds:.1f} s" if kind is None else "failed"
        note = f", {self.note}" if self.note else ""
        if self.terminal:
            self._write(f"  {outcome}{note}\n")
        else:
            self._write(f"{self.label}: {outcome}{note}\n")

    def _write(self, text):
        self.stream.write(text)
        self.stream.flush()


def watch(top_block, progress, fraction, stalled_after=None):
    """
    Run a flowgraph to its end, and report fraction() to progress, unless progress is None. With
    stalled_after, give up and return False if the fraction does not grow for so many seconds.
    """
    import threading

    waiter = threading.Thread(target=top_block.wait, daemon=True)
    top_block.start()
    waiter.start()
    last, moved = fraction(), time.monotonic()
    try:
        while waiter.is_alive():
            waiter.join(0.1)
            now = fraction()
            if progress is not None:
                progress.update(now)
            if now != last:
                last, moved = now, time.monotonic()
            elif stalled_after and time.monotonic() - moved > stalled_after:
                top_block.stop()
                waiter.join(5.0)
                return False
    except KeyboardInterrupt:
        top_block.stop()
        waiter.join(5.0)
        raise
    return True
