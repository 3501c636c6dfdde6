"""Keras 1 functions that Keras 2.1 still has: merge, AtrousConvolution1D and 2D."""
from __future__ import annotations

import warnings
from types import ModuleType

from keras_layer.layers import convolutional, lambda_layer, merge as merging
from tinyflow.graph.support.errors import misuse

__all__ = ['AtrousConvolution1D', 'AtrousConvolution2D', 'merge']

_MODES = {'sum': merging.add, 'mul': merging.multiply, 'ave': merging.average,
          'max': merging.maximum}


def merge(inputs, mode='sum', concat_axis=-1, dot_axes=-1, output_shape=None, output_mask=None,
          arguments=None, name=None):
    """The inputs as one tensor: their 'sum', 'mul', 'ave', 'max', 'concat' or 'dot'.

    `mode` may be a function of the list of tensors, too. ValueError for an unknown mode.
    """
    warnings.warn('The `merge` function is deprecated. Use instead layers from '
                  '`keras.layers.merge`, e.g. `add`, `concatenate`, etc.', stacklevel=3)
    if callable(mode):
        return lambda_layer.Lambda(mode, output_shape=output_shape, mask=output_mask,
                                   arguments=arguments, name=name)(inputs)
    if mode in _MODES:
        return _MODES[mode](inputs, name=name)
    if mode == 'concat':
        return merging.concatenate(inputs, axis=concat_axis, name=name)
    if mode == 'dot':
        # Keras 0 had lists of lists: [[1], [1]].
        axes = dot_axes if isinstance(dot_axes, int) else [
            a if isinstance(a, int) else a[0] for a in dot_axes]
        return merging.dot(inputs, axes=axes, name=name)
    raise misuse(ValueError(f'Invalid merge mode: {mode!r}. There are '
                            f"{[*_MODES, 'concat', 'dot']} and functions.\n  Hint: for 'cos', "
                            'dot(inputs, axes, normalize=True).'))


def AtrousConvolution1D(*args, atrous_rate=1, **kwargs):
    """Conv1D with dilation_rate=atrous_rate."""
    return _dilated(convolutional.Conv1D, args, atrous_rate, kwargs)


def AtrousConvolution2D(*args, atrous_rate=1, **kwargs):
    """Conv2D with dilation_rate=atrous_rate."""
    return _dilated(convolutional.Conv2D, args, atrous_rate, kwargs)


def _dilated(layer, args, rate, kwargs):
    name = layer.__name__
    warnings.warn(f'The `AtrousConvolution{name[-2:]}` layer  has been deprecated. Use instead the '
                  f'`{name}` layer with the `dilation_rate` argument.', stacklevel=3)
    return layer(*args, dilation_rate=rate, **kwargs)


class _Merge(ModuleType):
    """keras.layers.merge is both a function (Keras 1) and a module (Keras 2)."""

    def __call__(self, *args, **kwargs):
        return merge(*args, **kwargs)


merging.__class__ = _Merge
