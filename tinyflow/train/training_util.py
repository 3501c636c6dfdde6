"""The global step: the one Variable of a graph that counts training steps."""
from __future__ import annotations

import warnings

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import TinyflowWarning, misuse
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.variable import Variable, VariableAggregation
from tinyflow.ops.variables.variable_scope import get_variable


def global_step(sess, global_step_tensor):
    """The number of steps so far in `sess`, as a Python int."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph=None):
    """The graph's global step, or None if it has none.

    It is the only member of the GLOBAL_STEP collection, else the tensor 'global_step:0'.
    """
    graph = graph or get_default_graph()
    kept = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(kept) > 1:
        names = ', '.join(f"'{t.name}'" for t in kept)
        warnings.warn(f'[global-step] Multiple tensors in global_step collection: {names}.',
                      TinyflowWarning, stacklevel=2)
        return None
    if kept:
        step = kept[0]
    else:
        try:
            step = graph.get_tensor_by_name('global_step:0')
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph=None):
    """A new int64 Variable 'global_step'. Raises ValueError if the graph has a global step."""
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise misuse(ValueError('"global_step" already exists.\n  Hint: '
                                'tf.train.get_or_create_global_step().'))
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64, initializer=zeros_initializer(),
            trainable=False, aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def get_or_create_global_step(graph=None):
    """The graph's global step; a new one if it has none."""
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


_READ = 'global_step_read_op_cache'         # TF's collection of the one tensor below


def global_step_read(graph=None):
    """The global step as a tensor that is safe to read before it is initialised; None without one.

    Model functions are built to run after it, so that all of a step sees one number.
    """
    graph = graph or get_default_graph()
    kept = graph.get_collection(_READ)
    if len(kept) > 1:
        raise misuse(RuntimeError('There are multiple items in the collection global_step_read.'))
    step = None if kept else get_global_step(graph)
    if kept or step is None:
        return kept[0] if kept else None
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f'{step.op.name}/'):
        value = step.initialized_value() if isinstance(step, Variable) else step
        read = value + 0
    graph.add_to_collection(_READ, read)
    return read


def assert_global_step(global_step_tensor):
    """Raises TypeError unless this can count steps: an integer scalar, Tensor or Variable."""
    step = global_step_tensor
    if not isinstance(step, (Variable, Tensor)):
        raise misuse(TypeError(f'Existing "global_step" must be a Variable or Tensor: {step!r}.'))
    if not step.dtype.base_dtype.is_integer:
        raise misuse(TypeError('Existing "global_step" does not have integer type: '
                               f'{step.dtype!r}'))
    shape = step.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise misuse(TypeError(f'Existing "global_step" is not scalar: {shape}'))


__all__ = ['assert_global_step', 'create_global_step', 'get_global_step',
           'get_or_create_global_step', 'global_step']
