"""Ready-made estimators on a small table, with either library as `tf` (Python 3.7 compatible)."""
import collections
import re

import numpy as np

from tests.golden.estimator.head_cases import plain

STEPS = 50
# Whose checkpoints go back and forth between the libraries.
CHECKED = ['dnn_classifier_3', 'combined_classifier', 'linear_classifier_3_names',
           'dnn_classifier_batch_norm', 'dnn_multi_head', 'baseline_classifier_3']
BATCH = 8
ROWS = 40
SPECIES = ['setosa', 'versicolor', 'virginica']
TOWNS = ['Bern', 'Chur', 'Genf', 'Olten', 'Zug']

_rng = np.random.RandomState(11)
X = _rng.normal(size=(ROWS, 3)).astype('float32')
AGE = _rng.uniform(10, 80, size=ROWS).astype('float32')
TOWN = np.array([TOWNS[i] for i in _rng.randint(0, 5, size=ROWS)], dtype=object)
SIZE = _rng.randint(0, 4, size=ROWS)
WEIGHT = _rng.uniform(.5, 2., size=ROWS).astype('float32')
_SCORES = np.stack([X[:, 0] + AGE / 40, X[:, 1] + .5 * SIZE, X[:, 2] - AGE / 40], 1)
IDS = _SCORES.argmax(1).astype('int64')
YES = (IDS == 0).astype('int64')
NUMBERS = (_SCORES[:, 0] * .5 + .1).astype('float32')
PAIRS = _SCORES[:, :2].astype('float32')
COUNTS = np.floor(np.abs(_SCORES[:, 1])).astype('float32')
MANY = (_SCORES > .5).astype('int64')
FEATURES = {'x': X, 'age': AGE, 'town': TOWN, 'size': SIZE, 'weight': WEIGHT}

# What TF's functional control flow adds behind a choice, and a choice that reads a variable.
AFTER_CHOICE = re.compile(r'/(cond|AssertGuard|zero_count(_\d+)?)/Identity(_\d+)?$')

# make(columns, **settings) -> Estimator.
Case = collections.namedtuple('Case', 'make labels')


class Columns(object):
    """The feature columns of the table."""

    def __init__(self, tf):
        new = tf.feature_column
        self.x = new.numeric_column('x', shape=(3,))
        self.age = new.numeric_column('age', normalizer_fn=lambda age: age / 50.)
        self.ages = new.bucketized_column(new.numeric_column('age'), [20., 40., 60.])
        self.town = new.categorical_column_with_vocabulary_list('town', TOWNS[:4],
                                                                num_oov_buckets=1)
        self.size = new.categorical_column_with_identity('size', 4)
        self.town_and_age = new.crossed_column(['town', self.ages], 20)
        self.town_indicator = new.indicator_column(self.town)
        self.size_embedding = new.embedding_column(self.size, dimension=2)
        self.dense = [self.x, self.age]
        self.deep = [self.x, self.age, self.town_indicator, self.size_embedding]
        self.wide = [self.ages, self.town, self.size]


