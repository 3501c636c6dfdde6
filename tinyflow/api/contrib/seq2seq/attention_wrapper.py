"""AttentionWrapper: a cell that attends to a memory in each step."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.api.contrib.framework.tensor_checks import with_same_shape
from tinyflow.api.contrib.seq2seq.attention import AttentionMechanism, dense
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.dtypes import int32
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import RNNCell, check_is_cell, zero_tensor
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.linalg import matmul


class AttentionWrapperState(namedtuple('AttentionWrapperState', (
        'cell_state', 'attention', 'time', 'alignments', 'alignment_history', 'attention_state'))):
    """The state of an AttentionWrapper: that of its cell, and that of the attention."""

    def clone(self, **kwargs):
        """A copy with some parts replaced; ValueError if a part has a different shape."""
        def checked(old, new):
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                return with_same_shape(old, new)
            return new
        return nest.map_structure(checked, self, self._replace(**kwargs))


def _attend(mechanism, cell_output, attention_state, layer):
    """(attention, alignments, next attention state): the mean of the memory by its weights."""
    alignments, next_state = mechanism(cell_output, state=attention_state)
    context = matmul.matmul(shaping.expand_dims(alignments, 1), mechanism.values)
    context = shaping.squeeze(context, [1])
    if layer is not None:
        context = layer(joining.concat([cell_output, context], 1))
    return context, alignments, next_state


_TILE = ('Are you using the BeamSearchDecoder?  {} via the tf.contrib.seq2seq.tile_batch function '
         'with argument multiplier=beam_width.')


class AttentionWrapper(RNNCell):
    """A cell whose input is concatenated with the last attention; its output queries the memory.

    Shapes: inputs [batch, in] -> the attention [batch, attention_layer_size] (without such a size,
    the mean of the memory), or the cell's output if not `output_attention`. One mechanism or a
    list of them; `alignment_history` keeps the weights of all steps in a TensorArray of the state.
    TypeError for an invalid mechanism, ValueError for incompatible sizes.
    """

    def __init__(self, cell, attention_mechanism, attention_layer_size=None,
                 alignment_history=False, cell_input_fn=None, output_attention=True,
                 initial_cell_state=None, name=None, attention_layer=None, attention_fn=None,
                 dtype=None):
        super().__init__(name=name, dtype=dtype)
        check_is_cell('cell', cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise misuse(TypeError(
                    'attention_mechanism must be an AttentionMechanism or list of multiple '
                    f'AttentionMechanism instances, saw type: {type(mechanism).__name__}'))
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise misuse(TypeError('cell_input_fn must be callable, saw type: '
                                   f'{type(cell_input_fn).__name__}'))
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._cell_input_fn = cell_input_fn or _concatenated
        self._attention_fn = attention_fn or _attend
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._make_layers(attention_layer_size, attention_layer)
        with name_scope(name, 'AttentionWrapperInit'):
            self._initial_cell_state = self._checked_initial(initial_cell_state)

    def _make_layers(self, sizes, layers):
        """Layers that compute the attention from [cell output, mean of the memory]."""
        if sizes is not None and layers is not None:
            raise misuse(ValueError('Only one of attention_layer_size and attention_layer should '
                                    'be set'))
        mechanisms = self._attention_mechanisms
        depths = [m.values.shape[-1].value for m in mechanisms]
        if sizes is not None:
            sizes = self._one_each('attention_layer_size', sizes, 'integer')
            layers = [dense(size, 'attention_layer', m.dtype)
                      for size, m in zip(sizes, mechanisms)]
        elif layers is not None:
            layers = self._one_each('attention_layer', layers, 'layer')
            sizes = [TensorShape(layer.compute_output_shape(
                [None, self._cell.output_size + depth]))[-1].value
                for layer, depth in zip(layers, depths)]
        else:
            sizes = depths
        self._attention_layers = layers
        self._attention_layer_size = sum(sizes)

    def _one_each(self, argument, given, kind):
        given = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        count = len(self._attention_mechanisms)
        if len(given) != count:
            raise misuse(ValueError(
                f'If provided, {argument} must contain exactly one {kind} per '
                f'attention_mechanism, saw: {len(given)} vs {count}'))
        return given

    def _checked_initial(self, state):
        if state is None:
            return None
        last = nest.flatten(state)[-1]
        batch = last.shape[0].value or shape_ops.shape(last)[0]
        message = (f'When constructing AttentionWrapper {self._base_name}: Non-matching batch '
                   'sizes between the memory (encoder output) and initial_cell_state.  '
                   + _TILE.format('You may need to tile your initial state'))
        with control_dependencies(self._batch_checks(batch, message)):
            return nest.map_structure(
                lambda s: identity_and_cast.identity(s, name='check_initial_cell_state'), state)

    def _batch_checks(self, batch_size, message):
        return [value_checks.assert_equal(batch_size, m.batch_size, message=message)
                for m in self._attention_mechanisms]

    def _one_or_all(self, items):
        items = tuple(items)
        return items if self._is_multi else items[0]

    @property
    def output_size(self):
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        mechanisms = self._attention_mechanisms
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._one_or_all(m.alignments_size for m in mechanisms),
            attention_state=self._one_or_all(m.state_size for m in mechanisms),
            alignment_history=self._one_or_all(
                m.alignments_size if self._alignment_history else () for m in mechanisms))

    def zero_state(self, batch_size, dtype):
        """The state before the first step: zeros, or the initial_cell_state."""
        with name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            state = self._initial_cell_state
            if state is None:
                state = self._cell.get_initial_state(batch_size=batch_size, dtype=dtype)
            message = (f'When calling zero_state of AttentionWrapper {self._base_name}: '
                       'Non-matching batch sizes between the memory (encoder output) and the '
                       'requested batch size.  '
                       + _TILE.format('If so, make sure your encoder output has been tiled to '
                                      'beam_width'))
            with control_dependencies(self._batch_checks(batch_size, message)):
                state = nest.map_structure(
                    lambda s: identity_and_cast.identity(s, name='checked_cell_state'), state)
            mechanisms = self._attention_mechanisms
            alignments = [m.initial_alignments(batch_size, dtype) for m in mechanisms]
            return AttentionWrapperState(
                cell_state=state,
                time=constants.zeros([], dtype=int32),
                attention=zero_tensor(batch_size, self._attention_layer_size, dtype),
                alignments=self._one_or_all(alignments),
                attention_state=self._one_or_all(m.initial_state(batch_size, dtype)
                                                 for m in mechanisms),
                alignment_history=self._one_or_all(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.shape)
                    if self._alignment_history else () for a in alignments))

    def call(self, inputs, state):
        if not isinstance(state, AttentionWrapperState):
            raise misuse(TypeError('Expected state to be instance of AttentionWrapperState. '
                                   f'Received type {type(state)} instead.\n  Hint: '
                                   'cell.zero_state(batch_size, dtype).clone(cell_state=...).'))
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention),
                                        state.cell_state)
        batch = output.shape[0].value or shape_ops.shape(output)[0]
        message = (f'When applying AttentionWrapper {self.name}: Non-matching batch sizes between '
                   'the memory (encoder output) and the query (decoder output).  '
                   + _TILE.format('You may need to tile your memory input'))
        with control_dependencies(self._batch_checks(batch, message)):
            output = identity_and_cast.identity(output, name='checked_cell_output')
        attentions, alignments, states, histories = [], [], [], []
        for i, mechanism in enumerate(self._attention_mechanisms):
            before = state.attention_state[i] if self._is_multi else state.attention_state
            history = state.alignment_history[i] if self._is_multi else state.alignment_history
            layer = self._attention_layers[i] if self._attention_layers else None
            attention, weights, next_state = self._attention_fn(mechanism, output, before, layer)
            histories.append(history.write(state.time, weights) if self._alignment_history else ())
            attentions.append(attention)
            alignments.append(weights)
            states.append(next_state)
        attention = joining.concat(attentions, 1)
        next_state = AttentionWrapperState(
            time=state.time + 1, cell_state=cell_state, attention=attention,
            attention_state=self._one_or_all(states), alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(histories))
        return (attention if self._output_attention else output), next_state


def _concatenated(inputs, attention):
    return joining.concat([inputs, attention], -1)


__all__ = ['AttentionWrapper', 'AttentionWrapperState']
