#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Holds the radio, or a file, and publishes every channel of its band over ZeroMQ, for workers on
this machine and others. Each channel has its own port, and one port takes messages that tune.
"""

import argparse
import os
import signal
import sys
import threading
import time
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")
# This folder is a package, and its modules are imported from the folder above.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from band_receiver import options, wire
from common import ExampleError, engine
from common.outcome import CANNOT_RUN, exit_status

SENDING_S = 1.0  # seconds that ZeroMQ gets at the end to send the rest of its messages
STOPPING_S = 10.0
STALLED_S = 10.0  # seconds without a sample from a radio, after which it counts as stalled


def parse():
    parser = argparse.ArgumentParser(description=__doc__.strip(), allow_abbrev=False)
    options.add(parser)
    network = parser.add_argument_group("the network")
    network.add_argument("--bind", metavar="ADDRESS", default="127.0.0.1",
                         help="which of this machine's addresses listens; 0.0.0.0 is all of "
                         "them (default 127.0.0.1: no other machine)")
    network.add_argument("--port", metavar="N", type=int, default=wire.DEFAULT_PORT,
                         help="takes messages that tune; the channels have the ports after it "
                         f"(default {wire.DEFAULT_PORT})")
    network.add_argument("--lossless", action="store_true",
                         help="wait for slow workers instead of dropping samples; for files")
    args = parser.parse_args()
    options.check(args)
    if args.lossless and args.input == "rtl":
        raise ExampleError("--lossless goes with a file: a radio does not wait")
    return args


def make_server(args, band, stream):
    """The flowgraph, its bank, and its sinks."""
    from common.streams import FORMATS
    from gnuradio import gr, zeromq

    server = gr.top_block("band server")
    bank = FORMATS[stream.sample_format].bank(band.decimation, band.taps(), band.offsets,
                                              band.sample_rate, **engine.chosen(args))
    server.connect(stream.block, bank)
    sinks = []
    try:
        tuning = zeromq.pull_msg_source(f"tcp://{args.bind}:{args.port}", 100, True)
        for channel in band.channels:
            address = f"tcp://{args.bind}:{wire.port(args.port, channel.number)}"
            sinks.append(zeromq.pub_sink(gr.sizeof_gr_complex, 1, address, 100, False, -1,
                                         wire.key(channel.number), not args.lossless))
            server.connect((bank, channel.number), sinks[-1])
    except RuntimeError as error:
        raise ExampleError(f"cannot listen at {args.bind}, ports {args.port} to "
                           f"{wire.port(args.port, len(band.channels) - 1)}: {error}") from error
    server.msg_connect(tuning, "out", bank, "freq")
    return server, bank, sinks


def run(args):
    from band_receiver import band as bands

    recording = options.open_recording(args)
    band = bands.make_band(args)
    last = wire.port(args.port, len(band.channels) - 1)
    if args.port < 1 or last > wire.LARGEST_PORT:
        raise ExampleError(f"--port {args.port}: must be 1 to "
                           f"{wire.LARGEST_PORT - len(band.channels)}")
    stream = options.open_stream(args, recording, live=True)
    server, bank, sinks = make_server(args, band, stream)
    # This is set up before the flowgraph starts its threads, so that none of them takes the signal.
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    print(f"The bank's plan: {bank.plan()}")
    print(f"{'channel':>7}  {'MHz':>12}  {'offset Hz':>10}  port")
    for channel in band.channels:
        print(f"{channel.number:>7}  {channel.frequency / 1e6:>12.6f}  {channel.offset:>10.0f}  "
              f"{wire.port(args.port, channel.number)}")
    server.start()
    print(f"serving {stream.name}: worker.py --connect tcp://{args.bind}:{args.port} "
          f"--rate {band.channel_rate} --raster {band.raster:g} --channel N", flush=True)
    outcome = serve(stream, bank, sinks, stopping)
    if not stop(server):
        print("error: a worker does not take its samples", file=sys.stderr, flush=True)
        os._exit(CANNOT_RUN)
    if outcome:
        raise ExampleError(outcome)
    print("the server has ended")
    return 0


def serve(stream, bank, sinks, stopping):
    """Wait for the stream's end or a signal, and return a description of a failure."""
    last, moved = 0, time.monotonic()
    while not stopping.wait(0.1):
        now = bank.nitems_read(0)
        if now != last:
            last, moved = now, time.monotonic()
        elif stream.from_radio and time.monotonic() - moved > STALLED_S:
            return f"no sample arrived for {STALLED_S:.0f} s"
        if stream.length is not None and now >= stream.length:
            wanted = stream.length // bank.decimation()
            if all(sink.nitems_read(0) >= wanted for sink in sinks):
                stopping.wait(SENDING_S)
                break
    return None


def stop(server):
    """Stop the flowgraph; returns False if it does not stop."""
    server.stop()
    waiter = threading.Thread(target=server.wait, daemon=True)
    waiter.start()
    waiter.join(STOPPING_S)
    return not waiter.is_alive()


if __name__ == "__main__":
    sys.exit(exit_status(lambda: run(parse())))
