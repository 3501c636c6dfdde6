"""Whole programs for `import keras` and for tf.keras: data, model, training. Python 3.7 and newer.

Each takes the keras module and returns the numbers that it would print. Nothing sets weights:
np.random.seed (and for tf.keras tf.set_random_seed) decides all of them.
"""
import numpy as np


def _plain(keras):
    """Not the orthogonal matrices of Keras 2.1: signs of their columns are the LAPACK library's."""
    return {'recurrent_initializer': 'glorot_uniform'} if _is_keras_2(keras) else {}


def _is_keras_2(keras):
    return keras.__name__ in ('keras', 'keras_layer.keras2')


def _points(count=60, size=5, classes=3):
    x = np.random.uniform(-1, 1, (count, size)).astype('float32')
    return x, np.argmax(x[:, :classes] + .3 * np.random.normal(size=(count, classes)), axis=1)


def _images(count=40, size=8):
    x = np.random.uniform(0, 1, (count, size, size, 1)).astype('float32')
    return x, (x[:, :, :size // 2].sum((1, 2, 3)) > x[:, :, size // 2:].sum((1, 2, 3))).astype('int32')


def _sequences(count=48, length=7, words=12):
    x = np.random.randint(1, words, (count, length))
    for row, end in zip(x, np.random.randint(2, length + 1, count)):
        row[end:] = 0
    return x, (x.sum(1) % 2).reshape(-1, 1)


def _numbers(*found):
    """All numbers of histories, dicts and lists, in order."""
    numbers = []
    for each in found:
        if hasattr(each, 'history'):
            each = each.history
        if isinstance(each, dict):
            each = [each[key] for key in sorted(each, key=_old_name)]
        numbers += [float(x) for part in each for x in np.ravel(part)] \
            if isinstance(each, (list, tuple)) else [float(x) for x in np.ravel(each)]
    return numbers


def _old_name(key):
    return key.replace('accuracy', 'acc')


def softmax(keras):
    x, y = _points()
    model = keras.models.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(5,))])
    model.compile('sgd', 'sparse_categorical_crossentropy', metrics=['accuracy'])
    return _numbers(model.fit(x, y, batch_size=16, epochs=3, verbose=0), model.evaluate(x, y, verbose=0))


def mlp_with_dropout(keras):
    x, y = _points(80)
    model = keras.models.Sequential()
    model.add(keras.layers.Dense(16, activation='relu', input_dim=5))
    model.add(keras.layers.Dropout(0.5))
    model.add(keras.layers.Dense(8, kernel_initializer='he_normal', activation='elu'))
    model.add(keras.layers.Dropout(0.2))
    model.add(keras.layers.Dense(3, activation='softmax'))
    model.compile('rmsprop', 'categorical_crossentropy', metrics=['accuracy'])
    return _numbers(model.fit(x, keras.utils.to_categorical(y, 3), epochs=3, batch_size=16,
                              validation_split=0.25, verbose=0))


def cnn(keras):
    L = keras.layers
    x, y = _images()
    model = keras.models.Sequential([
        L.Conv2D(4, (3, 3), activation='relu', input_shape=(8, 8, 1)), L.MaxPooling2D((2, 2)),
        L.Dropout(0.25), L.Flatten(), L.Dense(6, activation='tanh'), L.Dense(1, activation='sigmoid')])
    model.compile(keras.optimizers.SGD(lr=0.1, momentum=0.9, nesterov=True), 'binary_crossentropy',
                  metrics=['accuracy'])
    history = model.fit(x, y, epochs=2, batch_size=8, validation_data=(x[:10], y[:10]), verbose=0)
    return _numbers(history, model.predict(x[:3]))


