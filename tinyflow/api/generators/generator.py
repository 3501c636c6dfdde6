"""Generator: draws random numbers, and remembers in a Variable how far it is."""
from __future__ import annotations

import numpy as np

from tinyflow.api.generators import states
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.array.identity_and_cast import bitcast, cast
from tinyflow.ops.imported import stateless_random_v2 as stateless
from tinyflow.ops.math import reduction
from tinyflow.ops.random.generator_ops import RngReadAndSkip
from tinyflow.ops.variables.replica_context import get_replica_context, get_strategy, has_strategy
from tinyflow.ops.variables.variable import Variable


class Generator:
    """Random numbers from a state that is a Variable: each call moves it on.

    Made by `from_seed`, `from_state`, `from_key_counter`, `from_non_deterministic_state` or
    `Generator(copy_from=other)`. The numbers are those of TensorFlow's Philox.
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is None and (state is None or alg is None):
            raise misuse(AssertionError('Generator(state=..., alg=...) needs both.\n  Hint: '
                                        'tf.random.Generator.from_seed(1)'))
        if copy_from is not None:
            state, alg = copy_from.state, copy_from.algorithm
        self._alg = states.number_of(alg)
        state = states.check_shape(state, states.counter_size(self._alg) + 1)
        self._strategy = get_strategy() if has_strategy() else None
        self._state = Variable(state, name='StateVar', trainable=False, dtype=dtypes.int64,
                               use_resource=True)

    # ---- factories -------------------------------------------------------------------------

    @classmethod
    def from_state(cls, state, alg):
        """With a state as `state` of another generator gives it."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """With the state of a seed, a number or a vector of them."""
        alg = states.number_of('philox' if alg is None else alg)
        return cls(state=states.create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """With a state from the operating system."""
        alg = states.number_of('philox' if alg is None else alg)
        return cls(state=states.non_deterministic_state(alg), alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """With a key (a number) and a counter, of shape [2] for Philox."""
        alg = states.number_of(alg)
        return cls(state=_state(key, counter, alg), alg=alg)

    # ---- the state -------------------------------------------------------------------------

    @property
    def state(self):
        """The Variable of the state: the counter, then the key."""
        return self._state

    @property
    def algorithm(self):
        """The number of the algorithm: 1, Philox."""
        return self._alg

    @property
    def key(self):
        """The key, a number."""
        return self._state.read_value()[states.counter_size(self._alg)]

    def reset(self, state):
        """Continues from a state."""
        self._state.assign(states.check_shape(state, states.counter_size(self._alg) + 1))

    def reset_from_seed(self, seed):
        """Continues as a new generator of that seed begins."""
        self._state.assign(states.create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Continues as a new generator of that key and counter begins."""
        self._state.assign(_state(key, counter, self._alg))

    def skip(self, delta):
        """Moves on as `delta` numbers do; the state before."""
        delta = cast(convert_to_tensor(delta, name='delta'), dtypes.uint64)
        alg = constants.constant(self._alg, dtypes.int32)
        return RngReadAndSkip.apply(self._state.handle, alg, delta)

    def make_seeds(self, count=1):
        """Seeds for stateless random functions. Shapes: -> [2, count] int64."""
        numbers = self.uniform_full_int([count], dtypes.int64)
        return joining.stack([numbers, constants.zeros_like(numbers)])

    def split(self, count=1):
        """A list of `count` generators whose numbers do not depend on each other."""
        numbers = self.uniform_full_int([count], dtypes.int64)
        zeros = np.zeros(states.counter_size(self._alg), np.int64)
        return [Generator.from_key_counter(numbers[i], zeros, self._alg) for i in range(count)]

    # ---- numbers ---------------------------------------------------------------------------

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normal numbers of that shape."""
        with name_scope(name, 'stateful_normal', [shape, mean, stddev]):
            return _scaled(self._drawn(stateless.StatelessRandomNormalV2, shape, dtype), mean,
                           stddev)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normal numbers within two deviations."""
        with name_scope(name, 'truncated_normal', [shape, mean, stddev]):
            return _scaled(self._drawn(stateless.StatelessTruncatedNormalV2, shape, dtype), mean,
                           stddev)

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        """Numbers in [minval, maxval), of floats [0, 1); of integers all, for minval=None."""
        kind = dtypes.as_dtype(dtype)
        if kind.is_integer and (minval is None) != (maxval is None):
            raise misuse(ValueError(f'For integer dtype {kind}, minval and maxval must be both '
                                    f'`None` or both non-`None`; got minval={minval} and '
                                    f'maxval={maxval}'))
        if kind.is_integer and minval is None:
            return self.uniform_full_int(shape, kind, name)
        with name_scope(name, 'stateful_uniform', [shape, minval, maxval]):
            low = convert_to_tensor(minval, kind, name='min')
            high = convert_to_tensor(1 if maxval is None else maxval, kind, name='max')
            if kind.is_integer:
                shape, key, counter, alg = self._prepared(shape)
                return stateless.StatelessRandomUniformIntV2.apply(shape, key, counter, alg, low,
                                                                   high)
            numbers = self._drawn(stateless.StatelessRandomUniformV2, shape, kind)
            return numbers * (high - low) + low

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """Integers over the whole range of the dtype."""
        with name_scope(name, 'stateful_uniform_full_int', [shape]):
            return self._drawn(stateless.StatelessRandomUniformFullIntV2, shape, dtype)

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
        """Not implemented."""
        raise misuse(NotImplementedError(
            'Generator.binomial is not implemented.\n  Hint: tf.reduce_sum(tf.cast('
            'g.uniform([n, *shape]) < p, tf.int32), 0) counts n draws.'))

    def _drawn(self, op, shape, dtype):
        return op.apply(*self._prepared(shape), dtype=dtypes.as_dtype(dtype))

    def _prepared(self, shape):
        """(shape, key, counter, algorithm) for numbers of that shape, which are then skipped."""
        shape = convert_to_tensor(shape, dtypes.int32 if np.size(shape) == 0 else None,
                                  name='shape') if not hasattr(shape, 'as_list') \
            else convert_to_tensor(shape.as_list(), dtypes.int32)
        before = self.skip(reduction.reduce_prod(cast(shape, dtypes.int64)))
        size = states.counter_size(self._alg)
        key = self._of_replica(bitcast(before[size:size + 1], dtypes.uint64))
        return (shape, key, bitcast(before[:size], dtypes.uint64),
                constants.constant(self._alg, dtypes.int32))

    def _of_replica(self, key):
        """The key for this replica of the strategy that the generator was made in."""
        context = get_replica_context() if self._strategy is not None else None
        if context is None:
            return key
        replica = cast(convert_to_tensor(context.replica_id_in_sync_group), dtypes.uint64)
        counter = joining.stack([replica, constants.constant(0, dtypes.uint64)])
        return stateless.StatelessRandomUniformFullIntV2.apply(
            constants.constant([1]), key, counter, constants.constant(self._alg, dtypes.int32),
            dtype=dtypes.uint64)

    # ---- checkpoints -----------------------------------------------------------------------

    @property
    def _checkpoint_dependencies(self):
        return [('_state_var', self._state)]


def _state(key, counter, alg):
    counter = states.check_shape(counter, states.counter_size(alg))
    key = cast(convert_to_tensor(key), dtypes.int64)
    return joining.concat([counter, shaping.reshape(key, [1])], 0)


def _scaled(numbers, mean, stddev):
    return numbers * convert_to_tensor(stddev, numbers.dtype, name='stddev') \
        + convert_to_tensor(mean, numbers.dtype, name='mean')


_global: list = []


def get_global_generator():
    """The generator that programs share; it is made, of no seed, when it is first asked for."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator):
    """Puts another generator in the place of the shared one."""
    _global[:] = [generator]


__all__ = ['Generator', 'get_global_generator', 'set_global_generator']
