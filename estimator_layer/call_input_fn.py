"""Calls an input_fn and converts its result to features and labels.

TensorFlow accepts a function that returns a Dataset, tensors, or arrays, which are one batch, the
same in each step. tinyflow also accepts arrays in place of the input_fn, and DataFrames in both
places: they are read in order in batches, or shuffled and repeated without end in training.
"""
from __future__ import annotations

import re
import warnings

import numpy as np

from estimator_layer.call_model_fn import parameter_names
from estimator_layer.inputs.columns import InputFunction
from estimator_layer.inputs.numpy_io import numpy_input_fn
from estimator_layer.inputs.pandas_io import pandas_input_fn
from estimator_layer.model_fn import ModeKeys
from tinyflow.api.distribute import InputContext
from tinyflow.data.dataset import Dataset
from tinyflow.data.iterators import initializable
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import TinyflowWarning, misuse, why
from tinyflow.graph.support.nest import flatten
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['InitializeIteratorHook', 'Inputs', 'call_input_fn', 'check_input_fn',
           'dataset_of_input_fn', 'resolve_input_fn', 'split_features_labels',
           'warn_of_endless_input']

ARRAY_BATCH_SIZE = 128      # of arrays that were passed in place of an input_fn


class Inputs:
    """Features and labels of a batch, the hooks that initialize their source, its iterator.

    `endless` is true where it is plain that there will always be a next batch.
    """

    def __init__(self, features, labels=None, hooks=(), iterator=None, endless=False):
        self.features, self.labels, self.hooks = features, labels, list(hooks)
        self.iterator, self.endless = iterator, endless


class InitializeIteratorHook(SessionRunHook):
    """Runs an iterator's initializer in each new session."""

    def __init__(self, iterator):
        self._iterator = iterator

    def begin(self):
        self._initializer = self._iterator.initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


def call_input_fn(input_fn, mode, params=None, config=None, context=None):
    """The Inputs of one mode, in the default graph; `context` is the InputContext of a worker.

    Raises ValueError for a result that is not a pair of features and labels, and for tensors of
    another graph.
    """
    found = resolve_input_fn(input_fn, mode, params, config, context)
    result = found() if isinstance(found, InputFunction) else found.value
    if isinstance(result, Dataset):
        if result._variant_tensor.graph is not get_default_graph():
            raise _other_graph('the Dataset', result._variant_tensor)
        iterator = initializable(result)
        features, labels = split_features_labels(iterator.get_next())
        return Inputs(features, labels, [InitializeIteratorHook(iterator)], iterator)
    features, labels = split_features_labels(result)
    _check_graph(features, labels)
    endless = found.epochs is None if isinstance(found, InputFunction) else _is_of_constants(result)
    return Inputs(features, labels, endless=endless)


def warn_of_endless_input(inputs, hooks, what, limits, example, depth):
    """A warning where nothing will end a training or an evaluation; a hook may.

    `depth` is the number of calls from the user's line to this function.
    """
    if inputs.endless and not hooks:
        warnings.warn(f'[endless-input] the input has no end and {limits} given, so the '
                      f'{what} does not end by itself.\n  Hint: {example}; Ctrl-C stops this one.',
                      TinyflowWarning, stacklevel=depth + 1)


def _is_of_constants(result):
    """True if each run gives a batch: the tensors are computed, and nothing is read."""
    graph = get_default_graph()
    return all(isinstance(part, (Tensor, np.ndarray)) or np.isscalar(part)
               for part in _leaves(result) if part is not None) \
        and not graph.get_collection(GraphKeys.QUEUE_RUNNERS) \
        and not any(_MAY_END(op.type) for op in graph.get_operations())


# Of iterators, queues, readers, staging areas, Python functions: there the input may end.
_MAY_END = re.compile(r'Iterator|Queue|Reader|Unstage|PyFunc').search


class _InputFnResult:
    """The result of an input_fn that did not return arrays."""

    def __init__(self, value):
        self.value = value


def resolve_input_fn(input_fn, mode, params=None, config=None, context=None):
    """Calls the input_fn once; returns an InputFunction for arrays, else an _InputFnResult.

    A result of this function may be passed again and is returned unchanged.
    """
    if isinstance(input_fn, (InputFunction, _InputFnResult)):
        return input_fn
    result = _call(input_fn, mode, params, config, context)
    if isinstance(result, InputFunction):
        return result
    if not isinstance(result, Dataset):
        features, labels = split_features_labels(result)
        if _are_arrays(features) and (_is_data(input_fn) or hasattr(features, 'columns')):
            return _array_input_fn(_lists_to_arrays(features), _lists_to_arrays(labels), mode)
    return _InputFnResult(result)


