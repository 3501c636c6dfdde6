"""tf.contrib.tensor_forest: forests learn, are saved, and grow as TensorFlow's do."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.private import resources

DIGITS = np.load(tf.data_sets.__file__.replace('__init__.py', 'digits.npz'))
X = DIGITS['images'].reshape(-1, 64).astype(np.float32) / 16
Y = DIGITS['labels'].astype(np.int32)


def forest(**settings):
    params = tf.contrib.tensor_forest.tensor_forest.ForestHParams(**{
        'num_classes': 10, 'num_features': 64, 'num_trees': 10, 'max_nodes': 1000,
        'base_random_seed': 1, **settings}).fill()
    return tf.contrib.tensor_forest.RandomForestGraphs(params)


def initialize(session):
    session.run(tf.group(tf.global_variables_initializer(), resources.initialize_resources(
        resources.shared_resources())))


def test_digits_are_learned_as_fast_as_by_tensorflow(session):
    """TensorFlow 1.15.5, which draws at random: 84 nodes to a tree, 0.86 right, after 30 steps."""
    x, y = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int32, [None])
    graphs = forest()
    train, loss = graphs.training_graph(x, y), graphs.training_loss(x, y)
    shares, paths, variance = graphs.inference_graph(x)
    initialize(session)
    rng = np.random.RandomState(0)
    for _ in range(30):
        rows = rng.randint(0, 1500, 512)
        session.run(train, {x: X[rows], y: Y[rows]})
    got, spread = session.run([shares, variance], {x: X[1500:]})
    assert 0.8 < (got.argmax(1) == Y[1500:]).mean() < 0.93
    assert -100 < session.run(loss) < -60
    assert shares.name == 'probabilities:0' and shares.shape.as_list() == [None, 10]
    np.testing.assert_allclose(got.sum(1), 1, atol=1e-5)
    assert spread.min() >= 0 and paths.shape.as_list() == [None, 10]


def test_a_forest_is_saved(session, tmp_path):
    graphs = forest(num_trees=2, split_after_samples=20)
    train = graphs.training_graph(X[:300], Y[:300])
    shares = graphs.inference_graph(X[:50])[0]
    initialize(session)
    for _ in range(5):
        session.run(train)
    before, saver = session.run(shares), tf.train.Saver()
    path = saver.save(session, str(tmp_path / 'forest'))
    session.run(train)
    with tf.Session(graph=session.graph) as other:
        saver.restore(other, path)
        np.testing.assert_array_equal(other.run(shares), before)
        other.run(train)


@pytest.mark.slow
def test_regression_and_bagging(session):
    rng = np.random.RandomState(0)
    x = rng.uniform(size=(500, 2)).astype(np.float32)
    y = (x[:, :1] > 0.5) * 2.0 + x[:, 1:]
    graphs = forest(regression=True, num_classes=1, num_features=2, split_after_samples=50,
                    bagging_fraction=0.8)
    train, means = graphs.training_graph(x, y), graphs.inference_graph(x)[0]
    initialize(session)
    for _ in range(30):
        session.run(train)
    assert ((session.run(means) - y) ** 2).mean() < 0.1 * y.var()


@pytest.mark.parametrize('error, match, use', [
    (ValueError, 'num_classes', lambda t: t.ForestHParams(num_features=1).fill()),
    (NotImplementedError, 'model_name', lambda t: t.ForestHParams(model_name='all_sparse')),
    (NotImplementedError, 'paths', lambda t: forest(inference_tree_paths=True).inference_graph(X)),
    (AttributeError, 'RandomForestGraphs', lambda t: t.client)])
def test_what_is_refused(graph, error, match, use):
    with pytest.raises(error, match=match):
        use(tf.contrib.tensor_forest)
