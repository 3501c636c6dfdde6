"""Prints the results as an aligned plain-text table, one line at a time."""

from __future__ import annotations

PREFIXES = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (0.0, "B")),
}
SMALLEST = {"s": 1e-9, "B": 1.0}


class Table:
    """Widths are fixed beforehand, so that each line can be printed as soon as it is measured."""

    def __init__(self, titles, labels):
        self.labels = labels
        self.title_width = max(map(len, titles))
        self.widths = [max(len(label), 10) for label in labels]

    def head(self):
        """The column names and a rule under them."""
        cells = [label.rjust(width) for label, width in zip(self.labels, self.widths)]
        line = "  ".join(["workload".ljust(self.title_width), *cells])
        if len(self.labels) == 2:
            line += f"  {'ratio':>8}  {'target':>8}  met?"
        return line + "\n" + "-" * len(line)

    def line(self, result):
        """One row; what failed, and why, is on the lines below it."""
        cells = [result["title"].ljust(self.title_width)]
        for label, width in zip(self.labels, self.widths):
            value = result["values"][label]
            shown = "failed" if value is None else quantity(value, result["unit"])
            cells.append(shown.rjust(width))
        if len(self.labels) == 2:
            ratio = "-" if result["ratio"] is None else f"{times(result['ratio'])}x"
            target = f">= {result['target']:g}x"
            met = {True: "yes", False: "NO", None: "-"}[result["met"]]
            cells += [ratio.rjust(8), target.rjust(8), met]
        failures = [f"    failed: {label}: {why}" for label, why in result["errors"].items()]
        notes = ["    " + result["note"]] if "note" in result else []
        return "\n".join(["  ".join(cells), *failures, *notes])

    def foot(self, results):
        """How many targets are met, where there is anything to compare."""
        if len(self.labels) < 2:
            return ""
        met = sum(result["met"] is True for result in results)
        return f"\n{met} of {len(results)} targets met; ratio = {self.labels[1]} / {self.labels[0]}"


def quantity(value, unit):
    """A number of seconds or bytes with three digits and a fitting prefix."""
    scale, name = next(pair for pair in PREFIXES[unit] if value >= pair[0])
    return f"{three_digits(value / (scale or SMALLEST[unit]))} {name}"


def times(ratio):
    """A ratio with two digits at least, and never more decimals than it deserves."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def three_digits(number):
    """Three significant digits without an exponent."""
    decimals = 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:.{decimals}f}"
