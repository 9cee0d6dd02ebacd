# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The monitor's window: the bars, a spectrum, and a button that tunes."""

from common.qt import QtCore, QtWidgets, Signal, widget_of
from gnuradio import qtgui
from gnuradio.fft import window

from monitor.bars import Bars, quantity

REFRESH_MS = 200
SPECTRUM_BINS = 1024


class Window(QtWidgets.QWidget):
    """Measures the rooflines first, then starts the stream."""

    started = Signal()
    tuned = Signal()  # a tuning of the stream's blocks has ended

    def __init__(self, stream, roofs):
        """roofs: probes, each of which measures a device's roofline before the stream begins."""
        super().__init__()
        self.stream, self.probe = stream, stream.probe
        self.roofs, self.measuring = list(roofs), None
        self.streaming = self.was_tuning = False
        self.setWindowTitle("Tune monitor")
        self.spectrum = qtgui.freq_sink_c(SPECTRUM_BINS, window.WIN_BLACKMAN_HARRIS, 0,
                                          stream.sample_rate, "101 taps", 1, None)
        self.spectrum.set_fft_average(0.1)
        self.spectrum.disable_legend()
        self.spectrum.set_y_axis(-80, 10)
        stream.connect(stream.filters[2], self.spectrum)
        self._lay_out()
        self.timer = QtCore.QTimer(self)
        self.timer.timeout.connect(self.refresh)
        self.timer.start(REFRESH_MS)

    def _lay_out(self):
        layout = QtWidgets.QGridLayout(self)
        self.bars = Bars()
        self.roof_label = QtWidgets.QLabel("measuring the roof")
        self.report_label = QtWidgets.QLabel()
        self.report_label.setWordWrap(True)
        self.button = QtWidgets.QPushButton("Tune")
        self.button.setEnabled(False)
        self.button.clicked.connect(self.press)
        self.progress = QtWidgets.QProgressBar()
        self.progress.setRange(0, 1000)
        layout.addWidget(self.roof_label, 0, 0, 1, 2)
        layout.addWidget(self.bars, 1, 0, 1, 2)
        layout.addWidget(widget_of(self.spectrum), 2, 0, 1, 2)
        layout.addWidget(self.button, 3, 0)
        layout.addWidget(self.progress, 3, 1)
        layout.addWidget(self.report_label, 4, 0, 1, 2)
        layout.setRowStretch(2, 1)
        layout.setColumnStretch(1, 1)
        self.resize(940, 780)

    def press(self):
        """Called by the button: starts a tuning, or stops the one that runs."""
        if self.probe.tuning():
            self.probe.stop_tuning()
        else:
            self.was_tuning = self.probe.tune()

    def refresh(self):
        """Called by the timer: updates everything that is shown."""
        if not self.streaming:
            self._measure_roofs()
            return
        self.bars.show_blocks(self.probe.block_statistics())
        tuning = self.probe.tuning()
        self.button.setText("Stop" if tuning else "Tune")
        self.progress.setValue(round(1000 * self.probe.progress()))
        self.report_label.setText(self.probe.last_report)
        if self.was_tuning and not tuning:
            self.was_tuning = False
            self.tuned.emit()

    def _measure_roofs(self):
        if self.measuring and self.measuring.tuning():
            self.progress.setValue(round(1000 * self.measuring.progress()))
            self.report_label.setText(self.measuring.last_report)
        elif self.roofs:
            self.measuring = self.roofs.pop(0)
            self.measuring.tune()
        else:
            self.streaming = True
            self.stream.start()
            self.button.setEnabled(True)
            self._show_roof()
            self.started.emit()

    def _show_roof(self):
        roof = self.probe.roofline()
        name = self.stream.filters[0].device_name()
        if roof:
            self.roof_label.setText(
                f"<b>{name}</b>: roof {quantity(roof['fp32'], 'FLOP/s')} in single precision, "
                f"memory {quantity(max(roof['global_read'], roof['global_copy']), 'B/s')}, a "
                f"kernel's start {1e6 * roof['launch_latency']:.0f} us")
        else:
            self.roof_label.setText(f"<b>{name}</b>: its roof is not known")
