"""Reads the batches of an input_fn as arrays, in a separate graph.

The arrays are fed to a cached model, which has placeholders in place of the input's tensors (see
cache.py), so that its graph can be reused with another input.
"""
from __future__ import annotations

from estimator_layer.call_input_fn import call_input_fn, resolve_input_fn
from estimator_layer.inputs.columns import InputFunction
from tinyflow.data.runtime.array_batches import ArrayBatches
from tinyflow.graph import dtypes
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import OutOfRangeError
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.session.session import Session
from tinyflow.train.sessions.monitored_session import MonitoredSession

__all__ = ['batches_of']

# A graph with one of these needs initialization or threads: a MonitoredSession.
_STATEFUL = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TABLE_INITIALIZERS,
             GraphKeys.QUEUE_RUNNERS)


def batches_of(input_fn, mode, params, config):
    """The batches of an input_fn, or None if its tensors cannot be fed through placeholders."""
    with Graph().as_default() as graph, graph.device(config.device_fn):
        set_random_seed(config.tf_random_seed)
        function = resolve_input_fn(input_fn, mode, params, config)
        if isinstance(function, InputFunction):
            return _ArrayBatches(function)
        inputs = call_input_fn(function, mode, params, config)
        try:
            leaves = nest.flatten((inputs.features, inputs.labels))
        except TypeError:               # keys that cannot be sorted, such as strings and ints
            return None
        if not all(_can_be_fed(leaf) for leaf in leaves):
            return None
        return _GraphBatches(graph, inputs, config)


def _can_be_fed(leaf):
    tensor = leaf.values if isinstance(leaf, SparseTensor) else leaf
    return leaf is None or isinstance(tensor, Tensor) and \
        tensor.dtype not in (dtypes.variant, dtypes.resource)


class _Batches:
    """Batches of one structure; inputs with equal `signature` fit the same cached graph."""

    def __init__(self, features, labels, specs):
        """`specs` has for each leaf a tuple of (dtype, shape): one, three if sparse, none for None.
        """
        self._structure = features, labels
        self._specs = specs
        self.signature = _keys(features), _keys(labels), tuple(map(str, specs))

    def placeholders(self):
        """(features, labels, [placeholder of each array]) in the default graph."""
        placeholders, leaves = [], []
        for spec in self._specs:
            parts = [placeholder(dtype, shape) for dtype, shape in spec or ()]
            placeholders.extend(parts)
            leaves.append(parts[0] if len(parts) == 1 else SparseTensor(*parts) if parts else None)
        features, labels = nest.pack_sequence_as(self._structure, leaves)
        return features, labels, placeholders


def _keys(structure):
    """The structure without its leaves, as a hashable value."""
    if isinstance(structure, dict):
        return tuple((key, _keys(structure[key])) for key in sorted(structure))
    if isinstance(structure, (list, tuple)):
        return type(structure).__name__, tuple(map(_keys, structure))
    return ''


class _GraphBatches(_Batches):
    """Batches read by running the tensors of a graph."""

    def __init__(self, graph, inputs, config):
        self._graph, self._inputs, self._config = graph, inputs, config
        leaves = nest.flatten((inputs.features, inputs.labels))
        self._tensors, specs = [], []
        for leaf in leaves:
            parts = [] if leaf is None else [leaf.indices, leaf.values, leaf.dense_shape] \
                if isinstance(leaf, SparseTensor) else [leaf]
            self._tensors.extend(parts)
            specs.append(tuple((part.dtype.base_dtype, part.get_shape()) for part in parts))
        super().__init__(inputs.features, inputs.labels, specs)

    @property
    def endless(self):
        return self._inputs.endless

    @property
    def may_end(self):
        return any(op.type == 'IteratorGetNext' for op in self._graph.get_operations()) or \
            bool(self._graph.get_collection(GraphKeys.QUEUE_RUNNERS))

    def __iter__(self):
        with self._graph.as_default():
            if any(self._graph.get_collection(key) for key in _STATEFUL):
                yield from self._run_monitored()
            else:
                yield from self._run_plain()

    def _run_plain(self):
        with Session(graph=self._graph, config=self._config.session_config) as session:
            for hook in self._inputs.hooks:
                hook.begin()
                hook.after_create_session(session, None)
            next_batch = session.make_callable(self._tensors)
            while True:
                try:
                    batch = next_batch()
                except OutOfRangeError:
                    return
                yield batch

    def _run_monitored(self):
        with MonitoredSession(hooks=self._inputs.hooks) as session:
            while not session.should_stop():
                batch = session.run(self._tensors)
                yield batch


class _ArrayBatches(_Batches):
    """Batches of arrays, read without a graph."""

    may_end = True

    def __init__(self, function):
        self._function = function
        self.endless = function.epochs is None
        static = function.batch_size if function.epochs is None else None
        positions = function.restore(list(range(len(function.columns))))
        features, labels = positions if isinstance(positions, tuple) else (positions, None)
        order = nest.flatten((features, labels))
        specs = [() if at is None else ((dtypes.as_dtype(function.columns[at].dtype),
                                         [static, *function.columns[at].shape[1:]]),)
                 for at in order]
        self._order = [at for at in order if at is not None]
        super().__init__(features, labels, specs)

    def __iter__(self):
        function = self._function
        source = ArrayBatches(function.columns, function.batch_size, function.epochs,
                              function.shuffle)
        for batch in source.open():
            yield [batch[at] for at in self._order]
