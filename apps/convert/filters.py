# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Replaces the in-tree filters of a flowgraph by this module's, and those that share a source
by banks."""

import copy
import re

from banks import find_banks, insert_bank
from companion import FFT, FIR, Failure, block_named, errors

REPLACEMENTS = {"freq_xlating_fir_filter_xxx": FIR, "freq_xlating_fft_filter_ccc": FFT}


def natural_order(name):
    """Sorts filter_2 before filter_10."""
    parts = re.split(r"([0-9]+)", name)
    # Every second part is a number. It is compared as a text, because Python makes no number of
    # thousands of digits.
    return [(len(part.lstrip("0")), part.lstrip("0")) if index % 2 else part
            for index, part in enumerate(parts)]


def replace_filter(block):
    """Replaces an in-tree block of the nested data by this module's. The parameters have the same
    ids."""
    if block["id"] == "freq_xlating_fft_filter_ccc":
        block["parameters"]["type"] = "ccc"
    block["id"] = REPLACEMENTS[block["id"]]


class Conversion:
    """A flowgraph's conversion. Its members list the replaced filters, and the reasons why other
    filters were kept."""

    def __init__(self, companion, original, path, with_banks=True):
        self.companion = companion
        self.path = path
        self.original = original
        self.before = companion.load(original, path)
        self.errors_before = errors(self.before)
        names = [b["name"] for b in original["blocks"] if b["id"] in REPLACEMENTS]
        if not names:
            raise Failure(f"{path} has no frequency-xlating filter: no block has one of the ids "
                          f"{', '.join(REPLACEMENTS)}")
        if len(set(names)) < len(names):
            raise Failure(f"{path} has two filters of one name")
        self.names = sorted(names, key=natural_order)
        #: names of filters that stay as they are, and why
        self.left = {}
        #: names of filters that share a source with others, but are in no bank, and why
        self.single = {}
        self.banks = []
        if with_banks:
            self.banks, self.single = find_banks(self.before, self.names)
        self.convert()

    def convert(self):
        """Replaces the filters, and undoes each replacement that GNU Radio Companion rejects."""
        while True:
            data = copy.deepcopy(self.original)
            for block in data["blocks"]:
                if block["name"] in self.names and block["name"] not in self.left:
                    replace_filter(block)
            for bank in self.banks:
                insert_bank(data, bank)
            after = self.companion.load(data, self.path)
            if not self.take_back(after):
                break
        self.data = data
        self.after = after
        self.errors_after = errors(after)
        if self.errors_after and not self.errors_before:
            raise Failure(f"{self.path} could not be converted to a valid flowgraph: "
                          f"{self.errors_after[0]}")

    def take_back(self, after):
        """Undoes the banks and filters that the conversion has made invalid; returns whether there
        were any."""
        for bank in self.banks:
            found = new_errors(bank, block_named(after, bank.name), self.before)
            if found:
                self.banks.remove(bank)
                for channel in bank.channels:
                    self.single[channel.name] = f"a bank would not be valid: {found[0]}"
                return True
        any_left = False
        members = {channel.name for bank in self.banks for channel in bank.channels}
        for name in self.names:
            if name in self.left or name in members:
                continue
            # If the in-tree filter was invalid, ours may be invalid for the same reason.
            if errors(block_named(self.before, name)):
                continue
            found = errors(block_named(after, name))
            if found and block_named(after, name).enabled:
                self.left[name] = found[0]
                any_left = True
        return any_left

    def report(self):
        """The result of the conversion as data."""
        filters = []
        for name in self.names:
            block = block_named(self.before, name)
            entry = {"name": name, "was": block.key, "type": type_of(block),
                     "state": block.state}
            if name in self.left:
                entry.update(now=block.key, reason=self.left[name])
            else:
                entry["now"] = REPLACEMENTS[block.key]
                if name in self.single:
                    entry["reason"] = self.single[name]
            for bank in self.banks:
                for index, channel in enumerate(bank.channels):
                    if channel.name == name:
                        entry.update(now=bank.id, bank=bank.name, channel=index)
            filters.append(entry)
        return {"flowgraph": str(self.path), "filters": filters,
                "banks": [{"name": bank.name, "type": bank.type, "channels": len(bank.channels),
                           "notes": bank.notes} for bank in self.banks],
                "errors_before": self.errors_before, "errors_after": self.errors_after}


def new_errors(bank, block, before):
    """The errors of a bank. Errors of ports are left out if the filters had them before, because
    the blocks at the other end are not installed here."""
    missing = any(where.is_port for channel in bank.channels for where, _ in
                  block_named(before, channel.name).iter_error_messages())
    return [text for where, text in block.iter_error_messages()
            if not (missing and where.is_port)]


def type_of(block):
    return block.params["type"].get_value() if "type" in block.params else "ccc"
