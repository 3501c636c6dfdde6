"""Variables: creating them, reading and setting their values."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer.backend.graph_state import graph_state
from keras_layer.backend.node_count import count_nodes
from keras_layer.backend.sessions import get_session, track_variable
from keras_layer.backend.settings import floatx
from keras_layer.backend.tensor_info import is_sparse, is_tensor, is_variable

__all__ = ['batch_get_value', 'batch_set_value', 'eval', 'get_value', 'set_value', 'variable']


def variable(value, dtype=None, name=None, constraint=None):
    """A Variable with this initial value, initialized by Keras."""
    if hasattr(value, 'tocoo'):
        coordinates = value.tocoo()
        indices = np.stack([coordinates.row, coordinates.col], axis=1).astype(np.int64)
        return tf.SparseTensor(indices, coordinates.data, coordinates.shape)
    made = tf.Variable(value, dtype=tf.as_dtype(dtype or floatx()), name=name,
                       constraint=constraint, use_resource=True)
    track_variable(made)
    return made


def get_value(x):
    """The value of a Variable: an array, or NumPy's scalar."""
    if not is_tensor(x):
        return x
    return batch_get_value([x])[0] if is_variable(x) else eval(x)


def batch_get_value(tensors):
    """The values of several Variables."""
    if not tensors:
        return []
    session = get_session(tensors)
    if all(is_variable(t) for t in tensors):
        values = session.variable_values(tensors)
        if all(value is not None for value in values):
            # Scalars as `run` returns them.
            return [value if value.shape else value[()] for value in values]
    return session.run(tensors)


def set_value(x, value):
    """Sets the value of a Variable."""
    batch_set_value([(x, value)])


def batch_set_value(tuples):
    """Sets the values of several Variables, given as (variable, array) pairs."""
    if tuples:
        get_session([x for x, _ in tuples]).set_variable_values(tuples)
        for x, _ in tuples:
            _count_assignment(x)


def _count_assignment(x):
    """TF makes a Placeholder and an assignment for each Variable that is set, once."""
    known = graph_state(x.graph).assigned
    if x not in known:
        known.add(x)
        count_nodes(x.graph, 3 if x.op.type == 'VarHandleOp' else 2)


def eval(x):
    """The value of a tensor, computed now."""
    if hasattr(x, 'array'):                 # it has one: an EagerTensor
        return x.numpy()
    if is_sparse(x):
        return tf.sparse.to_dense(x).eval(session=get_session([x.values]))
    return batch_get_value([x])[0] if is_variable(x) else get_session([x]).run(x)
