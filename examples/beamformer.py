#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Forms beams with an array of antennas by gr-cldsp's gemm_cc, and follows a moving source.

The input is the signals of 64 antennas, the output is 65 beams: one product of a matrix with a
vector for each snapshot. All but one of the beams look into fixed directions. From their powers a
block finds the source. It sends a new matrix whenever the last beam has to point elsewhere.
"""

import argparse
import math
import os
import sys
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")

from common import ExampleError
from common.outcome import exit_status
from common.output import check_picture
from common.progress import Progress, watch

LOST = 1
# With this taper, a beam that points so far off loses 3 dB. The unit is the sine of the angle times
# the number of antennas.
HALF_WIDTH = 1.3


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--output", type=Path, default=Path("demo-output/beamformer.png"),
                        help="the picture (default demo-output/beamformer.png)")
    parser.add_argument("--antennas", type=int, default=64, help="32 to 256 (default 64)")
    parser.add_argument("--snapshots", type=int, default=400000,
                        help="how long the source moves, 20000 or more (default 400000)")
    parser.add_argument("--snr", type=float, default=-5.0, metavar="DB",
                        help="the source's power at one antenna, relative to the noise's "
                        "(default -5)")
    parser.add_argument("--seed", type=int, default=1, help="of the noise (default 1)")
    parser.add_argument("--device", default="auto",
                        help="auto (the fastest, the host included), gpu, cpu, host, P:D or part "
                        "of a name (default auto)")
    parser.add_argument("--variant", default="auto", help="the kernel variant (default auto)")
    return parser


def check(args):
    for name, value, good, range_text in (
            ("--antennas", args.antennas, 32 <= args.antennas <= 256, "32 to 256"),
            ("--snapshots", args.snapshots, args.snapshots >= 20000, "20000 or more"),
            ("--snr", args.snr, -60 <= args.snr <= 60, "-60 to 60"),
            ("--seed", args.seed, args.seed >= 0, "0 or more")):
        if not good:
            raise ExampleError(f"{name} is {value}, but must be {range_text}")
    check_picture("--output", args.output)


def signal_to_noise(outputs, signal, skip):
    """The gain of a beam's outputs in dB, after the beam has found the source."""
    import numpy as np

    outputs, signal = outputs[skip:], signal[skip:len(outputs)]
    length = 1000  # the gain changes slowly as the beam moves
    rows = len(outputs) // length
    y = outputs[:rows * length].reshape(rows, length)
    s = signal[:rows * length].reshape(rows, length)
    gain = np.sum(y * np.conj(s), axis=1, keepdims=True) / length
    rest = y - gain * s
    return 10 * np.log10(np.mean(np.abs(gain) ** 2) / np.mean(np.abs(rest) ** 2))


def run(args):
    check(args)
    import numpy as np
    from beamforming import array, picture, scene
    from beamforming.tracker import Tracker, matrix
    from gnuradio import cldsp, gr

    look = max(200, args.snapshots // 400)
    antennas = scene.Antennas(args.antennas, args.snapshots, args.snr, args.seed)
    beamformer = cldsp.gemm_cc(matrix(args.antennas, 0.0), args.device, args.variant)
    tracker = Tracker(args.antennas, look)
    flowgraph = gr.top_block("beamformer")
    # Samples in a buffer still belong to the old beam, so that short buffers keep the beam close to
    # the source.
    beamformer.set_max_output_buffer(2 * look)
    flowgraph.connect(antennas, beamformer, tracker)
    flowgraph.msg_connect(tracker, "set_A", beamformer, "set_A")

    print(f"beamformer: {beamformer.plan()}")
    with Progress("following the source") as progress:
        watch(flowgraph, progress,
              lambda: len(tracker.powers) * look / args.snapshots)

    looks = len(tracker.sent)
    truth = scene.direction_at((np.arange(looks) + 1) * look, args.snapshots)
    error = np.abs(np.array(tracker.sent) - truth)
    # A beam has the same width in the sine of the direction, wherever it points.
    width = np.degrees(HALF_WIDTH / args.antennas / np.cos(np.radians(truth)))
    skip = 10 * look
    measured = signal_to_noise(np.concatenate(tracker.steered), antennas.signal, skip)
    limit = array.array_gain(args.antennas)

    print(f"the source moved from {truth[0]:+.1f} to {truth[-1]:+.1f} degrees; "
          f"{looks} matrices were sent")
    print(f"steering error: median {np.median(error):.2f} degrees, "
          f"largest {np.max(error[3:]):.2f}; a beam loses 3 dB at {np.median(width):.2f}")
    print(f"signal to noise: {args.snr:.1f} dB at one antenna, {measured:.1f} dB in the beam, "
          f"of {args.snr + limit:.1f} dB at best")
    print(f"{beamformer.device_name()}, {beamformer.variant_name()}: "
          f"{1e6 * beamformer.kernel_time_avg():.0f} us a call")
    picture.save(args.output, tracker, look, truth,
                 f"{args.antennas} antennas, and a beam that follows a source, whose signal to noise "
                 f"at one antenna is {args.snr:g} dB")
    print(f"picture: {args.output}")
    followed = np.median(error) < np.median(width) and math.isfinite(measured)
    if not followed:
        print("the source was lost")
    return 0 if followed else LOST


if __name__ == "__main__":
    arguments = options().parse_args()
    sys.exit(exit_status(lambda: run(arguments)))
