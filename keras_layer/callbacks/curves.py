"""LearningCurves: plots of loss and metrics over the epochs, in a file or a notebook.

A panel is a list of lines and texts; `curves_svg` writes SVG, `curves_png` draws with Pillow.
"""
from __future__ import annotations

import io
import math
import os
from html import escape
from typing import NamedTuple

from keras_layer.callbacks.base import Callback
from tinyflow.graph.support import render
from tinyflow.graph.support.errors import misuse

__all__ = ['LearningCurves', 'curves_png', 'curves_svg']

_COLORS = ('#0072b2', '#d55e00', '#00795a', '#a0447d', '#b37700', '#4d5473')
_DARK, _LIGHT = '#333333', '#e2e2e2'
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _RIGHT = 420, 300, 66, 46, 48, 18
_SUFFIXES = ('.svg', '.png')


class LearningCurves(Callback):
    """Draws the learning curves after each epoch: solid for training, dashed for validation.

    `path` is an .svg or .png file (the latter needs Pillow); without one the plot is shown in
    the notebook and updated live.
    """

    def __init__(self, path=None):
        super().__init__()
        if path is not None:
            render.check_path(path)
            _kind(os.fspath(path))
        self.path = None if path is None else os.fspath(path)
        self._epochs, self._history, self._display = [], {}, None

    def on_train_begin(self, logs=None):
        self._epochs, self._history = [], {}

    def on_epoch_end(self, epoch, logs=None):
        self._epochs.append(epoch)
        add_epoch(self._history, len(self._epochs), logs)
        if self.path is None:
            self._show(curves_svg(self._epochs, self._history))
        elif _kind(self.path) == '.svg':
            render.write(self.path, curves_svg(self._epochs, self._history).encode())
        else:
            render.write(self.path, curves_png(self._epochs, self._history))

    def _show(self, svg):
        try:
            from IPython import display  # optional package
        except ImportError:
            return
        if self._display is None:
            self._display = display.display(display.SVG(svg), display_id=True)
        else:
            self._display.update(display.SVG(svg))


def add_epoch(history, count, logs):
    """Adds the logs of an epoch, the `count`th: each name has a value for each, NaN if missing.

    Validation may run in some epochs only; its values keep their position on the x axis.
    """
    for name in logs or {}:
        history.setdefault(name, [math.nan] * (count - 1))
    for name, values in history.items():
        values.append((logs or {}).get(name, math.nan))


def _kind(path):
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _SUFFIXES:
        raise misuse(ValueError(f'LearningCurves({path!r}): the plot is written as .svg or '
                                '.png, not as another type.'))
    return suffix


# ---- shapes --------------------------------------------------------------------------------


class _Line(NamedTuple):
    points: list                    # [(x, y)]; one point is a dot
    color: str
    width: float = 1
    dashed: bool = False
    data: bool = False


class _Text(NamedTuple):
    x: float
    y: float                        # y of the baseline
    text: str
    anchor: str = 'middle'          # 'start', 'middle' or 'end' of the text is at x
    size: int = 12
    color: str = _DARK


def _panels(epochs, history):
    """One list of shapes for each value; validation is in the same panel."""
    names = [n for n in history if not n.startswith('val_')]
    names += [n for n in history if n.startswith('val_') and n[4:] not in names]
    return [_panel(name, _COLORS[i % len(_COLORS)], epochs, history)
            for i, name in enumerate(names)]


def _panel(name, color, epochs, history):
    series = [(label, _points(epochs, history[label])) for label in (name, 'val_' + name)
              if label in history]
    values = [value for _, points in series for _, value in points]
    low, high = _limits(values)
    first, last = (epochs[0], epochs[-1]) if len(epochs) > 1 else (epochs[0] - .5, epochs[0] + .5)
    right, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def x(epoch):
        return _LEFT + (epoch - first) / (last - first) * (right - _LEFT)

    def y(value):
        return floor - (value - low) / (high - low) * (floor - _TOP)
    shapes = [_Text(_LEFT, 22, name, 'start', 15)]
    for tick in _ticks(low, high):
        shapes += [_Line([(_LEFT, y(tick)), (right, y(tick))], _LIGHT),
                   _Text(_LEFT - 8, y(tick) + 4, f'{tick:g}', 'end')]
    for tick in sorted({round(t) for t in _ticks(first + 1, last + 1)}):
        if first <= tick - 1 <= last:
            shapes += [_Line([(x(tick - 1), floor), (x(tick - 1), floor + 4)], _DARK),
                       _Text(x(tick - 1), floor + 18, str(tick))]
    shapes += [_Line([(_LEFT, _TOP), (_LEFT, floor), (right, floor)], _DARK),
               _Text((_LEFT + right) / 2, _HEIGHT - 10, 'epoch')]
    shapes += [_Line([(x(e), y(v)) for e, v in points], color, 2.2 if len(points) > 1 else 7,
                     label.startswith('val_'), True) for label, points in series if points]
    return shapes + _legend(series, color, right, 22 if len(name) <= 18 else 38)


