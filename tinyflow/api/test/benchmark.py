"""tf.test.Benchmark: measures and reports how long nodes take."""
from __future__ import annotations

import json
import re
import time

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.session.config import ConfigProto
from tinyflow.session.session import Session


def benchmark_config():
    """The Session settings for benchmarks."""
    return ConfigProto()


class Benchmark:
    """Base of benchmarks: its methods named `benchmark...` are run.

    `tf.test.main()` with --benchmarks=. on the command line runs them instead of the tests.
    """

    registry: list[type[Benchmark]] = []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Benchmark.registry.append(cls)

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10,
                         store_trace=False, store_memory_usage=True, name=None, extras=None,
                         mbs=0):
        """Runs a node `burn_iters` times, then `min_iters` times with a clock, and reports.

        Returns {'iters', 'wall_time' (median, seconds), 'throughput' (MB/s, if mbs), 'name',
        'extras'}.
        """
        fetch = op_or_tensor.op if isinstance(op_or_tensor, Tensor) else op_or_tensor
        if not isinstance(fetch, Operation):
            fetch = op_or_tensor
        for _ in range(burn_iters):
            sess.run(fetch, feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(fetch, feed_dict)
            times.append(time.perf_counter() - start)
        times = np.array(times)
        extras = {**(extras or {}), 'wall_time_mean': float(times.mean()),
                  'wall_time_stdev': float(times.std())}
        median = float(np.median(times))
        throughput = mbs / median if mbs else 0.0
        self.report_benchmark(min_iters, wall_time=median, throughput=throughput, name=name,
                              extras=extras)
        return {'iters': min_iters, 'wall_time': median, 'throughput': throughput, 'name': name,
                'extras': extras}

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None,
                         extras=None, name=None, metrics=None):
        """Prints one line of results."""
        entry = {'name': name or type(self).__name__, 'iters': iters, 'cpu_time': cpu_time,
                 'wall_time': wall_time, 'throughput': throughput, 'extras': extras,
                 'metrics': metrics}
        print(f'entry {json.dumps({k: v for k, v in entry.items() if v is not None})}')

    def evaluate(self, tensors):
        """The values of tensors, in a new Session."""
        with Session() as session:
            return session.run(tensors)


def run_benchmarks(pattern):
    """Runs the benchmark methods whose full name has a match for the pattern; 'all' means all."""
    wanted = re.compile('.' if pattern == 'all' else pattern)
    for kind in Benchmark.registry:
        for name in sorted(n for n in dir(kind) if n.startswith('benchmark')):
            if wanted.search(f'{kind.__name__}.{name}'):
                getattr(kind(), name)()
