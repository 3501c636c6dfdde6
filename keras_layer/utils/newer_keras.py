"""Configurations that a newer Keras wrote, that of TensorFlow 2.0 to 2.15, for the classes here.

It writes arguments that Keras of TensorFlow 1.15 does not have. One with the value under which it
changes nothing is left out; any other value is an error.
"""
from __future__ import annotations

import inspect
from functools import cache

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import constructor_keywords

__all__ = ['is_newer_layer', 'known_arguments', 'old_name', 'optimizer_state']

_ANY = object()             # the argument never changes what is computed
_NEWER = {
    # layers
    'groups': (1,), 'keepdims': (False,), 'dropout': (0,), 'score_mode': ('dot',), 'seed': _ANY,
    'ragged': (False,), 'synchronized': (False,), 'zero_output_for_mask': (False,),
    'autocast': _ANY, 'rank': _ANY,
    # layers, of which the depthwise and separable convolutions use none
    'kernel_initializer': _ANY, 'kernel_regularizer': (None,), 'kernel_constraint': (None,),
    # losses and metrics
    'fn': _ANY, 'axis': (-1,), 'ignore_class': (None,), 'class_id': (None,),
    'from_logits': (False,), 'multi_label': (False,), 'num_labels': (None,),
    'label_weights': (None,), 'sparse_y_true': (True,), 'sparse_y_pred': (True,),
    # optimizers and schedules
    'weight_decay': (None, 0), 'global_clipnorm': (None,), 'use_ema': (False,),
    'ema_momentum': _ANY, 'ema_overwrite_frequency': _ANY, 'jit_compile': _ANY,
    'is_legacy_optimizer': _ANY, 'beta': (0,), 'warmup_target': (None,), 'warmup_steps': (0,),
}
# Layers that came after TensorFlow 1.15; those whose names begin with Random came, too.
_LAYERS = frozenset((
    'CategoryEncoding', 'CenterCrop', 'Conv1DTranspose', 'ConvLSTM1D', 'ConvLSTM3D',
    'DepthwiseConv1D', 'Discretization', 'EinsumDense', 'GroupNormalization', 'HashedCrossing',
    'Hashing', 'IntegerLookup', 'MultiHeadAttention', 'Normalization', 'Rescaling', 'Resizing',
    'SpectralNormalization', 'StringLookup', 'SyncBatchNormalization', 'TextVectorization',
    'UnitNormalization'))
# What Keras makes of an operation on its tensors outside a layer, such as x + 1.
_OPERATIONS = frozenset(('ClassMethod', 'InstanceMethod', 'InstanceProperty', 'SlicingOpLambda',
                         'TFOpLambda', 'TensorFlowOpLayer'))
# The slots of the newer optimizers, and their names here.
_SLOTS = {'accumulated_grad': 'accum_grad', 'accumulated_delta_var': 'accum_var',
          'average_gradient': 'mg'}
_SLOTS_OF = {'Adamax': {'u': 'v'}, 'RMSprop': {'velocity': 'rms'}, 'SGD': {'m': 'momentum'}}


def old_name(name):
    """The name of a class here: a newer Keras writes 'Custom>Adam' for its optimizer Adam."""
    return name.removeprefix('Custom>') if isinstance(name, str) else name


def known_arguments(cls, config):
    """The configuration without newer arguments that `cls` does not have and that change nothing.

    ValueError for an argument of a newer Keras with another value.
    """
    if not (inspect.isclass(cls) and isinstance(config, dict)):
        return config
    newer = [key for key in config if key in _NEWER and key not in _keywords(cls)]
    if not newer:
        return config
    for key in newer:
        allowed = _NEWER[key]
        if allowed is not _ANY and not any(config[key] is v or config[key] == v for v in allowed):
            if not cls.__module__.startswith('keras_layer.'):
                return config               # the user's own class may know it
            raise misuse(ValueError(
                f'{cls.__name__} with {key}={config[key]!r} is not supported: {key!r} is an '
                f'argument of a newer Keras, and {cls.__name__} computes what it means by '
                f'{key}={allowed[0]!r}.\n  Hint: save the model without it, or pass a class of '
                f"your own: load_model(path, custom_objects={{'{cls.__name__}': ...}})."))
    return {key: value for key, value in config.items() if key not in newer}


@cache
def _keywords(cls):
    names = constructor_keywords(cls)
    # The name of its function, which a class with a function of its own does not take.
    return names if 'fn' in inspect.signature(cls).parameters else names - {'fn'}


def is_newer_layer(name):
    """What a layer of that name is, as the end of a sentence, if only a newer Keras has it."""
    if name in _OPERATIONS:
        return 'an operation on tensors outside a layer, which a newer Keras saves as a layer'
    if name in _LAYERS or name.startswith('Random'):
        return 'a layer of a newer Keras than that of TensorFlow 1.15'
    return None


def optimizer_state(optimizer, names, values):
    """The state that a newer optimizer saved, in the order of ours; None if it is not such a one.

    The newer ones keep the slots of one weight together: iteration, Adam/m/a, Adam/v/a, Adam/m/b.
    """
    if not names or names[0] not in ('iteration:0', 'iteration'):
        return None
    kind = type(optimizer).__name__
    renamed = {**_SLOTS, **_SLOTS_OF.get(kind, {})}
    stored: dict = {}
    for name, value in zip(names[1:], values[1:]):
        slot = name.split('/')[1] if '/' in name else name
        stored.setdefault(renamed.get(slot, slot), []).append(value)
    found = {id(optimizer.iterations): values[0]}
    for slot, own in optimizer._slots.items():
        if len(own) != len(stored.get(slot, ())):
            raise ValueError(f'{len(stored.get(slot, ()))} values of {slot!r} are stored, of '
                             f'{len(own)}')
        found.update(zip((id(weight) for weight in own.values()), stored[slot]))
    return [found.get(id(weight)) for weight in optimizer.weights]
