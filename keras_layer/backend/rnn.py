"""K.rnn: a step function applied to all time steps, as a while loop or unrolled."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.shaping import expand_dims, reverse
from tinyflow.graph.support.errors import misuse

__all__ = ['rnn']


def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None,
        unroll=False, input_length=None, time_major=False, zero_output_for_mask=False):
    """(last output, all outputs, last states) of `step_function` applied to each time step.

    ``output, new_states = step_function(input, states)`` where `states` is a tuple that ends with
    `constants`. Inputs, outputs and states may be nests of tensors. Where `mask` is False a step
    keeps the states and the output before it (or gives zeros, with `zero_output_for_mask`).
    `unroll` unrolls the loop; `input_length` limits the number of steps.

    Shapes:
        inputs [batch, time, ...], mask [batch, time] or [batch, time, 1], states [batch, ...] ->
        last output [batch, ...], outputs [batch, time, ...], states; [time, batch, ...] with
        `time_major`.

    Raises ValueError for inputs of fewer than 3 dimensions, an unknown number of steps to unroll,
    or a mask without states.
    """
    if not time_major:
        inputs = tf.nest.map_structure(_swap_batch_and_time, inputs)
    flat = tf.nest.flatten(inputs)
    steps, batch = flat[0].shape.as_list()[:2] if flat[0].shape.ndims else (None, None)
    count = tf.shape(flat[0])[0]
    for tensor in flat:
        tensor.shape.with_rank_at_least(3)
    if mask is not None:
        mask = _mask_by_step(mask, time_major)
    made = _Steps(step_function, inputs, flat, tuple(initial_states), tuple(constants or ()),
                  initial_states, mask, go_backwards, zero_output_for_mask)
    if unroll:
        last_output, outputs, states = made.unrolled(steps)
    else:
        last_output, outputs, states = made.looped(count, input_length)
    outputs = tf.nest.map_structure(lambda t: _known_sizes(t, steps, batch), outputs)
    if not time_major:
        outputs = tf.nest.map_structure(_swap_batch_and_time, outputs)
    return last_output, outputs, states


class _Steps:
    """Inputs, masks and states of one call of `rnn`; time major."""

    def __init__(self, step_function, inputs, flat, states, constants, structure, mask, backwards,
                 zero_output):
        self._function, self._constants = step_function, constants
        self._inputs, self._flat = inputs, flat
        self._states, self._structure = states, structure
        self._mask, self._backwards, self._zero_output = mask, backwards, zero_output

    def _step(self, flat_input, states):
        inputs = tf.nest.pack_sequence_as(self._inputs, flat_input)
        return self._function(inputs, tuple(states) + self._constants)

    # ---- unrolled ------------------------------------------------------------------------

    def unrolled(self, steps):
        """Unrolled: one copy of the step's nodes for each time step."""
        if not steps:
            raise misuse(ValueError(
                'Unrolling requires a fixed number of timesteps.\n  Hint: give the input its '
                'number of steps, e.g. Input(shape=(20, 8)), or unroll=False.'))
        inputs = [self._unstacked(tensor) for tensor in self._flat]
        masks = None if self._mask is None else self._unstacked(self._mask)
        states, outputs = self._states, []
        for time in range(steps):
            output, new_states = self._step([parts[time] for parts in inputs], states)
            if masks is not None:
                mask = _expand(masks[time], output)
                before = outputs[-1] if outputs else tf.zeros_like(output)
                output = tf.where(mask, output, before)
                new_states = [_where(masks[time], new, old)
                              for old, new in zip(states, new_states)]
            outputs.append(output)
            states = new_states
        return (*self._stacked(outputs, masks), states)

    def _unstacked(self, tensor):
        parts = tf.unstack(tensor)
        return parts[::-1] if self._backwards else parts

    def _stacked(self, outputs, masks):
        """(last output, all outputs), with zeros at masked steps if requested."""
        if masks is None and tf.nest.is_nested(outputs[0]):
            stacked = tf.nest.map_structure(lambda *parts: tf.stack(parts), *outputs)
            return outputs[-1], stacked
        last, stacked = outputs[-1], tf.stack(outputs)
        if masks is None or not self._zero_output:
            return last, stacked
        last = tf.where(_expand(masks[-1], last), last, tf.zeros_like(last))
        # As in TF 1.15, this mask is not reversed when the steps run backwards.
        all_masks = _expand(self._mask, stacked, fixed=2)
        return last, tf.where(all_masks, stacked, tf.zeros_like(stacked))

    # ---- as a loop -----------------------------------------------------------------------

    def looped(self, count, input_length):
        """A While whose body is one step."""
        arrays = self._input_arrays(count)
        # Shapes and dtypes of the outputs come from a step outside of the loop, which is not run.
        first, _ = self._step([tensor[0] for tensor in self._flat], self._states)
        outputs = tuple(
            tf.TensorArray(dtype=t.dtype, size=count, element_shape=t.shape,
                           tensor_array_name=f'output_ta_{i}')
            for i, t in enumerate(tf.nest.flatten(first)))
        time = tf.constant(0, dtype='int32', name='time')
        if self._mask is None:
            body, variables = self._body(arrays), (time, outputs)
        else:
            masks = self._mask_array(count)
            zeros = tuple(tf.zeros_like(t) for t in tf.nest.flatten(first))
            body, variables = self._masked_body(arrays, masks, zeros), (time, outputs, zeros)
        final = tf.while_loop(lambda time, *_: time < count, body, variables + self._states,
                              maximum_iterations=input_length, parallel_iterations=32,
                              swap_memory=True)
        stacked = tuple(array.stack() for array in final[1])
        last = tuple(tensor[-1] for tensor in stacked)
        return (tf.nest.pack_sequence_as(first, last), tf.nest.pack_sequence_as(first, stacked),
                final[len(variables):])

    def _input_arrays(self, count):
        arrays = [tf.TensorArray(dtype=tensor.dtype, size=count, tensor_array_name=f'input_ta_{i}')
                  for i, tensor in enumerate(self._flat)]
        return [array.unstack(reverse(tensor, 0) if self._backwards else tensor)
                for array, tensor in zip(arrays, self._flat)]

    def _mask_array(self, count):
        if not self._states:
            raise misuse(ValueError(
                'No initial states provided! When using masking in an RNN, you should provide '
                'initial states (and your step function should return as its first state at time '
                '`t` the output at time `t-1`).'))
        mask = reverse(self._mask, 0) if self._backwards else self._mask
        array = tf.TensorArray(dtype=tf.bool, size=count, tensor_array_name='mask_ta')
        return array.unstack(mask)

    def _body(self, arrays):
        def body(time, outputs, *states):
            output, new_states = self._step([array.read(time) for array in arrays], states)
            flat_new = _with_shapes_of(states, new_states)
            outputs = _written(outputs, time, tf.nest.flatten(output))
            new_states = tf.nest.pack_sequence_as(self._structure, flat_new)
            return (time + 1, outputs, *new_states)
        return body

    def _masked_body(self, arrays, masks, zeros):
        def body(time, outputs, previous, *states):
            inputs = [array.read(time) for array in arrays]
            mask = masks.read(time)
            output, new_states = self._step(inputs, states)
            flat_output = _all_where(mask, tf.nest.flatten(output),
                                     zeros if self._zero_output else previous)
            flat_new = _with_shapes_of(states, new_states)
            flat_new = _all_where(mask, flat_new, tf.nest.flatten(states))
            new_states = tf.nest.pack_sequence_as(new_states, flat_new)
            outputs = _written(outputs, time, flat_output)
            return (time + 1, outputs, tuple(flat_output), *new_states)
        return body


