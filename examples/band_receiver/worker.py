#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Receives one channel from server.py, on this machine or another, and demodulates it: to the sound
card, or to a WAV file; a .cf32 file gets the channel's samples as they came.
"""

import argparse
import math
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")
# This folder is a package, and its modules are imported from the folder above.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from band_receiver import modes, wire
from band_receiver.options import LEAST_CHANNEL_RATE, MOST_CHANNEL_RATE
from common import MOST_SECONDS, ExampleError
from common.hertz import hertz, whole_hertz
from common.outcome import exit_status
from common.output import check_file
from common.progress import Progress, watch


def parse():
    parser = argparse.ArgumentParser(description=__doc__.strip(), allow_abbrev=False)
    parser.add_argument("--connect", metavar="tcp://HOST:PORT", required=True,
                        help="the server and its --port")
    parser.add_argument("--channel", metavar="N", type=int, required=True,
                        help="the channel's number in the server's table")
    parser.add_argument("--rate", metavar="HZ", type=whole_hertz, default=48000,
                        help="the server's --channel-rate (default 48000)")
    parser.add_argument("--raster", metavar="HZ", type=hertz, default=25000.0,
                        help="the server's --raster (default 25000)")
    parser.add_argument("--squelch", metavar="DB", type=float, default=-45.0,
                        help="relative to full scale (default -45)")
    modes.add_options(parser)
    parser.add_argument("--tune", metavar="HZ", type=hertz,
                        help="first tune the channel to this offset from the band's centre")
    parser.add_argument("--output", metavar="FILE", type=Path,
                        help=".wav or .cf32 (default: the sound card)")
    parser.add_argument("--seconds", metavar="S", type=float, help="stop after so much signal")
    parser.add_argument("--timeout", metavar="S", type=float, default=10.0,
                        help="stop when nothing arrives for so long (default 10)")
    args = parser.parse_args()
    args.host, args.port = wire.parse_address(args.connect)
    largest = wire.LARGEST_PORT - args.port - 1
    if not 0 <= args.channel <= largest:
        raise ExampleError(f"--channel {args.channel}: must be 0 to {largest}")
    for name, most in (("seconds", MOST_SECONDS), ("timeout", MOST_SECONDS),
                       ("raster", MOST_CHANNEL_RATE)):
        value = getattr(args, name)
        if value is not None and not 0 < value <= most:
            raise ExampleError(f"--{name} {value}: must be above 0, to {most}")
    if not LEAST_CHANNEL_RATE <= args.rate <= MOST_CHANNEL_RATE:
        raise ExampleError(f"--rate {args.rate}: must be {LEAST_CHANNEL_RATE} to "
                           f"{MOST_CHANNEL_RATE}")
    modes.check(args)
    if not math.isfinite(args.squelch):
        raise ExampleError(f"--squelch {args.squelch}: must be a finite number")
    if args.output is not None:
        check_file("--output", args.output, [".wav", ".cf32"])
    return args


def make_worker(args):
    """The flowgraph, the block that counts its samples, and the sink of its file, if any."""
    from band_receiver.demodulator import Demodulator
    from band_receiver.recorder import Recorder
    from gnuradio import audio, blocks, gr, zeromq

    worker = gr.top_block("band worker")
    item = gr.sizeof_gr_complex
    address = f"tcp://{args.host}:{wire.port(args.port, args.channel)}"
    source = zeromq.sub_source(item, 1, address, 100, False, -1, wire.key(args.channel))
    wanted = max(1, round(args.seconds * args.rate)) if args.seconds else (1 << 62)
    counted = blocks.head(item, wanted)
    worker.connect(source, counted)
    if args.output and args.output.suffix.lower() == ".cf32":
        sink = blocks.file_sink(item, str(args.output))
        worker.connect(counted, sink)
        return worker, counted, wanted, sink
    if args.output:
        sink = Recorder(args.rate)
        sink.begin(args.output)
    else:
        try:
            sink = audio.sink(args.rate)
        except RuntimeError as error:
            raise ExampleError(f"no sound card takes {args.rate} samples a second; --output "
                               "takes a file") from error
    # GNU Radio keeps no Python object.
    worker.demodulator = Demodulator(args.rate, args.raster, args.squelch,
                                     *modes.chosen(args, args.rate))
    worker.connect(counted, worker.demodulator, sink)
    return worker, counted, wanted, sink


class Tuning:
    """Sends one message that tunes the channel, with a flowgraph that exists only while in use."""

    def __init__(self, args):
        import pmt
        from gnuradio import gr, zeromq

        class Request(gr.basic_block):
            def __init__(self):
                gr.basic_block.__init__(self, "request", None, None)
                self.message_port_register_out(pmt.intern("out"))

        self.flowgraph, self.request = gr.top_block("tuning"), Request()
        sink = zeromq.push_msg_sink(f"tcp://{args.host}:{args.port}", 100, False)
        self.flowgraph.msg_connect(self.request, "out", sink, "in")
        self.port = pmt.intern("out")
        self.message = pmt.cons(pmt.from_long(args.channel), pmt.from_double(args.tune))

    def __enter__(self):
        self.flowgraph.start()
        self.request.message_port_pub(self.port, self.message)

    def __exit__(self, *_):
        self.flowgraph.stop()
        self.flowgraph.wait()


def run(args):
    worker, counted, wanted, sink = make_worker(args)
    tuning = nullcontext() if args.tune is None else Tuning(args)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted = False
    try:
        with tuning, Progress(f"channel {args.channel}") if args.seconds else nullcontext() as bar:
            ended = watch(worker, bar, lambda: counted.nitems_read(0) / wanted, args.timeout)
    except KeyboardInterrupt:
        ended = interrupted = True
    finally:
        if args.output:
            sink.close()
    if getattr(sink, "failure", None):
        raise ExampleError(f"--output: {sink.failure}")
    received = counted.nitems_read(0)
    if not received and not interrupted:
        raise ExampleError(f"nothing arrived from {args.connect} for {args.timeout:g} s; is the "
                           f"server running, and does it have a channel {args.channel}?")
    if not ended and args.seconds:
        raise ExampleError(f"the stream ended after {received / args.rate:.2f} of "
                           f"{args.seconds:g} s")
    print(f"{received} samples of channel {args.channel}"
          + (f" in {args.output}" if args.output else ""))
    return 0


if __name__ == "__main__":
    sys.exit(exit_status(lambda: run(parse())))
