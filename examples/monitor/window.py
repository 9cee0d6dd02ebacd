# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The monitor's window: the speed, the bars, a spectrum, and a button that tunes."""

import re
import time

from common.device_names import short_name
from common.live_spectrum import LiveSpectrum
from common.qt import STYLE, QtCore, QtWidgets, Signal, label
from common.spectrum_view import SpectrumView

from monitor.bars import Bars, Rate, quantity

REFRESH_MS = 100
ALL = 0.98  # the rate that the throttle lets pass is off by about 1 % in some seconds
SPECTRUM_BINS, SPECTRUM_ROWS, ROWS_PER_SECOND = 512, 120, 20


class Window(QtWidgets.QWidget):
    """Starts the stream at once, and measures the rooflines while it runs."""

    started = Signal()  # the stream runs, and the rooflines are known
    tuned = Signal()  # a tuning of the stream's blocks has ended

    def __init__(self, stream, roofs):
        """roofs: probes, each of which measures a device's roofline."""
        super().__init__()
        self.stream, self.probe = stream, stream.probe
        self.roofs, self.measuring = list(roofs), None
        self.streaming = self.ready = self.was_tuning = False
        self.setWindowTitle("Tune monitor")
        self.setStyleSheet(STYLE)
        self.spectrum = LiveSpectrum(stream.sample_rate, SPECTRUM_BINS, ROWS_PER_SECOND)
        stream.connect(stream.filters[2], self.spectrum)
        self._lay_out()
        self.timer = QtCore.QTimer(self)
        self.timer.timeout.connect(self.refresh)
        self.timer.start(REFRESH_MS)

    def _lay_out(self):
        layout = QtWidgets.QGridLayout(self)
        self.bars = Bars()
        self.view = SpectrumView(SPECTRUM_BINS, SPECTRUM_ROWS, self.spectrum.period, 1e3,
                                 "kHz, the output of the filter of 101 taps")
        self.view.set_range(0.0, self.stream.sample_rate)
        self.speed, self.speed_label = Rate(), label(kind="large")
        self.speed_label.setToolTip("Samples a second that the blocks take, of those that "
                                    "--sample-rate asks for. After a pause they take more for a "
                                    "moment, which is no rate that they keep.")
        self.roof_label = label("measuring what the devices can do at most", "quiet")
        self.report_label = label(kind="quiet")
        self.report_label.setWordWrap(True)
        self.button = QtWidgets.QPushButton("Tune")
        self.button.setEnabled(False)
        self.button.setToolTip("Tries other settings of the kernels, and takes the fastest.")
        self.button.clicked.connect(self.press)
        self.progress = QtWidgets.QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        layout.addWidget(self.speed_label, 0, 0, 1, 2)
        layout.addWidget(self.roof_label, 1, 0, 1, 2)
        layout.addWidget(self.bars, 2, 0, 1, 2)
        layout.addWidget(self.view, 3, 0, 1, 2)
        layout.addWidget(self.button, 4, 0)
        layout.addWidget(self.progress, 4, 1)
        layout.addWidget(self.report_label, 5, 0, 1, 2)
        layout.setRowStretch(3, 1)
        layout.setColumnStretch(1, 1)
        self.resize(940, 860)

    def press(self):
        """Called by the button: starts a tuning, or stops the one that runs."""
        if self.probe.tuning():
            self.probe.stop_tuning()
        else:
            self.was_tuning = self.probe.tune()

    def refresh(self):
        """Called by the timer: updates everything that is shown."""
        if not self.streaming:
            self.streaming = True
            self.stream.start()
        self._show_speed()
        self.bars.show_blocks(self.probe.block_statistics())
        self.view.add(self.spectrum.take())
        if not self.ready:
            self._measure_roofs()
            return
        self._show_roof()
        tuning = self.probe.tuning()
        self.button.setText("Stop" if tuning else "Tune")
        self.progress.setValue(round(1000 * self.probe.progress()))
        self._show_report(self.probe)
        if self.was_tuning and not tuning:
            self.was_tuning = False
            self.tuned.emit()

    def _show_speed(self):
        self.speed.add(time.monotonic(), self.stream.paced.nitems_written(0))
        speed = self.speed.value()
        if speed is not None:
            asked = self.stream.sample_rate
            self.speed_label.setText(
                f"Keeps up with {quantity(asked, 'S/s')}" if speed >= ALL * asked else
                f"Too slow: {quantity(speed, 'S/s')} of {quantity(asked, 'S/s')}")

    def _show_report(self, probe):
        # The log, which has the same texts, is ASCII.
        self.report_label.setText(re.sub(r"(?<=\d) us\b", " µs", probe.last_report))

    def _measure_roofs(self):
        if self.measuring and self.measuring.tuning():
            self.progress.setValue(round(1000 * self.measuring.progress()))
            self._show_report(self.measuring)
        elif self.roofs:
            self.measuring = self.roofs.pop(0)
            self.measuring.tune()
        else:
            self.ready = True
            self.button.setEnabled(True)
            self.started.emit()

    def _show_roof(self):
        roof = self.probe.roofline()
        # The blocks begin on the host, and some may stay there.
        devices = {block["device"] for block in self.bars.blocks} - {"host"}
        name = f"<b>{short_name(devices.pop() if devices else 'host')}</b>"
        if roof:
            memory = max(roof["global_read"], roof["global_copy"])
            self.roof_label.setText(
                f"{name} can do {quantity(roof['fp32'], 'FLOP/s')} at most (the green marks), and "
                f"move {quantity(memory, 'B/s')}; a kernel starts in "
                f"{1e6 * roof['launch_latency']:.0f} µs")
        else:
            self.roof_label.setText(f"{name}: what it can do at most could not be measured")
