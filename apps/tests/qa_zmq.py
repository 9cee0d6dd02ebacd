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

from channelize_support import RATE, TIMEOUT, ChannelizeCommandTest, error_db, noise, np, raw

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

    def connected(self, endpoint, **options):
        receiver = self.context.socket(zmq.SUB)
        for name, value in options.items():
            receiver.setsockopt(getattr(zmq, name), value)
        receiver.setsockopt(zmq.RCVTIMEO, int(TIMEOUT * 1000))
        with receiver.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED) as monitor:
            receiver.connect(endpoint)
            self.assertTrue(monitor.poll(TIMEOUT * 1000), "nobody is at " + endpoint)
            recv_monitor_message(monitor)
            receiver.disable_monitor()
        return receiver

    def subscribe(self, endpoint, **options):
        """A subscriber whose subscription has reached the publisher."""
        receiver = self.connected(endpoint, SUBSCRIBE=b"", **options)
        # The subscription precedes what a later connection brings: on either side one thread
        # serves all connections.
        self.connected(endpoint).close()
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

    def start_of_bytes(self, channel):
        """A publisher of bytes from its standard input, and a slow subscriber."""
        endpoint = f"tcp://127.0.0.1:{self.ports()}"
        process = self.start("-", "--type", "cs8", "--rate", RATE, "--channel", channel,
                             "--zmq", endpoint, stdin=subprocess.PIPE)
        return process, self.subscribe(endpoint, RCVHWM=1, RCVBUF=65536)

    def hand_over(self, process):
        """Closes this end of the pipe to a process."""
        process.stdin.close()
        process.stdin = None

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
        count = 20000000
        process, receiver = self.start_of_bytes("0,96k,bw=60k")
        writer = subprocess.Popen(["head", "-c", str(2 * count), "/dev/urandom"],
                                  stdout=process.stdin)
        self.hand_over(process)
        time.sleep(1)
        self.assertIsNone(writer.poll())  # it waits, too
        got = self.collect(receiver, count * 8)
        self.finish(process)
        self.assertEqual(writer.wait(TIMEOUT), 0)
        self.assertEqual(len(got), count * 8)

    def test_the_end_waits_for_a_slow_subscriber(self):
        count = 1900000  # less than the messages that ZeroMQ keeps, more than the system does
        process, receiver = self.start_of_bytes("0,96k,bw=60k")
        process.stdin.write(bytes(2 * count))
        self.hand_over(process)
        time.sleep(3)  # more than a subscriber has after a signal
        self.assertEqual(len(self.collect(receiver, count * 8)), count * 8)
        self.finish(process)

    def assert_stopped(self, process):
        process.terminate()
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(said.count(b"a subscriber does not read"), 1, said)

    def test_a_subscriber_that_stops(self):
        process, receiver = self.start_of_bytes("0,80k,bw=60k")
        process.stdin.write(bytes(4 << 20))
        writer = subprocess.Popen(["head", "-c", "100M", "/dev/zero"], stdout=process.stdin)
        self.hand_over(process)
        receiver.recv()
        time.sleep(1)
        self.assert_stopped(process)
        writer.wait(TIMEOUT)

    def test_a_subscriber_that_stops_at_the_end(self):
        process, receiver = self.start_of_bytes("0,96k,bw=60k")
        process.stdin.write(bytes(3800000))
        self.hand_over(process)
        receiver.recv()
        time.sleep(1)
        self.assert_stopped(process)

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
        expected = np.frombuffer(expected, "<c8")
        source = zeromq.sub_source(gr.sizeof_gr_complex, 1, f"tcp://127.0.0.1:{port}", 1000,
                                   False, -1, "")
        sink = blocks.vector_sink_c()
        top_block = gr.top_block()
        top_block.connect(source, sink)
        top_block.start()
        end = time.monotonic() + TIMEOUT
        # The source cannot tell when it is connected, so it gets silence first: whole periods of
        # the channel's frequency.
        while not sink.data() and time.monotonic() < end:
            process.stdin.write(bytes(8 * 960))
            process.stdin.flush()
            time.sleep(0.01)
        process.stdin.write(self.samples)
        self.finish(process)
        # The source never ends by itself.
        while np.count_nonzero(sink.data()) < np.count_nonzero(expected) and \
                time.monotonic() < end:
            time.sleep(0.01)
        top_block.stop()
        top_block.wait()
        got = np.array(sink.data(), "<c8")
        self.assert_same(got[-len(expected):].tobytes(), expected.tobytes())


if __name__ == "__main__":
    unittest.main()
