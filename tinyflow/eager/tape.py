"""tf.GradientTape while ops run at once: records them, and differentiates what they computed."""
from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from tinyflow.eager.execute import active_tapes
from tinyflow.gradients.reduce_broadcast import sum_like
from tinyflow.gradients.registry import no_gradient_error, rule_of
from tinyflow.gradients.reverse import UnconnectedGradients
from tinyflow.gradients.sums import total
from tinyflow.gradients.tape import GradientTape
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import NOT_DIFFERENTIABLE, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import logging, nest
from tinyflow.graph.support.errors import misuse

__all__ = ['EagerTape']

_DIFFERENTIABLE = dtypes.INEXACT | {dtypes.resource, dtypes.variant}
_KEEP_SLICES = frozenset({'Identity', 'ReadVariableOp'})


class EagerTape(GradientTape):
    """Records the ops that run inside the `with` block on watched tensors and Variables.

    Trainable Variables are watched when they are read, unless `watch_accessed_variables` is False;
    `watch(tensor)` watches others. A tape that is not `persistent` gives its gradients once.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._clear()
        self._recording = False
        self._used = False

    def _clear(self):
        self._operations = []
        self._watched = set()           # tensors whose gradients may be asked for
        self._variables = {}            # handle -> Variable

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
        active_tapes.open.append(self)
        self._recording = True

    def _stop(self):
        active_tapes.open.remove(self)
        self._recording = False

    def watch(self, tensor):
        """Records what is computed from `tensor`, a floating tensor, Variable or nest of them."""
        for item in nest.flatten(tensor):
            if hasattr(item, 'handle'):
                self._variables[item.handle] = item
                self._watched.add(item.handle)
                continue
            if not isinstance(item, Tensor):
                raise misuse(ValueError(f'Passed in object of type {type(item)}, not tf.Tensor'))
            if item.dtype.base_dtype not in dtypes.INEXACT:
                logging.warning('The dtype of the watched tensor must be floating (e.g. '
                                'tf.float32), got %r', item.dtype)
            self._watched.add(item)

    def watches(self, tensor):
        """True if gradients of `tensor` may be asked for."""
        return tensor in self._watched

    def wants(self, tensors, handles):
        """True if a function of these tensors and Variables is to be recorded."""
        if self._watch_variables:
            for handle in handles:
                self._access(handle)
        watched = self._watched
        return not watched.isdisjoint(tensors) or not watched.isdisjoint(handles)

    def record(self, operation):
        """Called with each operation that has run."""
        watched = self._watched
        if operation.definition.handle_positions and self._watch_variables:
            for i in operation.definition.handle_positions:
                self._access(operation.inputs[i])
        for tensor in operation.inputs:
            if tensor in watched:
                if rule_of(operation) is not NOT_DIFFERENTIABLE:
                    watched.update([t for t in operation.outputs
                                    if t.dtype in _DIFFERENTIABLE])
                    self._operations.append(operation)
                return

    def _access(self, handle):
        variable = handle.__dict__.get('variable')
        variable = variable and variable()
        if variable is not None and variable.trainable and handle not in self._variables:
            self._variables[handle] = variable
            self._watched.add(handle)

    def watched_variables(self):
        """The Variables that were watched, in order of first use."""
        return tuple(self._variables.values())

    @contextmanager
    def stop_recording(self):
        """Records nothing inside the block."""
        if not self._recording:
            raise misuse(RuntimeError('Trying to stop recording a tape which is not recording.'))
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self):
        """Forgets what was recorded so far."""
        self._clear()

    # ---- differentiating -----------------------------------------------------------------

    def gradient(self, target, sources, output_gradients=None,
                 unconnected_gradients=UnconnectedGradients.NONE):
        """The derivatives of sum(target) by each of `sources`, in the structure of `sources`.

        None (or zeros, by `unconnected_gradients`) where the target does not depend on a source.

        Shapes: target [*any], sources [*s] -> tensors [*s], or IndexedSlices.

        Raises RuntimeError the second time, unless the tape is persistent.
        """
        if self._used:
            raise misuse(RuntimeError(
                'GradientTape.gradient can only be called once on non-persistent tapes.\n  Hint: '
                'one call with a list of sources; or tf.GradientTape(persistent=True).'))
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                logging.warning('Calling GradientTape.gradient on a persistent tape inside its '
                                'context is significantly less efficient than calling it outside '
                                'the context (it causes the gradient ops to be recorded on the '
                                'tape, leading to increased CPU and memory usage). Only call '
                                'GradientTape.gradient inside the context if you actually want to '
                                'trace the gradient in order to compute higher order derivatives.')
        targets = nest.flatten(target)
        given = [None] * len(targets) if output_gradients is None else \
            nest.flatten(output_gradients)
        leaves = nest.flatten(sources)
        found = self._backpropagate(targets, given, [_key(s) for s in leaves])
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            found = [nodes.ZerosLike(convert_to_tensor(s)) if g is None else g
                     for g, s in zip(found, leaves)]
        if not self._persistent:
            self._used = True
            self._clear()
        return nest.pack_sequence_as(sources, found)

    def _backpropagate(self, targets, given, sources):
        grads_of = {}
        for target, grad in zip(targets, given):
            tensor = _key(target)
            if tensor not in self._watched:
                continue
            start = nodes.OnesLike(convert_to_tensor(target)) if grad is None \
                else convert_to_tensor(grad)
            grads_of.setdefault(tensor, []).append(start)
        wanted = set(sources)
        shape_sources = {}
        for operation in reversed(self._operations):
            grads = [_total(tensor, grads_of, wanted) for tensor in operation.outputs]
            if any(g is not None for g in grads):
                self._differentiate(operation, grads, grads_of, shape_sources)
        return [_total(source, grads_of, wanted) for source in sources]

    def _differentiate(self, operation, grads, grads_of, shape_sources):
        """Adds the gradients of one operation's inputs."""
        rule, definition = rule_of(operation), operation.definition
        if rule is None:
            raise no_gradient_error(operation)
        if rule is not definition.gradient:     # a registered function: it expects zeros, not None
            grads = [nodes.ZerosLike(t) if g is None and t.dtype in _DIFFERENTIABLE else g
                     for g, t in zip(grads, operation.outputs)]
        if operation.type not in _KEEP_SLICES:
            grads = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in grads]
        results = rule(operation, *grads)
        if not isinstance(results, (list, tuple)):
            results = (results,)
        broadcast = definition.elementwise and len(operation.inputs) > 1
        for i, (tensor, grad) in enumerate(zip(operation.inputs, results)):
            if grad is None or tensor not in self._watched \
                    or tensor.dtype.base_dtype not in _DIFFERENTIABLE:
                continue
            if broadcast and isinstance(grad, Tensor):
                grad = sum_like(grad, operation, i, shape_sources)
            grads_of.setdefault(tensor, []).append(grad)

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE,
                 parallel_iterations=None, experimental_use_pfor=True):
        """The derivative of each element of `target` by each of `sources`.

        Shapes: target [*t], sources [*s] -> tensors [*t, *s].
        """
        tape = self._as_persistent()
        flat = nodes.Reshape(convert_to_tensor(target), [-1])
        count = flat.raw_shape[0]
        rows = []
        for i in range(count):
            start = np.zeros(count, flat.dtype.np)
            start[i] = 1
            start = nodes.Reshape(convert_to_tensor(start), convert_to_tensor(target).shape)
            rows.append(nest.flatten(tape.gradient(target, sources, start, unconnected_gradients)))
        found = [None if row[0] is None else nodes.Reshape(
            nodes.Pack([convert_to_tensor(r) for r in row]),
            [*convert_to_tensor(target).raw_shape, *row[0].shape.as_list()])
            for row in zip(*rows)]
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE,
                       parallel_iterations=None, experimental_use_pfor=True):
        """The Jacobian of each row of `target` by the same row of `source`.

        Shapes: target [n, *t], source [n, *s] -> [n, *t, *s].
        """
        shape, others = target.raw_shape, source.raw_shape
        if not shape or not others or shape[0] != others[0]:
            raise misuse(ValueError(f'Need first dimension of target shape ({target.shape}) and '
                                    f'source shape ({source.shape}) to match.'))
        whole = self.jacobian(target, source, unconnected_gradients)
        if whole is None:
            return nodes.Fill([*shape, *others[1:]], convert_to_tensor(0, target.dtype))
        rows = [whole[i][(slice(None),) * (len(shape) - 1) + (i,)] for i in range(shape[0])]
        return nodes.Pack(rows)

    def _as_persistent(self):
        """A tape with the same records that may be asked often; this one counts as used."""
        if self._used:
            raise misuse(RuntimeError('GradientTape.gradient can only be called once on '
                                      'non-persistent tapes.'))
        if self._persistent:
            return self
        if self._recording:
            self._stop()
        tape = EagerTape(persistent=True)
        tape._operations, tape._watched = self._operations, self._watched
        tape._variables = self._variables
        self._clear()
        self._used = True
        return tape


def _key(value):
    """The tensor by which a target or source is recorded."""
    if hasattr(value, 'handle'):
        return value.handle
    return value.values if isinstance(value, IndexedSlices) else value


def _total(tensor, grads_of, wanted):
    """The sum of a tensor's gradients, which stay in `grads_of` only if it is wanted."""
    parts = grads_of.get(tensor)
    if parts is None:
        return None
    result = total(parts)
    if tensor in wanted:
        grads_of[tensor] = [result]
    else:
        del grads_of[tensor]
    return result
