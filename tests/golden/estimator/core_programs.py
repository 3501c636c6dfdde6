"""Programs that TensorFlow 1.15.5 and tinyflow run alike: model_fns, alone and on replicas.

Python 3.7, and no module of tinyflow: `tf` is handed in.
"""
import numpy as np

from tests.golden.encoding import short


def data():
    rng = np.random.RandomState(0)
    x = rng.rand(150, 4).astype(np.float32)
    return x, (x.sum(1) * 1.2).astype(np.int32) % 3


def train_fn(tf):
    def input_fn():
        x, y = data()
        rows = tf.data.Dataset.from_tensor_slices(({'x': x}, y))
        return rows.shuffle(150, seed=3).repeat().batch(32)
    return input_fn


def eval_fn(tf):
    def input_fn():
        x, y = data()
        return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).batch(64)
    return input_fn


def model_fn(tf, dropout=0.0, reduction=None, batch_norm=False):
    """Two dense layers on four features, three classes, Adam."""
    def build(features, labels, mode, params):
        training = mode == tf.estimator.ModeKeys.TRAIN
        # A bias that batch normalisation takes out again would follow rounding errors only.
        net = tf.layers.dense(features['x'], params['units'], tf.nn.relu,
                              use_bias=not batch_norm, name='hidden')
        if dropout:
            net = tf.layers.dropout(net, dropout, training=training)
        if batch_norm:
            net = tf.layers.batch_normalization(net, training=training, momentum=0.9, name='bn')
        logits = tf.layers.dense(net, 3, name='logits')
        predictions = {'classes': tf.argmax(logits, 1), 'probabilities': tf.nn.softmax(logits)}
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions=predictions)
        loss = tf.losses.sparse_softmax_cross_entropy(
            labels, logits, reduction=reduction or tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS)
        if training:
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            with tf.control_dependencies(updates):
                train_op = tf.train.AdamOptimizer(0.01).minimize(
                    loss, global_step=tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            'accuracy': tf.metrics.accuracy(labels, predictions['classes'])})
    return build


PROGRAMS = {
    'plain': {},
    'dropout': {'dropout': 0.3},
    'batch norm': {'batch_norm': True},
    'two replicas': {'replicas': 2},
    'two replicas, a sum': {'replicas': 2, 'reduction': 'weighted_sum'},
    'two replicas, batch norm': {'replicas': 2, 'batch_norm': True},
}


def run(tf, name, model_dir, warm_start=None):
    """{'losses': 50 of them, 'initial', 'final': Variables, 'metrics', 'predictions'}."""
    settings = dict(PROGRAMS[name])
    replicas = settings.pop('replicas', 0)
    strategy = tf.distribute.MirroredStrategy(
        ['/cpu:%d' % number for number in range(replicas)]) if replicas else None
    config = tf.estimator.RunConfig(
        tf_random_seed=7, save_checkpoints_steps=50, train_distribute=strategy,
        session_config=tf.ConfigProto(device_count={'CPU': max(replicas, 1)},
                                      allow_soft_placement=True))
    estimator = tf.estimator.Estimator(model_fn(tf, **settings), model_dir, config,
                                       params={'units': 8}, warm_start_from=warm_start)
    losses = []

    class Losses(tf.train.SessionRunHook):
        """Keeps the loss of each step."""

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(run_context.original_args.fetches[1])

        def after_run(self, run_context, run_values):
            losses.append(short(run_values.results))

    estimator.train(train_fn(tf), hooks=[Losses()], steps=50)
    metrics = estimator.evaluate(eval_fn(tf))
    predictions = list(estimator.predict(eval_fn(tf)))
    return {
        'losses': losses,
        'initial': values(tf, model_dir + '/model.ckpt-0'),
        'final': values(tf, model_dir + '/model.ckpt-50'),
        'metrics': {key: short(value) for key, value in metrics.items()},
        'probabilities': [short(p['probabilities']) for p in predictions[:10]],
    }


def values(tf, path):
    reader = tf.train.NewCheckpointReader(path)
    return {key: short(reader.get_tensor(key))
            for key in sorted(reader.get_variable_to_shape_map())}
