"""Plots the results: one bar per row, on a log scale, with the target marked."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402  (the backend must be chosen first)
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402
from table import quantity, times  # noqa: E402

MET = "#2a7f62"
MISSED = "#c8553d"
TARGET = "#222222"


def draw(report, path):
    """Write the ratios of a report to `path`; the suffix chooses SVG, PNG or PDF."""
    candidate, *others, reference = report["sides"]
    results = [result for result in report["results"] if candidate in result["ratios"]]
    figure, axes = pyplot.subplots(figsize=(10, 1.5 + 0.45 * len(results)), layout="constrained")
    places = range(len(results))
    ratios = [result["ratios"][candidate] for result in results]
    targets = [result["targets"][candidate] for result in results]

    colours = [MET if result["met"][candidate] else MISSED for result in results]
    axes.set_xscale("log")
    # A bar starts at 1, "as good as the reference", and grows to the side that it speaks for.
    axes.barh(places, [ratio - 1 for ratio in ratios], left=1, height=0.6, color=colours, zorder=2)
    tops, bottoms = zip(*((place - 0.3, place + 0.3) for place in places))
    axes.vlines(targets, tops, bottoms, color=TARGET, linewidth=3, zorder=3)
    axes.axvline(1, color="#888888", linewidth=1, zorder=1)
    for label in others:
        dots = [(result["ratios"][label], place) for place, result in zip(places, results)
                if label in result["ratios"]]
        axes.scatter(*zip(*dots), marker="o", s=22, color=TARGET, zorder=4)
    for place, result in zip(places, results):
        label_bar(axes, place, result, candidate, reference)

    axes.set_yticks(places, [result["title"] for result in results])
    axes.invert_yaxis()
    low = min(0.8, *(ratio for result in results for ratio in result["ratios"].values())) / 1.2
    high = max(*targets, *ratios)
    axes.set_xlim(low, low * (high / low) ** 1.55)  # leaves a third of the width for the numbers
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="x", color="#dddddd", zorder=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"{reference} / {candidate}: further right is better for {candidate}")
    explain(figure, others)
    axes.set_title(headline(report, candidate, reference), loc="left", fontsize=11)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def label_bar(axes, place, result, candidate, reference):
    """Write the ratio and both measurements behind the bar, clear of the target's mark."""
    ours, theirs = (quantity(result["values"][label], result["unit"])
                    for label in (candidate, reference))
    ratio = result["ratios"][candidate]
    clear = max(*result["ratios"].values(), result["targets"][candidate], 1) * 1.12
    axes.text(clear, place, f"{times(ratio)}x", va="center", weight="bold")
    axes.annotate(
        f"{ours} against {theirs}",
        (clear, place),
        xytext=(48, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color="#555555",
    )


def explain(figure, others):
    """The legend: only what the colours and the marks mean."""
    mark = Line2D([], [], color=TARGET, marker="|", markersize=14, markeredgewidth=3, ls="")
    dot = Line2D([], [], color=TARGET, marker="o", markersize=5, ls="")
    figure.legend(
        [Patch(color=MET), Patch(color=MISSED), mark, *[dot for _ in others]],
        ["target met", "target missed", "target", *others],
        loc="outside lower center",
        ncols=3,
        frameon=False,
    )


def headline(report, candidate, reference):
    """The two sides with their versions."""
    versions = [report["sides"][label].get("version", "") for label in (candidate, reference)]
    return f"{candidate} {versions[0]} against {reference} {versions[1]}"
