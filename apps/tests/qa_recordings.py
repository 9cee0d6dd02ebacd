#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Recordings as SDR programs write them, each with a tone whose place and time are known,
read by `cldsp channelize` from a file and, where that is possible, from a pipe."""

import io
import json
import os
import resource
import struct
import subprocess
import tarfile
import threading
import tty
import unittest
from datetime import datetime, timedelta, timezone

from channelize_support import TIMEOUT, ChannelizeCommandTest, np, raw, tone

NEW_YEAR = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
UTC_SECONDS = int(NEW_YEAR.timestamp())


def cs16(samples):
    return np.round(samples.view("f8") * 32767).astype("<i2").tobytes()


def chunk(tag, body, filled=True):
    return tag + struct.pack("<I", len(body)) + body + b"\0" * (filled and len(body) % 2)


def form(rate, channels=2, bits=16):
    item = channels * bits // 8
    return chunk(b"fmt ", struct.pack("<HHIIHH", 1, channels, rate, rate * item, item, bits))


def wav(*parts, tag=b"RIFF", size=None):
    body = b"WAVE" + b"".join(parts)
    return tag + struct.pack("<I", len(body) if size is None else size) + body


def sdr_console(rate, center, time=f'UTCSeconds="{UTC_SECONDS}"', encoding="utf-16-le"):
    return chunk(b"auxi", (
        '<?xml version="1.0"?><SDR-XML-Root Description="Saved recording data" '
        'Created="01-Jan-2026 12:00"><Definition SoftwareName="SDR Console" '
        f'RadioCenterFreq="{center}" SampleRate="{rate}" BitsPerSample="16" {time}>'
        '</Definition></SDR-XML-Root>').encode(encoding) + b"\0\0")


def binary_auxi(center, *begin):
    """Years, months, days of the week, days, hours, minutes, seconds and milliseconds."""
    return chunk(b"auxi", struct.pack("<8H", *begin) * 2 + struct.pack("<9I", center, *[0] * 8))


def time_of(text):
    """The time of a text of SigMF, whose last three of nine digits do not matter here."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return (datetime.fromisoformat(whole + "+00:00")
            + timedelta(microseconds=int(fraction.ljust(9, "0")) / 1e3))


