"""Runs a worker process: starts it, sends requests, and survives its crashes."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent

# The slowest request known, TensorFlow's chain of 10,000, stays far below this on a busy machine.
PATIENCE_SECONDS = 180


class SideError(Exception):
    """A side could not be started, died, or does not answer."""


class Side:
    """One framework in its own process, in its own interpreter."""

    def __init__(self, label, framework, python, environment=()):
        self.label = label
        self.settings = dict(environment)
        self.command = [str(python), str(HERE / "worker.py"), framework]
        self.process = None
        self.versions = {}

    def start(self):
        """Start the worker and read its greeting; raises SideError when nothing loads."""
        # The measured side may be a source tree that is not installed.
        paths = [os.environ.get("PYTHONPATH"), str(HERE.parent)]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths)))
        environment.update(self.settings)
        # An installed package comes with bytecode; a source tree must be allowed to keep it.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.log = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.log,
                text=True,
                env=environment,
            )
        except OSError as error:
            raise SideError(f"cannot start {self.command[0]}: {error.strerror}") from error
        self.lines = queue.Queue()
        reader = threading.Thread(
            target=forward, args=(self.process.stdout, self.lines), daemon=True
        )
        reader.start()
        greeting = self.receive()
        if "error" in greeting:
            self.stop()
            raise SideError(greeting["error"])
        self.versions = greeting

    def measure(self, workload, inner=None):
        """One {"value"} or {"error"} per row of the workload; a dead worker is an error as well."""
        try:
            if self.process is None:
                self.start()
            request = {"workload": workload.name, "inner": inner or workload.inner}
            print(json.dumps(request), file=self.process.stdin, flush=True)
            return self.receive()["results"]
        except (SideError, BrokenPipeError) as error:
            self.stop()
            return [{"error": str(error)}] * len(workload.rows)

    def seconds(self, workload, inner):
        """Seconds per step of the workload's first row; raises SideError if it fails."""
        answer = self.measure(workload, inner)[0]
        if "error" in answer:
            raise SideError(answer["error"])
        return answer["value"]

    def receive(self):
        """The next answer; raises SideError when none comes."""
        try:
            line = self.lines.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            self.stop()
            raise SideError(f"no answer within {PATIENCE_SECONDS} s") from None
        if line is None:
            code = self.process.wait()
            self.log.seek(0)
            said = self.log.read().decode(errors="replace").strip().splitlines()
            self.stop()
            raise SideError(f"worker ended with code {code}" + (f": {said[-1]}" if said else ""))
        return json.loads(line)

    def stop(self):
        """End the worker, if it runs; the next measurement starts a new one."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # a request that the dead process no longer took
            self.process.stdin.close()
        self.process = None
        self.log.close()


def step_seconds(sides, workload, rounds, turn_seconds, most):
    """{label: seconds per step}, the median over rounds in which the sides take turns.

    A turn repeats the step as often as fills `turn_seconds` of the first side, `most` times at
    most. Raises SideError.
    """
    for side in sides:
        side.seconds(workload, 1)  # builds the graph and warms up
    inner = max(1, min(most, int(turn_seconds / sides[0].seconds(workload, 3))))
    taken = {side.label: [] for side in sides}
    for _ in range(rounds):
        for side in sides:
            taken[side.label].append(side.seconds(workload, inner))
    return {label: median(times) for label, times in taken.items()}


def forward(stream, lines):
    """Put each line of the stream on the queue, and None after the last."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)
