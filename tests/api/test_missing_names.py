"""TF1 names that tinyflow does not have: the error says so, and what to write instead."""
import importlib
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tinyflow as tf
from tinyflow.graph.support import missing as module
from tinyflow.graph.support.missing import MissingNameError, explain_missing


def refusal(path):
    """The error that tf gives for the missing name `path`."""
    value = tf
    with pytest.raises(MissingNameError) as caught:
        for part in path.split('.'):
            value = getattr(value, part)
    return str(caught.value)


@pytest.mark.parametrize('path, message', [
    ('nn.softmx', 'there is no tf.nn.softmx; nearest: tf.nn.softmax, tf.nn.log_softmax.'),
    ('placehoder', 'there is no tf.placehoder; nearest: tf.placeholder, tf.sparse_placeholder.'),
    ('rellu', 'there is no tf.rellu; nearest: tf.nn.relu, tf.nn.relu6, tf.nn.crelu.'),
    ('session', 'there is no tf.session; nearest: tf.Session.'),
    ('zzz', 'there is no tf.zzz.'),
    ('nn.seq2seq.embedding_attention_seq2seq',
     'tf.nn.seq2seq was renamed in TensorFlow 1.0: it is tf.contrib.legacy_seq2seq, or the newer '
     'tf.contrib.seq2seq.'),
    ('models.rnn', 'tf.models was renamed in TensorFlow 1.0: it is tf.nn.dynamic_rnn, with the '
                   'cells of tf.nn.rnn_cell.'),
])
def test_a_typing_mistake(path, message):
    more = '\n  More: python -m tinyflow why unknown-name'
    assert refusal(path) == message + more * message.startswith('there is no')


@pytest.mark.parametrize('path, place', [
    ('relu', 'tf.nn.relu'), ('softmax', 'tf.nn.softmax'),
    ('AdamOptimizer', 'tf.train.AdamOptimizer'), ('nn.matmul', 'tf.matmul'),
    ('math.reshape', 'tf.reshape'),
])
def test_a_name_in_another_namespace(path, place):
    assert refusal(path) == f'there is no tf.{path}; it is {place}.'


@pytest.mark.parametrize('path, now', [
    ('mul', 'tf.multiply'), ('sub', 'tf.subtract'), ('neg', 'tf.negative'), ('pack', 'tf.stack'),
    ('unpack', 'tf.unstack'), ('select', 'tf.where'), ('inv', 'tf.reciprocal'),
    ('train.SummaryWriter', 'tf.summary.FileWriter'),
])
def test_a_name_from_before_1_0(path, now):
    assert refusal(path) == f'tf.{path} was renamed in TensorFlow 1.0: it is {now}.'


def test_a_name_of_tensorflow_2():
    assert refusal('nn.silu') == (
        'tf.nn.silu belongs to TensorFlow 2; in TensorFlow 1: x * tf.sigmoid(x). '
        "TensorFlow 2's names, as far as tinyflow has them, are in tf.compat.v2, and in `tf` of a "
        'program that `python -m tinyflow run --v2` runs.')
    assert 'tf.train' in refusal('optimizers')


@pytest.mark.parametrize('path', sorted(module._NOT_PLANNED))
def test_a_name_of_tensorflow_1_15_that_is_no_part_of_the_plan(path):
    text = refusal(path)
    assert text.startswith(f'tf.{path} is not in tinyflow')
    assert 'TensorFlow 2' not in text and 'yet' not in text


def test_names_of_tensorflow_2_are_not_in_1_15():
    assert not set(module._TENSORFLOW_2) & module._tensorflow_1()
    assert set(module._NOT_PLANNED) <= module._tensorflow_1()
    assert refusal('random.set_seed').startswith(
        'tf.random.set_seed belongs to TensorFlow 2; in TensorFlow 1: tf.set_random_seed.')


# By TensorFlow 1.15's own identity of objects, these are all whose other names tinyflow has.
@pytest.mark.parametrize('path, same', [
    ('dtypes.as_string', 'as_string'), ('initializers.tables_initializer', 'tables_initializer'),
    *[(f'io.{name}', f'image.{name}') for name in (
        'decode_and_crop_jpeg', 'decode_bmp', 'decode_gif', 'decode_image', 'decode_jpeg',
        'decode_png', 'encode_jpeg', 'extract_jpeg_shape', 'is_jpeg')]])
def test_a_second_name_of_the_same_function(path, same):
    assert _resolved(f'tf.{path}') is _resolved(f'tf.{same}')
    space, _, name = path.rpartition('.')
    assert name in dir(_resolved(f'tf.{space}'))


def test_a_name_that_comes_later():
    assert refusal('layers.experimental') == 'tf.layers.experimental is not in tinyflow yet.'
    assert refusal('nn.quantized_conv2d') == 'tf.nn.quantized_conv2d is not in tinyflow yet.'
    for name in module._INSTEAD:
        assert 'is not in tinyflow yet; until then: ' in refusal(name)
        assert 'nearest' not in refusal(name)


def _resolved(symbol):
    value = tf
    for part in symbol.split('.')[1:]:
        value = getattr(value, part)
    return value


# What 227 published TensorFlow 1 programs use; the Keras layer has its own tests.
USED = Path(__file__).with_name('used_symbols.txt').read_text(encoding='utf-8').split()
HERE = [symbol for symbol in USED if not symbol.startswith(('tf.keras.', 'tf.estimator.'))]
LATER = ('tf.distribute.cluster_resolver.TPU', 'tf.distribute.experimental.TPU', 'tf.tpu.',
         'tf.nn.compute_average', 'tf.nn.seq2seq.')


