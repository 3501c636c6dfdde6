"""How a program moves up to the native tier: the time of each of its first runs, in new processes.

    python benchmarks/takeover.py

A run with NumPy alone is the yardstick. It prints when native code takes over, in runs and in
seconds, how long the slowest run took from the second until some after the take-over, with no
compiled loops on disk and with all of them, the slowest of as many with NumPy alone, and what a run
takes afterwards; medians of rounds.
Objects that are there before the first run are out of Python's collector's sight (`gc.freeze`): it
looks through all of them once at some time, with NumPy alone, too.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from worker import executables, load
from workloads import WORKLOADS

HERE = Path(__file__).resolve().parent
NAMES = ("mlp_mnist_adam", "lstm_static_adam", "lstm_dynamic_adam", "cnn_mnist_adam",
         "word2vec_sgd", "bert_step")
SECONDS = 15  # of runs after the first, or until some runs after the take-over
AFTER = 20


def main():
    options = parse_arguments()
    if options.child:
        print(json.dumps(first_runs(options.child)))
        return
    print("| workload | taken over at | after, cold | after, warm | the slowest run, cold "
          "| the slowest run, warm | with NumPy alone | a run afterwards |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in options.only or NAMES:
        rounds = [one_round(name) for _ in range(options.rounds)]
        print(line(WORKLOADS[name].rows[0].title, rounds), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=sorted(WORKLOADS), help="a workload")
    parser.add_argument("--rounds", type=int, default=5, help="of which medians are taken")
    parser.add_argument("--child", choices=sorted(WORKLOADS), help=argparse.SUPPRESS)
    return parser.parse_args()


def one_round(name):
    """The first runs with NumPy alone, and those without and with loops on disk."""
    alone = times(name, {"TINYFLOW_NATIVE": "off"})["seconds"]
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = [times(name, {"TINYFLOW_CACHE": folder}) for _ in range(2)]
    return alone, cold, warm


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
    gc.collect()
    gc.freeze()

    def timed():
        begin = time.perf_counter()
        step()
        return time.perf_counter() - begin

    seconds, native = [timed()], None
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end and (native is None or len(seconds) < native + AFTER):
        seconds.append(timed())
        # Not native_tier_ran: functions inside of a program move up before the program does.
        if native is None and executables("NativeExecutable", "runs"):
            native = len(seconds) - 1
    return {"seconds": seconds, "native": native}


def line(title, rounds):
    """A row of the table; the first run compiles for NumPy, too, so it is not compared."""
    if any(answer["native"] is None for _, *answers in rounds for answer in answers):
        return f"| {title} | never | | | | | | |"
    native = rounds[0][1]["native"]
    usual = [median(alone[3:]) for alone, *_ in rounds]     # seconds of a run with NumPy alone
    alone, cold, warm = zip(*[(alone, cold["seconds"], warm["seconds"])
                              for alone, cold, warm in rounds])

    def slowest(runs):
        return median([max(seconds[1:native + AFTER]) / run for seconds, run in zip(runs, usual)])

    def after(runs):
        return median([sum(seconds[:native]) for seconds in runs])

    last = median([median(seconds[native + 1:]) / run for seconds, run in zip(cold, usual)])
    return (f"| {title} | run {native + 1} | {after(cold):.2f} s | {after(warm):.2f} s "
            f"| {slowest(cold):.1f}x | {slowest(warm):.1f}x | {slowest(alone):.1f}x "
            f"| {last:.2f}x |")


if __name__ == "__main__":
    main()
