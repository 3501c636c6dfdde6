"""Unknown keyword arguments: the message of an uncaught error names the nearest, and all."""
from __future__ import annotations

import linecache
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import tinyflow as tf
from tests.messages.support import check_message, traceback_of
from tinyflow.graph.support import call_hints, errors

ROOT = Path(__file__).parents[2]
FILE = '/home/user/program.py'

# The beginning of the programs below.
BEGIN = '''
import functools, json
x = tf.zeros([2, 3])
graph = x.graph
def mine(x, axis): pass
def reduce_max(x, axis): pass
half = functools.partial(tf.layers.dense, units=3)
class Model:
    def __init__(self):
        self.layer = tf.layers.Dropout(0.5)
    def __call__(self):
        return self.layer(x, trainin=True)
'''

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def shown():
    """shown(text of a program) -> the message of its TypeError as shown."""
    def run(text):
        text = BEGIN + text
        linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE
        with pytest.raises(TypeError) as caught:
            exec(compile(text, FILE, 'exec'), {'tf': tf})
        errors.add_call_hint(caught.value, caught.tb.tb_next)
        return str(caught.value)
    yield run
    linecache.cache.pop(FILE, None)


def hint(near, takes):
    """The last line of a message; Python 3.13 and newer name the nearest name themselves."""
    near = f"did you mean '{near}'? " if near and sys.version_info < (3, 13) else ''
    return f'\n  Hint: {near}{takes}'


@pytest.mark.parametrize('call, near, takes', [
    ('tf.layers.dense(x, 10, activaton=tf.nn.relu)', 'activation',
     'dense takes: inputs, units, activation, use_bias, '),
    ('tf.train.AdamOptimizer(learnin_rate=.1)', 'learning_rate',
     'AdamOptimizer takes: learning_rate, beta1, beta2, epsilon, use_locking, name.'),
    ('tf.placeholder(tf.float32, shap=[3])', 'shape', 'placeholder takes: dtype, shape, name.'),
    ('tf.nn.softmax_cross_entropy_with_logits(label=x, logits=x)', 'labels',
     'softmax_cross_entropy_with_logits takes: labels, logits, dim, name, axis.'),
    ('tf.Session(grpah=graph)', 'graph', 'Session takes: target, graph, config, nan_check, debug.'),
    ('tf.io.FixedLenFeature(shap=[], dtype=x)', 'shape',
     'FixedLenFeature takes: shape, dtype, default_value.'),
    ('graph.get_tensor_by_name(nam=3)', 'name', 'Graph.get_tensor_by_name takes: name.'),
    ('half(x,\n     activaton=3)', 'activation', 'dense takes: inputs, units, activation, '),
    ("tf.reduce_sum(x, **{'axes': 1})", 'axis', 'reduce_sum takes: input_tensor, axis, '),
    ('for f in [tf.reduce_sum]: f(x, axes=1)', 'axis', 'reduce_sum takes: input_tensor, axis, '),
    ('(tf.Session()).run(fetchs=x)', 'fetches', 'BaseSession.run takes: fetches, feed_dict, ')])
def test_the_nearest_name_and_all(shown, call, near, takes):
    assert hint(near, takes) in shown(call)


@pytest.mark.parametrize('call, near, takes', [
    ('tf.Variable(3., trainble=False)', 'trainable', 'Variable takes: initial_value, '),
    ('Model()()', 'training', 'Dropout.call takes: inputs, training.'),
    ('tf.contrib.layers.relu(x, 3, scop="a")', 'scope', 'fully_connected takes: inputs, ')])
def test_a_function_that_hands_the_keyword_on(shown, call, near, takes):
    assert hint(near, takes) in shown(call)


def test_a_name_like_no_other_is_answered_with_all_names(shown):
    text = shown('tf.train.AdamOptimizer(lr=1)')
    assert hint(None, 'AdamOptimizer takes: learning_rate, ') in text


@pytest.mark.parametrize('call', [
    'mine(x, axes=1)', 'reduce_max(x, axes=1)', 'json.dumps(3, indnt=1)', 'Model(layr=3)',
    'tf.reduce_sum(x, 1, axis=1)', 'tf.nest.map_structure(lambda x: mine(x, axes=1), [x])',
    "dict(axes=1).get(axes=1)", "raise TypeError(\"reduce_sum() got an unexpected keyword"
    " argument 'axis'\")"])
