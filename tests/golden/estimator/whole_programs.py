"""Whole seeded programs with Estimators, for TensorFlow 1.15.5 and tinyflow alike (Python 3.7).

A program takes `tf` and a folder, and returns {what: numbers}: losses of its steps, metrics,
predictions. No module of tinyflow; what both read is a small table in the order of its rows.
"""
import os

import numpy as np

from tests.golden.estimator.head_cases import plain

ROWS = 48
_rng = np.random.RandomState(21)
X = _rng.normal(size=(ROWS, 4)).astype('float32')
CODE = _rng.randint(0, 6, size=ROWS).astype('int64')
WORD = np.array([['red', 'green', 'blue', 'grey'][i] for i in _rng.randint(0, 4, size=ROWS)],
                dtype=object)
SHARE = _rng.uniform(.2, 2., size=(ROWS, 1)).astype('float32')
_SCORES = np.stack([X[:, 0] + .2 * CODE, X[:, 1] + .5, X[:, 2] - X[:, 3]], 1)
IDS = _SCORES.argmax(1).astype('int64')
YES = (IDS == 1).astype('int64')
NUMBERS = (_SCORES[:, :1] * .5 + .3).astype('float32')
FEATURES = {'x': X, 'code': CODE, 'word': WORD, 'share': SHARE}


def rows(tf, labels, repeat=None, batch=12):
    """An input_fn: the table in order, again and again unless `repeat` says how often."""
    def input_fn():
        table = tf.data.Dataset.from_tensor_slices((dict(FEATURES), labels))
        return table.repeat(repeat).batch(batch)
    return input_fn


def config(tf, folder, **settings):
    return tf.estimator.RunConfig(model_dir=folder, tf_random_seed=13, **settings)


def losses_of(tf):
    """A hook that keeps the loss of each step."""
    class Losses(tf.train.SessionRunHook):
        def __init__(self):
            self.losses = []

        def begin(self):
            self._loss = tf.get_default_graph().get_operation_by_name('loss').inputs[1]

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(self._loss)

        def after_run(self, run_context, run_values):
            self.losses.append(plain(run_values.results))
    return Losses()


def outcome(tf, estimator, labels, losses, key):
    """The losses, the metrics and the first predictions."""
    metrics = estimator.evaluate(rows(tf, labels, 1))
    predictions = estimator.predict(rows(tf, labels, 1))
    return {'losses': losses, 'metrics': {k: plain(v) for k, v in sorted(metrics.items())},
            'predictions': [plain(next(predictions)[key]) for _ in range(5)]}


def network(tf, features, units, name='net'):
    with tf.variable_scope(name):
        hidden = tf.layers.dense(features['x'], 6, tf.nn.tanh)
        return tf.layers.dense(hidden, units)


def step(tf, optimizer, loss):
    return optimizer.minimize(loss, global_step=tf.train.get_global_step())


def decay_and_clipping(tf, folder):
    """A custom model_fn: decayed rate, clipped gradients, regularization, metrics of its own."""
    def model_fn(features, labels, mode, params):
        regularizer = tf.contrib.layers.l2_regularizer(params['l2'])
        with tf.variable_scope('net', regularizer=regularizer):
            logits = network(tf, features, 3)
        spec = {'predictions': {'p': tf.nn.softmax(logits)}}
        if mode == 'infer':
            return tf.estimator.EstimatorSpec(mode, **spec)
        tf.losses.sparse_softmax_cross_entropy(labels, logits)
        spec['loss'] = tf.losses.get_total_loss()
        if mode == 'eval':
            spec['eval_metric_ops'] = {
                'per_class': tf.metrics.mean_per_class_accuracy(
                    labels, tf.argmax(logits, 1), 3),
                'top_2': tf.metrics.mean(tf.nn.in_top_k(logits, labels, 2))}
            return tf.estimator.EstimatorSpec(mode, **spec)
        rate = tf.train.polynomial_decay(.1, tf.train.get_global_step(), 20, .01)
        optimizer = tf.train.MomentumOptimizer(rate, .9)
        gradients, variables = zip(*optimizer.compute_gradients(spec['loss']))
        gradients, _ = tf.clip_by_global_norm(gradients, .5)
        spec['train_op'] = optimizer.apply_gradients(
            zip(gradients, variables), global_step=tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, **spec)

    hook = losses_of(tf)
    estimator = tf.estimator.Estimator(model_fn, config=config(tf, folder), params={'l2': .01})
    estimator.train(rows(tf, IDS), steps=20, hooks=[hook])
    return outcome(tf, estimator, IDS, hook.losses, 'p')


