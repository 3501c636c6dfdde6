"""Boosted trees on a table like the Titanic's, with either library (Python 3.7 compatible)."""
import collections
import contextlib
import re

import numpy as np

from tests.golden.estimator.head_cases import plain

ROWS, BATCH = 120, 40
CLASSES = ['First', 'Second', 'Third']

_rng = np.random.RandomState(21)
AGE = np.round(_rng.uniform(1, 75, size=ROWS)).astype('float32')
FARE = np.round(_rng.exponential(30., size=ROWS), 2).astype('float32')
SEX = np.array(['male', 'female'], dtype=object)[_rng.randint(0, 2, size=ROWS)]
CLASS = np.array(CLASSES, dtype=object)[_rng.randint(0, 3, size=ROWS)]
PAIR = np.round(_rng.normal(size=(ROWS, 2)), 1).astype('float32')
WEIGHT = _rng.uniform(.5, 2., size=ROWS).astype('float32')
_SCORE = (SEX == 'female') * 1.5 + (CLASS == 'First') - AGE / 50. + FARE / 100. + PAIR[:, 0] * .4
SURVIVED = (_SCORE + _rng.normal(size=ROWS) * .4 > .3).astype('int64')
NAMES = np.array(['no', 'yes'], dtype=object)[SURVIVED]
NUMBER = (_SCORE * 3 + _rng.normal(size=ROWS) * .2).astype('float32')
FEATURES = {'age': AGE, 'fare': FARE, 'sex': SEX, 'class': CLASS, 'pair': PAIR, 'weight': WEIGHT}

# make(columns, **settings) -> Estimator; `size` rows are a batch.
# Nodes that are not compared: derivatives are simpler in tinyflow; TF1's constructor turns resource
# variables on for all programs, so that its global step is one.
OTHERS = re.compile(r'Gradients/|Hessians/|global_step|AssignAdd|head/Const(_1)?$|'
                    r'head/ReadVariableOp$|/Identity(_\d+)?$')

Case = collections.namedtuple('Case', 'make labels size explain')


class Columns(object):
    """The feature columns of the table."""

    def __init__(self, tf):
        new = tf.feature_column
        self.ages = new.bucketized_column(new.numeric_column('age'), [12., 20., 35., 50.])
        self.fares = new.bucketized_column(new.numeric_column('fare'), [8., 15., 40.])
        self.sex = new.indicator_column(
            new.categorical_column_with_vocabulary_list('sex', ['male', 'female']))
        self.place = new.indicator_column(
            new.categorical_column_with_vocabulary_list('class', CLASSES))
        self.age, self.fare = new.numeric_column('age'), new.numeric_column('fare')
        self.pair = new.numeric_column('pair', shape=(2,))
        self.buckets = [self.ages, self.fares]
        self.both = [self.ages, self.fares, self.sex, self.place]
        self.all = [self.age, self.fares, self.sex, self.pair]


def cases(tf):
    """{name: Case}."""
    new = tf.estimator
    few = {'n_trees': 6, 'max_depth': 3}
    three = {'n_batches_per_layer': 3}
    one = {'n_batches_per_layer': 1}

    def case(make, labels, size=BATCH, explain=False, **settings):
        return Case(lambda columns, **more: make(columns, **dict(settings, **more)), labels, size,
                    explain)

    def classifier(columns_of, labels=SURVIVED, **settings):
        return case(lambda c, **s: new.BoostedTreesClassifier(columns_of(c), **s), labels,
                    **settings)

    def regressor(columns_of, **settings):
        return case(lambda c, **s: new.BoostedTreesRegressor(columns_of(c), **s), NUMBER,
                    **settings)

    def own(columns_of, head, labels, **settings):
        return case(lambda c, **s: new.BoostedTreesEstimator(columns_of(c), head=head(), **s),
                    labels, **settings)
    heads = tf.contrib.estimator
    return {
        'classifier': classifier(lambda c: c.both, n_trees=6, max_depth=3, **three),
        'classifier_center': classifier(lambda c: c.both, center_bias=True, explain=True,
                                        n_trees=5, max_depth=3, **three),
        'classifier_numeric': classifier(lambda c: c.all, n_trees=4,
                                         max_depth=3, **three),
        'classifier_weighted_names': classifier(
            lambda c: c.both, NAMES, weight_column='weight', label_vocabulary=['no', 'yes'],
            n_trees=4, max_depth=3, **three),
        'classifier_numeric_weighted': classifier(
            lambda c: c.all, weight_column='weight', center_bias=True, explain=True,
            n_trees=3, max_depth=2, **three),
        'classifier_in_memory': classifier(lambda c: c.both, size=ROWS, train_in_memory=True,
                                           **dict(few, **one)),
        'classifier_in_memory_numeric': classifier(
            lambda c: c.all, size=ROWS, train_in_memory=True, center_bias=True, explain=True,
            **dict(few, **one)),
        'regressor': regressor(lambda c: c.buckets, learning_rate=.3, n_trees=6, max_depth=2,
                               **three),
        'regressor_regularized': regressor(
            lambda c: c.both, l1_regularization=.02, l2_regularization=.1, min_node_weight=.1,
            n_trees=6, max_depth=4, **three),
        'regressor_pre': regressor(lambda c: c.both, pruning_mode='pre', tree_complexity=.05,
                                   n_trees=6, max_depth=4, **three),
        'regressor_post': regressor(lambda c: c.both, pruning_mode='post', tree_complexity=.1,
                                    center_bias=True, explain=True, n_trees=6, max_depth=3,
                                    size=ROWS, train_in_memory=True, **one),
        'regressor_numeric': regressor(lambda c: c.all, weight_column='weight', n_trees=4,
                                       max_depth=3, center_bias=True, explain=True, **three),
        'own_head': own(lambda c: c.both, heads.regression_head, NUMBER, n_trees=3, max_depth=3,
                        **three),
        'own_binary_head': own(lambda c: c.both, heads.binary_classification_head, SURVIVED,
                               n_trees=3, max_depth=3, center_bias=True, explain=True, **three),
    }


