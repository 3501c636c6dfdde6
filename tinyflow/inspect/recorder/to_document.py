"""A Recording as data for the explorer's page.

    {"title": "...", "said": "20 of 40 runs, 163.6 MB",
     "orders": [[[node, [iteration, ...]], ...], ...],      operations in the order of a run
     "steps": [{"number": 3, "nth": 2, "fetches": ["train", "loss:0"], "kind": ["train"],
                "order": 0,
                "values": [[value, ...], ...],      for each operation its outputs; null: no value
                "changes": [0.1, null, ...],        largest difference to the step before that had
                                                    the same order
                "error": "...", "origin": [place in the order, "text"]}],
     "values": [{"d": "float32", "s": [2, 3],       dtype and shape
                 "n": [1.5, "NaN", ...],            all elements, if there are at most 64
                 "all": "base64 of float32",        all elements of a Variable that is not large
                 "st": [min, max, mean, std, NaNs, infinities, zeros],
                 "hist": [[count, ...], low, high],
                 "heat": [columns, low, high, "base64 of bytes"],       0 to 254; 255 is NaN
                 "image": [width, channels, "base64 of bytes"]}]}

A value that several steps share is there once. Of many steps some are taken, evenly.
"""
from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyflow.graph.variable_refs import variable_of
from tinyflow.inspect.recorder.kept import Kept
from tinyflow.inspect.recorder.step import Entry, Step, difference

if TYPE_CHECKING:
    from tinyflow.inspect.recorder.recording import Recording

__all__ = ['to_document', 'value_document']

_NUMBERS = 64           # elements that are written out
_TEXT = 60              # characters of a string
_IMAGE = 48             # pixels of a picture's longer side
_MOST_ENTRIES = 120_000
_WEIGHTS = 500_000      # elements of Variables, of all steps together, that are written out


def to_document(recording: Recording, content: dict[str, Any], most_steps: int) -> dict[str, Any]:
    """The recording as plain data; nodes are places in `content['nodes']`, found by name."""
    return _Writer({node['n']: i for i, node in enumerate(content['nodes'])}).document(
        recording, most_steps)


class _Writer:

    def __init__(self, places: dict[str, int]) -> None:
        self.places = places
        self.orders: dict[tuple, int] = {}
        self.values: list[dict] = []
        self.known: dict[int, tuple[Kept, int]] = {}        # by id, with the value to keep the id
        self.last: dict[int, list[Entry]] = {}              # by order, of the step before
        self.largest = 0                                    # Variable that is written out

    def document(self, recording: Recording, most_steps: int) -> dict[str, Any]:
        """The whole recording."""
        steps: list[dict[str, Any]] = []
        entries = 0
        some = _some(recording.steps, most_steps)
        self.largest = _largest(some)
        for step in some:
            written = self.step(step)
            entries += len(written['values'])
            if entries > _MOST_ENTRIES and steps:
                break
            if written['values']:
                steps.append(written)
        return {'title': 'recording', 'said': repr(recording).strip('<>'),
                'orders': [[[node, list(iteration)] for node, iteration in order]
                           for order in self.orders],
                'steps': steps, 'values': self.values}

    def step(self, step: Step) -> dict[str, Any]:
        """One step."""
        entries = [e for e in step.entries if e.name in self.places]
        order = tuple([(self.places[e.name], e.iteration) for e in entries])
        number = self.orders.setdefault(order, len(self.orders))
        before = self.last.get(number)
        self.last[number] = entries
        written: dict[str, Any] = {
            'number': step.number, 'nth': step.nth, 'fetches': [f[:200] for f in step.fetches[:20]],
            'kind': [f[:200] for f in step.kind[:20]],
            'order': number, 'values': [[self.value(kept, _is_weight(e)) for kept in e.kept]
                                         for e in entries],
            'changes': [_change(a, b) for a, b in zip(entries, before)] if before else []}
        if step.error:
            written['error'] = step.error[:1000]
        origin = step.origin
        if origin is not None:
            at = [i for i, e in enumerate(entries)
                  if e.name == origin.name and e.iteration == origin.iteration]
            written['origin'] = [at[0] if at else None, str(origin)[:400]]
        return written

    def value(self, kept: Kept | None, weight: bool) -> int | None:
        """The place of a value in `values`."""
        if kept is None:
            return None
        if id(kept) not in self.known:
            self.known[id(kept)] = kept, len(self.values)
            self.values.append(value_document(kept))
        value = self.values[self.known[id(kept)][1]]
        if weight and kept.array is not None and 'n' not in value and 'all' not in value and \
                kept.dtype.kind == 'f' and kept.array.size <= self.largest:
            value['all'] = _base64(kept.array.astype('<f4'))
        return self.known[id(kept)][1]


