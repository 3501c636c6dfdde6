"""One model with a tf.distribute strategy: by Keras, by Estimator, by a loop of one's own.

Run as `strategies.py --framework tinyflow --strategy mirrored --way keras`. Prints `loss X` of each
step or epoch, and `evaluation {...}`. With TF_CONFIG it is one task of a cluster.
"""
import argparse
import importlib
import json
import tempfile

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument('--framework', default='tinyflow')
parser.add_argument('--strategy', default='mirrored')
parser.add_argument('--way', default='keras')
parser.add_argument('--steps', type=int, default=6)
parser.add_argument('--model_dir')
FLAGS = parser.parse_args()
tf = importlib.import_module(FLAGS.framework)

BATCH = 8
ROWS = np.linspace(-1, 1, 64, dtype=np.float32).reshape(64, 1)
LABELS = 3 * ROWS + 1


def new_strategy():
    two = ['/cpu:0', '/cpu:1'] if FLAGS.framework == 'tinyflow' else ['/cpu:0']
    return {
        'mirrored': lambda: tf.distribute.MirroredStrategy(['/cpu:0']),
        'replicas': lambda: tf.distribute.MirroredStrategy(two),
        'one': lambda: tf.distribute.OneDeviceStrategy('/cpu:0'),
        'central': tf.distribute.experimental.CentralStorageStrategy,
        'servers': tf.distribute.experimental.ParameterServerStrategy,
        'workers': tf.distribute.experimental.MultiWorkerMirroredStrategy,
    }[FLAGS.strategy]()


def dataset():
    return tf.data.Dataset.from_tensor_slices((ROWS, LABELS)).batch(BATCH)


def by_keras(strategy):
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(
            1, input_shape=(1,), kernel_initializer='ones')])
        model.compile(loss='mse', optimizer=tf.keras.optimizers.SGD(0.1))
    history = model.fit(dataset(), epochs=2, steps_per_epoch=FLAGS.steps // 2, verbose=0)
    for loss in history.history['loss']:
        print('loss', loss, flush=True)
    print('evaluation', json.dumps({'loss': float(model.evaluate(dataset(), steps=8, verbose=0))}))
    print('predictions', np.ravel(model.predict(dataset(), steps=8))[:3].tolist())


def model_fn(features, labels, mode):
    output = tf.layers.Dense(1, kernel_initializer=tf.ones_initializer())(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'output': output})
    loss = tf.losses.mean_squared_error(labels, output,
                                        reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            'error': tf.metrics.mean_absolute_error(labels, output)})
    train = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


class PrintLoss(tf.train.SessionRunHook):
    def begin(self):
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss[0])

    def after_run(self, run_context, run_values):
        print('loss', float(run_values.results), flush=True)


def input_fn():
    return dataset()


def new_estimator(strategy, folder):
    evaluates = None if FLAGS.strategy in ('servers', 'workers') else strategy
    config = tf.estimator.RunConfig(
        folder, tf_random_seed=1, train_distribute=strategy, eval_distribute=evaluates,
        save_summary_steps=None, log_step_count_steps=None, experimental_max_worker_delay_secs=0)
    return tf.estimator.Estimator(model_fn, config=config)


def by_estimator(strategy):
    with tempfile.TemporaryDirectory() as temporary:
        estimator = new_estimator(strategy, FLAGS.model_dir or temporary)
        estimator.train(input_fn, hooks=[PrintLoss()], steps=FLAGS.steps)
        report(estimator, estimator.evaluate(input_fn, steps=8))


def by_train_and_evaluate(strategy):
    with tempfile.TemporaryDirectory() as temporary:
        estimator = new_estimator(strategy, FLAGS.model_dir or temporary)
        metrics, _ = tf.estimator.train_and_evaluate(
            estimator,
            tf.estimator.TrainSpec(lambda: dataset().repeat(), FLAGS.steps, [PrintLoss()]),
            tf.estimator.EvalSpec(input_fn, steps=8, start_delay_secs=0, throttle_secs=0)) \
            or (None, None)
        if metrics:
            report(estimator, metrics)


def report(estimator, metrics):
    print('evaluation', json.dumps({key: float(value) for key, value in metrics.items()}))
    output = next(estimator.predict(lambda: dataset()))['output']
    print('prediction', float(output[0]), flush=True)


def by_own_loop(strategy):
    """Variables in the scope; each step divides a global batch among the replicas."""
    with strategy.scope():
        layer = tf.keras.layers.Dense(1, kernel_initializer='ones')
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        batches = strategy.experimental_distribute_dataset(dataset()).make_initializable_iterator()

        def step(batch):
            rows, labels = batch
            loss = tf.reduce_sum(tf.square(layer(rows) - labels)) / BATCH
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss)
        losses = strategy.experimental_run_v2(step, args=(batches.get_next(),))
        mean = strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
        train(batches.initialize(), mean)


def by_iterators(strategy, of_input_fn=False):
    """`experimental_run` takes the next batch by itself."""
    def make(context):
        size = context.get_per_replica_batch_size(BATCH)
        assert context.num_input_pipelines == 1 and context.input_pipeline_id == 0
        return tf.data.Dataset.from_tensor_slices((ROWS, LABELS)).batch(size)
    with strategy.scope():
        batches = strategy.make_input_fn_iterator(make) if of_input_fn \
            else strategy.make_dataset_iterator(dataset())
        slope = tf.get_variable('slope', initializer=1.)

        def step(batch):
            rows, labels = batch
            loss = tf.reduce_sum(tf.square(slope * rows - labels)) / BATCH
            train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            with tf.control_dependencies([train_op]):
                return tf.identity(loss)
        losses = strategy.experimental_run(step, batches)
        total = tf.add_n(strategy.experimental_local_results(losses))
        train(batches.initialize(), total)


def train(initialize, loss):
    with tf.train.MonitoredTrainingSession() as session:
        session.run_step_fn(lambda step_context: step_context.session.run(initialize))
        for _ in range(FLAGS.steps):
            print('loss', float(session.run(loss)), flush=True)


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    strategy = new_strategy()
    {'keras': by_keras, 'estimator': by_estimator, 'train_and_evaluate': by_train_and_evaluate,
     'loop': by_own_loop, 'iterator': by_iterators,
     'input_fn': lambda s: by_iterators(s, True)}[FLAGS.way](strategy)


main()
