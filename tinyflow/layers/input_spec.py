"""InputSpec: requirements of a layer on its inputs, and their check."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.shapes import Dimension
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report, why


class InputSpec:
    """Dtype, rank and sizes that an input of a layer must have; None means any.

    `axes` maps an axis to the size that it must have.
    """

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None,
                 axes=None):
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self.shape = shape
        self.ndim = ndim if shape is None else len(shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        try:
            self.axes = {int(axis): size for axis, size in dict(axes or {}).items()}
        except (ValueError, TypeError):
            raise misuse(TypeError('The keys in axes must be integers.')) from None
        rank = self.ndim or self.max_ndim
        if self.axes and rank is not None and max(self.axes) > rank - 1:
            raise misuse(ValueError(f'Axis {max(self.axes)} is greater than the maximum allowed '
                                    f'value: {rank - 1}'))

    def get_config(self):
        """The constructor's arguments."""
        return {key: getattr(self, key) for key in
                ('dtype', 'shape', 'ndim', 'max_ndim', 'min_ndim', 'axes')}

    @classmethod
    def from_config(cls, config):
        """The InputSpec that `get_config` described."""
        return cls(**config)

    def __repr__(self):
        settings = ', '.join(f'{k}={v}' for k, v in self.get_config().items() if v)
        return f'InputSpec({settings})'


def check_inputs(specs, inputs, layer_name):
    """Raises ValueError if an input does not meet its InputSpec."""
    if not specs:
        return
    specs, inputs = nest.flatten(specs), nest.flatten(inputs)
    if len(specs) != len(inputs):
        raise misuse(ValueError(f'Layer {layer_name} expects {len(specs)} inputs, but it received '
                                f'{len(inputs)} input tensors. Inputs received: {inputs}'))
    for number, (spec, tensor) in enumerate(zip(specs, inputs)):
        if not hasattr(tensor, 'shape'):
            raise misuse(AttributeError(f'Input {number} of layer {layer_name} is {tensor!r}, '
                                        'which is not a tensor and has no shape.'))
        problem = spec and _problem(spec, tensor)
        if problem:
            raise misuse(ValueError(report(
                f'Input {number} of layer {layer_name} is incompatible with the layer: {problem}',
                inputs=[('input', tensor)], hint=_hint(spec, tensor)) + why('keras-layer-rank')))


def _problem(spec, tensor):
    """The violated requirement, with TF's message; None if all are met."""
    rank = tensor.shape.ndims
    if rank is None:
        if spec.ndim is None and spec.min_ndim is None and spec.max_ndim is None:
            return None
        return 'its rank is undefined, but the layer requires a defined rank.'
    shape = tensor.shape.as_list()
    if spec.ndim is not None and rank != spec.ndim:
        return f'expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {shape}'
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f'expected max_ndim={spec.max_ndim}, found ndim={rank}'
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return (f': expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: '
                f'{shape}')
    if spec.dtype is not None and tensor.dtype.base_dtype.name != spec.dtype:
        return f'expected dtype={spec.dtype}, found dtype={tensor.dtype}'
    return _wrong_size(spec, shape)


def _wrong_size(spec, shape):
    for axis, size in spec.axes.items():
        size = size.value if isinstance(size, Dimension) else size
        if size is not None and shape[axis] not in (size, None):
            return (f'expected axis {axis} of input shape to have value {size} but received input '
                    f'with shape {shape}')
    for size, found in zip(spec.shape or (), shape):
        if size is not None and found is not None and size != found:
            return f'expected shape={spec.shape}, found shape={shape}'
    return None


def _hint(spec, tensor):
    """A hint for the most common causes, or None."""
    rank = tensor.shape.ndims
    wanted = spec.ndim or spec.min_ndim
    if rank is None:
        return 'x.set_shape([...]), or a shape for the placeholder.'
    made_by = getattr(getattr(tensor, '_keras_history', None), 'layer', None)
    if wanted and rank == wanted - 1 and getattr(made_by, 'return_sequences', None) is False:
        return (f"return_sequences=True in the layer '{made_by.name}' gives the output of every "
                'step; without it, only that of the last.')
    if wanted and rank == wanted - 1 and made_by is not None:
        return (f"the batch has its axis; one more comes from keras.layers.Reshape after the layer "
                f"'{made_by.name}', such as Reshape((..., 1)).")
    if wanted and rank == wanted - 1:
        return ('the batch axis is missing, or the last one is: tf.expand_dims(x, 0) or '
                'tf.expand_dims(x, -1).')
    if spec.axes and (wanted is None or rank >= wanted):
        return ('the layer was built for the size of its first input; for another size create a '
                'second layer.')
    return None


__all__ = ['InputSpec']
