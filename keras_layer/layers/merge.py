"""Merge layers: Add, Multiply, Concatenate, Dot and others."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from tinyflow.graph.support.errors import misuse

__all__ = ['Add', 'Average', 'Concatenate', 'Dot', 'Maximum', 'Minimum', 'Multiply', 'Subtract',
           'add', 'average', 'concatenate', 'dot', 'maximum', 'minimum', 'multiply', 'subtract']


# Whether every call needs two inputs, and not the first alone; keras2/enabling.py sets it.
always_two = False


class _Merge(Layer):
    """Base of elementwise layers over a list of tensors, which are broadcast as in NumPy."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        shapes = _shapes(input_shape, self.name)
        self._need_two(shapes)
        batches = {s[0] for s in shapes if s and s[0] is not None}
        if len(batches) > 1:
            raise misuse(ValueError('Can not merge tensors with different batch sizes. Got tensors '
                                    f'with shapes: {shapes}'))
        self._merged_shape([s[1:] for s in shapes])
        self.built = True

    def _need_two(self, inputs):
        if len(inputs) < 2:
            raise misuse(ValueError(f'A `{type(self).__name__}` layer should be called on a list '
                                    f'of at least 2 inputs. Got {len(inputs)} inputs.'))

    def _merged_shape(self, shapes):
        merged = shapes[0]
        for shape in shapes[1:]:
            merged = self._pair(merged, shape)
        return merged

    def _pair(self, a, b):
        if len(a) < len(b):
            a, b = b, a
        merged = list(a[:len(a) - len(b)])
        for i, j in zip(a[len(a) - len(b):], b):
            if i is None or j is None:
                merged.append(None)
            elif 1 in (i, j):
                merged.append(max(i, j))
            elif i != j:
                raise misuse(ValueError(f'Operands could not be broadcast together with shapes '
                                        f'{tuple(a)} {tuple(b)}, in layer {self.name}.'))
            else:
                merged.append(i)
        return tuple(merged)

    def _merge(self, inputs):
        raise NotImplementedError(f'{type(self).__name__}._merge')

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)):
            raise misuse(ValueError('A merge layer should be called on a list of inputs.'))
        if always_two:
            self._need_two(inputs)
        ranks = [K.ndim(x) for x in inputs]
        if None not in ranks and len(set(ranks)) > 1:
            most = max(ranks)
            spread = []
            for x in inputs:
                for _ in range(most - K.ndim(x)):
                    x = tf.expand_dims(x, axis=1)
                spread.append(x)
            inputs = spread
        return self._merge(inputs)

    def compute_output_shape(self, input_shape):
        shapes = _shapes(input_shape, self.name)
        batches = {s[0] for s in shapes}
        return tf.TensorShape([batches.pop() if len(batches) == 1 else None,
                               *self._merged_shape([s[1:] for s in shapes])])

    def compute_mask(self, inputs, mask=None):
        if mask is not None:
            _check_mask(inputs, mask)
        masks = [tf.expand_dims(m, axis=0) for m in (mask or ()) if m is not None]
        if not masks:
            return None
        return K.all(K.concatenate(masks, axis=0), axis=0, keepdims=False)


def _check_mask(inputs, mask):
    """ValueError unless there is a mask, or None, for each input."""
    for name, value in (('mask', mask), ('inputs', inputs)):
        if not isinstance(value, (list, tuple)):
            raise misuse(ValueError(f'`{name}` should be a list.'))
    if len(mask) != len(inputs):
        raise misuse(ValueError('The lists `inputs` and `mask` should have the same length.'))


def _shapes(input_shape, name):
    if not isinstance(input_shape, (list, tuple)) or input_shape and (
            isinstance(input_shape[0], int) or input_shape[0] is None):
        raise misuse(ValueError(f'The layer {name} should be called on a list of inputs.\n  Hint: '
                                f'{name}([a, b]).'))
    return [tuple(tf.TensorShape(s).as_list()) for s in input_shape]


class Add(_Merge):
    """The sum of the inputs."""

    def _merge(self, inputs):
        output = inputs[0]
        for x in inputs[1:]:
            output += x
        return output


class Subtract(_Merge):
    """The first of two inputs minus the second."""

    def build(self, input_shape):
        super().build(input_shape)
        if len(input_shape) != 2:
            raise misuse(ValueError('A `Subtract` layer should be called on exactly 2 inputs'))

    def _merge(self, inputs):
        if len(inputs) != 2:
            raise misuse(ValueError('A `Subtract` layer should be called on exactly 2 inputs'))
        return inputs[0] - inputs[1]


class Multiply(_Merge):
    """The product of the inputs, element by element."""

    def _merge(self, inputs):
        output = inputs[0]
        for x in inputs[1:]:
            output = output * x
        return output


class Average(_Merge):
    """The mean of the inputs, element by element."""

    def _merge(self, inputs):
        output = inputs[0]
        for x in inputs[1:]:
            output += x
        return output / len(inputs)


