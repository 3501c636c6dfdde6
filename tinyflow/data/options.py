"""tf.data.Options: settings of a dataset. Those that name TensorFlow's threads change nothing."""
from __future__ import annotations

from typing import Any

from tinyflow.data.refusal import refused
from tinyflow.errors import worded


class _Settings:
    """Attributes that are None until they are set; others are refused."""

    _names: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'{type(self).__name__} has no attribute {name!r}; there are '
                             f'{", ".join(self._names)}.')

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise worded(AttributeError(f"Cannot set the property '{name}' on "
                                        f'{type(self).__name__}; there are '
                                        f'{", ".join(self._names)}.'))
        object.__setattr__(self, name, value)

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and all(
            getattr(self, n) == getattr(other, n) for n in self._names)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = None                 # type: ignore[assignment]

    def merged(self, other: Any) -> Any:
        """Both together. ValueError where they set one option to different values."""
        result = type(self)()
        for name in self._names:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, _Settings) and isinstance(theirs, _Settings):
                value = mine.merged(theirs)
            elif mine is not None and theirs is not None and mine != theirs:
                raise refused(ValueError(f'Cannot merge incompatible values of option: {name}'))
            else:
                value = theirs if mine is None else mine
            object.__setattr__(result, name, value)
        return result


class OptimizationOptions(_Settings):
    """What OptimizeDataset may rewrite; only the first and the two fusions mean something here."""

    _names = ('apply_default_optimizations', 'autotune', 'autotune_algorithm',
              'autotune_cpu_budget', 'filter_fusion', 'filter_with_random_uniform_fusion',
              'hoist_random_uniform', 'map_and_batch_fusion', 'map_and_filter_fusion',
              'map_fusion', 'map_parallelization', 'map_vectorization', 'noop_elimination',
              'parallel_batch', 'shuffle_and_repeat_fusion')

    def chosen(self) -> list[str]:
        """The names of the rewritings to do, sorted."""
        found = {n for n in self._names[4:] if n != 'map_vectorization' and getattr(self, n)}
        if self.apply_default_optimizations is not False:
            for name in _DEFAULTS:
                if getattr(self, name) is not False:
                    found.add(name)
        return sorted(found)


_DEFAULTS = ('map_and_batch_fusion', 'noop_elimination', 'shuffle_and_repeat_fusion')


class ThreadingOptions(_Settings):
    """TensorFlow's threads; each pass of tinyflow has its own."""

    _names = ('max_intra_op_parallelism', 'private_threadpool_size')


class StatsOptions(_Settings):
    """TensorFlow's statistics of a pipeline, which tinyflow does not gather."""

    _names = ('aggregator', 'prefix', 'counter_prefix', 'latency_all_edges')


class DistributeOptions(_Settings):
    """How TensorFlow shards a dataset over workers."""

    _names = ('auto_shard', 'num_devices')


class Options(_Settings):
    """The settings of a dataset and of all that it is made of."""

    _names = ('experimental_deterministic', 'experimental_distribute',
              'experimental_optimization', 'experimental_slack',
              'experimental_stateful_whitelist', 'experimental_stats', 'experimental_threading')

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, 'experimental_distribute', DistributeOptions())
        object.__setattr__(self, 'experimental_optimization', OptimizationOptions())
        object.__setattr__(self, 'experimental_stats', StatsOptions())
        object.__setattr__(self, 'experimental_threading', ThreadingOptions())

    def merge(self, options: Options) -> Options:
        """Both together. ValueError where they set one option to different values."""
        return self.merged(options)
