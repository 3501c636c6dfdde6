"""What a served model receives: placeholders, and the features that the model makes of them."""
from __future__ import annotations

import collections

from tinyflow.graph import dtypes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import worded
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.ops.files import example_parsing

__all__ = ['ServingInputReceiver', 'SupervisedInputReceiver', 'TensorServingInputReceiver',
           'UnsupervisedInputReceiver', 'build_parsing_serving_input_receiver_fn',
           'build_raw_serving_input_receiver_fn', 'build_raw_supervised_input_receiver_fn']

# The key of a tensor that was given without one.
_ONLY = {'feature': 'feature', 'label': 'label', 'receiver_tensor': 'input',
         'receiver_tensors_alternative': 'input'}
_FIELDS = ('features', 'receiver_tensors', 'receiver_tensors_alternatives')


class ServingInputReceiver(collections.namedtuple('ServingInputReceiver', _FIELDS)):
    """What a serving_input_receiver_fn returns.

    Args:
      features: what the model_fn gets, a dict of tensors; a single tensor becomes
        {'feature': tensor}.
      receiver_tensors: what a caller feeds, {name: tensor}; usually one placeholder of serialized
        tf.train.Examples.
      receiver_tensors_alternatives: {name: other tensors to feed instead}; each makes further
        signatures.

    Raises ValueError for what is not a tensor, or a key that is not a string.
    """

    __slots__ = ()

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        alternatives = receiver_tensors_alternatives
        if alternatives is not None:
            if not isinstance(alternatives, dict):
                raise worded(ValueError(
                    f'receiver_tensors_alternatives must be a dict: {alternatives}.'))
            alternatives = {name: _tensors(given, 'receiver_tensors_alternative')
                            for name, given in alternatives.items()}
        return super().__new__(
            cls, features=_tensors(features, 'feature', keys=(str, int)),
            receiver_tensors=_tensors(receiver_tensors, 'receiver_tensor'),
            receiver_tensors_alternatives=alternatives)


class TensorServingInputReceiver(collections.namedtuple('TensorServingInputReceiver', _FIELDS)):
    """A ServingInputReceiver for a model_fn whose features are one tensor, not a dict."""

    __slots__ = ()

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if features is None:
            raise worded(ValueError('features must be defined.'))
        _check_tensor(features, None, 'feature')
        receiver = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(
            cls, features=receiver.features[_ONLY['feature']],
            receiver_tensors=receiver.receiver_tensors,
            receiver_tensors_alternatives=receiver.receiver_tensors_alternatives)


class UnsupervisedInputReceiver(ServingInputReceiver):
    """What an input receiver for training or evaluation returns if there are no labels."""

    __slots__ = ()

    def __new__(cls, features, receiver_tensors):
        return super().__new__(cls, features, receiver_tensors)


class SupervisedInputReceiver(collections.namedtuple(
        'SupervisedInputReceiver', ('features', 'labels', 'receiver_tensors'))):
    """What an input receiver for training or evaluation returns: features, labels, placeholders."""

    __slots__ = ()

    def __new__(cls, features, labels, receiver_tensors):
        _tensors(features, 'feature', keys=(str, int))
        _tensors(labels, 'label', keys=(str, int))
        return super().__new__(cls, features=features, labels=labels,
                               receiver_tensors=_tensors(receiver_tensors, 'receiver_tensor'))


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """A serving_input_receiver_fn that is fed serialized tf.train.Examples.

    `feature_spec` is what tf.io.parse_example takes, as
    tf.feature_column.make_parse_example_spec(columns) gives it. The placeholder 'examples' is
    string [batch]. ValueError for what is no such dict, as a list of columns.
    """
    _check_feature_spec(feature_spec)

    def serving_input_receiver_fn():
        serialized = placeholder(dtypes.string, [default_batch_size], 'input_example_tensor')
        features = example_parsing.parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {'examples': serialized})
    return serving_input_receiver_fn


def _check_feature_spec(feature_spec):
    if not isinstance(feature_spec, dict):
        raise worded(ValueError(
            f'feature_spec is a dict; got {type(feature_spec).__name__}.\n  Mend: '
            'tf.feature_column.make_parse_example_spec(feature_columns) makes it of columns; or '
            "{'x': tf.FixedLenFeature([4], tf.float32)}."))


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """A serving_input_receiver_fn that is fed every feature by itself.

    `features` is {name: tensor}; of each only dtype and shape count, [batch, ...], and the batch
    may have any size unless `default_batch_size` says it.
    """
    def serving_input_receiver_fn():
        received = _placeholders(features, default_batch_size)
        return ServingInputReceiver(received, received)
    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(features, labels, default_batch_size=None):
    """An input receiver that is fed features and labels as they are, tensors or dicts of tensors.

    Raises ValueError if features and labels share a key.
    """
    def named(given, only):
        return given if isinstance(given, dict) else {only: given}

    shared = set(named(features, 'input')) & set(named(labels, 'label'))
    if shared:
        raise worded(ValueError('Features and labels must have distinct keys. '
                                f'Found overlapping keys: {shared}'))

    def supervised_input_receiver_fn():
        inputs = _placeholders(named(features, 'input'), default_batch_size)
        targets = _placeholders(named(labels, 'label'), default_batch_size)
        return SupervisedInputReceiver(
            inputs if isinstance(features, dict) else inputs['input'],
            targets if isinstance(labels, dict) else targets['label'], {**inputs, **targets})
    return supervised_input_receiver_fn


def _placeholders(tensors, batch_size):
    return {name: placeholder(tensor.dtype, _batched(tensor, batch_size),
                              getattr(getattr(tensor, 'op', None), 'name', None))
            for name, tensor in tensors.items()}


def _batched(tensor, batch_size):
    return TensorShape([batch_size]).concatenate(TensorShape(tensor.shape)[1:])


def _tensors(given, field, keys=(str,)):
    """{name: tensor} of a dict or a single tensor, checked."""
    if given is None:
        raise worded(ValueError(f'{field}s must be defined.'))
    if not isinstance(given, dict):
        given = {_ONLY[field]: given}
    for name, tensor in given.items():
        if not isinstance(name, keys):
            kinds = 'strings or ints' if int in keys else 'strings'
            raise worded(ValueError(f'{field} keys must be {kinds}: {name}.'))
        _check_tensor(tensor, name, field)
    return given


def _check_tensor(tensor, name, field):
    if not isinstance(tensor, (Tensor, SparseTensor)):
        label = f' {name}' if name else ''
        raise worded(ValueError(f'{field}{label} must be a Tensor or SparseTensor.'))
