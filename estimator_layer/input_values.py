"""What an input_fn gave, as features and labels: a Dataset, tensors, arrays or a DataFrame.

TensorFlow takes a Dataset or tensors. Arrays and DataFrames are taken here besides, in place of
the input_fn or as what it returns (PAINS B18); they become batches in order, or shuffled without
end in training.
"""
from __future__ import annotations

import numpy as np

from estimator_layer.calling import parameters
from estimator_layer.inputs.columns import InputFunction
from estimator_layer.inputs.numpy_io import numpy_input_fn
from estimator_layer.inputs.pandas_io import pandas_input_fn
from estimator_layer.model_fn import ModeKeys
from tinyflow.api.distribute import InputContext
from tinyflow.data.dataset import Dataset
from tinyflow.data.iterators import initializable
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import worded
from tinyflow.graph.support.nest import flatten
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['Inputs', 'StartIterator', 'check_input_fn', 'dataset_of', 'features_and_labels',
           'parted']

BATCH = 128         # rows of a batch of arrays that came without an input_fn


class Inputs:
    """Features and labels of a batch, the hooks that start their source, and its iterator."""

    def __init__(self, features, labels=None, hooks=(), iterator=None):
        self.features, self.labels, self.hooks = features, labels, list(hooks)
        self.iterator = iterator


class StartIterator(SessionRunHook):
    """Runs an iterator's initializer in each new session."""

    def __init__(self, iterator):
        self._iterator = iterator

    def begin(self):
        self._initializer = self._iterator.initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


def features_and_labels(input_fn, mode, params=None, config=None):
    """The Inputs of one mode, in the default graph.

    Raises ValueError for a result that is no pair of features and labels, and for tensors of
    another graph.
    """
    result = input_function_of(input_fn, mode, params, config)
    if isinstance(result, InputFunction):
        result = result()
    else:
        result = result.value
    if isinstance(result, Dataset):
        if result._variant_tensor.graph is not get_default_graph():
            raise _other_graph('the Dataset', result._variant_tensor)
        iterator = initializable(result)
        features, labels = parted(iterator.get_next())
        return Inputs(features, labels, [StartIterator(iterator)], iterator)
    features, labels = parted(result)
    _check_graph(features, labels)
    return Inputs(features, labels)


class _Given:
    """What an input_fn returned, where that is no arrays."""

    def __init__(self, value):
        self.value = value


def input_function_of(input_fn, mode, params=None, config=None, replicas=1):
    """Calls the input_fn, once; an InputFunction if it is over arrays, else a _Given.

    May be called with its own result, which is then handed back.
    """
    if isinstance(input_fn, (InputFunction, _Given)):
        return input_fn
    result = _called(input_fn, mode, params, config, replicas)
    if isinstance(result, InputFunction):
        return result
    if not isinstance(result, Dataset):
        features, labels = parted(result)
        if _are_arrays(features):
            return _over_arrays(_listed(features), _listed(labels), mode)
    return _Given(result)


def dataset_of(input_fn, mode, params, config, replicas):
    """The Dataset of an input_fn, for a strategy. ValueError for one that gives tensors."""
    result = input_function_of(input_fn, mode, params, config, replicas)
    if isinstance(result, InputFunction):
        return result.dataset()
    if not isinstance(result.value, Dataset):
        raise worded(ValueError(
            'dataset must be a tf.data.Dataset: under a tf.distribute.Strategy an input_fn '
            'returns a Dataset, of which each replica takes its own batches; it gave '
            f'{result.value!r}.'))
    return result.value


def _called(input_fn, mode, params, config, replicas):
    """What the input_fn returns; data in memory stand for a function that returns them."""
    check_input_fn(input_fn)
    if _is_data(input_fn):
        return input_fn
    given = {'mode': mode, 'params': params, 'config': config,
             'input_context': InputContext(1, 0, replicas)}
    wanted = parameters(input_fn)
    return input_fn(**{name: given[name] for name in given if name in wanted})


def check_input_fn(input_fn):
    """Raises TypeError for what is neither a function nor data."""
    if not _is_data(input_fn) and not callable(input_fn):
        raise worded(TypeError(
            f'input_fn must be a function, a Dataset, arrays or a DataFrame; got {input_fn!r}\n'
            '  Mend: input_fn=lambda: dataset. A call, input_fn=make_data(), hands over what it '
            'returns instead of the function.'))


def _is_data(input_fn):
    return isinstance(input_fn, (Dataset, tuple)) or _are_arrays(input_fn)


def parted(result):
    """(features, labels) of what an input_fn returned; labels are None if it gave none."""
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise worded(ValueError(
                'input_fn should return (features, labels) as a len 2 tuple.\n  Mend: it gave '
                f'{len(result)} parts; several features go into one dict: '
                "({'a': a, 'b': b}, labels)."))
        return tuple(result)
    return result, None


def _over_arrays(features, labels, mode):
    """The input_fn over arrays: shuffled without end in training, else once in order."""
    training = mode == ModeKeys.TRAIN
    make = pandas_input_fn if hasattr(features, 'columns') else numpy_input_fn
    return make(features, labels, batch_size=BATCH, num_epochs=None if training else 1,
                shuffle=training)


def _are_arrays(features):
    if isinstance(features, dict):
        return bool(features) and all(isinstance(value, np.ndarray) or _is_list(value)
                                      for value in features.values())
    return isinstance(features, np.ndarray) or hasattr(features, 'columns') and \
        hasattr(features, 'index')


def _is_list(value):
    """Is it a list of plain numbers or texts, such as one types in to ask for a prediction?"""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(
        isinstance(part, (bool, int, float, str, bytes, np.generic)) for part in flatten(value))


def _listed(value):
    """Lists as arrays, of the dtypes that tf.constant gives them."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    if not _is_list(value):
        return value
    array = np.asarray(value)
    usual = {'float64': np.float32, 'int64': np.int32}.get(array.dtype.name)
    return array.astype(usual) if usual and not isinstance(value[0], np.generic) else array


def _check_graph(features, labels):
    """B18: a tensor made outside of the input_fn belongs to another graph."""
    graph = get_default_graph()
    for part in (features, labels):
        for tensor in flatten(part):
            node = tensor.values if isinstance(tensor, SparseTensor) else tensor
            if isinstance(node, Tensor) and node.graph is not graph:
                raise _other_graph('a tensor', node)


def _other_graph(what, tensor):
    site = f', made at {tensor.op.site},' if tensor.op.site else ''
    return worded(ValueError(
        f'input_fn gave {what} of another graph: "{tensor.name}"{site} was made outside of '
        'input_fn.\n  Mend: an Estimator calls input_fn inside a new graph each time; make '
        'datasets and tensors inside the function: def input_fn(): return '
        'tf.data.Dataset.from_tensor_slices(arrays).batch(32).'))