def _swap_batch_and_time(tensor):
    return tf.transpose(tensor, [1, 0, *range(2, tensor.shape.ndims)])


def _mask_by_step(mask, time_major):
    """The mask as bool [time, batch, 1]."""
    if mask.dtype != tf.bool:
        mask = tf.cast(mask, tf.bool)
    if mask.shape.ndims == 2:
        mask = expand_dims(mask)
    return mask if time_major else _swap_batch_and_time(mask)


def _expand(mask, tensor, fixed=1):
    """The mask tiled over all axes of `tensor` except the first `fixed`, as `where` needs it."""
    for _ in range(tensor.shape.ndims - mask.shape.ndims):
        mask = tf.expand_dims(mask, -1)
    return tf.tile(mask, [1] * fixed + tensor.shape.as_list()[fixed:])


def _where(mask, new, old):
    return tf.where(_expand(mask, new), new, old)


def _all_where(mask, new, old):
    masks = [_expand(mask, tensor) for tensor in new]
    return [tf.where(m, n, o) for m, n, o in zip(masks, new, old)]


def _with_shapes_of(states, new_states):
    """The new states, flat, with the static shapes of the old ones."""
    flat = tf.nest.flatten(new_states)
    for old, new in zip(tf.nest.flatten(states), flat):
        if isinstance(new, tf.Tensor):
            new.set_shape(old.shape)
    return flat


def _written(arrays, time, tensors):
    return tuple(array.write(time, tensor) for array, tensor in zip(arrays, tensors))


def _known_sizes(tensor, steps, batch):
    """The tensor with static time and batch sizes where they are known."""
    if isinstance(tensor, tf.Tensor):
        tensor.set_shape([steps, batch, *tensor.shape.as_list()[2:]])
    return tensor
