# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shows a block in a line, with its arguments as they are now and its plan."""

import inspect

# The arguments that blocks have getters for, with their units.
_ARGUMENTS = (("decimation", ""), ("antennas", ""), ("integration", ""), ("channel", ""),
              ("taps", ""), ("codes", ""), ("A", ""), ("get_A", ""), ("center_freq", " Hz"),
              ("center_freqs", " Hz"), ("output_rates", " Hz"), ("sampling_freq", " Hz"),
              ("state", ""))
_MAX_SHOWN = 4  # numbers of a list


def _text(name, value):
    if name in ("taps", "codes", "A", "get_A"):
        if value and hasattr(value[0], "__len__"):
            columns = sorted({len(row) for row in value})
            return f"<{len(value)} x {' to '.join(map(str, columns[::len(columns) - 1 or 1]))}>"
        return f"<{len(value)} numbers>"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list):
        if len(value) > 1 and value.count(value[0]) == len(value):
            return f"[{_text(name, value[0])}] * {len(value)}"
        shown = ", ".join(_text(name, item) for item in value[:_MAX_SHOWN])
        return f"[{shown}, .. {len(value)} in all]" if len(value) > _MAX_SHOWN else f"[{shown}]"
    return str(value)


def _block_repr(block):
    parts = []
    for name, unit in _ARGUMENTS:
        getter = getattr(block, name, None)
        if getter is None or name == "decimation" and hasattr(block, "output_rates"):
            continue
        value = getter() if callable(getter) else getter
        shown = {"get_A": "A"}.get(name, name)
        parts.append(f"{shown}={_text(name, value)}{unit}")
    text = f"<{type(block).__name__}: {', '.join(parts)}"
    return text + (f"; plan: {block.plan()}>" if hasattr(block, "plan") else ">")


def add_to(names):
    """Gives the blocks among some values their repr, which else would be a name and a number."""
    for value in names:
        if inspect.isclass(value) and hasattr(value, "to_basic_block"):
            value.__repr__ = value.__str__ = _block_repr
