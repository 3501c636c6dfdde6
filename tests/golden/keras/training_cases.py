"""Models to be trained here and in TF 1.15 from the same weights. Runs under Python 3.7, too."""
import numpy as np


def _data(rng, shape, classes, kind):
    x = rng.uniform(-1, 1, (64,) + shape).astype('float32')
    if kind == 'sparse':
        y = rng.randint(0, classes, 64)
    elif kind == 'one_hot':
        y = np.eye(classes, dtype='float32')[rng.randint(0, classes, 64)]
    elif kind == 'binary':
        y = rng.randint(0, 2, (64, 1)).astype('float32')
    elif kind == 'signs':
        y = rng.choice([-1., 1.], (64, classes)).astype('float32')
    elif kind == 'distribution':
        y = rng.uniform(0.1, 1, (64, classes)).astype('float32')
        y /= y.sum(-1, keepdims=True)
    else:
        y = rng.uniform(-1, 1, (64, classes)).astype('float32')
    return x, y


def models(keras):
    """(name, function that makes and compiles the model, input shape, classes, kind of target)."""
    L, S = keras.layers, keras.Sequential

    def compiled(model, *args, **kwargs):
        model.compile(*args, **kwargs)
        return model

    def functional():
        a = L.Input((6,))
        h = L.Dense(5, activation='tanh')(a)
        skip = L.Add()([h, L.Dense(5)(a)])
        return compiled(keras.Model(a, L.Dense(3, activation='softmax')(skip)), 'rmsprop',
                        'sparse_categorical_crossentropy', metrics=['accuracy'])

    def shared():
        a = L.Input((6,))
        dense = L.Dense(6, activation='relu')
        return compiled(keras.Model(a, L.Dense(2)(dense(dense(a)))), 'sgd', 'mse', metrics=['mae'])

    def nested():
        inner = S([L.Dense(4, activation='relu', input_shape=(6,)), L.Dense(4)])
        a = L.Input((6,))
        return compiled(keras.Model(a, L.Dense(1, activation='sigmoid')(inner(a))), 'adam',
                        'binary_crossentropy', metrics=['accuracy', 'mse'])

    return [
        ('softmax', lambda: compiled(S([L.Dense(3, activation='softmax', input_shape=(6,))]), 'sgd',
                                     'sparse_categorical_crossentropy', metrics=['accuracy']), (6,), 3, 'sparse'),
        ('mlp', lambda: compiled(S([L.Dense(8, activation='relu', input_shape=(6,)), L.Dense(3, activation='softmax')]),
                                 'adam', 'categorical_crossentropy', metrics=['acc']), (6,), 3, 'one_hot'),
        ('regression', lambda: compiled(S([L.Dense(8, activation='tanh', input_shape=(6,)), L.Dense(2)]),
                                        'rmsprop', 'mse', metrics=['mae', 'mape']), (6,), 2, 'numbers'),
        ('binary', lambda: compiled(S([L.Dense(8, activation='elu', input_shape=(6,)), L.Dense(1, activation='sigmoid')]),
                                    'adagrad', 'binary_crossentropy', metrics=['accuracy']), (6,), 1, 'binary'),
        ('regularized', lambda: compiled(S([L.Dense(8, kernel_regularizer='l2', activity_regularizer='l1', input_shape=(6,)),
                                            L.Dense(2, bias_regularizer=keras.regularizers.l1_l2(0.01, 0.02))]), 'sgd', 'mae'), (6,), 2, 'numbers'),
        ('constrained', lambda: compiled(S([L.Dense(8, kernel_constraint='max_norm', input_shape=(6,)),
                                            L.Dense(2, kernel_constraint='non_neg')]), keras.optimizers.SGD(0.5), 'mse'), (6,), 2, 'numbers'),
        ('batch_norm', lambda: compiled(S([L.Dense(8, input_shape=(6,)), L.BatchNormalization(), L.Activation('relu'), L.Dense(3, activation='softmax')]),
                                        'adam', 'sparse_categorical_crossentropy'), (6,), 3, 'sparse'),
        ('cnn', lambda: compiled(S([L.Conv2D(4, 3, activation='relu', input_shape=(8, 8, 2)), L.MaxPooling2D(), L.Flatten(), L.Dense(3, activation='softmax')]),
                                 'adam', 'sparse_categorical_crossentropy', metrics=['accuracy']), (8, 8, 2), 3, 'sparse'),
        ('cnn_norm', lambda: compiled(S([L.SeparableConv2D(4, 3, use_bias=False, input_shape=(8, 8, 2)), L.BatchNormalization(), L.LeakyReLU(), L.GlobalAveragePooling2D(), L.Dense(3)]),
                                      'nadam', 'mse'), (8, 8, 2), 3, 'numbers'),
        ('hinge', lambda: compiled(S([L.Dense(4, input_shape=(6,)), L.PReLU(), L.Dense(2)]), 'adamax', 'hinge'), (6,), 2, 'signs'),
        ('kld', lambda: compiled(S([L.Dense(3, activation='softmax', input_shape=(6,))]), 'adadelta', 'kld', metrics=['categorical_accuracy']), (6,), 3, 'distribution'),
        ('functional', functional, (6,), 3, 'sparse'),
        ('shared', shared, (6,), 2, 'numbers'),
        ('nested', nested, (6,), 1, 'binary'),
        ('logcosh', lambda: compiled(S([L.Dense(4, activation='selu', input_shape=(6,)), L.Dense(2)]), 'ftrl', 'logcosh'), (6,), 2, 'numbers'),
        ('renorm', lambda: compiled(S([L.Dense(8, input_shape=(6,)), L.BatchNormalization(renorm=True, renorm_clipping={'rmax': 2., 'rmin': .5, 'dmax': 1.}, renorm_momentum=.8, momentum=.9), L.Dense(2)]),
                                    'sgd', 'mse'), (6,), 2, 'numbers'),
        ('transposed', lambda: compiled(S([L.Conv2DTranspose(3, 3, strides=2, output_padding=1, padding='same', input_shape=(4, 4, 2)),
                                           L.Conv2DTranspose(2, (3, 2), strides=(3, 2), output_padding=(2, 0)), L.GlobalAveragePooling2D()]),
                                        'adam', 'mse'), (4, 4, 2), 2, 'numbers'),
        ('sequence', lambda: compiled(S([L.Conv1D(4, 3, padding='causal', activation='relu', input_shape=(7, 3)), L.GlobalMaxPooling1D(), L.Dense(2)]),
                                      'adam', 'msle'), (7, 3), 2, 'distribution'),
    ]


