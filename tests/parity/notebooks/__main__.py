"""python -m tests.parity.notebooks NOTEBOOK... [--tensorflow PYTHON] [--v2] [--eager]

Each notebook runs here and with the interpreter of TensorFlow (1.15.5; 2.15.1 with --v2), cell by
cell, with the same local data in place of downloads. The table has, of the cells that run in
TensorFlow, how many run here, and what stops the others.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
START = Path(__file__).with_name('start.py')
EPOCHS = re.compile(r'(\bepochs\s*=\s*|\bEPOCHS\s*=\s*)(\d+)')


def shortened(text: str, epochs: int) -> str:
    """A notebook's text with at most so many epochs, which is all that the comparison needs."""
    return EPOCHS.sub(lambda found: found[1] + str(min(int(found[2]), epochs)), text)


def outcomes(python: str, where: str, notebook: Path, options) -> list[str]:
    """What became of each cell: 'ok', an error, or 'cut off'."""
    with tempfile.TemporaryDirectory() as scratch:
        copy, written = Path(scratch) / notebook.name, Path(scratch) / 'outcomes'
        copy.write_text(shortened(notebook.read_text(encoding='utf-8'), options.epochs),
                        encoding='utf-8')
        environment = {
            **os.environ, 'PYTHONPATH': str(ROOT) if where == 'here' else '', 'HOME': scratch,
            'TF_CPP_MIN_LOG_LEVEL': '3', 'CUDA_VISIBLE_DEVICES': '', 'PYTHONHASHSEED': '0',
            'PYTHONDONTWRITEBYTECODE': '1'}
        log = options.logs / f'{notebook.stem}.{where}.txt' if options.logs else Path(os.devnull)
        with open(log, 'w', encoding='utf-8') as out, subprocess.Popen(
                [python, str(START), where, '2' if options.v2 else '1',
                 'eager' if options.eager else 'graph', str(copy), str(written)], cwd=scratch,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment,
                start_new_session=True) as process:
            try:
                process.wait(options.seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        lines = written.read_text(encoding='utf-8').splitlines() if written.exists() else []
    number = sum(cell['cell_type'] == 'code'
                 for cell in json.loads(notebook.read_text(encoding='utf-8'))['cells'])
    done = [json.loads(line) for line in lines]
    return done + ['cut off'] * (number - len(done))


def main() -> int:
    """Prints the table; the status is 1 if a cell that runs in TensorFlow does not run here."""
    parser = argparse.ArgumentParser(prog='python -m tests.parity.notebooks', description=(
        'Runs notebooks cell by cell, here and in TensorFlow.'))
    parser.add_argument('notebooks', type=Path, nargs='+')
    parser.add_argument('--tensorflow', metavar='PYTHON', default='',
                        help='an interpreter with TensorFlow; without one, here only')
    parser.add_argument('--v2', action='store_true', help="notebooks of TensorFlow 2's names")
    parser.add_argument('--eager', action='store_true', help='eager execution is on, without a '
                        'line for it: pages written for TensorFlow 1 that stand on 2 today')
    parser.add_argument('--epochs', type=int, default=2, help='at most (default: %(default)s)')
    parser.add_argument('--seconds', type=float, default=600.0, help='for each notebook and side')
    parser.add_argument('--logs', type=Path, metavar='FOLDER', help='what the cells print')
    options = parser.parse_args()
    print('| notebook | cells | run in TensorFlow | of these, here |\n|---|---|---|---|')
    fails = []
    for notebook in options.notebooks:
        here = outcomes(sys.executable, 'here', notebook, options)
        there = outcomes(options.tensorflow, 'tensorflow', notebook, options) \
            if options.tensorflow else ['ok'] * len(here)
        judged = [cell for cell, outcome in enumerate(there) if outcome == 'ok']
        both = [cell for cell in judged if here[cell] == 'ok']
        print(f'| {notebook.stem} | {len(here)} | {len(judged)} | {len(both)} |', flush=True)
        fails += [f'{notebook.stem}, cell {cell}: {here[cell]}' for cell in judged
                  if here[cell] != 'ok']
    print('\n' + '\n'.join(fails))
    return int(bool(fails))


if __name__ == '__main__':
    sys.exit(main())
