"""Several processes: tinyflow's clusters and TensorFlow 1.15's, by turns in one run.

    python benchmarks/cluster.py --tensorflow1 /path/to/python-with-tensorflow-1.15

Each turn starts a new cluster of processes on this machine, each with one thread for linear algebra
and for TensorFlow's ops, measures for some seconds, and ends it. A row has the milliseconds of one
step of a worker: the least, which other work disturbs least, and the median. The ratio is the
median of the ratios of neighbouring turns, of the medians. TF1_PYTHON names the interpreter, too.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tinyflow.cluster.ports import free_ports

HERE = Path(__file__).resolve().parent
LIMIT = 90              # seconds of one turn


class Row(NamedTuple):
    """A cluster, what cluster_task.py does with it, and what is aimed at."""

    task: str
    workers: int
    aim: float | str            # a ratio to TensorFlow, or a limit of its own
    ps: int = 1
    rounds: int | None = None       # None: as many as asked for


ROWS = {
    "1 KB": Row("1 KB", 1, 4.0),
    "5 MB": Row("5 MB", 1, 1.3),
    "100 MB": Row("100 MB", 1, 1.0),
    "network, SGD, 1 worker": Row("SGD", 1, 1.3),
    "network, SGD, 2 workers": Row("SGD", 2, 1.3),
    "network, Adam, 2 workers": Row("Adam", 2, 1.0),
    "SyncReplicas, SGD, 2 workers": Row("SyncReplicas", 2, 1.3),
    "MultiWorkerMirrored, 1 worker": Row("MultiWorkerMirrored", 1, 1.0, ps=0),
    "MultiWorkerMirrored, 2 workers": Row("MultiWorkerMirrored", 2, 1.3, ps=0),
    "a worker waits for the chief": Row("wait", 2, "1000 ms", rounds=1),
    "killed worker to the next step": Row("killed", 2, "5000 ms", ps=0),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tensorflow1", metavar="PYTHON", default=os.environ.get("TF1_PYTHON"))
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side and row")
    parser.add_argument("--seconds", type=float, default=2.0, help="of one turn")
    parser.add_argument("--only", metavar="TEXT", default="", help="rows that contain it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every turn there")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))       # ends the processes of a turn
    sides = {"tinyflow": sys.executable}
    if options.tensorflow1:
        sides["tensorflow"] = options.tensorflow1
    print("load of this machine: " + ", ".join(f"{load:.1f}" for load in os.getloadavg())
          + f"; {os.cpu_count()} cores")
    print(f"{'ms a step, least / median':40}" + "".join(f"{side:>20}" for side in sides)
          + ("       ratio     aim" if len(sides) > 1 else ""))
    results = {}
    for name, row in ROWS.items():
        if options.only in name:
            results[name] = measure(row, sides, options)
            print(line(name, results[name], row.aim), flush=True)
    print(efficiency(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    if len(sides) == 1:
        print("TensorFlow's column needs --tensorflow1 PYTHON, one with TensorFlow 1.15.")


def measure(row, sides, options):
    """{side: [result of each turn]}; a turn that failed is {"error": its last line}."""
    found = {side: [] for side in sides}
    for _ in range(row.rounds or options.rounds):
        for side, python in sides.items():
            if row.task == "killed":
                found[side].append(killed(python) if side == "tinyflow" else
                                   {"error": "restarts are left to the user's own script"})
            else:
                found[side].append(turn(side, python, row, options.seconds))
    return found


def turn(side, python, row, seconds):
    """Starts servers and workers, and ends them: the workers' least and mean median."""
    ports = iter(free_ports(row.ps + row.workers))
    cluster = {job: [f"localhost:{next(ports)}" for _ in range(count)]
               for job, count in (("ps", row.ps), ("worker", row.workers)) if count}
    processes, logs = [], []
    try:
        for job, addresses in cluster.items():
            for index in range(len(addresses)):
                log = tempfile.TemporaryFile("w+")
                process = subprocess.Popen(
                    [python, str(HERE / "cluster_task.py"), side, row.task, job, str(index),
                     json.dumps(cluster), str(seconds)],
                    stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                    env=environment(side, cluster, job, index))
                processes.append(process)
                logs.append(log)
        results = results_of(processes[row.ps:], logs[row.ps:])
        return {"min": min(each["min"] for each in results),
                "median": sum(each["median"] for each in results) / len(results),
                "steps": [each["steps"] for each in results]}
    except RuntimeError as error:
        return {"error": str(error)}
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for log in logs:
            log.close()


