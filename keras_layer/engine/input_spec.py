"""InputSpec: what a layer wants its inputs to be, and the check of it."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.errors import report, worded


class InputSpec:
    """Rank, shape and dtype that an input must have; None leaves it open.

    `axes` maps an axis to the size that it must have: a Dense that was built for 784 features wants
    {-1: 784}.
    """

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
        self.dtype = None if dtype is None else tf.as_dtype(dtype).name
        self.shape = None if shape is None else tuple(tf.TensorShape(shape).as_list()) \
            if not isinstance(shape, tuple) else shape
        self.ndim = len(self.shape) if self.shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def __repr__(self):
        said = [f'{key}={value}' for key, value in vars(self).items() if value]
        return f'InputSpec({", ".join(said)})'


def assert_input_compatibility(input_spec, inputs, layer_name):
    """Raises ValueError unless the inputs are what the layer's specs ask for."""
    if not input_spec:
        return
    specs = tf.nest.flatten(input_spec)
    tensors = tf.nest.flatten(inputs)
    if len(tensors) != len(specs):
        raise worded(ValueError(f'Layer {layer_name} expects {len(specs)} inputs, but it received '
                                f'{len(tensors)} input tensors. Inputs received: {inputs}'))
    for i, (tensor, spec) in enumerate(zip(tensors, specs)):
        wrong = _mismatch(tensor, spec) if spec is not None else None
        if wrong:
            problem, mend = wrong
            raise worded(ValueError(report(
                f'Input {i} of layer {layer_name} is incompatible with the layer: {problem}',
                inputs=[(f'input {i}', tensor)], mend=mend)))


def _mismatch(tensor, spec):
    """(what is wrong, the mend) or None."""
    shape = tensor.shape
    if shape.ndims is None:
        return None
    rank, dims = shape.ndims, shape.as_list()
    if spec.ndim is not None and rank != spec.ndim:
        return (f'expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {dims}',
                _rank_mend(rank, spec.ndim))
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return (f'expected max_ndim={spec.max_ndim}, found ndim={rank}', 'Flatten() before it.')
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return (f': expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: '
                f'{dims}', _rank_mend(rank, spec.min_ndim))
    if spec.dtype is not None and tensor.dtype.base_dtype.name != spec.dtype:
        return (f'expected dtype={spec.dtype}, found dtype={tensor.dtype.name}',
                f'tf.cast(x, tf.{spec.dtype})')
    for axis, size in spec.axes.items():
        if size is not None and axis < rank and dims[axis] not in (size, None):
            return (f'expected axis {axis} of input shape to have value {size} but received input '
                    f'with shape {dims}', 'the layer has its weights for that size already; use a '
                    'new layer, or inputs of that size.')
    if spec.shape is not None and any(
            wanted is not None and dim is not None and wanted != dim
            for wanted, dim in zip(spec.shape, dims)):
        return (f'expected shape={spec.shape}, found shape={dims}', 'inputs of that shape.')
    return None


def _rank_mend(found, wanted):
    if found > wanted:
        return 'a Flatten(), GlobalAveragePooling or return_sequences=False layer before it.'
    if wanted - found == 1:
        return ('one axis more: Reshape(shape + (1,)) for one channel, or return_sequences=True on '
                'the recurrent layer before it.')
    return 'inputs with more axes; Reshape(...) makes them.'