def cnn_of_separable_convolutions(keras):
    L = keras.layers
    x, y = _images()
    model = keras.models.Sequential([
        L.SeparableConv2D(4, 3, activation='relu', input_shape=(8, 8, 1)), L.BatchNormalization(),
        L.LeakyReLU(0.2), L.GlobalAveragePooling2D(), L.Dense(2, activation='softmax')])
    model.compile('rmsprop', 'sparse_categorical_crossentropy')
    return _numbers(model.fit(x, y, epochs=3, verbose=0), model.evaluate(x, y, verbose=0))


def lstm(keras):
    L = keras.layers
    x, y = _sequences()
    model = keras.models.Sequential([L.Embedding(12, 4), L.LSTM(5, **_plain(keras)), L.Dense(1, activation='sigmoid')])
    model.compile('rmsprop', 'binary_crossentropy', metrics=['accuracy'])
    return _numbers(model.fit(x, y, epochs=2, batch_size=12, verbose=0))


def gru_over_masked_steps(keras):
    L = keras.layers
    x, y = _sequences()
    model = keras.models.Sequential([
        L.Embedding(12, 4, mask_zero=True, input_length=7),
        L.GRU(4, return_sequences=True, reset_after=False, recurrent_activation='hard_sigmoid', **_plain(keras)),
        L.GRU(3, reset_after=False, recurrent_activation='hard_sigmoid', **_plain(keras)),
        L.Dense(1, activation='sigmoid')])
    model.compile('adagrad', 'binary_crossentropy', metrics=['accuracy'])
    return _numbers(model.fit(x, y, epochs=2, batch_size=16, verbose=0))


def rnn_with_a_target_at_each_step(keras):
    L = keras.layers
    x = np.random.normal(size=(24, 6, 2))
    x[::3, 4:] = 0
    y = np.cumsum(x, axis=1)[:, :, :1]
    model = keras.models.Sequential([L.Masking(input_shape=(6, 2)),
                                     L.SimpleRNN(4, return_sequences=True, **_plain(keras)), L.TimeDistributed(L.Dense(1))])
    model.compile('sgd', 'mse')
    return _numbers(model.fit(x, y, epochs=3, batch_size=8, verbose=0), model.predict(x[:2]))


def temporal_weights(keras):
    L = keras.layers
    x = np.random.normal(size=(20, 5, 2))
    model = keras.models.Sequential([L.SimpleRNN(3, return_sequences=True, input_shape=(5, 2), **_plain(keras)), L.Dense(1)])
    model.compile('sgd', 'mse', sample_weight_mode='temporal')
    return _numbers(model.fit(x, x[:, :, 1:], sample_weight=np.random.uniform(.5, 2, (20, 5)),
                              epochs=3, batch_size=5, verbose=0))


def bidirectional_lstm_with_recurrent_dropout(keras):
    L = keras.layers
    x, y = _sequences(32)
    model = keras.models.Sequential([
        L.Embedding(12, 4, input_length=7), L.SpatialDropout1D(0.3),
        L.Bidirectional(L.LSTM(3, dropout=0.2, recurrent_dropout=0.3, **_plain(keras))), L.Dense(1, activation='sigmoid')])
    model.compile('rmsprop', 'binary_crossentropy')
    return _numbers(model.fit(x, y, epochs=2, batch_size=16, verbose=0))


def sample_weights(keras):
    x, y = _points()
    model = keras.models.Sequential([keras.layers.Dense(4, activation='tanh', input_shape=(5,)),
                                     keras.layers.Dense(1)])
    model.compile('sgd', 'mae')
    return _numbers(model.fit(x, y, sample_weight=np.random.uniform(.2, 3, 60), epochs=3, verbose=0))


def class_weights(keras):
    x, y = _points()
    model = keras.models.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(5,))])
    model.compile('rmsprop', 'categorical_crossentropy')
    return _numbers(model.fit(x, keras.utils.to_categorical(y, 3), class_weight={0: 1., 1: 2., 2: .5},
                              epochs=3, batch_size=20, verbose=0))


