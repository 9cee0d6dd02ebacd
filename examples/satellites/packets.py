# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""AX.25 frames out of audio, with Dire Wolf's atest, and audio out of frames, with gen_packets."""

import re
import shutil
import subprocess
import wave

from common import ExampleError

from .channels import AUDIO_RATE, BAUDS

COUNT = re.compile(rb"^(\d+) packets? decoded in ", re.MULTILINE)
FRAME = re.compile(rb"^(?:\x1b\[[0-9;]*m)*\[\d[^\]\n]*\] (.+)$", re.MULTILINE)
TIMEOUT_S = 300


def _run(command):
    if shutil.which(command[0]) is None:
        raise ExampleError(f"{command[0]} is missing: install the package direwolf")
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ExampleError(f"{command[0]} did not run: {error}") from error
    return done.returncode, done.stdout


def _header(frame):
    """SOURCE>DESTINATION of a frame in printable ASCII; a frame may hold any bytes."""
    head = frame.split(b":", 1)[0].split(b"<0x", 1)[0]
    return "".join(chr(b) for b in head if 32 <= b < 127).strip()[:24]


def atest(path, baud):
    """The number of frames in a WAV file, and the header of each frame."""
    status, text = _run(["atest", "-B", str(baud), str(path)])
    found = frames_of(text)
    if status != 0 or found is None:
        tail = text[-300:].decode("ascii", "replace").strip()
        raise ExampleError(f"atest could not read {path} (exit status {status}): {tail}")
    return found


def frames_of(text):
    """The number and the headers of the frames in what atest has printed; None: no summary."""
    # The text of a frame may look like the summary; the real summary comes after all frames.
    counts = COUNT.findall(text)
    if not counts:
        return None
    return int(counts[-1]), [_header(frame) for frame in FRAME.findall(text)]


def best_baud(path):
    """The baud rate at which atest decodes the most frames, and that number of frames."""
    found = {baud: atest(path, baud)[0] for baud in BAUDS}
    baud = max(found, key=found.get)
    return baud, found[baud]


def check_audio(path):
    """Refuse anything but 48 kHz mono 16-bit audio; return its number of samples."""
    try:
        with wave.open(str(path)) as audio:
            found = (audio.getframerate(), audio.getnchannels(), audio.getsampwidth())
            length = audio.getnframes()
    except (OSError, EOFError, wave.Error) as error:
        raise ExampleError(f"{path} is not a WAV file that can be read: {error}") from error
    if found != (AUDIO_RATE, 1, 2):
        raise ExampleError(
            f"{path}: need {AUDIO_RATE} Hz, 1 channel, 16 bits; "
            f"this is {found[0]} Hz, {found[1]} channels, {8 * found[2]} bits"
        )
    return length


def generate(folder, name, baud, frames):
    """Write folder/name.wav with count different AX.25 frames and return its path."""
    messages = folder / f"{name}.txt"
    lines = [f"{name.upper()}>CQ:frame {k + 1} of {frames} at {baud} baud" for k in range(frames)]
    messages.write_text("\n".join(lines) + "\n", encoding="ascii")
    path = folder / f"{name}.wav"
    status, text = _run(["gen_packets", "-r", str(AUDIO_RATE), "-B", str(baud),
                         "-o", str(path), str(messages)])
    messages.unlink()
    if status != 0 or not path.exists():
        raise ExampleError(f"gen_packets failed: {text[-300:].decode('ascii', 'replace').strip()}")
    return path
