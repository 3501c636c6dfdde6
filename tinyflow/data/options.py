"""tf.data.Options: settings of a dataset. Settings of TensorFlow's threads have no effect."""
from __future__ import annotations

from typing import Any

from tinyflow.data.errors import refused
from tinyflow.graph.support.errors import misuse


class _Settings:
    """Attributes that have their defaults until they are set; unknown names are errors.

    `_kinds` has a type for each name, or None for any; missing `_defaults` are None.
    """

    _kinds: dict[str, type | None] = {}
    _defaults: dict[str, Any] = {}

    def __init__(self) -> None:
        object.__setattr__(self, '_values', {
            name: kind() for name, kind in self._kinds.items()
            if kind is not None and issubclass(kind, _Settings)})

    def __getattr__(self, name: str) -> Any:
        if name not in self._kinds:
            raise AttributeError(f'{type(self).__name__} has no attribute {name!r}; there are '
                                 f'{", ".join(self._kinds)}.')
        return self._values.get(name, self._defaults.get(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._kinds:
            raise misuse(AttributeError(f"Cannot set the property '{name}' on "
                                        f'{type(self).__name__}; there are '
                                        f'{", ".join(self._kinds)}.'))
        kind = self._kinds[name]
        if kind is not None and not isinstance(value, kind):
            raise misuse(TypeError(f'Property "{name}" must be of type {kind}, got: {value!r} '
                                   f'(type: {type(value)})'))
        self._values[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kinds]

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and all(
            getattr(self, n) == getattr(other, n) for n in self._kinds)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = None                 # type: ignore[assignment]

    def merged(self, other: Any) -> Any:
        """Both merged. ValueError if they set one option to different values."""
        result = type(self)()
        for name in self._kinds:
            mine, theirs = self._values.get(name), other._values.get(name)
            if isinstance(mine, _Settings) and isinstance(theirs, _Settings):
                value = mine.merged(theirs)
            elif mine is not None and theirs is not None and mine != theirs:
                raise refused(ValueError(f'Cannot merge incompatible values of option: {name}'))
            else:
                value = theirs if mine is None else mine
            if value is not None:
                result._values[name] = value
        return result


class MapVectorizationOptions(_Settings):
    """Whether TensorFlow maps batches instead of elements; no effect here."""

    _kinds = {'enabled': bool, 'use_choose_fastest': bool}


_FUSIONS = ('filter_fusion', 'filter_with_random_uniform_fusion', 'hoist_random_uniform',
            'map_and_batch_fusion', 'map_and_filter_fusion', 'map_fusion', 'map_parallelization',
            'noop_elimination', 'parallel_batch', 'shuffle_and_repeat_fusion')
_BY_DEFAULT = ('map_and_batch_fusion', 'noop_elimination', 'shuffle_and_repeat_fusion')


class OptimizationOptions(_Settings):
    """Rewrites of OptimizeDataset.

    Two of them have an effect here: `noop_elimination` removes transformations without effect, and
    with `shuffle_and_repeat_fusion` all repetitions of a shuffle share one buffer.
    """

    _kinds = {'apply_default_optimizations': bool, 'autotune': bool, 'autotune_algorithm': int,
              'autotune_buffers': bool, 'autotune_cpu_budget': int,
              'map_vectorization': MapVectorizationOptions, **dict.fromkeys(_FUSIONS, bool)}

    def chosen(self) -> list[str]:
        """The names of the enabled rewrites, sorted."""
        found = {name for name in _FUSIONS if getattr(self, name)}
        if self.apply_default_optimizations is not False:
            found.update(name for name in _BY_DEFAULT if getattr(self, name) is not False)
        return sorted(found)


class ThreadingOptions(_Settings):
    """TensorFlow's threads; each pass of tinyflow has its own."""

    _kinds = {'max_intra_op_parallelism': int, 'private_threadpool_size': int}


class StatsOptions(_Settings):
    """TensorFlow's statistics of a pipeline, which tinyflow does not collect."""

    _kinds = {'aggregator': None, 'prefix': str, 'counter_prefix': str, 'latency_all_edges': bool}
    _defaults = {'prefix': '', 'counter_prefix': ''}


class DistributeOptions(_Settings):
    """How TensorFlow shards a dataset over workers."""

    _kinds = {'auto_shard': bool, 'num_devices': int}
    _defaults = {'auto_shard': True}


class Options(_Settings):
    """The settings of a dataset and of the datasets it is made from."""

    _kinds = {'experimental_deterministic': bool, 'experimental_distribute': DistributeOptions,
              'experimental_optimization': OptimizationOptions, 'experimental_slack': bool,
              'experimental_stateful_whitelist': None, 'experimental_stats': StatsOptions,
              'experimental_threading': ThreadingOptions}

    def merge(self, options: Options) -> Options:
        """Both merged. ValueError if they set one option to different values."""
        return self.merged(options)