def optimizers(keras):
    """(name, optimizer factory)."""
    O = keras.optimizers
    return [
        ('sgd', lambda: O.SGD(0.1)), ('sgd_momentum', lambda: O.SGD(0.1, momentum=0.9)),
        ('sgd_nesterov', lambda: O.SGD(0.1, momentum=0.9, nesterov=True, decay=0.1)),
        ('rmsprop', lambda: O.RMSprop(0.01)),
        ('rmsprop_centered', lambda: O.RMSprop(0.01, centered=True)),
        ('rmsprop_momentum', lambda: O.RMSprop(0.01, momentum=0.5)),
        ('rmsprop_both', lambda: O.RMSprop(0.01, momentum=0.5, centered=True)),
        ('adagrad', lambda: O.Adagrad(0.1)), ('adadelta', lambda: O.Adadelta(1.0)),
        ('adam', lambda: O.Adam(0.01)), ('amsgrad', lambda: O.Adam(0.01, amsgrad=True)),
        ('adam_decay', lambda: O.Adam(0.01, decay=0.05)),
        ('adamax', lambda: O.Adamax(0.01)), ('nadam', lambda: O.Nadam(0.01)),
        ('ftrl', lambda: O.Ftrl(0.1)),
        ('ftrl_l1', lambda: O.Ftrl(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01)),
        ('ftrl_shrinkage', lambda: O.Ftrl(0.1, l2_shrinkage_regularization_strength=0.01)),
        ('clipnorm', lambda: O.SGD(0.5, clipnorm=0.1)), ('clipvalue', lambda: O.SGD(0.5, clipvalue=0.05)),
        ('exponential', lambda: O.SGD(O.schedules.ExponentialDecay(0.5, 3, 0.5))),
        ('staircase', lambda: O.SGD(O.schedules.ExponentialDecay(0.5, 3, 0.5, staircase=True))),
        ('inverse', lambda: O.Adam(O.schedules.InverseTimeDecay(0.1, 3, 0.5))),
        ('polynomial', lambda: O.SGD(O.schedules.PolynomialDecay(0.5, 10, power=2.))),
        ('piecewise', lambda: O.SGD(O.schedules.PiecewiseConstantDecay([3, 7], [0.5, 0.1, 0.01]))),
    ]


