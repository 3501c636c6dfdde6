"""Helpers of the lessons: a folder for pictures, pictures and curves in terminals and notebooks."""
from __future__ import annotations

import math
import os
import sys
from pathlib import Path


def output(name: str) -> str:
    """The path of the file `name` in the output folder, which is made if need be.

    The folder is the script's first argument, else $TINYFLOW_OUTPUT, else tutorials/output. In a
    notebook the arguments belong to the notebook's own machinery, so they do not count there.
    """
    arguments = [] if _in_notebook() else sys.argv[1:2]
    here = Path(__file__).resolve().parent / 'output'
    folder = Path(*arguments or [os.environ.get('TINYFLOW_OUTPUT') or str(here)])
    folder.mkdir(parents=True, exist_ok=True)
    return os.path.relpath(folder / name) if folder == here else str(folder / name)


def text_curve(values, width: int = 60, height: int = 8) -> str:
    """A curve of `values` for a terminal: time runs to the right, large is up.

    Values are averaged where there are more of them than columns.
    """
    count = min(width, len(values))
    edges = [len(values) * i // count for i in range(count + 1)]
    columns = [sum(values[a:b]) / (b - a) for a, b in zip(edges, edges[1:])]
    low, high = min(columns), max(columns)
    step = (high - low) / (height - 1) or 1.0
    rows = [round((value - low) / step) for value in columns]
    decimals = max(0, 2 - math.floor(math.log10(abs(high) or 1.0)))
    lines = []
    for row in reversed(range(height)):
        label = f'{low + row * step:.{decimals}f}' if row in (0, height - 1) else ''
        dots = ''.join('•' if r == row else ' ' for r in rows).rstrip()
        lines.append(f'{label:>9} │{dots}')
    return '\n'.join([*lines, ' ' * 10 + '└' + '─' * count])


def show_picture(label: str, path: str) -> None:
    """Says where a picture is; in a notebook it is shown."""
    if not _in_notebook():
        print(label, path)
        return
    from IPython import display
    print(label.strip())
    kind = display.SVG if path.endswith('.svg') else display.Image
    display.display(kind(filename=path))


def show_curve(values, title: str = '') -> None:
    """A curve of `values`: as text in a terminal, as a plot in a notebook."""
    if not _in_notebook():
        print(f'\n{title}' if title else '', text_curve(values), sep='\n' if title else '')
        return
    from matplotlib import pyplot
    _, axes = pyplot.subplots(figsize=(6, 2.4))
    axes.plot(list(values))
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.3)
    pyplot.show()


def _in_notebook() -> bool:
    return sys.modules.get('ipykernel') is not None


def draw_dot(source: str, path: str) -> None:
    """Draws a graph in the DOT language, with the Graphviz that tinyflow uses itself."""
    from tinyflow.graph.support import render
    Path(path).write_bytes(render.layout(source, 'svg')[0])


def side_by_side(path: str, *pngs: bytes) -> None:
    """Writes pictures, PNG files as bytes, into one PNG file, side by side."""
    import numpy as np

    import tinyflow as tf
    with tf.Graph().as_default(), tf.Session() as session:
        pictures = session.run([tf.image.decode_png(png, channels=3) for png in pngs])
        height = max(map(len, pictures))
        equal = [np.pad(picture, [(0, height - len(picture)), (20, 20), (0, 0)],
                        constant_values=255) for picture in pictures]
        Path(path).write_bytes(session.run(tf.image.encode_png(np.concatenate(equal, axis=1))))
