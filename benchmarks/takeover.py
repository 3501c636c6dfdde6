"""How a program moves up to the native tier: the time of each of its first runs, in new processes.

    python benchmarks/takeover.py

A run with NumPy alone is the yardstick. It prints when native code takes over, in runs and in
seconds, how long the slowest run until then took, and what a run takes afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from worker import load, native_tier_ran
from workloads import WORKLOADS

HERE = Path(__file__).resolve().parent
NAMES = "mlp_mnist_adam", "lstm_static_adam", "cnn_mnist_adam"
SECONDS = 15  # of runs after the first, or until some runs after the take-over
AFTER = 20


def main():
    options = parse_arguments()
    if options.child:
        print(json.dumps(first_runs(options.child)))
        return
    print("| workload | taken over at | the slowest run before | a run afterwards |")
    print("| --- | ---: | ---: | ---: |")
    for name in options.only or NAMES:
        alone = median(times(name, {"TINYFLOW_NATIVE": "off"})["seconds"][3:])
        print(line(WORKLOADS[name].rows[0].title, times(name, {}), alone), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=sorted(WORKLOADS), help="a workload")
    parser.add_argument("--child", choices=sorted(WORKLOADS), help=argparse.SUPPRESS)
    return parser.parse_args()


def times(name, settings):
    """What first_runs gives in a new process."""
    paths = [os.environ.get("PYTHONPATH"), str(HERE.parent)]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths)), **settings)
    command = [sys.executable, str(Path(__file__)), "--child", name]
    return json.loads(subprocess.run(command, env=environment, check=True, text=True,
                                     stdout=subprocess.PIPE).stdout.splitlines()[-1])


def first_runs(name):
    """Seconds of each run, and the number of the first that was native (None: none was)."""
    tf = load("tinyflow")
    import numpy as np  # after tinyflow, which has settings for it

    with tf.Graph().as_default():
        step = WORKLOADS[name].setup(tf, np)
    seconds, native = [], None
    while sum(seconds[1:]) < SECONDS and (native is None or len(seconds) < native + AFTER):
        begin = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - begin)
        if native is None and native_tier_ran():
            native = len(seconds) - 1
    return {"seconds": seconds, "native": native}


def line(title, answer, alone):
    """A row of the table; the first run compiles for NumPy, too, so it is not compared."""
    seconds, native = answer["seconds"], answer["native"]
    if native is None:
        return f"| {title} | never | | |"
    slowest = max(seconds[1 : native + 1])
    after = median(seconds[native + 1 :])
    return (f"| {title} | run {native + 1}, {sum(seconds[:native]):.2f} s "
            f"| {slowest / alone:.1f}x | {after / alone:.2f}x |")


if __name__ == "__main__":
    main()