def callbacks(keras):
    C = keras.callbacks
    x, y = _points()
    model = keras.models.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(5,))])
    model.compile(keras.optimizers.SGD(lr=0.5), 'sparse_categorical_crossentropy')
    seen = []
    history = model.fit(
        x, y, epochs=8, batch_size=30, validation_split=0.2, verbose=0,
        callbacks=[C.ReduceLROnPlateau(factor=0.5, patience=1, monitor='loss', epsilon=0.05)
                   if hasattr(C.ReduceLROnPlateau, 'monitor_op') else
                   C.ReduceLROnPlateau(factor=0.5, patience=1, monitor='loss'),
                   C.EarlyStopping(monitor='val_loss', patience=2, min_delta=0.01),
                   C.LambdaCallback(on_batch_end=lambda batch, logs: seen.append(float(logs['loss'])))])
    return _numbers(history, seen)


def a_schedule_of_learning_rates(keras):
    x, y = _points()
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(5,))])
    model.compile(keras.optimizers.SGD(lr=0.5, decay=0.1), 'mse', metrics=['mae'])
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))
    history = model.fit(x, y, epochs=4, callbacks=[schedule], verbose=0).history
    return _numbers(history['loss'], history['mean_absolute_error'])


def two_inputs(keras):
    L = keras.layers
    a, y = _points()
    b = np.random.normal(size=(60, 2))
    first, second = L.Input((5,)), L.Input((2,))
    both = L.concatenate([L.Dense(4, activation='relu')(first), L.Dense(2)(second)])
    model = keras.models.Model([first, second], L.Dense(3, activation='softmax')(both))
    model.compile('adadelta', 'sparse_categorical_crossentropy', metrics=['accuracy'])
    return _numbers(model.fit([a, b], y, epochs=3, batch_size=16, verbose=0))


def siamese(keras):
    L, K = keras.layers, keras.backend
    a, b = np.random.normal(size=(2, 40, 4))
    y = np.random.randint(0, 2, (40, 1))
    shared = keras.models.Sequential([L.Dense(5, activation='relu', input_shape=(4,)), L.Dropout(0.1),
                                      L.Dense(3)])
    first, second = L.Input((4,)), L.Input((4,))
    distance = L.Lambda(lambda pair: K.sqrt(K.maximum(K.sum(
        K.square(pair[0] - pair[1]), axis=1, keepdims=True), 1e-6)))([shared(first), shared(second)])
    model = keras.models.Model([first, second], distance)

    def contrastive(y_true, y_pred):
        y_true = K.cast(y_true, 'float32')
        return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(1 - y_pred, 0)))
    model.compile('rmsprop', contrastive)
    return _numbers(model.fit([a, b], y, epochs=3, batch_size=10, verbose=0))


def two_outputs(keras):
    L = keras.layers
    x, y = _points()
    inputs = L.Input((5,), name='x')
    hidden = L.Dense(6, activation='tanh')(inputs)
    model = keras.models.Model(inputs, [L.Dense(3, activation='softmax', name='kind')(hidden),
                                        L.Dense(1, name='size')(hidden)])
    model.compile('sgd', {'kind': 'sparse_categorical_crossentropy', 'size': 'mse'},
                  loss_weights={'kind': 1., 'size': .3}, metrics={'kind': 'accuracy', 'size': 'mae'})
    targets = {'kind': y, 'size': x[:, :1] - x[:, 1:2]}
    history = model.fit({'x': x}, targets, epochs=2, batch_size=20, validation_split=0.2, verbose=0)
    return _numbers(history, model.evaluate(x, targets, verbose=0))


def a_generator(keras):
    def batches():
        while True:
            x, y = _points(10)
            yield x, y
    model = keras.models.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(5,))])
    model.compile('rmsprop', 'sparse_categorical_crossentropy')
    x, y = _points(20)
    history = model.fit_generator(batches(), steps_per_epoch=4, epochs=2, validation_data=(x, y),
                                  workers=0, verbose=0)
    return _numbers(history)