def _points(epochs, values):
    """(epoch, value) pairs of the finite values."""
    return [(e, v) for e, v in zip(epochs[-len(values):], map(float, values)) if math.isfinite(v)]


def _limits(values):
    low, high = (min(values), max(values)) if values else (0., 1.)
    if high - low < 1e-12 * max(abs(low), abs(high), 1e-300):
        around = abs(low) * .1 or .5
        return low - around, high + around
    return low - .04 * (high - low), high + .04 * (high - low)


def _legend(series, color, right, y):
    if len(series) < 2:
        return []
    return [_Line([(right - 172, y - 4), (right - 148, y - 4)], color, 2.2),
            _Text(right - 142, y, 'training', 'start'),
            _Line([(right - 84, y - 4), (right - 60, y - 4)], color, 2.2, True),
            _Text(right - 54, y, 'validation', 'start')]


def _ticks(low, high):
    """About five round numbers between the two."""
    step = 10. ** math.floor(math.log10((high - low) / 4))
    step *= next((factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6), 10)
    start = math.ceil(low / step - 1e-9)
    count = int((high - start * step) / step + 1e-9) + 1
    digits = max(0, 1 - math.floor(math.log10(step)))
    return [round((start + i) * step, digits) for i in range(count)]


# ---- output formats -------------------------------------------------------------------------


def curves_svg(epochs, history):
    """The plot as SVG text: one panel for each value and its validation."""
    panels = _panels(epochs, history)
    width = _WIDTH * max(len(panels), 1)
    inside = ''.join(f'<g transform="translate({i * _WIDTH},0)">{"".join(map(_svg, shapes))}</g>'
                     for i, shapes in enumerate(panels))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
            f'viewBox="0 0 {width} {_HEIGHT}" font-family="Helvetica, Arial, sans-serif">'
            f'<rect width="{width}" height="{_HEIGHT}" fill="white"/>{inside}</svg>')


def _svg(shape):
    if isinstance(shape, _Text):
        return (f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size}" '
                f'fill="{shape.color}" text-anchor="{shape.anchor}">{escape(shape.text)}</text>')
    points = shape.points if len(shape.points) > 1 else shape.points * 2    # a dot, by round caps
    path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
    if not shape.data:
        path = 'M' + path.replace(' ', 'L')
    dashed = ' stroke-dasharray="7 4"' if shape.dashed else ''
    looks = (f'fill="none" stroke="{shape.color}" stroke-width="{shape.width:g}"{dashed}')
    if shape.data:
        return (f'<polyline points="{path}" {looks} stroke-linejoin="round" '
                'stroke-linecap="round"/>')
    return f'<path d="{path}" {looks}/>'


def curves_png(epochs, history, scale=2):
    """The same plot as PNG bytes, drawn by Pillow."""
    try:
        from PIL import Image, ImageDraw  # optional package
    except ImportError:
        raise misuse(ImportError('Plots as .png need the package Pillow; .svg needs none.\n'
                                 '  Hint: pip install "tinyflow-graph[images]".')) from None
    panels = _panels(epochs, history)
    size = _WIDTH * max(len(panels), 1), _HEIGHT
    fine = scale * 2                            # supersampled, for smooth lines
    image = Image.new('RGB', (size[0] * fine, size[1] * fine), 'white')
    draw = ImageDraw.Draw(image)
    for i, shapes in enumerate(panels):
        for shape in shapes:
            (_paint_text if isinstance(shape, _Text) else _paint_line)(draw, shape, i * _WIDTH,
                                                                       fine)
    image = image.resize((size[0] * scale, size[1] * scale), Image.Resampling.BOX)
    out = io.BytesIO()
    image.save(out, 'PNG', optimize=True)
    return out.getvalue()


def _paint_text(draw, shape, left, scale):
    from PIL import ImageFont  # optional package
    font = ImageFont.load_default(shape.size * scale)
    anchor = {'start': 'ls', 'middle': 'ms', 'end': 'rs'}[shape.anchor]
    draw.text(((left + shape.x) * scale, shape.y * scale), shape.text, shape.color, font,
              anchor=anchor)


def _paint_line(draw, shape, left, scale):
    points = [((left + x) * scale, y * scale) for x, y in shape.points]
    width = max(round(shape.width * scale), 1)
    if len(points) == 1:
        x, y = points[0]
        draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), shape.color)
    for part in _dashes(points, 7 * scale, 4 * scale) if shape.dashed else [points]:
        draw.line(part, shape.color, width, joint='curve')


def _dashes(points, on, off):
    """The dashes of a polyline: pieces of length `on`, with gaps of length `off`."""
    pieces, piece, drawn, left = [], [points[0]], True, on
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        length = math.hypot(x1 - x0, y1 - y0)
        done = 0.
        while length - done > left:
            done += left
            corner = x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length
            if drawn:
                pieces.append([*piece, corner])
            piece, drawn, left = [corner], not drawn, off if drawn else on
        left -= length - done
        piece.append((x1, y1))
    if drawn and len(piece) > 1:
        pieces.append(piece)
    return pieces
