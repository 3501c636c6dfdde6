"""Step time as a workload grows: over the batch, and over the width; next to the machine's limit.

    python benchmarks/growth.py --tensorflow /path/to/its/venv/bin/python

The limit is what the machine needs at least: multiplications at the speed of NumPy's BLAS on a
large product, or weights and optimizer state through memory at the speed of a large copy, both
measured at the start, in the same run; it is their sum, since an optimizer begins when the
gradients are there. The sides take turns, as in run.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path

from growth_workloads import SERIES
from panels import COLOURS, write
from side import Side, SideError, step_seconds
from workloads import WORKLOADS

OUT = Path(__file__).resolve().parent / "out"
TURN_SECONDS = 0.3  # of the first side's first turn; it settles how often a step is repeated


def main():
    options = parse_arguments()
    sides = [Side("tinyflow", "tinyflow", sys.executable)]
    if options.tensorflow:
        sides.append(Side("TensorFlow", "tensorflow", options.tensorflow))
    machine = limits_of_the_machine()
    print("sgemm %.0f GFLOP/s, copy %.1f GB/s\n" % (machine["flops"] / 1e9, machine["bytes"] / 1e9))
    results = {}
    try:
        for side in sides:
            side.start()
        labels = " | ".join(side.label for side in sides)
        print(f"| workload | size | limit | {labels} | tinyflow is at |")
        print("| --- | ---: | ---: |" + " ---: |" * (len(sides) + 1))
        for series in SERIES:
            if options.only and not any(part in series.name for part in options.only):
                continue
            results[series.name] = [
                point(series, size, sides, options.rounds, machine) for size in series.sizes
            ]
    except SideError as error:
        sys.exit(str(error))
    finally:
        for side in sides:
            side.stop()
    panels = [partial(draw, s, results[s.name]) for s in SERIES if s.name in results]
    write(options, {"machine": machine, "series": results}, panels, width=3.6)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="the interpreter with TensorFlow")
    parser.add_argument("--rounds", type=int, default=3, help="turns per side and size")
    parser.add_argument("--only", action="append", metavar="NAME", help="a series")
    parser.add_argument("--plot", type=Path, default=OUT / "growth.svg", help="the picture")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    return parser.parse_args()


def limits_of_the_machine():
    """Operations of a large float32 product, and bytes of a large copy, in a second.

    A multiply-add is two operations. The best of several: a limit is what the machine can do when
    nothing is in its way.
    """
    import numpy as np

    a, b = np.ones((2, 2048, 2048), "float32")
    product = best(lambda: a @ b)
    source, target = np.ones((2, 1 << 26), "float32")  # 256 MB each, larger than any cache
    copy = best(lambda: np.copyto(target, source))
    return {"flops": 2 * 2048**3 / product, "bytes": 2 * source.nbytes / copy}


def best(function, times=5):
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        function()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def point(series, size, sides, rounds, machine):
    """The limit and the seconds per step of each side at one size; printed as a line."""
    workload = WORKLOADS[series.workload(size)]
    seconds = step_seconds(sides, workload, rounds, TURN_SECONDS, most=1000)
    work = series.work(size)
    limit = work.flops / machine["flops"] + work.bytes / machine["bytes"]
    cells = " | ".join(f"{1e3 * seconds[side.label]:.3g} ms" for side in sides)
    far = f"{seconds[sides[0].label] / limit:.1f}x"
    print(f"| {series.title} | {size} | {1e3 * limit:.3g} ms | {cells} | {far} |", flush=True)
    return {"size": size, "limit": limit, "seconds": seconds}


def draw(series, points, axes):
    """The panel of a series."""
    sizes = [point["size"] for point in points]
    for label, colour in zip(points[0]["seconds"], COLOURS):
        axes.loglog(sizes, [1e3 * p["seconds"][label] for p in points], "o-", color=colour,
                    label=label)
    axes.loglog(sizes, [1e3 * p["limit"] for p in points], "--", color="#555555",
                label="the machine's limit")
    axes.set_xticks(sizes, labels=[f"{size:,}" for size in sizes], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_title(series.title, fontsize=9, wrap=True)
    axes.set_xlabel(series.axis)


if __name__ == "__main__":
    main()
