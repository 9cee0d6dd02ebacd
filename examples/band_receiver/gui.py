# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The receiver's window: the band, the tuned channel, and a list of the busy channels."""

import signal
import sys
import time

import numpy as np
from common.frequency_dial import FrequencyDial
from common.level_meter import LevelMeter
from common.live_spectrum import LiveSpectrum
from common.outcome import CANNOT_RUN
from common.qt import STYLE, QtCore, QtWidgets, Signal, WholeRowList, label
from common.spectrum_view import SpectrumView
from gnuradio import audio, blocks, gr

from .levels import decibels

BAND_BINS, BAND_ROWS = 1024, 300
CHANNEL_BINS, CHANNEL_ROWS = 256, 150
ROWS_PER_SECOND = 20
UPDATE_S = 0.1
SLIDER_STEP_HZ = 100
STAYS_S = 2.0  # a channel stays in the list after it was busy, so that it can be clicked
LEVELS = -120, 0  # dB of full scale, the ends of meter and squelch
HELP = ("click, mouse wheel or arrows: another channel (Shift: 100 Hz);  "
        "Page Up, Down: the next busy one;  Ctrl and wheel: zoom;  M: mute")
PASSBAND = 0.84  # of the raster: where the channels' low-pass is 6 dB down


class Window(QtWidgets.QWidget):
    """
    Starts with a receiver, and adds sinks to it. A click in the band or the list tunes, and so do
    the mouse wheel and the keys.
    """

    tuned = Signal(float)  # carries a frequency from the tuner's thread to the window's thread

    def __init__(self, receiver, squelch, sound=True):
        super().__init__()
        self.receiver = receiver
        self.heard = {}  # when each busy channel was last busy
        self.setWindowTitle(f"Band receiver: {receiver.stream.name}")
        self.setStyleSheet(STYLE)
        self.tuned.connect(self._show_tuned)
        receiver.tuner.tuned = self.tuned.emit
        self._add_sinks(sound)
        self._lay_out(squelch)
        self._show_tuned(receiver.tuner.frequency)
        self.timer = QtCore.QTimer(self)
        self.timer.timeout.connect(self._refresh)
        self.timer.start(int(1000 * UPDATE_S))

    def _add_sinks(self, sound):
        receiver, band = self.receiver, self.receiver.band
        receiver.allow_tuning()
        self.band_spectrum = LiveSpectrum(band.sample_rate, BAND_BINS, ROWS_PER_SECOND,
                                          receiver.stream.sample_format)
        self.channel_spectrum = LiveSpectrum(band.channel_rate, CHANNEL_BINS, ROWS_PER_SECOND)
        receiver.connect(receiver.stream.block, self.band_spectrum)
        receiver.connect(receiver.tuned_output(), self.channel_spectrum)
        self.volume_block = blocks.multiply_const_ff(1.0)
        # The sink never waits for a sound card, because waiting would hold up the radio.
        ending = (audio.sink(band.channel_rate, "", False) if sound
                  else blocks.null_sink(gr.sizeof_float))
        receiver.connect(receiver.fm, self.volume_block, ending)

    def _lay_out(self, squelch):
        band = self.receiver.band
        self.band_view = SpectrumView(BAND_BINS, BAND_ROWS, self.band_spectrum.period)
        self.band_view.set_range(band.centre, band.sample_rate)
        self.band_view.clicked.connect(lambda hz: self.receiver.tuner.tune(band.nearest(hz)))
        self.channel_view = SpectrumView(CHANNEL_BINS, CHANNEL_ROWS, self.channel_spectrum.period,
                                         1e3, "kHz off the channel's centre")
        self.channel_view.set_range(0.0, band.channel_rate)
        self.channel_view.mark(0.0, PASSBAND * band.raster)
        self.channel_view.clicked.connect(
            lambda hz: self.receiver.tuner.tune(self.receiver.tuner.frequency + hz))
        for view in (self.band_view, self.channel_view):
            view.turned.connect(self._step)
        self.band_view.setFocusPolicy(QtCore.Qt.FocusPolicy.StrongFocus)
        self.dial = FrequencyDial()
        self.dial.changed.connect(self.receiver.tuner.tune)
        self.meter = LevelMeter(*LEVELS, squelch)
        self.busy_list = WholeRowList()
        self.busy_list.itemClicked.connect(
            lambda item: self.receiver.tuner.tune(item.data(QtCore.Qt.ItemDataRole.UserRole)))
        # The keys stay with the band after a click into the list.
        self.busy_list.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
        steps = int(band.limit() // SLIDER_STEP_HZ)
        self.slider = self._slider(-steps, steps, 0, self._slid)
        self.threshold = self._slider(*LEVELS, round(squelch), self._squelched)
        self.volume = self._slider(0, 100, 100, self._set_volume)
        self.mute = QtWidgets.QPushButton("Mute")
        self.mute.setCheckable(True)
        self.mute.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
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
        self.plan_label = label(kind="quiet")
        self.plan_label.setToolTip("What computes the channels, and the rate of the band.")

        side = QtWidgets.QVBoxLayout()
        # The squelch's slider is under the level, on the same scale.
        for widget in (self.dial, self.slider, self.level_label, self.meter, self.squelch_label,
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
        below.addStretch(1)
        below.addWidget(label(HELP, "quiet"))
        layout.addLayout(below, 1, 0, 1, 2)
        layout.setColumnStretch(0, 1)
        layout.setColumnMinimumWidth(1, 340)
        layout.setRowStretch(0, 1)
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
                   keys.Key_M: lambda: event.isAutoRepeat() or self.mute.toggle()}
        action = actions.get(event.key())
        if action:
            action()
        else:
            super().keyPressEvent(event)

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
        self.band_view.mark(frequency, PASSBAND * band.raster)
        # The slider stays if it is already near the frequency, because moving it would tune again.
        self.slider.blockSignals(True)
        self.slider.setValue(round((frequency - band.centre) / SLIDER_STEP_HZ))
        self.slider.blockSignals(False)

    def _refresh(self):
        self.band_view.add(self.band_spectrum.take())
        rows = self.channel_spectrum.take()
        self.channel_view.add(rows, self._noise_of_channel())
        if rows:
            # The window of a spectrum spreads the power of each frequency over 1.5 bins.
            self.meter.show_level(max(decibels(np.sum(10 ** (row / 10)) / 1.5) for row in rows))
        levels = self.receiver.levels
        # A voice pauses for longer than one window, and what is drawn is an average.
        power = levels.take()
        busy = power > 10 ** (levels.squelch / 10)
        state = "open" if self.receiver.fm.squelch.unmuted() else "closed"
        self.level_label.setText(f"level {self.meter.level:.0f} dBFS, squelch {state}")
        self.state_label.setText(f"{busy.sum()} of {len(busy)} channels busy")
        self.plan_label.setText(self._work())
        self._show_busy(busy, decibels(power))

    def _work(self):
        """What computes the channels, and the rate of the band, in words."""
        where = self.receiver.bank.device_name()
        where = "the processor" if where == "host" else where
        return f"computed on {where}, {self.receiver.band.sample_rate / 1e6:g} MS/s"

    def _noise_of_channel(self):
        """The noise in a bin of the channel, from that in a bin of the band, which is wider."""
        if self.band_view.spectrum is None:
            return None
        band = self.receiver.band
        bins = band.channel_rate / CHANNEL_BINS, band.sample_rate / BAND_BINS
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


def run(receiver, squelch, screenshot=None):
    """
    Show the window until it is closed or the stream ends, and then save what it shows to a PNG, if
    that is wanted.
    """
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
    saved = screenshot is None or shown.grab().save(str(screenshot))
    receiver.stop()
    receiver.wait()
    if not saved:
        print(f"error: --screenshot {screenshot} could not be written", file=sys.stderr)
        return CANNOT_RUN
    return 0
