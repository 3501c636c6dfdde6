"""Step time against load: each workload next to 0 to 4 processes that keep the processors busy.

    python benchmarks/load.py --tensorflow /path/to/its/venv/bin/python

The sides take turns, as in run.py. A side that computes with one thread gets a smaller part of a
busy machine than one with several, so a step is expected to take longer in proportion to the load;
it must not take many times as long.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from busy import busy_processes
from panels import COLOURS, write
from side import Side, SideError, step_seconds
from workloads import WORKLOADS

OUT = Path(__file__).resolve().parent / "out"
NAMES = "lstm_static_adam", "mlp_mnist_adam", "cnn_mnist_adam"
TURN_SECONDS = 0.5  # of the first side's first turn; it settles how often a step is repeated


def main():
    options = parse_arguments()
    sides = [Side("tinyflow", "tinyflow", sys.executable)]
    if options.tensorflow:
        sides.append(Side("TensorFlow", "tensorflow", options.tensorflow))
    workloads = [WORKLOADS[name] for name in options.only or NAMES]
    results = {}
    try:
        for side in sides:
            side.start()
        print("| workload | busy processes | " + " | ".join(side.label for side in sides) + " |")
        print("| --- | ---: |" + " ---: |" * len(sides))
        for workload in workloads:
            results[workload.name] = []
            for count in range(options.most + 1):
                with busy_processes(count):
                    times = step_seconds(
                        sides, workload, options.rounds, TURN_SECONDS, most=workload.inner
                    )
                results[workload.name].append(times)
                cells = " | ".join(f"{1e3 * times[side.label]:.3g} ms" for side in sides)
                print(f"| {workload.rows[0].title} | {count} | {cells} |", flush=True)
    except SideError as error:
        sys.exit(str(error))
    finally:
        for side in sides:
            side.stop()
    write(options, results, [partial(draw, *each) for each in results.items()], width=4.2)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="the interpreter with TensorFlow")
    parser.add_argument("--rounds", type=int, default=3, help="turns per side and load")
    parser.add_argument("--most", type=int, default=4, help="busy processes in the last column")
    parser.add_argument("--only", action="append", choices=sorted(WORKLOADS), help="a workload")
    parser.add_argument("--plot", type=Path, default=OUT / "load.svg", help="the picture")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    return parser.parse_args()


def draw(name, loads, axes):
    """The panel of a workload."""
    for label, colour in zip(loads[0], COLOURS):
        axes.plot(range(len(loads)), [1e3 * times[label] for times in loads], "o-", color=colour,
                  label=label)
    axes.set_title(WORKLOADS[name].rows[0].title, fontsize=9, wrap=True)
    axes.set_xticks(range(len(loads)))
    axes.set_xlabel("busy processes next to it")
    axes.set_ylim(bottom=0)


if __name__ == "__main__":
    main()
