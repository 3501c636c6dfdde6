"""A process that holds one framework and measures workloads on request.

    python worker.py tinyflow|tensorflow

It greets with one JSON line: versions, or an error. Then it answers each request line
{"workload": name, "inner": n} with one line {"results": [...]}: for each row of the workload
{"value": number, "native": bool} or {"error": text}. It ends with its stdin.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import sys
import time
import weakref
from contextlib import nullcontext

import eager_workloads  # noqa: F401 - enters its workloads
import image_workloads  # noqa: F401 - likewise
import language_workloads  # noqa: F401 - likewise
import text_workloads  # noqa: F401 - likewise
from workloads import BYTES, WORKLOADS

FRAMEWORKS = ("tinyflow", "tensorflow")
AWAIT_SECONDS = 20  # at most, until programs have moved up
AWAIT_CALLS = 10  # between two looks
MODULES = {"NativeExecutable": "tinyflow.native.rise", "RisingFunction": "tinyflow.native.rise",
           "FollowedExecutable": "tinyflow.session.followed"}
PROGRAMS = []  # weak references


def load(framework):
    """The module to measure, in TF1 mode."""
    if framework == "tinyflow":
        import tinyflow

        note_programs()
        return tinyflow
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read when TensorFlow is imported
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


class Bench:
    """Keeps the workload under measurement prepared between requests, and no other."""

    def __init__(self, framework):
        self.tf = load(framework)  # first, as most programs do: it may have settings for NumPy
        import numpy

        self.np = numpy
        self.workload = None
        self.steps = ()

    def greeting(self):
        package = sys.modules[self.tf.__name__.partition(".")[0]]
        version = getattr(package, "tinyflow_version", package.__version__)
        return {
            "version": version,
            "numpy": self.np.__version__,
            "python": platform.python_version(),
        }

    def results(self, name, inner):
        """One {"value"} or {"error"} for each row; a step after a failed one is not tried."""
        wanted = WORKLOADS[name]
        answers = []
        try:
            if wanted is not self.workload:
                self.prepare(wanted)
            gc.collect()
            for step in self.steps:
                value = measure(step, wanted.unit, inner)
                answers.append({"value": value, "native": native_tier_ran()})
        except Exception as error:
            self.release()
            missing = len(wanted.rows) - len(answers)
            answers += [{"error": one_line(error)}] * missing
        return answers

    def prepare(self, workload):
        """Build the workload in a new graph and warm it up."""
        self.release()
        with self.tf.Graph().as_default():
            steps = workload.setup(self.tf, self.np)
        steps = steps if isinstance(steps, tuple) else (steps,)
        for _ in range(workload.warmup):
            for step in steps:
                step()
        if workload.warmup:
            await_native_tier(steps)
        self.workload, self.steps = workload, steps

    def release(self):
        """Drop the graph and the session of the last workload before the next needs memory."""
        self.workload, self.steps = None, ()
        gc.collect()


def measure(step, unit, inner):
    """What a step in bytes returns, or the seconds it takes, as the mean of `inner` calls."""
    if unit == BYTES:
        return step()
    calls = range(inner)
    step, scope = getattr(step, "inside", (step, nullcontext))
    with scope():
        start = time.perf_counter()
        for _ in calls:
            result = step()
        elapsed = time.perf_counter() - start
    del result  # not before: freeing a whole session is not what is measured
    return elapsed / inner


def native_tier_ran():
    """Whether a program of tinyflow's has moved up to its native tier."""
    functions = executables("RisingFunction")
    return bool(executables("NativeExecutable", "runs")) or not all(
        getattr(f, "will_move", True) for f in functions)


def await_native_tier(steps):
    """Runs the steps until all programs in them that others follow have been replaced: loops by
    their unrolled form, NumPy by the native tier; `takeover.py` shows how. The program that sets
    Variables to their first values has run, and is not replaced.
    """
    end = time.monotonic() + AWAIT_SECONDS
    waiting = True
    while waiting and time.monotonic() < end:
        runs = {program: program.runs for program in executables("FollowedExecutable")}
        for _ in range(AWAIT_CALLS):
            for step in steps:
                step()
        waiting = executables("RisingFunction", "will_move") or any(
            program.runs > runs.get(program, 0)
            for program in executables("FollowedExecutable", "will_move"))


def note_programs():
    """Has tinyflow's programs entered in PROGRAMS.

    `gc.get_objects()` would find them, too, but is slow, and a tuple that another thread is making
    breaks when it is found.
    """
    from tinyflow.session.executable import Executable

    make = Executable.__init__

    def make_and_note(self, *arguments, **options):
        make(self, *arguments, **options)
        PROGRAMS.append(weakref.ref(self))

    Executable.__init__ = make_and_note


def executables(kind, having=None):
    """Programs of tinyflow that are in memory, of one of the classes in MODULES, and for which
    the attribute `having` is true; one that another thread is making may lack it.
    """
    module = sys.modules.get(MODULES[kind])
    if module is None:
        return []
    programs = [reference() for reference in list(PROGRAMS)]
    return [program for program in programs if isinstance(program, getattr(module, kind))
            and (having is None or getattr(program, having, False))]


def one_line(error):
    """The exception's class and the first line of what it says."""
    text = str(error).strip()
    return type(error).__name__ + (": " + text.splitlines()[0] if text else "")


def serve(framework, requests, send):
    """Send a greeting, then answer requests until the input ends."""
    try:
        bench = Bench(framework)
    except Exception as error:
        send({"error": one_line(error)})
        return
    send(bench.greeting())
    for request in requests:
        message = json.loads(request)
        send({"results": bench.results(message["workload"], message["inner"])})


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in FRAMEWORKS:
        sys.exit("usage: worker.py " + "|".join(FRAMEWORKS))
    import growth_workloads  # noqa: F401 - enters its workloads, which run.py does not have

    # The answers keep the real stdout to themselves; whatever else prints goes to stderr.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def send(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    serve(sys.argv[1], sys.stdin, send)


if __name__ == "__main__":
    main()