def set_weights(model):
    rng = np.random.RandomState(5)
    model.set_weights([(rng.uniform(-0.5, 0.5, w.shape.as_list())
                        + (1. if 'variance' in w.name or 'gamma' in w.name or 'stddev' in w.name else 0.)).astype('float32')
                       for w in model.weights])


def train(tf, make, shape, classes, kind):
    """Losses of 20 batches, then what fit and evaluate report."""
    keras = tf.keras
    keras.backend.clear_session()
    with tf.Graph().as_default():
        model = make()
        set_weights(model)
        x, y = _data(np.random.RandomState(3), shape, classes, kind)
        steps = []
        for i in range(20):
            part = slice(16 * (i % 4), 16 * (i % 4) + 16)
            found = model.train_on_batch(x[part], y[part])
            steps.append([float(v) for v in np.atleast_1d(found)])
        np.random.seed(11)
        history = model.fit(x, y, batch_size=20, epochs=2, verbose=0, validation_split=0.25)
        found = {'steps': steps, 'names': model.metrics_names,
                 'history': {k: [float(v) for v in values] for k, values in history.history.items()},
                 'evaluate': [float(v) for v in np.atleast_1d(model.evaluate(x, y, verbose=0))],
                 'predict': [float(v) for v in np.ravel(model.predict(x[:3]))]}
        weighted = model.fit(x, y, epochs=1, verbose=0, shuffle=False,
                             sample_weight=np.linspace(0.1, 2, 64))
        found['weighted'] = float(weighted.history['loss'][0])
    return found


def optimize(tf, make):
    """Losses of 20 batches of a small network, the optimizer's state and configuration."""
    keras = tf.keras
    keras.backend.clear_session()
    with tf.Graph().as_default():
        L = keras.layers
        model = keras.Sequential([L.Embedding(9, 4, input_length=3), L.Flatten(),
                                  L.Dense(5, activation='tanh'), L.Dense(2)])
        optimizer = make()
        model.compile(optimizer, 'mse')
        set_weights(model)
        rng = np.random.RandomState(2)
        x, y = rng.randint(0, 9, (64, 3)), rng.uniform(-1, 1, (64, 2)).astype('float32')
        losses = [float(model.train_on_batch(x[16 * (i % 4):][:16], y[16 * (i % 4):][:16]))
                  for i in range(20)]
        return {'losses': losses, 'weights': [w.name for w in optimizer.weights],
                'config': optimizer.get_config(),
                'state': [float(np.sum(np.abs(w))) for w in optimizer.get_weights()]}


def run(tf):
    keras = tf.keras
    return {'models': {name: train(tf, *case) for name, *case in models(keras)},
            'optimizers': {name: optimize(tf, make) for name, make in optimizers(keras)}}
