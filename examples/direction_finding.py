#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Finds the directions of three sources with an array of antennas, by gr-cldsp's correlator_cc.

The input is the signals of 12 antennas, half a wavelength apart. Two sources are closer together
than a beam of the array is wide. The correlator gives the antennas' covariance matrix once in
every integration, and MUSIC (Schmidt, 1986) finds the directions in its eigenvectors: the response
to a source is orthogonal to the eigenvectors that hold only noise.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")

from common import ExampleError
from common.outcome import exit_status
from common.output import check_picture
from common.progress import Progress, watch

NOT_FOUND = 1
DIRECTIONS = (-31.0, 10.0, 16.0)  # degrees off broadside
TOLERANCE = 1.0  # degrees


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--output", type=Path, default=Path("demo-output/direction_finding.png"),
                        help="the picture (default demo-output/direction_finding.png)")
    parser.add_argument("--antennas", type=int, default=12, help="6 to 64 (default 12)")
    parser.add_argument("--integration", type=int, default=4096, metavar="SAMPLES",
                        help="samples of an integration, 64 to 1000000 (default 4096)")
    parser.add_argument("--integrations", type=int, default=16, help="1 to 100 (default 16)")
    parser.add_argument("--snr", type=float, default=0.0, metavar="DB",
                        help="a source's power at one antenna, relative to the noise's, -60 to "
                        "60 (default 0)")
    parser.add_argument("--seed", type=int, default=1, help="of the signals (default 1)")
    parser.add_argument("--device", default="auto",
                        help="auto (the fastest, the host included), gpu, cpu, host, P:D or part "
                        "of a name (default auto)")
    return parser


def check(args):
    for name, value, good, range_text in (
            ("--antennas", args.antennas, 6 <= args.antennas <= 64, "6 to 64"),
            ("--integration", args.integration, 64 <= args.integration <= 1000000,
             "64 to 1000000"),
            ("--integrations", args.integrations, 1 <= args.integrations <= 100, "1 to 100"),
            ("--snr", args.snr, -60 <= args.snr <= 60, "-60 to 60"),
            ("--seed", args.seed, args.seed >= 0, "0 or more")):
        if not good:
            raise ExampleError(f"{name} is {value}, but must be {range_text}")
    check_picture("--output", args.output)


def received(args):
    """The samples of the antennas, one row for each moment, as a signal source."""
    import numpy as np
    from beamforming.array import response
    from gnuradio import gr

    class Antennas(gr.sync_block):
        def __init__(self):
            gr.sync_block.__init__(self, "antennas", [], [(np.complex64, args.antennas)])
            self.random = np.random.default_rng(args.seed)
            self.samples = self.left = args.integration * args.integrations
            self.responses = 10 ** (args.snr / 20) * response(args.antennas, DIRECTIONS)

        def noise(self, *shape):
            parts = self.random.standard_normal((2,) + shape) / np.sqrt(2)
            return parts[0] + 1j * parts[1]

        def work(self, input_items, output_items):
            if self.left == 0:
                return -1
            count = min(self.left, len(output_items[0]))
            sources = self.noise(count, len(DIRECTIONS))
            output_items[0][:count] = (sources @ self.responses +
                                       self.noise(count, args.antennas))
            self.left -= count
            return count

    return Antennas()


def covariances(vectors, antennas):
    """The covariance matrices of the output vectors of a correlator."""
    import numpy as np
    lower = np.zeros((len(vectors), antennas, antennas), complex)
    lower[(slice(None),) + np.tril_indices(antennas)] = vectors
    return lower + np.conj(np.swapaxes(np.tril(lower, -1), 1, 2))


def music(covariance, responses, sources):
    """The spectrum of MUSIC for these responses, one row for each direction, in dB of its peak."""
    import numpy as np
    vectors = np.linalg.eigh(covariance)[1]  # in the order of rising eigenvalues
    noise = vectors[:, :len(covariance) - sources]
    leak = np.sum(np.abs(np.conj(responses) @ noise) ** 2, axis=1)
    return 10 * np.log10(np.min(leak) / leak)


