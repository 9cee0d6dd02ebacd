# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tells in words what is wrong with the parameters of a block in GNU Radio Companion.

Each description of a block in grc/ has an assertion that calls a function of this file with all
values of the block. Where an assertion does not hold, Companion shows its source code. So
these functions add a sentence for each fault to the block themselves, and hold. Only where they
find no block do they not hold; their names are what Companion then shows. A value that is no
number, or that cannot be evaluated, is not told a second time, since Companion has words for it.
"""

import numbers
import sys

#: The first assertion of each block. Companion passes over imports that fail.
module_is_found = True

_MAX_LENGTH = 100  # of a line
_MAX_CHANNELS = 65536


def collects_docstrings():
    """This is the program in which Companion collects the docstrings of a module. Below the text
    of a block from grc/, which is complete, Companion would show those of all classes whose names
    fit, one after the other and in lines that end early: 22 of them for a filter."""
    program = sys.modules.get("__worker__")
    return (getattr(program, "__file__", None) or "").endswith("extract_docs.py")


def _checked_block():
    """The block that Companion is checking; None: there is none. It passes the block to no
    expression, so that it is looked up in the functions that are running."""
    frame = sys._getframe(1)
    while frame:
        found = frame.f_locals.get("self")
        if getattr(found, "is_block", False) and hasattr(found, "add_error_message"):
            return found
        frame = frame.f_back
    return None


def _listed(words):
    words = list(words)
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _is_list(value):
    return hasattr(value, "__len__") and not isinstance(value, (str, dict))


def _numbers(value):
    """A NumPy array of one dimension. ValueError or TypeError: the value is no list of numbers."""
    import numpy

    array = numpy.asarray(value if hasattr(value, "dtype") else list(value))
    if array.ndim != 1 or array.dtype.kind not in "biufc":
        raise TypeError
    return array


def _lists_of_numbers(value):
    """The lists of numbers in a list of them, or in a list of one; none of them may be empty."""
    arrays = [_numbers(each) for each in (value if _is_list(value[0]) else [value])]
    return arrays if all(len(array) for array in arrays) else None


def _finite(arrays):
    import numpy

    return all(numpy.isfinite(array).all() for array in arrays)


def _is_whole(value, lowest, highest=float("inf")):
    return value == int(value) and lowest <= value <= highest


class _Check:
    """The values of a block, and the faults that were found in them."""

    def __init__(self, values):
        self._values = values
        self._block = _checked_block()
        self._parameters = self._block.params if self._block else {}
        #: the parameters that are wrong; those that Companion has words for among them
        self._wrong = {key for key, parameter in self._parameters.items()
                       if next(iter(parameter.iter_error_messages()), None)}
        self._faults = []

    def __getitem__(self, key):
        return self._values[key]

    def label(self, key):
        parameter = self._parameters.get(key)
        return parameter.name.split(" (")[0] if parameter else key

    def options(self, key):
        parameter = self._parameters.get(key)
        return list(parameter.options) if parameter else []

    def is_blank(self, key):
        """Nothing is entered in Companion."""
        parameter = self._parameters.get(key)
        return bool(parameter) and parameter.get_value() == ""

    def is_wired(self):
        """A stream is connected to the block in Companion."""
        return bool(self._block) and any(
            next(iter(port.connections(enabled=True)), None)
            for port in [*self._block.sinks, *self._block.sources] if port.domain == "stream")

    def right(self, *keys):
        return self._wrong.isdisjoint(keys)

    def fault(self, key, text):
        """Adds a sentence about a parameter, which is cut where it is too long for a line."""
        line = f"{self.label(key)}: {text}"
        self._faults.append(line if len(line) <= _MAX_LENGTH else line[:_MAX_LENGTH - 2] + "..")
        self._wrong.add(key)

    def demand(self, key, wanted, is_right):
        """Adds the sentence "enter (wanted)", unless the value is right. Returns is_right(value),
        which may throw where it is not, or None."""
        if not self.right(key):
            return None
        value = self._values[key]
        try:
            if result := is_right(value):
                return result
        except Exception:  # such as a comparison of a text with a number
            pass
        shown = "" if value is None or _is_list(value) or value == "" else f", not {value!r}"
        text = f"enter {wanted}"
        fits = len(self.label(key)) + 2 + len(text) + len(shown) <= _MAX_LENGTH
        self.fault(key, text + (shown if fits else ""))
        return None

    def whole(self, key, lowest, highest=float("inf")):
        to = " or more" if highest == float("inf") else f" to {highest}"
        self.demand(key, f"a whole number, {lowest}{to}",
                    lambda value: _is_whole(value, lowest, highest))

    def between(self, key, lowest, highest, unit=""):
        self.demand(key, f"a number, {lowest} to {highest}{unit}",
                    lambda value: lowest <= value <= highest)

    def one_of(self, key, *words):
        self.demand(key, _listed(words), lambda value: value in words)

    def device(self):
        self.demand("device", f"{_listed(self.options('device') or ['auto'])}, or a device's name",
                    lambda value: value.strip())

    def variant(self, names, host):
        """Checks a kernel's name against all that there are, and against the device."""
        self.demand("variant", "auto or a name of the list",
                    lambda value: value == "auto" or value in names)
        if self.right("variant", "device") and self["variant"] != "auto" and \
                self["device"] in ("host", "gpu", "gpus", "cpu") and \
                (self["device"] == "host") != (self["variant"] in host):
            self.fault("variant", f"{self['variant']} does not run on the "
                       f"{self.label('device')} {self['device']}; choose auto")

    def plan(self):
        self.one_of("plan", "auto", "wait")

    def end(self):
        """What the assertion's value is."""
        if self._block:
            for fault in self._faults:
                self._block.add_error_message(fault)
            return True
        return not self._faults


