# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The receiver's window: the band, the tuned channel, and a list of the busy channels."""

import signal
import sys
import time

import numpy as np
from common.frequency_dial import FrequencyDial
from common.help_overlay import HelpOverlay
from common.level_meter import LevelMeter
from common.live_spectrum import LiveSpectrum, bins_for
from common.outcome import CANNOT_RUN
from common.qt import STYLE, ElidedLabel, QtCore, QtWidgets, Signal, WholeRowList, label
from common.spectrum_view import ZOOM_STEP, SpectrumView
from gnuradio import audio, blocks, gr

from .controls import NO_FOCUS, GainControl, ModeControl, RecordButton
from .levels import decibels

BAND_ROWS = 300
CHANNEL_BINS, CHANNEL_ROWS = 512, 150
ROWS_PER_SECOND = 20
UPDATE_S = 0.1
SLIDER_STEP_HZ = 100
STAYS_S = 2.0  # a channel stays in the list after it was busy, so that it can be clicked
LEVELS = -120, 0  # dB of full scale, the ends of meter and squelch
CHANNEL_SECTION = 4  # the part of the channel that is shown at first, in passbands
HINT = "click, wheel, arrows: another channel;  H: all keys"
HELP = (("click", "tune to the channel there"),
        ("wheel, ← →", f"the next channel; with Shift {SLIDER_STEP_HZ} Hz"),
        ("Page Up, Page Down", "the next busy channel"),
        ("Ctrl and wheel, + −", "zoom"),
        ("drag the axis, or with the right button", "move along the axis"),
        ("0, double click on the axis", "the whole band"),
        ("drag an end of the passband", "its width"),
        ("N, A, U, L", "the mode: NFM, AM, USB, LSB"),
        ("wheel on the dB, or on the seconds", "the nearer end of the levels, or of the colours"),
        ("double click on them", "levels that follow the signal again"),
        ("P", "hold the peaks of the spectrum"),
        ("V", "average the spectrum over more rows, or fewer"),
        ("M", "silence the sound"),
        ("R", "record it"))


