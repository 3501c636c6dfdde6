"""Benchmark runner: the speed table of tinyflow and TensorFlow, measured alternately in one run.

    python benchmarks/run.py --tensorflow /path/to/its/venv/bin/python

Where the extra `fast` is installed, tinyflow is measured twice: as it is, and with NumPy alone.
README.md in this folder describes the method.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
import time
from pathlib import Path
from statistics import median

import eager_workloads  # noqa: F401 - enters its workloads
import image_workloads  # noqa: F401 - likewise
import language_workloads  # noqa: F401 - likewise
import text_workloads  # noqa: F401 - likewise
from busy import busy_processes
from side import Side, SideError
from table import Table, times
from worker import FRAMEWORKS
from workloads import WORKLOADS

OUT = Path(__file__).resolve().parent / "out"

# A framework's threads keep spinning for a while after their work; the other side waits that out.
REST_SECONDS = 0.05

HOW_TO_GET_TENSORFLOW = """\
TensorFlow's column needs an interpreter that has it, in a separate virtual environment:
    python3.11 -m venv tf215
    tf215/bin/pip install 'tensorflow-cpu==2.15.*' 'numpy<2'
    python benchmarks/run.py --tensorflow tf215/bin/python"""


def main():
    options = parse_arguments()
    sides = chosen_sides(options)
    workloads = chosen_workloads(options.only)
    started = time.perf_counter()
    try:
        if not announce(sides):
            sys.exit(1)
        if options.busy:
            print(f"{options.busy} other processes keep the processors busy\n")
        titles = [row.title for workload in workloads for row in workload.rows]
        table = Table(titles, [side.label for side in sides])
        print(table.head())
        results = []
        for workload in workloads:
            incomplete = any(result["errors"] for result in results)
            with busy_processes(options.busy):
                measured = measure(workload, sides, options.rounds)
            for result in measured:
                if workload.cumulative and incomplete:
                    withdraw_comparison(result)
                print(table.line(result), flush=True)
                results.append(result)
    finally:
        for side in sides:
            side.stop()
    print(table.foot(results))
    if options.quiet:
        print(kept_under_load(results, options.quiet))
    print(f"\n{time.perf_counter() - started:.0f} s in all")
    if len(sides) == 1:
        print("\n" + HOW_TO_GET_TENSORFLOW)
    write(options, report(sides, results, options.busy))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tensorflow", metavar="PYTHON", help="the interpreter with TensorFlow")
    parser.add_argument("--rounds", type=int, default=7, help="measurements per row and side")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="only workloads whose name contains NAME (repeatable)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement there")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="the picture, default out/speed.svg"
    )
    parser.add_argument(
        "--candidate",
        choices=FRAMEWORKS,
        default="tinyflow",
        help="'tensorflow' measures TensorFlow against itself: a check of the method",
    )
    parser.add_argument(
        "--busy", type=int, default=0, metavar="N", help="N processes keep the processors busy"
    )
    parser.add_argument(
        "--quiet", type=Path, metavar="FILE", help="what --json wrote without --busy, to compare"
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.candidate == "tensorflow" and not options.tensorflow:
        parser.error("--candidate tensorflow needs --tensorflow PYTHON")
    return options


def chosen_sides(options):
    """The candidate first, then its NumPy tier alone, then TensorFlow where there is one."""
    if options.candidate == "tensorflow":
        labels = ("TensorFlow A", "TensorFlow B")
        return [Side(label, "tensorflow", options.tensorflow) for label in labels]
    sides = [Side("tinyflow", "tinyflow", sys.executable)]
    if options.tensorflow:
        if has_native_tier():
            off = {"TINYFLOW_NATIVE": "off"}
            sides.append(Side("NumPy alone", "tinyflow", sys.executable, environment=off))
        sides.append(Side("TensorFlow", "tensorflow", options.tensorflow))
    return sides


def has_native_tier():
    """Whether the extra `fast` is installed in this interpreter."""
    return importlib.util.find_spec("llvmlite") is not None and os.environ.get(
        "TINYFLOW_NATIVE", "auto"
    ) != "off"


def chosen_workloads(only):
    chosen = [
        workload
        for workload in WORKLOADS.values()
        if not only or any(part in workload.name for part in only)
    ]
    if not chosen:
        sys.exit("no such workload; there are: " + ", ".join(WORKLOADS))
    return chosen


def announce(sides):
    """Start every side and say what it is; whether at least one of them runs."""
    for side in sides:
        try:
            side.start()
            version = "{version} on Python {python}, NumPy {numpy}".format(**side.versions)
            print(f"{side.label}: {version}")
        except SideError as error:
            print(f"{side.label}: failed: {error}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"machine: {platform.system()} {platform.machine()}, {cores} cores\n")
    return any(side.versions for side in sides)


def measure(workload, sides, rounds):
    """Let the sides take turns; one result per row of the workload.

    A side that fails a workload is not measured again for that workload.
    """
    rounds = min(rounds, workload.most_rounds or rounds)
    samples = [[[] for _ in sides] for _ in workload.rows]
    errors = [[None for _ in sides] for _ in workload.rows]
    failed, native = set(), None
    for _ in range(rounds):
        for which, side in enumerate(sides):
            if which in failed:
                continue
            time.sleep(REST_SECONDS)
            for row, answer in enumerate(side.measure(workload)):
                if "error" in answer:
                    errors[row][which] = answer["error"]
                    failed.add(which)
                else:
                    samples[row][which].append(answer["value"])
                    native = answer.get("native") if which == 0 else native
    labels = [side.label for side in sides]
    return [
        summary(workload, row, dict(zip(labels, samples[i])), dict(zip(labels, errors[i])), native)
        for i, row in enumerate(workload.rows)
    ]


def summary(workload, row, samples, errors, native):
    """Medians per side, and how many times better each is than the last, the reference.

    A ratio is the median of the ratios of measurements taken side by side. `native` says what the
    native tier computed for the first side.
    """
    values = {
        label: median(taken) if taken and not errors[label] else None
        for label, taken in samples.items()
    }
    *candidates, reference = samples
    ratios = {
        label: median(theirs / ours for ours, theirs in zip(samples[label], samples[reference]))
        for label in candidates
        if values[label] is not None and values[reference] is not None
    }
    targets = dict(zip(candidates, (row.target, row.numpy_target or row.target)))
    return {
        "workload": workload.name,
        "title": row.title,
        "unit": workload.unit,
        "tier": "native" if native else "NumPy",
        "targets": targets,
        "values": values,
        "ratios": ratios,
        "met": {label: ratio >= targets[label] for label, ratio in ratios.items()},
        "errors": {label: error for label, error in errors.items() if error},
        "samples": samples,
    }


def withdraw_comparison(result):
    """Keep the values and take back the ratio, as the two sides have not done the same work."""
    result.update(ratios={}, met={}, note="not comparable, since a row above failed")


def report(sides, results, busy=0):
    """Everything that --json writes."""
    return {
        "sides": {side.label: side.versions for side in sides},
        "machine": {"system": platform.platform(), "cores": os.cpu_count(), "busy": busy},
        "results": results,
    }


def kept_under_load(results, quiet_file):
    """How much of each ratio on a quiet machine is left in these results."""
    quiet = {
        (row["workload"], row["title"]): row["ratios"]
        for row in json.loads(quiet_file.read_text(encoding="utf-8"))["results"]
    }
    lines = ["", "ratios on the quiet machine, here, and the part that is left:"]
    for row in results:
        before = quiet.get((row["workload"], row["title"]), {})
        for label, ratio in row["ratios"].items():
            if label in before:
                part = ratio / before[label]
                numbers = f"{times(before[label])}x -> {times(ratio)}x: {part:.2f}"
                lines.append(f"  {row['title']}, {label}: {numbers}")
    return "\n".join(lines)


def write(options, full_report):
    """Writes the JSON file if requested, and the picture if there are ratios and matplotlib."""
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(full_report, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {options.json}")
    if not any(result["ratios"] for result in full_report["results"]):
        return
    try:
        from plot import draw
    except ImportError:
        print("no picture: matplotlib is not installed (it comes with the 'dev' extra)")
        return
    picture = options.plot or OUT / "speed.svg"
    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(full_report, picture)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main()