def results_of(processes, logs):
    """What the workers measured, as soon as all have said it. They may train on until then."""
    end = time.monotonic() + LIMIT
    found = {}
    while len(found) < len(processes):
        for index, (process, log) in enumerate(zip(processes, logs)):
            ended = process.poll() is not None
            log.seek(0)
            text = log.read()
            _, said, result = text.rpartition("RESULT ")
            if said and "\n" in result:
                found[index] = json.loads(result.splitlines()[0])
            elif ended:
                last = (text.strip() or "a worker ended without a word").splitlines()[-1]
                raise RuntimeError(last[:100])
        if time.monotonic() > end:
            raise RuntimeError(f"no result within {LIMIT} s")
        time.sleep(0.1)
    return [found[index] for index in sorted(found) if found[index]]


def killed(python):
    """`launch --restarts 1` with a worker that kills itself: ms until the next step of any."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, "-m", "tinyflow", "launch", "--workers", "2", "--restarts", "1",
             str(HERE / "cluster_killed.py"), folder],
            env=environment("tinyflow"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=LIMIT)
        times = [path.read_text() for path in map(Path(folder).joinpath, ("killed", "continued"))
                 if path.exists()]
    if len(times) < 2:
        return {"error": (done.stdout.strip().splitlines() or ["nothing was printed"])[-1][:100]}
    seconds = float(times[1]) - float(times[0])
    return {"min": 1000 * seconds, "median": 1000 * seconds, "steps": [1]}


def environment(side, cluster=None, job=None, index=None):
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                             "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS"), "1")
    path = {"PYTHONPATH": os.pathsep.join(filter(None, [
        str(HERE.parent), os.environ.get("PYTHONPATH")]))} if side == "tinyflow" else {}
    config = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
              } if cluster and "ps" not in cluster else {}
    rest = {name: value for name, value in os.environ.items()
            if name not in ("TF_CONFIG", "PYTHONPATH")}
    return {**rest, **threads, **path, **config, "TF_CPP_MIN_LOG_LEVEL": "3"}


def efficiency(results):
    """How much of two workers' time is left for work: steps a second of 2 by those of 1."""
    one, two = (results.get(f"MultiWorkerMirrored, {number}", {})
                for number in ("1 worker", "2 workers"))
    shares = []
    for side in one:
        ratios = [a["median"] / b["median"] for a, b in zip(one[side], two.get(side, ()))
                  if "error" not in a and "error" not in b]
        if ratios:
            shares.append(f"{side} {100 * median(ratios):.0f}%")
    return "efficiency of 2 workers of MultiWorkerMirrored: " + ", ".join(shares) if shares else ""


def line(row, results, aim):
    text = f"{row:40}"
    for turns in results.values():
        good = [each for each in turns if "error" not in each]
        text += f"{min(e['min'] for e in good):9.2f} / {median(e['median'] for e in good):8.2f}" \
            if good else f"{'-':>20}"
    sides = list(results.values())
    if len(sides) > 1:
        ratios = [b["median"] / a["median"] for a, b in zip(*sides)
                  if "error" not in a and "error" not in b]
        text += f"{median(ratios):11.2f}x" if ratios else f"{'-':>12}"
    text += f"{aim:>8}" if isinstance(aim, str) else f"{aim:7.1f}x"
    errors = {each["error"]: side for side, turns in results.items()
              for each in turns if "error" in each}
    return text + "".join(f"\n    {side}: {error}" for error, side in errors.items())


if __name__ == "__main__":
    main()
