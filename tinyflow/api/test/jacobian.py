"""tf.test.compute_gradient: full Jacobians, by gradients() and by central differences."""
from __future__ import annotations

import numpy as np

from tinyflow.gradients.reverse import gradients
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.stacks import get_default_session
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants


def _session():
    session = get_default_session()
    if session is None:
        raise misuse(ValueError('tf.test.compute_gradient needs a default Session.\n  Hint: '
                                '`with tf.Session():` around it.'))
    return session


def _rows(array, rank_one):
    """Numbers as real numbers: a complex number becomes two, along a new axis."""
    array = np.ascontiguousarray(array)
    real = array.view(array.real.dtype) if array.dtype.kind == 'c' else array
    return real.reshape(-1) if rank_one else real


def _by_gradients(x, x_data, dx, dy, y_size, feed):
    """[numbers of x, numbers of y]: column j is dx for dy equal to one at j and zero elsewhere."""
    session = _session()
    dy_data = np.zeros(tuple(dy.shape.as_list()), dy.dtype.np)
    flat = _rows(dy_data, True)
    jacobian = np.zeros((_rows(x_data, True).size, flat.size), flat.dtype)
    for column in range(flat.size):
        flat[column] = 1
        values = {**feed, x: x_data, dy: dy_data}
        if isinstance(dx, IndexedSlices):
            found = session.run(dx, values)
            whole = np.zeros_like(x_data)
            np.add.at(whole, found.indices, found.values)
        else:
            whole = session.run(dx, values)
        jacobian[:, column] = _rows(whole.reshape(x_data.shape), True)
        flat[column] = 0
    return jacobian


def _by_differences(x, x_data, y, delta, feed):
    """[numbers of x, numbers of y]: row i is the slope of y along number i of x."""
    session = _session()
    flat = _rows(x_data, True)
    rows = []
    for i in range(flat.size):
        start = flat[i]
        flat[i] = start + delta
        above = _rows(session.run(y, {**feed, x: x_data}), True)
        flat[i] = start - delta
        below = _rows(session.run(y, {**feed, x: x_data}), True)
        flat[i] = start
        rows.append((above - below) / (2 * delta))
    return np.array(rows).reshape(flat.size, -1)


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None,
                     extra_feed_dict=None):
    """(Jacobian by gradients(), Jacobian by central differences) of y by x, in the default Session.

    Shapes: x [*x_shape], y [*y_shape] -> two arrays [elements of x, elements of y]; a list of such
    pairs if x is a list. A complex element counts as two. `x_init_value` is the point
    (random by default), `delta` half the step size, `init_targets` are run before.
    """
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            _session().run(target)
    is_list = isinstance(x, list)
    xs, shapes = (x, x_shape) if is_list else ([x], [x_shape])
    starts = (x_init_value or [None] * len(xs)) if is_list else [x_init_value]
    dy = constants.ones(y_shape, y.dtype.base_dtype)
    dxs = gradients(y, xs, dy)
    for one, dx in zip(xs, dxs):
        if dx is None:
            raise misuse(ValueError(f"'{y.name}' does not depend on '{one.name}'."))
    data = [_start(one, shape, start) for one, shape, start in zip(xs, shapes, starts)]
    feed = {**(extra_feed_dict or {}), **dict(zip(xs, data))}
    pairs = [(_by_gradients(one, value, dx, dy, y_shape, feed),
              _by_differences(one, value, y, delta, feed))
             for one, dx, value in zip(xs, dxs, data)]
    return pairs if is_list else pairs[0]


def _start(x, shape, value):
    dtype = x.dtype.base_dtype.np
    if value is not None:
        return np.array(value, dtype, order='C')
    data = np.random.random_sample(shape)
    if np.dtype(dtype).kind == 'c':
        data = data + 1j * np.random.random_sample(shape)
    return np.array(data, dtype, order='C')


def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3,
                           init_targets=None, extra_feed_dict=None):
    """The largest difference between the two Jacobians of tf.test.compute_gradient."""
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets,
                             extra_feed_dict)
    pairs = pairs if isinstance(pairs, list) else [pairs]
    return max((np.abs(a - b).max() if a.size and b.size else 0.0) for a, b in pairs)
