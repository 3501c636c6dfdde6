"""Iterators, devices and `run` of tf.contrib.eager."""
from __future__ import annotations

import functools

from tinyflow.api import app
from tinyflow.data.iterators import EagerIterator
from tinyflow.eager.enabling import eager_execution
from tinyflow.graph import eager_mode
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import misuse
from tinyflow.session.session import Session

__all__ = ['Iterator', 'get_optimizer_variables', 'list_devices', 'num_gpus', 'run',
           'run_all_tests_in_graph_and_eager_modes', 'run_test_in_graph_and_eager_modes']


class Iterator(EagerIterator):
    """A pass over a dataset, as `iter(dataset)`. RuntimeError while graphs are built."""

    def __init__(self, dataset):
        if not eager_mode.executing_eagerly():
            raise misuse(RuntimeError('Iterating over datasets using tf.contrib.eager.Iterator '
                                      'requires eager execution.\n  Hint: '
                                      'dataset.make_one_shot_iterator().get_next()'))
        super().__init__(dataset)


def num_gpus():
    """0: everything runs on the CPU."""
    return 0


def list_devices():
    """The names of the devices: the CPU."""
    return ['/job:localhost/replica:0/task:0/device:CPU:0']


def run(main=None, argv=None):
    """Runs main(argv) with eager execution, then leaves Python, as tf.app.run does."""
    from tinyflow.eager.enabling import enable_eager_execution  # start-up time
    enable_eager_execution()
    app.run(main, argv)


def get_optimizer_variables(optimizer):
    """The Variables of an optimizer."""
    return optimizer.variables()


def run_test_in_graph_and_eager_modes(func=None, **_):
    """Decorator of a test method: runs it in a graph with a default Session, then at once."""
    def decorated(test):
        @functools.wraps(test)
        def both(self, *args, **kwargs):
            with Graph().as_default(), Session().as_default():
                test(self, *args, **kwargs)
            with eager_execution():
                test(self, *args, **kwargs)
        return both
    return decorated if func is None else decorated(func)


def run_all_tests_in_graph_and_eager_modes(cls):
    """Decorator of a test case: runs each of its test methods in a graph, then at once."""
    for name, method in vars(cls).copy().items():
        if callable(method) and name.startswith('test') and name != 'test_session':
            setattr(cls, name, run_test_in_graph_and_eager_modes(method))
    return cls
