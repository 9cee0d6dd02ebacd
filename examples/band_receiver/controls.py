# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The window's controls of mode and width, of the recording, and of the radio's gain."""

from common.qt import QtCore, QtWidgets, Signal, label

from .modes import MODES
from .recorder import new_path

STEPS_PER_DB = 10
NO_FOCUS = QtCore.Qt.FocusPolicy.NoFocus  # the keys stay with the band


class ModeControl(QtWidgets.QWidget):
    """A list of the modes, and one of the mode's widths. A mode's first letter is its key."""

    changed = Signal(bool)  # passband; and whether the mode is another one, too

    def __init__(self, demodulator):
        super().__init__()
        self.demodulator = demodulator
        self.modes, self.widths = QtWidgets.QComboBox(), QtWidgets.QComboBox()
        for mode in MODES:
            self.modes.addItem(mode.name.upper())
        self.modes.activated.connect(lambda row: self.set_mode(MODES[row]))
        self.widths.activated.connect(lambda row: self.set_width(self.widths.itemData(row)))
        letters = ", ".join(mode.name[0].upper() for mode in MODES)
        self.modes.setToolTip(f"How the tuned channel becomes sound. The keys are {letters}.")
        self.widths.setToolTip("The width of what is heard. The mouse also drags the ends of the "
                               "marked passband.")
        layout = QtWidgets.QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for box in (self.modes, self.widths):
            box.setFocusPolicy(NO_FOCUS)
            # Only with this delegate the style's height of rows counts.
            box.setItemDelegate(QtWidgets.QStyledItemDelegate(box))
            layout.addWidget(box, 1)
        self._show()

    def set_mode(self, mode):
        self.demodulator.set_mode(mode)
        self._show()
        self.changed.emit(True)

    def set_width(self, width):
        self.demodulator.set_width(width)
        self._show()
        self.changed.emit(False)

    def drag(self, end):
        """Make the passband reach to an end in Hz from the tuned frequency."""
        self.set_width(round(self.demodulator.mode.width_to(end), -1))

    def key(self, letter):
        """Set the mode of a key; returns False if there is none."""
        mode = next((m for m in MODES if m.name[0].upper() == letter), None)
        if mode:
            self.set_mode(mode)
        return mode is not None

    def _show(self):
        mode, width = self.demodulator.mode, self.demodulator.width
        self.modes.setCurrentIndex(MODES.index(mode))
        widest = mode.widest(self.demodulator.channel_rate)
        offered = sorted({width, *(w for w in mode.widths if w <= widest)})
        self.widths.clear()
        for each in offered:
            self.widths.addItem(f"{each / 1e3:g} kHz", each)
        self.widths.setCurrentIndex(offered.index(width))


class RecordButton(QtWidgets.QPushButton):
    """Records while it is down, and shows for how long. To be refreshed some times a second."""

    def __init__(self, recorder, folder, tuner):
        super().__init__()
        self.recorder, self.folder, self.tuner = recorder, folder, tuner
        self.setProperty("alarm", True)
        self.setCheckable(True)
        self.setFocusPolicy(NO_FOCUS)
        self.setToolTip("Records the sound in a WAV file, also while it is muted. The key is R.")
        self.toggled.connect(self._toggled)
        self.refresh()

    def _toggled(self, down):
        if down:
            self.recorder.begin(new_path(self.folder, self.tuner.frequency))
        else:
            self.recorder.close()
        self.refresh()

    def refresh(self):
        path = self.recorder.path
        # A recording may have failed.
        self.blockSignals(True)
        self.setChecked(path is not None)
        self.blockSignals(False)
        minutes, seconds = divmod(int(self.recorder.seconds), 60)
        self.setText(f"\u25cf {minutes}:{seconds:02d}" if path else "Record")


class GainControl(QtWidgets.QWidget):
    """The gain of a radio: a slider, and a button that makes it automatic."""

    def __init__(self, gain):
        super().__init__()
        self.gain = gain
        self.label = label(kind="quiet")
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(round(gain.least * STEPS_PER_DB), round(gain.most * STEPS_PER_DB))
        self.slider.setPageStep(STEPS_PER_DB)
        self.slider.setValue(round(gain.value() * STEPS_PER_DB))
        self.slider.setToolTip("The gain of the radio in dB.")
        self.automatic = QtWidgets.QPushButton("Auto")
        self.automatic.setCheckable(True)
        self.automatic.setChecked(gain.automatic())
        self.automatic.setFocusPolicy(NO_FOCUS)
        self.automatic.setToolTip("Leaves the gain to the radio.")
        self.slider.valueChanged.connect(self._slid)
        self.automatic.toggled.connect(self._toggled)
        layout = QtWidgets.QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.label, 0, 0, 1, 2)
        layout.addWidget(self.slider, 1, 0)
        if gain.has_automatic:
            layout.addWidget(self.automatic, 1, 1)
        layout.setColumnStretch(0, 1)
        self._show()

    def _slid(self, steps):
        # The ends of the range need not be whole steps.
        self.gain.set(min(self.gain.most, max(self.gain.least, steps / STEPS_PER_DB)))
        self.automatic.blockSignals(True)
        self.automatic.setChecked(False)
        self.automatic.blockSignals(False)
        self._show()

    def _toggled(self, automatic):
        if automatic:
            self.gain.set_automatic()
            self._show()
        else:
            self._slid(self.slider.value())

    def _show(self):
        self.label.setText("gain automatic" if self.gain.automatic()
                           else f"gain {self.gain.value():g} dB")
