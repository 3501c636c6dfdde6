"""k-means where TF 1.15 is not a race: whole batches. With either library (Python 3.7 too)."""
import itertools

import numpy as np

from tests.golden.estimator.head_cases import plain

POINTS = np.random.RandomState(1).normal(size=(30, 2)).astype('float32')
POINTS[:10] += 3
POINTS[10:20] -= 3


def run(tf):
    """{what: values} of graphs and of Estimators."""
    found = {}
    for start, metric in itertools.product(('random', 'kmeans_plus_plus', 'given'),
                                           ('squared_euclidean', 'cosine')):
        found[start + ' ' + metric] = _graph(tf, start, metric)
    for start in ('random', 'kmeans_plus_plus'):
        found['contrib ' + start] = _estimator(
            tf, tf.contrib.factorization.KMeansClustering, start)
        found['estimator ' + start] = _estimator(tf, tf.estimator.experimental.KMeans, start)
    return found


def _graph(tf, start, metric):
    with tf.Graph().as_default():
        tf.set_random_seed(4)
        points = tf.placeholder(tf.float32, [None, 2])
        model = tf.contrib.factorization.KMeans(
            points, num_clusters=3, distance_metric=metric,
            initial_clusters=POINTS[:3] if start == 'given' else start)
        scores, index, distances, initialized, init_op, train_op = model.training_graph()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer(), {points: POINTS})
            while not session.run(initialized):
                session.run(init_op, {points: POINTS})
            for _ in range(7):
                session.run(train_op, {points: POINTS})
            values = session.run([scores[0], index[0], distances[0]], {points: POINTS})
            return [plain(value) for value in values + [session.run('clusters:0')]]


def _estimator(tf, kind, start):
    def once():
        return tf.data.Dataset.from_tensors(POINTS)
    model = kind(3, use_mini_batch=False, initial_clusters=start, relative_tolerance=1e-4,
                 config=tf.estimator.RunConfig(tf_random_seed=3))
    model.train(lambda: once().repeat(), steps=20)
    return [plain(model.cluster_centers()), plain(model.score(once)),
            [plain(index) for index in model.predict_cluster_index(once)],
            [plain(distances) for distances in model.transform(once)],
            plain(model.get_variable_value('global_step'))]
