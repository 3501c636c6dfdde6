"""Which task computes what in a run, and what crosses between tasks: as text and as a picture."""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tinyflow.cluster.placement import Placement
from tinyflow.cluster.stages import Arrival, Stage
from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.compiler.infer import infer
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import render

__all__ = ['Stages', 'placement_text']


class Stages:
    """The stages of `session.run(fetches, feed_dict)`; `print` it, or show it in a notebook.

    Sizes are those for the shapes of the values in `feed_dict`, where they follow from them.
    """

    def __init__(self, session: Any, call: Any, feed_dict: Any) -> None:
        entry = call.entry
        self.own = str(getattr(getattr(session._programs, 'cluster', None), 'own',
                               '/job:localhost/task:0'))
        run = getattr(entry, 'run', None)
        self.stages: list[Stage] = [] if run is None else \
            [part.stage for level in run.levels for part in level]
        self._operations = 0 if self.stages else len(entry.program.instructions)
        shapes = [t.raw_shape for t in entry.feeds]
        if feed_dict and all(value is not None for value in feed_dict.values()):
            shapes = [array.shape for array in call.arrays(feed_dict.values())]
        self._bytes = _sizes(entry.fetches, entry.feeds, shapes) if self.stages else {}

    # ---- what crosses ------------------------------------------------------------------------

    def crossings(self) -> list[tuple[Stage, Stage, list[Tensor]]]:
        """(stage that sends, stage that gets, tensors) for values that cross between tasks."""
        found: dict[tuple[int, int], list[Tensor]] = {}
        numbers = {stage: i for i, stage in enumerate(self.stages)}
        for stage in self.stages:
            for arrival in stage.ins.values():
                if isinstance(arrival, Arrival) and arrival.source.task != stage.task:
                    found.setdefault((numbers[arrival.source], numbers[stage]),
                                     []).append(arrival.tensor)
        return [(self.stages[a], self.stages[b], list(dict.fromkeys(tensors)))
                for (a, b), tensors in sorted(found.items())]

    def nbytes(self, tensors: Sequence[Tensor]) -> int | None:
        """The bytes of tensors; None if the size of one is not known."""
        sizes = [self._bytes.get(tensor.name) for tensor in tensors]
        return None if None in sizes else sum(sizes)         # type: ignore[arg-type]

    # ---- text --------------------------------------------------------------------------------

    def __str__(self) -> str:
        if not self.stages:
            return f'1 stage: all of {self._operations} operations run on {self.own}.'
        levels = max(stage.level for stage in self.stages) + 1
        lines = [f'{_count(len(self.stages), "stage")} on {_count(levels, "level")}; the stages '
                 'of a level run at the same time']
        arriving: dict[Stage, list[str]] = {}
        for source, stage, tensors in self.crossings():
            arriving.setdefault(stage, []).append(
                f'    from {source.task}: {_names(tensors)}, {_size(self.nbytes(tensors))}')
        for stage in self.stages:
            lines.append(f'{stage.level}  {stage.task}  {_operations(stage)}')
            lines += arriving.get(stage, [])
        return '\n'.join(lines)

    __repr__ = __str__

    # ---- picture -----------------------------------------------------------------------------

    @property
    def dot(self) -> str:
        """The picture in Graphviz' language: a box for each task, edges with their bytes."""
        lines = ['digraph stages {', '  rankdir=LR; fontname="Helvetica"; labeljust=l;',
                 '  node [shape=box, style="rounded,filled", fillcolor=white, '
                 'fontname="Helvetica", fontsize=10];',
                 '  edge [fontname="Helvetica", fontsize=9];']
        names = {stage: f's{i}' for i, stage in enumerate(self.stages)}
        tasks = dict.fromkeys(stage.task for stage in self.stages)
        for i, task in enumerate(tasks):
            color = '#e8f0fe' if str(task) == self.own else '#fef3e0'
            lines.append(f'  subgraph cluster_{i} {{ label="{task}"; style=filled; '
                         f'color="{color}";')
            own = [stage for stage in self.stages if stage.task == task]
            lines += [f'    {names[s]} [label="{s.level}: {_operations(s, chr(92) + "n")}"];'
                      for s in own]
            lines += [f'    {names[a]} -> {names[b]} [style=dotted, arrowhead=none];'
                      for a, b in zip(own, own[1:])]
            lines.append('  }')
        lines += [f'  {names[a]} -> {names[b]} [label="{_names(tensors)}\\n'
                  f'{_size(self.nbytes(tensors))}"];' for a, b, tensors in self.crossings()]
        return '\n'.join([*lines, '}'])

    def _repr_svg_(self) -> str | None:
        """The picture for notebooks, if Graphviz is there."""
        try:
            return render.layout(self.dot, 'svg')[0].decode()
        except RuntimeError:
            return None

    def save(self, path: str) -> None:
        """Writes the picture: .svg, .png, .pdf, or .dot for the text in Graphviz' language.

        Raises ValueError for another ending, RuntimeError without Graphviz.
        """
        render.check_path(path)
        kind = render.suffix_of(path)[1:]
        render.write(path, render.layout(self.dot, kind)[0] if kind in render.FORMATS
                     else self.dot.encode())


def _sizes(fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor],
           shapes: Sequence[Any]) -> dict[str, int | None]:
    """The bytes of the results of operations, by name of the tensor."""
    program = infer(graph_to_program(fetches, feeds), shapes, True)
    values = {v.name: v for i in program.instructions for v in (*i.inputs, *i.outputs)}
    values.update({v.name: v for v in program.feeds})
    found: dict[str, int | None] = {}
    for name, value in values.items():
        if value.known_shape and value.dtype.np.kind != 'O':
            found[name] = value.nbytes
    for operation in {v.producer.operation for v in values.values() if v.producer is not None}:
        for tensor in (*operation.inputs, *operation.outputs):
            if tensor.name not in found and tensor.raw_shape is not None \
                    and None not in tensor.raw_shape and tensor.dtype.base_dtype.np.kind != 'O':
                found[tensor.name] = prod(tensor.raw_shape) * np.dtype(
                    tensor.dtype.base_dtype.np).itemsize
    return found


def _operations(stage: Stage, separator: str = ', ') -> str:
    kinds = Counter(op.type for op in stage.operations if op.type not in ('Const', 'NoOp'))
    shown = [f'{kind} x {count}' if count > 1 else kind for kind, count in kinds.most_common(5)]
    if len(kinds) > 5:
        shown.append('...')
    return f'{_count(len(stage.operations), "operation")}: {separator.join(shown)}'


def _names(tensors: Sequence[Tensor]) -> str:
    names = [t.op.name if t.value_index == 0 else t.name for t in tensors]
    more = f' and {len(names) - 3} more' if len(names) > 3 else ''
    return ', '.join(names[:3]) + more


def _size(nbytes: int | None) -> str:
    return 'size not known' if nbytes is None else f'{nbytes:,} bytes'


def _count(number: int, word: str) -> str:
    return f'{number} {word}' if number == 1 else f'{number} {word}s'


def placement_text(operations: Sequence[Operation], placement: Placement) -> str:
    """The device of each operation, in the form in which TensorFlow logs it, with the reason."""
    return '\n'.join(f'{op.name}: ({op.type}): {placement.task(op).device}   '
                     f'{placement.reason(op)}' for op in operations if op.type != 'NoOp')