class RecordingsTest(ChannelizeCommandTest):

    def read(self, source, channel, *more, status=0, data=None):
        """The summary, the metadata and the samples of one channel, and the standard error."""
        written, said = self.channelize(source, f"--channel={channel}", "--out", self.out,
                                        "--overwrite", "--json", *more, status=status, data=data)
        meta = json.loads((self.out / "ch1.sigmf-meta").read_text(encoding="utf-8"))
        return (json.loads(written), meta, np.fromfile(self.out / "ch1.sigmf-data", "<c8"),
                said)

    def read_both(self, path, kind, channel, *more, status=0):
        """Reads a file, and then the same from a pipe."""
        yield self.read(path, channel, "--type", kind, *more, status=status)
        yield self.read("-", channel, "--type", kind, *more, status=status,
                        data=path.read_bytes())

    def assert_tone(self, samples):
        """The channel is where the tone is."""
        settled = samples[len(samples) // 4:]
        self.assertGreater(len(settled), 20)
        self.assertLess(np.abs(np.abs(settled) - 0.5).max(), 2e-2)
        self.assertLess(np.abs(np.diff(np.unwrap(np.angle(settled)))).max(), 2e-2)

    def assert_begin(self, result, begin):
        """The time of the input, and that of the channel, which is later by the delay."""
        summary, meta = result[:2]
        self.assertEqual(time_of(summary["input"]["datetime"]), begin)
        late = begin - time_of(meta["captures"][0]["core:datetime"])
        self.assertAlmostEqual(late.total_seconds(), summary["channels"][0]["delay"],
                               delta=2e-6)

    def assert_remark(self, result, *words):
        summary, said = result[0], result[3]
        remarks = summary["input"].get("remarks", [])
        for word in words:
            self.assertTrue(any(word in remark for remark in remarks), (word, remarks))
        for remark in remarks:
            self.assertIn(f"cldsp: {remark}", said)

    def assert_no_remark(self, result):
        self.assertNotIn("remarks", result[0]["input"])

    # WAV

    def test_sdr_console(self):
        for rate, center, hertz in ((192000, 14200000, 14210000), (2000000, 3700000, 3655000)):
            path = self.file("x.wav", wav(form(rate), sdr_console(rate, center), chunk(
                b"data", cs16(tone(hertz - center, rate // 10, rate)))))
            for result in self.read_both(path, "wav", f"{hertz},8k"):
                self.assertEqual(result[0]["input"]["center"], center)
                self.assertEqual(result[0]["items"], rate // 10)
                self.assert_tone(result[2])
                self.assert_begin(result, NEW_YEAR)
                self.assert_no_remark(result)

    def test_forms_of_auxi(self):
        forms = {
            "utf-16-be": sdr_console(96000, 7100000, encoding="utf-16-be"),
            "a mark of the order": sdr_console(96000, 7100000, encoding="utf-16"),
            "utf-8": sdr_console(96000, 7100000, encoding="utf-8"),
            "days": sdr_console(96000, 7100000, 'CurrentTimeUTC="01-01-2026 12:00:00"'),
            "binary": binary_auxi(7100000, 2026, 1, 4, 1, 12, 0, 0, 0)}
        for name, auxi in forms.items():
            path = self.file("x.wav", wav(form(96000), auxi, chunk(b"data", bytes(9600 * 4))))
            result = self.read(path, "7.1M,8k")
            self.assertEqual(result[0]["input"]["center"], 7100000, name)
            self.assert_begin(result, NEW_YEAR)
            if name == "binary":
                self.assert_remark(result, "if the time in its chunk 'auxi' is in UTC")
            else:
                self.assert_no_remark(result)
        # A chunk of neither form tells nothing.
        for auxi in (chunk(b"auxi", b"nonsense" * 20), chunk(b"auxi", b"<\0x\0>\0"),
                     binary_auxi(7100000, 2026, 13, 4, 1, 12, 0, 0, 0), chunk(b"auxi", b"<")):
            path = self.file("x.wav", wav(form(96000), auxi, chunk(b"data", bytes(9600 * 4))))
            result = self.read(path, "1k,8k")
            self.assertNotIn("center", result[0]["input"])
            self.assertNotIn("datetime", result[0]["input"])
            self.assert_remark(result, "'auxi' of an unknown form")

    def test_repeated_auxi(self):
        # The first one that is understood counts, and at most one remark is made.
        unknown, known = chunk(b"auxi", b"nonsense" * 20), sdr_console(96000, 7100000)
        later = binary_auxi(14200000, 2025, 1, 3, 1, 12, 0, 0, 0)
        for auxi, center, remarks in ((unknown * 3 + known + later + unknown, 7100000, 0),
                                      (later + known + unknown, 14200000, 1),
                                      (unknown * 20, None, 1)):
            path = self.file("x.wav", wav(form(96000), auxi, chunk(b"data", bytes(9600 * 4))))
            result = self.read(path, "7.1M,8k" if center == 7100000 else
                               "14.2M,8k" if center else "1k,8k")
            self.assertEqual(result[0]["input"].get("center"), center)
            self.assertEqual(len(result[0]["input"].get("remarks", [])), remarks)

    def test_long_wav(self):
        # The chunk ds64 has the size, whatever the chunk of the samples says.
        count = 120000
        for tag, said in ((b"RF64", 0xffff), (b"BW64", 0xffffffff), (b"RF64", 0)):
            content = bytes(count * 4)
            sizes = chunk(b"ds64", struct.pack("<QQQI", count * 4 + 72, count * 4, count, 0))
            path = self.file("x.wav", wav(
                sizes, form(1000000), b"data" + struct.pack("<I", said), content,
                tag=tag, size=0xffffffff))
            for result in self.read_both(path, "wav", "0,10k"):
                self.assertEqual(result[0]["items"], count)
                self.assertEqual(result[0]["failures"], [])
                self.assertEqual(len(result[2]), count // 100)
                self.assert_no_remark(result)

    def test_heads_that_say_too_little(self):
        # A program that was killed: the head has the size of the first second, or none yet.
        body = cs16(tone(5000, 3 * 48000, 48000))
        for said in (48000 * 4, 0):
            path = self.file("x.wav", wav(form(48000), b"data" + struct.pack("<I", said), body,
                                          size=said + 36))
            for place, result in enumerate(self.read_both(path, "wav", "5k,8k")):
                self.assertEqual(result[0]["items"], 3 * 48000)
                self.assert_tone(result[2])
                if said or place == 0:
                    self.assert_remark(result, str(said), "taken")

    def test_chunks_behind_samples(self):
        text = chunk(b"LIST", b"INFOICMT" + struct.pack("<I", 4) + b"abc\0")
        odd, open_end = b"LIST" + chunk(b"INFO", b"abc")[4:], chunk(b"note", b"abc", False)
        for bits, count in ((16, 9600), (24, 9601)):
            channels = 2 if bits == 16 else 1
            content = b"\1" * (count * channels * bits // 8)
            for filled in (True, False):
                for behind in (text, odd, text + open_end, open_end + text, b"\0", b"x"):
                    path = self.file("x.wav", wav(
                        form(96000, channels, bits), chunk(b"data", content, filled), behind))
                    piped = behind == text
                    result = self.read("-" if piped else path, "20k,8k", "--type", "wav",
                                       data=path.read_bytes() if piped else None)
                    self.assertEqual(result[0]["items"], count, (bits, filled, behind))
                    self.assert_no_remark(result)

    def test_long_chunks_behind_samples(self):
        # In a file they may be of any length.
        behind = chunk(b"levl", bytes(20 << 20)) + chunk(b"id3 ", b"abcd")
        path = self.file("x.wav", wav(form(96000), chunk(b"data", bytes(9600 * 4)), behind))
        result = self.read(path, "1k,8k")
        self.assertEqual(result[0]["items"], 9600)
        self.assert_no_remark(result)

    def open_input(self, kind, content):
        """The summary of an input that stays open behind its content."""
        with self.start("-", "--type", kind, "--channel", "1k,8k", "--out", self.out,
                        "--overwrite", "--json", stdin=subprocess.PIPE) as process:
            try:
                process.stdin.write(content)
                process.stdin.flush()
                process.wait(TIMEOUT)
                return json.loads(process.stdout.read()), process.returncode
            finally:
                process.kill()

    def test_pipes_that_stay_open(self):
        meta = self.sigmf("x", raw(tone(1000, 9600)))
        archive = self.archive("a.sigmf", ("x.sigmf-meta", meta),
                               ("x.sigmf-data", meta.with_suffix(".sigmf-data"))).read_bytes()
        samples = wav(form(96000), chunk(b"data", bytes(9600 * 4)))
        for kind, content in (("wav", samples), ("wav", samples + chunk(b"LIST", b"INFO")),
                              ("sigmf", archive[:archive.rindex(raw(tone(1000, 9600))) + 76800])):
            summary, status = self.open_input(kind, content)
            self.assertEqual((summary["items"], status), (9600, 0), kind)
            self.assertNotIn("remarks", summary["input"])

    def test_an_input_that_fails(self):
        # The master of a terminal fails when the other end is closed.
        samples = raw(tone(1000, 250))
        for kind, head in (("cf32", b""), ("wav", wav(form(96000), b"data" + struct.pack(
                "<I", len(samples))))):
            master, slave = os.openpty()
            tty.setraw(slave)
            os.write(slave, head + samples)
            os.close(slave)
            with os.fdopen(master, "rb") as file:
                written, _ = self.channelize(
                    "-", "--type", kind, "--rate", "96k", "--channel", "1k,8k", "--out",
                    self.out, "--overwrite", "--json", status=1, stdin=file)
            summary = json.loads(written)
            self.assertEqual(summary["items"], 250 if kind == "cf32" else 500)
            self.assertEqual(len(summary["failures"]), 1)
            self.assertIn("cannot be read", summary["failures"][0])

    def test_two_wav_files_in_one(self):
        one = wav(form(96000), chunk(b"data", bytes(9600 * 4)))
        for result in self.read_both(self.file("x.wav", one + one), "wav", "20k,8k", status=1):
            self.assertEqual(result[0]["items"], 9600)
            self.assertIn("another WAV file", result[0]["failures"][0])

    # SigMF

    def test_times_of_sigmf(self):
        begin = datetime(2025, 2, 3, 4, 5, 6, 250000, timezone.utc)
        for text in ("2025-02-03T04:05:06.25Z", "2025-02-03T04:05:06.250000+00:00",
                     "2025-02-02T23:05:06.25-05:00", "2025-02-03 04:05:06.25Z",
                     "2025-02-03t04:05:06.25z", "2025-02-03T04:05:06.250000"):
            path = self.sigmf("x", raw(tone(5000, 4800)), captures=[
                {"core:sample_start": 0, "core:frequency": 1e8, "core:datetime": text}])
            result = self.read(path, "100.005M,8k")
            self.assert_tone(result[2])
            self.assert_begin(result, begin)
            if text.endswith(".250000"):
                self.assert_remark(result, "without a zone, which is taken as UTC")
            else:
                self.assert_no_remark(result)
        path = self.sigmf("x", raw(tone(5000, 4800)),
                          captures=[{"core:datetime": "3 February 2025, four in the morning"}])
        result = self.read(path, "5k,8k")
        self.assertNotIn("datetime", result[0]["input"])
        self.assert_remark(result, "'3 February 2025, four in the morning', which is not")

    def test_captures_that_begin_late(self):
        begin = datetime(2025, 2, 3, 4, 5, 5, 750000, timezone.utc)
        at = {"core:sample_start": 24000, "core:frequency": 1e8,
              "core:datetime": "2025-02-03T04:05:06Z"}
        whole = raw(tone(5000, 48000))
        result = self.read(self.sigmf("x", whole, captures=[at]), "100.005M,8k")
        self.assert_begin(result, begin)
        # Bytes that are no samples precede the first sample of the capture.
        parts = whole[:24000 * 8] + bytes(100) + whole[24000 * 8:]
        at["core:header_bytes"] = 100
        again = self.read(self.sigmf("x", parts, captures=[at]), "100.005M,8k")
        self.assert_begin(again, begin)
        self.assertEqual(again[0]["items"], 48000)
        np.testing.assert_array_equal(again[2], result[2])
        # Numbers of samples count from the offset on; later captures have their own times.
        at["core:sample_start"] += 10 ** 9
        captures = [at, {"core:sample_start": 10 ** 9 + 36000, "core:frequency": 1e8,
                         "core:header_bytes": 20, "core:datetime": "2025-02-03 05:00:00Z"}]
        cut = 36000 * 8 + 100
        again = self.read(self.sigmf("x", parts[:cut] + bytes(20) + parts[cut:],
                                     captures=captures, globals={"core:offset": 10 ** 9}),
                          "100.005M,8k")
        self.assert_begin(again, begin)
        np.testing.assert_array_equal(again[2], result[2])
        delay = again[0]["channels"][0]["delay"]
        late = again[1]["captures"][1]
        self.assertEqual(late["core:sample_start"], int(np.ceil((36000 / 96000 + delay) * 8000)))
        moved = late["core:sample_start"] / 8000 - delay - 36000 / 96000
        self.assertAlmostEqual((time_of(late["core:datetime"]) - datetime(
            2025, 2, 3, 5, tzinfo=timezone.utc)).total_seconds(), moved, delta=2e-6)

    def test_null_is_absent(self):
        path = self.sigmf("x", raw(tone(5000, 4800)), globals={"core:offset": 0}, captures=[
            {"core:sample_start": 0, "core:frequency": 1e8, "core:datetime": None}])
        meta = json.loads(path.read_text(encoding="utf-8"))
        for key in ("author", "hw", "dataset", "num_channels", "trailing_bytes", "offset",
                    "extensions", "description"):
            meta["global"][f"core:{key}"] = None
        meta["captures"][0]["core:header_bytes"] = None
        meta["annotations"] = None
        path.write_text(json.dumps(meta), encoding="utf-8")
        result = self.read(path, "100.005M,8k")
        self.assert_tone(result[2])
        self.assertNotIn("datetime", result[0]["input"])
        self.assert_no_remark(result)
        self.assertFalse({"core:author", "core:hw"} & set(result[1]["global"]))
        meta["captures"] = meta["global"]["core:sample_rate"] = None
        path.write_text(json.dumps(meta), encoding="utf-8")
        self.assert_tone(self.read(path, "5k,8k", "--rate", "96k")[2])

    def test_metadata_go_on(self):
        near = {"core:sample_start": 960, "core:sample_count": 4800, "core:label": "near",
                "core:freq_lower_edge": 1e8 + 4000, "core:freq_upper_edge": 1e8 + 6000,
                "mine:quality": {"a": [1, None]}}
        path = self.sigmf("x", raw(tone(5000, 9600)), globals={
            "core:author": "A. Author <a@example.org>", "core:hw": "a radio", "core:license": "CC0",
            "core:description": "a pass", "antenna:gain": 5, "other:key": 1, "core:extensions": [
                {"name": name, "version": "1.0.0", "optional": True}
                for name in ("antenna", "mine", "unused")]},
            captures=[{"core:sample_start": 0, "core:frequency": 1e8}])
        meta = json.loads(path.read_text(encoding="utf-8"))
        meta["annotations"] = [
            {"core:sample_start": 0, "core:comment": "all frequencies"}, near,
            {**near, "core:freq_lower_edge": 1e8 - 9000, "core:freq_upper_edge": 1e8 - 8000},
            {"core:sample_start": -1}, 7]
        path.write_text(json.dumps(meta), encoding="utf-8")
        result = self.read(path, "100.005M,8k,bw=4k")
        found = result[1]
        delay = result[0]["channels"][0]["delay"]
        self.assertEqual([note.get("core:label") for note in found["annotations"]],
                         [None, "near"])
        first, last = ((960 / 96000 + delay) * 8000, (5760 / 96000 + delay) * 8000)
        begin = found["annotations"][1]["core:sample_start"]
        self.assertEqual(begin, int(first))
        self.assertEqual(found["annotations"][1]["core:sample_count"], int(np.ceil(last)) - begin)
        for key, value in near.items():
            if "sample" not in key:
                self.assertEqual(found["annotations"][1][key], value)
        self.assertNotIn("core:sample_count", found["annotations"][0])
        self.assert_remark(result, "2 annotations of an unknown form")
        for key in ("author", "hw", "license"):
            self.assertEqual(found["global"][f"core:{key}"], meta["global"][f"core:{key}"])
        self.assertEqual(found["global"]["antenna:gain"], 5)
        self.assertNotIn("other:key", found["global"])
        self.assertEqual([e["name"] for e in found["global"]["core:extensions"]],
                         ["antenna", "mine"])
        self.assertRegex(found["global"]["core:description"], "^channel ch1 of .*; a pass$")
        # Annotations keep their place in the band if the user corrects the centre frequency.
        found = self.read(path, "200.005M,8k", "--center", "200M")[1]
        self.assertEqual(found["annotations"][1]["core:freq_lower_edge"], 2e8 + 4000)

    def test_dataset_stays_in_its_folder(self):
        content = raw(tone(5000, 4800))
        self.file("y.bin", content)
        (self.folder / "inner").mkdir()
        (self.folder / "inner" / "z.bin").write_bytes(content)
        path = self.sigmf("x", content, globals={"core:dataset": "y.bin"})
        path.with_suffix(".sigmf-data").unlink()
        self.assert_tone(self.read(path, "5k,8k")[2])
        for name in ("../y.bin", "inner/z.bin", str(self.folder / "y.bin"), "..", ".",
                     "/etc/passwd", "y.bin\0z"):
            path = self.sigmf("x", content, globals={"core:dataset": name})
            self.assert_refused(path, "--channel", "5k,8k", "--out", self.out, status=1,
                                names=["core:dataset", "the same folder"])

    # Archives

    def archive(self, name, *files, form_of_tar=tarfile.PAX_FORMAT):
        """An archive of pairs of a name and a file or its content."""
        path = self.folder / name
        with tarfile.open(path, "w", format=form_of_tar) as archive:
            for member, content in files:
                about = tarfile.TarInfo(member)
                if content is None:
                    about.type = tarfile.DIRTYPE
                    archive.addfile(about)
                    continue
                content = content if isinstance(content, bytes) else content.read_bytes()
                about.size = len(content)
                archive.addfile(about, io.BytesIO(content))
        return path

    def test_archives(self):
        begin = datetime(2025, 2, 3, 4, 5, 6, 250000, timezone.utc)
        meta = self.sigmf("x", raw(tone(5000, 4800)) + b"tail", globals={
            "core:trailing_bytes": 4}, captures=[{
                "core:sample_start": 0, "core:frequency": 1e8,
                "core:datetime": "2025-02-03T04:05:06.25Z"}])
        data = meta.with_suffix(".sigmf-data")
        long = "a folder with a long name " * 8
        for form_of_tar in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
            name = "./x" if form_of_tar == tarfile.USTAR_FORMAT else long + "/x"
            path = self.archive("a.sigmf", ("x", None), ("x/notes.txt", b"some notes"),
                                (f"{name}.sigmf-meta", meta), (f"{name}.sigmf-data", data),
                                ("._x.sigmf-meta", b"of another system"),
                                form_of_tar=form_of_tar)
            for result in self.read_both(path, "sigmf", "100.005M,8k"):
                self.assertEqual(result[0]["items"], 4800)
                self.assertEqual(result[0]["failures"], [])
                self.assert_tone(result[2])
                self.assert_begin(result, begin)
        # The samples may come first, but not in a pipe.
        path = self.archive("a.sigmf", ("x.sigmf-data", data), ("x.sigmf-meta", meta))
        result = self.read(path, "100.005M,8k")
        self.assert_tone(result[2])
        with open(path, "rb") as file:
            written, _ = self.channelize("-", "--type", "sigmf", "--channel", "100.005M,8k",
                                         "--out", "-", stdin=file)
        np.testing.assert_array_equal(np.frombuffer(written, "<c8"), result[2])
        with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
            self.assert_refused("-", "--type", "sigmf", "--channel", "100.005M,8k", "--out", "-",
                                stdin=cat.stdout, status=1, names=["pipe", "name of the archive"])

    def test_damaged_archives(self):
        meta = self.sigmf("x", raw(tone(5000, 4800)))
        data = meta.with_suffix(".sigmf-data")
        both = (("x.sigmf-meta", meta), ("x.sigmf-data", data))
        whole = self.archive("a.sigmf", *both).read_bytes()
        # What is there of a truncated archive is filtered.
        for result in self.read_both(self.file("a.sigmf", whole[:-14848]), "sigmf", "5k,8k",
                                     status=1):
            self.assertIn("truncated", result[0]["failures"][0])
            self.assertGreater(result[0]["items"], 2000)
        wrong = bytearray(whole)
        wrong[1024 + 100] ^= 1
        for content, name in (
                (bytes(wrong), "wrong checksum"), (b"nonsense" * 100, "no tar archive"),
                (b"", "no tar archive"), (bytes(1024), "no tar archive"),
                (b"\x1f\x8b" + bytes(1000), "compressed"),
                (b"\xfd7zXZ\x00" + bytes(1000), "compressed"),
                (self.archive("b.sigmf", both[0]).read_bytes(), "x.sigmf-data"),
                (self.archive("b.sigmf", both[1]).read_bytes(), "no metadata"),
                (self.archive("b.sigmf", ("x.sigmf-meta", b"{")).read_bytes(), "JSON"),
                (self.archive("b.sigmf", both[0], ("y.sigmf-meta", meta)).read_bytes(),
                 "more than one recording")):
            self.assert_refused(self.file("a.sigmf", content), "--channel", "5k,8k", "--out",
                                self.out, status=1, names=["a.sigmf", name])
        # In a pipe the second recording is seen only at the end.
        path = self.archive("a.sigmf", *both, ("y.sigmf-meta", meta), ("y.sigmf-data", data))
        result = self.read("-", "5k,8k", "--type", "sigmf", status=1, data=path.read_bytes())
        self.assertEqual(result[0]["items"], 4800)
        self.assertIn("y.sigmf-meta", result[0]["failures"][0])

    def test_damage_behind_the_samples_of_a_pipe(self):
        samples = raw(tone(5000, 4800))
        meta = self.sigmf("x", samples)
        data = meta.with_suffix(".sigmf-data")
        both = (("x.sigmf-meta", meta), ("x.sigmf-data", data))
        damaged = bytearray(self.archive("a.sigmf", *both, ("notes", b"abc")).read_bytes())
        damaged[damaged.rindex(b"notes")] ^= 1
        twice = self.archive("a.sigmf", *both, ("./x.sigmf-data", bytes(800))).read_bytes()
        for content, name in ((bytes(damaged), "wrong checksum"), (twice, "more than once")):
            summary, _, channel, _ = self.read("-", "5k,8k", "--type", "sigmf", status=1,
                                               data=content)
            self.assertEqual(summary["items"], 4800)
            self.assertEqual(len(channel), 400)
            self.assertEqual(len(summary["failures"]), 1)
            self.assertIn(name, summary["failures"][0])

    # Names

    def test_names_of_files(self):
        rate = 2400000
        signal = tone(25000, rate // 10, rate)
        bytes_of = np.round(signal.view("f8") * 127 + 127.5).astype("u1").tobytes()
        second = datetime(2025, 2, 3, 4, 5, 6, tzinfo=timezone.utc)
        for name, content, begin in (
                ("gqrx_20250203_040506_446100000_2400000_fc.raw", raw(signal), second),
                ("g001_446.1M_2400k.cu8", bytes_of, None),
                ("SDRSharp_20250203_040506Z_446100000Hz_IQ.wav",
                 wav(form(rate), chunk(b"data", cs16(signal))), second)):
            path = self.file(name, content)
            result = self.read(path, "446.125M,8k")
            self.assertEqual(result[0]["items"], rate // 10)
            self.assertEqual(result[0]["input"]["rate"], rate)
            self.assertEqual(result[0]["input"]["center"], 446100000)
            self.assert_tone(result[2])
            self.assert_remark(result, "the centre 446100000 Hz")
            if begin:
                self.assert_begin(result, begin)
        # Options, and what a head says, are stronger.
        result = self.read(self.folder / "g001_446.1M_2400k.cu8", "125k,8k", "--center", "100k",
                           "--rate", "2.4M")
        self.assert_tone(result[2])
        self.assert_no_remark(result)
        auxi = sdr_console(rate, 146100000)
        path = self.file(name, wav(form(rate), auxi, chunk(b"data", cs16(signal))))
        result = self.read(path, "146.125M,8k")
        self.assert_begin(result, NEW_YEAR)
        self.assert_no_remark(result)

    def test_a_type_that_the_name_does_not_say(self):
        noise = np.random.default_rng(1).integers(0, 256, 1 << 16, dtype="u1").tobytes()
        told = "as --type says, although its name says "
        absurd = "no numbers or above 1000000 times full scale"
        for name, content, kind, says, is_absurd in (
                ("x.cu8", noise, "cf32", "x.cu8' is taken as cf32, " + told + "cu8", True),
                ("x.cu8", noise, "cf64_le", told + "cu8", True),
                ("x.cs16", noise, "cu8", told + "cs16", False),
                ("x.wav", noise, "cu8", told + "wav", False),
                ("gqrx_20260131_120000_137500000_2400000_fc.raw", noise, "cu8", told + "cf32", False),
                ("x.cf32", raw(1e6 * tone(1000, 4096)), "cf32_le", None, False),
                ("x.cf32", raw(3e6 * tone(1000, 4096)), "cf32", None, True),
                ("x.cf32", raw(tone(1000, 4096)) + b"\0\0\xc0\xff" * 2, "cf32", None, True),
                ("x.raw", raw(tone(1000, 4096)) + b"\0\0\x80\x7f" * 2, "cf32", None, True),
                ("x.cs16", bytes(4000), "ci16_le", None, False),
                ("noname", noise, "cs8", None, False)):
            with self.subTest(name=name, kind=kind):
                path = self.file(name, content)
                written, said = self.channelize(path, "--type", kind, "--rate", 96000, "--center",
                                                0, "--channel", "0,8k", "--out", self.out,
                                                "--overwrite", "--json")
                for part, is_there in ((says or told, says is not None), (absurd, is_absurd)):
                    self.assertEqual(any(part in line for line in said), is_there, said)
                    self.assertEqual(sum(part in line for line in said), is_there, said)
                    self.assertEqual(part in written.decode(), is_there)

    def test_a_named_pipe(self):
        rate = 2400000
        path = self.folder / "gqrx_20250203_040506_446100000_2400000_fc.raw"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes,
                                  args=(raw(tone(25000, rate // 10, rate)),), daemon=True)
        writer.start()
        result = self.read(path, "446.125M,8k")
        writer.join()
        self.assertEqual(result[0]["items"], rate // 10)
        self.assert_tone(result[2])

    # Time

    def seconds(self, *arguments, status=0):
        """The time that processors spend on a run."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.channelize(*arguments, status=status)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def peak_memory(self, path, count):
        """In bytes, with many channels."""
        channels = [f"--channel={8000 + i},8k" for i in range(count)]
        with self.start(path, *channels, "--out", self.out, "--overwrite",
                        stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return used.ru_maxrss * 1024

    def test_metadata_are_not_kept_for_each_channel(self):
        count, length, peaks = 48, 1 << 20, []
        for comment in ("short", "long" * (length // 4)):
            path = self.sigmf("x", bytes(9600 * 8))
            meta = json.loads(path.read_text(encoding="utf-8"))
            meta["annotations"] = [{"core:sample_start": 0, "core:sample_count": 10,
                                    "core:comment": comment}]
            path.write_text(json.dumps(meta), encoding="utf-8")
            peaks.append(self.peak_memory(path, count))
        self.assertIn("longlong", (self.out / "ch1.sigmf-meta").read_text(encoding="utf-8"))
        self.assertLess(peaks[1] - peaks[0], count * length // 2)

    def test_time_grows_with_the_size(self):
        # Four times as much takes four times as long at most; it was ten times and more.
        few, many = 10000, 40000
        runs = {}
        for count in (few, many):
            path = self.sigmf(f"x{count}", bytes(9600 * 8), captures=[{"core:frequency": 1e8}])
            meta = json.loads(path.read_text(encoding="utf-8"))
            meta["annotations"] = [{
                "core:sample_start": i, "core:sample_count": 10,
                "core:freq_lower_edge": 1e8 - 100, "core:freq_upper_edge": 1e8 + 100,
                "core:comment": "a burst"} for i in range(count)]
            path.write_text(json.dumps(meta), encoding="utf-8")
            channels = self.file(f"list{count}.json", json.dumps(
                [{"frequency": 1, "rate": 8000, "name": f"n{i}"} for i in range(count)]))
            runs[count] = (
                lambda path=path: self.seconds(path, "--channel", "100M,8k", "--out", self.out,
                                               "--overwrite"),
                # The first channel is refused, after the whole list was read.
                lambda path=path, channels=channels: self.seconds(
                    path, "--channels", channels, "--out", self.out, status=2))
        for short, long in zip(runs[few], runs[many]):
            # Other programs make some runs longer, and none shorter.
            times = [(short(), long()) for _ in range(3)]
            while min(t for _, t in times) >= 6.5 * min(t for t, _ in times) and len(times) < 20:
                times.append((short(), long()))
            self.assertLess(min(t for _, t in times), 6.5 * min(t for t, _ in times))


if __name__ == "__main__":
    unittest.main()
