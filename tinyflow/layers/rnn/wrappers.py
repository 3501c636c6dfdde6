"""Cell wrappers: dropout, residual connections, devices, and stacks of cells."""
from __future__ import annotations

import hashlib
from numbers import Real

from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import device, name_scope
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import logging, nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.base import Layer
from tinyflow.layers.rnn.cell import RNNCell, check_is_cell
from tinyflow.layers.rnn.cells import LSTMStateTuple
from tinyflow.layers.rnn.steps import is_tensor_array
from tinyflow.ops.array import joining, slicing
from tinyflow.ops.math import arithmetic
from tinyflow.ops.nn import dropout
from tinyflow.ops.random import random_functions
from tinyflow.ops.variables.variable_scope import variable_scope


class _Wrapper(RNNCell):
    """A cell that changes the inputs or outputs of another cell."""

    def __init__(self, cell, *args, **kwargs):
        super().__init__(*args, **kwargs)
        check_is_cell('cell', cell)
        self.cell = cell

    @property
    def wrapped_cell(self):
        """The wrapped cell."""
        return self.cell

    @property
    def state_size(self):
        return self.cell.state_size

    @property
    def output_size(self):
        return self.cell.output_size

    def zero_state(self, batch_size, dtype):
        """The zero state of the wrapped cell."""
        with name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        """(output, new state) of one step, in the scope of the wrapped cell."""
        return self._call_wrapped_cell(inputs, state, self.cell.__call__, scope=scope)

    @property
    def trainable_weights(self):
        return self.cell.trainable_weights if isinstance(self.cell, Layer) else []

    @property
    def non_trainable_weights(self):
        return self.cell.non_trainable_weights if isinstance(self.cell, Layer) else []


class ResidualWrapper(_Wrapper):
    """The cell's output plus its input, or residual_fn(inputs, outputs).

    Shapes: as the cell's; inputs and outputs must have equal shapes. Source: He et al., CVPR 2016.
    """

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn or _add_inputs

    def _call_wrapped_cell(self, inputs, state, call, **kwargs):
        outputs, new_state = call(inputs, state, **kwargs)
        return self._residual_fn(inputs, outputs), new_state


def _add_inputs(inputs, outputs):
    nest.assert_same_structure(inputs, outputs)
    for i, o in zip(nest.flatten(inputs), nest.flatten(outputs)):
        i.shape.assert_is_compatible_with(o.shape)
    return nest.map_structure(lambda i, o: i + o, inputs, outputs)


class DeviceWrapper(_Wrapper):
    """The cell with its nodes on a device.

    Shapes: as the cell's.
    """

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]), \
                device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _call_wrapped_cell(self, inputs, state, call, **kwargs):
        with device(self._device):
            return call(inputs, state, **kwargs)


class DropoutWrapper(_Wrapper):
    """The cell with dropout on its inputs, outputs and states.

    Shapes: as the cell's. With `variational_recurrent` one mask is used for all steps of a run
    (Gal and Ghahramani, "A theoretically grounded application of dropout in RNNs", NIPS 2016); it
    needs `dtype`, and `input_size` where inputs are dropped. `dropout_state_filter_visitor` says
    which parts of the state may be dropped; unless given, not the `c` of an LSTM. ValueError for
    probabilities outside [0, 1].
    """

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
                 variational_recurrent=False, input_size=None, dtype=None, seed=None,
                 dropout_state_filter_visitor=None, **kwargs):
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise misuse(TypeError('dropout_state_filter_visitor must be callable'))
        self._dropout_state_filter = visitor or _all_but_cells
        self._variational_recurrent = variational_recurrent
        self._seed = seed
        self._input_noise = self._state_noise = self._output_noise = None
        with name_scope('DropoutWrapperInit'):
            self._input_keep_prob = _probability(input_keep_prob, 'input_keep_prob')
            self._state_keep_prob = _probability(state_keep_prob, 'state_keep_prob')
            self._output_keep_prob = _probability(output_keep_prob, 'output_keep_prob')
        if variational_recurrent:
            self._draw_noise(input_size, dtype)

    def _draw_noise(self, input_size, dtype):
        """Noise for each part of input, state and output, shared by all steps and rows."""
        if dtype is None:
            raise misuse(ValueError('When variational_recurrent=True, dtype must be provided'))

        def noise(sizes, kind):
            def draw(i, size):
                shape = joining.concat(([1], TensorShape(size).as_list()), 0)
                return random_functions.random_uniform(shape, seed=self._gen_seed(kind, i),
                                                       dtype=dtype)
            return _numbered(sizes, draw, sizes)

        if not isinstance(self._input_keep_prob, Real) or self._input_keep_prob < 1.0:
            if input_size is None:
                raise misuse(ValueError('When variational_recurrent=True and input_keep_prob < 1.0 '
                                        'or is unknown, input_size must be provided'))
            self._input_noise = noise(input_size, 'input')
        self._state_noise = noise(self.cell.state_size, 'state')
        self._output_noise = noise(self.cell.output_size, 'output')

    def _gen_seed(self, kind, index):
        """A seed for each tensor, derived from the wrapper's seed as in TF."""
        if self._seed is None:
            return None
        text = f'{self._seed}{kind}_{index}'.encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _call_wrapped_cell(self, inputs, state, call, **kwargs):
        if _drops(self._input_keep_prob):
            inputs = self._dropout(inputs, 'input', self._input_noise, self._input_keep_prob)
        output, new_state = call(inputs, state, **kwargs)
        if _drops(self._state_keep_prob):
            which = nest.get_traverse_shallow_structure(self._dropout_state_filter, new_state)
            new_state = self._dropout(new_state, 'state', self._state_noise,
                                      self._state_keep_prob, which)
        if _drops(self._output_keep_prob):
            output = self._dropout(output, 'output', self._output_noise, self._output_keep_prob)
        return output, new_state

    def _dropout(self, values, kind, noise, keep_prob, which=None):
        """`values` with dropout wherever `which` (all of them, unless given) does not say False."""
        which = values if which is None else which
        if self._variational_recurrent:
            return _numbered(
                which, lambda i, drop, v, n: v if drop is False else _mask(v, n, keep_prob),
                which, values, noise)
        return _numbered(
            which, lambda i, drop, v: v if drop is False else dropout.dropout(
                v, rate=1. - keep_prob, seed=self._gen_seed(kind, i)), which, values)


