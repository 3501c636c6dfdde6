"""The cache of graphs and sessions that evaluate and predict reuse between calls.

TensorFlow rebuilds the graph and rereads the checkpoint in each call, 50 ms for one row. Here the
model is built once per mode and per structure of the features, with placeholders in place of the
input's tensors, and restored again only from a newer checkpoint (`CachedModel.open`). Not cached:
calls with hooks, models with hooks, features that cannot be fed, and models with side effects,
whose second call would start in another state than the first (`side_effects.py`).
RunConfig(keep_sessions=False) disables the cache.
"""
from __future__ import annotations

import os
import threading

from estimator_layer.session_cache.input_batches import batches_of
from estimator_layer.session_cache.side_effects import has_side_effects
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import abstract
from tinyflow.train.sessions.session_creators import ChiefSessionCreator

__all__ = ['CachedModel', 'NotCacheable', 'SessionCache']

_MAX_MODELS = 4     # per Estimator; the least recently used one is dropped first


class NotCacheable(Exception):
    """Raised for a model that must be rebuilt for each call."""


class CachedModel:
    """The model of one mode, with placeholders for its input, and its session.

    `SessionCache.get` acquires a model; `run` of a subclass releases it at the end. A subclass adds
    its ops in `build` and lists them in `fetches`.
    """

    mode = ''

    def __init__(self, estimator, batches):
        self.estimator = estimator
        config = estimator.config
        self.lock = threading.RLock()
        self.users = 0
        self.session = None
        self._restored = self._requested = None
        self.graph = Graph()
        with self.graph.as_default(), self.graph.device(config.device_fn):
            set_random_seed(config.tf_random_seed)
            estimator._create_global_step(self.graph)
            features, labels, self.feeds = batches.placeholders()
            self.spec = estimator._call_model_fn(features, labels, self.mode, config)
            if self.spec.evaluation_hooks or self.spec.prediction_hooks or \
                    self.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
                raise NotCacheable
            self.scaffold = self.build()
            if has_side_effects(self.fetches()):
                raise NotCacheable

    def build(self):
        """Adds the ops of this mode to the graph; returns the Scaffold of the session."""
        return self.spec.scaffold

    def fetches(self):
        """The tensors and operations that each call runs."""
        raise abstract(self)

    def acquire(self, checkpoint_path):
        """Adds a user of that checkpoint; until `release` the values are not changed."""
        with self.lock:
            self.users += 1
            self._requested = checkpoint_path, _modification_time(checkpoint_path)

    def release(self):
        with self.lock:
            self.users -= 1

    def open(self, checkpoint_path):
        """The session, restored from that checkpoint unless it already holds its values."""
        with self.lock:
            version = checkpoint_path, _modification_time(checkpoint_path)
            restored, self._restored = self._restored, None     # in case the restoring fails
            if self.session is None:
                with self.graph.as_default():
                    self.session = ChiefSessionCreator(
                        self.scaffold, checkpoint_filename_with_path=checkpoint_path,
                        config=self.estimator.config.session_config).create_session()
            elif version != restored:
                logging.info('Reusing the graph, restoring a new checkpoint: %s', checkpoint_path)
                self.scaffold.saver.restore(self.session, checkpoint_path)
            else:
                logging.info('Reusing graph and session: the checkpoint is still %s.',
                             checkpoint_path)
            self._restored = version
            return self.session

    @property
    def checkpoint(self):
        """The path of the checkpoint whose values the session holds, or None."""
        return self._restored[0] if self._restored else None

    def is_for(self, checkpoint_path):
        """True if its users, who may not have opened it yet, read that checkpoint."""
        return self._requested == (checkpoint_path, _modification_time(checkpoint_path))

    def close(self):
        with self.lock:
            if self.session is not None and not self.users:
                self.session.close()
                self.session = None


class BoundModel:
    """A cached model together with the input of one call."""

    def __init__(self, model, batches):
        self.model, self.batches = model, batches

    def run(self, *arguments):
        return self.model.run(self.batches, *arguments)


class SessionCache:
    """The cached models of one Estimator."""

    def __init__(self):
        self._models = {}
        self._not_cacheable = set()
        self._lock = threading.Lock()

    def get(self, estimator, input_fn, checkpoint_path, kind):
        """The model of class `kind` bound to the input; None if the call must build its own."""
        config = estimator.config
        if not config.keep_sessions or kind in self._not_cacheable:
            return None
        batches = batches_of(input_fn, kind.mode, estimator._input_params(kind.mode), config)
        if batches is None:
            return None
        key = kind, batches.signature
        with self._lock:
            model = self._models.pop(key, None)
            if model is not None and model.users and not model.is_for(checkpoint_path):
                model = None                # in use with another checkpoint: must not be restored
            if model is None:
                try:
                    model = kind(estimator, batches)
                except NotCacheable:
                    self._not_cacheable.add(kind)
                    return None
            model.acquire(checkpoint_path)
            self._models[key] = model
            while len(self._models) > _MAX_MODELS:
                self._models.pop(next(iter(self._models))).close()
        return BoundModel(model, batches)

    def models(self):
        """The cached models, the least recently used one first."""
        return list(self._models.values())

    def clear(self):
        """Closes all sessions that are not in use."""
        with self._lock:
            for model in self._models.values():
                model.close()
            self._models.clear()

    def __deepcopy__(self, memo):
        return SessionCache()


def _modification_time(checkpoint_path):
    try:
        return os.stat(f'{checkpoint_path}.index').st_mtime_ns
    except OSError:
        return None
