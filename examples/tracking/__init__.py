# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The parts of doppler.py: orbits, Doppler curves, the signal of a pass, the picture."""
