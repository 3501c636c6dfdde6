"""Attention decoders over all encoder outputs, unrolled step by step."""
from __future__ import annotations

from tinyflow.api.contrib.legacy_seq2seq.decoders import (
    argmax_and_embed,
    check_projection,
    either_way,
    encode,
)
from tinyflow.graph.dtypes import float32
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.projections import Linear, OutputProjectionWrapper
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
)
from tinyflow.ops.conv import convolution_functions
from tinyflow.ops.math import reduction, unary
from tinyflow.ops.nn import embedding, softmax
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope


class _Attention:
    """Weighted means of the attention states, with weights computed from a query."""

    def __init__(self, states, heads, dtype):
        self.dtype = dtype
        self.size = states.raw_shape[2]
        self.length = states.raw_shape[1] or shape_ops.shape(states)[1]
        self.hidden = shaping.reshape(states, [-1, self.length, 1, self.size])
        self.features, self.v = [], []
        for head in range(heads):
            kernel = get_variable(f'AttnW_{head}', [1, 1, self.size, self.size], dtype=dtype)
            self.features.append(
                convolution_functions.conv2d(self.hidden, kernel, [1, 1, 1, 1], 'SAME'))
            self.v.append(get_variable(f'AttnV_{head}', [self.size], dtype=dtype))

    def __call__(self, query):
        """One [batch, size] for each head."""
        if nest.is_nested(query):
            query = joining.concat(nest.flatten(query), 1)
        return [self._read(head, query) for head in range(len(self.v))]

    def _read(self, head, query):
        with variable_scope(f'Attention_{head}'):
            y = Linear(query, self.size, True)(query)
            y = identity_and_cast.cast(shaping.reshape(y, [-1, 1, 1, self.size]), self.dtype)
            scores = reduction.reduce_sum(
                self.v[head] * unary.tanh(self.features[head] + y), [2, 3])
            weights = softmax.softmax(identity_and_cast.cast(scores, float32))
            weights = identity_and_cast.cast(weights, self.dtype)
            mean = reduction.reduce_sum(
                shaping.reshape(weights, [-1, self.length, 1, 1]) * self.hidden, [1, 2])
            return shaping.reshape(mean, [-1, self.size])


def attention_decoder(decoder_inputs, initial_state, attention_states, cell, output_size=None,
                      num_heads=1, loop_function=None, dtype=None, scope=None,
                      initial_state_attention=False):
    """A decoder that reads weighted means of `attention_states` at each step: (outputs, state).

    Shapes: decoder_inputs a list of [batch, in], attention_states [batch, length, size] -> a list
    of [batch, output_size]. Source: Vinyals et al., "Grammar as a foreign language", NIPS 2015.
    """
    if not decoder_inputs:
        raise misuse(ValueError('Must provide at least 1 input to attention decoder.'))
    if num_heads < 1:
        raise misuse(ValueError('With less than 1 heads, use a non-attention decoder.'))
    if attention_states.raw_shape is None or attention_states.raw_shape[2] is None:
        raise misuse(ValueError('Shape[2] of attention_states must be known: '
                                f'{attention_states.shape}'))
    output_size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or 'attention_decoder', dtype=dtype) as scope:
        dtype, outputs, state = scope.dtype, [], initial_state
        batch_size = shape_ops.shape(decoder_inputs[0])[0]
        attention = _Attention(attention_states, num_heads, dtype)
        reads = _no_reads(batch_size, attention.size, num_heads, dtype)
        if initial_state_attention:
            reads = attention(initial_state)
        for i, value in enumerate(decoder_inputs):
            if i > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and outputs:
                with variable_scope('loop_function', reuse=True):
                    value = loop_function(outputs[-1], i)
            width = value.shape.with_rank(2)[1]
            if width.value is None:
                raise misuse(ValueError(f'Could not infer input size from input: {value.name}'))
            parts = [identity_and_cast.cast(part, dtype) for part in [value, *reads]]
            cell_output, state = cell(Linear(parts, width.value, True)(parts), state)
            if i == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    reads = attention(state)
            else:
                reads = attention(state)
            with variable_scope('AttnOutputProjection'):
                parts = [identity_and_cast.cast(cell_output, dtype), *reads]
                outputs.append(Linear(parts, output_size, True)(parts))
    return outputs, state


def _no_reads(batch_size, size, heads, dtype):
    shape = joining.stack([batch_size, size])
    reads = [constants.zeros(shape, dtype=dtype) for _ in range(heads)]
    for read in reads:
        read.set_shape([None, size])
    return reads


def embedding_attention_decoder(decoder_inputs, initial_state, attention_states, cell, num_symbols,
                                embedding_size, num_heads=1, output_size=None,
                                output_projection=None, feed_previous=False,
                                update_embedding_for_previous=True, dtype=None, scope=None,
                                initial_state_attention=False):
    """attention_decoder over ids, whose vectors are looked up.

    Shapes: decoder_inputs a list of [batch] (ids), attention_states [batch, length, size] -> (a
    list of [batch, output_size], state).
    """
    output_size = cell.output_size if output_size is None else output_size
    check_projection(output_projection, num_symbols, dtype, weights=False)
    with variable_scope(scope or 'embedding_attention_decoder', dtype=dtype):
        table = get_variable('embedding', [num_symbols, embedding_size])
        loop_function = argmax_and_embed(table, output_projection,
                                         update_embedding_for_previous) if feed_previous else None
        vectors = [embedding.embedding_lookup(table, ids) for ids in decoder_inputs]
        return attention_decoder(
            vectors, initial_state, attention_states, cell, output_size=output_size,
            num_heads=num_heads, loop_function=loop_function,
            initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols,
                                num_decoder_symbols, embedding_size, num_heads=1,
                                output_projection=None, feed_previous=False, dtype=None,
                                scope=None, initial_state_attention=False):
    """An encoder and a decoder with attention, both over ids.

    Shapes: lists of [batch] (ids) -> (a list of [batch, num_decoder_symbols], state); with
    `output_projection` (weights, biases) the outputs are those of the cell, to be projected later.
    `feed_previous` may be a bool or a tensor. Source: Bahdanau et al., "Neural machine translation
    by jointly learning to align and translate", ICLR 2015.
    """
    with variable_scope(scope or 'embedding_attention_seq2seq', dtype=dtype) as scope:
        outputs, encoded = encode(encoder_inputs, cell, num_encoder_symbols, embedding_size,
                                  scope.dtype)
        steps = [shaping.reshape(e, [-1, 1, cell.output_size]) for e in outputs]
        attention_states = joining.concat(steps, 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decoder(value, **settings):
            return embedding_attention_decoder(
                decoder_inputs, encoded, attention_states, cell, num_decoder_symbols,
                embedding_size, num_heads=num_heads, output_size=output_size,
                output_projection=output_projection, feed_previous=value,
                initial_state_attention=initial_state_attention, **settings)

        if isinstance(feed_previous, bool):
            return decoder(feed_previous)
        return either_way(feed_previous,
                          lambda value: decoder(value, update_embedding_for_previous=False),
                          len(decoder_inputs), encoded)


__all__ = ['attention_decoder', 'embedding_attention_decoder', 'embedding_attention_seq2seq']