########################################################################
# Filters
########################################################################

def _check_rate(check):
    check.demand("samp_rate", "a rate in Hz above 0", lambda value: 0 < value < float("inf"))


def _check_engine(check):
    """The parameters that choose a filter's engine."""
    from . import cldsp_python as module

    variants = {v["name"]: v for v in module.list_variants()}
    check.between("accuracy", 0, 0.1)
    check.between("latency", 0, 10, " seconds")
    check.device()
    check.plan()
    check.one_of("algorithm", "auto", "direct", "fast_convolution")
    check.one_of("transfer", "auto", "copy", "mapped", "zero_copy")
    check.variant(variants, {name for name, v in variants.items() if v["host"]})
    if not check.right("variant", "algorithm") or check["variant"] == "auto":
        return
    variant = variants[check["variant"]]
    if not variant["production"] and check["type"] not in ("ccc", "ccf"):
        check.fault("variant", f"{variant['name']} takes complex items only; choose auto")
    elif check["algorithm"] not in ("auto", variant["algorithm"]):
        check.fault("variant", f"{variant['name']} is for the {check.label('algorithm')} "
                    f"{variant['algorithm']}; choose auto")


def _taps(check, wanted, lists):
    """The lists of numbers that lists() finds in the taps, or None. A block that has just been
    dropped has no taps, which is no fault until it is wired."""
    if check.is_blank("taps") and not check.is_wired():
        return None
    taps = check.demand("taps", wanted, lists)
    if taps and not _finite(taps):
        check.fault("taps", "enter finite numbers")
    return taps


def _check_one_channel(check):
    check.whole("decim", 1)
    _check_rate(check)
    _taps(check, "a list of numbers", lambda value: _lists_of_numbers([value]))
    check.demand("center_freq", "a frequency in Hz", lambda value: abs(value) < float("inf"))


def filter_is_right(values):
    """Of the filters for one channel."""
    check = _Check(values)
    _check_one_channel(check)
    if "nthreads" in values:
        check.whole("samp_delay", 0)
        check.whole("nthreads", 1)
    _check_engine(check)
    if check.right("variant", "decim") and check["variant"] == "four_step" and check["decim"] != 1:
        check.fault("variant", f"four_step needs a {check.label('decim')} of 1; choose auto")
    return check.end()


def volk_filter_is_right(values):
    check = _Check(values)
    _check_one_channel(check)
    return check.end()


def _check_rates(check, slots):
    """Decimations and output rates, each a number for all slots or a list with one for each."""
    for key, wanted in (("decim", "a whole number"), ("output_rate", "a rate in Hz")):
        check.demand(key, f"{wanted}, or a list with one for each of the {slots} outputs",
                     lambda value: not isinstance(value, str) and
                     (not _is_list(value) or len(value) in (1, slots)) and
                     all(v == v + 0 for v in (value if _is_list(value) else [value])))
    if not check.right("decim", "output_rate", "samp_rate"):
        return

    def each(value):
        value = value if _is_list(value) else [value]
        return list(value) * slots if len(value) == 1 else list(value)

    rate = check["samp_rate"]
    for decimation, output_rate in zip(each(check["decim"]), each(check["output_rate"])):
        if output_rate != rate and not 0 <= output_rate <= 0.9 * rate:
            check.fault("output_rate", f"enter {0.9 * rate:.10g} Hz or less, "
                        f"{rate:.10g} Hz, or 0, not {output_rate!r}")
        elif decimation < 0 or decimation != int(decimation):
            check.fault("decim", f"enter a whole number, 1 or more, not {decimation!r}")
        elif not decimation and not output_rate:
            check.fault("decim", f"enter 1 or more, or an {check.label('output_rate')}")
        # A decimation of 1, which nobody has touched, gives way to an output rate.
        elif decimation > 1 and output_rate and abs(rate / output_rate - decimation) >= \
                1e-14 * decimation:
            check.fault("output_rate", f"{output_rate:.10g} Hz is not that of the "
                        f"{check.label('decim')} {decimation}; set one of them to 0")
        elif check.right("variant") and check["variant"] == "four_step" and \
                (output_rate != rate if output_rate else decimation != 1):
            check.fault("variant", f"four_step needs a {check.label('decim')} of 1; choose auto")
        else:
            continue
        return


