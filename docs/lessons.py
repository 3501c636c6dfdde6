"""Makes the lessons' notebooks: `make lessons`, or `python docs/lessons.py [FOLDER] [NUMBER ...]`.

The scripts in tutorials/ are the source. Each becomes a notebook that has been run: its outputs,
curves and pictures are stored in it. So do the Chinese lessons, which have the same programs.
Needs the extra `tinyflow-graph[docs]`.
"""
from __future__ import annotations

import argparse
import base64
import importlib.util
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
LESSONS = ROOT / 'tutorials'
MOST_SECONDS = 120              # on a busy machine; each takes less than 30 on two free cores
_SHOWN = re.compile(r'^show_(?:picture|curve)\(', re.M)
_LINK = re.compile(r'\]\((\d\d_\w+)\.py\)')


def notebook_of(script: Path) -> nbformat.NotebookNode:
    """The notebook of a lesson, not yet run; links lead to notebooks."""
    notebook = jupytext.read(script)
    notebook.metadata = nbformat.from_dict({'kernelspec': {
        'name': 'python3', 'display_name': 'Python 3', 'language': 'python'}})
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == 'markdown':
            cell.source = _LINK.sub(r'](\1.ipynb)', cell.source)
    return notebook


def run(script: Path, folder: Path) -> float:
    """Writes the notebook of a lesson with its outputs; returns the seconds that it took."""
    notebook = notebook_of(script)
    start = time.perf_counter()
    NotebookClient(notebook, timeout=MOST_SECONDS, kernel_name='python3',
                   extra_arguments=['--log-level=ERROR'],
                   resources={'metadata': {'path': str(folder)}}).execute()
    for cell in notebook.cells:             # times differ from run to run
        cell.metadata.pop('execution', None)
        for output in cell.get('outputs', ()):
            add_png(output)
    check(notebook, script)
    nbformat.write(notebook, folder / f'{script.stem}.ipynb')
    return time.perf_counter() - start


def add_png(output: nbformat.NotebookNode) -> None:
    """Adds to an SVG picture the same as PNG: Jupyter shows no SVG of a notebook made elsewhere."""
    svg = output.get('data', {}).get('image/svg+xml')
    if svg and importlib.util.find_spec('resvg_py'):        # it has no wheel for Python 3.10
        import resvg_py
        png = bytes(resvg_py.svg_to_bytes(svg_string=svg, dpi=2 * 96))
        output.data['image/png'] = base64.b64encode(png).decode()
        width = int.from_bytes(png[16:20], 'big') // 2
        output.metadata['image/png'] = nbformat.from_dict({'width': width})


def check(notebook: nbformat.NotebookNode, script: Path) -> None:
    """Raises ValueError unless each picture and curve that the lesson shows is in the notebook."""
    code = '\n'.join(cell.source for cell in notebook.cells if cell.cell_type == 'code')
    wanted = len(_SHOWN.findall(code))
    outputs = [output for cell in notebook.cells for output in cell.get('outputs', ())]
    found = sum(any(kind.startswith('image/') for kind in output.get('data', ()))
                for output in outputs)
    if found < wanted:
        raise ValueError(f'{script.name}: {found} of {wanted} pictures are in the notebook.')


def main() -> None:
    parser = argparse.ArgumentParser(description='Runs the lessons as notebooks.')
    parser.add_argument('folder', nargs='?', default=str(ROOT / 'out' / 'lessons'))
    parser.add_argument('numbers', nargs='*', type=int, help='of lessons; without: all')
    options = parser.parse_args()
    folder = Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(LESSONS / 'helpers.py', folder)
    os.environ['PYTHONPATH'] = os.pathsep.join([str(ROOT), os.environ.get('PYTHONPATH', '')])
    os.environ['OPENBLAS_NUM_THREADS'] = '1'        # two lessons run side by side
    scripts = [script for script in sorted(LESSONS.glob('[0-9]*.py'))
               if not options.numbers or int(script.stem[:2]) in options.numbers]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for script, seconds in zip(scripts, pool.map(lambda s: run(s, folder), scripts)):
            print(f'{script.stem:28} {seconds:5.1f} s')
            sys.stdout.flush()
    # Found when this file runs as a script: it is next to it.
    from chinese import write_notebooks

    write_notebooks(folder)
    shutil.rmtree(folder / '__pycache__', ignore_errors=True)


if __name__ == '__main__':
    main()