def a_sequence(keras):
    class Batches(keras.utils.Sequence):
        def __init__(self):
            self.x, self.y = _points(24)

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.x[6 * index:][:6], self.y[6 * index:][:6]
    data = Batches()
    model = keras.models.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(5,))])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    return _numbers(model.fit_generator(data, epochs=3, shuffle=False, workers=0, verbose=0),
                    model.evaluate_generator(data, workers=0), model.predict_generator(data, workers=0)[:2])


def augmented_images(keras):
    L = keras.layers
    x, y = _images(24)
    flow = keras.preprocessing.image.ImageDataGenerator(horizontal_flip=True, rescale=0.5).flow(
        x, y, batch_size=8, seed=4)
    model = keras.models.Sequential([L.Flatten(input_shape=(8, 8, 1)), L.Dense(1, activation='sigmoid')])
    model.compile('sgd', 'binary_crossentropy')
    return _numbers(model.fit_generator(flow, steps_per_epoch=3, epochs=2, workers=0, verbose=0))


def convolutional_autoencoder(keras):
    L = keras.layers
    x, _ = _images(20)
    model = keras.models.Sequential([
        L.Conv2D(3, 3, activation='relu', padding='same', input_shape=(8, 8, 1)),
        L.MaxPooling2D(2, padding='same'), L.Conv2D(2, 3, activation='relu', padding='same'),
        L.UpSampling2D(2), L.Conv2DTranspose(1, 3, activation='sigmoid', padding='same')])
    model.compile('adadelta', 'binary_crossentropy')
    return _numbers(model.fit(x, x, epochs=2, batch_size=5, verbose=0))


def variational_autoencoder(keras):
    L, K = keras.layers, keras.backend
    x = np.random.uniform(0, 1, (30, 6))
    inputs = L.Input((6,))
    hidden = L.Dense(5, activation='relu')(inputs)
    mean, log_variance = L.Dense(2)(hidden), L.Dense(2)(hidden)

    def sample(both):
        return both[0] + K.exp(both[1] / 2) * K.random_normal(K.shape(both[0]), seed=3)
    z = L.Lambda(sample, output_shape=(2,))([mean, log_variance])
    outputs = L.Dense(6, activation='sigmoid')(z)
    model = keras.models.Model(inputs, outputs)

    def loss(y_true, y_pred):
        divergence = -0.5 * K.sum(1 + log_variance - K.square(mean) - K.exp(log_variance), axis=-1)
        return K.sum(K.square(y_true - y_pred), axis=-1) + divergence
    model.compile('rmsprop', loss)
    return _numbers(model.fit(x, x, epochs=2, batch_size=10, verbose=0))


def batch_normalization(keras):
    L = keras.layers
    x, y = _points()
    model = keras.models.Sequential([
        L.Dense(6, input_shape=(5,), use_bias=False), L.BatchNormalization(), L.Activation('relu'),
        L.Dense(3, activation='softmax')])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    return _numbers(model.fit(x, y, epochs=3, batch_size=15, validation_split=.25, verbose=0), model.predict(x[:2]))


def regularized_and_constrained(keras):
    L = keras.layers
    x, y = _points()
    model = keras.models.Sequential([
        L.GaussianNoise(0.1, input_shape=(5,)),
        L.Dense(6, kernel_regularizer=keras.regularizers.l2(0.01), activity_regularizer=keras.regularizers.l1(0.001)),
        L.PReLU(), L.GaussianDropout(0.2),
        L.Dense(3, activation='softmax', kernel_constraint=keras.constraints.max_norm(1.))])
    model.compile(keras.optimizers.SGD(lr=0.2, clipvalue=0.5), 'sparse_categorical_crossentropy')
    return _numbers(model.fit(x, y, epochs=3, batch_size=20, verbose=0))


