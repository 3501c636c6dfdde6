"""Encoders and decoders without attention, unrolled step by step."""
from __future__ import annotations

import copy

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import float32
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import RNNCell
from tinyflow.layers.rnn.projections import EmbeddingWrapper, OutputProjectionWrapper
from tinyflow.layers.rnn.static import static_rnn
from tinyflow.ops.array import identity_and_cast, ranking, shape_ops
from tinyflow.ops.control_flow import cond
from tinyflow.ops.nn import bias, embedding
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def argmax_and_embed(table, output_projection=None, update_embedding=True):
    """A loop function: the embedding of the most likely symbol of the last output."""
    def loop_function(previous, _):
        if output_projection is not None:
            previous = bias.xw_plus_b(previous, *output_projection)
        symbol = ranking.argmax(previous, 1)
        vector = embedding.embedding_lookup(table, symbol)
        return vector if update_embedding else identity_and_cast.stop_gradient(vector)
    return loop_function


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Calls `cell` for each input: (outputs, state).

    Shapes: decoder_inputs a list of [batch, in] -> a list of [batch, out]. With `loop_function` all
    inputs but the first are loop_function(last output, step).
    """
    with variable_scope(scope or 'rnn_decoder'):
        state, outputs = initial_state, []
        for i, value in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with variable_scope('loop_function', reuse=True):
                    value = loop_function(outputs[-1], i)
            if i > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(value, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=float32, scope=None):
    """An encoder whose last state is the first of a decoder with separate weights.

    Shapes: lists of [batch, in] -> (a list of [batch, out], state).
    """
    with variable_scope(scope or 'basic_rnn_seq2seq'):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=float32,
                     scope=None):
    """An encoder and a decoder that share their weights.

    Shapes: lists of [batch, in] -> (a list of [batch, out], state).
    """
    with variable_scope('combined_tied_rnn_seq2seq'):
        scope = scope or 'tied_rnn_seq2seq'
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope)


def check_projection(output_projection, num_symbols, dtype, weights=True):
    """ValueError unless the projection (weights, biases) ends in `num_symbols` classes."""
    if output_projection is None:
        return
    if weights:
        matrix = convert_to_tensor(output_projection[0], dtype=dtype)
        matrix.shape.assert_is_compatible_with([None, num_symbols])
    vector = convert_to_tensor(output_projection[1], dtype=dtype)
    vector.shape.assert_is_compatible_with([num_symbols])


def embedding_rnn_decoder(decoder_inputs, initial_state, cell, num_symbols, embedding_size,
                          output_projection=None, feed_previous=False,
                          update_embedding_for_previous=True, scope=None):
    """rnn_decoder over ids, whose vectors are looked up.

    Shapes: decoder_inputs a list of [batch] (ids) -> (a list of [batch, out], state). With
    `feed_previous`, each input but the first is the most likely symbol of the previous output.
    """
    with variable_scope(scope or 'embedding_rnn_decoder') as scope:
        check_projection(output_projection, num_symbols, scope.dtype)
        table = get_variable('embedding', [num_symbols, embedding_size])
        loop_function = argmax_and_embed(table, output_projection,
                                         update_embedding_for_previous) if feed_previous else None
        vectors = (embedding.embedding_lookup(table, ids) for ids in decoder_inputs)
        return rnn_decoder(vectors, initial_state, cell, loop_function)


def either_way(feed_previous, decoder, steps, like):
    """(outputs, state) of decoder(True) or decoder(False), selected by a tensor at run time.

    `like` has the structure of the state.
    """
    def flat(value):
        with variable_scope(get_variable_scope(), reuse=None if value else True):
            outputs, state = decoder(value)
        return outputs + nest.flatten(state)

    found = cond.cond(feed_previous, lambda: flat(True), lambda: flat(False))
    outputs, state = found[:steps], found[steps:]
    return outputs, nest.pack_sequence_as(like, state) if nest.is_nested(like) else state[0]


def encode(encoder_inputs, cell, num_symbols, embedding_size, dtype):
    """(outputs, state) of a copy of `cell` over the vectors of ids."""
    wrapped = EmbeddingWrapper(copy.deepcopy(cell), embedding_classes=num_symbols,
                               embedding_size=embedding_size)
    return static_rnn(wrapped, encoder_inputs, dtype=dtype)


def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols,
                          num_decoder_symbols, embedding_size, output_projection=None,
                          feed_previous=False, dtype=None, scope=None):
    """basic_rnn_seq2seq over ids, with separate embeddings for encoder and decoder.

    Shapes: lists of [batch] (ids) -> (a list of [batch, num_decoder_symbols], state); with
    `output_projection` (weights, biases) the outputs are those of the cell, to be projected later.
    `feed_previous` may be a bool or a tensor.
    """
    with variable_scope(scope or 'embedding_rnn_seq2seq', dtype=dtype) as scope:
        _, encoded = encode(encoder_inputs, cell, num_encoder_symbols, embedding_size,
                            dtype or scope.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decoder(value, **settings):
            return embedding_rnn_decoder(
                decoder_inputs, encoded, cell, num_decoder_symbols, embedding_size,
                output_projection=output_projection, feed_previous=value, **settings)

        if isinstance(feed_previous, bool):
            return decoder(feed_previous)
        return either_way(feed_previous,
                          lambda value: decoder(value, update_embedding_for_previous=False),
                          len(decoder_inputs), encoded)


def embedding_tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_symbols, embedding_size,
                               num_decoder_symbols=None, output_projection=None,
                               feed_previous=False, dtype=None, scope=None):
    """tied_rnn_seq2seq over ids, with one embedding table for both.

    Shapes: lists of [batch] (ids) -> (a list of [batch, num_decoder_symbols or num_symbols],
    state). `feed_previous` may be a bool or a tensor.
    """
    with variable_scope(scope or 'embedding_tied_rnn_seq2seq', dtype=dtype) as scope:
        dtype = scope.dtype
        check_projection(output_projection, num_symbols, dtype)
        table = get_variable('embedding', [num_symbols, embedding_size], dtype=dtype)
        sources = [embedding.embedding_lookup(table, ids) for ids in encoder_inputs]
        steps = [embedding.embedding_lookup(table, ids) for ids in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)

        def decoder(value, update):
            loop_function = argmax_and_embed(table, output_projection, update) if value else None
            return tied_rnn_seq2seq(sources, steps, cell, loop_function, dtype)

        if isinstance(feed_previous, bool):
            return decoder(feed_previous, True)
        batch = encoder_inputs[0].shape[0]
        for value in encoder_inputs[1:]:
            batch.merge_with(value.shape[0])
        outputs_and_state = either_way(feed_previous, lambda value: decoder(value, False),
                                       len(decoder_inputs), cell.state_size)
        cell.zero_state(batch.value or shape_ops.shape(encoder_inputs[0])[0], dtype)
        return outputs_and_state


def one2many_rnn_seq2seq(encoder_inputs, decoder_inputs_dict, enc_cell, dec_cells_dict,
                         num_encoder_symbols, num_decoder_symbols_dict, embedding_size,
                         feed_previous=False, dtype=None, scope=None):
    """One encoder and several decoders: ({name: outputs}, {name: state}).

    Shapes: encoder_inputs a list of [batch] (ids), decoder_inputs_dict a dict of such lists.
    """
    for cell, what in [(enc_cell, 'enc_cell'), *((c, 'dec_cell') for c in dec_cells_dict.values())]:
        if not isinstance(cell, RNNCell):
            raise misuse(TypeError(f'{what} is not an RNNCell: {type(cell)}'))
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise misuse(ValueError('keys of dec_cells_dict != keys of decodre_inputs_dict'))
    outputs, states = {}, {}
    with variable_scope(scope or 'one2many_rnn_seq2seq', dtype=dtype) as scope:
        wrapped = EmbeddingWrapper(enc_cell, embedding_classes=num_encoder_symbols,
                                   embedding_size=embedding_size)
        _, encoded = static_rnn(wrapped, encoder_inputs, dtype=scope.dtype)
        for name, steps in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope(f'one2many_decoder_{name}'):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decoder(value, steps=steps, cell=cell, symbols=symbols):
                    return embedding_rnn_decoder(steps, encoded, cell, symbols, embedding_size,
                                                 feed_previous=value)

                outputs[name], states[name] = decoder(feed_previous) \
                    if isinstance(feed_previous, bool) \
                    else either_way(feed_previous, decoder, len(steps), encoded)
    return outputs, states


__all__ = ['basic_rnn_seq2seq', 'embedding_rnn_decoder', 'embedding_rnn_seq2seq',
           'embedding_tied_rnn_seq2seq', 'one2many_rnn_seq2seq', 'rnn_decoder', 'tied_rnn_seq2seq']
