#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Messages that no port can use, however large or deep, are dropped with a short line."""

import faulthandler
import os
import subprocess
import sys
import time

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import PATIENCE_S, messages_with_none, post

# More levels than pmt.write_string() can follow with the stack of a thread.
DEPTH = 60000
MANY = 1000000


def nested_pairs():
    message = pmt.PMT_NIL
    for _ in range(DEPTH):
        message = pmt.cons(message, pmt.PMT_NIL)
    return message


def nested_vectors():
    message = pmt.from_double(1)
    for _ in range(DEPTH):
        message = pmt.make_vector(1, message)
    return message


def useless():
    """Messages that no port for frequencies, matrices, codes or integrations accepts."""
    text = pmt.intern("forged\n:error: line \x1b[31m" + 100000 * "\u00e4")
    many = pmt.make_vector(MANY, pmt.PMT_T)
    return [text, many, pmt.init_f32vector(MANY, np.ones(MANY, np.float32)),
            nested_pairs(), nested_vectors(), pmt.make_tuple(text, many, nested_pairs()),
            pmt.cons(text, many), pmt.make_vector(1, text)] + messages_with_none()


def frequency_port(block, set_to):
    return (block, "freq", useless(), set_to,
            lambda: np.max(block.center_freq() if hasattr(block, "center_freq")
                           else block.center_freqs()) == 0.25)


def matrix_port(block, getter):
    new = pmt.make_vector(1, pmt.make_vector(1, pmt.from_double(7)))
    return block, "set_A", useless(), new, lambda: getter()[0][0] == 7


def ports():
    """Yields cases: the sizes of the input and output items, a block, the name of its port,
    messages to drop, a message to accept, and a function that tells whether it was accepted."""
    options = dict(device="host")
    yield 8, 8, frequency_port(
        cldsp.freq_xlating_fir_filter_ccf(1, [1], 0, 1, algorithm="direct", **options),
        pmt.cons(pmt.intern("freq"), pmt.from_double(0.25)))
    yield 8, 8, frequency_port(
        cldsp.freq_xlating_filter_bank_ccf(1, [1], [0], 1, algorithm="direct", **options),
        pmt.cons(pmt.from_long(0), pmt.from_double(0.25)))
    block = cldsp.multiply_matrix_ff([[1]], **options)
    yield 4, 4, matrix_port(block, block.get_A)
    block = cldsp.gemm_ff([[1]], **options)
    yield 4, 4, matrix_port(block, block.A)
    codes = cldsp.gemm_1bit_bi([b"a"], **options)
    code = pmt.init_u8vector(1, [7])
    yield 1, 4, (codes, "set_codes", useless(), pmt.make_vector(1, code),
                 lambda: codes.codes() == [b"\x07"])
    correlator = cldsp.correlator_cc(1, 10, **options)
    yield 8, 8, (correlator, "integration", useless(), pmt.from_long(7),
                 lambda: correlator.integration() == 7)
    # A probe accepts every message as a request, so these request things that do not exist.
    probe = cldsp.tune_probe("host")
    record = pmt.make_dict()
    no_wishes = [pmt.dict_add(record, pmt.intern(key), value) for value in useless()
                 for key in ("what", "budget_s", "strategy", 100000 * "k")]
    yield 0, 0, (probe, "tune", no_wishes, pmt.dict_add(
        record, pmt.intern("what"), pmt.intern("last")),
        lambda: "'last'" in probe.last_report)


def drop(in_size, out_size, case):
    block, port, dropped, taken, is_taken = case
    tb = gr.top_block()
    if in_size:
        tb.connect(blocks.null_source(in_size), block, blocks.null_sink(out_size))
    else:
        tb.msg_connect((block, "report"), (blocks.message_debug(), "store"))
    tb.start()
    for message in dropped:
        post(block, message, port)
    post(block, taken, port)
    while not is_taken():
        time.sleep(0.01)
    tb.stop()
    tb.wait()
    print("PASSED", block.name(), len(dropped))


class qa_messages(gr_unittest.TestCase):

    def test_useless_messages(self):
        done = subprocess.run([sys.executable, __file__, "drop"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(0, done.returncode, done.stdout[-4000:])
        lines = done.stdout.splitlines()
        passed = [line.split()[1:] for line in lines if line.startswith("PASSED")]
        self.assertEqual(7, len(passed), done.stdout[-4000:])
        for name, count in passed:
            with self.subTest(block=name):
                told = [line for line in lines if line.startswith(name + " :")
                        and "dropped" in line]
                # A probe also reports the last message.
                self.assertIn(len(told), (int(count), int(count) + 1))
                self.assertLess(max(map(len, told)), 600)
                # What lies deeper than a reader follows is left out.
                self.assertLessEqual(max(line.count("#(") for line in told), 4)
        self.assertFalse([line for line in lines if "\x1b[31m" in line])
        self.assertFalse([line for line in lines if line.startswith(":error:")])


if __name__ == "__main__":
    if len(sys.argv) == 1:
        gr_unittest.run(qa_messages)
    faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
    for sizes_and_case in ports():
        drop(*sizes_and_case)
