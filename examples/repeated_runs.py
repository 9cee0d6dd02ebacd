#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Runs a program many times, for tests of its arguments. Each run is a fork of this process, which has
imported what the program imports at its beginning; so a run takes a tenth of the time of a process
that imports it all again, and is otherwise the same.

Usage: repeated_runs.py PROGRAM SECONDS; a run that takes so long is ended. Each line of the standard
input is one run, as JSON: its folder, arguments and further environment. Each line of the standard
output is its exit status, output and errors.
"""

import json
import os
import runpy
import signal
import sys
import tempfile
import traceback


def run(program, folder, arguments, environment):
    """Runs the program in this process; returns its exit status."""
    os.chdir(folder)
    os.environ.update(environment)
    sys.argv = [program, *arguments]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # as the interpreter does
        traceback.print_exc()
        return 1
    return 0


def run_apart(program, limit, request):
    """Runs the program in a fork; returns its exit status, output and errors."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(limit)
                with open(os.devnull, "rb") as nothing:
                    os.dup2(nothing.fileno(), 0)
                os.dup2(out.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                status = run(program, *request)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, errors):
            file.seek(0)
            texts.append(file.read().decode())
        return [status, *texts]


def main():
    program, limit = sys.argv[1], int(sys.argv[2])
    runpy.run_path(program, run_name="imported")
    for line in sys.stdin:
        print(json.dumps(run_apart(program, limit, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
