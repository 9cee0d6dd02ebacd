#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Turns a JSON report of a benchmark or of `cldsp bench` into bar charts, one panel per table."""

import argparse
import json
import pathlib
import sys

# Where this is installed, these modules lie beside it; else they are in the examples.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples" / "common"))
import colours  # noqa: E402  the search path is set above
from device_names import short_names  # noqa: E402


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


def bench_title(table):
    return f"{table['workload']}: {table['title']}"


def shown_results(table, limit):
    """The results of a panel, fastest first, and whether they are a ladder of kernels, whose rates
    differ a hundredfold, and of which all are shown."""
    results = [r for r in table["results"] if r.get("correct")]
    results.sort(key=lambda r: r["rate"], reverse=True)
    ladder = bool(results) and results[0]["rate"] > 100 * results[-1]["rate"]
    return (results, True) if ladder else (results[:limit], False)


def draw_bench(axes, table, limit):
    """Draws one panel of the command's report; the labels give the rate and the fraction of the
    roof. A ladder is drawn as dots, because the length of a bar means nothing on a logarithmic
    axis."""
    results, ladder = shown_results(table, limit)
    rates, places = [r["rate"] for r in results], range(len(results))
    shades = [BENCH_COLOURS.get(r["device"], colours.TRACE) for r in results]
    if ladder:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
        axes.grid(axis="both")
        axes.scatter(rates, places, s=36, color=shades, zorder=3)
        draw_roof(axes, results)
    else:
        axes.barh(places, rates, height=0.7, color=shades)
    # A device is named where there are several.
    several = len({r["device"] for r in results} - set(BENCH_COLOURS)) > 1
    axes.set_yticks(places,
                    [f"{r['device']} {r['kernel']}" if several and r["device"] not in BENCH_COLOURS
                     else r["kernel"] for r in results], color=colours.INK)
    labels = []
    for result in results:
        rate = result["rate"]
        label = f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
        if (result["roof_part"] or 0) >= 0.005:
            label += f" ({100 * result['roof_part']:.0f} %)"
        labels.append(label)
    for rate, place, label in zip(rates, places, labels):
        # In the half with the highest rates there is no room after a dot, but before it.
        before = ladder and rate > results[0]["rate"] / 10
        axes.annotate(label, (rate, place), xytext=(-7 if before else 7, 0), fontsize=8,
                      textcoords="offset points", color=colours.QUIET, verticalalignment="center",
                      horizontalalignment="right" if before else "left")
    axes.margins(x=0.1 if ladder else 0.22, y=0.03 if ladder else 0.01)
    axes.invert_yaxis()
    axes.set_xlabel(table["unit"] + ", and % of the roof"
                    if any("%" in label for label in labels) else table["unit"])
    if not results:
        axes.axis("off")
        axes.text(0.5, 0.5, "no kernel gave a right result", transform=axes.transAxes,
                  horizontalalignment="center")
    set_title(axes, bench_title(table))


def panel_height(figure, tables, limit):
    """In inches, as the longest of the tables and titles needs it."""
    titles = max(len(wrapped_title(figure, bench_title(t)).splitlines()) for t in tables)
    return 0.85 + 0.15 * titles + 0.18 * max(len(shown_results(t, limit)[0]) for t in tables)


def draw_roof(axes, results):
    """A line at the rate that the roof permits, if it is the same for all: algorithms of filters,
    and devices, may have roofs of their own. Small fractions are not precise."""
    parts = [r for r in results if (r["roof_part"] or 0) >= 0.02]
    roofs = [r["rate"] / r["roof_part"] for r in parts]
    if roofs and max(roofs) < 1.5 * min(roofs):
        roof = max(zip(parts, roofs), key=lambda pair: pair[0]["roof_part"])[1]
        axes.axvline(roof, color=colours.INK, linestyle=(0, (4, 4)), linewidth=0.8)
        axes.annotate("roof", (roof, 0), xycoords=("data", "axes fraction"), xytext=(-4, 4),
                      textcoords="offset points", fontsize=8, horizontalalignment="right")


def draw(axes, table, limit):
    """Draws one panel; the dashed line is the baseline."""
    rows = bars(table, limit)
    axes.barh([r[0] for r in rows], [r[1] for r in rows],
              color=[colours.TRACE if ours else colours.QUIET for _, _, ours, _ in rows])
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("MS/s")
    size = f"{table['chunk']} items per call" if table["chunk"] else "flowgraph"
    set_title(axes, f"{table['workload']}: {table['taps']} taps, "
                    f"decimation {table['decimation']}, {size}")
    for _, rate, _, baseline in rows:
        if baseline:
            axes.axvline(rate, color=colours.INK, linestyle="--", linewidth=0.8)


PANEL_WIDTH, LEGEND_HEIGHT = 6, 0.25  # inches
HEADING, TITLE = {"fontsize": 13, "weight": "bold"}, {"fontsize": 9}
# Of what is no kernel for an OpenCL device.
BENCH_COLOURS = {"host": colours.HEARD, "auto": colours.OTHER, "CUDA": colours.MISSED}
FILTER_COLOURS = {"c": colours.TRACE, "f": colours.HEARD, "s": colours.OTHER}
FILTER_INPUTS = {"c": "complex input", "f": "real input", "s": "16-bit input"}


