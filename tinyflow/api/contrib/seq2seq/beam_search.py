"""BeamSearchDecoder: keeps the `beam_width` most probable sequences at each step."""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.api.contrib.seq2seq.basic_decoder import check_output_layer, output_size_of
from tinyflow.api.contrib.seq2seq.beam_search_steps import (
    attention_of,
    check_rank_known,
    gather_rows,
    mask_finished,
    penalised,
    reorder_state,
    sorted_by_beam,
)
from tinyflow.api.contrib.seq2seq.decoder import Decoder
from tinyflow.api.contrib.seq2seq.helpers import embedding_function
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.dtypes import bool as bool_, float32, int32, int64
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import check_is_cell
from tinyflow.layers.rnn.steps import is_tensor_array, row_shape
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    ranking,
    shape_ops,
    shaping,
    where_onehot as masking,
)
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import cond
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.nn import gather_tree, softmax

BeamSearchDecoderState = namedtuple('BeamSearchDecoderState', (
    'cell_state', 'log_probs', 'finished', 'lengths', 'accumulated_attention_probs'))
BeamSearchDecoderOutput = namedtuple('BeamSearchDecoderOutput', (
    'scores', 'predicted_ids', 'parent_ids'))
FinalBeamSearchDecoderOutput = namedtuple('FinalBeamSearchDecoderOutput', (
    'predicted_ids', 'beam_search_decoder_output'))
