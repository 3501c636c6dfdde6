"""Step time against load: each workload next to 0 to 4 processes that keep the processors busy.

    python benchmarks/load.py --tensorflow /path/to/its/venv/bin/python

The sides take turns, as in run.py. A side that computes with one thread gets a smaller part of a
busy machine than one with several, so a step is expected to take longer in proportion to the load;
it must not take many times as long.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from busy import busy_processes
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
    write(options, results)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="the interpreter with TensorFlow")
    parser.add_argument("--rounds", type=int, default=3, help="turns per side and load")
    parser.add_argument("--most", type=int, default=4, help="busy processes in the last column")
    parser.add_argument("--only", action="append", choices=sorted(WORKLOADS), help="a workload")
    parser.add_argument("--plot", type=Path, default=OUT / "load.svg", help="the picture")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    return parser.parse_args()


def write(options, results):
    """The numbers, and one panel for each workload."""
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed (it comes with the 'dev' extra)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(results), figsize=(4.2 * len(results), 3.4), layout="constrained", squeeze=False
    )
    for axes, (name, loads) in zip(panels[0], results.items()):
        for label, colour in zip(loads[0], ("#2a7f62", "#c8553d")):
            axes.plot(
                range(len(loads)), [1e3 * times[label] for times in loads], "o-", color=colour,
                label=label,
            )
        axes.set_title(WORKLOADS[name].rows[0].title, fontsize=9, wrap=True)
        axes.set_xticks(range(len(loads)))
        axes.set_xlabel("busy processes next to it")
        axes.set_ylim(bottom=0)
        axes.grid(color="#dddddd")
    panels[0][0].set_ylabel("ms a step")
    panels[0][0].legend(frameon=False)
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.plot, dpi=120)
    print(f"wrote {options.plot}")


if __name__ == "__main__":
    main()