def gan(keras):
    L = keras.layers
    generator = keras.models.Sequential([L.Dense(4, activation='relu', input_shape=(2,)), L.Dense(3)])
    critic = keras.models.Sequential([L.Dense(4, input_shape=(3,)), L.LeakyReLU(0.2),
                                      L.Dense(1, activation='sigmoid')])
    critic.compile('rmsprop', 'binary_crossentropy')
    critic.trainable = False
    noise = L.Input((2,))
    both = keras.models.Model(noise, critic(generator(noise)))
    both.compile('rmsprop', 'binary_crossentropy')
    losses = []
    for _ in range(5):
        z = np.random.normal(size=(8, 2))
        x = np.concatenate([np.random.normal(1, .5, (8, 3)), generator.predict(z)])
        losses.append(critic.train_on_batch(x, np.repeat([[1.], [0.]], 8, axis=0)))
        losses.append(both.train_on_batch(z, np.ones((8, 1))))
    return _numbers(losses, critic.predict(x[:2]))


def fine_tuning(keras):
    L = keras.layers
    x, y = _points()
    base = keras.models.Sequential([L.Dense(6, activation='tanh', input_shape=(5,)), L.Dense(4, activation='tanh')])
    model = keras.models.Sequential([base, L.Dense(3, activation='softmax')])
    base.trainable = False
    model.compile('rmsprop', 'sparse_categorical_crossentropy')
    first = model.fit(x, y, epochs=2, verbose=0)
    base.trainable = True
    base.layers[0].trainable = False
    model.compile(keras.optimizers.SGD(lr=0.01), 'sparse_categorical_crossentropy')
    return _numbers(first, model.fit(x, y, epochs=2, verbose=0))


