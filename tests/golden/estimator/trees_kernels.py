"""Raw ops of boosted trees on random numbers, with either library (Python 3.7 compatible).

`op(name, *inputs, **attrs)` makes one node.
"""
import base64

import numpy as np

from tests.golden.encoding import short

BUCKETS, BATCH = 4, 40


def _plain(value):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [_plain(v) for v in value.ravel().tolist()]
    return short(value)


def _flat(value):
    """A fetched value, whose lists and named tuples become one list."""
    if isinstance(value, (list, tuple)):
        return [part for v in value for part in _flat(v)]
    return [_plain(value)]


def ensemble(op, serialized=b''):
    handle = op('BoostedTreesEnsembleResourceHandleOp', container='', shared_name='e')
    return handle, op('BoostedTreesCreateEnsemble', handle, 0, serialized)


def growing(tf, op, settings):
    """Grows trees on one batch; what is seen after each step."""
    features, depth, pruning = 3, settings.get('depth', 2), settings.get('pruning', 0)
    rng = np.random.RandomState(settings['seed'])
    data = [rng.randint(0, BUCKETS, size=BATCH).astype('int32') for _ in range(features)]
    if settings.get('twice'):
        data[2] = data[0]                                           # equally good features
    labels = (data[0] * .5 - (data[1] > 1) + rng.normal(size=BATCH) * .3).astype('float32')
    regularization = [float(settings.get(key, 0.)) for key in ('l1', 'l2', 'complexity', 'weight')]
    with tf.Graph().as_default(), tf.Session() as session:
        handle, create = ensemble(op)
        tree_ids = tf.placeholder(tf.int32, [BATCH])
        node_ids = tf.placeholder(tf.int32, [BATCH])
        logits = tf.placeholder(tf.float32, [BATCH, 1])
        states = op('BoostedTreesGetEnsembleStates', handle)
        partial = op('BoostedTreesTrainingPredict', handle, tree_ids, node_ids, data,
                     logits_dimension=1)
        gradients, hessians = logits - labels[:, None], tf.ones_like(logits) * .7
        center = op('BoostedTreesCenterBias', handle, [[-.4]], [[.9]], regularization[0],
                    regularization[1])
        splits = (1 << depth) - 1
        stats = [tf.squeeze(op('BoostedTreesMakeStatsSummary', partial[2], gradients, hessians,
                               [column], max_splits=splits, num_buckets=BUCKETS), 0)
                 for column in data]
        best = op('BoostedTreesCalculateBestGainsPerFeature', states[4], stats,
                  *regularization, max_splits=splits)
        best = [part for parts in best for part in (
            parts if isinstance(parts, (list, tuple)) else [parts])]
        best = [best[i * features:(i + 1) * features] for i in range(5)]
        grow = op('BoostedTreesUpdateEnsemble', handle, [0, 1, 2], *(best + [depth, .3]),
                  pruning_mode=pruning)
        predicted = op('BoostedTreesPredict', handle, data, logits_dimension=1)
        debug = []              # without a bias TF 1.15 crashes
        if settings.get('center'):
            debug.append(op('BoostedTreesExampleDebugOutputs', handle, data, logits_dimension=1))
        message = op('BoostedTreesSerializeEnsemble', handle)
        seen = []
        session.run(create)
        for _ in range(settings.get('center', 0)):
            seen.append(_flat(session.run(center)))
        cached = [np.zeros(BATCH, 'int32'), np.full(BATCH, -1, 'int32'),
                  np.zeros((BATCH, 1), 'float32')]
        for step in range(settings.get('steps', 7)):
            feed = {tree_ids: cached[0], node_ids: cached[1]}
            if settings.get('forget') and step % 2:
                feed = {tree_ids: np.zeros(BATCH, 'int32'), node_ids: np.full(BATCH, -1, 'int32')}
                cached[2] = np.zeros((BATCH, 1), 'float32')
            found = session.run(list(partial), feed)
            total = cached[2] + found[0]
            cached = [found[1], found[2], total]
            feed[logits] = total
            seen.append(_flat(found) + _flat(session.run(list(states), feed)))
            seen.append(_flat(session.run(stats + best, feed)))
            session.run(grow, feed)
            seen.append(_flat(session.run(list(message) + [predicted] + debug)))
        return seen