def bank_is_right(values):
    check = _Check(values)
    _check_rate(check)
    check.demand("center_freqs", "a list of frequencies in Hz, one for each channel",
                 lambda value: _finite(_lists_of_numbers([value])))
    check.whole("max_channels", 0, _MAX_CHANNELS)
    slots = channels = len(check["center_freqs"]) if check.right("center_freqs") else 0
    if check.right("center_freqs", "max_channels") and check["max_channels"]:
        slots = check["max_channels"]
        if slots < channels:
            check.fault("max_channels", f"enter 0, or {channels} or more, the number of "
                        f"{check.label('center_freqs')}")
    _check_engine(check)
    if channels and check.right("max_channels"):
        _check_rates(check, slots)
    taps = _taps(check, "a list of numbers, or a list of such lists, one for each channel",
                 _lists_of_numbers)
    if taps and check.right("taps"):
        if channels and len(taps) not in (1, channels):
            check.fault("taps", f"enter one list, or {channels} lists, one for each channel")
        elif check["type"][-1] != "c" and any(array.dtype.kind == "c" for array in taps):
            check.fault("taps", f"enter real numbers, or choose a {check.label('type')} with "
                        "complex taps")
    return check.end()


def tuner_is_right(values):
    check = _Check(values)
    check.whole("channel", 0, _MAX_CHANNELS - 1)
    return check.end()


########################################################################
# Matrices
########################################################################

def _check_product(check):
    """The parameters of a product with a matrix."""
    from . import cldsp_python as module

    variants = module.list_gemm_variants()
    element = {"float": "f32", "complex": "c32", "byte": "s8"}[check["type"]]
    check.demand("A", "a list of rows of numbers, all rows of one length",
                 lambda A: len(A) and len(A[0]) and all(len(row) == len(A[0]) for row in A) and
                 isinstance(sum(sum(row, 0j) for row in A), numbers.Complex))
    check.demand("A", "finite numbers",
                 lambda A: abs(sum(sum(row, 0j) for row in A)) < float("inf"))
    if check.right("A"):
        A = check["A"]
        if element != "c32" and "complex" in sum(sum(row, 0.0) for row in A).__class__.__name__:
            check.fault("A", f"enter real numbers, or choose the {check.label('type')} Complex")
        elif element == "s8" and not set().union(*A) <= set(range(-128, 128)):
            check.fault("A", "enter whole numbers, -128 to 127")
        elif element == "s8" and len(A[0]) > 131071:
            check.fault("A", "enter rows of at most 131071 numbers")
    check.device()
    check.plan()
    check.one_of("precision", "exact", "tf32", "half")
    check.variant({v["name"] for v in variants},
                  {v["name"] for v in variants if v["ladder"] == "host"})
    if check.right("variant") and check["variant"] != "auto" and \
            not any(v["name"] == check["variant"] and element in v["types"] for v in variants):
        check.fault("variant", f"{check['variant']} takes other items than {check['type']}; "
                    "choose auto")


def matrix_product_is_right(values):
    check = _Check(values)
    _check_product(check)
    return check.end()


def matrix_of_streams_is_right(values):
    check = _Check(values)
    _check_product(check)
    if check.right("A") and check["tag_propagation_policy"] == "gr.TPP_ONE_TO_ONE" and \
            len(check["A"]) != len(check["A"][0]):
        check.fault("tag_propagation_policy", "One to One needs as many rows as columns in "
                    f"{check.label('A')}")
    return check.end()


def one_bit_correlator_is_right(values, variants_on_host):
    check = _Check(values)
    check.demand("codes", "a list of codes of one length, each a list of numbers, 0 to 255",
                 lambda codes: len(codes) and len(codes[0]) and
                 all(len(bytes(code)) == len(codes[0]) for code in codes) and
                 all(isinstance(code, (bytes, bytearray, list, tuple)) or
                     code.dtype == "uint8" and code.ndim == 1 for code in codes))
    check.device()
    check.plan()
    check.variant(check.options("variant"), variants_on_host)
    return check.end()


def correlator_is_right(values):
    check = _Check(values)
    check.whole("antennas", 1, 4096)
    check.whole("integration", 1, 10 ** 11)
    check.device()
    check.plan()
    return check.end()


########################################################################
# Devices
########################################################################

def probe_is_right(values):
    check = _Check(values)
    check.device()
    check.between("budget_s", 0.1, 3600, " seconds")
    check.demand("report_s", "0, or 0.01 to 3600 seconds",
                 lambda value: value == 0 or 0.01 <= value <= 3600)
    return check.end()
