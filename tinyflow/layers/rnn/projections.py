"""Cell wrappers of tf.contrib: input embedding, input and output projections."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import device
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import RNNCell, check_is_cell
from tinyflow.layers.rnn.sizes import OfInnerCell
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.linalg import matmul
from tinyflow.ops.nn import bias, embedding
from tinyflow.ops.variables.initializers import constant_initializer, random_uniform_initializer
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope


class Linear:
    """x -> concat(x) kernel + bias, with Variables created once, in the current scope.

    Shapes: args a tensor [batch, in] or a list of them -> [batch, output_size].
    """

    def __init__(self, args, output_size, build_bias, bias_initializer=None,
                 kernel_initializer=None):
        self._build_bias = build_bias
        parts = args if isinstance(args, (list, tuple)) else [args]
        dtype = parts[0].dtype
        with variable_scope(get_variable_scope()) as outer:
            self._weights = get_variable('kernel', [total_width(parts), output_size], dtype=dtype,
                                         initializer=kernel_initializer)
            if build_bias:
                with variable_scope(outer):
                    self._biases = get_variable(
                        'bias', [output_size], dtype=dtype,
                        initializer=bias_initializer or constant_initializer(0.0, dtype=dtype))

    def __call__(self, args):
        parts = args if isinstance(args, (list, tuple)) else [args]
        if len(parts) == 1:
            result = matmul.matmul(parts[0], self._weights)
        else:
            one = constants.constant(1, dtype=dtypes.int32)
            result = matmul.matmul(joining.concat(parts, one), self._weights)
        return bias.bias_add(result, self._biases) if self._build_bias else result


def total_width(parts):
    """The sum of the widths of tensors [batch, width]. ValueError where one is not known."""
    total = 0
    for part in parts:
        shape = part.raw_shape
        if shape is None or len(shape) != 2:
            raise misuse(ValueError(f'linear is expecting 2D arguments: {part.shape}'))
        if shape[1] is None:
            raise misuse(ValueError('linear expects shape[1] to be provided for shape '
                                    f'{part.shape}, but saw None'))
        total += shape[1]
    return total


class InnerCell(OfInnerCell, RNNCell):
    """A layer around a cell, with the same state."""

    def __init__(self, cell, reuse=None, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        check_is_cell('cell', cell)
        self._cell = cell


class EmbeddingWrapper(InnerCell):
    """The cell with ids as input, which are looked up in an embedding table.

    Shapes: inputs [batch] or [batch, 1] (ids) -> as the cell's.
    """

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise misuse(ValueError('Both embedding_classes and embedding_size must be > 0: '
                                    f'{embedding_classes}, {embedding_size}.'))
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._table_initializer = initializer

    def call(self, inputs, state):
        with device('/cpu:0'):
            root = math.sqrt(3)                 # uniform in [-root, root] has variance 1
            initializer = (self._table_initializer or get_variable_scope().initializer
                           or random_uniform_initializer(-root, root))
            dtype = (state[0] if isinstance(state, tuple) else state).dtype
            table = get_variable('embedding', [self._embedding_classes, self._embedding_size],
                                 initializer=initializer, dtype=dtype)
            ids = shaping.reshape(inputs, [-1])
            return self._cell(embedding.embedding_lookup(table, ids), state)


class InputProjectionWrapper(InnerCell):
    """The cell with its input multiplied by a matrix first.

    Shapes: inputs [batch, in], which become [batch, num_proj] -> as the cell's. `input_size` has
    been without effect since TF 1.0: the width is that of the inputs.
    """

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell, reuse)
        self._num_proj, self._activation, self._linear = num_proj, activation, None

    def call(self, inputs, state):
        if self._linear is None:
            self._linear = Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(InnerCell):
    """The cell with its output multiplied by a matrix.

    Shapes: as the cell's, except for the output [batch, output_size]. Cheaper is one
    tf.layers.dense after all steps.
    """

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell, reuse)
        if output_size < 1:
            raise misuse(ValueError(f'Parameter output_size must be > 0: {output_size}.'))
        self._output_size, self._activation, self._linear = output_size, activation, None

    @property
    def output_size(self):
        return self._output_size

    def call(self, inputs, state):
        output, new_state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = Linear(output, self._output_size, True)
        projected = self._linear(output)
        if self._activation:
            projected = self._activation(projected)
        return projected, new_state


__all__ = ['EmbeddingWrapper', 'InputProjectionWrapper', 'OutputProjectionWrapper']
