"""python -m tests.parity.programs FOLDER [--tensorflow PYTHON]: a table of what runs where.

Each program of the folder runs in a copy of the whole folder, once here and once with the
interpreter of TensorFlow 1.15.5, with the same stand-ins for data (stand_ins.py). Counts of steps
and epochs that are written as `num_steps = 30000` are lowered in both copies.
"""
from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.parity.programs.outcome import Outcome, summary, table, verdict

ROOT = Path(__file__).resolve().parents[3]
START = Path(__file__).with_name('start.py')
COUNT = re.compile(
    r'^(\s*(?!\w*time_?steps)\w*?(steps|iters|iterations|epochs|epoch|episodes)\s*=\s*)(\d+)'
    r'(?=\s*(#|$))',
    re.IGNORECASE | re.MULTILINE)
EPOCHS = 2


def lowered(text: str, steps: int) -> str:
    """A program's text with counts of steps up to `steps`, and of epochs up to EPOCHS."""
    def lower(found):
        most = EPOCHS if found[2].lower().startswith('epoch') else steps
        return found[1] + str(min(int(found[3]), most))
    return COUNT.sub(lower, text)


def programs(folder: Path, only: str) -> list[Path]:
    """The files with `import tensorflow` or `import keras` that do something, as relative paths."""
    found = []
    for path in sorted(folder.rglob('*.py')):
        text = path.read_text(encoding='utf-8', errors='replace')
        if re.search(r'^\s*(import|from) (tensorflow|keras)\b', text, re.MULTILINE) and \
                re.search(only, str(path)) and '.git' not in path.parts:
            found.append(path.relative_to(folder))
    return found


def run(python: str, where: str, folder: Path, program: Path, options) -> tuple[Outcome, float]:
    """The outcome of a program in a copy of its folder, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / 'programs'
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns('.git', '*.ipynb'))
        for path in copy.rglob('*.py'):
            text = path.read_bytes().decode('utf-8', 'surrogateescape')
            path.write_bytes(lowered(text, options.steps).encode('utf-8', 'surrogateescape'))
        environment = {
            **os.environ, 'PYTHONPATH': str(ROOT) if where == 'here' else options.keras,
            'TF_CPP_MIN_LOG_LEVEL': '3', 'PYTHONUNBUFFERED': '1', 'PYTHONHASHSEED': '0',
            'PYTHONDONTWRITEBYTECODE': '1', 'CUDA_VISIBLE_DEVICES': '', 'HOME': scratch}
        begin = time.perf_counter()
        with subprocess.Popen(
                [python, str(START), where, str(copy / program)], cwd=(copy / program).parent,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, errors='replace', env=environment, start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=options.seconds)
                status: int | None = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                status = None
        return Outcome(status, out, err.replace(scratch, '')), time.perf_counter() - begin


def main() -> int:
    """Prints the table and the figure; the status is that of `fails here`."""
    parser = argparse.ArgumentParser(prog='python -m tests.parity.programs', description=(
        "Runs other people's programs here and in TensorFlow 1.15.5, and compares them."))
    parser.add_argument('folder', type=Path)
    parser.add_argument('--tensorflow', metavar='PYTHON', help='an interpreter with TensorFlow '
                        '1.15.5 (default: $TINYFLOW_TF115_PYTHON); without one, here only',
                        default=os.environ.get('TINYFLOW_TF115_PYTHON'))
    parser.add_argument('--keras', metavar='FOLDER', default='', help="of multi-backend Keras, for "
                        "programs with `import keras` in TensorFlow's interpreter")
    parser.add_argument('--only', metavar='PATTERN', default='', help='paths that match')
    parser.add_argument('--steps', type=int, default=60, help='most steps (default: %(default)s)')
    parser.add_argument('--seconds', type=float, default=60.0,
                        help='for each program and side (default: %(default)s)')
    options = parser.parse_args()
    rows = []
    for program in programs(options.folder, options.only):
        here, ours = run(sys.executable, 'here', options.folder, program, options)
        there, theirs = None, None
        if options.tensorflow:
            there, theirs = run(options.tensorflow, 'tensorflow', options.folder, program, options)
        rows.append((str(program), *verdict(here, there), ours, theirs))
        print(f'{program}: {rows[-1][1]} {rows[-1][2]}', file=sys.stderr, flush=True)
    print(table(rows) + '\n\n' + summary([row[1] for row in rows]))
    return int(any(row[1] == 'fails here' for row in rows))


if __name__ == '__main__':
    sys.exit(main())
