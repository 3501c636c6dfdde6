"""Where a run stops: nodes by name, pattern, op type or source line, and conditions on values."""
from __future__ import annotations

import ast
import builtins
import re
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.recorder.names import named_operations

__all__ = ['Breakpoint', 'Datum', 'Filters', 'has_inf_or_nan', 'is_somewhere', 'parse']

_LINE = re.compile(r'(?P<file>[^:*?]+\.(?:py|ipynb)):(?P<line>\d+)$')
_TYPE = re.compile(r'type:(\w+)$')
_NAMES = ('value', 'np', 'name', 'iteration')         # that a condition may use


class Datum(NamedTuple):
    """A value of a run, as TensorFlow's filters know it: `filter(datum, tensor)`."""

    node_name: str
    output_slot: int
    array: np.ndarray
    timestamp: int
    iteration: tuple[int, ...] = ()
    debug_op: str = 'DebugIdentity'

    @property
    def tensor_name(self) -> str:
        return f'{self.node_name}:{self.output_slot}'

    @property
    def watch_key(self) -> str:
        return f'{self.tensor_name}:{self.debug_op}'

    @property
    def dump_size_bytes(self) -> int:
        return self.array.nbytes

    def get_tensor(self) -> np.ndarray:
        return self.array


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """A filter: True if a floating point tensor contains NaN or Inf."""
    kind = getattr(getattr(tensor, 'dtype', None), 'kind', '')
    return kind in 'fcV' and kind != '' and not np.all(np.isfinite(_numbers(tensor)))


def _numbers(tensor):
    return tensor.astype(np.float32) if tensor.dtype.kind == 'V' else tensor


class Filters(dict):
    """Filters by name. ValueError for an unknown name says the nearest."""

    def __missing__(self, name):
        raise ValueError(f"There is no filter '{name}'; there are {', '.join(self)}."
                       f'{nearest_keyword(name, self)}')


class Breakpoint:
    """A place and a condition; `matches(...)` says whether a value is there."""

    def __init__(self, text: str, where: str, condition: str, filters: Filters) -> None:
        self.text = text
        self.hits = 0
        self.failure = ''               # the last value for which the condition failed, and why
        self.where = where
        self._line = _LINE.match(where)
        self._type = _TYPE.match(where)
        self._filter = filters[condition] if condition.isidentifier() and \
            condition != 'value' else None
        self._code = None if not condition or self._filter else \
            compile(condition, '<condition>', 'eval')
        self._known: dict[Operation, bool] = {}

    def is_at(self, operation: Operation, name: str) -> bool:
        """True if the place includes that node; `name` is its name with the functions around."""
        known = self._known.get(operation)
        if known is None or '/' in name:
            known = self._known[operation] = self._includes(operation, name)
        return known

    def _includes(self, operation, name):
        if not self.where:
            return True
        if self._type:
            return operation.type == self._type[1]
        if self._line:
            site = operation.site
            return site is not None and site.line == int(self._line['line']) and \
                ('/' + site.file.replace('\\', '/')).endswith('/' + self._line['file'])
        plain = self.where.partition(':')[0]
        return any(n == plain or fnmatchcase(n, plain)
                   for n in (name, operation.name, local_name(operation)))

    def holds(self, datum: Datum) -> bool:
        """True if the condition holds for a value. An expression that fails does not hold."""
        if self._filter is not None:
            return bool(self._filter(datum, datum.array))
        if self._code is None:
            return True
        names = {'np': np, 'value': datum.array, 'name': datum.tensor_name,
                 'iteration': datum.iteration[-1] if datum.iteration else None}
        try:
            with np.errstate(all='ignore'):
                return bool(np.all(eval(self._code, names)))
        except Exception as error:          # for some values it may have no meaning
            self.failure = f'{datum.tensor_name}: {type(error).__name__}: {error}'
            return False

    @property
    def is_expression(self) -> bool:
        return self._code is not None

    @property
    def has_condition(self) -> bool:
        return self._filter is not None or self._code is not None


def unknown_names(condition: str) -> list[str]:
    """The names in an expression that have no meaning there."""
    nodes = [node for node in ast.walk(ast.parse(condition.strip() or '0', mode='eval'))
             if isinstance(node, ast.Name)]
    known = {*_NAMES, *vars(builtins), *[n.id for n in nodes if isinstance(n.ctx, ast.Store)]}
    return [node.id for node in nodes if node.id not in known]


def is_somewhere(point: Breakpoint, graph: Graph) -> bool:
    """True if a node of the graph, or of a loop or cond in it, is at the breakpoint."""
    return not point.where or any(point.is_at(operation, name)
                                      for name, operation in named_operations(graph))


def parse(text: str, filters: Filters) -> Breakpoint:
    """The Breakpoint of `WHERE`, `WHERE if CONDITION` or `if CONDITION`.

    ValueError for an expression that cannot be parsed.
    """
    where, found, condition = (f' {text.strip()} ').partition(' if ')
    if found and not condition.strip():
        raise ValueError('The condition is missing after "if".')
    try:
        made = Breakpoint(text.strip(), where.strip(), condition.strip(), filters)
        for name in unknown_names(condition) if made.is_expression else ():
            raise ValueError(
                f"The condition knows no '{name}', only {', '.join(_NAMES)} and Python's own "
                f'names.{nearest_keyword(name, _NAMES)}')
        return made
    except SyntaxError as error:
        raise ValueError(
            f'The condition {condition.strip()!r} is no Python expression: {error.msg}.\n'
            '  Hint: `value` is the array, `np` is NumPy: b dense* if value.max() > 100'
            ) from None