BeamSearchDecoderState.__doc__ = 'The beams of each row: [batch, width] of each.'
BeamSearchDecoderOutput.__doc__ = 'What one step adds to the beams: [batch, width] of each.'
FinalBeamSearchDecoderOutput.__doc__ = 'The finished sequences, [batch, time, width], best first.'


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_width` most likely sequences of each row, until `end_token`.

    Shapes: start_tokens [batch] int32, end_token [] int32, initial_state [batch * beam_width, ...]
    (see tile_batch) -> predicted_ids [batch, time, beam_width] of dynamic_decode, the best beam
    first. ValueError if the state has not been tiled.
    """

    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width,
                 output_layer=None, length_penalty_weight=0.0, coverage_penalty_weight=0.0,
                 reorder_tensor_arrays=True):
        check_is_cell('cell', cell)
        check_output_layer(output_layer)
        self._cell, self._output_layer = cell, output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, int32, 'start_tokens')
        if self._start_tokens.shape.ndims != 1:
            raise misuse(ValueError('start_tokens must be a vector'))
        self._end_token = convert_to_tensor(end_token, int32, 'end_token')
        if self._end_token.shape.ndims != 0:
            raise misuse(ValueError('end_token must be a scalar'))
        self._batch_size = shape_ops.size(start_tokens)
        self._initial_cell_state = nest.map_structure(self._split_if_rows, initial_state,
                                                      cell.state_size)
        self._start_tokens = joining.tile(shaping.expand_dims(self._start_tokens, 1),
                                          [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        self._finished = masking.one_hot(
            constants.zeros([self._batch_size], dtype=int32), depth=beam_width, on_value=False,
            off_value=True, dtype=bool_)

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def tracks_own_finished(self):
        """True: beams are reordered, together with their finished flags."""
        return True

    @property
    def output_size(self):
        width = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=width, predicted_ids=width, parent_ids=width)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        size = output_size_of(self._cell, self._output_layer)
        return BeamSearchDecoderOutput(scores=nest.map_structure(lambda _: dtype, size),
                                       predicted_ids=int32, parent_ids=int32)

    def initialize(self, name=None):
        """(finished, first inputs, first state): only the first beam of each row is alive."""
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = masking.one_hot(
            constants.zeros([self._batch_size], dtype=int32), depth=self._beam_width,
            on_value=convert_to_tensor(0.0, dtype), off_value=convert_to_tensor(-np.inf, dtype),
            dtype=dtype)
        attention = attention_of(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state, log_probs=log_probs, finished=self._finished,
            lengths=constants.zeros([self._batch_size, self._beam_width], dtype=int64),
            accumulated_attention_probs=() if attention is None else attention)
        return self._finished, self._start_inputs, state

    def step(self, time, inputs, state, name=None):
        """One call of the cell: (BeamSearchDecoderOutput, next state, next inputs, finished)."""
        with name_scope(name, 'BeamSearchDecoderStep', nest.flatten((time, inputs))):
            inputs = nest.map_structure(lambda x: self._merge(x, x.shape[2:]), inputs)
            cell_state = nest.map_structure(self._merge_if_beams, state.cell_state,
                                            self._cell.state_size)
            outputs, cell_state = self._cell(inputs, cell_state)
            outputs = nest.map_structure(lambda x: self._split(x, x.shape[1:]), outputs)
            cell_state = nest.map_structure(self._split_if_rows, cell_state,
                                            self._cell.state_size)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, next_state = self._advance(time, outputs, cell_state, state)
            next_inputs = cond.cond(
                reduction.reduce_all(next_state.finished), lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids))
        return output, next_state, next_inputs, next_state.finished

    def _advance(self, time, logits, cell_state, state):
        """The best `beam_width` of all continuations of all beams."""
        batch, width, finished = self._batch_size, self._beam_width, state.finished
        going_on = logic.logical_not(finished)
        log_probs = mask_finished(softmax.log_softmax(logits), self._end_token, finished)
        total = shaping.expand_dims(state.log_probs, 2) + log_probs
        classes = logits.shape[-1].value or shape_ops.shape(logits)[-1]
        lengths = self._possible_lengths(state.lengths, going_on, classes)
        attention = attention_of(cell_state, self._coverage_penalty_weight)
        if attention is not None:
            attention *= shaping.expand_dims(identity_and_cast.cast(going_on, float32), 2)
            attention = state.accumulated_attention_probs + attention
        scores = penalised(total, lengths, self._length_penalty_weight,
                           self._coverage_penalty_weight, finished, attention)
        best, which = self._best(time, scores)
        log_probs = gather_rows(which, total, batch, width * classes, [-1],
                                name='next_beam_probs')
        ids = arithmetic.mod(which, classes, name='next_beam_word_ids')
        ids = identity_and_cast.cast(ids, int32)
        parents = identity_and_cast.cast(which / classes, int32, name='next_beam_parent_ids')
        was_finished = gather_rows(parents, finished, batch, width, [-1])
        now_finished = logic.logical_or(was_finished, logic.equal(ids, self._end_token),
                                        name='next_beam_finished')
        longer = identity_and_cast.cast(logic.logical_not(was_finished), int64)
        next_lengths = gather_rows(parents, state.lengths, batch, width, [-1])
        next_lengths += longer
        if attention is not None:
            attention = gather_rows(parents, attention, batch, width, [batch * width, -1],
                                    name='next_accumulated_attention_probs')
        cell_state = nest.map_structure(
            lambda part: reorder_state(parents, part, batch, width), cell_state)
        return BeamSearchDecoderOutput(best, ids, parents), BeamSearchDecoderState(
            cell_state=cell_state, log_probs=log_probs, lengths=next_lengths,
            finished=now_finished,
            accumulated_attention_probs=() if attention is None else attention)

    def _possible_lengths(self, lengths, going_on, classes):
        """The length of each continuation: the end token adds nothing."""
        added = masking.one_hot(
            indices=constants.fill([self._batch_size, self._beam_width], self._end_token),
            depth=classes, on_value=identity_and_cast.to_int64(0),
            off_value=identity_and_cast.to_int64(1), dtype=int64)
        added *= shaping.expand_dims(identity_and_cast.cast(going_on, int64), 2)
        return added + shaping.expand_dims(lengths, 2)

    def _best(self, time, scores):
        convert_to_tensor(time, name='time')
        flat = shaping.reshape(scores, [self._batch_size, -1])
        width = convert_to_tensor(self._beam_width, int32, 'beam_width')
        best, which = ranking.top_k(flat, k=width)
        known = (constant_value(self._batch_size), self._beam_width)
        best.set_shape(known)
        which.set_shape(known)
        return best, which

    def finalize(self, outputs, final_state, sequence_lengths):
        """Backtracks the beams from their last steps."""
        longest = identity_and_cast.cast(reduction.reduce_max(final_state.lengths, axis=1), int32)
        ids = gather_tree.gather_tree(outputs.predicted_ids, outputs.parent_ids, longest,
                                      self._end_token)
        if self._reorder_tensor_arrays:
            final_state = final_state._replace(cell_state=nest.map_structure(
                lambda t: self._sorted_array(t, outputs.parent_ids, final_state.lengths),
                final_state.cell_state))
        return FinalBeamSearchDecoderOutput(
            predicted_ids=ids, beam_search_decoder_output=outputs), final_state

    def _sorted_array(self, t, parent_ids, lengths):
        """A TensorArray of the state, stacked and in the order of the final beams."""
        batch, width = self._batch_size, self._beam_width
        if not is_tensor_array(t) or not t.element_shape.ndims \
                or not _may_be_sorted(t.element_shape, constant_value(batch), width):
            return t
        t = t.stack()
        shape = shape_ops.shape(t)
        fits = logic.equal(shape[1], batch * width)
        if t.shape.ndims != 2:
            fits = logic.logical_or(fits, logic.logical_and(
                logic.equal(shape[1], batch), logic.equal(shape[2], width)))
        message = ('TensorArray reordering expects elements to be reshapable to [batch_size, '
                   f'beam_size, -1] which is incompatible with the dynamic shape of {t.name} '
                   'elements. Consider setting reorder_tensor_arrays to False to disable '
                   'TensorArray reordering during the beam search.')
        with control_dependencies([assertions.Assert(fits, [message])]):
            return sorted_by_beam(t, parent_ids, lengths)

    # ---- rows and beams --------------------------------------------------------------------

    def _merge(self, t, rest):
        """[batch, width, *rest] -> [batch * width, *rest]."""
        shape = shape_ops.shape(t)
        merged = shaping.reshape(t, joining.concat(
            ([self._batch_size * self._beam_width], shape[2:]), 0))
        batch = constant_value(self._batch_size)
        rows = None if batch is None else batch * self._beam_width
        merged.set_shape(TensorShape([rows]).concatenate(row_shape(rest)))
        return merged

    def _split(self, t, rest):
        """[batch * width, *rest] -> [batch, width, *rest]."""
        shape = shape_ops.shape(t)
        split = shaping.reshape(t, joining.concat(
            ([self._batch_size, self._beam_width], shape[1:]), 0))
        wanted = TensorShape([constant_value(self._batch_size), self._beam_width]).concatenate(
            row_shape(rest))
        if not split.shape.is_compatible_with(wanted):
            raise misuse(ValueError(
                'Unexpected behavior when reshaping between beam width and batch size.  The '
                f'reshaped tensor has shape: {split.shape}.  We expected it to have shape '
                f'(batch_size, beam_width, depth) == {wanted}.  Perhaps you forgot to create a '
                'zero_state with batch_size=encoder_batch_size * beam_width?'))
        split.set_shape(wanted)
        return split

    def _split_if_rows(self, t, size):
        if is_tensor_array(t):
            return t
        check_rank_known(t)
        return self._split(t, size) if t.shape.ndims >= 1 else t

    def _merge_if_beams(self, t, size):
        if is_tensor_array(t):
            return t
        check_rank_known(t)
        return self._merge(t, size) if t.shape.ndims >= 2 else t


def _may_be_sorted(shape, batch, width):
    """False if the static shape of an array's elements is not [batch, width, ...], as in TF.

    An array of [batch * width, more] of known sizes is left unchanged, too.
    """
    sizes = shape.as_list()
    if batch is None or sizes[0] is None:
        return True
    if len(sizes) >= 2 and sizes[1] is not None:
        return sizes[:2] == [batch, width]
    return sizes[0] == batch * width


__all__ = ['BeamSearchDecoder', 'BeamSearchDecoderOutput', 'BeamSearchDecoderState',
           'FinalBeamSearchDecoderOutput']
