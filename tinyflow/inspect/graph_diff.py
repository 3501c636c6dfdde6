"""tf.graph_diff: compares two graphs, programs or checkpoints, or a graph and a checkpoint."""
from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from tinyflow.compiler.ir import Program
from tinyflow.graph import shapes
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import misuse

_MOST = 20              # lines of each kind that are printed
_VALUES = 'values'      # the attribute of a checkpoint's variables that is a digest of the value


class Change(NamedTuple):
    """One difference of a node that both graphs have.

    Of values in checkpoints `what` is 'values', `before` says how far apart they are.
    """

    name: str
    what: str
    before: str
    after: str

    def __str__(self) -> str:
        if self.what == _VALUES:
            return f'{self.name}: differs: {self.before}'
        return f'{self.name}: {self.what} {self.before} -> {self.after}'


@dataclass(frozen=True)
class GraphDiff:
    """The differences of two graphs; prints as text, and is false if there are none.

    `removed` and `added` describe nodes that only the first or only the second has, `renamed` are
    pairs of names of the same node, `changed` the differences of nodes with equal names.
    """

    first: str
    second: str
    same: int
    removed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    first_graph: Graph | None = field(default=None, repr=False, compare=False)
    second_graph: Graph | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.renamed or self.changed)

    def __str__(self) -> str:
        lines = [f'first   {self.first}', f'second  {self.second}', f'{self.same} the same']
        renamed = [f'{a} -> {b}' for a, b in self.renamed]
        for title, items in (('only in the first', self.removed),
                             ('only in the second', self.added),
                             ('renamed', renamed), ('changed', self.changed)):
            lines += _part(title, items)
        return '\n'.join(lines)

    __repr__ = __str__

    def draw(self, path: Any = None, **options: Any) -> Any:
        """One picture of both graphs, and a file of it if a path is given.

        It shows the second graph, with added, changed and renamed nodes in different colours, and
        nodes that only the first has as outlines. `options` are those of `tf.viz.draw`.

        Raises ValueError for a comparison of programs or checkpoints.
        """
        from tinyflow.inspect.viz.picture import draw_comparison  # start-up time
        return draw_comparison(self, path, **options)

    def _repr_html_(self) -> str:
        from html import escape  # start-up time
        return f'<pre>{escape(str(self))}</pre>'


def _part(title: str, items: list) -> Iterator[str]:
    if items:
        # A node is counted once, even if several lines describe its changes.
        yield f'{len({getattr(item, "name", item) for item in items})} {title}'
    for item in items[:_MOST]:
        yield f'  {item}'
    if len(items) > _MOST:
        yield f'  ... and {len(items) - _MOST} more'


def graph_diff(first: Any, second: Any) -> GraphDiff:
    """What must change in `first` to become `second`: nodes, inputs, attributes, shapes.

    Each is a tf.Graph, a GraphDef or MetaGraphDef, a file with one (.pb, .pbtxt, .meta), a compiled
    program (as in tf.explain(...).program), or the prefix of a checkpoint, of which the Variables
    are compared: of two checkpoints also the values. Nodes of different names that compute the same
    function of the same inputs count as renamed; Variables of two checkpoints, if their values are
    equal.

    Raises TypeError for any other object, DataLossError for a damaged file.
    """
    if _is_checkpoint(first) and _is_checkpoint(second):
        return _compare_checkpoints(os.fspath(first), os.fspath(second))
    if _is_checkpoint(first) or _is_checkpoint(second):
        return _compare(_description(first), _description(second),
                        _variables(first), _variables(second))
    graphs = [None if isinstance(obj, Program) else _graph(obj) for obj in (first, second)]
    return _compare(_description(first), _description(second), _nodes(first, graphs[0]),
                    _nodes(second, graphs[1]), *graphs)


# ---- what is compared ------------------------------------------------------------------------

class _Node(NamedTuple):
    type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: dict[str, str]


