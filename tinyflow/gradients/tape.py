"""tf.GradientTape in graph mode: gradients of nodes created inside a `with` block."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any

from tinyflow.gradients.reverse import UnconnectedGradients, gradients
from tinyflow.graph import dtypes, eager_mode
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.variable_refs import variable_of, variable_read_by
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.variables.variable import Variable

__all__ = ['GradientTape']


class GradientTape:
    """Records which nodes are created inside the block; `gradient` differentiates through them.

    ``with tf.GradientTape() as tape: loss = f(w)`` and ``tape.gradient(loss, [w])``. Nodes created
    elsewhere are treated as constants. Trainable Variables are watched automatically (unless
    `watch_accessed_variables` is False), other tensors after `watch`. Unless `persistent`,
    `gradient` may be called once. The result is nodes of the graph, as with tf.gradients.
    """

    def __new__(cls, *args, **settings):
        """A tape that records values, while ops run at once."""
        kind = eager_mode.tape_type if eager_mode.executing_eagerly() else cls
        return object.__new__(kind if issubclass(kind, cls) else cls)

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._watched: dict[Any, Any] = {}      # tensors and Variables in order
        self._parts: list[list[int]] = []       # [first, end) of the nodes' positions
        self._graph = None
        self._recording = self._used = False

    # ---- recording -----------------------------------------------------------------------

    def __enter__(self):
        if self._recording:
            raise misuse(ValueError('Tape is already recording.'))
        self._start()
        return self

    def __exit__(self, *error):
        if self._recording:
            self._stop()

    def _start(self):
        self._graph = self._graph or get_default_graph()
        self._recording = True
        self._parts.append([self._count(), -1])

    def _stop(self):
        self._recording = False
        self._parts[-1][1] = self._count()

    def _count(self):
        return len(self._graph.get_operations())

    def watch(self, tensor):
        """Watches tensors or Variables (or a nest of them), so that `gradient` can use them."""
        for one in nest.flatten(tensor):
            if not isinstance(one, (Tensor, Variable)):
                raise misuse(ValueError(f'Passed in object of type {type(one)}, not tf.Tensor'))
            self._watched[id(one)] = one

    @contextmanager
    def stop_recording(self):
        """Nodes created inside are treated as constants."""
        if not self._recording:
            raise misuse(ValueError('Tape is not recording.'))
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self):
        """Clears the recording."""
        self._watched.clear()
        self._parts.clear()
        if self._recording:
            self._start()

    def watched_variables(self):
        """The watched Variables: explicitly watched ones first, then those that nodes used."""
        variables = [v for v in self._watched.values() if isinstance(v, Variable)]
        if self._watch_variables and self._graph is not None:
            known = self._trainable()
            used = dict.fromkeys([_variable_behind(t) for op in self._recorded()
                                  for t in op.inputs])
            found = [known.get(op) or _of_eager_execution(op) for op in used if op is not None]
            variables += [v for v in found if v is not None and v.trainable
                          and not any(v is one for one in variables)]
        return tuple(variables)

    def _trainable(self):
        """The trainable Variables of the graph and of those around it, by their nodes."""
        found, graph = {}, self._graph
        while graph is not None:
            found.update((v.op, v) for v in graph.get_collection('trainable_variables'))
            graph = graph.outer_graph
        return found

    def _recorded(self) -> list[Operation]:
        operations = self._graph.get_operations()
        end = len(operations)
        return [op for first, last in self._parts
                for op in operations[first:end if last < 0 else last]]

    # ---- gradients -----------------------------------------------------------------------

    def gradient(self, target, sources, output_gradients=None,
                 unconnected_gradients=UnconnectedGradients.NONE):
        """The derivatives of sum(target) with respect to the sources, in their structure.

        `output_gradients` are the initial gradients of the targets. The result for a source that
        was not watched, or that the target does not depend on through recorded nodes, is None (or
        zeros, depending on `unconnected_gradients`). RuntimeError for a second call, unless
        persistent.
        """
        if not self._persistent and (self._used or self._graph is None):
            raise misuse(RuntimeError(
                'GradientTape.gradient can only be called once on non-persistent tapes.\n  Hint: '
                'tf.GradientTape(persistent=True), or all sources in one call: '
                'tape.gradient(loss, [a, b]).'))
        flat = nest.flatten(sources)
        if self._recording:
            if not self._persistent:
                self._stop()
        self._used = True
        targets = [_value(t) for t in nest.flatten(target)]
        weights = None if output_gradients is None else nest.flatten(output_gradients)
        watched = [self._is_watched(source) for source in flat]
        found = gradients(
            targets, flat, weights, stop_gradients=self._constants(flat),
            unconnected_gradients=unconnected_gradients) if targets else [None] * len(flat)
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        found = [grad if known else _zeros(source) if zero else None
                 for grad, known, source in zip(found, watched, flat)]
        return nest.pack_sequence_as(sources, found)

    def _is_watched(self, source):
        if id(source) in self._watched:
            return True
        if isinstance(source, Variable):
            return self._watch_variables and source.trainable
        recorded = {id(op) for op in self._recorded()}
        return isinstance(source, Tensor) and id(source.op) in recorded

    def _constants(self, sources):
        """Tensors created elsewhere that recorded nodes use; gradients stop at them."""
        recorded = self._recorded()
        inside = {id(op) for op in recorded}
        found = {}
        for op in recorded:
            for tensor in op.inputs:
                if id(tensor.op) not in inside and not _names_a_variable(tensor) and \
                        not any(tensor is source for source in sources):
                    found[id(tensor)] = tensor
        return list(found.values())

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE,
                 parallel_iterations=None, experimental_use_pfor=True):
        """The Jacobian: the derivative of each entry of `target` with respect to the sources.

        Shapes: target [*t] (known), source [*s] -> [*t, *s].
        """
        shape = _known_shape(target)
        count = 1
        for size in shape:
            count *= size
        flat = shaping.reshape(target, [count])
        rows = [gradients(flat[row], nest.flatten(sources),
                          stop_gradients=self._constants(nest.flatten(sources)),
                          unconnected_gradients=unconnected_gradients) for row in range(count)]
        self._used = True
        found = []
        for source, column in zip(nest.flatten(sources), zip(*rows)):
            if not self._is_watched(source) or column[0] is None:
                found.append(None)
                continue
            stacked = _stack(column)
            found.append(shaping.reshape(stacked, [*shape, *source.get_shape().as_list()]))
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE,
                       parallel_iterations=None, experimental_use_pfor=True):
        """The Jacobian of each row of `target` with respect to the same row of `source`.

        Shapes: target [batch, *t], source [batch, *s] -> [batch, *t, *s]; t and s known.
        """
        sizes = target.get_shape()[1:].as_list()
        count = 1
        for size in sizes:
            count *= size
        flat = shaping.reshape(target, [-1, count])
        columns = [gradients(flat[:, column], [source], stop_gradients=self._constants([source]),
                             unconnected_gradients=unconnected_gradients)[0]
                   for column in range(count)]
        self._used = True
        if columns[0] is None:
            return None
        stacked = _stack(columns, axis=1)
        return shaping.reshape(stacked, [-1, *sizes, *source.get_shape()[1:].as_list()])


def _stack(tensors, axis=0):
    return joining.stack(list(tensors), axis)


def _value(target):
    return target.value() if isinstance(target, Variable) else target


def _names_a_variable(tensor):
    return tensor.dtype is dtypes.resource or tensor.dtype.is_ref or \
        bool(tensor.op.inputs) and tensor.op.inputs[0].dtype.is_ref or \
        tensor.op.type == 'ReadVariableOp'


def _zeros(source):
    return constants.zeros_like(source)


def _known_shape(target):
    shape = target.get_shape()
    if not shape.is_fully_defined():
        raise misuse(ValueError(
            f'jacobian needs a target of known shape, not {shape}.\n  Hint: '
            'batch_jacobian, for a batch of any size.'))
    return shape.as_list()


def _variable_behind(tensor):
    """The node of the Variable that a tensor refers to, or whose value it is."""
    found = variable_of(tensor)
    if found is None and tensor.op.type in ('Identity', 'ReadVariableOp'):
        found = variable_of(tensor.op.inputs[0])
    return found or variable_read_by(tensor)


def _of_eager_execution(operation):
    """The Variable of a node that is none of a graph's, or None."""
    variable = operation.outputs[0].__dict__.get('variable')
    return variable and variable()
