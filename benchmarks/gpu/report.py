# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The results of run.py as tables in Markdown and as charts."""

import pathlib
import statistics
import sys

# In a pack for a server, the colours lie beside this; else they are in the examples.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "common"))
import colours  # noqa: E402  the search path is set above


def number(value, digits=3):
    """Three significant digits, with a space between thousands."""
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text or abs(value) >= 1000:
        return f"{round(float(text)):,}".replace(",", " ")
    return text


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "| " + " | ".join("---" for _ in heading) + " |"]
    lines += ["| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def kernel_rate(row):
    """The rate in the device's kernels alone, in the unit of the row; 0: not known."""
    seconds, kernel = row["seconds_per_call"], row["kernel_seconds_per_call"]
    if not seconds or not kernel:
        return 0
    return row["rate"] * statistics.median(seconds) / statistics.median(kernel)


def machine(results):
    device = results["device"]
    rows = [("device", f"{device['name']} ({device['device']}, {device['kind']})"),
            ("platform", f"{device.get('platform', '')}, {device.get('version', '')}"),
            ("driver", device.get("driver", ""))]
    rows += [("nvidia-smi", line) for line in results.get("nvidia_smi", ())]
    host = results.get("machine")
    if host:
        rows.append(("host", f"{host['processor']}, {host['threads']} threads"))
    rows.append(("run", f"{results['began']}, {results['seconds']:.0f} s of a budget of "
                        f"{results['budget']:.0f} s"))
    return table(("", ""), rows)


def tests(results):
    lines = []
    outcomes = results["tests"]
    passed = [test for test in outcomes if test["outcome"] == "passed"]
    lines.append(f"{len(passed)} of {len(outcomes)} fixtures passed, with "
                 f"{sum(test['passed'] for test in passed)} tests.\n")
    rest = [(test["name"], test["outcome"], test.get("passed", 0)) for test in outcomes
            if test["outcome"] != "passed"]
    if rest:
        lines.append(table(("fixture", "outcome", "tests that passed"), rest))
    return "\n".join(lines)


def bench(results):
    rows = []
    for part in results["bench"]:
        for row in part["results"]:
            if "failure" in row:
                rows.append((part["workload"], row["kernel"], part["title"], row["failure"], "",
                             "", "", ""))
                continue
            error = "exact" if row["error_db"] is None else f"{row['error_db']:.0f} dB"
            kernel = kernel_rate(row)
            rows.append((part["workload"], row["kernel"], part["title"],
                         f"{number(row['rate'])} {part['unit']}",
                         f"{50 * row['spread']:.0f} %", number(kernel) if kernel else "-",
                         number(row["cores_in_use"], 2),
                         error if row["correct"] else f"{error} WRONG"))
    return table(("workload", "kernel", "problem", "host to host", "+-", "in the kernels", "cores",
                  "error"), rows)


def flowgraphs(results):
    return table(("channels", "device", "latency, s", "MS/s", "cores", "plan"),
                 [(row["channels"], row["device"], f"{row['latency']:g}", number(row["rate"]),
                   number(row["cores_in_use"], 2), row["plan"]) for row in results["flowgraphs"]])


def peers(results):
    found = results["peers"]
    lines = []
    if found["results"]:
        versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
        lines.append(f"With the data in the device's memory, by {versions}:\n")
        lines.append(table(("workload", "peer", "rate", "error"),
                           [(row["workload"], row["peer"], f"{number(row['rate'])} {row['unit']}",
                             f"{row['error_db']:.0f} dB") for row in found["results"]]))
    lines += [f"* left out: {row['workload']}, {row['peer']}: {row['reason']}"
              for row in found["left_out"]]
    return "\n".join(lines) + "\n"


def markdown(results, charts):
    parts = ["# Measurements of gr-cldsp\n", machine(results)]
    for title, name, make in (("Tests", "tests", tests), ("Kernels and whole calls", "bench", bench),
                              ("Flowgraphs", "flowgraphs", flowgraphs), ("Peers", "peers", peers)):
        if results.get(name):
            parts.append(f"## {title}\n")
            parts.append(make(results))
    if results["unfinished"]:
        parts.append("## Not measured\n")
        parts.append("\n".join("* " + " ".join(text.split()) for text in results["unfinished"])
                     + "\n")
    parts += [f"![{title}]({file})\n" for title, file in charts]
    return "\n".join(parts)


def draw(results, folder):
    """Draws the benchmarks and the flowgraphs where there is matplotlib.
    Returns the titles and the names of the files."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return []
    pyplot.rcParams.update(colours.style(9))
    charts = []
    name = results["device"]["name"]

    def bars(title, file, unit, entries):
        """Entries: label, rate host to host, rate in the kernels."""
        if not entries:
            return
        figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.34 * len(entries)))
        places = range(len(entries))
        axes.barh([p + 0.2 for p in places], [e[2] for e in entries], 0.38, color=colours.FAINT,
                  label="in the kernels")
        shown = axes.barh([p - 0.2 for p in places], [e[1] for e in entries], 0.38,
                          color=colours.TRACE, label="host to host")
        axes.bar_label(shown, [number(e[1]) for e in entries], fontsize=8, padding=2)
        axes.set_yticks(places, [e[0] for e in entries], fontsize=8)
        axes.margins(y=0.01)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel(unit)
        axes.set_title(f"{title}, {name}", fontsize=10)
        axes.legend(fontsize=8, frameon=False)
        figure.tight_layout()
        figure.savefig(folder / file, dpi=120)
        pyplot.close(figure)
        charts.append((title, file))

    for title, file, is_filter in (("Filters and banks", "filters.png", True),
                                   ("Products of matrices", "products.png", False)):
        entries, unit = [], ""
        for part in results.get("bench", ()):
            if (part["unit"] == "MS/s") != is_filter:
                continue
            unit = part["unit"] if is_filter else "10^9 operations per second"
            size = part["title"].split(", ")[-1] if is_filter else ""
            kind = next((" " + word for word in part["title"].split(", ") if "input" in word), "")
            entries += [(f"{part['workload']}{kind} {row['kernel']} {size}".strip(), row["rate"],
                         kernel_rate(row)) for row in part["results"] if row.get("correct")]
        bars(title, file, unit, entries)
    flows = results.get("flowgraphs")
    if flows:
        figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.3 * len(flows)))
        shown = axes.barh(range(len(flows)), [row["rate"] for row in flows],
                          color=colours.TRACE)
        axes.bar_label(shown, [number(row["rate"]) for row in flows], fontsize=8, padding=2)
        axes.set_yticks(range(len(flows)),
                        [f"{row['channels']} channels, {row['device']}, latency {row['latency']:g} s"
                         for row in flows], fontsize=8)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel("MS/s")
        axes.set_title(f"Flowgraphs, {name}", fontsize=10)
        figure.tight_layout()
        figure.savefig(folder / "flowgraphs.png", dpi=120)
        pyplot.close(figure)
        charts.append(("Flowgraphs", "flowgraphs.png"))
    return charts
