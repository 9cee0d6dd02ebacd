#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Flowgraphs start, stop, fork and end while the planning thread works for them."""

import os
import random
import signal
import subprocess
import sys
import time

os.environ["GR_CONF_CLDSP_PLAN"] = "auto"  # pylint: disable=wrong-import-position

# pylint: disable=wrong-import-order
from gnuradio import blocks, gr, gr_unittest
from qa_support import PATIENCE_S, make_bank, make_block

FLOWGRAPHS = int(os.environ.get("CLDSP_TEST_FLOWGRAPHS", 200))
SCHED_IDLE = getattr(os, "SCHED_IDLE", None)


def taps_of(count):
    return [1.0 / count] * count


class receiver:
    """A flowgraph of two filters and a bank, whose constructors do not wait for a plan: with one
    tap there is nothing to measure."""

    def __init__(self):
        self.top = gr.top_block()
        source = blocks.null_source(gr.sizeof_gr_complex)
        throttle = blocks.throttle(gr.sizeof_gr_complex, 1e6)
        self.top.connect(source, throttle)
        self.blocks = [
            make_block("ccf", 8, [1.0], 1000, 48000, device="host", algorithm="auto"),
            make_block("ccf", 5, [1.0], 2000, 48000, device="host", algorithm="auto"),
            make_bank("ccf", 10, [1.0], [1000.0, -2000.0, 3000.0], 48000, device="host")]
        for block, outputs in zip(self.blocks, (1, 1, 3)):
            self.top.connect(throttle, block)
            for i in range(outputs):
                self.top.connect((block, i), blocks.null_sink(gr.sizeof_gr_complex))

    def change_taps(self, rng):
        """Makes the planning thread work."""
        rng.choice(self.blocks[:2]).set_taps(taps_of(rng.randrange(1000, 4000)))
        if rng.random() < 0.3:
            self.blocks[2].set_taps([taps_of(rng.randrange(500, 1000))])


def children():
    """The child processes of this one; none where the system does not tell."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def threads():
    """(name, policy) of each thread of this process; none where the system does not tell."""
    found = []
    try:
        tasks = os.listdir("/proc/self/task")
    except OSError:
        return found
    for task in tasks:
        try:
            with open(f"/proc/self/task/{task}/stat", encoding="utf-8") as file:
                text = file.read()
        except OSError:
            continue  # it has just ended
        name, rest = text[text.index("(") + 1:].rsplit(")", 1)
        found.append((name, int(rest.split()[38])))
    return found


class qa_while_planning(gr_unittest.TestCase):

    def test_flowgraphs_come_and_go(self):
        rng = random.Random(1)
        graph = receiver()
        for _ in range(FLOWGRAPHS):
            if rng.random() < 0.5:
                graph = receiver()
            graph.change_taps(rng)
            graph.top.start()
            if rng.random() < 0.5:
                time.sleep(rng.random() * 0.02)
                graph.change_taps(rng)
            time.sleep(rng.random() * 0.02)
            graph.top.stop()
            graph.top.wait()
        self.assertEqual([], children())

    def test_threads_of_the_process(self):
        """Nobody but the planning thread and those that compute for it is idle."""
        own = os.sched_getscheduler(0)
        graph = receiver()
        block = graph.blocks[0]
        before = block.plan()
        graph.top.start()
        block.set_taps(taps_of(3000))
        seen = set()
        while block.plan() == before:  # only a failing test waits for ever
            seen.update(policy for name, policy in threads() if name == "cldsp-planning")
            time.sleep(1e-3)
        while any(policy != own for _, policy in threads()):
            time.sleep(1e-3)
        graph.top.stop()
        graph.top.wait()
        if SCHED_IDLE is not None and seen:
            self.assertLessEqual(seen, {SCHED_IDLE, own})
            self.assertIn(SCHED_IDLE, seen)

    def fork_and_run(self):
        """Runs a flowgraph with a plan in a forked process."""
        child = os.fork()
        if child == 0:
            signal.alarm(int(4 * PATIENCE_S))
            try:
                graph = receiver()
                graph.top.start()
                graph.change_taps(random.Random(2))
                time.sleep(0.05)
                graph.top.stop()
                graph.top.wait()
                os._exit(0)
            finally:
                os._exit(1)
        self.assertEqual(0, os.waitpid(child, 0)[1])

    def test_forks(self):
        """Before the first plan of a process, and while one is made."""
        rng = random.Random(3)
        code = f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import qa_while_planning
qa_while_planning.qa_while_planning("fork_and_run").fork_and_run()
"""
        self.run_program(code)
        graph = receiver()
        graph.top.start()
        for _ in range(10):
            graph.change_taps(rng)
            time.sleep(rng.random() * 0.05)
            self.fork_and_run()
        graph.top.stop()
        graph.top.wait()

    def run_program(self, code, status=0):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=4 * PATIENCE_S, check=False)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)

    def test_exit(self):
        """A process ends with its status while it plans, its flowgraph still running."""
        for milliseconds in (0, 5, 30, 200):
            self.run_program(f"""
import random, sys, time
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import qa_while_planning
graph = qa_while_planning.receiver()
graph.top.start()
graph.change_taps(random.Random(4))
time.sleep({milliseconds} * 1e-3)
graph.change_taps(random.Random(5))
sys.exit(3)
""", 3)


if __name__ == "__main__":
    gr_unittest.run(qa_while_planning)
