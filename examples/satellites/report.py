# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The table of results, and the sentences under it."""

import shlex

from common import counted


def table(results, stream=None):
    """Print the frames received on each channel."""
    head = ("channel", "offset kHz", "baud", "expected", "decoded", "heard")
    rows = [
        (
            r.channel.name,
            f"{r.channel.offset / 1000:+.3f}",
            str(r.channel.baud),
            "-" if r.channel.expected is None else str(r.channel.expected),
            f"{r.decoded} MISSING" if r.missing else str(r.decoded),
            r.heard[0] if r.heard else "",
        )
        for r in results
    ]
    left = (0, 5)
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]

    def line(row):
        cells = (c.ljust(w) if k in left else c.rjust(w)
                 for k, (c, w) in enumerate(zip(row, widths)))
        return "  ".join(cells).rstrip()

    print(file=stream)
    print(line(head), file=stream)
    print("  ".join("-" * w for w in widths), file=stream)
    for row in rows:
        print(line(row), file=stream)
    print(file=stream)


def engine(work, opencl_devices, automatic):
    """
    Sentences that name the engine and its speed, and give the reason if the host did the work.
    automatic: true if the user did not ask for the host.
    """
    name = "the host's own SIMD units" if work.device == "host" else f"OpenCL on {work.device}"
    lines = [f"Every channel: filtered by {name}.", f"The bank's plan: {work.plan}"]
    if work.device == "host":
        lines += _why_the_host(work, opencl_devices, automatic)
    cores = work.processor_s / work.elapsed_s if work.elapsed_s else 0.0
    lines.append(f"Of {work.signal_s:.2f} s of signal, the calls of the bank took "
                 f"{work.bank_s:.3f} s, all channels together.")
    on_gpu = any(d["kind"] == "gpu" and d["name"] == work.device for d in opencl_devices)
    lines.append(f"The whole flowgraph, reading, filtering, demodulating and writing, took "
                 f"{work.elapsed_s:.3f} s on {cores:.1f} cores,")
    lines.append(f"which is {work.processor_s:.3f} s of one core (the processor time of all "
                 f"threads{', not the GPU' if on_gpu else ''}): "
                 f"{work.speed:.1f} times real time.")
    return lines


def _why_the_host(work, opencl_devices, automatic):
    if work.fell_back:
        return ["OpenCL failed on the way, and the host went on in its place."]
    if not opencl_devices:
        return ["There is no OpenCL device on this machine, so the host did the work; "
                "the signal is the same."]
    if automatic:
        return ["The host was faster than OpenCL, or OpenCL could not be used. "
                "To run it there:",
                *(f"    --device {d['id']}    {d['name']}" for d in opencl_devices)]
    return []


def verdict(results, speed, expect=None):
    """
    The last line, and whether every expected frame was decoded. expect is the total number of
    frames on channels whose own numbers are not known. speed is that of one core.
    """
    decoded = sum(r.decoded for r in results)
    ending = f"{speed:.1f} times real time on one core"
    known = [r for r in results if r.channel.expected is not None]
    if known:
        expected = sum(r.channel.expected for r in known)
        # An additional frame on one channel does not make up for a missing one on another.
        decoded = expected - sum(r.missing for r in known)
    elif expect is not None:
        expected = expect
    else:
        return f"{decoded} frames decoded, {ending}", True
    line = f"{decoded} of {expected} frames decoded, {ending}"
    short = [r.channel.name for r in known if r.missing]
    if short:
        line += f"; frames are missing on {', '.join(short)}"
    return line, decoded >= expected


def title(results, sample_rate):
    """The title of the picture."""
    frames = counted(sum(r.decoded for r in results), "frame")
    return (f"{counted(len(results), 'channel')} in one {sample_rate / 1e6:g} MS/s stream: "
            f"{frames} decoded")


def again(path, sample_rate, channels):
    """The command-line arguments that receive a saved stream again."""
    arguments = ["--input", str(path), "--sample-rate", str(sample_rate)]
    for channel in channels:
        arguments += ["--channel", f"{channel.offset}:{channel.baud}:{channel.name}"]
    return shlex.join(arguments)
