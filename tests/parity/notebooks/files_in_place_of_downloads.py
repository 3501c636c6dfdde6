"""Small local files, the same on both sides, for what notebooks download.

`tf.keras.utils.get_file` writes a file or folder of the same kind, by the name in its address, and
`tensorflow_datasets` has two small data sets. It runs on TensorFlow's older Pythons as well.
"""
import os
import random
import sys
import types


def _table(header, row, number):
    chance = random.Random(5)
    lines = [header] if header else []
    return '\n'.join(lines + [row(chance, index) for index in range(number)]) + '\n'


def _passenger(chance, index):
    return ','.join(str(value) for value in (
        index % 3 == 0 and 1 or 0, chance.choice(['male', 'female']), float(chance.randint(1, 70)),
        chance.randint(0, 3), chance.randint(0, 3), round(chance.random() * 90, 4),
        chance.choice(['First', 'Second', 'Third']), chance.choice(['unknown', 'A', 'B', 'C']),
        chance.choice(['Southampton', 'Cherbourg', 'Queenstown']), chance.choice(['y', 'n'])))


def _iris(chance, index):
    kind = index % 3
    return '%.1f,%.1f,%.1f,%.1f,%d' % (
        5 + kind + chance.random(), 3 + chance.random(), 1.5 + 2 * kind + chance.random(),
        0.3 + 0.8 * kind + chance.random() / 3, kind)


def _car(chance, index):
    return '%.1f   %d   %.1f      %s      %.0f.      %.1f   %d  %d\t"a car"' % (
        10 + 30 * chance.random(), chance.choice([4, 6, 8]), 100 + 200 * chance.random(),
        '?' if index == 7 else '%.1f' % (70 + 100 * chance.random()),
        2000 + 2000 * chance.random(), 10 + 10 * chance.random(), 70 + index % 12, 1 + index % 3)


def _lines_of_a_play():
    chance = random.Random(3)
    words = ['the', 'king', 'and', 'queen', 'speak', 'of', 'night', 'sword', 'love', 'my', 'lord']
    return '\n'.join('ROMEO:\n%s.\n' % ' '.join(chance.choice(words) for _ in range(9)).capitalize()
                     for _ in range(900))


TEXTS = {
    'train.csv': lambda: _table('survived,sex,age,n_siblings_spouses,parch,fare,class,deck,'
                                'embark_town,alone', _passenger, 600),
    'eval.csv': lambda: _table('survived,sex,age,n_siblings_spouses,parch,fare,class,deck,'
                               'embark_town,alone', _passenger, 200),
    'iris_training.csv': lambda: _table('120,4,setosa,versicolor,virginica', _iris, 120),
    'iris_test.csv': lambda: _table('30,4,setosa,versicolor,virginica', _iris, 30),
    'auto-mpg.data': lambda: _table('', _car, 390),
    'shakespeare.txt': _lines_of_a_play,
}


def _picture(path, seed):
    import numpy as np
    from PIL import Image
    noise = np.random.RandomState(seed).randint(0, 255, (12, 16, 3)).astype('uint8')
    Image.fromarray(noise).resize((320, 213)).save(path)


def _folder_of_pictures(path, kinds, number):
    for kind in kinds:
        os.makedirs(os.path.join(path, kind))
        for index in range(number):
            _picture(os.path.join(path, kind, '%d.jpg' % index), hash((len(kind), index)) % 1000)
    with open(os.path.join(path, 'LICENSE.txt'), 'w') as file:
        for kind in kinds:
            for index in range(number):
                file.write('%s/%d.jpg CC-BY by somebody\n' % (kind, index))


def get_file(fname=None, origin=None, *args, **kwargs):
    """In place of a download: the path of a local file or folder."""
    name = os.path.basename(origin or fname)
    folder = os.path.join(os.getcwd(), 'downloads')
    if not os.path.isdir(folder):
        os.makedirs(folder)
    path = os.path.join(folder, os.path.basename(fname or name))
    if os.path.exists(path):
        return path
    if name in TEXTS:
        with open(path, 'w') as file:
            file.write(TEXTS[name]())
    elif name.endswith('.jpg'):
        _picture(path, len(name))
    elif name.startswith('flower_photos'):
        _folder_of_pictures(path, ['daisy', 'dandelion', 'roses', 'sunflowers', 'tulips'], 30)
    else:
        raise OSError('no stand-in for %s' % origin)
    return path


def _load(name, split='train', with_info=False, as_supervised=False, **ignored):
    import numpy as np
    import tensorflow as tf
    from programs.stand_ins import images
    shape, classes = {'mnist': ((28, 28, 1), 10), 'cats_vs_dogs': ((70, 60, 3), 2)}[name]

    def data(number, seed):
        x, y = images(number, shape, seed, classes)
        return tf.data.Dataset.from_tensor_slices((x, y.astype(np.int64)))

    info = types.SimpleNamespace(splits={
        'train': types.SimpleNamespace(num_examples=600),
        'test': types.SimpleNamespace(num_examples=100)})
    loaded = {'train': data(600, 1), 'test': data(100, 2)}
    if name == 'cats_vs_dogs':          # its one part is 'train'
        loaded = {'train': loaded['train']}
    return (loaded, info) if with_info else loaded


def before_import():
    """What must hold before the cells run: `import tensorflow_datasets` finds this."""
    module = types.ModuleType('tensorflow_datasets')
    module.load = _load
    module.disable_progress_bar = lambda: None
    sys.modules['tensorflow_datasets'] = module


def put_in(tf):
    """get_file of all its names; MobileNetV2 without the weights that would be downloaded."""
    mobile_net = tf.keras.applications.MobileNetV2

    def without_weights(*args, **kwargs):
        return mobile_net(*args, **dict(kwargs, weights=None))
    for home in (tf.keras, tf.compat.v1.keras):
        home.utils.get_file = get_file
        home.applications.MobileNetV2 = without_weights