class Window(QtWidgets.QWidget):
    """
    Starts with a receiver, and adds sinks to it. A click in the band or the list tunes, and so do
    the mouse wheel and the keys. Recordings go to a folder.
    """

    tuned = Signal(float)  # carries a frequency from the tuner's thread to the window's thread

    def __init__(self, receiver, squelch, folder, sound=True):
        super().__init__()
        self.receiver = receiver
        self.heard = {}  # when each busy channel was last busy
        self.setWindowTitle(f"Band receiver: {receiver.stream.name}")
        self.setStyleSheet(STYLE)
        self.tuned.connect(self._show_tuned)
        receiver.tuner.tuned = self.tuned.emit
        self._add_sinks(sound)
        self._lay_out(squelch, folder)
        self._show_tuned(receiver.tuner.frequency)
        self._show_passband(True)
        self.timer = QtCore.QTimer(self)
        self.timer.timeout.connect(self._refresh)
        self.timer.start(int(1000 * UPDATE_S))

    def _add_sinks(self, sound):
        receiver, band = self.receiver, self.receiver.band
        receiver.allow_tuning()
        self.band_spectrum = LiveSpectrum(band.sample_rate, bins_for(band.sample_rate),
                                          ROWS_PER_SECOND, receiver.stream.sample_format)
        self.channel_spectrum = LiveSpectrum(band.channel_rate, CHANNEL_BINS, ROWS_PER_SECOND)
        receiver.connect(receiver.stream.block, self.band_spectrum)
        receiver.connect(receiver.tuned_output(), self.channel_spectrum)
        self.volume_block = blocks.multiply_const_ff(1.0)
        # The sink never waits for a sound card, because waiting would hold up the radio.
        ending = (audio.sink(band.channel_rate, "", False) if sound
                  else blocks.null_sink(gr.sizeof_float))
        receiver.connect(receiver.demodulator, self.volume_block, ending)

    def _lay_out(self, squelch, folder):
        band = self.receiver.band
        self.mode = ModeControl(self.receiver.demodulator)
        self.mode.changed.connect(self._show_passband)
        self.record = RecordButton(self.receiver.recorder, folder, self.receiver.tuner)
        self.band_view = SpectrumView(self.band_spectrum.bins, BAND_ROWS,
                                      self.band_spectrum.period)
        self.band_view.set_range(band.centre, band.sample_rate)
        self.band_view.clicked.connect(lambda hz: self.receiver.tuner.tune(band.nearest(hz)))
        self.channel_view = SpectrumView(CHANNEL_BINS, CHANNEL_ROWS, self.channel_spectrum.period,
                                         1e3, "kHz off the channel's centre")
        self.channel_view.set_range(0.0, band.channel_rate)
        self.channel_view.clicked.connect(
            lambda hz: self.receiver.tuner.tune(self.receiver.tuner.frequency + hz))
        for view in (self.band_view, self.channel_view):
            view.turned.connect(self._step)
            view.dragged.connect(self.mode.drag)
        self.band_view.setFocusPolicy(QtCore.Qt.FocusPolicy.StrongFocus)
        self.dial = FrequencyDial()
        self.dial.changed.connect(self.receiver.tuner.tune)
        self.meter = LevelMeter(*LEVELS, squelch)
        self.busy_list = WholeRowList()
        self.busy_list.itemClicked.connect(
            lambda item: self.receiver.tuner.tune(item.data(QtCore.Qt.ItemDataRole.UserRole)))
        self.busy_list.setFocusPolicy(NO_FOCUS)
        steps = int(band.limit() // SLIDER_STEP_HZ)
        self.slider = self._slider(-steps, steps, 0, self._slid)
        self.threshold = self._slider(*LEVELS, round(squelch), self._squelched)
        self.volume = self._slider(0, 100, 100, self._set_volume)
        self.mute = QtWidgets.QPushButton("Mute")
        self.mute.setCheckable(True)
        self.mute.setFocusPolicy(NO_FOCUS)
        self.mute.setToolTip("Silences the sound, and nothing else. The key is M.")
        self.mute.toggled.connect(self._set_volume)
        self.meter.clicked.connect(lambda level: self.threshold.setValue(round(level)))
        for slider, tip in ((self.slider, f"Tunes, in steps of {SLIDER_STEP_HZ} Hz."),
                            (self.threshold, "The level above which a channel is heard, in dB of "
                             "full scale."),
                            (self.volume, "The volume in % of the loudest.")):
            slider.setToolTip(tip)
        self.busy_list.setToolTip("Channels that are busy or were a moment ago. A click tunes.")
        self.level_label, self.state_label = label(kind="quiet"), label(kind="quiet")
        self.squelch_label = label(f"squelch {squelch:g} dBFS", "quiet")
        self.volume_label = label("volume 100 %", "quiet")
        self.plan_label = label(kind="quiet", make=ElidedLabel)
        self.plan_label.setToolTip("What computes the channels, and the rate of the band.")
        self.file_label = label(kind="alarm", make=ElidedLabel)  # in place of the plan
        self.help_label = label(HINT, "quiet", ElidedLabel)
        self.failure_label = label(kind="alarm", make=ElidedLabel)  # in place of the help

        side = QtWidgets.QVBoxLayout()
        first = QtWidgets.QHBoxLayout()
        first.addWidget(self.mode, 1)
        first.addWidget(self.record)
        side.addWidget(self.dial)
        side.addWidget(self.slider)
        side.addLayout(first)
        if self.receiver.stream.gain:
            side.addWidget(GainControl(self.receiver.stream.gain))
        # The squelch's slider is under the level, on the same scale.
        for widget in (self.level_label, self.meter, self.squelch_label,
                       self.threshold, self.volume_label):
            side.addWidget(widget)
        sound = QtWidgets.QHBoxLayout()
        sound.addWidget(self.volume, 1)
        sound.addWidget(self.mute)
        side.addLayout(sound)
        side.addSpacing(8)
        side.addWidget(self.state_label)
        side.addWidget(self.busy_list, 3)
        side.addWidget(self.channel_view, 3)
        layout = QtWidgets.QGridLayout(self)
        layout.addWidget(self.band_view, 0, 0)
        layout.addLayout(side, 0, 1)
        below = QtWidgets.QHBoxLayout()
        below.addWidget(self.plan_label)
        below.addWidget(self.file_label)
        below.addStretch(1)
        below.addWidget(self.help_label)
        below.addWidget(self.failure_label)
        layout.addLayout(below, 1, 0, 1, 2)
        layout.setColumnStretch(0, 1)
        layout.setColumnMinimumWidth(1, 340)
        layout.setRowStretch(0, 1)
        self.help = HelpOverlay(self, HELP)
        self.resize(1300, 820)
        self.band_view.setFocus()

    @staticmethod
    def _slider(least, most, value, changed):
        slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        slider.setRange(least, most)
        slider.setValue(value)
        slider.valueChanged.connect(changed)
        return slider

    def _step(self, count, small=False):
        """Tune by a number of channels, or of small steps."""
        band, tuner = self.receiver.band, self.receiver.tuner
        if small:
            tuner.tune(tuner.frequency + count * SLIDER_STEP_HZ)
        else:
            tuner.tune(band.nearest(tuner.frequency + count * band.raster))

    def _next_busy(self, direction):
        """Tune to the next channel of the list in a direction; after the last comes the first."""
        role = QtCore.Qt.ItemDataRole.UserRole
        listed = [self.busy_list.item(row).data(role) for row in range(self.busy_list.count())]
        if listed:
            now = self.receiver.tuner.frequency
            ahead = [f for f in listed if (f - now) * direction > 1] or listed
            self.receiver.tuner.tune(min(ahead, key=lambda f: f * direction))

    def keyPressEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when a key is pressed that no widget took."""
        keys = QtCore.Qt.Key
        small = bool(event.modifiers() & QtCore.Qt.KeyboardModifier.ShiftModifier)
        actions = {keys.Key_Left: lambda: self._step(-1, small),
                   keys.Key_Right: lambda: self._step(1, small),
                   keys.Key_PageDown: lambda: self._next_busy(-1),
                   keys.Key_PageUp: lambda: self._next_busy(1),
                   # A key that is held down repeats itself.
                   keys.Key_M: lambda: event.isAutoRepeat() or self.mute.toggle(),
                   keys.Key_R: lambda: event.isAutoRepeat() or self.record.toggle(),
                   keys.Key_P: lambda: event.isAutoRepeat() or self._toggle_peaks(),
                   keys.Key_V: self._next_average,
                   keys.Key_0: self._show_all,
                   keys.Key_Plus: lambda: self._zoom(ZOOM_STEP),
                   keys.Key_Equal: lambda: self._zoom(ZOOM_STEP),  # a plus without Shift
                   keys.Key_Minus: lambda: self._zoom(1 / ZOOM_STEP),
                   keys.Key_H: self.help.toggle,
                   keys.Key_Question: self.help.toggle,
                   keys.Key_Escape: self.help.hide}
        action = actions.get(event.key())
        if action:
            action()
        elif not self.mode.key(event.text().upper()):
            super().keyPressEvent(event)

    def resizeEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the window has another size."""
        super().resizeEvent(event)
        self.help.place()

    def _zoom(self, factor):
        self.band_view.zoom(factor, self.receiver.tuner.frequency)

    def _show_all(self):
        self.band_view.show_all()
        self._show_channel()

    def _toggle_peaks(self):
        held = self.band_view.peaks is None
        for view in (self.band_view, self.channel_view):
            view.hold_peaks(held)

    def _next_average(self):
        for view in (self.band_view, self.channel_view):
            view.next_average()

    def _slid(self, steps):
        self.receiver.tuner.tune(self.receiver.band.centre + steps * SLIDER_STEP_HZ)

    def _squelched(self, level):
        self.receiver.set_squelch(float(level))
        self.meter.set_threshold(level)
        self.squelch_label.setText(f"squelch {level} dBFS")

    def _set_volume(self, _changed):
        percent, muted = self.volume.value(), self.mute.isChecked()
        # Equal steps of the slider sound alike.
        self.volume_block.set_k(0.0 if muted else (percent / 100) ** 2)
        self.volume_label.setText(f"volume {percent} %" + (", muted" if muted else ""))

    def _show_tuned(self, frequency):
        band = self.receiver.band
        self.dial.show_frequency(frequency)
        self.band_view.mark(frequency, *self.receiver.demodulator.passband())
        if self.channel_view.peaks is not None:
            self.channel_view.hold_peaks(True)  # of the other channel, from now on
        # The slider stays if it is already near the frequency, because moving it would tune again.
        self.slider.blockSignals(True)
        self.slider.setValue(round((frequency - band.centre) / SLIDER_STEP_HZ))
        self.slider.blockSignals(False)

    def _show_passband(self, new_mode):
        ends = self.receiver.demodulator.passband()
        self.band_view.mark(self.receiver.tuner.frequency, *ends)
        self.channel_view.mark(0.0, *ends)
        if new_mode:  # while an end is dragged, the axis stays
            self._show_channel()

    def _show_channel(self):
        """Show the passband and what is beside it."""
        reach = max(abs(end) for end in self.receiver.demodulator.passband())
        self.channel_view.show_section(0.0, CHANNEL_SECTION * 2 * reach)

    def _refresh(self):
        self.band_view.add(self.band_spectrum.take())
        rows = self.channel_spectrum.take()
        self.channel_view.add(rows, self._noise_of_channel())
        if rows:
            heard = self._heard_bins()
            # The window of a spectrum spreads the power of each frequency over 1.5 bins.
            self.meter.show_level(max(decibels(np.sum(10 ** (row[heard] / 10)) / 1.5)
                                      for row in rows))
        levels = self.receiver.levels
        # A voice pauses for longer than one window, and what is drawn is an average.
        power = levels.take()
        busy = power > 10 ** (levels.squelch / 10)
        state = "open" if self.receiver.demodulator.squelch.unmuted() else "closed"
        self.level_label.setText(f"level {self.meter.level:.0f} dBFS, squelch {state}")
        self.state_label.setText(f"{busy.sum()} of {len(busy)} channels busy")
        self.plan_label.setText(self._work())
        self._show_recording()
        self._show_busy(busy, decibels(power))

    def _show_recording(self):
        """The button's time, and below the window the file, or why it could not be written."""
        self.record.refresh()
        recorder = self.receiver.recorder
        path = recorder.path
        for shown, other, text in ((self.file_label, self.plan_label, path.name if path else ""),
                                   (self.failure_label, self.help_label, recorder.failure or "")):
            shown.setText(text)
            shown.setVisible(bool(text))
            other.setVisible(not text)

    def _work(self):
        """What computes the channels, and the rate of the band, in words."""
        where = self.receiver.bank.device_name()
        where = "the processor" if where == "host" else where
        return f"computed on {where}, {self.receiver.band.sample_rate / 1e6:g} MS/s"

    def _heard_bins(self):
        """Which bins of the channel's spectrum are in the passband."""
        low, high = self.receiver.demodulator.passband()
        bin_hz = self.receiver.band.channel_rate / CHANNEL_BINS
        frequencies = (np.arange(CHANNEL_BINS) - CHANNEL_BINS // 2) * bin_hz
        return (frequencies > low - bin_hz / 2) & (frequencies < high + bin_hz / 2)

    def _noise_of_channel(self):
        """The noise in a bin of the channel, from that in a bin of the band, which is wider."""
        if self.band_view.spectrum is None:
            return None
        band = self.receiver.band
        bins = band.channel_rate / CHANNEL_BINS, band.sample_rate / self.band_spectrum.bins
        return np.median(self.band_view.spectrum) + 10 * np.log10(bins[0] / bins[1])

    def _show_busy(self, busy, level):
        now = time.monotonic()
        band = self.receiver.band
        for channel, is_busy in zip(band.channels, busy):
            if is_busy:
                self.heard[channel.number] = now
        shown = [(k, c) for k, c in enumerate(band.channels)
                 if now - self.heard.get(c.number, -STAYS_S) < STAYS_S]
        role = QtCore.Qt.ItemDataRole.UserRole
        frequencies = [self.busy_list.item(row).data(role) for row in range(self.busy_list.count())]
        # Texts change in place, so that the list does not move under the mouse.
        if frequencies != [c.frequency for _, c in shown]:
            self.busy_list.clear()
            for _, channel in shown:
                item = QtWidgets.QListWidgetItem()
                item.setData(role, channel.frequency)
                self.busy_list.addItem(item)
            self.busy_list.fit()
        for row, (k, channel) in enumerate(shown):
            item = self.busy_list.item(row)
            item.setText(f"{channel.frequency / 1e6:.4f} MHz   "
                         + (f"{level[k]:.0f} dBFS" if busy[k] else "quiet"))
            item.setSelected(abs(channel.frequency - self.receiver.tuner.frequency) < 1)
        half = band.raster / 2
        self.band_view.mark_busy([(c.frequency - half, c.frequency + half) for k, c in shown
                                  if busy[k]])


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


def run(receiver, squelch, folder, screenshot=None):
    """
    Show the window until it is closed or the stream ends, and then save what it shows to a PNG, if
    that is wanted. Recordings go to a folder.
    """
    application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(sys.argv[:1])
    shown = Window(receiver, squelch, folder, _sound(receiver))
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
    saved = screenshot is None or shown.grab().save(str(screenshot))
    receiver.stop()
    receiver.wait()
    receiver.recorder.close()
    if not saved:
        print(f"error: --screenshot {screenshot} could not be written", file=sys.stderr)
        return CANNOT_RUN
    return 0
