"""Errors about the arguments of fit, evaluate and predict."""
from __future__ import annotations

import numpy as np

from keras_layer.engine.training.standardize import is_symbolic
from tinyflow.graph.support.errors import misuse

__all__ = ['check_batch_size', 'check_numbers', 'check_validation_data', 'check_whole']


def check_whole(**arguments):
    """TypeError for an argument that is no whole number."""
    for name, value in arguments.items():
        if not hasattr(value, '__index__'):
            raise misuse(TypeError(f'{name} must be a whole number, but is {value!r}'
                                   f'{_as_number(name, value, int)}'))


def check_numbers(**arguments):
    """TypeError for an argument that is neither None nor a number."""
    for name, value in arguments.items():
        if value is not None and (isinstance(value, (str, bytes)) or not hasattr(
                value, '__lt__') or np.ndim(value)):
            raise misuse(TypeError(f'{name} must be a number, but is {value!r}'
                                   f'{_as_number(name, value, float)}'))


def _as_number(name, value, kind):
    """The end of a message: the number that the value spells, if it does."""
    try:
        number = kind(value)
    except (TypeError, ValueError):
        return '.'
    return f'.\n  Hint: {name}={int(number) if number == int(number) else number}.'


def check_validation_data(data):
    """ValueError unless `validation_data`, where it is arrays, has targets."""
    if not isinstance(data, (tuple, list)) or len(data) not in (2, 3):
        raise misuse(ValueError(
            'validation_data must be (x, y) or (x, y, sample_weight), but is '
            f'{_in_short(data)}.\n  Hint: validation_data=(x, y).'))


def _in_short(data):
    if isinstance(data, (tuple, list)):
        return f'a {type(data).__name__} of {len(data)}'
    return f'of type {type(data).__name__}' + (
        f' and shape {data.shape}' if hasattr(data, 'shape') else '')


def check_batch_size(x, batch_size):
    """ValueError if a batch size was given for data that is batched already."""
    if batch_size is not None and not is_symbolic(x):
        raise misuse(ValueError(
            f'The `batch_size` argument must not be specified for the given input type. Received '
            f'input: {x!r}, batch_size: {batch_size}. It yields whole batches.'))
