"""Properties of Keras, for the table of docs/keras2.md: each gives a short value. Python 3.7, too.

PROPERTIES: {title: function of the keras module}.
"""
import numpy as np

PROPERTIES = {}


def prop(title):
    def keep(function):
        PROPERTIES[title] = function
        return function
    return keep


def _number(x):
    return float('%.4g' % float(x))


def _lr(config):
    return _number(config['lr'] if 'lr' in config else config['learning_rate'])


for _name in ('SGD', 'RMSprop', 'Adagrad', 'Adadelta', 'Adam', 'Adamax', 'Nadam'):
    prop('learning rate of ' + _name)(
        lambda keras, name=_name: _lr(getattr(keras.optimizers, name)().get_config()))
for _name in ('sgd', 'adam', 'adadelta'):
    prop('what the configuration of %s has' % _name)(
        lambda keras, name=_name: ' '.join(sorted(keras.optimizers.get(name).get_config())))


@prop('a step of Adagrad, lr 0.1, from 1 with gradient 2')
def _adagrad(keras):
    return _step(keras, keras.optimizers.Adagrad(lr=0.1))


@prop('a step of RMSprop, lr 0.1, from 1 with gradient 2')
def _rmsprop(keras):
    return _step(keras, keras.optimizers.RMSprop(lr=0.1))


@prop('a step of SGD with clipnorm=1 from (1, 1), in two layers, with gradients 2')
def _clipnorm(keras):
    return _step(keras, keras.optimizers.SGD(lr=0.1, clipnorm=1.), bias=True)


@prop('a step of SGD with clipvalue=0.5, lr 0.1, from 1 with gradient 2')
def _clipvalue(keras):
    return _step(keras, keras.optimizers.SGD(lr=0.1, clipvalue=.5))


def _step(keras, optimizer, bias=False):
    model = _line(keras, bias)
    model.compile(optimizer, 'mse')
    model.train_on_batch(np.ones((1, 1)), np.zeros((1, 1)) + bias)
    return _number(model.get_weights()[0][0, 0])


def _line(keras, bias=False, **settings):
    return keras.models.Sequential([keras.layers.Dense(
        1, kernel_initializer='ones', bias_initializer='ones', use_bias=bias, input_shape=(1,), **settings)])


# ---- names ----------------------------------------------------------------------------------

@prop('names of two Dense layers')
def _dense(keras):
    return ' '.join(keras.layers.Dense(1).name for _ in range(2))


for _name, _make in [
        ('BatchNormalization', lambda L: L.BatchNormalization()), ('MaxPooling2D', lambda L: L.MaxPooling2D()),
        ('Conv2D', lambda L: L.Conv2D(1, 1)), ('LSTM', lambda L: L.LSTM(1)),
        ('TimeDistributed(Dense)', lambda L: L.TimeDistributed(L.Dense(1))),
        ('Bidirectional(LSTM)', lambda L: L.Bidirectional(L.LSTM(1)))]:
    prop('name of the first %s' % _name)(lambda keras, make=_make: make(keras.layers).name)
prop('name of the first Input')(lambda keras: keras.layers.Input((1,)).name)
prop('name of the first Model and Sequential')(lambda keras: ' '.join([
    _functional(keras).name, _line(keras).name]))
prop('names of the weights of the first Dense')(lambda keras: ' '.join(w.name for w in _line(keras, True).weights))


def _functional(keras):
    x = keras.layers.Input((1,))
    return keras.models.Model(x, keras.layers.Dense(1)(x))


# ---- layers ---------------------------------------------------------------------------------

prop('kernel and strides of Conv2D(4, 3, 3)')(lambda keras: '{0[kernel_size]} {0[strides]}'.format(
    keras.layers.Conv2D(4, 3, 3).get_config()))
