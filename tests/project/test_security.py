"""What SECURITY.md says: what is refused, what runs, and what does not."""
from __future__ import annotations

import io
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.datasets import cifar

ROOT = Path(__file__).resolve().parents[2]
keras = tf.keras
ran = []


class Evil:
    def __reduce__(self):
        return ran.append, ('code ran',)


@pytest.fixture(autouse=True)
def clean():
    ran.clear()
    keras.backend.clear_session()
    yield
    assert ran == []


def test_pickles_run_nothing(tmp_path):
    path = tmp_path / 'batch'
    path.write_bytes(pickle.dumps({b'data': np.zeros((1, 3072), np.uint8), b'labels': Evil()}))
    with pytest.raises(ValueError, match='is not read'):
        cifar.load_batch(str(path))
    np.savez(tmp_path / 'imdb.npz', x=np.array([Evil()], object))
    ran.clear()
    from keras_layer.datasets.safe_pickle import load_npz
    with pytest.raises(ValueError, match='is not read'):
        load_npz(str(tmp_path / 'imdb.npz'))


def test_code_in_lambda_layers_is_refused(tmp_path):
    model = keras.Sequential([keras.layers.Lambda(lambda x: x + 1, input_shape=(1,))])
    text = model.to_json()
    model.save(str(tmp_path / 'm.h5'))
    for load in (lambda: keras.models.model_from_json(text),
                 lambda: keras.models.load_model(str(tmp_path / 'm.h5'))):
        with pytest.raises(ValueError, match='saved as Python code'):
            load()


def test_yaml_makes_no_objects():
    with pytest.raises(ValueError, match='not the YAML of a model'):
        keras.models.model_from_yaml('!!python/object/apply:os.system ["true"]')


def test_classes_are_found_by_name_only():
    for name in ('os.system', 'Evil', 'builtins.eval'):
        with pytest.raises(ValueError, match='Unknown'):
            keras.models.model_from_json(
                f'{{"class_name": "{name}", "config": {{"name": "x", "layers": []}}}}')


def test_archives_stay_in_their_folder(tmp_path):
    path = tmp_path / 'a.tar'
    with tarfile.open(path, 'w') as archive:
        archive.addfile(tarfile.TarInfo('../outside'), io.BytesIO())
    with pytest.raises(ValueError, match='outside'):
        keras.utils.get_file('a.tar', path.as_uri(), cache_dir=str(tmp_path / 'cache'),
                             extract=True)


def graph_of(build):
    with tf.Graph().as_default() as graph:
        build()
        return graph.as_graph_def()


def test_importing_runs_nothing_and_running_does_what_the_graph_says(tmp_path):
    target = tmp_path / 'written'
    proto = graph_of(lambda: tf.write_file(str(target), 'x', name='w'))
    with tf.Graph().as_default(), tf.Session() as session:
        operation, = tf.import_graph_def(proto, return_elements=['w'], name='')
        assert not target.exists()
        session.run(operation)
    assert target.exists()


def test_loading_a_saved_model_runs_its_main_operation(tmp_path):
    target = tmp_path / 'written'
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], 'x')
        main = tf.write_file(str(target), 'x')
        tf.saved_model.simple_save(session, str(tmp_path / 'm'), {'x': x}, {'y': x + 1}, main)
    assert not target.exists()
    tf.saved_model.load(str(tmp_path / 'm')).close()
    assert target.exists()


def test_a_py_func_of_a_file_calls_nothing_that_was_not_registered():
    proto = graph_of(lambda: tf.py_func(lambda: np.float32(1), [], tf.float32, name='p'))
    node, = [n for n in proto.node if n.op.startswith('PyFunc') or n.name == 'p']
    node.attr['token'].s = b'os.system'
    with tf.Graph().as_default(), tf.Session() as session, \
            pytest.raises((ValueError, KeyError, tf.errors.OpError)):
        tensor, = tf.import_graph_def(proto, return_elements=['p:0'], name='')
        session.run(tensor)


def test_the_document_is_linked_and_ships():
    assert 'SECURITY.md' in (ROOT / 'MANIFEST.in').read_text(encoding='utf-8')
    assert '(SECURITY.md)' in (ROOT / 'README.md').read_text(encoding='utf-8')
