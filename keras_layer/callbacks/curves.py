"""LearningCurves: loss and metrics over the epochs, as a file or live in a notebook."""
from __future__ import annotations

import math
import os

from keras_layer.callbacks.base import Callback
from tinyflow.errors import worded
from tinyflow.viz import render

__all__ = ['LearningCurves', 'curves_svg']

_COLORS = ('#0072b2', '#d55e00', '#00795a', '#a0447d', '#b37700', '#4d5473')
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 420, 300, 58, 34, 44


class LearningCurves(Callback):
    """Draws the learning curves after each epoch: solid for training, dashed for validation.

    `path` is an .svg file; without one the picture is shown in the notebook, live.
    """

    def __init__(self, path=None):
        super().__init__()
        if path is not None:
            render.check_path(path)
            _need_svg(os.fspath(path))
        self.path = None if path is None else os.fspath(path)
        self._epochs, self._history, self._display = [], {}, None

    def on_train_begin(self, logs=None):
        self._epochs, self._history = [], {}

    def on_epoch_end(self, epoch, logs=None):
        self._epochs.append(epoch)
        for name, value in (logs or {}).items():
            self._history.setdefault(name, []).append(value)
        svg = curves_svg(self._epochs, self._history)
        if self.path is not None:
            write_picture(self.path, svg)
        else:
            self._show(svg)

    def _show(self, svg):
        try:
            from IPython import display
        except ImportError:
            return
        if self._display is None:
            self._display = display.display(display.SVG(svg), display_id=True)
        else:
            self._display.update(display.SVG(svg))


def write_picture(path, svg):
    """The SVG as a file."""
    _need_svg(path)
    render.write(path, svg.encode())


def _need_svg(path):
    if not path.endswith('.svg'):
        raise worded(ValueError(f'LearningCurves({path!r}): the picture is written as .svg, not as '
                                'another kind.'))


def curves_svg(epochs, history):
    """The picture as SVG text: one panel for each value, with its validation in the same."""
    names = [n for n in history if not n.startswith('val_')]
    panels = [_panel(i, name, epochs, history) for i, name in enumerate(names)]
    width, height = _WIDTH * max(len(names), 1), _HEIGHT
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif" '
            f'font-size="12"><rect width="{width}" height="{height}" fill="white"/>'
            + ''.join(panels) + '</svg>')


def _panel(number, name, epochs, history):
    series = [(n, history[n]) for n in (name, 'val_' + name) if n in history]
    values = [v for _, own in series for v in own if math.isfinite(v)]
    low, high = (min(values), max(values)) if values else (0., 1.)
    if high - low < 1e-12:
        low, high = low - .5, high + .5
    first, last = epochs[0], max(epochs[-1], epochs[0] + 1)
    right, floor = _WIDTH - 16, _HEIGHT - _BOTTOM

    def x(epoch):
        return _LEFT + (epoch - first) / (last - first) * (right - _LEFT)

    def y(value):
        return floor - (value - low) / (high - low) * (floor - _TOP)
    parts = [f'<g transform="translate({number * _WIDTH},0)">',
             f'<text x="{_LEFT}" y="20" font-size="14" font-weight="bold">{name}</text>',
             f'<path d="M{_LEFT} {_TOP}V{floor}H{right}" fill="none" stroke="#444"/>']
    for tick in _ticks(low, high):
        parts.append(f'<path d="M{_LEFT - 4} {y(tick):.1f}H{right}" stroke="#ddd"/>'
                     f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}'
                     '</text>')
    for tick in sorted({round(t) for t in _ticks(first, last)}):
        if first <= tick <= last:
            parts.append(f'<text x="{x(tick):.1f}" y="{floor + 18}" text-anchor="middle">'
                         f'{tick + 1}</text>')
    parts.append(f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 8}" text-anchor="middle">epoch'
                 '</text>')
    color = _COLORS[number % len(_COLORS)]
    for label, own in series:
        points = ' '.join(f'{x(e):.1f},{y(v):.1f}' for e, v in zip(epochs[-len(own):], own)
                          if math.isfinite(v))
        dashed = ' stroke-dasharray="6 4"' if label.startswith('val_') else ''
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" '
                     f'stroke-width="2"{dashed}/>')
    parts.append(_legend(series, color, right))
    return ''.join(parts) + '</g>'


def _legend(series, color, right):
    if len(series) < 2:
        return ''
    return (f'<path d="M{right - 170} 16h22" stroke="{color}" stroke-width="2"/>'
            f'<text x="{right - 144}" y="20">training</text>'
            f'<path d="M{right - 84} 16h22" stroke="{color}" stroke-width="2" '
            f'stroke-dasharray="6 4"/><text x="{right - 58}" y="20">validation</text>')


def _ticks(low, high):
    """About five round numbers between the two."""
    step = 10 ** math.floor(math.log10((high - low) / 4 or 1))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= 6:
            step *= factor
            break
    start = math.ceil(low / step - 1e-9)
    return [round((start + i) * step, 12) for i in range(int((high - start * step) / step + 1e-9)
                                                         + 1)]
