"""k-means: results equal TF 1.15 where these are deterministic; initial centers; errors."""

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.estimator import kmeans_cases

RECORDED = read_recorded('estimator.kmeans')
POINTS = kmeans_cases.POINTS


@pytest.mark.slow
def test_full_batch_centers_equal_tensorflow():
    found = kmeans_cases.run(tf)
    assert set(found) == set(RECORDED)
    for name, wanted in RECORDED.items():
        for one, other in zip(found[name], wanted):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4, err_msg=name)


def _sculley(centers, steps):
    """Mini-batch k-means as in the paper; counts start at 1 as in TF1."""
    counts = np.ones(len(centers))
    for _ in range(steps):
        nearest = ((POINTS[:, None] - centers) ** 2).sum(2).argmin(1)
        for k in range(len(centers)):
            own = POINTS[nearest == k]
            if len(own):
                counts[k] += len(own)
                centers[k] += (own - centers[k]).sum(0) / counts[k]
    return centers


@pytest.mark.parametrize('per_iteration', [1, 3])
def test_mini_batch_update(per_iteration):
    with tf.Graph().as_default(), tf.Session() as session:
        points = tf.placeholder(tf.float32, [None, 2])
        model = tf.contrib.factorization.KMeans(
            points, 3, POINTS[:3], use_mini_batch=True,
            mini_batch_steps_per_iteration=per_iteration)
        _, _, distances, initialized, init_op, train_op = model.training_graph()
        session.run(tf.global_variables_initializer())
        session.run(init_op, {points: POINTS})
        assert session.run(initialized)
        first = session.run(distances[0], {points: POINTS}).sum()
        for _ in range(6):
            session.run(train_op, {points: POINTS})
        if per_iteration == 1:
            np.testing.assert_allclose(session.run('clusters:0'), _sculley(POINTS[:3].copy(), 6),
                                       rtol=1e-4)
        assert session.run(distances[0], {points: POINTS}).sum() < first / 3


@pytest.mark.parametrize('start', ['random', 'kmc2'])
def test_initial_centers_from_several_batches(start):
    with tf.Graph().as_default(), tf.Session() as session:
        points = tf.placeholder(tf.float32, [None, 2])
        model = tf.contrib.factorization.KMeans(points, 5, start, kmc2_chain_length=2)
        _, _, _, initialized, init_op, _ = model.training_graph()
        session.run(tf.global_variables_initializer())
        runs = 0
        while not session.run(initialized):
            session.run(init_op, {points: POINTS[4 * runs:4 * runs + 4]})
            runs += 1
        assert 1 < runs < 6
        centers = session.run('clusters:0')
    assert centers.shape == (5, 2)
    assert all((np.abs(POINTS - center).sum(1) < 1e-6).any() for center in centers)


def test_features_of_a_dict_are_concatenated(tmp_path):
    rows = {'b': POINTS[:, 1:], 'a': POINTS[:, :1]}
    columns = [tf.feature_column.numeric_column(key) for key in 'ab']
    for settings in ({}, {'feature_columns': columns}):
        model = tf.estimator.experimental.KMeans(2, initial_clusters=POINTS[[0, 15]],
                                                 use_mini_batch=False, **settings)
        model.train(lambda: tf.data.Dataset.from_tensors(rows), steps=1)
        assert model.cluster_centers()[0, 0] > 2.


def test_unknown_arguments_are_refused():
    for kind in (tf.contrib.factorization.KMeansClustering, tf.estimator.experimental.KMeans):
        with pytest.raises(ValueError, match="Unsupported initialization algorithm 'best'"):
            kind(2, initial_clusters='best')
        with pytest.raises(ValueError, match="Unsupported distance metric 'far'"):
            kind(2, distance_metric='far')


@pytest.mark.slow
def test_initial_centers_of_a_single_batch_are_saved(tmp_path):
    """The first batch initializes the centers and ends the input: no step, but a checkpoint."""
    rows = np.random.RandomState(0).rand(30, 2).astype(np.float32)

    def input_fn():
        return tf.train.limit_epochs(tf.convert_to_tensor(rows), num_epochs=1)
    kmeans = tf.contrib.factorization.KMeansClustering(
        3, str(tmp_path), use_mini_batch=False, config=tf.estimator.RunConfig(tf_random_seed=1))
    scores = []
    for _ in range(4):
        kmeans.train(input_fn)
        assert kmeans.cluster_centers().shape == (3, 2)
        scores.append(kmeans.score(input_fn))
    assert scores == sorted(scores, reverse=True) and scores[-1] < scores[0]
