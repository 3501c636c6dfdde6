"""Keras models as Estimators, for TensorFlow 1.15.5 and tinyflow alike. Python 3.7."""
import numpy as np

from tests.golden.encoding import short


def _weights(model):
    """The same weights everywhere. Moving averages stay: TensorFlow's warm start loses them."""
    rng = np.random.RandomState(5)
    model.set_weights([
        value if 'moving' in weight.name else rng.uniform(0.2, 1.0, value.shape) * (
            1 if 'gamma' in weight.name else rng.choice([-1, 1], value.shape))
        for value, weight in zip(model.get_weights(), model.weights)])


def _dense(tf):
    k = tf.keras
    model = k.Sequential([k.layers.Dense(8, activation='relu', input_shape=(4,), name='hidden'),
                          k.layers.Dense(3, activation='softmax', name='out')])
    model.compile(k.optimizers.Adam(0.01), 'sparse_categorical_crossentropy',
                  metrics=['accuracy'])
    return model


def _norm(tf):
    k = tf.keras
    x = k.Input((4,), name='x')
    net = k.layers.Dense(6, name='hidden', use_bias=False)(x)
    net = k.layers.BatchNormalization(name='norm')(net)
    net = k.layers.Dense(3, activation='softmax', name='out')(k.layers.Activation('tanh')(net))
    model = k.Model(x, net)
    model.compile(k.optimizers.SGD(0.1, momentum=0.9), 'sparse_categorical_crossentropy',
                  metrics=['acc', 'sparse_top_k_categorical_accuracy'])
    return model


def _rmsprop(tf):
    k = tf.keras
    model = k.Sequential([k.layers.Dense(5, activation='sigmoid', input_shape=(4,), name='a',
                                         kernel_regularizer=k.regularizers.l2(0.01)),
                          k.layers.Dense(1, name='out')])
    model.compile('rmsprop', 'mse', metrics=['mae'])
    return model


PROGRAMS = {'dense': _dense, 'batch norm': _norm, 'regression': _rmsprop}


def _data(name):
    x = np.random.RandomState(0).rand(96, 4).astype(np.float32)
    y = (x.sum(1) * 1.2).astype(np.int32) % 3
    return x, x[:, :1] * 2 if name == 'regression' else y


def run(tf, name, model_dir):
    tf.keras.backend.clear_session()
    model = PROGRAMS[name](tf)
    _weights(model)
    x, y = _data(name)
    key = 'x' if name == 'batch norm' else None

    def input_fn(repeat=None):
        features = {key: x} if key else x
        return tf.data.Dataset.from_tensor_slices((features, y)).repeat(repeat).batch(16)

    losses = []

    class Losses(tf.train.SessionRunHook):
        """Keeps the loss of each step."""

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(run_context.original_args.fetches[1])

        def after_run(self, run_context, run_values):
            losses.append(short(run_values.results))

    estimator = tf.keras.estimator.model_to_estimator(
        model, model_dir=model_dir, config=tf.estimator.RunConfig(tf_random_seed=3))
    estimator.train(input_fn, hooks=[Losses()], steps=50)
    metrics = estimator.evaluate(lambda: input_fn(1))
    predictions = [short(one['out']) for one in estimator.predict(lambda: input_fn(1))]
    return {'losses': losses, 'metrics': {k: short(v) for k, v in metrics.items()},
            'predictions': predictions[:10], 'variables': estimator.get_variable_names()}
