"""Runs every benchmark, one after another, as `make bench` does.

    python benchmarks/all.py --tensorflow PYTHON [--tensorflow1 PYTHON] [options of run.py]

With options of run.py, such as `--only mlp`, that one alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tensorflow", default="", help="an interpreter with TensorFlow 2.15")
    parser.add_argument("--tensorflow1", default="", help="one with TensorFlow 1.15, for clusters")
    options, for_run = parser.parse_known_args()
    newer = _if_there("--tensorflow", options.tensorflow)
    if for_run:
        sys.exit(_run("run.py", *newer, *for_run))
    quiet = str(HERE / "out" / "speed.json")
    codes = [
        _run("run.py", *newer, "--json", quiet),
        _run("run.py", *newer, "--busy", "2", "--quiet", quiet,
             "--plot", str(HERE / "out" / "speed_under_load.svg")),
        _run("load.py", *newer),
        _run("growth.py", *newer),
        _run("takeover.py"),
        _run("cluster.py", *_if_there("--tensorflow1", options.tensorflow1)),
        _run("explorer.py"),
    ]
    sys.exit(max(codes))


def _if_there(option, python):
    return [option, python] if Path(python).is_file() else []


def _run(script, *arguments):
    print(f"\n== {script} {' '.join(arguments)}\n", flush=True)
    return subprocess.run([sys.executable, str(HERE / script), *arguments]).returncode


if __name__ == "__main__":
    main()
