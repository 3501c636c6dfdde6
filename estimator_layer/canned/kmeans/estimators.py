"""k-means estimators: tf.estimator.experimental.KMeans, contrib.factorization.KMeansClustering."""
from __future__ import annotations

import os

import numpy as np

import tinyflow as tf
from estimator_layer.canned.kmeans import graph as kmeans
from estimator_layer.estimator import Estimator
from estimator_layer.export.export_output import PredictOutput
from estimator_layer.model_fn import EstimatorSpec

__all__ = ['KMeans', 'KMeansClustering']


class _Clustering(Estimator):
    """Base of the k-means estimators; `graph_of` builds the graph for a matrix of points."""

    SQUARED_EUCLIDEAN_DISTANCE = kmeans.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = kmeans.COSINE_DISTANCE
    RANDOM_INIT = kmeans.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = kmeans.KMEANS_PLUS_PLUS_INIT
    SCORE = 'score'
    CLUSTER_INDEX = 'cluster_index'
    ALL_DISTANCES = 'all_distances'
    CLUSTER_CENTERS_VAR_NAME = kmeans.CLUSTERS_VAR_NAME

    def __init__(self, graph_of, feature_columns, relative_tolerance, model_dir, config):
        def model_fn(features, labels, mode, config):
            graph = graph_of(_points(features, feature_columns)).training_graph()
            return _spec(graph, mode, relative_tolerance, config.model_dir)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def predict_cluster_index(self, input_fn):
        """Yields the index of the nearest center for each row."""
        return self._predict_one(input_fn, self.CLUSTER_INDEX)

    def score(self, input_fn):
        """The sum of the (squared) distances of one batch to the nearest centers."""
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn):
        """Yields the distances to all centers [num_clusters] for each row."""
        return self._predict_one(input_fn, self.ALL_DISTANCES)

    def cluster_centers(self):
        """The centers. Shapes: -> [num_clusters, dim]."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)

    def _predict_one(self, input_fn, key):
        for row in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield row[key]


class KMeansClustering(_Clustering):
    """k-means clustering, trained batch by batch; transform gives squared distances.

    Shapes: features [batch, dim], one tensor or a dict of tensors that are concatenated ->
    cluster_index [batch], all_distances [batch, num_clusters].

    Args:
      initial_clusters: 'random', 'kmeans_plus_plus', an array of centers, or a function of
        (inputs, number) that returns centers.
      use_mini_batch: False if each batch contains all data.
      relative_tolerance: training stops when the relative change of the loss is smaller.
      feature_columns: columns of tf.feature_column; None: the features as they are, in the order
        of their names.
    """

    def __init__(self, num_clusters, model_dir=None, initial_clusters=_Clustering.RANDOM_INIT,
                 distance_metric=_Clustering.SQUARED_EUCLIDEAN_DISTANCE, random_seed=0,
                 use_mini_batch=True, mini_batch_steps_per_iteration=1,
                 kmeans_plus_plus_num_retries=2, relative_tolerance=None, config=None,
                 feature_columns=None):
        kmeans.check_settings(initial_clusters, distance_metric)
        super().__init__(
            lambda points: kmeans.KMeans(
                points, num_clusters, initial_clusters, distance_metric, use_mini_batch,
                mini_batch_steps_per_iteration, random_seed, kmeans_plus_plus_num_retries),
            feature_columns, relative_tolerance, model_dir, config)


class KMeans(_Clustering):
    """k-means clustering, trained batch by batch; see KMeansClustering for the arguments.

    Shapes: features [batch, dim] -> cluster_index [batch], all_distances [batch, num_clusters].
    """

    def __init__(self, num_clusters, model_dir=None, initial_clusters=_Clustering.RANDOM_INIT,
                 distance_metric=_Clustering.SQUARED_EUCLIDEAN_DISTANCE, seed=None,
                 use_mini_batch=True, mini_batch_steps_per_iteration=1,
                 kmeans_plus_plus_num_retries=2, relative_tolerance=None, config=None,
                 feature_columns=None):
        kmeans.check_settings(initial_clusters, distance_metric)
        self._distance_metric = distance_metric
        super().__init__(
            lambda points: kmeans.EstimatorKMeans(
                points, num_clusters, initial_clusters, distance_metric, use_mini_batch,
                mini_batch_steps_per_iteration, seed, kmeans_plus_plus_num_retries),
            feature_columns, relative_tolerance, model_dir, config)

    def transform(self, input_fn):
        """Yields the distances to all centers [num_clusters] for each row, not squared."""
        squared = self._distance_metric == self.SQUARED_EUCLIDEAN_DISTANCE
        for distances in super().transform(input_fn):
            yield np.sqrt(distances) if squared else distances


def _points(features, columns):
    """The features as one matrix."""
    if not isinstance(features, dict):
        return features
    if columns:
        return tf.feature_column.input_layer(features, columns)
    return tf.concat([features[key] for key in sorted(features)], axis=1)


def _spec(graph, mode, relative_tolerance, model_dir):
    all_distances, index, losses, initialized, init_op, train_op = graph
    loss = tf.reduce_sum(losses)
    tf.summary.scalar('loss/raw', loss)
    increment_step = tf.assign_add(tf.train.get_global_step(), 1)
    with tf.control_dependencies([train_op, increment_step]):
        train_op = tf.identity(loss, name='control_dependency')
    hooks = [_InitializeCentersHook(init_op, initialized, model_dir)]
    if relative_tolerance is not None:
        hooks.append(_ToleranceHook(loss, relative_tolerance))
    keys = _Clustering
    outputs = {keys.ALL_DISTANCES: PredictOutput(all_distances[0]),
               keys.CLUSTER_INDEX: PredictOutput(index[0]),
               'serving_default': PredictOutput(index[0])}
    return EstimatorSpec(
        mode, predictions={keys.ALL_DISTANCES: all_distances[0], keys.CLUSTER_INDEX: index[0]},
        loss=loss, train_op=train_op, eval_metric_ops={keys.SCORE: tf.metrics.mean(loss)},
        training_hooks=hooks, export_outputs=outputs)


class _InitializeCentersHook(tf.train.SessionRunHook):
    """Chooses the initial centers, from as many batches as needed.

    An input of one batch ends there, before the first step: then the initial centers are the
    result and are saved, because the first checkpoint has none.
    """

    def __init__(self, init_op, initialized, model_dir):
        self._init_op, self._initialized = init_op, initialized
        self._model_dir = model_dir
        self._unsaved = False

    def after_create_session(self, session, coord):
        while not session.run(self._initialized):
            session.run(self._init_op)
            self._unsaved = True

    def after_run(self, run_context, run_values):
        self._unsaved = False

    def end(self, session):
        savers = tf.get_collection(tf.GraphKeys.SAVERS)
        if self._unsaved and savers:
            savers[0].save(session, os.path.join(self._model_dir, 'model.ckpt'),
                           global_step=session.run(tf.train.get_global_step()))


class _ToleranceHook(tf.train.SessionRunHook):
    """Stops when the relative change of the loss is below the tolerance."""

    def __init__(self, loss, tolerance):
        self._loss, self._tolerance = loss, tolerance
        self._previous = None

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        loss, previous = run_values.results, self._previous
        self._previous = loss
        if previous and abs(loss - previous) / (1 + abs(previous)) < self._tolerance:
            run_context.request_stop()