def cases(tf):
    """{name: Case}."""
    new, losses = tf.estimator, tf.losses.Reduction
    heads = tf.contrib.estimator

    def decayed():
        rate = tf.train.exponential_decay(.005, tf.train.get_global_step(), 10, .9)
        return tf.train.MomentumOptimizer(rate, .9)

    return {
        'linear_classifier': Case(lambda c, **s: new.LinearClassifier(c.wide + c.dense, **s), YES),
        'linear_classifier_3_names': Case(lambda c, **s: new.LinearClassifier(
            c.dense, n_classes=3, label_vocabulary=SPECIES, weight_column='weight', **s),
            np.array([SPECIES[i] for i in IDS], dtype=object)),
        'linear_classifier_crossed_l1': Case(lambda c, **s: new.LinearClassifier(
            [c.town_and_age, c.age], sparse_combiner='mean', optimizer=tf.train.FtrlOptimizer(
                .1, l1_regularization_strength=.01, l2_regularization_strength=.01), **s), YES),
        'linear_regressor': Case(lambda c, **s: new.LinearRegressor(c.dense, **s), NUMBERS),
        'linear_regressor_2_weighted': Case(lambda c, **s: new.LinearRegressor(
            c.wide + c.dense, label_dimension=2, weight_column='weight', optimizer='SGD',
            loss_reduction=losses.SUM_OVER_BATCH_SIZE, **s), PAIRS),
        'linear_default_rate': Case(lambda c, **s: new.LinearClassifier(
            c.dense, optimizer=None, **s), YES),
        'dnn_classifier': Case(lambda c, **s: new.DNNClassifier([5, 4], c.dense, **s), YES),
        'dnn_classifier_3': Case(lambda c, **s: new.DNNClassifier(
            [5, 4], c.deep, n_classes=3, optimizer='Adam', **s), IDS),
        'dnn_classifier_3_decayed': Case(lambda c, **s: new.DNNClassifier(
            [4], c.dense, n_classes=3, optimizer=decayed, activation_fn=tf.nn.tanh,
            weight_column='weight', **s), IDS),
        'dnn_classifier_batch_norm': Case(lambda c, **s: new.DNNClassifier(
            [4, 3], c.dense, batch_norm=True, **s), YES),
        'dnn_classifier_dropout': Case(lambda c, **s: new.DNNClassifier(
            [6, 5], c.dense, dropout=.3, **s), YES),
        'dnn_regressor': Case(lambda c, **s: new.DNNRegressor([5], c.deep, **s), NUMBERS),
        'dnn_regressor_2_mean': Case(lambda c, **s: new.DNNRegressor(
            [4], c.dense, label_dimension=2, optimizer='RMSProp', weight_column='weight',
            loss_reduction=losses.MEAN, **s), PAIRS),
        'combined_classifier': Case(lambda c, **s: new.DNNLinearCombinedClassifier(
            linear_feature_columns=c.wide, dnn_feature_columns=c.deep, dnn_hidden_units=[5, 4],
            **s), YES),
        'combined_classifier_3': Case(lambda c, **s: new.DNNLinearCombinedClassifier(
            linear_feature_columns=c.wide, dnn_feature_columns=c.dense, dnn_hidden_units=[4],
            n_classes=3, batch_norm=True, **s), IDS),
        'combined_regressor': Case(lambda c, **s: new.DNNLinearCombinedRegressor(
            linear_feature_columns=c.dense, linear_optimizer=tf.train.FtrlOptimizer(.05),
            dnn_feature_columns=c.dense, dnn_hidden_units=[4],
            dnn_optimizer=lambda: tf.train.AdagradOptimizer(.05), **s), NUMBERS),
        'combined_only_deep': Case(lambda c, **s: new.DNNLinearCombinedRegressor(
            dnn_feature_columns=c.dense, dnn_hidden_units=[4], **s), NUMBERS),
        'baseline_classifier': Case(lambda c, **s: new.BaselineClassifier(**s), YES),
        'baseline_classifier_3': Case(lambda c, **s: new.BaselineClassifier(
            n_classes=3, weight_column='weight', **s), IDS),
        'baseline_regressor': Case(lambda c, **s: new.BaselineRegressor(**s), NUMBERS),
        'dnn_multi_label': Case(lambda c, **s: new.DNNEstimator(
            heads.multi_label_head(3), [4], c.dense, **s), MANY),
        'dnn_multi_head': Case(lambda c, **s: new.DNNEstimator(
            heads.multi_head([heads.regression_head(name='number'),
                              heads.multi_class_head(3, name='kind')]), [4], c.dense, **s),
            {'number': NUMBERS, 'kind': IDS}),
        'linear_poisson': Case(lambda c, **s: new.LinearEstimator(
            heads.poisson_regression_head(), c.dense, **s), COUNTS),
        'combined_logistic': Case(lambda c, **s: new.DNNLinearCombinedEstimator(
            heads.logistic_regression_head(), linear_feature_columns=c.wide,
            dnn_feature_columns=c.dense, dnn_hidden_units=[3], **s), YES.astype('float32')),
        'baseline_multi_class': Case(lambda c, **s: new.BaselineEstimator(
            heads.multi_class_head(3), **s), IDS),
    }


def input_fn(tf, labels, repeat):
    """The table in order, BATCH rows at a time; again and again to train."""
    def read():
        rows = tf.data.Dataset.from_tensor_slices((dict(FEATURES), labels))
        return (rows.repeat() if repeat else rows).batch(BATCH)
    return read


def nodes(tf, estimator, labels, mode):
    """[(name, type)] of the graph of one mode, without gradients and `AFTER_CHOICE`."""
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        features = {key: _placeholder(tf, key, value) for key, value in sorted(FEATURES.items())}
        if mode == 'infer':
            wanted = None
        elif isinstance(labels, dict):
            wanted = {key: _placeholder(tf, 'labels_' + key, labels[key])
                      for key in sorted(labels)}
        else:
            wanted = _placeholder(tf, 'labels_in', labels)
        estimator._model_fn(features=features, labels=wanted, mode=mode, config=estimator.config)
        return [[op.name, op.type] for op in graph.get_operations()
                if '/gradients' not in '/' + op.name and not AFTER_CHOICE.search(op.name)]


def _placeholder(tf, name, value):
    dtype = tf.string if value.dtype == object else value.dtype
    return tf.placeholder(dtype, [None] + list(value.shape[1:]), name=name + '_in')


def watcher(tf):
    """A hook that keeps the first values of all Variables and the loss of each step."""
    class Watcher(tf.train.SessionRunHook):
        def __init__(self):
            self.losses, self.initial = [], None

        def after_create_session(self, session, coord):
            self.initial = session.run({v.op.name: v for v in tf.global_variables()})
            self.loss = tf.get_default_graph().get_operation_by_name('loss').inputs[1]

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(self.loss)

        def after_run(self, run_context, run_values):
            self.losses.append(plain(run_values.results))
    return Watcher()


def train(tf, case, model_dir, seed=5):
    """(the estimator after STEPS steps, its watcher)."""
    config = tf.estimator.RunConfig(model_dir=model_dir, tf_random_seed=seed,
                                    save_summary_steps=20)
    estimator = case.make(Columns(tf), config=config)
    hook = watcher(tf)
    estimator.train(input_fn(tf, case.labels, True), steps=STEPS, hooks=[hook])
    return estimator, hook


def results(tf, case, estimator):
    """What evaluate and predict say."""
    metrics = estimator.evaluate(input_fn(tf, case.labels, False))
    rows = list(estimator.predict(lambda: input_fn(tf, case.labels, False)().map(
        lambda features, labels: features)))
    return {'metrics': {key: plain(value) for key, value in metrics.items()},
            'predictions': [{_key(key): plain(value) for key, value in row.items()}
                            for row in rows[:10]],
            'count': len(rows),
            'variables': {name: plain(np.shape(estimator.get_variable_value(name)))
                          for name in estimator.get_variable_names()}}


def _key(key):
    return '|'.join(key) if isinstance(key, tuple) else key
