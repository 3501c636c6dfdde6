"""Comparing what tinyflow gives with what was recorded from TensorFlow 1.15.5."""
from __future__ import annotations

import functools
from contextlib import contextmanager

import numpy as np

import tinyflow as tf
from tests.golden import in_gradients
from tests.golden.encoding import decode, encode

NOT_BUILT_YET = (AttributeError, NotImplementedError)
TOLERANCES = {'float16': (2e-3, 1e-3), 'float32': (1e-5, 1.5e-6), 'float64': (1e-9, 1e-11),
              'complex64': (1e-5, 1e-6), 'complex128': (1e-9, 1e-11)}
UNCOMPARED_COLLECTIONS = ('cond_context', 'while_context')


@contextmanager
def functional_names(wanted=True):
    """Names of control flow as TensorFlow has them where it makes If and While, as graphs that
    were recorded with these do."""
    if wanted:
        tf.enable_control_flow_v2()
    try:
        yield
    finally:
        tf.disable_control_flow_v2()


def plain(value):
    """A fetched value in the form in which the recorded ones are read."""
    return decode(encode(value))


def assert_same(got, wanted, where='value', scale=1.0):
    """Structure, dtypes and shapes exactly; floats to the tolerance of their dtype times scale."""
    if wanted is None or isinstance(wanted, (dict, list)):
        assert type(got) is type(wanted), f'{where}: {got!r} instead of {wanted!r}'
    if isinstance(wanted, dict):
        assert got.keys() == wanted.keys(), where
        for key, item in wanted.items():
            assert_same(got[key], item, f'{where}[{key!r}]', scale)
    elif isinstance(wanted, list):
        assert len(got) == len(wanted), where
        for i, item in enumerate(wanted):
            assert_same(got[i], item, f'{where}[{i}]', scale)
    elif wanted is not None:
        assert_same_array(got, wanted, where, scale)


def assert_same_array(got, wanted, where, scale=1.0):
    assert got.dtype == wanted.dtype, f'{where}: dtype {got.dtype} instead of {wanted.dtype}'
    assert got.shape == wanted.shape, f'{where}: shape {got.shape} instead of {wanted.shape}'
    if wanted.dtype.name in TOLERANCES:
        rtol, atol = TOLERANCES[wanted.dtype.name]
        np.testing.assert_allclose(got, wanted, rtol * scale, atol * scale, err_msg=where)
    else:
        np.testing.assert_array_equal(got, wanted, err_msg=where)


def spec(tensor):
    """(dtype name, shape with None, or None for an unknown rank), as the recorded ones."""
    shape = tensor.shape
    return tensor.dtype.name, None if shape.ndims is None else tuple(shape.as_list())


def forward_nodes(graph):
    """The operations outside gradient scopes, in order of creation."""
    return [op for op in graph.get_operations() if not in_gradients(op.name)]


def edges(operation):
    """Names of the inputs, then of the control inputs in alphabetical order."""
    return [t.name for t in operation.inputs] + \
        sorted('^' + c.name for c in operation.control_inputs)


def collections(graph):
    """{key: [names of members]} as the recording script writes it."""
    found = {k: graph.get_collection(k) for k in graph.get_all_collection_keys()
             if not str(k).startswith('__') and k not in UNCOMPARED_COLLECTIONS}
    return {k: [m.name if hasattr(m, 'name') else repr(m) for m in members]
            for k, members in found.items() if members}


@functools.cache
def public(path):
    """The public function of tinyflow (or Python's operator) that a dotted path names."""
    import operator
    if path.startswith('operator.'):
        return getattr(operator, path[len('operator.'):])
    return functools.reduce(getattr, path.split('.'), tf)
