# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Measures the processor time of a flowgraph's filters before and after the conversion.

Each block runs alone between a source of noise and sinks, with the parameters that the flowgraph
has at its start. The processor time of the same flowgraph without the block is
subtracted. The time is that of all threads, OpenCL's on a processor included.
"""

import os
import sys
import time

from companion import Failure, block_named, one_line

SECONDS = 0.1  # of processor time that a repetition takes, about
REPETITIONS = 3
MAX_ITEMS = 1 << 30


def import_modules():
    try:
        from gnuradio import blocks, cldsp, filter, gr
    except ImportError as error:
        raise Failure("--measure needs the Python modules gnuradio.filter and gnuradio.cldsp for "
                      f"{sys.executable}: {one_line(error)}") from error
    os.environ["GR_CONF_CLDSP_PLAN"] = "wait" # a block is measured with its final plan
    return blocks, cldsp, filter, gr


def noise(kind):
    """Items of a filter's input, which the source repeats."""
    import numpy as np  # missing where GNU Radio is, too, which is reported before

    rng = np.random.default_rng(1)
    values = rng.standard_normal(1 << 17).astype(np.float32)
    if kind[0] == "c":
        return values.view(np.complex64)
    return values if kind[0] == "f" else (values * 8000).astype(np.int16)


class Runner:
    """Processor seconds of one block for an item of input."""

    def __init__(self, kind):
        self.blocks, _, _, self.gr = import_modules()
        self.kind = kind
        make = getattr(self.blocks, f"vector_source_{kind[0]}")
        self.source = make(noise(kind).tolist(), True)
        self.alone = None  # the same without a filter
        self.size = {"c": self.gr.sizeof_gr_complex, "f": self.gr.sizeof_float,
                     "s": self.gr.sizeof_short}[kind[0]]

    def run(self, block, outputs, items):
        flow_graph = self.gr.top_block()
        head = self.blocks.head(self.size, items)
        flow_graph.connect(self.source, head)
        if block is None:
            flow_graph.connect(head, self.blocks.null_sink(self.size))
        else:
            flow_graph.connect(head, block)
            for output in range(outputs):
                flow_graph.connect((block, output),
                                   self.blocks.null_sink(self.gr.sizeof_gr_complex))
        begin = time.process_time()
        flow_graph.run()
        return time.process_time() - begin

    def repeated(self, block, outputs):
        """Processor seconds for an item, with the source and the sinks."""
        items = 1 << 16
        self.run(block, outputs, items)  # first calls compile and plan
        once = self.run(block, outputs, items)
        items = int(min(max(items, items * SECONDS / max(once, 1e-6)), MAX_ITEMS))
        return min(self.run(block, outputs, items) for _ in range(REPETITIONS)) / items

    def seconds_per_item(self, block, outputs=1):
        if self.alone is None:
            self.alone = self.repeated(None, 0)
        return max(self.repeated(block, outputs) - self.alone, 0)


def parameters_of(block):
    value = {key: block.params[key].get_evaluated()
             for key in ("decim", "taps", "center_freq", "samp_rate")}
    return (int(value["decim"]), list(value["taps"]), float(value["center_freq"]),
            float(value["samp_rate"]))


def measured_groups(conversion):
    """Yields each group of filters to measure together: (name of the result, names of the filters,
    bank or None)."""
    members = {c.name for bank in conversion.banks for c in bank.channels}
    for bank in conversion.banks:
        yield bank.name, [c.name for c in bank.channels], bank
    for name in conversion.names:
        block = block_named(conversion.before, name)
        if name not in members and name not in conversion.left and block.enabled and \
                not block.get_bypassed():
            yield name, [name], None


def measure(conversion):
    """Returns for each bank and single filter the processor times, for people and programs."""
    _, cldsp, in_tree, _ = import_modules()
    results = []
    groups = list(measured_groups(conversion))
    for number, (name, members, bank) in enumerate(groups, 1):
        print(f"measuring {number} of {len(groups)}: {name}", file=sys.stderr, flush=True)
        try:
            results.append(measure_one(conversion, name, members, bank, cldsp, in_tree))
        except Exception as error:  # such as parameters that cannot be evaluated here
            results.append({"name": name, "error": one_line(error),
                            "text": f"  {name} could not be measured: {one_line(error)[:200]}"})
    return results


def measure_one(conversion, name, members, bank, cldsp, in_tree):
    filters = [block_named(conversion.before, member) for member in members]
    kind = filters[0].params["type"].get_value() if "type" in filters[0].params else "ccc"
    family = "fft" if "fft" in filters[0].key else "fir"
    values = [parameters_of(block) for block in filters]
    runner = Runner(kind)
    make = getattr(in_tree, f"freq_xlating_{family}_filter_{kind}")
    before = sum(runner.seconds_per_item(make(*value)) for value in values)
    if bank is None:
        ours = getattr(cldsp, f"freq_xlating_{family}_filter_{kind}")(*values[0])
    else:
        ours = getattr(cldsp, f"freq_xlating_filter_bank_{kind}")(
            [v[0] for v in values], [v[1] for v in values], [v[2] for v in values], values[0][3])
    after = runner.seconds_per_item(ours, len(values))
    rate = values[0][3]
    speedup = before / after if after > 0 else None
    text = (f"  {name}: {100 * before * rate:.3g} % of a core before, {100 * after * rate:.3g} % "
            f"now, at {rate:.6g} samples/s"
            + (f" ({speedup:.3g} times less)" if speedup else ""))
    return {"name": name, "filters": members, "samp_rate": rate,
            "cpu_seconds_per_second_before": before * rate,
            "cpu_seconds_per_second_after": after * rate, "plan": ours.plan() if hasattr(
                ours, "plan") else "", "text": text}
