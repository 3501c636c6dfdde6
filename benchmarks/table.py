"""Prints the results as an aligned plain-text table, one line at a time."""

from __future__ import annotations

PREFIXES = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (0.0, "B")),
}
SMALLEST = {"s": 1e-9, "B": 1.0}


class Table:
    """Widths are fixed beforehand, so that each line can be printed as soon as it is measured.

    The last side is the reference: the others have a ratio to it, a target, and whether it is met.
    """

    def __init__(self, titles, labels):
        self.labels = labels
        self.candidates = labels[:-1]
        self.title_width = max(map(len, titles))
        self.widths = [max(len(label), 10) for label in labels]

    def head(self):
        """The column names and a rule under them."""
        cells = [label.rjust(width) for label, width in zip(self.labels, self.widths)]
        line = "  ".join(["workload".ljust(self.title_width), *cells])
        for label in self.candidates:
            line += f"  {'ratio' if label == self.labels[0] else 'alone':>8}  {'target':>8}  met?"
        if len(self.candidates) > 1:
            line += "  tier"
        return line + "\n" + "-" * len(line)

    def line(self, result):
        """One row; what failed, and why, is on the lines below it."""
        cells = [result["title"].ljust(self.title_width)]
        for label, width in zip(self.labels, self.widths):
            value = result["values"][label]
            shown = "failed" if value is None else quantity(value, result["unit"])
            cells.append(shown.rjust(width))
        for label in self.candidates:
            ratio = result["ratios"].get(label)
            shown = "-" if ratio is None else f"{times(ratio)}x"
            target = f">= {result['targets'][label]:g}x"
            met = {True: "yes", False: "NO", None: "-"}[result["met"].get(label)]
            cells += [shown.rjust(8), target.rjust(8), met.ljust(4)]
        if len(self.candidates) > 1:
            cells.append(result["tier"])
        failures = [f"    failed: {label}: {why}" for label, why in result["errors"].items()]
        notes = ["    " + result["note"]] if "note" in result else []
        return "\n".join(["  ".join(cells).rstrip(), *failures, *notes])

    def foot(self, results):
        """How many targets are met, where there is anything to compare."""
        lines = []
        for label in self.candidates:
            met = sum(result["met"].get(label) is True for result in results)
            lines.append(f"{label}: {met} of {len(results)} targets met; "
                         f"ratio = {self.labels[-1]} / {label}")
        return "\n" + "\n".join(lines) if lines else ""


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
