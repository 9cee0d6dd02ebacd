# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The receiver's window: the band above, the selected channel below."""

import signal
import sys

from common.qt import QtCore, QtWidgets, Signal, widget_of
from common.streams import FORMATS
from gnuradio import audio, blocks, gr, qtgui
from gnuradio.fft import window

BAND_BINS = 2048
CHANNEL_BINS = 512
UPDATE_S = 0.1
SLIDER_STEP_HZ = 100


class Window(QtWidgets.QWidget):
    """Starts with a receiver, and adds sinks to it. A double click or the slider tunes."""

    tuned = Signal(float)  # carries a frequency from the tuner's thread to the window's thread

    def __init__(self, receiver, squelch, sound=True):
        super().__init__()
        self.receiver = receiver
        self.setWindowTitle(f"Band receiver: {receiver.stream.name}")
        self.tuned.connect(self._show_tuned)
        receiver.tuner.tuned = self.tuned.emit
        self._add_sinks(sound)
        self._lay_out(squelch)
        self._show_tuned(receiver.tuner.frequency)
        self.timer = QtCore.QTimer(self)
        self.timer.timeout.connect(self._show_levels)
        self.timer.start(int(1000 * UPDATE_S))

    def _add_sinks(self, sound):
        receiver, band = self.receiver, self.receiver.band
        receiver.allow_tuning()
        # A filter with one tap and decimation 1 converts any kind of sample to complex numbers.
        to_complex = FORMATS[receiver.stream.sample_format].filter(
            1, [1.0], 0.0, band.sample_rate, "host")
        self.spectrum = qtgui.freq_sink_c(BAND_BINS, window.WIN_BLACKMAN_HARRIS, band.centre,
                                          band.sample_rate, "band", 1, None)
        self.spectrum.set_fft_average(0.2)
        self.spectrum.disable_legend()
        self.waterfall = qtgui.waterfall_sink_c(BAND_BINS, window.WIN_BLACKMAN_HARRIS,
                                                band.centre, band.sample_rate,
                                                "band: double click tunes", 1, None)
        self.channel = qtgui.waterfall_sink_c(CHANNEL_BINS, window.WIN_BLACKMAN_HARRIS,
                                              receiver.tuner.frequency, band.channel_rate,
                                              "channel", 1, None)
        for sink in (self.spectrum, self.waterfall, self.channel):
            sink.set_update_time(UPDATE_S)
        receiver.connect(receiver.stream.block, to_complex)
        for sink in (self.spectrum, self.waterfall):
            receiver.connect(to_complex, sink)
            receiver.msg_connect(sink, "freq", receiver.tuner, "freq")
        receiver.connect(receiver.tuned_output(), self.channel)
        # The sink never waits for a sound card, because waiting would hold up the radio.
        ending = (audio.sink(band.channel_rate, "", False) if sound
                  else blocks.null_sink(gr.sizeof_float))
        receiver.connect(receiver.fm, ending)

    def _lay_out(self, squelch):
        layout = QtWidgets.QGridLayout(self)
        widgets = [widget_of(sink) for sink in (self.spectrum, self.waterfall, self.channel)]
        self.spectrum_widget, self.waterfall_widget, self.channel_widget = widgets
        for row, widget in enumerate(widgets):
            layout.addWidget(widget, row, 0, 1, 3)
            layout.setRowStretch(row, 2 if row == 1 else 1)
        steps = int(self.receiver.band.limit() // SLIDER_STEP_HZ)
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(-steps, steps)
        self.slider.valueChanged.connect(self._slid)
        self.threshold = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.threshold.setRange(-120, 0)
        self.threshold.setValue(round(squelch))
        self.threshold.valueChanged.connect(self._squelched)
        self.tuned_label = QtWidgets.QLabel()
        self.squelch_label = QtWidgets.QLabel(f"squelch {squelch:g} dB")
        self.state_label = QtWidgets.QLabel()
        layout.addWidget(self.tuned_label, 3, 0)
        layout.addWidget(self.slider, 3, 1, 1, 2)
        layout.addWidget(self.squelch_label, 4, 0)
        layout.addWidget(self.threshold, 4, 1)
        layout.addWidget(self.state_label, 4, 2)
        layout.setColumnStretch(1, 1)
        self.resize(1100, 900)

    def _slid(self, steps):
        self.receiver.tuner.tune(self.receiver.band.centre + steps * SLIDER_STEP_HZ)

    def _squelched(self, decibels):
        self.receiver.set_squelch(float(decibels))
        self.squelch_label.setText(f"squelch {decibels} dB")

    def _show_tuned(self, frequency):
        band = self.receiver.band
        self.tuned_label.setText(f"{frequency / 1e6:.6f} MHz")
        self.channel.set_frequency_range(frequency, band.channel_rate)
        # The slider stays if it is already near the frequency, because moving it would tune again.
        self.slider.blockSignals(True)
        self.slider.setValue(round((frequency - band.centre) / SLIDER_STEP_HZ))
        self.slider.blockSignals(False)

    def _show_levels(self):
        levels = self.receiver.levels
        count = int((levels.last > 10 ** (levels.squelch / 10)).sum())
        state = "open" if self.receiver.fm.squelch.unmuted() else "closed"
        self.state_label.setText(f"{state}; {count} of {len(levels.last)} channels busy")


def _sound(receiver):
    """Whether there is a sound card that takes the channel's rate."""
    try:
        # Without a sound card, a sink that may not wait would end the process; this sink raises.
        audio.sink(receiver.band.channel_rate, "", True)
        return True
    except RuntimeError:
        print(f"no sound: no sound card takes {receiver.band.channel_rate} samples a second",
              file=sys.stderr)
        return False


def run(receiver, squelch):
    """Show the window until it is closed or the stream ends."""
    application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(sys.argv[:1])
    shown = Window(receiver, squelch, _sound(receiver))
    receiver.start()
    shown.show()

    def close(*_):
        application.quit()

    signal.signal(signal.SIGINT, close)
    signal.signal(signal.SIGTERM, close)
    ended = QtCore.QTimer()  # this timer also lets Python handle signals
    length = receiver.stream.length
    ended.timeout.connect(
        lambda: length and receiver.bank.nitems_read(0) >= length and application.quit())
    ended.start(100)
    application.exec()
    receiver.stop()
    receiver.wait()
    return 0
