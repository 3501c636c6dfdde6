"""Keras' view of the graph and the Session: names, learning phase, Variables and their values.

Each graph carries its own state (how often each layer name was used, its learning phase, its
Session, its Variables), so a model works on from any thread, and two graphs never collide.
"""
from __future__ import annotations

import threading
import weakref
from collections import defaultdict
from contextlib import contextmanager

import numpy as np

import tinyflow as tf
from keras_layer.backend.settings import floatx
from tinyflow.graph.support.errors import worded
from tinyflow.ops.random import tf1_node_count as node_counts

__all__ = [
    'batch_get_value', 'batch_set_value', 'clear_session', 'control_dependencies', 'count_params',
    'eval', 'get_graph', 'get_session', 'get_uid', 'get_value', 'in_test_phase', 'in_train_phase',
    'init_scope', 'int_shape', 'is_keras_tensor', 'is_placeholder', 'is_sparse', 'is_tensor',
    'is_variable', 'learning_phase', 'learning_phase_scope', 'manual_variable_initialization',
    'name_scope', 'ndim', 'placeholder', 'reset_uids', 'set_learning_phase', 'set_session',
    'set_value', 'symbolic_learning_phase', 'track_variable', 'unique_object_name', 'variable',
]

name_scope = tf.name_scope
init_scope = tf.init_scope
control_dependencies = tf.control_dependencies


class _GraphState:
    """What Keras knows of one graph."""

    def __init__(self):
        self.uses = defaultdict(int)            # of names of layers and models
        self.phase = None                       # a placeholder, or 0 or 1 where it was set
        self.placeholder = None
        self.session = None
        self.variables = {}                     # id -> weak reference, in order of creation
        self.assigned = weakref.WeakSet()       # Variables that were given a value here


class _Sessions(threading.local):
    """The Session that this thread has set."""

    session = None


_set = _Sessions()
_chosen_by_main = {'session': None}             # what set_session chose, for other threads
_manual_initialization = [False]


def get_graph():
    """The graph that Keras builds in: the default graph, outside of conds and loops."""
    graph = tf.get_default_graph()
    while graph.outer_graph is not None:
        graph = graph.outer_graph
    return graph


def _state(graph=None):
    graph = get_graph() if graph is None else graph
    state = graph.__dict__.get('_keras_state')
    if state is None:
        state = graph._keras_state = _GraphState()
    return state


# ---- names -------------------------------------------------------------------------------


def get_uid(prefix=''):
    """How often this was asked for `prefix` in the graph, this time included."""
    uses = _state().uses
    uses[prefix] += 1
    return uses[prefix]


def reset_uids():
    """Names of layers count from the start again."""
    _state().uses.clear()


def unique_object_name(name, zero_based=False):
    """`name`, with the next free number of this graph behind it: dense, dense_1, dense_2."""
    number = get_uid(name) - (1 if zero_based else 0)
    return f'{name}_{number}' if number else name


# ---- the Session -------------------------------------------------------------------------


def get_session(op_input_list=(), graph=None):
    """The Session that Keras runs `graph` (by default the default graph) in.

    That is the default Session (`with sess.as_default()`), else what `set_session` chose, if it
    runs this graph, else a Session of the graph's own. Variables that Keras made and that have no
    value yet get their initial one.
    """
    graph = _graph_of(op_input_list) or get_graph() if graph is None else graph
    session = _session(graph)
    if not _manual_initialization[0]:
        _initialize_variables(session, graph)
        _initialize_tables(session, graph)
    return session


def _graph_of(tensors):
    for tensor in tf.nest.flatten(tensors):
        graph = getattr(tensor, 'graph', None)
        if graph is not None:
            return graph
    return None


def _session(graph):
    for candidate in (tf.get_default_session(), _set.session, _chosen_by_main['session']):
        if candidate is not None and candidate.graph is graph and not candidate._closed:
            return candidate
    state = _state(graph)
    if state.session is None or state.session._closed:
        with graph.as_default():
            state.session = tf.Session(graph=graph)
    return state.session


def set_session(session):
    """Keras uses `session` from here on, for the graph of that Session."""
    _set.session = session
    if threading.current_thread() is threading.main_thread() \
            or _chosen_by_main['session'] is None:
        _chosen_by_main['session'] = session


def clear_session():
    """Forgets the default graph, its Session and all counted names, and starts a new graph."""
    session = _state().session
    tf.reset_default_graph()
    _set.session = _chosen_by_main['session'] = None
    if session is not None:
        session.close()
    # As in TF, the new graph begins with these nodes: seeds count them.
    symbolic_learning_phase()


def manual_variable_initialization(value):
    """True: Keras leaves it to the program to initialise Variables."""
    _manual_initialization[0] = value


def track_variable(variable):
    """Keras initialises this Variable before it first runs anything in its graph."""
    variables = _state(variable.graph).variables
    variables[id(variable)] = weakref.ref(variable)


def _initialize_variables(session, graph):
    state = _state(graph)
    done = session.__dict__.setdefault('_keras_initialized', weakref.WeakSet())
    waiting = []
    for key, reference in list(state.variables.items()):
        variable = reference()
        if variable is None:
            del state.variables[key]
        elif variable not in done:
            waiting.append(variable)
    if not waiting:
        return
    missing = [v for v, value in zip(waiting, session.variable_values(waiting)) if value is None]
    if missing:
        session.run([v.initializer for v in missing])
    # TF asks each by a node whether it is initialised, and groups the initialisers.
    _count_nodes(graph, len(waiting) + bool(missing))
    done.update(waiting)