def head_in_a_model_fn(tf, folder):
    """A custom model_fn with a head of tf.contrib.estimator, weighted examples and Adam."""
    head = tf.contrib.estimator.binary_classification_head(weight_column='share')

    def model_fn(features, labels, mode):
        return head.create_estimator_spec(
            features, mode, network(tf, features, 1), labels=labels,
            train_op_fn=lambda loss: step(tf, tf.train.AdamOptimizer(.02), loss))

    hook = losses_of(tf)
    estimator = tf.estimator.Estimator(model_fn, config=config(tf, folder))
    estimator.train(rows(tf, YES), steps=20, hooks=[hook])
    return outcome(tf, estimator, YES, hook.losses, 'logistic')


def two_heads(tf, folder):
    """A custom model_fn with a multi_head: classes and numbers, with weights."""
    heads = tf.contrib.estimator
    head = heads.multi_head([heads.multi_class_head(3, name='kind'),
                             heads.regression_head(name='number')], head_weights=[1., .5])
    labels = {'kind': IDS, 'number': NUMBERS}

    def model_fn(features, labels, mode):
        logits = {'kind': network(tf, features, 3, 'a'), 'number': network(tf, features, 1, 'b')}
        return head.create_estimator_spec(
            features, mode, logits, labels=labels,
            train_op_fn=lambda loss: step(tf, tf.train.AdagradOptimizer(.1), loss))

    hook = losses_of(tf)
    estimator = tf.estimator.Estimator(model_fn, config=config(tf, folder))
    estimator.train(rows(tf, labels), steps=20, hooks=[hook])
    return outcome(tf, estimator, labels, hook.losses, ('number', 'predictions'))


def columns_of_each_kind(tf, folder):
    """A DNNRegressor over shared and other embeddings, indicators, crosses and weights."""
    new = tf.feature_column
    code = new.categorical_column_with_identity('code', 6)
    word = new.categorical_column_with_vocabulary_list('word', ['red', 'green', 'blue'],
                                                       num_oov_buckets=2)
    hashed = new.categorical_column_with_hash_bucket('word', 7)
    buckets = new.bucketized_column(new.numeric_column('share'), [.5, 1., 1.5])
    crossed = new.crossed_column([buckets, 'word'], 11)
    columns = [new.numeric_column('x', shape=(4,), normalizer_fn=lambda x: x / 2.),
               buckets, new.indicator_column(crossed), new.indicator_column(word),
               new.embedding_column(code, 3, combiner='sqrtn'), new.embedding_column(hashed, 2)]
    hook = losses_of(tf)
    estimator = tf.estimator.DNNRegressor(
        [7, 3], columns, config=config(tf, folder), optimizer=tf.train.AdagradOptimizer(.05))
    estimator.train(rows(tf, NUMBERS), steps=20, hooks=[hook])
    return outcome(tf, estimator, NUMBERS, hook.losses, 'predictions')


def warm_start(tf, folder):
    """A classifier of three classes that takes its first layer from a trained regressor."""
    columns = [tf.feature_column.numeric_column('x', shape=(4,))]
    first = tf.estimator.DNNRegressor(
        [5], columns, config=config(tf, os.path.join(folder, 'first')))
    first.train(rows(tf, NUMBERS), steps=15)
    hook = losses_of(tf)
    second = tf.estimator.DNNClassifier(
        [5], columns, n_classes=3, config=config(tf, os.path.join(folder, 'second')),
        warm_start_from=tf.estimator.WarmStartSettings(
            os.path.join(folder, 'first'), vars_to_warm_start='.*hiddenlayer_0/kernel.*'))
    second.train(rows(tf, IDS), steps=15, hooks=[hook])
    return outcome(tf, second, IDS, hook.losses, 'probabilities')


def train_and_evaluate(tf, folder):
    """tf.estimator.train_and_evaluate with the best model exported, then served."""
    columns = [tf.feature_column.numeric_column('x', shape=(4,))]
    estimator = tf.estimator.DNNClassifier(
        [6], columns, n_classes=3, optimizer='Adam',
        config=config(tf, folder, save_checkpoints_steps=10))

    def receive():
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        return tf.estimator.export.ServingInputReceiver({'x': x}, {'x': x})

    hook = losses_of(tf)
    best = tf.estimator.BestExporter(serving_input_receiver_fn=receive, exports_to_keep=2)
    metrics, _ = tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(rows(tf, IDS), max_steps=30, hooks=[hook]),
        tf.estimator.EvalSpec(rows(tf, IDS, 1), steps=None, exporters=best, throttle_secs=0,
                              start_delay_secs=0))
    found = outcome(tf, estimator, IDS, hook.losses, 'probabilities')
    where = os.path.join(folder, 'export', 'best_exporter')
    exports = sorted(os.listdir(where))
    predict = tf.contrib.predictor.from_saved_model(os.path.join(where, exports[-1]),
                                                    signature_def_key='predict')
    found['last metrics'] = {k: plain(v) for k, v in sorted(metrics.items())}
    found['served'] = plain(predict({'x': X[:5]})['probabilities'])
    return found


