#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp bench`: all results are right, whatever time they took."""

import os
import re
import statistics
import subprocess
import sys
import unittest

from support import SOURCE, CommandTest


def some_python_has_matplotlib():
    return any(
        subprocess.run([python, "-c", "import matplotlib"], check=False,
                       stderr=subprocess.DEVNULL).returncode == 0
        for python in ("python3", "/usr/bin/python3") if python == "python3"
        or os.path.exists(python))


class BenchTest(CommandTest):
    """Several tests read one report, because each process that measures a device begins with the
    roofline of that device."""

    # The reports by their arguments.
    reports = {}

    def report(self, *arguments, **variables):
        key = (arguments, tuple(variables.items()))
        if key not in self.reports:
            self.reports[key] = self.run_json("bench", *arguments, "--quick", **variables)
        return self.reports[key]

    def every_device(self):
        """The report of all kinds of workloads on all devices, in calls as small as the kernels
        allow; and its tables by name."""
        report = self.report("G3", "W2-fast", "gemm_ladder", "G2", "W2", "G1", "G1_4096", "ladder",
                             "--size", "48", "--items", "1000")
        return report, {table["workload"]: table for table in report["bench"]}

    def host_alone(self):
        """The tables of workloads in their usual small calls on the host, by name."""
        report = self.report("W1", "W5", "R1", "G2", "G3", "--device", "host")
        return {table["workload"]: table for table in report["bench"]}

    def check(self, table):
        self.assertTrue(table["results"], table)
        for row in table["results"]:
            self.assertTrue(row["correct"], row)
            self.assertGreater(row["rate"], 0, row)
            self.assertGreater(row["operations_per_second"], 0, row)
            self.assertGreater(row["roof_part"], 0, row)

    def kernels(self, table, device):
        return {r["kernel"] for r in table["results"] if r["device"] == device}

    def test_all_devices(self):
        report, tables = self.every_device()
        # The order is that of the list.
        self.assertEqual(list(tables), ["W2", "W2-fast", "ladder", "G1", "G1_4096", "G2", "G3",
                                        "gemm_ladder"])
        for table in tables.values():
            self.check(table)
        self.assertIn("processor", report["machine"])

    def test_filters(self):
        tables = self.every_device()[1]
        self.assertLessEqual({"simd", "volk", "auto"},
                             {r["kernel"] for r in tables["W2"]["results"]})
        fast = {r["kernel"] for r in tables["W2-fast"]["results"]}
        self.assertLess({"auto"}, fast)
        self.assertFalse(fast & {"simd", "volk", "cpu_tile", "gpu_tile"})
        for result in tables["W2-fast"]["results"]:
            self.assertIn("fast_convolution", result["ran"])
        if self.has_opencl():
            self.assertIn("naive", {r["kernel"] for r in tables["ladder"]["results"]})

    def test_calls_of_the_usual_size(self):
        tables = self.host_alone()
        for table in tables.values():
            self.check(table)
        self.assertEqual({8316}, {r["items_per_call"] for r in tables["W1"]["results"]})
        self.assertIn("f32 input", tables["R1"]["title"])
        # A call has 25 ms of the slow stream of R1, fewer items than other filters get.
        self.assertEqual({2400}, {r["items_per_call"] for r in tables["R1"]["results"]})
        self.assertIn("m 64, n 1024, k 64", tables["G2"]["title"])
        for row in tables["G3"]["results"]:
            self.assertEqual(row["operations_per_call"], 2 * 128**3)

    def test_other_input(self):
        report = self.run_json("bench", "W1-fast", "W5-fast", "G3", "--quick", "--input", "cu8",
                               "--device", "host", "--items", "2048")
        for table in report["bench"]:
            self.check(table)
            self.assertEqual(table["workload"] != "G3", "cu8 input" in table["title"], table)
        wrong = self.run_command("bench", "W1", "--input", "cu7")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("parameter 'input' is 'cu7', but must be one of fc32, f32", wrong.stderr)

    def test_processor_time(self):
        table = self.host_alone()["W5"]
        for row in table["results"]:
            # At least the thread that makes the calls works; the system counts in ticks.
            self.assertGreaterEqual(row["cores_in_use"], 0, row)
            self.assertLessEqual(row["cores_in_use"], 1.5 * os.cpu_count(), row)
        self.assertGreater(max(r["cores_in_use"] for r in table["results"]), 0)

    def test_large_banks_run_by_name_alone(self):
        # A line that continues the one before is indented further.
        text = re.sub(r"\n {8,}", " ", self.run_command("bench", "--help").stdout)
        for name in ("W7_10", "W7_100", "W7_500", "W8", "W9_64", "W9_1024", "G1_4096"):
            line, = [l for l in text.splitlines() if l.split()[:1] == [name]]
            self.assertTrue(line.endswith("; by name alone"), line)
        line, = [l for l in text.splitlines() if l.split()[:1] == ["R1"]]
        self.assertNotIn("by name alone", line)

    def test_a_bank(self):
        table = self.host_alone()["W5"]
        self.assertEqual({r["device"] for r in table["results"]}, {"host"})
        ran = {r["kernel"]: r["ran"] for r in table["results"]}
        # The engine's own choice never takes VOLK for a bank, but a user can.
        self.assertLessEqual({"simd", "volk", "selected_bins"}, set(ran))
        self.assertIn("direct/volk", ran["volk"])

    def test_a_bank_on_several_devices(self):
        device = self.first_device()
        if device is None:
            self.skipTest("no OpenCL device")
        both = f"{device},host"
        # With the limits of this profile fewer kernels have to be compiled.
        report = self.run_json("bench", "W5", "--quick", "--device", both, "--items", "1000",
                               "--profile", "vc4")
        self.assertEqual("vc4", report["profile"])
        table, = report["bench"]
        self.assertTrue(all(row["correct"] for row in table["results"]), table)
        self.assertEqual({device, "host", both}, {r["device"] for r in table["results"]})
        shared, = [r for r in table["results"] if r["device"] == both]
        self.assertEqual("auto", shared["kernel"])
        self.assertRegex(shared["ran"], rf"^\d+ channels on (host|'.*' \({device}\)) by ")

    def test_matrix_products(self):
        tables = self.every_device()[1]
        device = self.first_device()
        for name in ("G1", "G1_4096", "G2", "G3"):
            table = tables[name]
            self.assertEqual(self.kernels(table, "host"), {"simd"})
            self.assertEqual(self.kernels(table, "auto"), {"auto"})
            if device is not None:
                self.assertLessEqual({"cpu_tile", "gpu_tile"}, self.kernels(table, device))
                self.assertNotIn("naive", self.kernels(table, device))
        for name in ("G1", "G1_4096", "G2"):
            self.assertEqual(tables[name]["unit"], "GFLOP/s")
            for row in tables[name]["results"]:
                self.assertLess(row["error_db"], row["bound_db"])
                # One rate is that of a whole call, the other that of computing alone.
                self.assertAlmostEqual(
                    row["rate"] * 1e9, row["operations_per_call"]
                    / statistics.median(row["seconds_per_call"]), delta=row["rate"] * 1e5)
                self.assertGreaterEqual(row["operations_per_second"] * 1.001, row["rate"] * 1e9)
        self.assertEqual(tables["G3"]["unit"], "Gop/s")
        for row in tables["G3"]["results"]:
            self.assertIsNone(row["error_db"])

    def test_sizes_of_products(self):
        report = self.run_json("bench", "G1_4096", "G2", "G3", "--quick", "--device", "host",
                               "--size", "100", "--items", "70")
        square, beams, bits = report["bench"]
        for table, text, operations in (
                (square, "product of f32, m 100, n 100, k 100", 2 * 100**3),
                (beams, "m 64, n 70, k 64", 8 * 64 * 70 * 64),
                (bits, "100 items, 100 codes, 104 bits", 2 * 100 * 100 * 104)):
            self.check(table)
            self.assertIn(text, table["title"])
            row, = table["results"]
            self.assertEqual(row["operations_per_call"], operations)

    def test_the_ladder_of_products(self):
        table = self.every_device()[1]["gemm_ladder"]
        self.assertEqual(self.kernels(table, "host"), {"simd"})
        device = self.first_device()
        if device is not None:
            made = self.kernels(table, device)
            self.assertLessEqual({"naive", "coalesced", "float4", "tile4x4", "cpu_tile"}, made)

    def test_all_kernels_of_products(self):
        """The tests benchmark_smoke_* run those of the devices."""
        names = ("G1_halves", "G3", "G3_resident")
        halves, bits, resident = self.run_json("bench", *names, "--quick", "--all-kernels",
                                               "--device", "host", "--size", "65,70,33")["bench"]
        self.check(halves)
        self.assertIn("m 65, n 70, k 33", halves["title"])
        self.assertLessEqual({"simd", "simd, B held"}, self.kernels(halves, "host"))
        self.check(bits)
        self.assertIn("65 items, 70 codes, 40 bits", bits["title"])
        self.assertEqual([], resident["results"])

    def test_the_correlator(self):
        for kind in ("cs8", "fc32"):
            table, = self.run_json("bench", "correlator", "--quick", "--device", "host",
                                   "--size", "20,3,50", "--input", kind)["bench"]
            self.check(table)
            self.assertIn(f"20 antennas, 3 integrations of 50 samples of {kind}", table["title"])
            self.assertEqual({"simd"}, self.kernels(table, "host"))
            for row in table["results"]:
                self.assertEqual(8 * 210 * 150, row["operations_per_call"])

    def test_kernels_by_name(self):
        for table in self.run_json("bench", "W2", "G1", "G3", "--quick", "--device", "host",
                                   "--kernels", "si")["bench"]:
            self.check(table)
            self.assertEqual({"simd"}, {row["kernel"] for row in table["results"]})

    def test_bad_sizes_are_refused(self):
        for size in ("0", "65537", "12,13", "1,2,3,4", "1,,3", "8,x,8", "-1", "1e3"):
            done = self.run_command("bench", "G1", "--size", size)
            self.assertEqual(2, done.returncode, done.stderr)
            self.assertIn(f"parameter 'size' is '{size}', but must be 1 to 65536", done.stderr)

    def test_the_text(self):
        done = self.run_command("bench", "W2", "G1", "G3", "--quick", "--device", "host")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        # The filter's table, which is the first, tells every part of the roof.
        filters = done.stdout.split("of roof")[1]
        self.assertRegex(filters, r"^ +cores +error dB")
        rows = [line for line in filters.splitlines() if line.strip().startswith("host")]
        self.assertTrue(rows)
        for row in rows:
            self.assertGreaterEqual(row.count("%"), 2, row)
        self.assertIn("GFLOP/s", done.stdout)
        self.assertIn("op/B", done.stdout)
        self.assertEqual(done.stdout.count("computing"), 2)
        self.assertEqual(done.stdout.count("exact"), 1)
        # Quick results are not remembered.
        self.assertEqual(self.run_json("wisdom", "list")["entries"], [])

    def test_without_opencl(self):
        report = self.report("W2", "G1", "G3", OCL_ICD_VENDORS="/nonexistent")
        for table in report["bench"]:
            self.check(table)
            self.assertEqual({r["device"] for r in table["results"]}, {"host", "auto"})

    def test_plot(self):
        if not some_python_has_matplotlib():
            self.skipTest("no matplotlib")
        for ending, start, workloads in ((".png", b"\x89PNG", ("W2", "G3")),
                                         (".svg", b"<?xml", ("G3",))):
            picture = self.folder / ("picture" + ending)
            done = self.run_command("bench", *workloads, "--quick", "--device", "host",
                                    "--plot", str(picture))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(picture.read_bytes().startswith(start))

    def test_pictures_that_cannot_be_written(self):
        """The file is refused before anything is measured, in one line."""
        for name, reason in (("none/picture.png", "there is no folder '.*none'"),
                             ("folder.svg", "it is a folder"),
                             ("file/a.png", "'.*file' is no folder")):
            (self.folder / "folder.svg").mkdir(exist_ok=True)
            (self.folder / "file").touch()
            done = self.run_command("bench", "W2", "--quick", "--plot", str(self.folder / name))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^cldsp: parameter '--plot' is '.*', but must be a file "
                             rf"that can be written; {reason}\n$")

    def test_a_picture_of_any_names(self):
        """Heading, titles and legend lie in the picture, and not over each other."""
        sys.path.append(str(SOURCE / "benchmarks"))
        try:
            import matplotlib
            from matplotlib import pyplot
        except ImportError:
            self.skipTest("no matplotlib")
        import plot

        matplotlib.use("Agg")
        pyplot.rcParams.update(plot.colours.style(9))
        row = {"device": "0:0", "kernel": "cpu_tile", "correct": True, "roof_part": 0.5}
        for words, tables, rows in ((1, 1, 1), (4, 1, 8), (30, 1, 8), (30, 2, 30), (60, 3, 2)):
            table = {"workload": "W1", "title": "many taps, " * words, "unit": "MS/s", "results": [
                {**row, "rate": 900 / (i + 1), "device": ("0:0", "host", "auto")[i % 3]}
                for i in range(rows)]}
            report = {"machine": {"processor": "Intel(R) Xeon(R) Processor", "threads": 2},
                      "devices": [{"name": "of a long name " * words}], "bench": [table] * tables}
            figure = plot.draw_report(pyplot, report, report["bench"], plot.draw_bench, 8)
            figure.canvas.draw()
            texts = [figure._suptitle, *(a.title for a in figure.axes),
                     *(a.get_legend() for a in figure.axes if a.get_legend())]
            self.assertEqual(1 + tables + 2 * (rows > 1), len(texts))
            boxes = [t.get_window_extent() for t in texts
                     if not hasattr(t, "get_text") or t.get_text()]
            for i, box in enumerate(boxes):
                self.assertGreaterEqual(min(box.x0, box.y0), 0, (words, tables))
                self.assertLessEqual(box.x1, figure.bbox.x1, (words, tables))
                self.assertLessEqual(box.y1, figure.bbox.y1, (words, tables))
                for other in boxes[:i]:
                    self.assertFalse(box.overlaps(other), (words, tables))
            pyplot.close(figure)

    def test_short_names(self):
        sys.path.append(str(SOURCE / "examples" / "common"))
        from device_names import short_name, short_names

        for name, short in (
                ("pthread-skylake-avx512-Intel(R) Xeon(R) Processor", "PoCL on Intel Xeon"),
                ("cpu-haswell-11th Gen Intel(R) Core(TM) i7-11800H @ 2.30GHz",
                 "PoCL on 11th Gen Intel Core i7-11800H"),
                ("cpu-znver3-AMD Ryzen 7 5800X 8-Core Processor", "PoCL on AMD Ryzen 7 5800X"),
                ("pthread-cortex-a72", "PoCL"), ("NVIDIA H200", "NVIDIA H200"), ("host", "host"),
                ("AMD Radeon RX 7900 XTX (navi31, LLVM 15.0.7)", "AMD Radeon RX 7900 XTX")):
            self.assertEqual(short, short_name(name))
        xeon = "Intel(R) Xeon(R) Processor"
        self.assertEqual(["PoCL", "Intel Xeon"], short_names([f"cpu-skylake-{xeon}"], xeon))
        self.assertEqual(["NVIDIA H200", "Intel Xeon"], short_names(["NVIDIA H200"] * 2, xeon))

    def test_no_matplotlib(self):
        # With this setting Python does not find any installed module.
        done = self.run_command("bench", "W2", "--quick", "--plot",
                                str(self.folder / "picture.png"),
                                PYTHONHOME="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("matplotlib, and there is none: install python3-matplotlib", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_device_that_refuses_every_kernel(self):
        device = self.first_device()
        if device is None:
            self.skipTest("no OpenCL device")
        for workload in ("W2", "G1"):
            done = self.run_command("bench", workload, "--quick", "--device", device, "--size", "32",
                                    "--items", "1000", "--kernels", "cpu_tile,gpu_tile",
                                    CLDSP_KERNEL_PATH=self.refused_kernels())
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertRegex(
                done.stderr.splitlines()[-1],
                rf"^cldsp: every kernel of {device} \('.*'\) was refused or fell back to the host; "
                r"[cg]pu_tile: ")

    def test_bad_usage(self):
        for arguments in (["W9"], ["W1", "--device", "no such device"],
                          ["W1", "--items", "many"], ["W1", "--repetitions", "0"],
                          ["G4"], ["G1", "--size", "0"], ["G1", "--size", "65537"],
                          ["G1", "--size", "1k"], [""],
                          ["W1", "--plot", "picture.pdf"], ["W1", "--profile", "vc5"],
                          ["W1", "--seconds", "nan"], ["W1", "--seconds", "61"]):
            done = self.run_command("bench", *arguments, "--quick")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr)
        for given, meant in (("w1", "W1"), ("g1", "G1"), ("G1-4096", "G1_4096"), ("W9", "W9_64"),
                             ("Corelator", "correlator")):
            self.assertEqual(f"cldsp: there is no workload '{given}': did you mean '{meant}'?\n",
                             self.run_command("bench", given).stderr)
        known = self.run_command("bench", "nonsense").stderr
        for name in ("W1", "W1-fast", "W6", "R1", "W7_10", "W7_500-fast", "W8", "W9_64-fast", "ladder", "G1",
                     "G1_4096", "G1_bytes", "G2", "G3", "gemm_ladder"):
            self.assertIn(name, known)

    def test_volk_generic_is_refused(self):
        done = self.run_command("bench", "W2", "--quick", VOLK_GENERIC="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("VOLK_GENERIC", done.stderr)


if __name__ == "__main__":
    unittest.main()
