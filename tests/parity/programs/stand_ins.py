"""The same stand-ins on both sides, for what programs download, show or draw by chance.

It runs on TensorFlow's older Pythons as well. Nothing is downloaded: MNIST, CIFAR and the other
data sets of Keras are small random ones, pictures are not shown, and every graph has a seed.
"""
import gzip
import os
import random
import struct
import sys
import types

SEED = 1234
TRAIN, TEST = 6000, 500                 # read_data_sets takes 5000 of the first for validation


class Anything:
    """What a drawing library's functions return: it can be called, indexed and unpacked."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter([self, self])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class AnyModule(types.ModuleType):
    """A module of a drawing library."""

    __path__ = []                       # so that its submodules can be imported
    __all__ = []

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Anything()


class Drawing:
    """Finds matplotlib and its like, which draw nothing."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition('.')[0] in ('matplotlib', 'mpl_toolkits', 'seaborn', 'pylab', 'cv2'):
            from importlib.machinery import ModuleSpec
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return AnyModule(spec.name)

    def exec_module(self, module):
        pass


def images(number, shape, seed, classes=10):
    """Images of `number` digits or things, each class with a pattern of its own, and labels.

    Most of an image is dark, as in MNIST; brighter ones would make some trainings diverge.
    """
    import numpy as np
    chance = np.random.RandomState(0)
    lit = chance.rand(*((classes,) + shape)) < 0.2
    patterns = np.where(lit, chance.randint(60, 240, lit.shape), 0).astype('uint8')
    chance = np.random.RandomState(seed)
    labels = chance.randint(0, classes, number).astype('uint8')
    noise = chance.randint(0, 15, (min(number, 1000),) + shape).astype('uint8')
    return patterns[labels] + noise[np.arange(number) % len(noise)], labels


def write_mnist(folder):
    """The four files of MNIST, where they are missing."""
    if not os.path.isdir(folder):
        os.makedirs(folder)
    for name, number, seed in (('train', TRAIN, 1), ('t10k', TEST, 2)):
        x, y = images(number, (28, 28), seed)
        for kind, header, values in (
                ('images-idx3', struct.pack('>iiii', 2051, number, 28, 28), x),
                ('labels-idx1', struct.pack('>ii', 2049, number), y)):
            path = os.path.join(folder, '%s-%s-ubyte.gz' % (name, kind))
            if not os.path.exists(path):
                with gzip.open(path, 'wb', compresslevel=1) as file:
                    file.write(header + values.tobytes())


def data_sets():
    """Name of a data set of Keras -> what its load_data() returns."""
    import numpy as np
    chance = np.random.RandomState(3)

    def texts(number, classes, words=9000):
        def load(num_words=None, maxlen=None, **ignored):
            rows = []
            for _ in range(number):
                ids = chance.randint(4, min(num_words or words, words), chance.randint(20, 120))
                rows.append([1] + [int(i) for i in ids])
            x = np.empty(number, dtype=object)
            x[:] = rows
            y = np.array([row % classes for row in range(number)])
            half = number // 2
            return (x[:half], y[:half]), (x[half:], y[half:])
        return load

    def pictures(number, shape, column, classes=10):
        def load(*ignored, **also):         # as many as there are: programs have these numbers
            x, y = images(number, shape, 1, classes)
            z, w = images(10000, shape, 2, classes)
            if column:
                y, w = y.reshape(-1, 1), w.reshape(-1, 1)
            return (x, y), (z, w)
        return load

    def houses(*ignored, **also):
        x = chance.rand(500, 13) * 100
        y = x[:, 5] / 4 + chance.rand(500)
        return (x[:400], y[:400]), (x[400:], y[400:])

    digits, things = pictures(60000, (28, 28), False), pictures(50000, (32, 32, 3), True)
    return {'mnist': digits, 'fashion_mnist': digits, 'cifar10': things,
            'cifar100': pictures(50000, (32, 32, 3), True, 100),
            'imdb': texts(600, 2), 'reuters': texts(600, 46), 'boston_housing': houses}


def draw_nothing(*args, **kwargs):
    """In place of plot_model, which needs Graphviz."""


def put_in_data_sets(keras):
    """Puts the stand-ins for data sets and for plot_model into the modules of a Keras."""
    for module in (keras.utils, getattr(keras.utils, 'vis_utils', keras.utils)):
        module.plot_model = draw_nothing
    for name, load in data_sets().items():
        if hasattr(keras.datasets, name):
            getattr(keras.datasets, name).load_data = load


def put_in(tf, default_graph, with_keras):
    """Puts the stand-ins into the modules of TensorFlow, or of tinyflow under its name.

    `default_graph`: there is one already; TensorFlow makes it when it is asked for. `with_keras`:
    the program has `import keras`.
    """
    import urllib.request

    import numpy as np
    from tensorflow.examples.tutorials.mnist import input_data
    original = input_data.read_data_sets

    def read_data_sets(train_dir, *args, **kwargs):
        write_mnist('MNIST_stand_in')
        return original('MNIST_stand_in', *args, **kwargs)

    input_data.read_data_sets = read_data_sets
    homes = [tf.keras]
    if with_keras:
        import keras
        homes.append(keras)
    for home in homes:
        put_in_data_sets(home)

    def no_download(url, *args, **kwargs):
        raise OSError('no stand-in for %s' % getattr(url, 'full_url', url))

    urllib.request.urlretrieve = urllib.request.urlopen = no_download
    init = tf.Graph.__init__

    def seeded(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.seed = SEED

    tf.Graph.__init__ = seeded
    enable = tf.enable_eager_execution

    def enable_eager_execution(*args, **kwargs):
        enable(*args, **kwargs)
        tf.set_random_seed(SEED)

    tf.enable_eager_execution = enable_eager_execution
    if default_graph:
        tf.get_default_graph().seed = SEED
    np.random.seed(SEED)
    random.seed(SEED)


def before_import():
    """What must hold before TensorFlow is imported."""
    sys.meta_path.insert(0, Drawing())