def early_stopping(tf, folder):
    """Training that stops once the evaluated loss no longer falls."""
    estimator = tf.estimator.LinearRegressor(
        [tf.feature_column.numeric_column('x', shape=(4,))],
        optimizer=tf.train.GradientDescentOptimizer(.02),
        config=config(tf, folder, save_checkpoints_steps=5))
    stop = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'loss', max_steps_without_decrease=5, run_every_secs=None, run_every_steps=5)
    hook = losses_of(tf)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(rows(tf, NUMBERS), max_steps=200, hooks=[hook, stop]),
        tf.estimator.EvalSpec(rows(tf, NUMBERS, 1), steps=None, throttle_secs=0,
                              start_delay_secs=0))
    return outcome(tf, estimator, NUMBERS, hook.losses, 'predictions')


def partitioner(tf, folder):
    """A linear model whose Variables are in parts, with added metrics."""
    column = tf.feature_column.categorical_column_with_hash_bucket('word', 12)
    estimator = tf.estimator.LinearClassifier(
        [column], config=config(tf, folder), optimizer=tf.train.FtrlOptimizer(.1),
        partitioner=tf.fixed_size_partitioner(3))
    estimator = tf.contrib.estimator.add_metrics(
        estimator, lambda labels, predictions: {
            'largest': tf.metrics.mean(tf.reduce_max(predictions['logits']))})
    hook = losses_of(tf)
    estimator.train(rows(tf, YES), steps=15, hooks=[hook])
    found = outcome(tf, estimator, YES, hook.losses, 'logistic')
    found['parts'] = [name for name in sorted(estimator.get_variable_names())
                      if 'weights' in name]
    return found


def arrays_and_moving_averages(tf, folder):
    """An input_fn that returns arrays; predictions with averages of the Variables."""
    def model_fn(features, labels, mode):
        y = network(tf, features, 1)
        averages = tf.train.ExponentialMovingAverage(.8)
        if mode == 'train':
            loss = tf.losses.huber_loss(labels, y)
            update = step(tf, tf.train.RMSPropOptimizer(.01), loss)
            with tf.control_dependencies([update]):
                train_op = averages.apply(tf.trainable_variables())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
        scaffold = tf.train.Scaffold(saver=tf.train.Saver(averages.variables_to_restore()))
        if mode == 'eval':
            return tf.estimator.EstimatorSpec(
                mode, loss=tf.losses.huber_loss(labels, y), scaffold=scaffold,
                eval_metric_ops={'rmse': tf.metrics.root_mean_squared_error(labels, y)})
        return tf.estimator.EstimatorSpec(mode, predictions={'y': y}, scaffold=scaffold)

    hook = losses_of(tf)
    estimator = tf.estimator.Estimator(model_fn, config=config(tf, folder))
    estimator.train(lambda: ({'x': X}, NUMBERS), steps=20, hooks=[hook])
    return outcome(tf, estimator, NUMBERS, hook.losses, 'y')


def numpy_inputs_and_two_trainings(tf, folder):
    """numpy_input_fn, training that goes on, and evaluation in memory in between."""
    inputs = tf.estimator.inputs.numpy_input_fn
    columns = [tf.feature_column.numeric_column('x', shape=(4,))]
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=columns, dnn_feature_columns=columns, dnn_hidden_units=[4],
        config=config(tf, folder))
    train = inputs({'x': X}, YES, batch_size=12, num_epochs=None, shuffle=False)
    hook = losses_of(tf)
    watch = tf.estimator.experimental.InMemoryEvaluatorHook(
        estimator, rows(tf, YES, 1), every_n_iter=5)
    estimator.train(train, steps=10, hooks=[hook, watch])
    estimator.train(train, steps=10, hooks=[hook])
    found = outcome(tf, estimator, YES, hook.losses, 'logistic')
    found['in memory'] = {str(event.step): plain(value.simple_value)
                          for path in tf.gfile.Glob(os.path.join(folder, 'eval', '*tfevents*'))
                          for event in tf.train.summary_iterator(path)
                          for value in event.summary.value if value.tag == 'loss'}
    return found


PROGRAMS = [decay_and_clipping, head_in_a_model_fn, two_heads, columns_of_each_kind, warm_start,
            train_and_evaluate, early_stopping, partitioner, arrays_and_moving_averages,
            numpy_inputs_and_two_trainings]
