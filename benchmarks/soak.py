#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Runs the blocks at full speed for a long time, and changes their settings while they stream.

Each part is a flowgraph that runs in rounds of a known number of items. After each round
every sink must have exactly the items that its block has to deliver. The resident memory
must not grow in the second half. The last line gives the result; the exit status is 1 if
a count was wrong or memory grew.
"""

import argparse
import gc
import random
import sys
import threading
import time

import numpy as np
from gnuradio import blocks, cldsp, gr
from gnuradio.filter import firdes

RATE = 2016000
# The bytes that the second half of a part may add: less than the buffers of one block.
MAX_GROWTH = 16 * 1024 * 1024
SECONDS_PER_ROUND = 5.0


def resident_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS in /proc/self/status")


def low_pass(transition):
    return firdes.low_pass(1, RATE, 12000, transition)


class chain:
    """
    A source of zeros, a block, and sinks: the numbers of items in, and of items each sink must get.
    """

    def __init__(self, name, block, item_size, decimation=1, outputs=1, inputs=1,
                 output_size=gr.sizeof_gr_complex, changes=()):
        self.name, self.block, self.item_size = name, block, item_size
        self.decimation, self.changes = decimation, changes
        self.output_size, self.inputs, self.outputs = output_size, inputs, outputs

    def connect(self, flowgraph, items):
        self.items = items
        head = blocks.head(self.item_size, items)
        flowgraph.connect(blocks.null_source(self.item_size), head)
        for port in range(self.inputs):
            flowgraph.connect(head, (self.block, port))
        self.sinks = []
        for port in range(self.outputs):
            sink = blocks.null_sink(self.output_size)
            flowgraph.connect((self.block, port), sink)
            self.sinks.append(sink)

    def wrong_counts(self):
        owed = self.items // self.decimation
        return [f"{self.name} port {port}: {sink.nitems_read(0)} items, {owed} are owed"
                for port, sink in enumerate(self.sinks) if sink.nitems_read(0) != owed]


def filter_chain(device, algorithm="auto"):
    block = cldsp.freq_xlating_fir_filter_ccf(42, low_pass(3000), 312500, RATE,
                                              device=device, algorithm=algorithm)
    # The last list of taps needs more of the past than GNU Radio keeps.
    taps = [low_pass(width) for width in (3000, 9000, 500)]
    return chain("filter", block, gr.sizeof_gr_complex, 42, changes=(
        lambda: block.set_center_freq(random.uniform(-RATE / 2, RATE / 2)),
        lambda: block.set_taps(random.choice(taps))))


def bytes_chain(device):
    block = cldsp.freq_xlating_fir_filter_cu8_f(10, low_pass(30000), 1000, RATE,
                                                device=device)
    taps = [low_pass(width) for width in (30000, 20000)]
    return chain("filter of bytes", block, 2, 10, changes=(
        lambda: block.set_center_freq(random.uniform(-RATE / 2, RATE / 2)),
        lambda: block.set_taps(random.choice(taps))))


def bank_chain(device):
    channels = 16
    freqs = [RATE * (i - channels / 2) / channels for i in range(channels)]
    bank = cldsp.freq_xlating_filter_bank_ccf(42, low_pass(3000), freqs, RATE,
                                              device=device)
    return chain("bank", bank, gr.sizeof_gr_complex, 42, channels, changes=(
        lambda: bank.set_center_freq(random.randrange(channels),
                                     random.uniform(-RATE / 2, RATE / 2)),))


def multiply_chain(device):
    block = cldsp.multiply_matrix_cc(np.ones((3, 4)).tolist(), device=device)
    return chain("multiply_matrix", block, gr.sizeof_gr_complex, outputs=3, inputs=4,
                 changes=(lambda: block.set_A((np.random.rand(3, 4) + 0j).tolist()),))


def gemm_chain(device):
    block = cldsp.gemm_cc((np.random.rand(16, 16) + 0j).tolist(), device=device)
    return chain("gemm", block, 16 * gr.sizeof_gr_complex,
                 output_size=16 * gr.sizeof_gr_complex,
                 changes=(lambda: block.set_A((np.random.rand(16, 16) + 0j).tolist()),))


def correlator_chain(device):
    codes = np.random.default_rng(1).integers(0, 256, (8, 64), dtype=np.uint8)
    block = cldsp.gemm_1bit_bi(codes, device=device)
    return chain("gemm_1bit", block, 64, output_size=8 * gr.sizeof_int)


PARTS = {
    "filter": lambda device: [filter_chain(device)],
    "direct": lambda device: [filter_chain(device, "direct")],
    "bank": lambda device: [bank_chain(device)],
    "matrices": lambda device: [multiply_chain(device), gemm_chain(device)],
    "together": lambda device: [make(device) for make in (
        filter_chain, bytes_chain, bank_chain, multiply_chain, gemm_chain,
        correlator_chain)],
}


class changer(threading.Thread):
    """Changes settings from a separate thread, a few hundred times a second."""

    def __init__(self, changes):
        super().__init__(daemon=True)
        self.changes, self.made, self.ending = changes, 0, threading.Event()

    def run(self):
        while self.changes and not self.ending.wait(0.004):
            random.choice(self.changes)()
            self.made += 1

    def end(self):
        self.ending.set()
        self.join()


class part:
    """Runs one flowgraph of blocks in rounds."""

    def __init__(self, name, device):
        self.name = name
        self.chains = PARTS[name](device)
        self.items = 0
        self.wrong = []
        self.changes = 0
        self.per_round = [1 << 20] * len(self.chains)

    def round(self):
        flowgraph = gr.top_block()
        for chain, items in zip(self.chains, self.per_round):
            chain.connect(flowgraph, items + random.randrange(1000))
        changes = changer([c for chain in self.chains for c in chain.changes])
        started = time.monotonic()
        changes.start()
        flowgraph.run()
        seconds = time.monotonic() - started
        changes.end()
        self.changes += changes.made
        for index, chain in enumerate(self.chains):
            self.items += chain.items
            self.wrong += chain.wrong_counts()
        scale = min(8, max(0.5, SECONDS_PER_ROUND / seconds))
        self.per_round = [max(1 << 16, int(items * scale)) for items in self.per_round]

    def run(self, seconds):
        """The number of bytes that the second half of the time has added."""
        started = time.monotonic()
        half = None
        while (elapsed := time.monotonic() - started) < seconds or half is None:
            if half is None and elapsed >= seconds / 2:
                gc.collect()
                half = resident_bytes()
            self.round()
            elapsed = time.monotonic() - started
            print(f"{self.name:9} {elapsed:5.0f} of {seconds:.0f} s  {self.items:.3e} items  "
                  f"{self.changes} changes  {resident_bytes() / 1e6:.0f} MB  "
                  f"{len(self.wrong)} wrong counts", flush=True)
        gc.collect()
        return resident_bytes() - half


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30,
                        help="for all parts together (default 30)")
    parser.add_argument("--device", default="auto", help="as the blocks take it")
    parser.add_argument("--part", action="append", choices=sorted(PARTS),
                        help="only these; may be given several times")
    parser.add_argument("--seed", type=int, default=1, help="of the changes")
    options = parser.parse_args()
    if not options.minutes > 0:
        parser.error(f"--minutes is {options.minutes}: above 0 is allowed")
    random.seed(options.seed)
    np.random.seed(options.seed)

    names = options.part or list(PARTS)
    failures = []
    for name in names:
        soaked = part(name, options.device)
        growth = soaked.run(60 * options.minutes / len(names))
        engines = ", ".join(f"{c.name} on {c.block.device_name()}" for c in soaked.chains)
        print(f"{name}: {soaked.items} items, {soaked.changes} changes, "
              f"{len(soaked.wrong)} wrong counts, memory {growth / 1e6:+.1f} MB; {engines}",
              flush=True)
        failures += soaked.wrong
        if growth > MAX_GROWTH:
            failures.append(f"{name}: memory grew by {growth / 1e6:.1f} MB")
    for failure in failures:
        print(failure)
    print("soak: " + (f"FAILED, {len(failures)} faults" if failures else
                      "all counts exact, memory flat"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
