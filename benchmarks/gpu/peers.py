#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Measures other libraries on an NVIDIA GPU, with the data in its memory: CuPy's upfirdn and
oaconvolve, cuFFT with a plain kernel for selected bins, and cuBLAS through PyTorch.

Each filter is checked against sums in double precision. What a library or the memory of the GPU
does not allow is listed with the reason."""

import argparse
import json
import math
import statistics
import sys

SAMPLING_FREQ, CENTER_FREQ = 2016000.0, 437123.7
# Name: taps, decimation, cut-off frequency in Hz, channels.
FILTERS = {"W1": (2429, 42, 19200, 1), "W2": (201, 42, 19200, 1), "W3": (101, 1, 100000, 1),
           "W4": (2429, 1, 19200, 1), "W5": (2429, 42, 19200, 64), "W6": (2429, 42, 19200, 1024)}
# Bins whose gain is below this part of the largest one are left out, as the engine's default
# accuracy does.
ACCURACY = 1e-5
# The fold of one output value: the sum over all rows of bins that the channel keeps.
FOLD = r"""
extern "C" __global__
void fold(const float2* spectra, const float2* gains, const int* first, float2* folded,
          int size, int bins, int rows, int channels, int blocks)
{
    const long index = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= (long)blocks * channels * bins)
        return;
    const int bin = index % bins;
    const int channel = index / bins % channels;
    const long block = index / bins / channels;
    float re = 0, im = 0;
    for (int row = 0; row < rows; ++row) {
        const int kept = row * bins + bin;
        const float2 gain = gains[(long)channel * rows * bins + kept];
        const float2 value = spectra[block * size + (first[channel] + kept) % size];
        re += gain.x * value.x - gain.y * value.y;
        im += gain.x * value.y + gain.y * value.x;
    }
    folded[index] = make_float2(re, im);
}
"""


def low_pass(numpy, count, cutoff):
    """The taps of firdes.low_pass with gain 1 and a Hamming window."""
    n = numpy.arange(count) - (count - 1) / 2
    taps = numpy.sinc(2 * cutoff / SAMPLING_FREQ * n) * numpy.hamming(count)
    return taps / taps.sum()


def center_freqs(numpy, channels):
    if channels == 1:
        return numpy.array([CENTER_FREQ])
    return ((numpy.arange(channels) + 0.5) / channels - 0.5) * SAMPLING_FREQ


class Peers:
    """The measurements of the command; every function returns a rate and a note."""

    def __init__(self, items, seconds):
        self.items, self.seconds = items, seconds
        self.results, self.left_out = [], []

    def note(self, workload, peer, unit, measure):
        """Measures one peer, or notes why it is left out."""
        try:
            rate, error_db = measure()
        except Exception as error:  # whatever a library does not support
            reason = str(error).strip().splitlines() or [type(error).__name__]
            self.left_out.append({"workload": workload, "peer": peer, "reason": reason[0][:200]})
            return
        self.results.append({"workload": workload, "peer": peer, "unit": unit, "rate": rate,
                             "error_db": error_db})

    def time_cupy(self, call):
        """Seconds of a call by the GPU's events: the median of five rounds."""
        import cupy
        call()
        times, calls = [], 1
        while True:
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            for _ in range(calls):
                call()
            end.record()
            end.synchronize()
            seconds = 1e-3 * cupy.cuda.get_elapsed_time(begin, end)
            if seconds < self.seconds / 5 and calls < 1 << 16 and not times:
                calls *= 2
                continue
            times.append(seconds / calls)
            if len(times) == 5:
                return statistics.median(times)

    def filters(self):
        import cupy
        import numpy
        random = cupy.random.default_rng(1)
        for name, (count, decimation, cutoff, channels) in FILTERS.items():
            items = self.items // decimation * decimation
            data = (random.standard_normal(items, dtype=cupy.float32)
                    + 1j * random.standard_normal(items, dtype=cupy.float32))
            taps = low_pass(numpy, count, cutoff)
            freqs = center_freqs(numpy, channels)
            rotated = taps * numpy.exp(2j * math.pi * freqs[0] / SAMPLING_FREQ
                                       * numpy.arange(count))

            def error(outputs, lead):
                """The error of some outputs behind the start, which are not rotated to 0 Hz."""
                first = -(-(count + lead) // decimation) + 3
                worst, peak = 0.0, 0.0
                for n in range(first, first + 20):
                    window = cupy.asnumpy(data[n * decimation - count + 1:n * decimation + 1])
                    wanted = numpy.dot(window[::-1].astype(complex), rotated)
                    worst = max(worst, abs(complex(outputs[n]) - wanted))
                    peak = max(peak, abs(wanted))
                return 20 * math.log10(max(worst, 1e-12) / peak)

            if channels == 1:
                self.note(name, "CuPy upfirdn", "MS/s", lambda: self.upfirdn(
                    data, rotated, decimation, error))
            if decimation == 1:
                self.note(name, "CuPy oaconvolve", "MS/s", lambda: self.oaconvolve(
                    data, rotated, error))
            else:
                self.note(name, "cuFFT and a plain fold", "MS/s", lambda: self.selected_bins(
                    data, taps, freqs, decimation, error))
            cupy.get_default_memory_pool().free_all_blocks()

    def upfirdn(self, data, taps, decimation, error):
        import cupy
        from cupyx.scipy.signal import upfirdn
        h = cupy.asarray(taps.astype("complex64"))
        outputs = upfirdn(h, data, 1, decimation)
        error_db = error(outputs, 0)
        seconds = self.time_cupy(lambda: upfirdn(h, data, 1, decimation))
        return 1e-6 * len(data) / seconds, error_db

    def oaconvolve(self, data, taps, error):
        import cupy
        from cupyx.scipy.signal import oaconvolve
        h = cupy.asarray(taps.astype("complex64"))
        error_db = error(oaconvolve(data, h), 0)
        seconds = self.time_cupy(lambda: oaconvolve(data, h))
        return 1e-6 * len(data) / seconds, error_db

    def selected_bins(self, data, taps, freqs, decimation, error):
        """Overlap-save: transforms of overlapping blocks, the bins that a channel keeps, folded,
        and inverse transforms at the rate of the outputs."""
        import cupy
        import numpy
        bins, channels = 256, len(freqs)
        size = bins * decimation
        lost = -(-(len(taps) - 1) // decimation)  # outputs of a block that wrap round
        step = (bins - lost) * decimation
        blocks = (len(data) - size) // step + 1
        # Each channel has a transform of its taps at its frequency, and keeps the bins above the
        # accuracy, in whole rows.
        kept, first = [], numpy.zeros(channels, dtype=numpy.int32)
        n = numpy.arange(len(taps))
        for channel, freq in enumerate(freqs):
            response = numpy.fft.fft(taps * numpy.exp(2j * math.pi * freq / SAMPLING_FREQ * n),
                                     size)
            middle = round(freq / SAMPLING_FREQ * size)
            reach = numpy.roll(numpy.abs(response), size // 2 - middle)
            loud = numpy.flatnonzero(reach > ACCURACY * reach.max())
            half = max(size // 2 - loud[0], loud[-1] - size // 2 + 1)
            kept.append((response, middle, half))
        rows = min(decimation, -(-2 * max(half for *_, half in kept) // bins))
        gains = numpy.zeros((channels, rows * bins), dtype=numpy.complex64)
        for channel, (response, middle, _) in enumerate(kept):
            # The rows begin at a multiple of the inverse transform's size, so that its bins are
            # in order.
            first[channel] = (round((middle - rows * bins / 2) / bins) * bins) % size
            index = (first[channel] + numpy.arange(rows * bins)) % size
            gains[channel] = response[index] / decimation
        gains, places = cupy.asarray(gains), cupy.asarray(first)
        kernel = cupy.RawKernel(FOLD, "fold")
        # A batch has as many blocks as a gigabyte of sums allows.
        batch = max(1, min(blocks, (1 << 30) // (8 * bins * max(channels, decimation))))
        windows = cupy.lib.stride_tricks.as_strided(
            data, (blocks, size), (step * data.itemsize, data.itemsize))
        folded = cupy.empty((batch, channels, bins), dtype=cupy.complex64)
        outputs = cupy.empty((blocks, channels, bins - lost), dtype=cupy.complex64)

        def call():
            for begin in range(0, blocks, batch):
                part = min(batch, blocks - begin)
                spectra = cupy.fft.fft(windows[begin:begin + part], axis=1)
                values = part * channels * bins
                kernel((-(-values // 256),), (256,),
                       (spectra, gains, places, folded, numpy.int32(size), numpy.int32(bins),
                        numpy.int32(rows), numpy.int32(channels), numpy.int32(part)))
                outputs[begin:begin + part] = cupy.fft.ifft(folded[:part], axis=2)[..., lost:]

        call()
        # Output n of channel 0 lies behind the lost outputs of its block.
        flat = cupy.concatenate([cupy.zeros(lost, dtype=cupy.complex64),
                                 outputs[:, 0].reshape(-1)])
        error_db = error(flat, lost * decimation)
        return 1e-6 * blocks * step / self.time_cupy(call), error_db

    def products(self):
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch has no CUDA device")
        torch.backends.cuda.matmul.allow_tf32 = False
        for name, (m, k, n), kind in (("G1", (1024,) * 3, torch.float32),
                                      ("G1_4096", (4096,) * 3, torch.float32),
                                      ("G2", (64, 64, 65536), torch.complex64)):
            operations = 2 * (4 if kind.is_complex else 1) * m * n * k
            self.note(name, "cuBLAS", "GFLOP/s", lambda: self.product(
                torch, m, k, n, kind, operations))

    def product(self, torch, m, k, n, kind, operations):
        a = torch.randn(m, k, dtype=kind, device="cuda")
        b = torch.randn(k, n, dtype=kind, device="cuda")
        c = a @ b
        wide = torch.complex128 if kind.is_complex else torch.float64
        wanted = a[:8].to(wide) @ b.to(wide)
        magnitude = (a[:8].abs().double() @ b.abs().double()).max()
        error = ((c[:8].to(wide) - wanted).abs().max() / magnitude).item()
        calls, times = 1, []
        while len(times) < 5:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(calls):
                torch.matmul(a, b, out=c)
            end.record()
            end.synchronize()
            seconds = 1e-3 * begin.elapsed_time(end)
            if seconds < self.seconds / 5 and calls < 1 << 16 and not times:
                calls *= 2
                continue
            times.append(seconds / calls)
        return (1e-9 * operations / statistics.median(times),
                20 * math.log10(max(error, 1e-12)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", help="file to write, JSON")
    parser.add_argument("--items", type=int, default=1 << 23, help="of a call; default: 2^23")
    parser.add_argument("--seconds", type=float, default=0.3, help="of each; default: 0.3")
    args = parser.parse_args()
    try:
        with open(args.report, "a", encoding="utf-8"):  # before long work
            pass
    except OSError as error:
        sys.exit(f"{args.report}: {error.strerror}")
    peers = Peers(args.items, args.seconds)
    versions = {}
    for what, library, measure in (("filters", "cupy", peers.filters),
                                   ("products", "torch", peers.products)):
        try:
            versions[library] = __import__(library).__version__
            measure()
        except Exception as error:  # not installed, or without a GPU
            peers.left_out.append({"workload": what, "peer": library,
                                   "reason": (str(error).splitlines() or ["no reason"])[0][:200]})
        # The report is written after each part, so that it is kept if the next part takes too long.
        with open(args.report, "w", encoding="utf-8") as file:
            json.dump({"versions": versions, "results": peers.results,
                       "left_out": peers.left_out}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
