"""The Session that Keras runs a graph in, and the initial values of Variables."""
from __future__ import annotations

import threading
import weakref

import tinyflow as tf
from keras_layer.backend.graph_state import building_graph, get_graph, graph_state
from keras_layer.backend.node_count import count_nodes
from keras_layer.backend.training_phase import symbolic_learning_phase

__all__ = [
    'clear_session', 'get_session', 'manual_variable_initialization', 'set_session',
    'track_variable',
]


class _Sessions(threading.local):
    """The Session that this thread has set."""

    session = None


_set = _Sessions()
_chosen_by_main = {'session': None}             # from set_session, for other threads
_manual_initialization = [False]
initializes_all = False     # also the Variables that the program made; keras2/enabling.py sets it
_initialized = weakref.WeakKeyDictionary()      # Session -> WeakSet of Variables with a value
_initialized_tables = weakref.WeakKeyDictionary()       # Session -> number of lookup tables


def get_session(op_input_list=(), graph=None):
    """The Session that Keras runs `graph` (by default the default graph) in.

    That is the default Session (`with sess.as_default()`), else the one of `set_session`, if it
    runs this graph, else a Session that Keras makes for the graph. Variables of Keras without a
    value are initialized.
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
            return building_graph(graph)
    return None


def _session(graph):
    for candidate in (tf.get_default_session(), _set.session, _chosen_by_main['session']):
        if candidate is not None and candidate.graph is graph and not candidate._closed:
            return candidate
    state = graph_state(graph)
    if state.session is None or state.session._closed:
        with graph.as_default():
            state.session = _session_of_models(graph) if graph.outer_graph is not None \
                else tf.Session(graph=graph)
    return state.session


def _session_of_models(graph):
    """A Session for the graph of models while ops run at once."""
    from tinyflow.eager.symbolic import session_of  # start-up time
    return session_of(graph)


def set_session(session):
    """Makes Keras use `session` for the graph of that Session."""
    _set.session = session
    if threading.current_thread() is threading.main_thread() \
            or _chosen_by_main['session'] is None:
        _chosen_by_main['session'] = session


def clear_session():
    """Replaces the default graph by a new one, closes its Session and resets the name counters."""
    session = graph_state().session
    if tf.executing_eagerly():
        from tinyflow.eager.symbolic import new_symbolic_graph  # start-up time
        new_symbolic_graph()
    else:
        tf.reset_default_graph()
    _set.session = _chosen_by_main['session'] = None
    if session is not None:
        session.close()
    # As in TF, the new graph begins with these nodes, which op seeds count.
    symbolic_learning_phase()


def manual_variable_initialization(value):
    """True: the program initializes the Variables itself."""
    _manual_initialization[0] = value


def track_variable(variable):
    """Registers a Variable that Keras initializes before it runs the graph."""
    variables = graph_state(variable.graph).variables
    variables[id(variable)] = weakref.ref(variable)


def _initialize_variables(session, graph):
    if initializes_all:
        for variable in graph.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES):
            track_variable(variable)
    state = graph_state(graph)
    done = _initialized.setdefault(session, weakref.WeakSet())
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
    # TF makes one is_initialized node for each, and a group of the initializers.
    count_nodes(graph, len(waiting) + bool(missing))
    done.update(waiting)


def _initialize_tables(session, graph):
    """Initializes the lookup tables of feature columns, which TF 1.15 leaves to the program."""
    waiting = graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
    done = _initialized_tables.get(session, 0)
    if len(waiting) > done:
        session.run(waiting[done:])
        _initialized_tables[session] = len(waiting)