def dataset_of_input_fn(input_fn, mode, params, config, context):
    """The Dataset of an input_fn, for a strategy. ValueError if it returns tensors."""
    result = resolve_input_fn(input_fn, mode, params, config, context)
    if isinstance(result, InputFunction):
        return result.dataset()
    if not isinstance(result.value, Dataset):
        raise misuse(ValueError(
            'dataset must be a tf.data.Dataset: under a tf.distribute.Strategy an input_fn '
            'returns a Dataset, from which each replica takes its own batches; it '
            f'returned {result.value!r}.'))
    return result.value


def _call(input_fn, mode, params, config, context):
    """The result of the input_fn; data passed in place of a function are the result."""
    check_input_fn(input_fn)
    if _is_data(input_fn):
        return input_fn
    arguments = {'mode': mode, 'params': params, 'config': config,
                 'input_context': context or InputContext(1, 0, 1)}
    accepted = parameter_names(input_fn)
    return input_fn(**{name: value for name, value in arguments.items() if name in accepted})


def check_input_fn(input_fn):
    """Raises TypeError unless `input_fn` is a function or data."""
    if not _is_data(input_fn) and not callable(input_fn):
        raise misuse(TypeError(
            f'input_fn must be a function, a Dataset, arrays or a DataFrame; got {input_fn!r}\n'
            '  Hint: input_fn=lambda: dataset. A call, input_fn=make_data(), passes its result '
            'instead of the function.'))


def _is_data(input_fn):
    return isinstance(input_fn, (Dataset, tuple)) or _are_arrays(input_fn)


def split_features_labels(result):
    """(features, labels) of the result of an input_fn; labels are None without labels."""
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise misuse(ValueError(
                'input_fn should return (features, labels) as a len 2 tuple.\n  Hint: it '
                f'returned {len(result)} parts; several features go into one dict: '
                "({'a': a, 'b': b}, labels)."))
        return tuple(result)
    return result, None


def _array_input_fn(features, labels, mode):
    """An InputFunction over arrays: shuffled and endless in training, else one ordered epoch."""
    training = mode == ModeKeys.TRAIN
    make = pandas_input_fn if hasattr(features, 'columns') else numpy_input_fn
    return make(features, labels, batch_size=ARRAY_BATCH_SIZE, num_epochs=None if training else 1,
                shuffle=training)


def _are_arrays(features):
    if isinstance(features, dict):
        return bool(features) and all(isinstance(value, np.ndarray) or _is_list(value)
                                      for value in features.values())
    return isinstance(features, np.ndarray) or hasattr(features, 'columns') and \
        hasattr(features, 'index')


def _is_list(value):
    """True for a list of plain numbers or strings, such as one typed in for a prediction."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(
        isinstance(part, (bool, int, float, str, bytes, np.generic)) for part in flatten(value))


def _lists_to_arrays(value):
    """Converts lists to arrays, with the dtypes that tf.constant would choose."""
    if isinstance(value, dict):
        return {key: _lists_to_arrays(part) for key, part in value.items()}
    if not _is_list(value):
        return value
    array = np.asarray(value)
    dtype = {'float64': np.float32, 'int64': np.int32}.get(array.dtype.name)
    return array.astype(dtype) if dtype and not isinstance(value[0], np.generic) else array


def _leaves(structure):
    """The leaves in any order; the keys of a dict of features may be both strings and ints."""
    if isinstance(structure, dict):
        structure = tuple(structure.values())
    if isinstance(structure, (list, tuple)):
        return [leaf for part in structure for leaf in _leaves(part)]
    return flatten(structure)


def _check_graph(features, labels):
    """Raises ValueError for a tensor of another graph, created outside of the input_fn."""
    graph = get_default_graph()
    for part in (features, labels):
        for tensor in _leaves(part):
            node = tensor.values if isinstance(tensor, SparseTensor) else tensor
            if isinstance(node, Tensor) and node.graph is not graph:
                raise _other_graph('a tensor', node)


def _other_graph(what, tensor):
    site = f', created at {tensor.op.site},' if tensor.op.site else ''
    return misuse(ValueError(
        f'input_fn returned {what} of another graph: "{tensor.name}"{site} was created outside '
        'of input_fn.\n  Hint: an Estimator calls input_fn inside a new graph each time; create '
        'datasets and tensors inside the function: def input_fn(): return '
        'tf.data.Dataset.from_tensor_slices(arrays).batch(32).' + why('input-fn')))