def quantiles(tf, op, settings):
    """Sketches of batches, boundaries, buckets."""
    rng = np.random.RandomState(settings['seed'])
    size, epsilon = settings['size'], settings['epsilon']
    with tf.Graph().as_default(), tf.Session() as session:
        handle = op('BoostedTreesQuantileStreamResourceHandleOp', container='', shared_name='q')
        create = op('BoostedTreesCreateQuantileStreamResource', handle, epsilon, 2)
        values = [tf.placeholder(tf.float32, [None]) for _ in range(2)]
        weights = tf.placeholder(tf.float32, [None])
        summaries = op('BoostedTreesMakeQuantileSummaries', values, weights, epsilon)
        add = op('BoostedTreesQuantileStreamResourceAddSummaries', handle, list(summaries))
        flush = op('BoostedTreesQuantileStreamResourceFlush', handle, int(1 / epsilon),
                   generate_quantiles=settings.get('quantiles', False))
        boundaries = op('BoostedTreesQuantileStreamResourceGetBucketBoundaries', handle,
                        num_features=2)
        buckets = op('BoostedTreesBucketize', values, list(boundaries), num_features=2)
        there = op('IsBoostedTreesQuantileStreamResourceInitialized', handle)
        seen = [_flat(session.run(there))]
        session.run(create)
        seen.append(_flat(session.run([there] + list(boundaries))))
        for _ in range(settings.get('batches', 3)):
            first = np.round(rng.normal(size=size) * 20).astype('float32')
            second = rng.exponential(size=size).astype('float32')
            weight = np.array([1.], 'float32')
            if settings.get('weights'):
                weight = np.round(rng.uniform(0, 4, size=size)).astype('float32')
            feed = {values[0]: first, values[1]: second, weights: weight}
            seen.append(_flat(session.run(list(summaries), feed)))
            session.run(add, feed)
        session.run(flush)
        seen.append(_flat(session.run(list(boundaries))))
        probe = np.array([-1000, -3, 0, .5, 1, 2.5, 1000, np.nan], 'float32')
        seen.append(_flat(session.run(list(buckets), {values[0]: probe, values[1]: probe})))
        return seen


def overflowing(tf, op, settings):
    """A bucket too many, as a sketch may give, counts to the next node."""
    with tf.Graph().as_default(), tf.Session() as session:
        values = [[1.], [2.], [4.], [8.], [16.]]
        sums = op('BoostedTreesMakeStatsSummary', [0, 0, 0, 1, 1], values, values[::-1],
                  [[0, 3, 4, 5, 2]], max_splits=4, num_buckets=4)
        return [_flat(session.run(sums))]


CASES = {
    'overflowing': (overflowing, {}),
    'plain': (growing, {'seed': 1}),
    'deep': (growing, {'seed': 2, 'depth': 4, 'steps': 9}),
    'centered': (growing, {'seed': 3, 'center': 4}),
    'regularized': (growing, {'seed': 4, 'l1': .3, 'l2': .2, 'weight': 5., 'depth': 3}),
    'ties': (growing, {'seed': 5, 'twice': True, 'forget': True}),
    'pre_pruned': (growing, {'seed': 6, 'depth': 3, 'pruning': 1, 'complexity': 1.2}),
    'post_pruned': (growing, {'seed': 7, 'depth': 3, 'pruning': 2, 'complexity': 1.2,
                              'center': 2, 'steps': 12}),
    'post_pruned_all': (growing, {'seed': 8, 'depth': 2, 'pruning': 2, 'complexity': 20.,
                                  'steps': 6}),
    'post_pruned_some': (growing, {'seed': 9, 'depth': 4, 'pruning': 2, 'complexity': .5,
                                   'l2': .1, 'steps': 14}),
    'heavy': (growing, {'seed': 10, 'weight': 1000., 'steps': 3}),
    'few_values': (quantiles, {'seed': 11, 'size': 9, 'epsilon': .1}),
    'many_values': (quantiles, {'seed': 12, 'size': 700, 'epsilon': .05}),
    'fine': (quantiles, {'seed': 13, 'size': 500, 'epsilon': .01}),
    'weighted': (quantiles, {'seed': 14, 'size': 300, 'epsilon': .05, 'weights': True}),
    'long': (quantiles, {'seed': 15, 'size': 3000, 'epsilon': .1, 'batches': 8}),
    'in_parts': (quantiles, {'seed': 16, 'size': 400, 'epsilon': .1, 'quantiles': True}),
}


def run(tf, op):
    """{name: everything that a case saw}."""
    return {name: program(tf, op, settings) for name, (program, settings) in CASES.items()}