def _some(steps: list[Step], most: int) -> list[Step]:
    """At most `most` steps, evenly from each kind; the last is among them."""
    groups: dict[tuple, list[Step]] = {}
    for step in steps:
        groups.setdefault(step.kind, []).append(step)
    chosen: set[int] = set()
    for group in groups.values():
        share = max(2, -(-most * len(group) // max(len(steps), 1)))
        places = np.linspace(0, len(group) - 1, min(share, len(group))).round().astype(int)
        chosen |= {id(group[place]) for place in places}
        chosen |= {id(step) for step in group if step.error}
    return [step for step in steps if id(step) in chosen]


def _is_weight(entry: Entry) -> bool:
    """True for a Variable, and for what updates one."""
    operation = entry.operation
    return operation is not None and (
        bool(operation.writes) or any(variable_of(t) is operation for t in operation.outputs))


def _largest(steps: list[Step]) -> int:
    """The largest size of which all Variables up to it fit into the page."""
    sizes = sorted(math.prod(kept.shape) for entry in steps[-1].entries if _is_weight(entry)
                   for kept in entry.kept if kept is not None) if steps else []
    largest = total = 0
    for size in sizes:
        total += size * len(steps)
        if total > _WEIGHTS:
            break
        largest = size
    return largest


def _change(entry: Entry, before: Entry) -> float | str | None:
    sizes = [difference(a, b) for a, b in zip(entry.kept, before.kept)
             if a is not None and b is not None]
    known = [size for size in sizes if size is not None]
    return _number(max(known)) if known else None


def value_document(kept: Kept) -> dict[str, Any]:
    """One value: its numbers, statistics, histogram, heat map and picture."""
    written: dict[str, Any] = {'d': kept.dtype.name if kept.dtype.kind not in 'OSU' else 'string',
                               's': list(kept.shape)}
    statistics = kept.statistics
    if kept.array is not None and kept.array.size <= _NUMBERS:
        written['n'] = [_element(element) for element in kept.array.ravel().tolist()]
    if statistics is None:
        return written
    if math.prod(kept.shape) > 1:
        written['st'] = [None if x is None else _number(x) for x in statistics[:7]]
        if len(statistics.counts) > 1:
            written['hist'] = [list(statistics.counts), _number(statistics.edges[0]),
                               _number(statistics.edges[-1])]
        if kept.heat is not None:
            written['heat'] = _heat(kept.heat)
    image = _image(kept.array)
    if image is not None:
        written['image'] = image
    return written


def _element(element: Any) -> Any:
    if isinstance(element, (bytes, str)):
        text = element.decode('utf-8', 'replace') if isinstance(element, bytes) else element
        return text if len(text) <= _TEXT else text[:_TEXT - 1] + '…'
    if isinstance(element, (bool, int)):
        return element
    return _number(element) if isinstance(element, float) else str(element)[:_TEXT]


def _number(x: float) -> float | str:
    """A number that JSON can hold, of six digits."""
    if math.isfinite(x):
        return float(f'{x:.6g}')
    return 'NaN' if math.isnan(x) else 'Inf' if x > 0 else '-Inf'


def _heat(heat: np.ndarray) -> list:
    finite = heat[np.isfinite(heat)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    span = high - low or 1.0
    cells = np.where(np.isfinite(heat), np.round((heat - low) / span * 254), 255)
    return [heat.shape[1], _number(low), _number(high), _base64(cells.astype(np.uint8))]


def _image(array: np.ndarray | None) -> list | None:
    """The first picture in an array [*batch, height, width, channels]; None if there is none.

    With 1 or 3 channels it is grey or coloured; else up to 16 channels are side by side.
    """
    if array is None or array.ndim not in (3, 4) or array.dtype.kind not in 'uif' \
            or array.ndim == 3 and array.shape[-1] not in (1, 3) \
            or not array.size or min(array.shape[-3:-1]) < 6:
        return None
    picture = array[0] if array.ndim == 4 else array
    step = -(-max(picture.shape[:2]) // _IMAGE)
    picture = picture[::step, ::step].astype(np.float64)
    if picture.shape[2] not in (1, 3):
        picture = _side_by_side(picture[..., :16])
    finite = picture[np.isfinite(picture)]
    low, high = (finite.min(), finite.max()) if finite.size else (0, 0)
    span = high - low or 1.0
    pixels = np.where(np.isfinite(picture), np.round((picture - low) / span * 255), 0)
    return [picture.shape[1], picture.shape[2], _base64(pixels.astype(np.uint8))]


def _side_by_side(picture: np.ndarray) -> np.ndarray:
    """The channels as grey pictures in rows of four, with a bright line between them."""
    height, width, channels = picture.shape
    finite = picture[np.isfinite(picture)]
    bright = finite.max() if finite.size else 1.0
    columns = min(4, channels)
    table = np.full((-(-channels // columns) * (height + 1) - 1, columns * (width + 1) - 1, 1),
                    bright)
    for channel in range(channels):
        top, left = channel // columns * (height + 1), channel % columns * (width + 1)
        table[top:top + height, left:left + width, 0] = picture[..., channel]
    return table


def _base64(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
