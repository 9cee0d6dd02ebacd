#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Runs the engine's tests, benchmarks, flowgraphs and the peers on one OpenCL device, within a
budget of time, and writes the results as JSON, as tables in Markdown and as charts.

A step that does not end in time is stopped and listed as such; the others go on."""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import report

HERE = pathlib.Path(__file__).resolve().parent

# The libraries of NVIDIA's driver, where a container has them without an .icd file.
DRIVER_LIBRARY = "libnvidia-opencl.so.1"
DRIVER_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64",
                  "/usr/lib/aarch64-linux-gnu")

# Title and arguments of `cldsp bench`. Calls are long enough for the speed of the bus.
BENCHES = (
    ("W1-fast", ["W1-fast", "--items", "16M"]),
    ("W4-fast", ["W4-fast", "--items", "16M"]),
    ("W5-fast", ["W5-fast", "--items", "16M"]),
    ("W6-fast", ["W6-fast", "--items", "8M"]),
    ("W5-fast, 64M", ["W5-fast", "--items", "64M"]),
    ("W6-fast, 64M", ["W6-fast", "--items", "64M"]),
    ("W1-fast, cu8", ["W1-fast", "--items", "64M", "--input", "cu8"]),
    ("G3", ["G3"]),
    ("G1", ["G1", "G1_4096"]),
    ("G1_bytes", ["G1_bytes", "--size", "4096"]),
    ("G2", ["G2"]),
    ("W1", ["W1", "--items", "16M"]),
    ("W1-fast, 1M", ["W1-fast", "--items", "1M"]),
    ("W6-fast, 1M", ["W6-fast", "--items", "1M"]),
)
QUICK_BENCHES = (("W1-fast", ["W1-fast", "--quick", "--input", "cu8"]),
                 ("G3", ["G3", "--quick", "--size", "64"]))

# Parts of the budget, and what their steps may take at most, in seconds.
PARTS = {"tests": 0.3, "bench": 0.35, "flowgraphs": 0.15, "peers": 0.2}


class Runner:
    """Runs programs until a point in time, and keeps their results."""

    def __init__(self, args):
        self.args = args
        self.began = time.monotonic()
        self.end = self.began + args.seconds
        self.scratch = tempfile.TemporaryDirectory(prefix="bench-gpu-")
        self.environment = self.make_environment()
        self.results = {"began": datetime.datetime.now(datetime.timezone.utc).isoformat(
            timespec="seconds"), "budget": args.seconds}

    def make_environment(self):
        environment = dict(os.environ)
        if self.args.lib:
            paths = [str(self.args.lib)]
            if environment.get("LD_LIBRARY_PATH"):
                paths.append(environment["LD_LIBRARY_PATH"])
            environment["LD_LIBRARY_PATH"] = ":".join(paths)
        # Nothing is taken from earlier runs, and nothing is left in the user's cache.
        environment["XDG_CACHE_HOME"] = str(pathlib.Path(self.scratch.name) / "cache")
        environment["XDG_CONFIG_HOME"] = str(pathlib.Path(self.scratch.name) / "config")
        environment.pop("VOLK_GENERIC", None)
        environment["GR_CONF_CLDSP_PLAN"] = "wait"
        environment["CLDSP_DRIVERS"] = "trust"  # the pack has no program that tries them
        return environment

    def left(self):
        return self.end - time.monotonic()

    def execute(self, command, limit, loader=(), **variables):
        """The status (None: stopped), the output, and the seconds of a program."""
        began = time.monotonic()
        limit = max(0.1, min(limit, self.left()))
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [*loader, *map(str, command)], stdin=subprocess.DEVNULL, stdout=output,
                stderr=errors, env={**self.environment, **variables}, start_new_session=True)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            texts = []
            for file in (output, errors):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "replace"))
        return status, *texts, time.monotonic() - began

    def say(self, text):
        print(f"[{time.monotonic() - self.began:6.1f} s] {text}", flush=True)

    def execute_program(self, command, limit, **variables):
        """As execute(), for a program of this project."""
        return self.execute(command, limit, self.loader(), **variables)

    def loader(self):
        """The words before a command that start it with the C library of the pack."""
        if not self.args.loader:
            return []
        paths = [self.args.lib / "c", self.environment["LD_LIBRARY_PATH"]]
        return [self.args.loader, "--library-path", ":".join(map(str, paths))]

    def program(self, name):
        return self.args.bin / name

    def find_driver(self):
        """Shows the loader a driver of NVIDIA that has no .icd file."""
        vendors = pathlib.Path("/etc/OpenCL/vendors")
        known = [file.read_text(errors="replace") for file in vendors.glob("*.icd")]
        if "OCL_ICD_VENDORS" in self.environment or any("nvidia" in text for text in known):
            return
        for folder in DRIVER_FOLDERS:
            library = pathlib.Path(folder) / DRIVER_LIBRARY
            if library.exists():
                shown = pathlib.Path(self.scratch.name) / "vendors"
                shown.mkdir()
                for file in vendors.glob("*.icd"):
                    shutil.copy(file, shown)
                (shown / "nvidia.icd").write_text(f"{library}\n")
                self.environment["OCL_ICD_VENDORS"] = str(shown)
                return

    def find_device(self):
        """The device's description; the program ends where there is none."""
        self.find_driver()
        status, text, errors, _ = self.execute_program([self.program("cldsp"), "devices", "--json"], 60)
        if status != 0:
            sys.exit(f"cldsp devices failed: {errors.strip() or 'it did not end'}")
        wanted = self.args.device
        devices = json.loads(text)["devices"]
        for device in devices:
            if (wanted in (device["device"], device["kind"])
                    or wanted.lower() in device["name"].lower()):
                self.results["device"] = device
                break
        else:
            names = ", ".join(f"{d['device']} ({d['name']})" for d in devices)
            sys.exit(f"there is no device '{wanted}'; there are {names}")
        smi = shutil.which("nvidia-smi")
        if smi:
            done = subprocess.run([smi, "--query-gpu=name,driver_version,memory.total,pcie.link.gen.max",
                                   "--format=csv,noheader"], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.results["nvidia_smi"] = done.stdout.strip().splitlines()
        self.say(f"{self.results['device']['name']}, driver {self.results['device']['driver']}")

    # The parts

    def tests(self, limit):
        """Each fixture in a process of its own, several at a time: most of their time is spent
        in the driver's compiler."""
        until = time.monotonic() + limit
        programs = [(name, [self.program("engine_qa"), name]) for name in self.args.fixtures]
        # These programs replace functions of the driver or of the C++ library. They lose
        # devices on purpose, whose contexts stay: beside other tests a driver may have no
        # memory for more of them.
        alone = []
        for path in [] if self.args.quick else sorted(self.args.bin.glob("engine_qa_*")):
            name = "qa_" + path.name[len("engine_qa_"):]
            alone.append((name, [path, name]))
        self.results["tests"] = []
        # The drivers of GPUs compile slowly, so that their programs are stored. PoCL's are not,
        # because PoCL would then compile kernels that no test runs.
        is_pocl = "Portable Computing Language" in self.results["device"].get("platform", "")
        stored = {} if is_pocl else {"CLDSP_TEST_STORE": "1"}

        def run(entry):
            name, command = entry
            seconds = until - time.monotonic()
            if seconds < 1:
                return {"name": name, "outcome": "not started"}
            status, out, errors, took = self.execute_program(
                command, seconds, CLDSP_TEST_DEVICE=self.results["device"]["device"], **stored)
            outcome = {0: "passed", None: f"did not end within {took:.0f} s"}.get(status, "failed")
            result = {"name": name, "outcome": outcome, "seconds": took,
                      "passed": out.count(" : OK") + errors.count(" : OK")}
            if status != 0:
                result["output"] = (out + errors)[-4000:]
            return result

        workers = max(1, min(8, (os.cpu_count() or 2) // 2))

        def keep(result):
            self.results["tests"].append(result)
            if result["outcome"] != "passed":
                self.say(f"{result['name']}: {result['outcome']}")

        for entry in alone:
            keep(run(entry))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for result in pool.map(run, programs):
                keep(result)

    def no_time(self, until, title):
        """Whether there is no time for a step; it is then listed."""
        if until - time.monotonic() >= 1:
            return False
        self.results["unfinished"].append(f"{title}: no time was left")
        return True

    def bench(self, limit):
        until = time.monotonic() + limit
        self.results["bench"] = []
        for title, arguments in QUICK_BENCHES if self.args.quick else BENCHES:
            if self.no_time(until, title):
                continue
            command = [self.program("cldsp"), "bench", *arguments, "--json", "--device",
                       self.results["device"]["device"]]
            status, text, errors, took = self.execute_program(command, until - time.monotonic())
            if status is None:
                self.results["unfinished"].append(f"{title}: it did not end within {took:.0f} s")
                continue
            try:
                made = json.loads(text)
            except ValueError:
                self.results["unfinished"].append(f"{title}: {errors.strip()[-300:]}")
                continue
            self.results["machine"] = made["machine"]
            self.results["bench"] += made["bench"]
            self.say(f"cldsp bench {title}: {took:.1f} s")

    def flowgraphs(self, limit):
        program = self.program("bench_flowgraph_rates")
        self.results["flowgraphs"] = []
        if not program.exists():
            self.results["unfinished"].append("flowgraphs: the programs were built without GNU "
                                              "Radio")
            return
        until = time.monotonic() + limit
        file = pathlib.Path(self.scratch.name) / "flowgraphs.json"
        device = self.results["device"]["device"]
        # Channels, device and latencies; the most interesting ones come first.
        plans = [(1, device, "0.025")] if self.args.quick else [
            (1, "auto", "0.025,0.2"), (64, "auto", "0.025,0.2"), (1, "host", "0.025"),
            (64, "host", "0.025"), (256, "auto", "0.025"), (1024, "auto", "0.025")]
        for channels, kind, latencies in plans:
            if self.no_time(until, f"flowgraphs of {channels} channels, {kind}"):
                continue
            file.unlink(missing_ok=True)
            status, _, errors, _ = self.execute_program(
                [program, "--channels", channels, "--latencies", latencies, "--devices", kind,
                 "--seconds", 0.1 if self.args.quick else 2, "--json", file],
                until - time.monotonic())
            if status == 0:
                self.results["flowgraphs"] += json.loads(file.read_text())["flowgraphs"]
                self.say(f"flowgraphs of {channels} channels, {kind}")
            else:
                why = "it did not end in time" if status is None else errors.strip()[-300:]
                self.results["unfinished"].append(
                    f"flowgraphs of {channels} channels, {kind}: {why}")

    def peers(self, limit):
        file = pathlib.Path(self.scratch.name) / "peers.json"
        arguments = ["--items", str(1 << 16), "--seconds", "0.01"] if self.args.quick else []
        # Python brings libraries of its own.
        status, _, errors, took = self.execute(
            [sys.executable, HERE / "peers.py", file, *arguments], limit,
            LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", ""))
        if file.exists():
            self.results["peers"] = json.loads(file.read_text())
        if status is None:
            self.results["unfinished"].append(f"peers: they did not end within {took:.0f} s")
        elif status != 0:
            self.results["unfinished"].append(f"peers: {errors.strip()[-300:]}")

    def run(self):
        self.find_device()
        self.results["unfinished"] = []
        parts = [part for part in PARTS if part in self.args.only]
        for i, part in enumerate(parts):
            share = PARTS[part] / sum(PARTS[later] for later in parts[i:])
            # Time that a part leaves goes to the later ones.
            self.say(f"{part}: up to {self.left() * share:.0f} s")
            getattr(self, part)(self.left() * share)
        self.results["seconds"] = time.monotonic() - self.began
        return self.results


def parse(arguments):
    parser = argparse.ArgumentParser(prog="bench-gpu --run", description=__doc__)
    parser.add_argument("--device", default="gpu",
                        help="gpu, cpu, P:D or a part of a name; default: gpu")
    parser.add_argument("--seconds", type=float, default=300,
                        help="budget of the whole run; default: 300")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bench-gpu-results"),
                        help="folder of the results; default: bench-gpu-results")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between "
                        "them; default: " + ",".join(PARTS))
    parser.add_argument("--quick", action="store_true",
                        help="small problems: shows that everything works")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--lib", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--loader", help=argparse.SUPPRESS)
    parser.add_argument("--fixtures", nargs="*", default=[], help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    args.only = args.only.split(",")
    for part in args.only:
        if part not in PARTS:
            parser.error(f"argument --only is '{part}', but must be of {', '.join(PARTS)}")
    if not 1 <= args.seconds <= 86400:
        parser.error(f"argument --seconds is {args.seconds:g}, but must be 1 to 86400")
    if args.quick:
        args.fixtures = [name for name in args.fixtures if name == "qa_transfer"]
    return args


def wrongs(results):
    """What makes a run a failure, each in a line. Parts that were not measured do not, unless no
    test or no benchmark at all came to its end."""
    tests = results.get("tests")
    failed = [test["name"] for test in tests or () if test["outcome"] == "failed"]
    bad = [f"{table['workload']} {row['kernel']}" for table in results.get("bench", ())
           for row in table["results"] if not row.get("correct")]
    texts = [f"{what}: {', '.join(names)}" for what, names in
             (("tests failed", failed), ("results are wrong", bad)) if names]
    ended = [test for test in tests or () if test["outcome"] in ("passed", "failed")]
    for what, done in (("test", ended if tests is not None else None),
                       ("benchmark", results.get("bench"))):
        if done == []:
            texts.append(f"no {what} came to its end; the report says why. --seconds is the time "
                         "for all parts")
    return texts


def main():
    args = parse(sys.argv[1:])
    runner = Runner(args)
    results = runner.run()
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    charts = report.draw(results, args.out)
    text = report.markdown(results, charts)
    (args.out / "results.md").write_text(text)
    print("\n" + text)
    wrong = wrongs(results)
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