def draw_flowgraph_filters(axes, table, _limit):
    """Every filter, worst first; the colours tell the type of the input."""
    from matplotlib.patches import Patch

    results = table["results"]
    places = range(len(results))
    # The bars begin where both blocks are equally fast.
    axes.bar(places, [r["ratio"] - 1 for r in results], bottom=1, width=0.7,
             color=[FILTER_COLOURS[r["type"][0]] for r in results])
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")
    axes.axhline(1, color=colours.INK, linewidth=0.8)
    # A text stands over its line: the lines of worst and tenth percentile are close together.
    for name, label, below in (("worst", "worst", True),
                               ("tenth_percentile", "tenth percentile", False),
                               ("median", "median", False)):
        axes.axhline(table[name], color=colours.INK, linestyle=(0, (4, 4)), linewidth=0.6)
        axes.annotate(f"{label} {table[name]:.3g}", (1, table[name]), fontsize=10,
                      xycoords=("axes fraction", "data"), xytext=(4, -2 if below else 2),
                      textcoords="offset points",
                      verticalalignment="top" if below else "bottom")
    axes.set_xticks([])
    axes.margins(x=0.01)
    axes.set_ylabel("times the in-tree block's speed")
    axes.set_xlabel("each filter, worst first")
    inputs = [i for i in FILTER_COLOURS if any(r["type"][0] == i for r in results)]
    axes.legend(handles=[Patch(color=FILTER_COLOURS[i], label=FILTER_INPUTS[i])
                         for i in inputs], loc="upper left", frameon=False)


def kinds_of_devices(tables):
    """The colours, and what they stand for; none where all bars are of one kind."""
    kinds = {r["device"] for t in tables for r in t["results"] if r.get("correct")}
    if len(kinds) < 2:
        return []
    legend = [(colours.TRACE, "OpenCL device")] if kinds - set(BENCH_COLOURS) else []
    return legend + [(BENCH_COLOURS[kind], label)
                     for kind, label in (("host", "host"), ("auto", "automatic choice"),
                                         ("CUDA", "CUDA's library")) if kind in kinds]


def set_title(axes, text):
    """A title in as many lines as it needs."""
    axes.set_title(wrapped_title(axes.figure, text), **TITLE)


def wrapped_title(figure, text):
    return wrapped(figure, text, PANEL_WIDTH - 1.4, **TITLE)


def wrapped(figure, text, width, **font):
    """The text in lines that are no wider than so many inches."""
    lines = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        drawn = figure.text(0, 0, longer, **font)
        fits = drawn.get_window_extent(figure.canvas.get_renderer()).width <= width * figure.dpi
        drawn.remove()
        lines[-1:] = [longer] if fits or not lines else [lines[-1], word]
    return "\n".join(lines)


def heading(report, tables):
    """What the picture shows, if the report says so, and on what it was measured."""
    machine = report["machine"]
    *devices, processor = short_names(
        [d["name"] for d in report.get("devices", []) if d.get("kind") != "host"],
        machine["processor"])
    place = f"{processor}, {machine['threads']} threads"
    if devices:
        place = f"{', '.join(devices)}; {place}"
    if "flowgraph_filters" in report:
        return f"{sum(len(t['results']) for t in tables)} filters of published flowgraphs, {place}"
    return f"{report['title']}: {place}" if "title" in report else place


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

    pyplot.rcParams.update(colours.style(9))
    pyplot.rcParams.update({"figure.constrained_layout.h_pad": 0.1,
                            "figure.constrained_layout.w_pad": 0.12})
    figure = draw_report(pyplot, report, tables, draw_panel, args.limit)
    try:
        figure.savefig(args.picture, dpi=figure.dpi)
    except OSError as error:
        sys.exit(f"{args.picture}: {error.strerror or error}")


def draw_report(pyplot, report, tables, draw_panel, limit):
    """A panel for each table under the heading, and over the legend."""
    from matplotlib.patches import Patch

    columns = min(2 if draw_panel is draw_bench else 3, len(tables))
    width, height = (9, 4.4) if draw_panel is draw_flowgraph_filters else (PANEL_WIDTH, 2.6)
    figure = pyplot.figure(layout="constrained", dpi=100)
    if draw_panel is draw_bench:
        height = panel_height(figure, tables, limit)
    lines = -(-len(tables) // columns)
    legend = kinds_of_devices(tables) if draw_panel is draw_bench else []
    heights = [height] * lines + [LEGEND_HEIGHT] * bool(legend)
    title = wrapped(figure, heading(report, tables), width * columns - 0.3, **HEADING)
    figure.set_size_inches(width * columns,
                           sum(heights) + 0.15 + 0.25 * len(title.splitlines()))
    figure.suptitle(title, x=0.15 / (width * columns), ha="left", **HEADING)
    grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    for i, table in enumerate(tables):
        draw_panel(figure.add_subplot(grid[i // columns, i % columns]), table, limit)
    if legend:
        last = figure.add_subplot(grid[-1, :])
        last.axis("off")
        last.legend(handles=[Patch(color=colour, label=label) for colour, label in legend],
                    loc="center", ncol=len(legend), frameon=False, fontsize=9,
                    handlelength=1.5, columnspacing=1.5)
    return figure


if __name__ == "__main__":
    main()
