"""RNNCell: a layer called with an input and a state, which returns an output and a new state."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.base import Layer
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.variables.variable_scope import get_variable_scope, variable_scope


class RNNCell(Layer):
    """Base of cells: a subclass defines `state_size`, `output_size`, `build` and `call`.

    Shapes: inputs [batch, in], state [batch, state_size] (or a nest of tensors) -> output
    [batch, output_size] and a state of the same sizes. Sizes are ints, TensorShapes (without the
    batch) or nests of these.
    """

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._is_tf_rnn_cell = True

    def __call__(self, inputs, state, scope=None):
        """(output, new state) of one step; Variables that `call` creates are the cell's weights."""
        if scope is not None:
            with variable_scope(scope, custom_getter=self._rnn_get_variable) as opened:
                return super().__call__(inputs, state, scope=opened)
        opened = getattr(self, 'rnncell_scope', None)
        if opened is None:
            opened = self.rnncell_scope = variable_scope(get_variable_scope(),
                                                         custom_getter=self._rnn_get_variable)
        with opened:
            return super().__call__(inputs, state)

    def _rnn_get_variable(self, getter, *args, **kwargs):
        """The result of `getter`, recorded as a weight of this cell."""
        variable = getter(*args, **kwargs)
        trainable = any(variable is v for v in get_collection(GraphKeys.TRAINABLE_VARIABLES))
        kept = self._trainable_weights if trainable else self._non_trainable_weights
        if all(variable is not v for v in kept):
            kept.append(variable)
        return variable

    @property
    def state_size(self):
        """The size of the state: an int, a TensorShape or a nest of these."""
        raise NotImplementedError('Abstract method')

    @property
    def output_size(self):
        """The size of the output: an int, a TensorShape or a nest of these."""
        raise NotImplementedError('Abstract method')

    def build(self, _):
        """Creates the Variables; a cell may also create them in `call`."""

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """A state of zeros for `batch_size` rows, or for as many as `inputs` [batch, in] has."""
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name='inputs')
            rows = inputs.raw_shape[0] if inputs.raw_shape else None
            self._check_against(inputs, rows, batch_size, dtype)
            batch_size, dtype = rows or shape_ops.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise misuse(ValueError(
                'batch_size and dtype cannot be None while constructing initial state: '
                f'batch_size={batch_size}, dtype={dtype}'))
        return self.zero_state(batch_size, dtype)

    @staticmethod
    def _check_against(inputs, rows, batch_size, dtype):
        if batch_size is not None:
            known = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
            if rows != known:
                raise misuse(ValueError(
                    'batch size from input tensor is different from the input param. Input tensor '
                    f'batch: {rows}, batch_size: {batch_size}'))
        if dtype is not None and inputs.dtype is not dtypes.as_dtype(dtype):
            raise misuse(ValueError(
                'dtype from input tensor is different from the input param. Input tensor dtype: '
                f'{inputs.dtype}, dtype: {dtype}'))

    def zero_state(self, batch_size, dtype):
        """A state of zeros.

        Shapes: -> [batch_size, state_size], or a nest with the structure of `state_size`.
        """
        with name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return nest.map_structure(lambda size: zero_tensor(batch_size, size, dtype),
                                      self.state_size)


class LayerRNNCell(RNNCell):
    """A cell that creates its Variables in `build` only, under the layer's own scope."""

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        """(output, new state) of one step."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _input_depth(self, inputs_shape):
        depth = inputs_shape[-1]
        depth = getattr(depth, 'value', depth)
        if depth is None:
            raise misuse(ValueError(
                f'{type(self).__name__}: Expected inputs.shape[-1] to be known, saw shape: '
                f'{inputs_shape}\n  Hint: a placeholder of shape [None, size] (or '
                '[None, None, size] for tf.nn.dynamic_rnn), or x.set_shape.'))
        check_cell_dtypes([self.dtype])
        return depth


def check_cell_dtypes(dtypes_found):
    """ValueError where one of the tensors (or dtypes) is not of floats or complex numbers."""
    for value in nest.flatten(dtypes_found):
        dtype = getattr(value, 'dtype', value)
        if dtype is None:
            continue
        dtype = dtypes.as_dtype(dtype)
        if not (dtype.is_floating or dtype.is_complex):
            raise misuse(ValueError('RNN cell only supports floating point inputs, but saw dtype: '
                                    f'{dtype}\n  Hint: tf.cast(x, tf.float32), or '
                                    'tf.nn.embedding_lookup where they are ids.'))


def check_is_cell(name, cell):
    """TypeError unless `cell` has the interface of an RNN cell."""
    wanted = [(hasattr(cell, 'output_size'), "'output_size' property is missing"),
              (hasattr(cell, 'state_size'), "'state_size' property is missing"),
              (hasattr(cell, 'zero_state') or hasattr(cell, 'get_initial_state'),
               "either 'zero_state' or 'get_initial_state' method is required"),
              (callable(cell), 'is not callable')]
    errors = [error for there, error in wanted if not there]
    if errors:
        raise misuse(TypeError(f'The argument {name!r} ({cell}) is not an RNNCell: '
                               f'{", ".join(errors)}.'))


# ---- shapes of batches -----------------------------------------------------------------------


def zero_tensor(batch_size, size, dtype):
    """Zeros of one part of a state, with a row for each example of the batch."""
    zeros = constants.zeros(batch_shape(batch_size, size), dtype=dtype)
    zeros.set_shape(static_batch_shape(batch_size, size))
    return zeros


def batch_shape(prefix, suffix):
    """The tensor of prefix + suffix, two shapes that are ints, lists or tensors."""
    parts = _shape_parts(prefix, suffix)
    if any(part is None for part in parts):
        raise misuse(ValueError(f'Provided a prefix or suffix of None: {prefix} and {suffix}'))
    return joining.concat(parts, 0)


def static_batch_shape(prefix, suffix):
    """The TensorShape of prefix + suffix, as far as it is known."""
    _shape_parts(prefix, suffix)        # TF creates these nodes, although they are unused
    parts = [_as_shape(constant_value(p) if isinstance(p, Tensor) else p)
             for p in (prefix, suffix)]
    return parts[0].concatenate(parts[1])


def _shape_parts(prefix, suffix):
    return [_shape_part(prefix, 'prefix'), _shape_part(suffix, 'suffix')]


def _shape_part(given, name):
    """One part as a tensor [rank], or None where it is not known."""
    if isinstance(given, Tensor):
        rank = given.raw_shape if given.raw_shape is None else len(given.raw_shape)
        if rank == 0:
            return shaping.expand_dims(given, 0)
        if rank != 1:
            raise misuse(ValueError(f'{name} tensor must be either a scalar or vector, but saw '
                                    f'tensor: {given}'))
        return given
    shape = _as_shape(given)
    if not shape.is_fully_defined():
        return None
    return constants.constant(shape.as_list(), dtype=dtypes.int32)


def _as_shape(given):
    if given is None or isinstance(given, TensorShape):
        return TensorShape(given)
    if isinstance(given, (list, tuple)):
        return TensorShape(given)
    sizes = getattr(given, 'tolist', lambda: given)()          # NumPy's, of constant tensors
    return TensorShape(sizes if isinstance(sizes, list) else [sizes])


__all__ = ['RNNCell']