def _probability(value, name):
    """A float where the value is known, a Tensor otherwise."""
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise misuse(ValueError(f'Parameter {name} must be between 0 and 1: {known}'))
    return float(known)


def _drops(keep_prob):
    return not isinstance(keep_prob, float) or keep_prob < 1


def _mask(value, noise, keep_prob):
    kept = arithmetic.floor(keep_prob + noise)
    result = arithmetic.div(value, keep_prob) * kept
    result.set_shape(value.raw_shape)
    return result


def _all_but_cells(substate):
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not is_tensor_array(substate)


def _numbered(shallow, function, *structures):
    """function(number, *parts) of the parts at the leaves of `shallow`, with its structure."""
    numbers = iter(range(len(nest.flatten(shallow))))
    return nest.map_structure_up_to(
        shallow, lambda *parts: function(next(numbers), *parts), *structures)


_TWINS = ('at least two of its cells are the same object and share their weights. '
          '[BasicLSTMCell(n) for _ in range(layers)] makes a cell for each layer.')


def _has_twins(cells):
    return len({id(cell) for cell in cells}) < len(cells)


class MultiRNNCell(RNNCell):
    """Cells in a row: the output of each is the input of the next; the state is a tuple of theirs.

    Shapes: inputs [batch, in] -> output of the last cell. Each cell is a separate object:
    [BasicLSTMCell(n)] * 2 would share one cell's weights.
    """

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise misuse(ValueError('Must specify at least one cell for MultiRNNCell.'))
        if not isinstance(cells, (list, tuple)):
            raise misuse(TypeError(f'cells must be a list or tuple, but saw: {cells}.'))
        if _has_twins(cells):
            logging.warning(f'MultiRNNCell: {_TWINS}')
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(c.state_size) for c in cells):
            raise misuse(ValueError(
                'Some cells return tuples of states, but the flag state_is_tuple is not set.  '
                f'State sizes are: {[c.state_size for c in cells]}'))

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        return self._cells[-1].output_size

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self):
        if not self.trainable:
            return []
        return [w for c in self._cells if isinstance(c, Layer) for w in c.trainable_weights]

    @property
    def non_trainable_weights(self):
        layers = [c for c in self._cells if isinstance(c, Layer)]
        fixed = [w for c in layers for w in c.non_trainable_weights]
        if not self.trainable:
            return [w for c in layers for w in c.trainable_weights] + fixed
        return fixed

    def call(self, inputs, state):
        if self._state_is_tuple and not nest.is_nested(state):
            raise misuse(ValueError(f'Expected state to be a tuple of length '
                                    f'{len(self.state_size)}, but received: {state}'))
        position, new_states = 0, []
        for i, cell in enumerate(self._cells):
            with variable_scope(f'cell_{i}'):
                if self._state_is_tuple:
                    own = state[i]
                else:
                    own = slicing.slice(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                try:
                    inputs, new_state = cell(inputs, own)
                except ValueError as error:
                    if i and _has_twins(self._cells):
                        problem = str(error).partition('\n  Hint: ')[0]
                        raise misuse(ValueError(
                            f'{problem}\n  Hint: in MultiRNNCell {_TWINS}')) from error
                    raise
                new_states.append(new_state)
        if self._state_is_tuple:
            return inputs, tuple(new_states)
        return inputs, joining.concat(new_states, 1)


__all__ = ['DeviceWrapper', 'DropoutWrapper', 'MultiRNNCell', 'ResidualWrapper']
