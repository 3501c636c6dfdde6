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
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
LIMIT = 40              # seconds of one turn

# name -> (workers, the ratio to TensorFlow 1.15 that is aimed at)
ROWS = {
    "1 KB": (1, 4.0), "5 MB": (1, 1.3), "100 MB": (1, 1.0),
    "network, SGD, 1 worker": (1, 1.3), "network, SGD, 2 workers": (2, 1.3),
    "network, Adam, 2 workers": (2, 1.0),
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
    for row, (workers, aim) in ROWS.items():
        if options.only in row:
            results[row] = measure(row, workers, sides, options)
            print(line(row, results[row], aim), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    if len(sides) == 1:
        print("TensorFlow's column needs --tensorflow1 PYTHON, one with TensorFlow 1.15.")


def measure(row, workers, sides, options):
    """{side: [result of each turn]}; a turn that failed is {"error": its last line}."""
    found = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, python in sides.items():
            found[side].append(turn(side, python, row, workers, options.seconds))
    return found


def turn(side, python, row, workers, seconds):
    """Starts a server and workers, and ends them: the workers' least and mean median."""
    ports = iter(free_ports(workers + 1))
    cluster = {job: [f"localhost:{next(ports)}" for _ in range(count)]
               for job, count in (("ps", 1), ("worker", workers))}
    tasks = [("ps", 0), *(("worker", index) for index in range(workers))]
    processes, logs = [], []
    try:
        for job, index in tasks:
            logs.append(tempfile.TemporaryFile("w+"))
            processes.append(subprocess.Popen(
                [python, str(HERE / "cluster_task.py"), side, row, job, str(index),
                 json.dumps(cluster), str(seconds)],
                stdout=logs[-1], stderr=subprocess.STDOUT, start_new_session=True,
                env=environment(side)))
        for process in processes[1:]:
            process.wait(LIMIT)
        outputs = []
        for log in logs[1:]:
            log.seek(0)
            outputs.append(log.read())
        results = [json.loads(text.rpartition("RESULT ")[2].splitlines()[0]) for text in outputs
                   if "RESULT " in text]
        if len(results) < workers:
            return {"error": next(text for text in outputs
                                  if "RESULT " not in text).strip().splitlines()[-1][:100]}
        return {"min": min(each["min"] for each in results),
                "median": sum(each["median"] for each in results) / workers,
                "steps": [each["steps"] for each in results]}
    except subprocess.TimeoutExpired:
        return {"error": f"no result within {LIMIT} s"}
    except IndexError:
        return {"error": "a worker ended without a word"}
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for log in logs:
            log.close()


def environment(side):
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                             "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS"), "1")
    path = {"PYTHONPATH": os.pathsep.join(filter(None, [
        str(HERE.parent), os.environ.get("PYTHONPATH")]))} if side == "tinyflow" else {}
    rest = {name: value for name, value in os.environ.items()
            if name not in ("TF_CONFIG", "PYTHONPATH")}
    return {**rest, **threads, **path, "TF_CPP_MIN_LOG_LEVEL": "3"}


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def line(row, results, aim):
    text = f"{row:40}"
    for turns in results.values():
        good = [each for each in turns if "error" not in each]
        text += f"{min(e['min'] for e in good):9.2f} / {median(e['median'] for e in good):8.2f}" \
            if good else f"{'failed':>20}"
    sides = list(results.values())
    if len(sides) > 1:
        ratios = [b["median"] / a["median"] for a, b in zip(*sides)
                  if "error" not in a and "error" not in b]
        text += (f"{median(ratios):11.2f}x" if ratios else f"{'-':>12}") + f"{aim:7.1f}x"
    errors = {each["error"]: side for side, turns in results.items()
              for each in turns if "error" in each}
    return text + "".join(f"\n    {side}: {error}" for error, side in errors.items())


if __name__ == "__main__":
    main()
