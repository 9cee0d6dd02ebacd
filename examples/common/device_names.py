# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Short names of devices and processors, for pictures and windows."""

import re

# PoCL puts its driver and LLVM's name of the processor before the processor's own name.
POCL = re.compile(r"(?:pthread|cpu|cpu-minimal|basic)-"
                  r"(?:(?:[a-z0-9_.-]+?-)?(?=[A-Z]|\d+th )|[a-z0-9_.-]+$)")
NOISE = re.compile(r"\((?:R|TM|C)\)|\([^()]*,[^()]*\)|\b(?:\d+-Core )?Processor\b|\bCPU\b|"
                   r"@ *[\d.]+ *GHz", re.IGNORECASE)


def short_name(name):
    """The name without what its maker and its driver add, such as "Intel Xeon"; of PoCL's devices
    with a word on that."""
    found = POCL.match(name)
    own = name[found.end():] if found else name
    short = " ".join(NOISE.sub(" ", own).split())
    if found:
        return f"PoCL on {short}" if short else "PoCL"
    return short or name


def short_names(devices, processor):
    """The devices and then the processor, each once: PoCL on the same processor is just PoCL."""
    processor = short_name(processor)
    names = [short_name(device) for device in devices]
    return [*("PoCL" if name == f"PoCL on {processor}" else name for name in dict.fromkeys(names)),
            processor]