def peaks(spectrum, directions, count):
    """The directions of the highest local maxima, in their order from left to right."""
    import numpy as np
    inner = spectrum[1:-1]
    at = np.flatnonzero((inner >= spectrum[:-2]) & (inner > spectrum[2:])) + 1
    return np.sort(directions[at[np.argsort(spectrum[at])[::-1][:count]]])


def save(path, directions, spectra, beam, found, args):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from beamforming.array import SAMPLE_RATE
    from common.colours import HEARD, INK, QUIET, TRACE
    from common.picture import dark, title
    dark(10)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(10, 7), sharex=True,
                                         layout="constrained")
    title(figure, f"Three sources, found in the visibilities of {args.antennas} antennas", 13)
    seconds = args.integration / SAMPLE_RATE  # of an integration
    drawn = top.pcolormesh(directions, (np.arange(len(spectra)) + 0.5) * seconds, spectra,
                           cmap="inferno", shading="nearest", rasterized=True, vmin=-40)
    scale = figure.colorbar(drawn, ax=top, pad=0.01, ticks=(-40, -20, 0))
    scale.set_label("MUSIC (dB)")
    scale.outline.set_visible(False)
    top.set_ylabel("time (s)")
    top.set_ylim(len(spectra) * seconds, 0)
    bottom.plot(directions, beam, color=QUIET, linewidth=1.2, label="beam of the array")
    bottom.plot(directions, spectra.mean(axis=0), color=TRACE, linewidth=1.4,
                label="MUSIC, mean of the integrations")
    for i, direction in enumerate(DIRECTIONS):
        bottom.axvline(direction, color=HEARD, linewidth=1, linestyle=(0, (2, 4)),
                       label=None if i else "where the sources are")
    bottom.plot(found, np.full(len(found), 1.5), "v", color=INK, label="where they were found")
    bottom.set_ylabel("relative to the peak (dB)")
    bottom.set_xlabel("degrees off broadside")
    bottom.set_ylim(-45, 5)
    bottom.set_xlim(-75, 75)
    bottom.grid(axis="y")
    bottom.legend(loc="lower center", bbox_to_anchor=(0.5, 0.99), ncol=4, fontsize=9, frameon=False)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def run(args):
    check(args)
    import numpy as np
    from beamforming.array import response
    from gnuradio import blocks, cldsp, gr

    antennas = received(args)
    correlator = cldsp.correlator_cc(args.antennas, args.integration, True, args.device)
    sink = blocks.vector_sink_c(correlator.visibilities())
    flowgraph = gr.top_block("direction finding")
    flowgraph.connect(antennas, correlator, sink)
    print(f"correlator: {correlator.plan()}")
    with Progress("correlating") as progress:
        watch(flowgraph, progress, lambda: 1 - antennas.left / antennas.samples)

    vectors = np.array(sink.data()).reshape(-1, correlator.visibilities())
    matrices = covariances(vectors, args.antennas) / args.integration
    directions = np.linspace(-75, 75, 3001)
    responses = response(args.antennas, directions)
    spectra = np.array([music(matrix, responses, len(DIRECTIONS)) for matrix in matrices])
    mean = matrices.mean(axis=0)
    found = peaks(music(mean, responses, len(DIRECTIONS)), directions, len(DIRECTIONS))
    power = np.real(np.einsum("di,ij,dj->d", np.conj(responses), mean, responses))
    beam = 10 * np.log10(power / power.max())
    print(f"{len(vectors)} integrations of {args.integration} samples")
    print("sources at " + ", ".join(f"{d:+.2f}" for d in DIRECTIONS) + " degrees")
    print("found at " + ", ".join(f"{d:+.2f}" for d in found) + " degrees")
    print(f"maxima of the beam near {DIRECTIONS[1]:+.0f} and {DIRECTIONS[2]:+.0f} degrees: "
          f"{len(peaks(beam[np.abs(directions - 13) < 6], directions, 9))}")
    save(args.output, directions, spectra, beam, found, args)
    print(f"picture: {args.output}")
    good = len(found) == len(DIRECTIONS) and np.max(np.abs(found - DIRECTIONS)) < TOLERANCE
    if not good:
        print("a source was not found")
    return 0 if good else NOT_FOUND


if __name__ == "__main__":
    arguments = options().parse_args()
    sys.exit(exit_status(lambda: run(arguments)))
