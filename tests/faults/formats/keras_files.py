"""Keras models and weights in HDF5 files, and in SavedModels."""
from __future__ import annotations

import pathlib
import shutil

import tinyflow as tf
from tests.faults.damage import damaged
from tests.faults.format import file_format
from tests.faults.messages import damage_of
from tinyflow.formats.protos.saved_model_pb2 import SavedModel

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'keras'
MODELS = ('tf115_mlp', 'tf115_lstm', 'keras216_adam', 'keras216_cnn')
WEIGHTS = ('tf115_cnn_weights', 'keras216_cnn_weights')
MARKS = (b'TREE', b'HEAP', b'SNOD', b'GCOL')


def _files(names):
    return {f'{name}.h5': (FOLDER / f'{name}.h5').read_bytes() for name in names}


def _small():
    from keras_layer.utils import hdf5  # start-up time
    hdf5._SECONDS = 2           # small files: the other process need not wait longer


@file_format('HDF5 models', lambda: _files(MODELS), marks=MARKS)
def _model(place, name, data):
    _small()
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        tf.keras.models.load_model(str(path))


def _receivers():
    _small()
    return {name: tf.keras.models.load_model(str(FOLDER / f'{name[:-8]}.h5')) for name in WEIGHTS}


@file_format('HDF5 weights', lambda: _files(WEIGHTS), marks=MARKS, begin=_receivers)
def _weights(place, name, data, models):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    models[path.stem].load_weights(str(path), by_name=name.startswith('k'))


@file_format('HDF5Matrix', lambda: _files(WEIGHTS), marks=MARKS)
def _matrix(place, name, data):
    _small()
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    import h5py  # optional package
    with h5py.File(FOLDER / name) as file:
        found = []
        file.visit(lambda key: found.append(key) if hasattr(file[key], 'shape') else None)
    for key in found[:3]:
        matrix = tf.keras.utils.HDF5Matrix(str(path), key)
        matrix[0:2]


def _saved():
    folder = FOLDER / 'tf115_saved'
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob('*') if p.is_file()}


_of_saved_model = damage_of(SavedModel)


def _damage(data, chance, marks):
    return (_of_saved_model if len(data) > 4000 else damaged)(data, chance, marks)


@file_format('Keras SavedModel', _saved, _damage, named=("'",))
def _saved_model(place, name, data):
    target = pathlib.Path(place, 'm')
    shutil.copytree(FOLDER / 'tf115_saved', target)
    (target / name).write_bytes(data)
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        tf.keras.experimental.load_from_saved_model(str(target))
