"""Arguments of Model(...): inputs, outputs and options, and errors about them."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support.errors import misuse, why
from tinyflow.graph.support.keywords import nearest_keyword

__all__ = ['check_input', 'check_not_only_inputs', 'functional_arguments', 'short_text',
           'unknown_argument']


def unknown_argument(names, kind):
    name, known = sorted(names)[0], ('inputs', 'outputs', 'name', 'trainable', 'dtype', 'dynamic')
    return misuse(TypeError(f'Keyword argument not understood: {name!r} ({kind}).'
                            + nearest_keyword(name, known)))


def functional_arguments(args, kwargs):
    names = ('inputs', 'outputs', 'name')
    given = {**dict(zip(names, args)), **kwargs}
    trainable = given.pop('trainable', True)
    unknown = set(given) - set(names)
    if unknown:
        raise unknown_argument(unknown, 'Model')
    if 'inputs' not in given:
        raise misuse(TypeError('A Model with outputs needs its inputs, too.\n  Hint: '
                               'Model(inputs=x, outputs=y).'))
    return given['inputs'], given['outputs'], given.get('name'), trainable


def check_not_only_inputs(args, kwargs):
    """TypeError for Model(inputs): a model of layers needs its outputs, too."""
    if 'inputs' in kwargs or args and not isinstance(args[0], (str, type(None))):
        raise misuse(TypeError('A Model with inputs needs its outputs, too.\n  Hint: '
                               'Model(inputs, outputs), where the layers have computed outputs '
                               'from inputs.'))


def short_text(value):
    """Text of a wrong argument; for an array, without its elements."""
    return f'a NumPy array of shape {value.shape}' if isinstance(value, np.ndarray) else value


def check_input(tensor, kind):
    if getattr(tensor, '_keras_history', None) is None:
        raise misuse(ValueError(
            f'Input tensors to a {kind} must come from `Input`. Received: '
            f'{short_text(tensor)} (missing previous layer metadata).\n  Hint: '
            'x = Input(shape=...), or Input(tensor=x) for an existing tensor.'
            + why('keras-raw-tensor')))
    if tensor._keras_history.layer._inbound_nodes[tensor._keras_history.node_index].inbound_layers:
        raise misuse(ValueError(
            f'{kind} inputs must come from `Input` (thus holding past layer metadata). They cannot '
            f'be the output of a previous non-Input layer. Here, a tensor specified as input to '
            f'your model was the output of the layer {tensor._keras_history.layer.name}.\n  Hint: '
            'Input(tensor=x) converts it to an Input.'))
