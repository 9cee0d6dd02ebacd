# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The parts of beamformer.py: an array that follows a moving source."""
