# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The command cldsp convert: replaces GNU Radio's frequency-xlating filters in a flowgraph.

The program cldsp starts this folder with the Python that GNU Radio is built for.
"""

import argparse
import builtins
import contextlib
import json
import os
import pathlib
import sys

from companion import Companion, Failure, search_beside
from filters import Conversion
from measure import import_modules, measure

FAILED, BAD_USAGE = 1, 2


class BadUsage(Exception):
    pass


def arguments():
    parser = argparse.ArgumentParser(prog="cldsp convert", allow_abbrev=False)
    parser.add_argument("flowgraph", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--no-banks", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def check_output(given):
    """The output's path. Fails before any work where it cannot be written."""
    output = given.output or given.flowgraph.with_name(given.flowgraph.stem + "_cldsp.grc")
    if output.is_dir():
        raise BadUsage(f"parameter '--output' is '{output}', but must be a file")
    if output.exists() and given.flowgraph.exists() and output.samefile(given.flowgraph):
        if not given.overwrite:
            raise BadUsage(f"parameter '--output' is '{output}', the flowgraph itself; "
                           "--overwrite replaces it")
    elif output.exists() and not given.overwrite:
        raise BadUsage(f"parameter '--output' is '{output}', which exists; --overwrite "
                       "replaces it")
    folder = output.resolve().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise Failure(f"cannot write {output}: {folder} is not a folder that you may write")
    return output


def printable(text):
    """The text without characters that would do something to a terminal."""
    return "".join(c if c == "\n" or c.isprintable() else ascii(c)[1:-1] for c in str(text))


def print(text, **options):  # noqa: A001  names of a flowgraph may have any characters
    builtins.print(printable(text), **options)


def count(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def print_report(report):
    filters = report["filters"]
    converted = [f for f in filters if f["now"] != f["was"]]
    print(f"{report['flowgraph']}: {len(converted)} of {count(len(filters), 'filter')} converted, "
          f"{count(len(report['banks']), 'bank')}")
    for entry in filters:
        now = f"{entry['bank']}, channel {entry['channel']}" if "bank" in entry else entry["now"]
        if entry["now"] == entry["was"]:
            print(f"  {entry['name']} stays as it is: {entry['reason']}")
            continue
        state = "" if entry["state"] == "enabled" else f" ({entry['state']})"
        print(f"  {entry['name']}{state}: {entry['was']} {entry['type']} -> {now}")
        if "bank" not in entry and "reason" in entry:
            print(f"    in no bank: {entry['reason']}")
    for bank in report["banks"]:
        for note in bank["notes"]:
            print(f"  {bank['name']}: {note}")
    if report["errors_before"]:
        print(f"  GNU Radio Companion found {count(len(report['errors_before']), 'error')} in "
              f"the original, and {len(report['errors_after'])} now:")
        for error in report["errors_after"]:
            print(f"    {error}")
    for measured in report.get("measured", []):
        print(measured["text"])
    if report.get("blocks_folder"):
        print("  GNU Radio Companion does not find these blocks by itself: set "
              f"GRC_BLOCKS_PATH={report['blocks_folder']}")
    if report["output"]:
        print(f"written to {report['output']}")


@contextlib.contextmanager
def stdout_on_stderr():
    """Leaves the standard output to the report: C++ code logs there, and the flowgraph's own code
    may print."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def convert(given, output):
    """Writes the output, and returns the report."""
    if not given.flowgraph.exists():
        raise Failure(f"cannot read {given.flowgraph}: there is no such file")
    if given.measure:
        import_modules()
    companion = Companion()
    search_beside(given.flowgraph)
    original = companion.read(given.flowgraph)
    conversion = Conversion(companion, original, given.flowgraph.resolve(), not given.no_banks)
    report = {**conversion.report(), "flowgraph": str(given.flowgraph), "output": None,
              "blocks_folder": companion.extra_folder}
    if any(f["now"] != f["was"] for f in report["filters"]):
        companion.write(conversion.data, output)
        report["output"] = str(output)
    if given.measure:
        report["measured"] = measure(conversion)
    return report


def show(report, as_json):
    try:
        if as_json:
            print(json.dumps(report, indent=2))
        else:
            print_report(report)
        sys.stdout.flush()
    except OSError as error:
        # The interpreter would fail again at its end, with a text of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise Failure("the output could not be written") from error


def run(given):
    output = check_output(given)
    with stdout_on_stderr():
        report = convert(given, output)
    show(report, given.json)
    if report["output"] is None:
        raise Failure(f"no filter of {given.flowgraph} could be converted, so nothing was written")


def main():
    # A name in a flowgraph, or that of its file, may have characters that cannot be encoded.
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        run(arguments())
    except BadUsage as error:
        print(f"cldsp: {error}", file=sys.stderr)
        return BAD_USAGE
    except Failure as error:
        print(f"cldsp: {error}", file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"cldsp: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