def _is_checkpoint(obj: Any) -> bool:
    return isinstance(obj, (str, os.PathLike)) and os.path.exists(f'{os.fspath(obj)}.index')


def _description(obj: Any) -> str:
    if isinstance(obj, (str, os.PathLike)):
        return os.fspath(obj)
    if isinstance(obj, Program):
        return f'a program of {len(obj.instructions)} instructions'
    return str(obj) if isinstance(obj, Graph) else f'a {type(obj).__name__}'


def _nodes(obj: Any, graph: Graph | None) -> dict[str, _Node]:
    if isinstance(obj, Program):
        return {i.name: _Node(i.type, tuple([v.name for v in i.inputs]),
                              tuple(map(_output, i.outputs)), _attrs(i.attrs))
                for i in obj.instructions}
    return {op.name: _Node(op.type, (*[t.name for t in op.inputs],
                                     *sorted('^' + c.name for c in op.control_inputs)),
                           tuple(map(_output, op.outputs)), _attrs(op.attrs))
            for op in (graph or Graph()).get_operations()}


def _variables(obj: Any) -> dict[str, _Node]:
    """The Variables of a checkpoint or a graph, by the names that they have in checkpoints."""
    if _is_checkpoint(obj):
        from tinyflow.train.checkpoints.inspection import load_checkpoint  # start-up time
        reader = load_checkpoint(os.fspath(obj))
        types = reader.get_variable_to_dtype_map()
        return {name: _Node('Variable', (), (f'{types[name].name} {list(shape)}',), {})
                for name, shape in reader.get_variable_to_shape_map().items()}
    return {op.name: _Node('Variable', (), (f'{op.outputs[0].dtype.base_dtype.name} '
                                            f'{op.outputs[0].shape_text}',), {})
            for op in _graph(obj).get_operations() if op.type == 'VariableV2'}


def _graph(obj: Any) -> Graph:
    if isinstance(obj, Graph):
        return obj
    if isinstance(obj, (str, os.PathLike)):
        obj = _read(os.fspath(obj))
    definition = getattr(obj, 'graph_def', obj)
    if not hasattr(definition, 'node') or not hasattr(definition, 'SerializeToString'):
        raise misuse(TypeError(f'graph_diff compares graphs, GraphDefs, files, programs and '
                               f'checkpoints, not {obj!r}.'))
    from tinyflow.formats.graphdef.importing import import_graph_def  # start-up time
    with Graph().as_default() as graph:
        import_graph_def(definition, name='')
    return graph


def _read(path: str) -> Any:
    if path.endswith('.meta'):
        from tinyflow.formats.graphdef.meta_graph import read_meta_graph_file  # start-up time
        return read_meta_graph_file(path)
    from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
    from tinyflow.formats.wire.reading import read  # start-up time
    return read(path, GraphDef)


def _output(value: Any) -> str:
    return f'{value.dtype.base_dtype.name} {shapes.text(value.raw_shape)}'


def _attrs(attrs: dict[str, Any]) -> dict[str, str]:
    return {key: _text(value) for key, value in attrs.items()
            if not key.startswith('_') and value is not None}


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size <= 8:
            return f'{value.dtype} {value.tolist()}'
        return f'{value.dtype} {list(value.shape)} (checksum {zlib.crc32(value.tobytes()):08x})'
    if hasattr(value, 'get_operations'):
        return f'a function of {len(value.get_operations())} nodes'
    return str(value)


# ---- comparing -------------------------------------------------------------------------------

def _compare_checkpoints(first: str, second: str) -> GraphDiff:
    """The diff of two checkpoints; one variable's values at a time are in memory."""
    from tinyflow.train.checkpoints.inspection import load_checkpoint  # start-up time
    readers = [load_checkpoint(path) for path in (first, second)]
    before, after = [
        {name: node._replace(attrs={_VALUES: _digest(reader.get_tensor(name))})
         for name, node in _variables(path).items()}
        for path, reader in zip((first, second), readers)]
    found = _compare(first, second, before, after)
    changed = [change if change.what != _VALUES else change._replace(after='', before=_distance(
        *[reader.get_tensor(change.name) for reader in readers])) for change in found.changed
        if change.what != _VALUES or before[change.name].outputs == after[change.name].outputs]
    return replace(found, changed=changed)