prop('kernel of Conv2D(4, (3, 2))')(lambda keras: str(keras.layers.Conv2D(4, (3, 2)).kernel_size))
for _name, _key in [('LSTM', 'recurrent_activation'), ('LSTM', 'implementation'), ('LSTM', 'unit_forget_bias'),
                    ('GRU', 'reset_after'), ('GRU', 'recurrent_activation'), ('SimpleRNN', 'activation')]:
    prop('%s of %s' % (_key, _name))(
        lambda keras, name=_name, key=_key: getattr(keras.layers, name)(2).get_config()[key])
prop('momentum and epsilon of BatchNormalization')(lambda keras: '{0.momentum} {0.epsilon}'.format(
    keras.layers.BatchNormalization()))
prop('initializer of Embedding')(lambda keras: keras.layers.Embedding(2, 2).get_config()[
    'embeddings_initializer']['class_name'])
prop('alpha of LeakyReLU')(lambda keras: _number(keras.layers.LeakyReLU().get_config()['alpha']))
prop('compute_output_shape gives a')(lambda keras: type(keras.layers.Dense(2).compute_output_shape((None, 3))).__name__)


@prop('`build` is given a')
def _build(keras):
    class Own(keras.layers.Layer):
        def build(self, input_shape):
            self.given = type(input_shape).__name__
            super(Own, self).build(input_shape)
    layer = Own()
    layer(keras.layers.Input((3,)))
    return layer.given


@prop('moving mean of BatchNormalization after a batch of mean 2')
def _moving(keras):
    model = keras.models.Sequential([keras.layers.BatchNormalization(input_shape=(1,))])
    model.compile('sgd', 'mse')
    model.train_on_batch(np.array([[1.], [3.]]), np.zeros((2, 1)))
    return _number(model.get_weights()[2][0])


@prop('its moving variance after one of variance 1')
def _moving_variance(keras):
    model = keras.models.Sequential([keras.layers.BatchNormalization(input_shape=(1,))])
    model.compile('sgd', 'mse')
    model.train_on_batch(np.array([[1.], [3.]]), np.zeros((2, 1)))
    return _number(model.get_weights()[3][0])


@prop('np.random.seed decides initial weights')
def _seeded(keras):
    found = []
    for _ in range(2):
        np.random.seed(3)
        found.append(keras.models.Sequential([keras.layers.Dense(3, input_shape=(3,))]).get_weights()[0])
    return bool(np.array_equal(*found))


# ---- losses and metrics ----------------------------------------------------------------------

_X = np.arange(5.).reshape(5, 1)


@prop('mse of 0 .. 4 to 0 with sample weights 0 0 1 1 0')
def _weighted(keras):
    model = _line(keras)
    model.compile('sgd', 'mse')
    return _number(model.test_on_batch(_X, _X * 0, sample_weight=np.array([0, 0, 1, 1, 0.])))


@prop('mse of steps 1 2 - -, two of which are masked')
def _masked(keras):
    L = keras.layers
    model = keras.models.Sequential([L.Masking(input_shape=(4, 1)), L.TimeDistributed(
        L.Dense(1, kernel_initializer='ones'))])
    model.compile('sgd', 'mse')
    return _number(model.test_on_batch(np.array([[[1.], [2.], [0.], [0.]]]), np.zeros((1, 4, 1))))


@prop('loss of `evaluate` with batches of 4 and 1')
def _batches(keras):
    model = _line(keras)
    model.compile('sgd', 'mse')
    return _number(model.evaluate(_X, _X * 0, batch_size=4, verbose=0))


@prop('metric mae of `evaluate` with batches of 4 and 1')
def _metric(keras):
    model = _line(keras)
    model.compile('sgd', 'mse', metrics=['mae'])
    return _number(model.evaluate(_X, _X * 0, batch_size=4, verbose=0)[1])


@prop('metric mae of the second train_on_batch, 4, after one of 0')
def _of_batch(keras):
    model = _line(keras)
    model.compile(keras.optimizers.SGD(lr=0.), 'mse', metrics=['mae'])
    model.train_on_batch(_X[:1], _X[:1] * 0)
    return _number(model.train_on_batch(_X[4:], _X[4:] * 0)[1])


def _names(keras, metrics):
    model = _line(keras)
    model.compile('sgd', 'mse', metrics=metrics)
    return ' '.join(model.metrics_names)


