"""Input receivers of an exported model: placeholders, and the features computed from them."""
from __future__ import annotations

import collections

from tinyflow.graph import dtypes
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.ops.files import example_parsing

__all__ = ['ServingInputReceiver', 'SupervisedInputReceiver', 'TensorServingInputReceiver',
           'UnsupervisedInputReceiver', 'build_parsing_serving_input_receiver_fn',
           'build_raw_serving_input_receiver_fn', 'build_raw_supervised_input_receiver_fn',
           'build_supervised_input_receiver_fn_from_input_fn']

# The key of a tensor that was passed without a dict.
_DEFAULT_KEYS = {'feature': 'feature', 'label': 'label', 'receiver_tensor': 'input',
                 'receiver_tensors_alternative': 'input'}
_FIELDS = ('features', 'receiver_tensors', 'receiver_tensors_alternatives')


class ServingInputReceiver(collections.namedtuple('ServingInputReceiver', _FIELDS)):
    """The result of a serving_input_receiver_fn: features, and the placeholders to feed.

    Args:
      features: the features for the model_fn, a dict of tensors; a single tensor becomes
        {'feature': tensor}.
      receiver_tensors: the tensors that a caller feeds, {name: tensor}; usually one placeholder of
        serialized tf.train.Examples.
      receiver_tensors_alternatives: {name: tensors to feed instead}; each adds signatures.

    Raises ValueError for a value that is not a tensor, or a key that is not a string.
    """

    __slots__ = ()

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        alternatives = receiver_tensors_alternatives
        if alternatives is not None:
            if not isinstance(alternatives, dict):
                raise misuse(ValueError(
                    f'receiver_tensors_alternatives must be a dict: {alternatives}.'))
            alternatives = {name: _checked_tensors(tensors, 'receiver_tensors_alternative')
                            for name, tensors in alternatives.items()}
        return super().__new__(
            cls, features=_checked_tensors(features, 'feature', keys=(str, int)),
            receiver_tensors=_checked_tensors(receiver_tensors, 'receiver_tensor'),
            receiver_tensors_alternatives=alternatives)


class TensorServingInputReceiver(collections.namedtuple('TensorServingInputReceiver', _FIELDS)):
    """A ServingInputReceiver for a model_fn whose features are one tensor, not a dict."""

    __slots__ = ()

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if features is None:
            raise misuse(ValueError('features must be defined.'))
        _check_tensor(features, None, 'feature')
        receiver = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(
            cls, features=receiver.features[_DEFAULT_KEYS['feature']],
            receiver_tensors=receiver.receiver_tensors,
            receiver_tensors_alternatives=receiver.receiver_tensors_alternatives)


class UnsupervisedInputReceiver(ServingInputReceiver):
    """The result of an input receiver for training or evaluation without labels."""

    __slots__ = ()

    def __new__(cls, features, receiver_tensors):
        return super().__new__(cls, features, receiver_tensors)


class SupervisedInputReceiver(collections.namedtuple(
        'SupervisedInputReceiver', ('features', 'labels', 'receiver_tensors'))):
    """The result of an input receiver for training or evaluation: features, labels, placeholders.
    """

    __slots__ = ()

    def __new__(cls, features, labels, receiver_tensors):
        _checked_tensors(features, 'feature', keys=(str, int))
        _checked_tensors(labels, 'label', keys=(str, int))
        receiver_tensors = _checked_tensors(receiver_tensors, 'receiver_tensor')
        return super().__new__(cls, features=features, labels=labels,
                               receiver_tensors=receiver_tensors)


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """A serving_input_receiver_fn whose input is serialized tf.train.Examples.

    `feature_spec` is the dict that tf.io.parse_example takes, such as
    tf.feature_column.make_parse_example_spec(columns). The placeholder 'examples' is string
    [batch]. Raises ValueError for anything but a dict, such as a list of columns.
    """
    _check_feature_spec(feature_spec)

    def serving_input_receiver_fn():
        serialized = placeholder(dtypes.string, [default_batch_size], 'input_example_tensor')
        features = example_parsing.parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {'examples': serialized})
    return serving_input_receiver_fn


def _check_feature_spec(feature_spec):
    if not isinstance(feature_spec, dict):
        raise misuse(ValueError(
            f'feature_spec must be a dict; got {type(feature_spec).__name__}.\n  Hint: '
            'tf.feature_column.make_parse_example_spec(feature_columns) creates it; or '
            "{'x': tf.FixedLenFeature([4], tf.float32)}."))


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """A serving_input_receiver_fn with one placeholder per feature.

    `features` is {name: tensor}, of which only dtype and shape [batch, ...] are used. The batch
    size is unknown unless `default_batch_size` is given.
    """
    def serving_input_receiver_fn():
        received = _placeholders(features, default_batch_size)
        return ServingInputReceiver(received, received)
    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(features, labels, default_batch_size=None):
    """An input receiver with placeholders for features and labels, tensors or dicts of tensors.

    Raises ValueError if features and labels share a key.
    """
    def named(tensors, key):
        return tensors if isinstance(tensors, dict) else {key: tensors}

    shared = set(named(features, 'input')) & set(named(labels, 'label'))
    if shared:
        raise misuse(ValueError('Features and labels must have distinct keys. '
                                f'Found overlapping keys: {shared}'))

    def supervised_input_receiver_fn():
        inputs = _placeholders(named(features, 'input'), default_batch_size)
        targets = _placeholders(named(labels, 'label'), default_batch_size)
        return SupervisedInputReceiver(
            inputs if isinstance(features, dict) else inputs['input'],
            targets if isinstance(labels, dict) else targets['label'], {**inputs, **targets})
    return supervised_input_receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(input_fn, **input_fn_args):
    """An input receiver with placeholders like the batches of an input_fn for training."""
    with Graph().as_default():
        result = input_fn(**input_fn_args)
        if hasattr(result, 'make_one_shot_iterator'):
            result = result.make_one_shot_iterator().get_next()
        features, labels = result if isinstance(result, (list, tuple)) else (result, None)
        # Of the tensors of that graph only dtypes, shapes and names are used.
        return build_raw_supervised_input_receiver_fn(features, labels)


def _placeholders(tensors, batch_size):
    return {name: placeholder(tensor.dtype, _batched(tensor, batch_size),
                              getattr(getattr(tensor, 'op', None), 'name', None))
            for name, tensor in tensors.items()}


def _batched(tensor, batch_size):
    return TensorShape([batch_size]).concatenate(TensorShape(tensor.shape)[1:])


def _checked_tensors(tensors, field, keys=(str,)):
    """{name: tensor} for a dict or a single tensor, checked."""
    if tensors is None:
        raise misuse(ValueError(f'{field}s must be defined.'))
    if not isinstance(tensors, dict):
        tensors = {_DEFAULT_KEYS[field]: tensors}
    for name, tensor in tensors.items():
        if not isinstance(name, keys):
            kinds = 'strings or ints' if int in keys else 'strings'
            raise misuse(ValueError(f'{field} keys must be {kinds}: {name}.'))
        _check_tensor(tensor, name, field)
    return tensors


def _check_tensor(tensor, name, field):
    tensor = getattr(tensor, 'tensor', tensor)              # of a LabeledTensor
    if not isinstance(tensor, (Tensor, SparseTensor)):
        label = f' {name}' if name else ''
        raise misuse(ValueError(f'{field}{label} must be a Tensor or SparseTensor.'))
