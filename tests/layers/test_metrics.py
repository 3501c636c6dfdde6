"""tf.metrics: streams of batches against NumPy over all of them; the graphs are golden programs."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')
RNG = np.random.default_rng(5)
LABELS = [RNG.integers(0, 2, 20).astype(np.float32) for _ in range(3)]
SCORES = [RNG.random(20).astype(np.float32).round(2) for _ in range(3)]
WEIGHTS = [RNG.integers(0, 3, 20).astype(np.float32) for _ in range(3)]


def streamed(session, metric, batches):
    """The value after all batches; each update must give the value at that time."""
    fed = [tf.placeholder(b.dtype, [None, *b.shape[1:]]) for b in batches[0]]
    value, update = metric(*fed)
    session.run(tf.local_variables_initializer())
    for batch in batches:
        latest = session.run(update, dict(zip(fed, batch)))
    result = session.run(value)
    np.testing.assert_allclose(latest, result, rtol=1e-6)
    return result


def confusion(threshold=0.5, weights=None):
    """True and false positives and negatives over all batches."""
    labels, scores = np.concatenate(LABELS) > 0, np.concatenate(SCORES) > threshold
    weights = np.ones(60) if weights is None else np.concatenate(weights)
    return [float((weights * (a & b)).sum()) for a, b in
            ((labels, scores), (~labels, scores), (~labels, ~scores), (labels, ~scores))]


def on(name, *arguments, **settings):
    """The metric of (labels, scores[, weights])."""
    def metric(labels, scores, weights=None):
        return getattr(tf.metrics, name)(labels, scores, *arguments, weights=weights, **settings)
    return metric


def test_counts_at_thresholds(session):
    names = ('true_positives', 'false_positives', 'true_negatives', 'false_negatives')
    for i, name in enumerate(names):
        got = streamed(session, on(name + '_at_thresholds', [.25, .5]), list(zip(LABELS, SCORES)))
        np.testing.assert_allclose(got, [confusion(.25)[i], confusion(.5)[i]])


def test_precision_and_recall_with_weights(session):
    classes = [(s > .5).astype(np.float32) for s in SCORES]
    tp, fp, _, fn = confusion(weights=WEIGHTS)
    batches = list(zip(LABELS, classes, WEIGHTS))
    np.testing.assert_allclose(streamed(session, on('precision'), batches), tp / (tp + fp))
    np.testing.assert_allclose(streamed(session, on('recall'), batches), tp / (tp + fn))


def test_area_under_the_roc_curve(session):
    """Against the share of pairs that are in the right order."""
    labels, scores = np.concatenate(LABELS), np.concatenate(SCORES)
    ones, zeros = scores[labels > 0], scores[labels == 0]
    pairs = np.mean((ones[:, None] > zeros) + (ones[:, None] == zeros) / 2)
    got = streamed(session, on('auc', num_thresholds=1000), list(zip(LABELS, SCORES)))
    np.testing.assert_allclose(got, pairs, atol=2e-3)


def test_means_and_errors(session):
    labels, scores = np.concatenate(LABELS), np.concatenate(SCORES)
    batches = list(zip(LABELS, SCORES))
    for name, wanted in (('mean_squared_error', np.mean((labels - scores) ** 2)),
                         ('mean_absolute_error', np.mean(np.abs(labels - scores))),
                         ('root_mean_squared_error', np.mean((labels - scores) ** 2) ** .5),
                         ('accuracy', np.mean(labels == scores))):
        np.testing.assert_allclose(streamed(session, on(name), batches), wanted, rtol=1e-6)


def test_mean_iou_and_per_class_accuracy(session):
    rows = [RNG.integers(0, 4, (2, 30)) for _ in range(3)]
    labels, classes = np.concatenate(rows, axis=1)
    iou = np.mean([np.sum((labels == c) & (classes == c)) / np.sum((labels == c) | (classes == c))
                   for c in range(4)])
    each = np.mean([np.mean(classes[labels == c] == c) for c in range(4)])
    fed = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
    metrics = [tf.metrics.mean_iou(*fed, 4), tf.metrics.mean_per_class_accuracy(*fed, 4)]
    session.run(tf.local_variables_initializer())
    for row in rows:
        session.run([update for _, update in metrics], dict(zip(fed, row)))
    np.testing.assert_allclose(session.run([v for v, _ in metrics]), [iou, each], rtol=1e-6)


def test_precision_and_recall_at_k(session):
    labels = RNG.integers(0, 10, (40, 2))
    scores = RNG.random((40, 10)).astype(np.float32)
    best = np.argsort(-scores, axis=1)[:, :3]
    found = [len(set(row) & set(b)) for row, b in zip(labels, best)]
    sizes = [len(set(row)) for row in labels]
    batches = [(labels[:25], scores[:25]), (labels[25:], scores[25:])]
    np.testing.assert_allclose(streamed(session, on('precision_at_k', 3), batches),
                               sum(found) / 120)
    np.testing.assert_allclose(streamed(session, on('recall_at_k', 3), batches),
                               sum(found) / sum(sizes))


def test_average_precision_at_k(session):
    scores = np.array([[.9, .8, .7, .1], [.1, .2, .3, .4]], np.float32)
    labels = np.array([[0, 2], [0, 1]])
    got = streamed(session, on('average_precision_at_k', 3), [(labels, scores)])
    first, second = (1 / 1 + 2 / 3) / 2, (1 / 3) / 2
    np.testing.assert_allclose(got, (first + second) / 2)


def test_variables_are_local_and_metric_variables():
    value, update = tf.metrics.accuracy([1, 2], [1, 3], metrics_collections='values',
                                        updates_collections=['updates', 'more'])
    names = ['accuracy/total:0', 'accuracy/count:0']
    assert [v.name for v in tf.local_variables()] == names
    assert [v.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)] == names
    assert not tf.global_variables() and not tf.trainable_variables()
    assert tf.get_collection('values') == [value]
    assert tf.get_collection('updates') == tf.get_collection('more') == [update]


def test_a_metric_is_reset_by_the_local_initializer(session):
    x = tf.placeholder(tf.float32, [None])
    value, update = tf.metrics.mean(x)
    for _ in range(2):
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0
        assert session.run(update, {x: [1., 2.]}) == 1.5
        assert session.run(update, {x: [6.]}) == 3.


def test_weights_of_any_rank(session):
    values, weights = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32)
    _, update = tf.metrics.mean(values, weights)
    for given in (2., [[1.], [0.]], [[1., 1.], [0., 0.]], [[[1.], [1.]], [[0.], [0.]]]):
        session.run(tf.local_variables_initializer())
        got = session.run(update, {values: [[1., 2.], [3., 4.]], weights: given})
        assert got == (2.5 if given == 2. else 1.5)


@pytest.mark.parametrize(('make', 'kind', 'words'), [
    (lambda: tf.metrics.accuracy(tf.zeros([3]), tf.zeros([4])), ValueError, 'incompatible'),
    (lambda: tf.metrics.auc(tf.zeros([3]), tf.zeros([3]), curve='X'), ValueError, 'ROC or PR'),
    (lambda: tf.metrics.auc(tf.zeros([3]), tf.zeros([3]), summation_method='X'), ValueError,
     'Invalid summation_method'),
    (lambda: tf.metrics.sensitivity_at_specificity(tf.zeros([3]), tf.zeros([3]), 2.), ValueError,
     'range'),
    (lambda: tf.metrics.average_precision_at_k(tf.zeros([3], tf.int64), tf.zeros([3, 4]), 0),
     ValueError, 'Invalid k=0'),
    (lambda: tf.metrics.average_precision_at_k(
        tf.SparseTensor([[0, 0]], tf.zeros([1], tf.int64), [3, 1]), tf.zeros([3, 4]), 2),
     NotImplementedError, 'dense labels'),
    (lambda: tf.metrics.precision_at_k(tf.zeros([3, 2, 1], tf.int64), tf.zeros([3, 4]), 2),
     ValueError, 'Unexpected labels shape'),
])
def test_refusals(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_predictions_outside_0_and_1_fail(session):
    scores = tf.placeholder(tf.float32, [None])
    _, update = tf.metrics.auc([True, False], scores)
    session.run(tf.local_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'predictions must be in \[0, 1\]'):
        session.run(update, {scores: [0.5, 1.5]})


def test_trapezoidal_area_of_precision_and_recall_warns():
    with pytest.warns(tf.errors.TinyflowWarning, match='careful_interpolation'):
        tf.metrics.auc(tf.zeros([3]), tf.zeros([3]), curve='PR')