@pytest.mark.parametrize('symbol', [s for s in HERE if not s.startswith(LATER)])
def test_a_symbol_that_programs_use_is_there(symbol):
    _resolved(symbol)


@pytest.mark.parametrize('symbol', [s for s in HERE if s.startswith(LATER)])
def test_the_error_for_a_missing_symbol_names_a_replacement(symbol):
    with pytest.raises(MissingNameError) as caught:
        _resolved(symbol)
    text = str(caught.value)
    assert re.search('not in tinyflow yet; until then: |not in tinyflow; instead: |'
                     'belongs to TensorFlow 2|is not part of tinyflow|was renamed', text), text
    assert 'tf.' in text.partition(';')[2] + text.partition(':')[2], text


RECOMMENDED = [*module._INSTEAD.values(), *module._TENSORFLOW_2.values(),
               *module._NOT_PLANNED.values()]


@pytest.mark.parametrize('text', [text for text in RECOMMENDED if 'tf.' in text])
def test_recommended_names_exist(text):
    for path in re.findall(r'\btf\.([A-Za-z_]\w*(?:\.\w+)*)', text):
        value = tf
        for part in path.split('.'):
            value = getattr(value, part)


def test_the_tables_are_about_names_that_are_missing():
    for path in [*module._RENAMED, *module._INSTEAD]:
        assert 'tf.' in refusal(path)
    assert set(module._INSTEAD) <= module._tensorflow_1()
    assert not set(module._RENAMED) & module._tensorflow_1()


@pytest.mark.parametrize('name', [
    'api', 'compiler', 'formats', 'graph', 'inspect', 'ops', 'session',
])
def test_modules_of_the_engine_are_no_names_of_tf(name):
    assert not hasattr(tf, name)
    assert importlib.import_module(f'tinyflow.{name}') is sys.modules[f'tinyflow.{name}']
    namespace = {}
    exec(f'from tinyflow import {name}; import tinyflow.{name} as again', namespace)
    assert namespace[name] is namespace['again'] is sys.modules[f'tinyflow.{name}']


def test_pickling_needs_no_attribute_of_the_package():
    assert pickle.loads(pickle.dumps(tf.Session)) is tf.Session
    assert pickle.loads(pickle.dumps(tf.train.AdamOptimizer)) is tf.train.AdamOptimizer
    assert not hasattr(tf.train, 'adam')


def test_hasattr_is_false():
    assert not hasattr(tf.nn, 'no_such_thing')
    assert hasattr(tf.nn, 'relu')


def test_the_higher_floor():
    assert not hasattr(tf.estimator, 'layers')
    with pytest.raises(AttributeError, match=r'there is no tf\.estimator\.Estimater; nearest: '):
        _ = tf.estimator.Estimater


@pytest.mark.slow
@pytest.mark.parametrize('statement, text', [
    ('from tensorflow import raw_ops', 'ImportError: tf.raw_ops is not in tinyflow yet'),
    ('from tensorflow import Sesion', 'ImportError: there is no tf.Sesion; nearest: tf.Session'),
    ('import tensorflow.contrib.coder', 'tf.contrib.coder is not part of tinyflow'),
])
def test_imports_under_the_name_of_tensorflow_fail_clearly(statement, text):
    code = f'import tinyflow; tinyflow.install_as_tensorflow()\n{statement}\n'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, encoding='utf-8',
                          timeout=60, check=False)
    assert done.returncode == 1 and re.search(text, done.stderr), done.stderr


def test_a_contained_name_counts_as_near():
    with pytest.raises(AttributeError, match=r'nearest: tf\.x\.conv'):
        explain_missing('tinyflow.x', ['conv', '_conv_hidden'])('quantized_conv_with_bias')


def test_nothing_near():
    with pytest.raises(AttributeError, match=r'there is no tf\.x\.zzz\.\n'):
        explain_missing('tinyflow.x', ['relu'])('zzz')


def test_private_names_get_pythons_own_error():
    with pytest.raises(AttributeError, match="module 'tinyflow.x' has no attribute '__path__'"):
        explain_missing('tinyflow.x', ['relu'])('__path__')


@pytest.mark.parametrize('name, nearest', [
    ('truncated_norml', 'tf.truncated_normal'), ('layers.dens', 'tf.layers.dense'),
    ('train.AdamOptimiser', 'tf.train.AdamOptimizer')])
def test_a_misspelt_name_gives_the_nearest(name, nearest):
    def look_up():
        value = tf
        for part in name.split('.'):
            value = getattr(value, part)
    with pytest.raises(AttributeError) as caught:
        look_up()
    text = str(caught.value)
    assert f'there is no tf.{name}' in text and f'nearest: {nearest}' in text


@pytest.mark.parametrize('name', ['no_such', 'data.no_such', 'train.no_such', 'nn.no_such',
                                  'layers.core.no_such', 'keras.no_such', 'contrib.no_such'])
def test_a_module_that_does_not_exist(name):
    with pytest.raises(ModuleNotFoundError, match='No module named .tinyflow.*no_such'):
        importlib.import_module(f'tinyflow.{name}')


def test_a_submodule_that_is_loaded_on_first_use_can_be_imported():
    """In a new process: another import of it would have loaded it."""
    subprocess.run([sys.executable, '-c', 'import tinyflow.train.queue_runner'], check=True,
                   cwd=Path(__file__).parents[2])


def test_what_is_there_is_not_said_to_be_missing():
    def exists(name):
        value = tf
        for part in name.split('.'):
            value = getattr(value, part, None)
        return value is not None
    tables = (module._RENAMED, module._INSTEAD, module._NOT_PLANNED, module._TENSORFLOW_2,
              module._LEFT_OUT)
    assert [name for table in tables for name in table if exists(name)] == []
