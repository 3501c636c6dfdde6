"""tf.enable_eager_execution."""
from __future__ import annotations

import threading
from contextlib import contextmanager

from tinyflow.eager.custom_gradient import call_with_own_gradient
from tinyflow.eager.execute import execute
from tinyflow.eager.graph import EAGER_GRAPH
from tinyflow.eager.tape import EagerTape
from tinyflow.eager.tensor import EagerTensor
from tinyflow.eager.variable import EagerVariable
from tinyflow.graph import defaults, eager_mode
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.math.operators import TENSORS_AND_NUMBERS

__all__ = ['disable_eager_execution', 'eager_execution', 'enable_eager_execution']


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """From now on ops run as they are called, where no other graph is the default.

    Of `config` only intra_op_parallelism_threads matters; `device_policy` and `execution_mode` have
    no effect: everything runs at once, on the CPU. Raises ValueError if the default graph has nodes
    already.
    """
    if eager_mode.execute is not None:
        return
    if defaults.has_nodes():
        raise misuse(ValueError('tf.enable_eager_execution must be called at program startup.\n'
                                '  Hint: as the first line after the imports; the default graph '
                                'has nodes already.'))
    if config is not None and config.intra_op_parallelism_threads:
        from tinyflow.graph.support import processors  # start-up time
        processors.set_limit(config.intra_op_parallelism_threads)
    _install()
    defaults.use_graph(EAGER_GRAPH)


def _install():
    TENSORS_AND_NUMBERS.add(EagerTensor)
    eager_mode.execute = execute
    eager_mode.tensor_type = EagerTensor
    eager_mode.variable_type = EagerVariable
    eager_mode.tape_type = EagerTape
    eager_mode.call_with_own_gradient = call_with_own_gradient
    eager_mode.graph = EAGER_GRAPH


def disable_eager_execution():
    """From now on ops add nodes to the default graph again."""
    if eager_mode.execute is not None:
        eager_mode.execute = None
        defaults.use_graph(None)


class _Blocks:
    """The `with eager_execution():` that are open, in all threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._open, self._enabled = 0, False

    def enter(self):
        with self._lock:
            if not self._open:
                self._enabled = eager_mode.execute is not None
            self._open += 1
            _install()

    def leave(self):
        with self._lock:
            self._open -= 1
            if not self._open and not self._enabled:
                eager_mode.execute = None


_blocks = _Blocks()


@contextmanager
def eager_execution():
    """Ops run at once inside the block, as tf.enable_eager_execution would have them."""
    _blocks.enter()
    try:
        with EAGER_GRAPH.as_default():
            yield
    finally:
        _blocks.leave()
