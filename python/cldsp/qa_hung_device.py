#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A device that hangs stops only its stream: Python and the getters continue."""

import contextlib
import faulthandler
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import PATIENCE_S, opencl_device

STALL = os.environ.get("CLDSP_QA_STALL", "")
INSIDE = STALL + ".inside"


@contextlib.contextmanager
def stalled(*calls):
    """While this context is active, these calls into OpenCL do not return."""
    with open(STALL + ".new", "w") as file:
        file.write(" ".join(calls))
    os.rename(file.name, STALL)
    try:
        yield
    finally:
        if os.path.exists(STALL):
            os.remove(STALL)


def until_inside():
    while not os.path.exists(INSIDE):
        time.sleep(0.01)
    os.remove(INSIDE)


def end_stall_when_inside():
    until_inside()
    os.remove(STALL)


def device_block(name):
    """A block on the device, its item sizes, its getters and its setters."""
    taps = [1 / 64] * 64
    matrix = np.ones((64, 64), np.float32)
    if name == "filter":
        block = cldsp.freq_xlating_fir_filter_ccf(
            4, taps, 0, 1, device="cpu", algorithm="direct")
        return block, 8, 8, [block.taps, block.center_freq, block.max_taps,
                             lambda: block.set_taps(taps[1:]),
                             lambda: block.set_center_freq(0.1)]
    if name == "bank":
        block = cldsp.freq_xlating_filter_bank_ccf(
            4, taps, [0.1], 1, device="cpu", algorithm="direct")
        return block, 8, 8, [block.taps, block.center_freqs, block.max_taps, block.channels,
                             lambda: block.set_taps(taps[1:]),
                             lambda: block.set_center_freq(0, 0.2),
                             lambda: block.set_center_freqs([0.3])]
    if name == "gemm":
        block = cldsp.gemm_ff(matrix, device="cpu")
        return block, 256, 256, [block.A, lambda: block.set_A(2 * matrix)]
    if name == "multiply_matrix":
        block = cldsp.multiply_matrix_ff([[1]], device="cpu", variant="naive")
        return block, 4, 4, [block.get_A, lambda: block.set_A([[2]])]
    if name == "correlator":
        block = cldsp.correlator_cc(4, 1000, True, "cpu")
        return block, 32, 80, [block.integration, lambda: block.set_integration(900)]
    codes = [bytes(range(64))] * 64
    block = cldsp.gemm_1bit_bi(codes, device="cpu")
    return block, 64, 256, [block.codes, block.bits, lambda: block.set_codes(codes[::-1])]


def ask_while_work_hangs(name):
    block, in_size, out_size, calls = device_block(name)
    assert block.device_name() != "host", block.plan()
    probe = cldsp.tune_probe("cpu")
    tb = gr.top_block()
    tb.connect(blocks.null_source(in_size), block, blocks.null_sink(out_size))
    tb.start()
    while block.kernel_time_avg() == 0:
        time.sleep(0.01)
    with stalled("clEnqueueNDRangeKernel", "clCreateKernel"):
        until_inside()
        for getter in (block.device_name, block.algorithm_name, block.variant_name,
                       block.transfer_name, block.plan, block.kernel_time_avg,
                       block.transfer_time_avg, block.fell_back):
            getter()
        for call in calls:
            call()
        statistics, = probe.block_statistics()
        assert statistics["alias"] == block.alias(), statistics
        assert statistics["device"] == block.device_name(), statistics
        # stop() waits for no block; the end of the flowgraph waits for the device.
        tb.stop()
    tb.wait()


def make_while_the_device_hangs(name):
    other = threading.Thread(target=end_stall_when_inside)
    lists = name in ("devices", "tune_probe")
    with stalled("clGetDeviceIDs" if lists else "clCreateKernel"):
        other.start()
        # The action ends only if the other thread runs meanwhile.
        if name == "devices":
            cldsp.devices()
        elif name == "tune_probe":
            cldsp.tune_probe("cpu")
        elif name == "gemm_function":
            ones = np.ones((64, 64), np.float32)
            cldsp.gemm(ones, ones, device="cpu")
        else:
            device_block(name)
    other.join()


def delete_while_the_device_hangs(name):
    """Python holds its lock while it deletes an object."""
    assert name == "tune_probe"
    probe = cldsp.tune_probe("cpu", "W1", 1.0)
    with stalled("clEnqueueNDRangeKernel", "clCreateKernel"):
        probe.tune()
        until_inside()
        del probe
    # One tuning at a time: the next begins when the device has answered.
    probe = cldsp.tune_probe("host", "roofline", 0.1)
    while not probe.tune():
        time.sleep(0.1)
    while probe.tuning():
        time.sleep(0.01)
    assert probe.state() == "done", probe.state()


@unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
class qa_hung_device(gr_unittest.TestCase):

    BLOCKS = ("filter", "bank", "gemm", "multiply_matrix", "correlator", "gemm_1bit")

    def run_apart(self, action, *names):
        """Runs an action for each name, in a process whose OpenCL calls this test can block."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, __file__, action, *names],
                env=dict(os.environ, LD_PRELOAD=os.environ["CLDSP_QA_STALLED_OPENCL"],
                         CLDSP_QA_STALL=os.path.join(folder, "stall")),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        told = [line for line in done.stdout.splitlines() if line.startswith("PASSED")]
        self.assertEqual([f"PASSED {name}" for name in names], told, done.stdout)
        self.assertEqual(0, done.returncode, done.stdout)

    def test_what_a_block_tells_does_not_wait_for_work(self):
        self.run_apart("ask_while_work_hangs", *self.BLOCKS)

    def test_other_threads_run_while_a_call_waits(self):
        self.run_apart("make_while_the_device_hangs", "devices", "tune_probe",
                       "gemm_function", *self.BLOCKS)

    def test_a_probe_is_deleted_at_once(self):
        self.run_apart("delete_while_the_device_hangs", "tune_probe")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        gr_unittest.run(qa_hung_device)
    for subject in sys.argv[2:]:
        # The watchdog is a separate thread, which needs no lock of Python's.
        faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
        globals()[sys.argv[1]](subject)
        faulthandler.cancel_dump_traceback_later()
        print("PASSED", subject)