for _metrics in (['accuracy'], ['acc'], ['mse'], ['mae', 'mean_squared_error']):
    prop('metrics_names of %s' % _metrics)(lambda keras, metrics=_metrics: _names(keras, metrics))


@prop('metrics_names of two outputs')
def _two(keras):
    L = keras.layers
    x = L.Input((1,))
    model = keras.models.Model(x, [L.Dense(1, name='a')(x), L.Dense(1, name='b')(x)])
    model.compile('sgd', 'mse', metrics=['mae'])
    return ' '.join(model.metrics_names)


@prop('top_k_categorical_accuracy gives one value for')
def _top_k(keras):
    K = keras.backend
    found = K.eval(keras.metrics.top_k_categorical_accuracy(
        K.constant([[0, 1], [1, 0]]), K.constant([[.1, .9], [.2, .8]]), k=1))
    return 'the batch' if np.ndim(found) == 0 else 'each sample'


# ---- fit ------------------------------------------------------------------------------------

def _seen(keras, epochs, **settings):
    """The inputs in the order in which `fit` gives them, as text."""
    seen = []
    model = _line(keras)
    model.compile(keras.optimizers.SGD(lr=0.), 'mse')

    class Batches(keras.callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            seen.append(int(round(float(logs['loss']) ** .5)))

        def on_epoch_end(self, epoch, logs=None):
            seen.append('|')
    np.random.seed(1)
    model.fit(_X, _X * 0, batch_size=1, epochs=epochs, verbose=0, callbacks=[Batches()], **settings)
    return ' '.join(map(str, seen))[:-2]


prop('order of 0 .. 4 in three epochs after np.random.seed(1)')(lambda keras: _seen(keras, 3))
prop('order with validation data')(lambda keras: _seen(keras, 2, validation_data=(_X, _X)))
prop('order with shuffle=False')(lambda keras: _seen(keras, 1, shuffle=False))
prop('order with validation_split=0.4')(lambda keras: _seen(keras, 1, validation_split=.4))


def _calls(keras, **settings):
    told = {}

    class Callback(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            told['params'] = ' '.join(sorted(self.params))

        def on_batch_begin(self, batch, logs=None):
            told['batch begin'] = ' '.join(sorted(logs))

        def on_batch_end(self, batch, logs=None):
            told['batch end'] = ' '.join(sorted(logs))

        def on_epoch_end(self, epoch, logs=None):
            told['epoch end'] = ' '.join(sorted(logs))
            data = getattr(self, 'validation_data', None)
            told['validation'] = None if data is None else str([getattr(d, 'shape', d) for d in data])
    model = _line(keras)
    model.compile('sgd', 'mse', metrics=['mae'])
    model.fit(_X, _X, verbose=0, callbacks=[Callback()], **settings)
    return told


prop('params of callbacks')(lambda keras: _calls(keras)['params'])
prop('logs of on_batch_begin')(lambda keras: _calls(keras)['batch begin'])
prop('logs of on_batch_end')(lambda keras: _calls(keras)['batch end'])
prop('logs of on_epoch_end with validation')(lambda keras: _calls(keras, validation_data=(_X, _X))['epoch end'])
prop('validation_data of callbacks')(lambda keras: _calls(keras, validation_data=(_X, _X))['validation'])
prop('min_delta and patience of EarlyStopping')(lambda keras: '{0.min_delta} {0.patience}'.format(
    keras.callbacks.EarlyStopping(mode='max')))
prop('factor and patience of ReduceLROnPlateau')(lambda keras: '{0.factor} {0.patience}'.format(
    keras.callbacks.ReduceLROnPlateau()))


@prop('epochs that EarlyStopping(patience=2) allows for losses 1 2 3 4')
def _stopping(keras):
    model = _line(keras)
    model.compile('sgd', 'mse')
    stop = keras.callbacks.EarlyStopping(monitor='loss', patience=2)
    model.stop_training = False
    stop.set_model(model)
    stop.set_params({'metrics': ['loss']})
    stop.on_train_begin()
    for epoch in range(4):
        stop.on_epoch_end(epoch, {'loss': epoch + 1.})
        if model.stop_training:
            break
    return epoch + 1


# ---- nodes and certain errors ----------------------------------------------------------------

@prop('input_shapes and output_shapes of the node of a Dense')
def _node(keras):
    node = _functional(keras).layers[1]._inbound_nodes[0]
    return '%s %s' % (node.input_shapes, node.output_shapes)


@prop('a layer that was called twice has an `input`')
def _called_twice(keras):
    layer = keras.layers.Dense(1)
    for _ in range(2):
        layer(keras.layers.Input((1,)))
    return hasattr(layer, 'input')


prop('state_size of LSTM cells of 2 and 3 in a stack')(lambda keras: str([
    size if isinstance(size, int) else list(size) for size in keras.layers.StackedRNNCells(
        [keras.layers.LSTMCell(2), keras.layers.LSTMCell(3)]).state_size]))


def _certain(keras):
    model = keras.models.Sequential([keras.layers.Dense(
        1, activation='sigmoid', use_bias=False, kernel_initializer=keras.initializers.Constant(30.),
        input_shape=(1,))])
    model.compile(keras.optimizers.SGD(1.), 'binary_crossentropy')
    return model.train_on_batch(np.ones((1, 1)), np.zeros((1, 1))), model.get_weights()[0]


prop('binary_crossentropy of sigmoid(30) where 0 is right')(lambda keras: _number(_certain(keras)[0]))
prop('the weight 30 after a step of SGD on that loss')(lambda keras: _number(_certain(keras)[1][0, 0]))


# ---- saving and the backend ------------------------------------------------------------------

prop('what to_json has')(lambda keras: ' '.join(sorted(__import__('json').loads(_functional(keras).to_json()))))
prop('a model of model_from_json trains with Adagrad at')(lambda keras: _from_json(keras))


def _from_json(keras):
    model = keras.models.model_from_json(_line(keras).to_json())
    model.compile('adagrad', 'mse')
    return _lr(model.optimizer.get_config())


@prop('clone_model keeps the class of models inside')
def _cloned(keras):
    x = keras.layers.Input((1,))
    model = keras.models.clone_model(keras.models.Model(x, _line(keras)(x)))
    return isinstance(model.layers[1], keras.models.Sequential)


@prop('names of optimizers in lower case, such as keras.optimizers.rmsprop')
def _lower(keras):
    return hasattr(keras.optimizers, 'rmsprop')


prop('K.epsilon()')(lambda keras: keras.backend.epsilon())
prop('dtype of K.variable(1.)')(lambda keras: str(keras.backend.variable(1.).dtype.name))
prop('_keras_shape of Input((3,))')(lambda keras: str(getattr(keras.layers.Input((3,)), '_keras_shape', None)))
prop('model.uses_learning_phase with Dropout')(lambda keras: getattr(keras.models.Sequential([
    keras.layers.Dropout(.5, input_shape=(1,))]), 'uses_learning_phase', None))
prop('seed of he_normal()')(lambda keras: str(keras.initializers.he_normal().get_config().get('seed')))
prop('K.image_data_format()')(lambda keras: keras.backend.image_data_format())


def table(recorded):
    """The table of docs/keras2.md: first where the two differ, then where they agree."""
    differ, agree = [], []
    for title in PROPERTIES:
        values = [recorded[name][title] for name in ('keras', 'tf.keras')]
        row = '| %s | %s | %s |' % ((title,) + tuple(map(_shown, values)))
        (differ if values[0] != values[1] else agree).append(row)
    head = '| property | `import keras` | `tf.keras` |\n|---|---|---|\n'
    return head + '\n'.join(differ) + '\n\nBoth have:\n\n' + head + '\n'.join(agree)


def _shown(value):
    return 'not there' if value is None else {True: 'yes', False: 'no'}[value] \
        if isinstance(value, bool) else '`%s`' % str(value).replace('|', '/')
