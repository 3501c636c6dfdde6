"""tensorflow.python.framework.test_util: decorators of tests, for graphs and for ops run at once.

A decorator takes a test method, or a class of which it decorates all of them.
"""
from __future__ import annotations

import functools
import unittest

from tinyflow.api.private.eager_context import eager_mode, graph_mode
from tinyflow.api.test.case import TestCase as TensorFlowTestCase
from tinyflow.graph.support import v1_v2_switches

__all__ = [
    'TensorFlowTestCase', 'assert_no_garbage_created', 'assert_no_new_pyobjects_executing_eagerly',
    'assert_no_new_tensors', 'deprecated_graph_mode_only', 'disable_control_flow_v2',
    'disable_xla', 'enable_control_flow_v2', 'run_all_in_deprecated_graph_mode_only',
    'run_all_in_graph_and_eager_modes', 'run_deprecated_v1', 'run_gpu_only',
    'run_in_graph_and_eager_modes', 'run_v1_only', 'run_v2_only', 'skip_if']


def _of_methods_or_class(decorate):
    """A decorator of methods that, given a class, decorates its methods named test..."""
    @functools.wraps(decorate)
    def decorator(decorated):
        if not isinstance(decorated, type):
            return decorate(decorated)
        for name, method in list(decorated.__dict__.items()):
            if callable(method) and name.startswith(unittest.TestLoader.testMethodPrefix):
                setattr(decorated, name, decorate(method))
        return decorated
    return decorator


def _as_it_is(decorated):
    return decorated


def run_v1_only(reason, func=None):
    """Runs a test, as nothing here is TensorFlow 2; after tf.enable_v2_behavior() skips it."""
    @_of_methods_or_class
    def decorator(method):
        @functools.wraps(method)
        def run(self, *args, **kwargs):
            if v1_v2_switches.v2_enabled():
                self.skipTest(reason)
            return method(self, *args, **kwargs)
        return run
    return decorator if func is None else decorator(func)


def run_v2_only(func=None):
    """Skips a test unless tf.enable_v2_behavior() was called."""
    @_of_methods_or_class
    def decorator(method):
        @functools.wraps(method)
        def run(self, *args, **kwargs):
            if not v1_v2_switches.v2_enabled():
                self.skipTest('Test is only compatible with v2')
            return method(self, *args, **kwargs)
        return run
    return decorator if func is None else decorator(func)


def run_gpu_only(func=None):
    """Skips a test: there is no GPU."""
    skip = unittest.skip('Test requires GPU')
    return skip if func is None else skip(func)


def deprecated_graph_mode_only(func=None):
    """Runs a test, or all of a class, in graph mode."""
    @_of_methods_or_class
    def decorator(method):
        @functools.wraps(method)
        def run(self, *args, **kwargs):
            with graph_mode():
                return method(self, *args, **kwargs)
        return run
    return decorator if func is None else decorator(func)


run_deprecated_v1 = run_all_in_deprecated_graph_mode_only = deprecated_graph_mode_only


def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, reset_test=True,
                                 assert_no_eager_garbage=False):
    """Runs a test in a graph with a Session, then again with ops that run at once."""
    def decorator(method):
        if isinstance(method, type):
            raise ValueError('`run_in_graph_and_eager_modes` only supports test methods. Did you '
                             'mean to use `run_all_in_graph_and_eager_modes`?')

        @functools.wraps(method)
        def run(self, *args, **kwargs):
            try:
                with graph_mode(), self.test_session(config=config, use_gpu=use_gpu):
                    method(self, *args, **kwargs)
            except unittest.SkipTest:
                pass
            if reset_test:
                self.tearDown()
                self._tempdir = None
            with eager_mode():
                if reset_test:
                    self.setUp()
                    with eager_mode():
                        method(self, *args, **kwargs)
                else:
                    method(self, *args, **kwargs)
        return run
    return decorator if func is None else decorator(func)


def run_all_in_graph_and_eager_modes(cls):
    """Runs the tests of a class as run_in_graph_and_eager_modes does."""
    return _of_methods_or_class(run_in_graph_and_eager_modes)(cls)


def enable_control_flow_v2(func):
    """Runs a test with TensorFlow's names of functional control flow."""
    @functools.wraps(func)
    def run(self, *args, **kwargs):
        before = v1_v2_switches.control_flow_v2_enabled()
        v1_v2_switches.enable_control_flow_v2()
        try:
            return func(self, *args, **kwargs)
        finally:
            if not before:
                v1_v2_switches.disable_control_flow_v2()
    return run


def disable_control_flow_v2(unused_msg):
    """A test that does not hold for functional control flow, which all of it is here."""
    return _as_it_is


def disable_xla(description=None):
    """Runs a test as it is: there is no XLA."""
    return _as_it_is


def assert_no_garbage_created(func):
    """Runs a test; garbage is not looked for."""
    return func


assert_no_new_tensors = assert_no_garbage_created


def assert_no_new_pyobjects_executing_eagerly(func=None, warmup_iters=2):
    """Runs a test with ops that run at once; objects are not counted."""
    def decorator(method):
        @functools.wraps(method)
        def run(self, *args, **kwargs):
            with eager_mode():
                return method(self, *args, **kwargs)
        return run
    return decorator if func is None else decorator(func)



def skip_if(condition):
    """Skips a test if the condition, a bool or a function without arguments, holds."""
    def decorator(method):
        @functools.wraps(method)
        def run(self, *args, **kwargs):
            if not (condition() if callable(condition) else condition):
                method(self, *args, **kwargs)
        return run
    return decorator
