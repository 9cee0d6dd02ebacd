#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Decodes satellites out of one wide 8-bit stream with `cldsp channelize` and Dire Wolf's atest.

It makes the same stream as satellites_demo.py, takes the channels out in three ways, which are
files, a pipe for each channel, and one run with a command for each channel, and checks that atest
finds every frame each time. It prints each command that it runs.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from common import ExampleError
from common.outcome import exit_status
from common.progress import Progress
from satellites import channels, packets

MISSING_FRAME = 1
TIMEOUT_S = 300
PASSBAND = 30000  # Hz; a 9600-baud signal and the drift of its transmitter fit
# The audio that atest reads, with 6 dB to spare.
AUDIO = f"--demod fm --deviation {2 * channels.DEVIATION:.0f} --output-type s16"
# atest takes the name of a WAV file.
READER = "atest -B {baud} /dev/stdin"


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--recordings", metavar="DIR", type=Path,
                        default=os.environ.get("CLDSP_RECORDINGS") or None,
                        help="make the stream from the 48 kHz mono WAV files in this folder; the "
                        "variable CLDSP_RECORDINGS does the same; without either, from packets "
                        "that gen_packets makes")
    parser.add_argument("--cldsp", metavar="FILE", default="cldsp",
                        help="the command cldsp (default: that of the PATH)")
    parser.add_argument("--ways", metavar="LIST", default="files,pipe,exec",
                        help="some of files, pipe and exec (default: all of them)")
    args = parser.parse_args()
    args.ways = args.ways.split(",")
    unknown = set(args.ways) - set(WAYS)
    if unknown:
        raise ExampleError(f"--ways {unknown.pop()}: must be some of {', '.join(WAYS)}")
    return args


def shell(command, folder):
    """Run a command of the shell in a folder, and return what it prints."""
    print(f"$ {command}", flush=True)
    try:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise ExampleError(f"this has not ended after {TIMEOUT_S} s") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise ExampleError(f"this ended with status {done.returncode}: {said[-500:]}")
    return done.stdout


def reader(baud):
    return READER.replace("{baud}", str(baud))


def by_files(cldsp, found, folder):
    shell(f"{cldsp} channelize wide.cu8 --rate {channels.SAMPLE_RATE} --channels channels.csv "
          f"{AUDIO} --out audio", folder)
    return [shell(f"atest -B {c.baud} {shlex.quote(f'audio/{c.name}.wav')}", folder)
            for c in found]


def by_pipes(cldsp, found, folder):
    return [shell(f"cat wide.cu8 | {cldsp} channelize - --type cu8 --rate "
                  f"{channels.SAMPLE_RATE} --channel={c.offset},{channels.AUDIO_RATE},"
                  f"bw={PASSBAND} {AUDIO} --format wav --out - | {reader(c.baud)}", folder)
            for c in found]


def by_commands(cldsp, found, folder):
    # A file tells each command the speed of its channel.
    for channel in found:
        (folder / f"{channel.name}.baud").write_text(str(channel.baud), encoding="ascii")
    command = reader('"$(cat {name}.baud)"') + " > {name}.log"
    shell(f"cat wide.cu8 | {cldsp} channelize - --type cu8 --rate {channels.SAMPLE_RATE} "
          f"--channels channels.csv {AUDIO} --format wav --exec {shlex.quote(command)}", folder)
    return [(folder / f"{channel.name}.log").read_bytes() for channel in found]


WAYS = {"files": by_files, "pipe": by_pipes, "exec": by_commands}


def make_stream(args, folder):
    """Make the wide stream and the list of its channels."""
    from satellites import wideband

    found = (wideband.recorded_channels(args.recordings) if args.recordings
             else wideband.generated_channels(folder))
    with Progress("making the stream") as progress:
        wideband.make(found, folder / "wide.cu8", progress)
    lines = [f"{c.name},{c.offset},{channels.AUDIO_RATE},{PASSBAND}" for c in found]
    (folder / "channels.csv").write_text(
        "\n".join(["name,frequency,rate,bandwidth", *lines]) + "\n", encoding="utf-8")
    return found


def run(args):
    command = str(Path(args.cldsp).resolve()) if os.sep in args.cldsp else args.cldsp
    complete = True
    with tempfile.TemporaryDirectory(prefix="satellites-") as temporary:
        folder = Path(temporary)
        found = make_stream(args, folder)
        expected = sum(channel.expected for channel in found)
        originals = [packets.atest(channel.source, channel.baud)[1] for channel in found]
        for way in args.ways:
            texts = WAYS[way](shlex.quote(command), found, folder)
            decoded = [packets.frames_of(text) for text in texts]
            total = 0
            for channel, original, frames in zip(found, originals, decoded):
                if frames is None:
                    raise ExampleError(f"atest has not read the channel {channel.name}")
                # The frames of the recording itself count, by their headers.
                same = sum((Counter(original) & Counter(frames[1])).values())
                total += same
                print(f"  {channel.name:20s} {same} of {channel.expected} frames, "
                      f"{channel.baud} baud")
            print(f"{way}: {total} of {expected} frames decoded")
            complete = complete and total == expected
    return 0 if complete else MISSING_FRAME


if __name__ == "__main__":
    sys.exit(exit_status(lambda: run(options())))
