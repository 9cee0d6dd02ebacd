#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Turns a JSON report of a benchmark or of `cldsp bench` into bar charts, one panel per table."""

import argparse
import json
import pathlib
import sys

# Where this is installed, the colours lie beside it; else they are in the examples.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples" / "common"))
import colours  # noqa: E402  the search path is set above


def bars(table, limit):
    """The fastest results of a table, fastest first: (label, MS/s, is ours, is baseline)."""
    results = [r for r in table["results"] if r.get("correct")]
    baseline = table["baseline"]

    def is_baseline(result):
        names = (result["implementation"], result["variant"])
        return baseline in names and result["taps"] == "real"

    results.sort(key=lambda r: r["msps"], reverse=True)
    shown = [r for i, r in enumerate(results) if i < limit or is_baseline(r)]
    labels = []
    for result in shown:
        parts = [result["implementation"], result["device"]]
        parts += [result[k] for k in ("variant", "transfer") if result[k] != "auto"]
        label = " ".join(p for p in parts if p and p != "none")
        if result["taps"] == "complex":
            label += ", complex taps"
        ours = result["implementation"].startswith("cldsp")
        labels.append((label, result["msps"], ours, is_baseline(result)))
    return labels


def draw_bench(axes, table, limit):
    """Draws one panel of the command's report; the labels give the fraction of the roofline. The
    rates of a ladder of kernels differ a hundredfold, and all of them are drawn."""
    results = [r for r in table["results"] if r.get("correct")]
    results.sort(key=lambda r: r["rate"], reverse=True)
    if results and results[0]["rate"] > 100 * results[-1]["rate"]:
        axes.set_xscale("log")
    else:
        results = results[:limit]
    labels = [f"{r['device']} {r['kernel']}" for r in results]
    bars_drawn = axes.barh(range(len(results)), [r["rate"] for r in results],
                           color=[colours.HEARD if r["device"] == "auto" else colours.TRACE
                                  for r in results])
    axes.set_yticks(range(len(results)), labels, fontsize=7)
    parts = [f"{100 * r['roof_part']:.0f} % of the roof" if r["roof_part"] else ""
             for r in results]
    axes.bar_label(bars_drawn, parts, fontsize=6, padding=2)
    axes.margins(x=0.25)
    axes.invert_yaxis()
    axes.set_xlabel(table["unit"])
    axes.set_title(f"{table['workload']}: {table['title']}", fontsize=9)


def draw(axes, table, limit):
    """Draws one panel; the dashed line is the baseline."""
    rows = bars(table, limit)
    axes.barh([r[0] for r in rows], [r[1] for r in rows],
              color=[colours.TRACE if ours else colours.QUIET for _, _, ours, _ in rows])
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("MS/s")
    size = f"{table['chunk']} items per call" if table["chunk"] else "flowgraph"
    axes.set_title(
        f"{table['workload']}: {table['taps']} taps, decimation {table['decimation']}, {size}",
        fontsize=9)
    for _, rate, _, baseline in rows:
        if baseline:
            axes.axvline(rate, color=colours.INK, linestyle="--", linewidth=0.8)


FILTER_COLOURS = {"c": colours.TRACE, "f": colours.HEARD, "s": colours.MISSED}
FILTER_INPUTS = {"c": "complex input", "f": "real input", "s": "16-bit input"}


def draw_flowgraph_filters(axes, table, _limit):
    """Every filter, worst first; the colours tell the type of the input."""
    from matplotlib.patches import Patch

    results = table["results"]
    places = range(len(results))
    # The bars begin where both blocks are equally fast.
    axes.bar(places, [r["ratio"] - 1 for r in results], bottom=1,
             color=[FILTER_COLOURS[r["type"][0]] for r in results])
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.axhline(1, color=colours.INK, linewidth=0.8)
    for name, label in (("worst", "worst"), ("tenth_percentile", "tenth percentile"),
                        ("median", "median")):
        axes.axhline(table[name], color=colours.INK, linestyle="--", linewidth=0.6)
        axes.annotate(f"{label} {table[name]:.3g}", (1, table[name]), fontsize=8,
                      xycoords=("axes fraction", "data"), xytext=(4, 0),
                      textcoords="offset points", verticalalignment="center")
    axes.set_xticks(places, [f"{r['taps']} / {r['decimation']}" for r in results],
                    rotation=90, fontsize=6)
    axes.margins(x=0.01)
    axes.set_ylabel("times the in-tree block's speed")
    axes.set_xlabel("taps / decimation")
    inputs = [i for i in FILTER_COLOURS if any(r["type"][0] == i for r in results)]
    axes.legend(handles=[Patch(color=FILTER_COLOURS[i], label=FILTER_INPUTS[i])
                         for i in inputs], loc="upper left", fontsize=8)
    axes.set_title(f"{len(results)} filters of published flowgraphs, default buffers",
                   fontsize=9)


def dark(pyplot):
    """The style of the examples' pictures and windows."""
    pyplot.rcParams.update({
        "font.family": "DejaVu Sans", "text.color": colours.INK,
        "axes.labelcolor": colours.QUIET, "axes.edgecolor": colours.EDGE,
        "axes.facecolor": colours.BACKGROUND, "axes.titlecolor": colours.INK,
        "xtick.color": colours.QUIET, "ytick.color": colours.QUIET,
        "figure.facecolor": colours.BACKGROUND, "legend.facecolor": colours.BACKGROUND,
        "legend.edgecolor": colours.EDGE,
    })


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", help="what --json wrote")
    parser.add_argument("picture", help="file to write, .png or .svg")
    parser.add_argument("--limit", type=int, default=8, help="bars a panel (default: 8)")
    args = parser.parse_args()

    with open(args.report, encoding="utf-8") as file:
        report = json.load(file)
    tables = report.get("comparison", []) + report.get("flowgraphs", [])
    draw_panel = draw
    if "bench" in report:
        tables, draw_panel = report["bench"], draw_bench
    if "flowgraph_filters" in report:
        tables, draw_panel = report["flowgraph_filters"], draw_flowgraph_filters
    if not tables:
        sys.exit(f"{args.report} has no comparison, no flowgraphs, no bench and no "
                 "flowgraph_filters")

    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    dark(pyplot)
    columns = min(3, len(tables))
    width, height = (11, 5) if draw_panel is draw_flowgraph_filters else (6, 2.6)
    if draw_panel is draw_bench and any(len(t["results"]) > 12 for t in tables):
        height = 4
    lines = -(-len(tables) // columns)
    figure, axes = pyplot.subplots(lines, columns, squeeze=False,
                                   figsize=(width * columns, height * lines))
    for panel in axes.flat[len(tables):]:
        panel.axis("off")
    for panel, table in zip(axes.flat, tables):
        draw_panel(panel, table, args.limit)
        panel.tick_params(length=0, which="both")
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    machine = report["machine"]
    figure.suptitle(f"{machine['processor']}, {machine['threads']} threads", fontsize=10)
    figure.tight_layout()
    figure.savefig(args.picture, dpi=120)


if __name__ == "__main__":
    main()
