"""Base classes of RNN cells by the sizes of their outputs and states."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse


class LSTMStateTuple(namedtuple('LSTMStateTuple', ('c', 'h'))):
    """The state of an LSTM: `c`, the cells, and `h`, its last output."""

    __slots__ = ()

    @property
    def dtype(self):
        """The dtype of both; TypeError if they differ."""
        c, h = self
        if c.dtype is not h.dtype:
            raise misuse(TypeError(f'Inconsistent internal state: {c.dtype} vs {h.dtype}'))
        return c.dtype


class OfUnits:
    """Output and state are vectors of `num_units`."""

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units


class OfUnitsLSTM:
    """Output and both parts of the state, c and h, are vectors of `num_units`."""

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units


class Projected:
    """An LSTM's state as a tuple or joined; output and h are `num_proj` wide if there is one."""

    @property
    def output_size(self):
        return self._num_proj or self._num_units

    @property
    def state_size(self):
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)


class OfInnerCell:
    """A cell around another, `_cell`, with the same output and state."""

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        """The state of zeros of the cell inside."""
        with name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)