def input_fn(tf, case, repeat):
    """The table in order, a batch at a time; again and again to train."""
    def read():
        if case.size == ROWS:           # of a known size, which training in memory needs
            rows = tf.data.Dataset.from_tensors((dict(FEATURES), case.labels))
        else:
            rows = tf.data.Dataset.from_tensor_slices((dict(FEATURES), case.labels))
            rows = rows.batch(case.size)
        return rows.repeat() if repeat else rows
    return read


def _watcher(tf):
    class Watcher(tf.train.SessionRunHook):
        def __init__(self):
            self.losses = []

        def begin(self):
            self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(self.loss)

        def after_run(self, run_context, run_values):
            self.losses.append(plain(run_values.results))
    return Watcher()


def train(tf, case, model_dir, steps=None):
    """(the trained estimator, the loss of each step)."""
    config = tf.estimator.RunConfig(model_dir=model_dir, tf_random_seed=3)
    estimator = case.make(Columns(tf), config=config)
    hook = _watcher(tf)
    estimator.train(input_fn(tf, case, True), max_steps=steps, hooks=[hook])
    return estimator, hook.losses


def results(tf, case, estimator):
    """What the trained estimator says."""
    def features():
        return input_fn(tf, case, False)().map(lambda features, labels: features)
    metrics = estimator.evaluate(input_fn(tf, case, False))
    rows = [row for row, _ in zip(estimator.predict(features), range(12))]
    found = {'metrics': {key: plain(value) for key, value in metrics.items()},
             'predictions': [{key: plain(value) for key, value in row.items()} for row in rows],
             'variables': {name: plain(np.shape(estimator.get_variable_value(name)))
                           for name in estimator.get_variable_names()},
             'importances': [list(item) for item in
                             estimator.experimental_feature_importances().items()],
             'normalized': [list(item) for item in
                            estimator.experimental_feature_importances(True).items()]
             if case.explain else []}
    if case.explain:
        with contextlib.closing(estimator.experimental_predict_with_explanations(
                features)) as explained:
            rows = [row for row, _ in zip(explained, range(8))]
        found['explained'] = [[plain(row['bias']), sorted(row['dfc'].items()), sorted(row)]
                              for row in rows]
    return found


def serving_receiver(tf):
    """What feeds an exported model the features as they are."""
    return tf.estimator.export.build_raw_serving_input_receiver_fn(
        {key: _placeholder(tf, key, value) for key, value in sorted(FEATURES.items())})


def nodes(tf, case, mode):
    """[(name, type)] of the graph of one mode, without `OTHERS`."""
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        features = {key: _placeholder(tf, key, value) for key, value in sorted(FEATURES.items())}
        labels = None if mode == 'infer' else _placeholder(tf, 'labels', case.labels)
        estimator = case.make(Columns(tf))
        estimator._model_fn(features=features, labels=labels, mode=mode, config=estimator.config)
        return [[op.name, op.type] for op in graph.get_operations() if not OTHERS.search(op.name)]


def _placeholder(tf, name, value):
    dtype = tf.string if value.dtype == object else value.dtype
    return tf.placeholder(dtype, [None] + list(value.shape[1:]), name=name + '_in')