def _count_nodes(graph, nodes):
    """TF would have made so many nodes here, on which the seeds of later random ops depend."""
    with graph.as_default():
        node_counts.add(nodes)


def _initialize_tables(session, graph):
    """Fills the vocabularies of feature columns; TF 1.15 leaves it to the program."""
    waiting = graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
    done = session.__dict__.get('_keras_tables', 0)
    if len(waiting) > done:
        session.run(waiting[done:])
        session._keras_tables = len(waiting)


# ---- training or not ---------------------------------------------------------------------


def learning_phase():
    """1 in training, 0 otherwise: a tensor that is fed, or the int that was set."""
    state = _state()
    return symbolic_learning_phase() if state.phase is None else state.phase


def symbolic_learning_phase():
    """The tensor of the learning phase: False unless it is fed."""
    state = _state()
    if state.placeholder is None:
        with get_graph().as_default(), tf.init_scope(), tf.name_scope(None):
            state.placeholder = tf.placeholder_with_default(
                False, shape=(), name='keras_learning_phase')
    return state.placeholder


def set_learning_phase(value):
    """Fixes the learning phase of this graph to 0 or 1 for what is built from here on."""
    if value not in (0, 1):
        raise worded(ValueError(f'Expected learning phase to be 0 or 1, not {value!r}.'))
    _state().phase = value


@contextmanager
def learning_phase_scope(value):
    """The learning phase is 0 or 1 inside."""
    state = _state()
    before = state.phase
    set_learning_phase(value)
    try:
        yield
    finally:
        state.phase = before


def in_train_phase(x, alt, training=None):
    """x in training and alt otherwise; both may be functions that make a tensor.

    `training` is the learning phase unless it is given as a number or a tensor.
    """
    training = learning_phase() if training is None else training
    if not tf.contrib.framework.is_tensor(training):
        chosen = x if training else alt
        return chosen() if callable(chosen) else chosen
    return tf.cond(_as_bool(training), x if callable(x) else lambda: x,
                   alt if callable(alt) else lambda: alt)


def in_test_phase(x, alt, training=None):
    """x outside training and alt in it; the other way round of `in_train_phase`."""
    return in_train_phase(alt, x, training=training)


def _as_bool(training):
    return training if training.dtype.base_dtype == tf.bool else tf.cast(training, tf.bool)


# ---- Variables and placeholders ----------------------------------------------------------


def variable(value, dtype=None, name=None, constraint=None):
    """A Variable with this initial value, initialised by Keras."""
    if hasattr(value, 'tocoo'):
        coordinates = value.tocoo()
        indices = np.stack([coordinates.row, coordinates.col], axis=1).astype(np.int64)
        return tf.SparseTensor(indices, coordinates.data, coordinates.shape)
    made = tf.Variable(value, dtype=tf.as_dtype(dtype or floatx()), name=name,
                       constraint=constraint, use_resource=True)
    track_variable(made)
    return made


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
    """A placeholder of that shape (None: any), or of `ndim` dimensions of any size."""
    if ragged:
        raise worded(NotImplementedError('placeholder(ragged=True): ragged tensors are not in '
                                         'tinyflow; pad the sequences.'))
    dtype = dtype or floatx()
    if shape is None and ndim:
        shape = (None,) * ndim
    with get_graph().as_default():
        if sparse:
            return tf.sparse_placeholder(dtype, shape=shape, name=name)
        return tf.placeholder(dtype, shape=shape, name=name)


def is_placeholder(x):
    """True for a placeholder."""
    op = getattr(x, 'op', None)
    return getattr(op, 'type', None) in ('Placeholder', 'PlaceholderV2')


def is_variable(x):
    """True for a Variable."""
    return isinstance(x, tf.Variable)


def is_tensor(x):
    """True for a Tensor, SparseTensor or Variable."""
    return tf.contrib.framework.is_tensor(x)


def is_sparse(tensor):
    """True for a SparseTensor."""
    return isinstance(tensor, tf.SparseTensor)


def is_keras_tensor(x):
    """True for what an Input or a Keras layer made. ValueError for what is no tensor."""
    if not isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)):
        raise worded(ValueError(f'Unexpectedly found an instance of type `{type(x)}`. Expected a '
                                'symbolic tensor instance.'))
    return getattr(x, '_keras_history', None) is not None


def int_shape(x):
    """The static shape as a tuple of int and None; None where even the rank is unknown."""
    try:
        shape = x.shape
        if not isinstance(shape, tuple):
            shape = tuple(shape.as_list())
        return shape
    except ValueError:
        return None


def ndim(x):
    """The number of dimensions; None where unknown."""
    return x.shape.ndims


def count_params(x):
    """The number of elements of a tensor of known shape."""
    return int(np.prod(int_shape(x), dtype=np.int64))


# ---- values ------------------------------------------------------------------------------


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
            return [value if value.shape else value[()] for value in values]    # as run gives them
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
    known = _state(x.graph).assigned
    if x not in known:
        known.add(x)
        _count_nodes(x.graph, 3 if x.op.type == 'VarHandleOp' else 2)


def eval(x):
    """The value of a tensor, computed now."""
    if is_sparse(x):
        return tf.sparse.to_dense(x).eval(session=get_session([x.values]))
    return batch_get_value([x])[0] if is_variable(x) else get_session([x]).run(x)