def test_other_errors_stay_as_they_are(shown, call):
    assert 'takes: ' not in shown(call)


def fails(x):
    return tf.reduce_sum(x, axes=1)


def test_a_suggestion_of_python_is_not_repeated():
    text = "reduce_sum() got an unexpected keyword argument 'axes'. Did you mean 'axis'?"
    with pytest.raises(TypeError) as caught:
        fails(tf.zeros([3]))
    error = TypeError(text)
    assert not call_hints.add_hint(error, caught.tb)
    assert str(error).startswith(text + '\n  Hint: reduce_sum takes: input_tensor, axis, ')


def test_the_hint_is_appended_once():
    with pytest.raises(TypeError) as caught:
        fails(tf.zeros([3]))
    for _ in range(2):
        errors.add_call_hint(caught.value, caught.tb)
    assert str(caught.value).count('Hint') == 1


@pytest.mark.slow
def test_without_its_source_a_function_is_found_by_its_name():
    done = subprocess.run(
        [sys.executable, '-c', 'import tinyflow as tf\ntf.data.Dataset.range(3).batch(3, drop=1)'],
        cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert '\n  Hint: Dataset.batch takes: batch_size, drop_remainder.' in done.stderr


def test_only_the_only_function_of_a_name_is_taken(monkeypatch):
    assert call_hints._loaded('Graph.get_tensor_by_name') == (
        tf.Graph.get_tensor_by_name, tf.Graph)
    other = type('Graph', (), {'get_tensor_by_name': fails})
    monkeypatch.setattr(fails, '__qualname__', 'Graph.get_tensor_by_name')
    monkeypatch.setitem(sys.modules, 'other', SimpleNamespace(Graph=other))
    assert call_hints._loaded('Graph.get_tensor_by_name')[1] is tf.Graph    # not a module
    monkeypatch.setattr(errors, 'Graph', other, raising=False)
    assert call_hints._loaded('Graph.get_tensor_by_name') == (None, None)


PROGRAM = '''import tinyflow as tf
def network(x):
    return tf.layers.dense(x, 10,
                           activaton=tf.nn.relu)
network(tf.zeros([2, 3]))
'''


@pytest.mark.slow
@pytest.mark.parametrize('text, lines', [
    (PROGRAM, "in network"), ('import tinyflow as tf\ntf.Variable(3., trainble=1)\n', 'line 2')])
def test_an_uncaught_error_of_a_program(tmp_path, text, lines):
    trace = traceback_of(tmp_path, text)
    assert lines in trace and '\n  Hint: ' in trace and ' takes: in' in trace
    assert trace.count('did you mean') + trace.count('Did you mean') == 1
    assert 'variable.py' not in trace


@pytest.mark.slow
def test_the_command_line(tmp_path):
    (tmp_path / 'program.py').write_text(PROGRAM.replace('tinyflow', 'tensorflow'))
    done = subprocess.run([sys.executable, '-m', 'tinyflow', 'run', str(tmp_path / 'program.py')],
                          cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and ' dense takes: inputs, units' in done.stderr


@pytest.mark.parametrize('call, kind, near', [
    (lambda: tf.group(nam='a'), ValueError, 'name'),
    (lambda: tf.meshgrid([1], indexng='ij'), TypeError, 'indexing'),
    (lambda: tf.einsum('i->i', [1], nam='a'), TypeError, 'name'),
    (lambda: tf.print('x', summarise=3), ValueError, 'summarize'),
    (lambda: tf.nest.map_structure(abs, [1], check_type=True), ValueError, 'check_types'),
    (lambda: tf.GPUOptions(alow_growth=True), AttributeError, 'allow_growth'),
    (lambda: tf.keras.backend.function([], [], updatse=[]), ValueError, 'updates'),
    (lambda: tf.keras.applications.MobileNetV2(include_topp=0), TypeError, 'include_top'),
    (lambda: tf.estimator.RunConfig().replace(modeldir='a'), ValueError, 'model_dir')])
def test_functions_that_take_any_keyword_refuse_with_the_nearest_name(call, kind, near):
    check_message(kind, call, f"\n  Hint: did you mean '{near}'?")
