#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp channelize --zmq` with subscribers of pyzmq and of GNU Radio."""

import json
import os
import socket
import subprocess
import sys
import time
import unittest

from channelize_support import RATE, ChannelizeCommandTest, error_db, noise, np, raw

TIMEOUT = 60

if not os.environ.get("CLDSP_TEST_ZMQ"):
    print("skipped: cldsp was built without ZeroMQ")
    sys.exit(77)
try:
    import zmq
    from zmq.utils.monitor import recv_monitor_message
except ImportError:
    print("skipped: there is no pyzmq for", sys.executable)
    sys.exit(77)

CHANNELS = ("--rate", RATE, "--channel", "5k,8k,name=a", "--channel", "0,16k,name=b")


class ZmqTest(ChannelizeCommandTest):

    def setUp(self):
        super().setUp()
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, 0)
        self.samples = raw(noise(96000, seed=1) + 1j * noise(96000, seed=2))

    def ports(self):
        """The first of two free ports."""
        for _ in range(100):
            with socket.socket() as first, socket.socket() as second:
                first.bind(("127.0.0.1", 0))
                port = first.getsockname()[1]
                try:
                    second.bind(("127.0.0.1", port + 1))
                    return port
                except (OSError, OverflowError):
                    pass
        return self.fail("there are no free ports")

    def subscribe(self, endpoint, **options):
        """A connected subscriber whose subscription has probably reached the publisher."""
        receiver = self.context.socket(zmq.SUB)
        for name, value in options.items():
            receiver.setsockopt(getattr(zmq, name), value)
        receiver.setsockopt(zmq.SUBSCRIBE, b"")
        receiver.setsockopt(zmq.RCVTIMEO, int(TIMEOUT * 500))
        monitor = receiver.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        receiver.connect(endpoint)
        self.assertTrue(monitor.poll(TIMEOUT * 500), "nobody is at " + endpoint)
        recv_monitor_message(monitor)
        receiver.disable_monitor()
        time.sleep(0.3)
        return receiver

    def collect(self, receiver, size):
        got = bytearray()
        while len(got) < size:
            part = receiver.recv()
            self.assertEqual(len(part) % 8, 0)
            self.assertLessEqual(len(part), 16384)
            got += part
        return bytes(got)

    def expected(self, *names):
        self.channelize(self.file("x.cf32", self.samples), *CHANNELS, "--out", self.out,
                        "--format", "raw", "--overwrite")
        return [self.result(name).tobytes() for name in names]

    def assert_same(self, got, expected):
        # Rounding depends on how the stream was cut.
        self.assertEqual(len(got), len(expected))
        self.assertLess(error_db(np.frombuffer(got, "<c8"), np.frombuffer(expected, "<c8")),
                        -120)

    def publish(self, *arguments):
        return self.start("-", "--type", "cf32", *CHANNELS, *arguments, stdin=subprocess.PIPE)

    def finish(self, process):
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, said)

    def test_each_channel_has_a_port(self):
        port = self.ports()
        process = self.publish("--zmq", f"tcp://127.0.0.1:{port}", "--json")
        receivers = [self.subscribe(f"tcp://127.0.0.1:{port + i}") for i in range(2)]
        written, said = process.communicate(self.samples, timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, said)
        for receiver, expected in zip(receivers, self.expected("a", "b")):
            self.assert_same(self.collect(receiver, len(expected)), expected)
        report = json.loads(written)
        self.assertEqual([c["target"] for c in report["channels"]],
                         [f"tcp://127.0.0.1:{port + i}" for i in range(2)])
        self.assertEqual([c["samples"] for c in report["channels"]], [8000, 16000])

    def test_files_are_kept(self):
        path = self.file("x.cf32", self.samples)
        mine = self.file("ch1", b"mine")
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "--zmq",
                            f"ipc://{self.folder}/{{name}}", names=[mine, "no socket"], status=1)
        self.assertEqual(mine.read_bytes(), b"mine")

    def test_names_in_addresses(self):
        process = self.publish("--zmq", f"ipc://{self.folder}/{{name}}.{{index}}")
        receiver = self.subscribe(f"ipc://{self.folder}/b.1")
        process.stdin.write(self.samples)
        self.finish(process)
        (expected,) = self.expected("b")
        self.assert_same(self.collect(receiver, len(expected)), expected)

    def test_a_slow_subscriber_loses_nothing(self):
        port = self.ports()
        count = 20000000
        process = self.start("-", "--type", "cs8", "--rate", RATE, "--channel", "0,96k,bw=60k",
                             "--zmq", f"tcp://127.0.0.1:{port}", stdin=subprocess.PIPE)
        receiver = self.subscribe(f"tcp://127.0.0.1:{port}", RCVHWM=1, RCVBUF=65536)
        writer = subprocess.Popen(["head", "-c", str(2 * count), "/dev/urandom"],
                                  stdout=process.stdin)
        process.stdin.close()
        process.stdin = None
        time.sleep(1)
        self.assertIsNone(writer.poll())  # it waits, too
        got = self.collect(receiver, count * 8)
        self.finish(process)
        self.assertEqual(writer.wait(TIMEOUT), 0)
        self.assertEqual(len(got), count * 8)

    def test_a_subscriber_that_stops(self):
        port = self.ports()
        path = self.folder / "zeros.cs8"
        with open(path, "wb") as file:
            file.truncate(100 << 20)
        process = self.start(path, "--rate", RATE, "--channel", "0,80k,bw=60k", "--zmq",
                             f"tcp://127.0.0.1:{port}", "--speed", 0)
        receiver = self.subscribe(f"tcp://127.0.0.1:{port}", RCVHWM=1, RCVBUF=65536)
        receiver.recv()
        time.sleep(1)
        process.terminate()
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 1)
        self.assertIn("a subscriber does not read", said.decode())

    def test_the_speed_of_a_file(self):
        path = self.file("x.cf32", self.samples[:RATE // 4 * 8])
        begin = time.monotonic()
        self.channelize(path, *CHANNELS, "--zmq", f"tcp://127.0.0.1:{self.ports()}")
        self.assertGreater(time.monotonic() - begin, 0.2)

    def test_addresses_that_cannot_be_taken(self):
        path = self.file("x.cf32", self.samples)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "--zmq",
                                f"tcp://127.0.0.1:{port}", status=1,
                                names=[port, "--zmq", "Address already in use"])
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "--zmq",
                            "tcp://no-such-interface:5555", status=1, names=["--zmq"])
        self.assert_refused(path, "--rate", RATE, "--channel", "0,8k", "--zmq",
                            f"ipc://{self.folder}/none/x", status=1, names=["--zmq"])

    def test_gnuradio(self):
        try:
            from gnuradio import blocks, gr, zeromq
        except ImportError:
            self.skipTest("no GNU Radio with ZeroMQ")
        port = self.ports()
        process = self.publish("--zmq", f"tcp://127.0.0.1:{port}")
        (expected,) = self.expected("a")
        # The flowgraph's own source cannot tell when it is connected.
        source = zeromq.sub_source(gr.sizeof_gr_complex, 1, f"tcp://127.0.0.1:{port}", 1000,
                                   False, -1, "")
        head = blocks.head(gr.sizeof_gr_complex, len(expected) // 8)
        sink = blocks.vector_sink_c()
        top_block = gr.top_block()
        top_block.connect(source, head, sink)
        top_block.start()
        self.subscribe(f"tcp://127.0.0.1:{port}")
        time.sleep(0.5)
        process.stdin.write(self.samples)
        self.finish(process)
        # The source never ends by itself.
        end = time.monotonic() + TIMEOUT
        while len(sink.data()) < len(expected) // 8 and time.monotonic() < end:
            time.sleep(0.01)
        top_block.stop()
        top_block.wait()
        self.assert_same(np.array(sink.data(), "<c8").tobytes(), expected)


if __name__ == "__main__":
    unittest.main()
