"""The graphs and sessions that stay between calls of evaluate and predict.

TensorFlow builds the graph and reads the checkpoint anew for each call, 50 ms for one row (PAINS
B15). Here the model is built once for each mode and each kind of features, with placeholders
where the input's tensors were; it is restored again when there is a newer checkpoint. Not kept:
calls with hooks, models with hooks, features that cannot be fed, models whose second call would
not begin as the first did; RunConfig(keep_sessions=False) builds anew always.
"""
from __future__ import annotations

import os
import threading

from estimator_layer.batches import batches_of
from estimator_layer.lasting_effects import has_lasting_effects
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import abstract
from tinyflow.train.sessions.session_creators import ChiefSessionCreator

__all__ = ['KeptModel', 'KeptSessions', 'NotKept']

_MOST = 4           # models that an Estimator keeps; the one unused for longest goes first


class NotKept(Exception):
    """A model that only works in the session of one call."""


class KeptModel:
    """One mode's model with placeholders for its input, and its session.

    Who got it from KeptSessions.of runs it: `run` of a subclass ends with `leave`.

    `parts` of a subclass adds what it runs, before the graph is finished; `fetched` names it.
    """

    mode = ''

    def __init__(self, estimator, batches):
        self.estimator = estimator
        config = estimator.config
        self.lock = threading.RLock()
        self.users = 0
        self.session = None
        self._restored = self._wanted = None
        self.graph = Graph()
        with self.graph.as_default(), self.graph.device(config.device_fn):
            set_random_seed(config.tf_random_seed)
            estimator._create_global_step(self.graph)
            features, labels, self.feeds = batches.placeholders()
            self.spec = estimator._call_model_fn(features, labels, self.mode, config)
            if self.spec.evaluation_hooks or self.spec.prediction_hooks or \
                    self.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
                raise NotKept
            self.scaffold = self.parts()
            if has_lasting_effects(self.fetched()):
                raise NotKept

    def parts(self):
        """Adds this mode's own nodes; the Scaffold of the session."""
        return self.spec.scaffold

    def fetched(self):
        """The nodes that each call runs."""
        raise abstract(self)

    def take(self, checkpoint_path):
        """One more user, who reads that checkpoint; until `leave` nobody changes the values."""
        with self.lock:
            self.users += 1
            self._wanted = checkpoint_path, _changed_at(checkpoint_path)

    def leave(self):
        with self.lock:
            self.users -= 1

    def open(self, checkpoint_path):
        """The session, with the values of that checkpoint."""
        with self.lock:
            version = checkpoint_path, _changed_at(checkpoint_path)
            if self.session is None:
                with self.graph.as_default():
                    self.session = ChiefSessionCreator(
                        self.scaffold, checkpoint_filename_with_path=checkpoint_path,
                        config=self.estimator.config.session_config).create_session()
            elif version != self._restored:
                logging.info('The graph stays, the checkpoint is a new one.')
                self.scaffold.saver.restore(self.session, checkpoint_path)
            else:
                logging.info('Graph and session stay as they are: the checkpoint is still %s.',
                             checkpoint_path)
            self._restored = version
            return self.session

    def is_for(self, checkpoint_path):
        """True if its users, who may not have opened it yet, read that checkpoint."""
        return self._wanted == (checkpoint_path, _changed_at(checkpoint_path))

    def close(self):
        with self.lock:
            if self.session is not None and not self.users:
                self.session.close()
                self.session = None


class Bound:
    """A kept model together with one call's input."""

    def __init__(self, model, batches):
        self.model, self.batches = model, batches

    def run(self, *arguments):
        return self.model.run(self.batches, *arguments)


class KeptSessions:
    """The kept models of one Estimator."""

    def __init__(self):
        self._models = {}
        self._refused = set()
        self._lock = threading.Lock()

    def of(self, estimator, input_fn, checkpoint_path, kind):
        """The model of `kind` bound to the input; None where a call has to build its own."""
        config = estimator.config
        if not config.keep_sessions or kind in self._refused:
            return None
        batches = batches_of(input_fn, kind.mode, estimator.params, config)
        if batches is None:
            return None
        key = kind, batches.signature
        with self._lock:
            model = self._models.pop(key, None)
            if model is not None and model.users and not model.is_for(checkpoint_path):
                model = None                # somebody reads from it: it must not change now
            if model is None:
                try:
                    model = kind(estimator, batches)
                except NotKept:
                    self._refused.add(kind)
                    return None
            model.take(checkpoint_path)
            self._models[key] = model
            while len(self._models) > _MOST:
                self._models.pop(next(iter(self._models))).close()
        return Bound(model, batches)

    def clear(self):
        with self._lock:
            for model in self._models.values():
                model.close()
            self._models.clear()

    def __deepcopy__(self, memo):
        return KeptSessions()


def _changed_at(checkpoint_path):
    try:
        return os.stat(f'{checkpoint_path}.index').st_mtime_ns
    except OSError:
        return None
