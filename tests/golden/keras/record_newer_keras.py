"""Models that TensorFlow 2.15.1 saves: python tests/golden/keras/record_newer_keras.py

Writes files/keras/tf215_*.h5, a SavedModel, and tf215.npz with what the models predict.
"""
import os

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'files', 'keras')
OPTIMIZERS = {'sgd': lambda k: k.SGD(0.1, momentum=0.9), 'adagrad': lambda k: k.Adagrad(0.1),
              'rmsprop': lambda k: k.RMSprop(0.01, momentum=0.5), 'adam': lambda k: k.Adam(0.01),
              'adadelta': lambda k: k.Adadelta(1.0), 'adamax': lambda k: k.Adamax(0.01),
              'ftrl': lambda k: k.Ftrl(0.1)}
keras, layers = tf.keras, tf.keras.layers


def cnn():
    """Layers that a newer Keras gives arguments with defaults."""
    x = layers.Input((6, 6, 2), name='image')
    h = layers.Conv2D(4, 2, kernel_regularizer='l2', kernel_initializer='he_normal', name='c')(x)
    h = layers.SeparableConv2D(4, 2, name='s')(layers.GaussianNoise(0.1, name='n')(h))
    h = layers.Conv2DTranspose(3, 2, name='t')(layers.DepthwiseConv2D(2, name='d')(h))
    y = layers.Add(name='a')([layers.GlobalAveragePooling2D(name='g')(h),
                              layers.GlobalMaxPooling2D(name='m')(h)])
    model = keras.Model(x, layers.Dense(2, activation='softmax', name='y')(y), name='cnn')
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.1, 9)),
                  keras.losses.CategoricalCrossentropy(), metrics=['accuracy', keras.metrics.AUC()])
    return model


def main():
    keras.utils.set_random_seed(1)
    rng = np.random.RandomState(0)
    image, vector = (rng.uniform(size=s).astype('float32') for s in ((4, 6, 6, 2), (8, 3)))
    model = cnn()
    model.train_on_batch(image, np.eye(2)[[0, 1, 0, 1]])
    model.save(os.path.join(FOLDER, 'tf215_cnn.h5'))
    data = {'image': image, 'vector': vector, 'cnn': model.predict(image, verbose=0)}
    for name, make in OPTIMIZERS.items():
        model = keras.Sequential([layers.Dense(3, activation='tanh', input_shape=(3,), name='p'),
                                  layers.Dense(3, name='q')], name='mlp')
        model.compile(make(keras.optimizers), 'mse')
        for _ in range(3):
            model.train_on_batch(vector, vector[:, ::-1])
        model.save(os.path.join(FOLDER, 'tf215_%s.h5' % name))
        if name == 'sgd':
            model.save(os.path.join(FOLDER, 'tf215_saved'), save_format='tf')
        data[name] = [model.train_on_batch(vector, vector[:, ::-1]) for _ in range(3)]
    np.savez(os.path.join(FOLDER, 'tf215.npz'), **data)


if __name__ == '__main__':
    main()
