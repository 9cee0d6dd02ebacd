#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Takes a picture of the window of a flowgraph that runs:
flowgraph_window.py FLOWGRAPH.grc WIDTH HEIGHT SECONDS PICTURE.png
Qt needs no display if QT_QPA_PLATFORM is offscreen.
"""

import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

from PyQt5 import Qt

flowgraph, picture = pathlib.Path(sys.argv[1]), sys.argv[5]
width, height, seconds = map(int, sys.argv[2:5])
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["grcc", "-o", folder, flowgraph], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, folder)
    program = importlib.import_module(flowgraph.stem)
application = Qt.QApplication([])
window = getattr(program, flowgraph.stem)()
program.snippets_main_after_init(window)
window.resize(width, height)
window.start()
window.show()


def take():
    done = window.grab().save(picture)
    window.stop()
    window.wait()
    # Qt and Python would destroy the widgets in any order, which now and then crashes.
    os._exit(0 if done else 1)


Qt.QTimer.singleShot(1000 * seconds, take)
application.exec_()