def a_layer_of_its_own(keras):
    L, K = keras.layers, keras.backend

    class Scaled(L.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight(name='scale', shape=(int(input_shape[-1]),), initializer='uniform',
                                         trainable=True)
            super(Scaled, self).build(input_shape)

        def call(self, x):
            return x * self.scale

        def compute_output_shape(self, input_shape):
            return input_shape

    def largest(y_true, y_pred):
        return K.max(K.abs(y_true - y_pred), axis=-1)
    x = np.random.normal(size=(40, 3))
    model = keras.models.Sequential([Scaled(input_shape=(3,)), L.Dense(2, kernel_initializer='lecun_uniform')])
    model.compile('rmsprop', 'mse', metrics=[largest])
    return _numbers(model.fit(x, x[:, :2] * 2, epochs=3, batch_size=10, verbose=0))


def text_by_convolutions(keras):
    L = keras.layers
    x, y = _sequences()
    model = keras.models.Sequential([
        L.Embedding(12, 5, input_length=7), L.Conv1D(4, 3, activation='relu', padding='valid'),
        L.GlobalMaxPooling1D(), L.Dense(1, activation='sigmoid')])
    model.compile('rmsprop', 'binary_crossentropy', metrics=['accuracy'])
    return _numbers(model.fit(x, y, epochs=3, batch_size=16, verbose=0))


def residual_blocks(keras):
    L = keras.layers
    x, y = _images(20)
    inputs = L.Input((8, 8, 1))
    h = L.Conv2D(3, 3, padding='same', kernel_initializer='he_normal')(inputs)
    for _ in range(2):
        inner = L.Activation('relu')(L.BatchNormalization()(h))
        h = L.add([h, L.Conv2D(3, 3, padding='same', kernel_initializer='he_normal')(inner)])
    model = keras.models.Model(inputs, L.Dense(2, activation='softmax')(L.GlobalAveragePooling2D()(h)))
    model.compile(keras.optimizers.SGD(lr=0.1, momentum=0.9), 'sparse_categorical_crossentropy')
    return _numbers(model.fit(x, y, epochs=2, batch_size=10, verbose=0))


def stateful_lstm(keras):
    L = keras.layers
    x = np.sin(np.arange(40) / 3.).reshape(8, 5, 1)
    model = keras.models.Sequential([L.LSTM(4, stateful=True, batch_input_shape=(2, 5, 1), **_plain(keras)), L.Dense(1)])
    model.compile('rmsprop', 'mse')
    losses = []
    for _ in range(2):
        losses += model.fit(x, x[:, -1], epochs=1, batch_size=2, shuffle=False, verbose=0).history['loss']
        model.reset_states()
    return _numbers(losses, model.predict(x, batch_size=2))


def encoder_and_decoder(keras):
    L = keras.layers
    a = np.eye(5)[np.random.randint(0, 5, (20, 4))]
    before = np.concatenate([np.zeros((20, 1, 5)), a[:, ::-1][:, :-1]], axis=1)
    encoder_inputs, decoder_inputs = L.Input((None, 5)), L.Input((None, 5))
    _, h, c = L.LSTM(6, return_state=True, **_plain(keras))(encoder_inputs)
    outputs, _, _ = L.LSTM(6, return_sequences=True, return_state=True, **_plain(keras))(decoder_inputs, initial_state=[h, c])
    model = keras.models.Model([encoder_inputs, decoder_inputs], L.Dense(5, activation='softmax')(outputs))
    model.compile('rmsprop', 'categorical_crossentropy')
    return _numbers(model.fit([a, before], a[:, ::-1], epochs=2, batch_size=10, validation_split=.2, verbose=0))


def skip_grams(keras):
    L = keras.layers
    words = np.random.randint(1, 15, 40).tolist()
    couples, labels = keras.preprocessing.sequence.skipgrams(words, 15, window_size=2, seed=5)
    couples = np.array(couples)
    target, context = L.Input((1,)), L.Input((1,))
    table = L.Embedding(15, 4)
    near = L.Reshape((1,))(L.dot([table(target), table(context)], axes=2))
    model = keras.models.Model([target, context], L.Activation('sigmoid')(near))
    model.compile('rmsprop', 'binary_crossentropy')
    return _numbers(model.fit([couples[:, :1], couples[:, 1:]], np.array(labels), epochs=2, batch_size=64, verbose=0))


def a_model_from_its_configuration(keras):
    x, y = _points()
    model = keras.models.Sequential([keras.layers.Dense(6, activation='relu', input_shape=(5,)),
                                     keras.layers.Dense(3, activation='softmax')])
    again = keras.models.model_from_json(model.to_json())
    again.compile('adagrad', 'sparse_categorical_crossentropy')
    first = again.fit(x, y, epochs=2, verbose=0)
    third = keras.models.clone_model(again)
    third.set_weights(again.get_weights())
    third.compile('adadelta', 'sparse_categorical_crossentropy')
    return _numbers(first, third.fit(x, y, epochs=2, verbose=0))


def convolutional_lstm(keras):
    L = keras.layers
    x = np.random.normal(size=(6, 3, 5, 5, 1))
    model = keras.models.Sequential([
        L.ConvLSTM2D(2, 3, padding='same', input_shape=(3, 5, 5, 1), **_plain(keras)), L.Flatten(), L.Dense(1)])
    model.compile('rmsprop', 'mse')
    return _numbers(model.fit(x, x[:, -1].mean((1, 2)), epochs=2, batch_size=3, verbose=0))


def locally_connected(keras):
    L = keras.layers
    x, y = _images(20)
    model = keras.models.Sequential([
        L.ZeroPadding2D(1, input_shape=(8, 8, 1)), L.LocallyConnected2D(2, 3, strides=2, activation='tanh'),
        L.AveragePooling2D(2), L.Permute((3, 1, 2)), L.Flatten(), L.Dense(2, activation='softmax')])
    model.compile('sgd' if _is_keras_2(keras) else 'nadam', 'sparse_categorical_crossentropy')
    return _numbers(model.fit(x, y, epochs=2, batch_size=5, verbose=0))


PROGRAMS = [value for name, value in list(globals().items())
            if callable(value) and not name.startswith('_') and getattr(value, '__module__', '') == __name__]
