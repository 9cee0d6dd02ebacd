#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp channelize` with a radio, which is a SoapySDR module that plays a file."""

import calendar
import json
import os
import signal
import sys
import time
import unittest

from channelize_support import ChannelizeCommandTest, error_db, noise, np
from support import TIMEOUT

MODULES = os.environ.get("CLDSP_TEST_SOAPY_MODULES")
if not MODULES:
    print("skipped: cldsp was built without SoapySDR")
    sys.exit(77)

RATE = 960000  # that the radio can make
CENTER = 100000000
COUNT = 48000  # samples of the file
CHANNEL = ("--channel", f"{CENTER + 12345.678},48k,bw=40k")
RADIO = ("soapy:driver=cldsp-fake", "--rate", RATE, "--center", CENTER)
FORMATS = {"CS8": (128, lambda v: np.round(v * 127).astype("i1")),
           "CU8": (128, lambda v: np.round(v * 127.5 + 127.5).astype("u1")),
           "CS16": (32768, lambda v: np.round(v * 32767).astype("<i2")),
           "CF32": (1, lambda v: v.astype("<f4"))}


class RadioTest(ChannelizeCommandTest):

    def setUp(self):
        super().setUp()
        for name in list(self.environment):
            if name.startswith(("SOAPY_SDR_", "CLDSP_FAKE_RADIO_")):
                del self.environment[name]
        self.environment["SOAPY_SDR_PLUGIN_PATH"] = MODULES
        self.environment["SOAPY_SDR_ROOT"] = str(self.folder)  # hides the system's modules
        self.play("CS8")

    def play(self, form, **variables):
        """Writes the file that the radio plays from now on; returns its samples."""
        full_scale, write = FORMATS[form]
        samples = write(noise(2 * COUNT))
        self.path = self.file("air.raw", samples.tobytes())
        self.set(**{"FILE": self.path, "FORMAT": form, "FULL_SCALE": full_scale, **variables})
        return samples

    def set(self, **variables):
        for name, value in variables.items():
            self.environment[f"CLDSP_FAKE_RADIO_{name}"] = str(value)

    def receive(self, *more, seconds=COUNT / RATE, status=0):
        """Runs the command. Returns the channel's samples, the summary, and the lines of the
        standard error."""
        written, said = self.channelize(
            *RADIO, *CHANNEL, "--out", self.out, "--format", "raw", "--overwrite", "--json",
            "--seconds", seconds, *more, status=status)
        return self.result(), json.loads(written), said

    def from_file(self, samples, kind):
        self.file("x.raw", samples.tobytes())
        written, _ = self.channelize(self.folder / "x.raw", "--type", kind, "--rate", RATE,
                                     "--center", CENTER, *CHANNEL, "--out", "-")
        return np.frombuffer(written, "<c8")

    def test_own_formats(self):
        # The radio plays the file again and again. The output equals that of a file with the
        # same samples.
        for form, kind in (("CS8", "cs8"), ("CU8", "cu8"), ("CS16", "cs16"), ("CF32", "cf32")):
            samples = self.play(form)
            got, report, said = self.receive(seconds=2.5 * COUNT / RATE)
            again = np.concatenate([samples, samples, samples[:COUNT]])
            expected = self.from_file(again, kind)
            self.assertEqual(len(got), COUNT * 5 // 2 // 20)
            self.assertLess(error_db(got, expected), -120, form)
            self.assertEqual(report["input"]["type"], "fc32" if kind == "cf32" else kind)
            self.assertEqual((report["input"]["overruns"], report["input"]["lost_samples"]),
                             (0, 0))
            self.assertEqual(report["items"], COUNT * 5 // 2)
            self.assertTrue(any(f"{form}, centre 100000000 Hz, automatic gain" in line
                                for line in said), said)
            self.assertFalse(any("overrun" in line for line in said), said)

    def test_other_full_scale(self):
        # The samples have 12 bits in 16-bit numbers, as with many radios.
        samples = self.play("CS16", FULL_SCALE=2048)
        got, _, _ = self.receive()
        self.assertLess(error_db(got / 16, self.from_file(samples, "cs16")), -120)

    def test_overruns(self):
        samples = self.play("CS8").reshape(-1, 2)
        self.set(OVERRUNS="10000:500,10600:7")
        lost = np.r_[10000:10500, 10600:10607]
        # If the radio reports no times, the lost samples are missing.
        got, report, said = self.receive(seconds=40000 / RATE)
        expected = self.from_file(np.delete(samples, lost, 0)[:40000], "cs8")
        self.assertLess(error_db(got, expected), -120)
        self.assertEqual((report["input"]["overruns"], report["input"]["lost_samples"]), (2, 0))
        self.assertTrue(any(line == "cldsp: the radio had 2 overruns" for line in said), said)
        # If the radio reports times, zeros replace the lost samples.
        for form, silence in (("CS8", 0), ("CU8", 128)):
            samples = self.play(form, TIMES=12345).reshape(-1, 2)
            got, report, said = self.receive(seconds=40000 / RATE)
            samples[lost] = silence
            self.assertLess(error_db(got, self.from_file(samples[:40000], form.lower())), -120)
            self.assertEqual((report["input"]["overruns"], report["input"]["lost_samples"]),
                             (2, 507))
            self.assertTrue(any(line == "cldsp: the radio had 2 overruns with 507 lost samples, "
                                "which are zeros now" for line in said), said)

    def test_a_command_that_is_busy(self):
        # The radio buffers one second, but the command reads only after 1.5 s or 5 s.
        self.set(BUFFER=1, TIMES=0)

        def run(seconds, pause):
            written, said = self.channelize(
                *RADIO, *CHANNEL, "--seconds", seconds, "--json", "--exec",
                f"sleep {pause}; cat > {self.folder}/got")
            report = json.loads(written)
            samples = report["channels"][0]["samples"]
            self.assertEqual(samples, seconds * 48000)
            self.assertEqual((self.folder / "got").stat().st_size, samples * 8)
            return report["input"], said

        for _ in range(10):  # on a busy machine samples may be lost all the same
            report, said = run(2, 1.5)
            if report["overruns"] == 0:
                break
        self.assertEqual(report["overruns"], 0, said)
        report, said = run(6, 5)
        self.assertGreater(report["overruns"], 0, said)
        self.assertGreater(report["lost_samples"], RATE // 2, said)

    def test_overruns_in_the_status_line(self):
        self.set(OVERRUNS="1000:20", TIMES=0)
        _, _, said = self.receive("--progress", "--speed", 1, seconds=1.3)
        self.assertTrue(any("real time" in line and "1 overrun with 20 lost samples" in line
                            for line in said[:-2]), said)

    def test_times(self):
        # A clock that counts from the radio's start says nothing of the time of day.
        second = 1000000000
        for first in (None, 5 * second, int(time.time() - 3600) * second + 123456789):
            if first is not None:
                self.set(TIMES=first)
            before = time.time_ns()
            written, _ = self.channelize(*RADIO, *CHANNEL, "--out", self.out, "--overwrite",
                                         "--json", "--seconds", "0.05")
            after = time.time_ns()
            report = json.loads(written)
            meta = json.loads((self.out / "ch1.sigmf-meta").read_text(encoding="utf-8"))
            found = []
            for text in (report["input"]["datetime"],
                         meta["captures"][0]["core:datetime"]):
                whole = time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
                found.append(calendar.timegm(whole) * second + int(text[20:29]))
            delay = found[0] - found[1]
            self.assertAlmostEqual(delay / second, report["channels"][0]["delay"], delta=2e-9)
            if first is not None and first > 10 * second:
                self.assertEqual(found[0], first)
            else:
                self.assertLess(before - 50e6, found[0])
                self.assertLess(found[0], after)

    def test_failures(self):
        whole, _, _ = self.receive()
        for fail, names in (("make", ["cannot be opened", "somebody else uses it"]),
                            ("activate", ["cannot be started", "STREAM_ERROR"]),
                            ("read:24000", ["has failed", "the cable was pulled"]),
                            ("error:24000", ["has failed", "STREAM_ERROR"])):
            self.set(FAIL=fail)
            line = self.assert_refused(*RADIO, *CHANNEL, "--out", self.out, "--format", "raw",
                                       "--overwrite", names=names, status=1)
            self.assertIn("'a file that plays radio'", line)
            if ":" in fail:  # all that came before is there
                got = self.result()
                self.assertEqual(len(got), 1200)
                self.assertLess(error_db(got, whole[:1200]), -120)

    def test_a_radio_that_falls_silent(self):
        self.set(SILENT=24000)
        self.assert_refused(*RADIO, *CHANNEL, "--out", self.out, "--format", "raw",
                            names=["has given no sample for 5 s"], status=1)
        self.assertEqual(len(self.result()), 1200)

    def test_signals(self):
        # The radio is at work, or silent.
        for silent in (None, 9600):
            if silent is not None:
                self.set(SILENT=silent)
                (self.out / "ch1.cf32").unlink()
            process = self.start(*RADIO, *CHANNEL, "--out", self.out, "--speed", 1, "--json",
                                 "--format", "raw", "--overwrite")
            data = self.out / "ch1.cf32"
            while not data.exists() or data.stat().st_size < 480 * 8:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            written, said = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 0, said)
            report = json.loads(written)
            self.assertEqual(report["ended_by"], "signal 2")
            self.assertEqual(data.stat().st_size, report["channels"][0]["samples"] * 8)
            self.assertEqual(report["channels"][0]["samples"], report["items"] // 20)

    def test_gain(self):
        for gain, text in (("30", "gain 30 dB"), ("TUNER=12.5", "gain 12.5 dB"),
                           ("auto", "automatic gain")):
            _, _, said = self.receive("--gain", gain, "--antenna", "HF", "--ppm", "1.5")
            self.assertTrue(any(text in line for line in said), said)

    def test_bad_wishes(self):
        out = ("--out", self.out)
        for more, name in (
                (["--gain", "loud"], "'loud'"), (["--gain", "60"], "0 to 50 dB"),
                (["--gain", "TUNER=60"], "0 to 50 dB for TUNER"), (["--gain", "LNA=6"], "TUNER"),
                (["--gain", "=6"], "NAME=DB"), (["--gain", "TUNER=6,"], "NAME=DB"),
                (["--gain", "nan"], "'nan'"), (["--antenna", "TX"], "RX, HF"),
                (["--type", "cu8"], "one of cs16, cf32, cs8"), (["--type", "ri24_le"], "cs8")):
            self.assert_refused(*RADIO, *CHANNEL, *out, *more, names=[name], status=2)
        for more in (["--ppm", "2000"], ["--seconds", "0"], ["--seconds", "-1"]):
            self.assert_refused(*RADIO, *CHANNEL, *out, *more, names=[more[0]], status=2)
        source = RADIO[0]
        for rate, center, name in (("3M", "100M", "960000 to 2400000 Hz"),
                                   ("1M", "100M", "makes 1200000 Hz"),
                                   ("0", "100M", "above 0"), ("960k", "10M", "24000000 to"),
                                   ("960k", "x", "'x'")):
            self.assert_refused(source, "--rate", rate, "--center", center, *CHANNEL, *out,
                                names=[name], status=2)
        self.assert_refused(source, "--rate", RATE, *CHANNEL, *out, names=["--center"], status=2)
        self.assert_refused("soapy:nonsense", *RADIO[1:], *CHANNEL, *out,
                            names=["'soapy:nonsense'", "KEY=VALUE"], status=2)
        self.assert_refused("soapy:driver=other", *RADIO[1:], *CHANNEL, *out,
                            names=["no radio", "'driver=other'", "--list-radios"], status=1)
        self.set(FORMAT="CS32", FULL_SCALE=1)
        self.assert_refused(*RADIO, *CHANNEL, *out, names=["only the formats CS32"], status=1)
        self.assertFalse(self.out.exists())
        for more in (["--gain", "3"], ["--antenna", "RX"], ["--ppm", "1"]):
            self.assert_refused(self.path, "--type", "cs8", "--rate", RATE, "--channel", "0,48k",
                                *out, *more, names=[more[0], "radio"], status=2)

    def test_seconds_of_a_file(self):
        written, _ = self.channelize(self.path, "--type", "cs8", "--rate", RATE, "--channel",
                                     "0,48k", "--out", "-", "--seconds", "0.01")
        self.assertEqual(len(written), 480 * 8)

    def test_the_list(self):
        written, _ = self.channelize("--list-radios", exact=False)
        text = written.decode()
        for part in (f"soapy:driver=cldsp-fake,file={self.path}", "a file that plays radio",
                     "960 kHz to 2.4 MHz", "24 MHz to 1766 MHz", "TUNER", "or auto", "RX, HF"):
            self.assertIn(part, text)
        self.set(COUNT=2)
        written, _ = self.channelize("--list-radios", "--json", exact=False)
        radios = json.loads(written)["radios"]
        self.assertEqual([r["input"] for r in radios],
                         ["soapy:driver=cldsp-fake,serial=001",
                          "soapy:driver=cldsp-fake,serial=002"])
        self.assertEqual(radios[0]["rates"], [[960000, 2400000]])
        self.assertEqual(radios[0]["formats"], ["CS8", "CS16", "CF32"])
        # With several radios, a command has to name one of them.
        self.assert_refused(*RADIO, *CHANNEL, "--out", self.out, status=2,
                            names=["serial=001", "serial=002"])
        self.channelize(radios[1]["input"], *RADIO[1:], *CHANNEL, "--out", self.out, "--seconds",
                        "0.01")
        # A radio that is in use is listed as such.
        self.set(FAIL="make")
        written, _ = self.channelize("--list-radios", radios[0]["input"], exact=False)
        self.assertIn("somebody else uses it", written.decode())
        del self.environment["CLDSP_FAKE_RADIO_FILE"]
        written, _ = self.channelize("--list-radios", exact=False)
        self.assertIn("no radio", written.decode())
        self.assert_refused("--list-radios", "x.cu8", names=["'x.cu8'"], status=2, exact=False)
        self.assert_refused(exact=False, names=["INPUT is required"], status=2)


if __name__ == "__main__":
    unittest.main()