def _digest(value: Any) -> str:
    """Equal for equal values; NaN equals NaN."""
    import hashlib  # start-up time
    array = np.asarray(value)
    content = repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _distance(old: Any, new: Any) -> str:
    """How far apart two values of one dtype and shape are, in words."""
    old, new = np.asarray(old), np.asarray(new)
    if old.dtype.hasobject:
        return 'other texts'
    wide = np.complex128 if old.dtype.kind == 'c' else np.float64
    with np.errstate(all='ignore'):
        difference = np.abs(old.astype(wide) - new.astype(wide))
    difference = np.where(old == new, 0.0, difference)              # inf - inf
    both_nan = np.isnan(old.astype(wide)) & np.isnan(new.astype(wide))
    return f'max |difference| = {np.where(both_nan, 0.0, difference).max(initial=0.0):.6g}'


def _compare(first: str, second: str, before: dict[str, _Node],
             after: dict[str, _Node], first_graph: Graph | None = None,
             second_graph: Graph | None = None) -> GraphDiff:
    renamed = _renamed(before, after)
    names = {**{n: n for n in before if n in after}, **renamed}
    changed = [change for old, new in names.items()
               for change in _changes(old, before[old], after[new], names)]
    touched = {c.name for c in changed} | set(renamed)
    taken = set(names.values())
    return GraphDiff(
        first, second, len(names.keys() - touched),
        [_line(n, before[n]) for n in before if n not in names],
        [_line(n, after[n]) for n in after if n not in taken],
        list(renamed.items()), changed, first_graph, second_graph)


def _line(name: str, node: _Node) -> str:
    return f'{name}: {node.type} {", ".join(node.outputs)}'.rstrip()


def _renamed(before: dict[str, _Node], after: dict[str, _Node]) -> dict[str, str]:
    """{name that only `before` has: name in `after` of the node that computes the same}."""
    free: dict[tuple, list[str]] = {}
    for name, node in after.items():
        if name not in before:
            free.setdefault(_key(node, {}), []).append(name)
    found: dict[str, str] = {}
    for name, node in before.items():
        candidates = free.get(_key(node, found)) if name not in after else None
        if candidates:
            found[name] = candidates.pop(0)
    return found


def _key(node: _Node, renamed: dict[str, str]) -> tuple:
    return (node.type, tuple([_input(i, renamed) for i in node.inputs]), node.outputs,
            tuple(sorted(node.attrs.items())))


def _input(name: str, renamed: dict[str, str]) -> str:
    mark = '^' if name.startswith('^') else ''
    node, colon, index = name[len(mark):].partition(':')
    return mark + renamed.get(node, node) + colon + index


def _changes(name: str, old: _Node, new: _Node, names: dict[str, str]) -> Iterator[Change]:
    if old.type != new.type:
        yield Change(name, 'type', old.type, new.type)
    if tuple([_input(i, names) for i in old.inputs]) != new.inputs:
        yield Change(name, 'inputs', f'({", ".join(old.inputs)})', f'({", ".join(new.inputs)})')
    if old.outputs != new.outputs:
        yield Change(name, 'gives', ', '.join(old.outputs), ', '.join(new.outputs))
    for key in sorted(old.attrs.keys() | new.attrs.keys()):
        if old.attrs.get(key) != new.attrs.get(key) and old.type == new.type:
            yield Change(name, key, str(old.attrs.get(key)), str(new.attrs.get(key)))


__all__ = ['Change', 'GraphDiff', 'graph_diff']
