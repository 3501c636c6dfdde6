"""tf.test: test cases with their own graph, assertions about arrays, gradient checks."""
import os as _os
import sys as _sys
import unittest as _unittest

from tinyflow.api.test.benchmark import (
    Benchmark,
    benchmark_config,
    run_benchmarks as _run_benchmarks,
)
from tinyflow.api.test.case import TestCase, get_temp_dir
from tinyflow.api.test.jacobian import compute_gradient, compute_gradient_error
from tinyflow.api.test.stubs import StubOutForTesting
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)


def main(argv=None):
    """Runs the tests of the program, or with --benchmarks=pattern its benchmarks; then exits."""
    argv = list(_sys.argv if argv is None else argv)
    wanted = [a.partition('=')[2] or '.' for a in argv[1:] if a.startswith('--benchmarks')]
    if wanted:
        _run_benchmarks(wanted[0])
        return
    _unittest.main(argv=argv)


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """False: tinyflow runs on the CPU."""
    return False


def gpu_device_name():
    """'': there is no GPU."""
    return ''


def is_built_with_cuda():
    """False: tinyflow runs on the CPU."""
    return False


def is_built_with_rocm():
    """False: tinyflow runs on the CPU."""
    return False


def is_built_with_gpu_support():
    """False: tinyflow runs on the CPU."""
    return False


def create_local_cluster(num_workers, num_ps, protocol='grpc', worker_config=None, ps_config=None):
    """(workers, parameter servers): two lists of started tf.train.Servers of this process."""
    from tinyflow.cluster import local_cluster  # start-up time
    return local_cluster.create_local_cluster(num_workers, num_ps, protocol, worker_config,
                                              ps_config)


def test_src_dir_path(relative_path):
    """The path of a directory below TensorFlow's source: of tinyflow's, here."""
    package = _os.path.dirname(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))))
    return _os.path.join(package, relative_path)


test_src_dir_path.__test__ = False


def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
    """AssertionError unless two GraphDefs have the same nodes, in any order."""
    have, want = ({node.name: node for node in graph_def.node} for graph_def in (actual, expected))
    only = sorted(have.keys() ^ want.keys())
    if only:
        raise AssertionError(f'Nodes in one GraphDef only: {only[:10]}')
    for name in want:
        if have[name] != want[name]:
            raise AssertionError(f'GraphDefs differ at node {name!r}.\nActual:\n{have[name]}\n'
                                 f'Expected:\n{want[name]}')


__all__ = [
    'Benchmark', 'StubOutForTesting', 'TestCase', 'assert_equal_graph_def', 'benchmark_config',
    'compute_gradient', 'compute_gradient_error', 'create_local_cluster', 'get_temp_dir',
    'gpu_device_name', 'is_built_with_cuda', 'is_built_with_gpu_support', 'is_built_with_rocm',
    'is_gpu_available', 'main', 'mock', 'test_src_dir_path',
]
_missing = _explain_missing(__name__, __all__)


def __getattr__(name):
    if name == 'mock':
        from unittest import mock  # start-up time
        return mock
    return _missing(name)


def __dir__():
    return __all__


_hide_modules(globals())
