"""Scaffold: init ops, summaries and Saver for training, found in the graph or created."""
from __future__ import annotations

from tinyflow.graph.defaults import add_to_collection, get_collection, get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.summary.summaries import merge_all
from tinyflow.ops.tables.lookup_tables import tables_initializer
from tinyflow.ops.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from tinyflow.train.checkpoints.checkpoint import Checkpoint
from tinyflow.train.checkpoints.object_saver import saveables_of
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)

__all__ = ['Scaffold', 'built']

_PIECES = ('init_op', 'init_feed_dict', 'ready_op', 'ready_for_local_init_op', 'local_init_op',
           'summary_op', 'saver')


class Scaffold:
    """The operations that initialise, check, summarise and save a model.

    A piece that is not given is taken from the graph's collection of that name, or made by
    `finalize` and put there. `init_op` is run with `init_feed_dict` if there is no checkpoint, and
    then `init_fn(scaffold, session)` is called; `local_init_op` is run always, once
    `ready_for_local_init_op` gives no names; `ready_op` gives the names of Variables that have no
    value; `saver` is a Saver or a tf.train.Checkpoint. With `copy_from_scaffold` pieces that are
    not given are those of another Scaffold: TypeError if it is not a Scaffold.
    """

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None,
                 ready_for_local_init_op=None, local_init_op=None, summary_op=None, saver=None,
                 copy_from_scaffold=None):
        self._init_op = init_op
        self._init_feed_dict = init_feed_dict
        self._user_init_fn = init_fn
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._local_init_op = local_init_op
        self._summary_op = summary_op
        self._saver = saver
        if copy_from_scaffold is not None:
            self._take_over(copy_from_scaffold)
        given = self._user_init_fn
        self._init_fn = (lambda sess: given(self, sess)) if given else None

    def _take_over(self, other):
        if not isinstance(other, Scaffold):
            raise misuse(TypeError('copy_from_scaffold is not a Scaffold instance.'))
        for piece in (*_PIECES, 'user_init_fn'):
            if getattr(self, f'_{piece}') is None:
                setattr(self, f'_{piece}', getattr(other, f'_{piece}'))

    def finalize(self):
        """Makes what is missing and makes the graph read-only. Returns the Scaffold."""
        self._complete('init_op', GraphKeys.INIT_OP, _default_init_op)
        self._complete('ready_op', GraphKeys.READY_OP, _default_ready_op)
        self._complete('ready_for_local_init_op', GraphKeys.READY_FOR_LOCAL_INIT_OP,
                       _default_ready_for_local_init_op)
        self._complete('local_init_op', GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        self._complete('summary_op', GraphKeys.SUMMARY_OP, merge_all)
        self._saver = built(self._saver)
        get_default_graph().finalize()
        logging.info('Graph was finalized.')
        return self

    def _complete(self, piece, collection, make):
        if getattr(self, f'_{piece}') is None:
            setattr(self, f'_{piece}', Scaffold.get_or_default(piece, collection, make))

    @property
    def init_fn(self):
        """A function of the Session, or None."""
        return self._init_fn

    @property
    def init_op(self):
        return self._init_op

    @property
    def ready_op(self):
        return self._ready_op

    @property
    def ready_for_local_init_op(self):
        return self._ready_for_local_init_op

    @property
    def local_init_op(self):
        return self._local_init_op

    @property
    def summary_op(self):
        """The tensor of all summaries; None if there are none."""
        return self._summary_op

    @property
    def saver(self):
        return self._saver

    @property
    def init_feed_dict(self):
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """The one member of a collection; else the result of `default_constructor`, added to it.

        RuntimeError if the collection has more.
        """
        found = get_collection(collection_key)
        if len(found) > 1:
            raise misuse(RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                f'one to use by passing it to the tf.Scaffold constructor as:  '
                f'tf.Scaffold({arg_name}=item to use)'))
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op():
        """Initialises local Variables, tables and local resources. Shapes: -> no tensor."""
        return grouping.group(local_variables_initializer(), tables_initializer(),
                              initialize_resources(local_resources()))


def _default_init_op():
    return grouping.group(global_variables_initializer(), initialize_resources(shared_resources()))


def _default_ready_op():
    return joining.concat([report_uninitialized_variables(), report_uninitialized_resources()], 0)


def _default_ready_for_local_init_op():
    return joining.concat([report_uninitialized_variables(global_variables()),
                           report_uninitialized_resources(shared_resources())], 0)


def built(saver):
    """A Saver that is ready: the given one, that of the graph, or one of all Variables.

    A tf.train.Checkpoint becomes a Saver of the objects that it has now.
    """
    if isinstance(saver, Checkpoint):
        return Saver(var_list=saveables_of(saver), sharded=True)
    if saver is None:
        saver = _saver_of_the_graph()
    saver.build()
    return saver


def _saver_of_the_graph():
    savers = get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise misuse(RuntimeError(
            f'More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to '
            'use by passing it to the constructor.'))
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    add_to_collection(GraphKeys.SAVERS, saver)
    return saver
