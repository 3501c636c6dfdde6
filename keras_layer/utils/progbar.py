"""Progbar: a progress bar with elapsed time and metric values."""
from __future__ import annotations

import os
import sys
import time

import numpy as np

__all__ = ['Progbar']


class Progbar:
    """A progress bar: live in a terminal or notebook, else one line at the end.

    `target` is the number of steps (None: unknown); `verbose` 1 is the bar, 2 a line at the end,
    0 no output. Values are averaged over the steps, except those in `stateful_metrics`.
    """

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None,
                 unit_name='step'):
        self.target, self.width, self.verbose = target, width, verbose
        self.interval, self.unit_name = interval, unit_name
        self.stateful_metrics = set(stateful_metrics or [])
        self._live = _is_live()
        self._values, self._order = {}, []
        self._seen = 0
        self._start = time.time()
        self._next = 0.
        self._length = 0

    def wants(self):
        """True if `update` would print something now; cheap, for every batch."""
        if self.verbose != 1 or not self._live:
            return False
        return time.time() >= self._next

    def add_silently(self, current, logs, names):
        """Adds the values of a step without printing."""
        self._take(current, [(k, logs[k]) for k in names if k in logs])

    def _take(self, current, values):
        steps = max(current - self._seen, 1)
        for name, value in values:
            if name not in self._values:
                self._order.append(name)
                self._values[name] = [0., 0]
            kept = self._values[name]
            if name in self.stateful_metrics:
                kept[0], kept[1] = value, 1
            else:
                kept[0] += value * steps
                kept[1] += steps
        self._seen = current

    def update(self, current, values=None):
        """Sets the number of steps done and adds (name, value) pairs of the last one."""
        self._take(current, values or [])
        if self.target is not None and current >= self.target:
            self._print(current, ended=True)
        elif self.wants():
            self._print(current)

    def add(self, n, values=None):
        """Adds `n` completed steps."""
        self.update(self._seen + n, values)

    def finish(self, current, values):
        """Draws the final state, with the final values."""
        for name, value in values:
            if name not in self._values:
                self._order.append(name)
            self._values[name] = [value, 1]
        self._seen = current
        if self.target is None:
            self.target = current
        self._print(current, ended=True)

    def _print(self, current, ended=False):
        now = time.time()
        self._next = now + self.interval
        if not self.verbose:
            return
        took = now - self._start
        if self.verbose == 1:
            rest = f' - {self._time(current, took)}{self._averages()}'
            columns = _columns() if self._live else None
            text = self._bar(current, self._cells(current, rest, columns)) + rest
            if columns and not ended:
                text = text[:columns - 1]       # a line that wraps is not drawn over by the next
        else:
            text = f'{current}/{self.target} - {took:.0f}s{self._averages()}'
        if self.verbose == 1 and self._live:
            padding = ' ' * max(0, self._length - len(text))
            sys.stdout.write('\r' + text + padding + ('\n' if ended else ''))
            self._length = len(text)
        elif ended:
            sys.stdout.write(text + '\n')
        sys.stdout.flush()

    def _time(self, current, took):
        """The time that is left, or at the end the time that it took."""
        if self.target is not None and current < self.target:
            return f'ETA: {_clock(took / max(current, 1) * (self.target - current))}'
        return f'{took:.0f}s' + (
            f' {_per_unit(took / current)}/{self.unit_name}' if current else '')

    def _averages(self):
        text = ''
        for name in self._order:
            total, count = self._values[name]
            mean = np.mean(total / max(1, count))
            text += f' - {name}: ' + (f'{mean:.4f}' if abs(mean) > 1e-3 else f'{mean:.4e}')
        return text

    def _cells(self, current, rest, columns):
        """The width of the bar: as wanted, or as much as a terminal of so many columns leaves."""
        if not columns:
            return self.width
        return max(0, min(self.width, columns - 1 - len(self._bar(current, 0)) - len(rest)))

    def _bar(self, current, width):
        if self.target is None:
            return f'{current:7d}/Unknown'
        digits = len(str(self.target))
        part = current / self.target if self.target else 1.
        done = int(width * part)
        bar = '=' * max(done - 1, 0) + ('>' if current < self.target else '=') * (done > 0)
        return f'{current:{digits}d}/{self.target} [{bar}{"." * (width - done)}]'


def _columns():
    """The width of the terminal; None where there is none, as in a notebook."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError, AttributeError):
        return None


def _is_live():
    return (hasattr(sys.stdout, 'isatty') and sys.stdout.isatty()
            or 'ipykernel' in sys.modules or 'PYCHARM_HOSTED' in os.environ)


def _clock(seconds):
    seconds = int(seconds)
    if seconds > 3600:
        return f'{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}'
    return f'{seconds // 60}:{seconds % 60:02d}' if seconds > 60 else f'{seconds}s'


def _per_unit(seconds):
    if seconds >= 1:
        return f'{seconds:.0f}s'
    return f'{seconds * 1e3:.0f}ms' if seconds >= 1e-3 else f'{seconds * 1e6:.0f}us'