class Maximum(_Merge):
    """The largest of the inputs, element by element."""

    def _merge(self, inputs):
        output = inputs[0]
        for x in inputs[1:]:
            output = tf.maximum(output, x)
        return output


class Minimum(_Merge):
    """The smallest of the inputs, element by element."""

    def _merge(self, inputs):
        output = inputs[0]
        for x in inputs[1:]:
            output = tf.minimum(output, x)
        return output


class Concatenate(_Merge):
    """The inputs one after another along `axis`; all other sizes must be equal."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape):
        shapes = _shapes(input_shape, self.name)
        self._need_two(shapes)
        others = set()
        for shape in shapes:
            shape = list(shape)
            del shape[self.axis]
            others.add(tuple(shape))
        if len({tuple(None if None in pair else size for size, pair in zip(o, zip(*others)))
                for o in others}) > 1:
            raise misuse(ValueError('A `Concatenate` layer requires inputs with matching shapes '
                                    f'except for the concat axis. Got inputs shapes: {shapes}'))
        self.built = True

    def _merge(self, inputs):
        return K.concatenate(inputs, axis=self.axis)

    def compute_output_shape(self, input_shape):
        shapes = [list(s) for s in _shapes(input_shape, self.name)]
        output = shapes[0]
        for shape in shapes[1:]:
            if output[self.axis] is None or shape[self.axis] is None:
                output[self.axis] = None
                break
            output[self.axis] += shape[self.axis]
        return tf.TensorShape(output)

    def compute_mask(self, inputs, mask=None):
        if mask is None:
            return None
        _check_mask(inputs, mask)
        if all(m is None for m in mask):
            return None
        last = self.axis in (-1, K.ndim(inputs[0]) - 1)
        masks = []
        for x, one in zip(inputs, mask):
            if one is None:
                # TF 1.15 fails if an input without a mask follows a masked one.
                masks.append(tf.ones_like(x if last else x[..., :1], dtype='bool'))
            elif len(one.shape) < K.ndim(x):
                masks.append(tf.expand_dims(one, axis=-1))
            else:
                masks.append(one)
        return K.all(K.concatenate(masks, axis=self.axis), axis=-1, keepdims=False)

    def get_config(self):
        return {**super().get_config(), 'axis': self.axis}


class Dot(_Merge):
    """For each example, the dot product of two inputs over `axes`; with `normalize`, the cosine."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)) or len(axes) != 2:
                raise misuse(TypeError(f'Invalid type for `axes` - should be a list or an int, not '
                                       f'{axes!r}'))
        self.axes, self.normalize = axes, normalize

    def _axes_of(self, ranks):
        if isinstance(self.axes, int):
            return [self.axes % ranks[0], self.axes % ranks[1]] if self.axes < 0 \
                else [self.axes] * 2
        return [a % r for a, r in zip(self.axes, ranks)]

    def build(self, input_shape):
        shapes = _shapes(input_shape, self.name)
        if len(shapes) != 2:
            raise misuse(ValueError('A `Dot` layer should be called on a list of 2 inputs.'))
        axes = self._axes_of([len(s) for s in shapes])
        if shapes[0][axes[0]] != shapes[1][axes[1]]:
            raise misuse(ValueError(f'Dimension incompatibility {shapes[0][axes[0]]} != '
                                    f'{shapes[1][axes[1]]}. Layer shapes: {shapes[0]}, '
                                    f'{shapes[1]}'))
        self.built = True

    def call(self, inputs):
        if len(inputs) != 2:
            raise misuse(ValueError('A `Dot` layer should be called on exactly 2 inputs'))
        x, y = inputs
        axes = self._axes_of([K.ndim(x), K.ndim(y)])
        if self.normalize:
            x, y = tf.nn.l2_normalize(x, axis=axes[0]), tf.nn.l2_normalize(y, axis=axes[1])
        return K.batch_dot(x, y, axes)

    def compute_output_shape(self, input_shape):
        first, second = (list(s) for s in _shapes(input_shape, self.name))
        axes = self._axes_of([len(first), len(second)])
        first.pop(axes[0])
        second.pop(axes[1])
        second.pop(0)
        output = first + second
        return tf.TensorShape(output if len(output) > 1 else [*output, 1])

    def compute_mask(self, inputs, mask=None):
        return None

    def get_config(self):
        return {**super().get_config(), 'axes': self.axes, 'normalize': self.normalize}


def add(inputs, **kwargs):
    """The sum of the inputs."""
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    """The first of two inputs minus the second."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    """The product of the inputs, element by element."""
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    """The mean of the inputs, element by element."""
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    """The largest of the inputs, element by element."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    """The smallest of the inputs, element by element."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    """The inputs one after another along `axis`."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs, axes, normalize=False, **kwargs):
    """For each example, the dot product of two inputs over `axes`."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
