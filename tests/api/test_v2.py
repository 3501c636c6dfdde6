"""tf.compat.v2: which names there are, what they take, and the behaviour that goes with them."""
import inspect
import subprocess
import sys
import textwrap

import pytest

import tinyflow as tf
from tests.api import estimator_guide
from tinyflow.api.v2 import parameters
from tinyflow.api.v2.namespace import _REPLACED, namespaces
from tinyflow.api.v2.version_1 import FITTING, version_1
from tinyflow.graph.support.missing import MissingNameError

v2 = tf.compat.v2


def resolved(path):
    found = v2
    for part in path.split('.'):
        found = getattr(found, part)
    return found


def refusal(path):
    with pytest.raises(MissingNameError) as caught:
        resolved(path)
    return str(caught.value)


# ---- names -----------------------------------------------------------------------------------

@pytest.mark.parametrize('path', [
    'matmul', 'nn.relu', 'math.add_n', 'keras.layers.Dense', 'data.Dataset', 'io.TFRecordWriter',
    'errors.NotFoundError', 'train.Example', 'linalg.inv', 'GradientTape'])
def test_what_is_the_same_is_the_same_object(path):
    assert resolved(path) is version_1(path)


@pytest.mark.parametrize('short, full', [
    ('losses', 'keras.losses'), ('metrics', 'keras.metrics'), ('optimizers', 'keras.optimizers'),
    ('initializers', 'keras.initializers')])
def test_short_names_of_namespaces_of_keras(short, full):
    assert resolved(short) is resolved(full)


@pytest.mark.parametrize('path, text', [
    ('placeholder', 'tf.placeholder is not in TensorFlow 2: it is tf.compat.v1.placeholder'),
    ('contrib', 'tf.contrib is not in TensorFlow 2'),
    ('nn.isotonic_regression', "tinyflow does not have TensorFlow 2's tf.nn.isotonic_regression"),
    ('nn.dilation2d', 'Hint: tf.compat.v1.nn.dilation2d is there'),
    ('random.stateless_binomial',
     "tinyflow does not have TensorFlow 2's tf.random.stateless_binomial"),
    ('nn.cov2d', 'TensorFlow 2 has no tf.nn.cov2d; nearest: tf.nn.conv2d')])
def test_what_is_missing_says_where_it_is(path, text):
    assert text in refusal(path)


@pytest.mark.slow
def test_every_listed_name_is_found_or_refused_with_a_reason():
    found = refused = 0
    for space, names in namespaces().items():
        for name in names:
            path = f'{space}.{name}' if space else name
            try:
                resolved(path)
                found += 1
            except MissingNameError as error:
                assert path in str(error) or 'tf.' in str(error), path
                refused += 1
    assert found > 1500 and refused > 0


def test_dir_lists_what_is_there():
    names = dir(v2.nn)
    assert 'gelu' in names and 'isotonic_regression' not in names
    assert all(hasattr(v2.nn, name) for name in names)


def test_no_name_is_in_two_of_the_lists():
    for space, names in FITTING.items():
        for name in names:
            assert parameters.changed(space, name) is None, name
            assert name in namespaces()[space], name
    for path in parameters._ORDER:
        space, _, name = path.rpartition('.')
        assert namespaces()[space][name] is False, path


def test_replaced_modules_have_listed_names_only():
    for modules in _REPLACED.values():
        for module in modules:
            found = __import__(f'tinyflow.api.v2.replaced.{module}', fromlist=['x'])
            spaces = [s for s, m in _REPLACED.items() if module in m]
            for name in found.__all__:
                assert name.startswith('__') or any(name in namespaces()[s] for s in spaces), name


# ---- parameters ------------------------------------------------------------------------------

@pytest.mark.parametrize('path', sorted(parameters._ORDER))
def test_parameters_are_those_of_the_function_below(path):
    space, _, name = path.rpartition('.')
    function = parameters.changed(space, name)
    below = inspect.signature(version_1(path)).parameters
    for parameter in parameters._ORDER[path]:
        new, _, old = parameter.partition(':')
        assert (old or new) in below
    with pytest.raises(TypeError, match='unexpected keyword argument'):
        function(no_such_parameter=1)


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r'argmax\(\) takes 4 arguments, not 5'):
        v2.argmax([1], 0, 'int32', 'n', 1)
    with pytest.raises(TypeError, match="multiple values for argument 'input'"):
        v2.argmax([1], input=[1])
    assert str(inspect.signature(v2.pad)).startswith("(tensor, paddings, mode='CONSTANT', const")


# ---- behaviour -------------------------------------------------------------------------------

def test_equality_and_shapes_can_be_switched_back():
    x = tf.constant([1, 2])
    tf.enable_v2_tensorshape()
    tf.enable_tensor_equality()
    try:
        assert x.shape[0] == 2 and type(x.shape[0]) is int and repr(x.shape) == 'TensorShape([2])'
        assert (x == x) is True         # a node of a graph has no value: one and the same
        assert {x: 1}[x] == 1
    finally:
        tf.disable_v2_tensorshape()
        tf.disable_tensor_equality()
    assert type(x.shape[0]) is tf.Dimension and repr(x.shape) == 'TensorShape([Dimension(2)])'
    assert 'ref' not in dir(tf.Tensor)


def run(program, *options, **settings):
    return subprocess.run([sys.executable, '-m', 'tinyflow', 'run', *options, program],
                          capture_output=True, text=True, timeout=100, **settings)


PROGRAM = '''
    import sys
    import tensorflow as tf
    from tensorflow import keras
    from tensorflow.keras import layers
    from tensorflow.keras.layers import Dense, LSTM
    import tensorflow.keras.backend as K
    import tensorflow.compat.v1 as tf1
    assert tf.__version__ == '2.15.1' and tf.executing_eagerly() and tf.version.VERSION
    assert tf1.placeholder is not None and tf.compat.v1 is tf1 and tf.keras.layers.Dense is Dense
    assert layers.LSTM(2).get_config()['recurrent_activation'] == 'sigmoid' and K.epsilon()
    model = keras.Sequential([Dense(2), Dense(1)])
    model.compile('adam', 'mse')
    model.fit(tf.ones([4, 3]), tf.ones([4, 1]), verbose=0)
    try:
        {tf.constant(1): 2}
    except TypeError as error:
        print(error)
    try:
        import tensorflow.contrib
    except ModuleNotFoundError as error:
        print(error)
    print(sys.argv[1:])
    tf.placeholder(tf.float32)
'''


@pytest.mark.slow
def test_a_program_of_tensorflow_2(tmp_path):
    (tmp_path / 'program.py').write_text(textwrap.dedent(PROGRAM), encoding='utf-8')
    done = run('program.py', '--v2', cwd=tmp_path)
    assert done.stdout.splitlines() == [
        'Tensor is unhashable: == compares values.',
        '  Hint: x.ref() as the key of a dict or in a set, and .deref() to get x back.',
        "No module named 'tensorflow.contrib': tf.contrib is not in TensorFlow 2: it is "
        'tf.compat.v1.contrib.',
        "  Hint: `import tensorflow.compat.v1 as tf` for a program that is written for TensorFlow 1"
        '.', '[]'], done.stderr
    assert done.returncode == 1 and 'it is tf.compat.v1.placeholder' in done.stderr
    assert 'tinyflow/api' not in done.stderr


@pytest.mark.slow
def test_what_the_estimator_guide_does(tmp_path):
    done = run(estimator_guide.__file__, '--v2', cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == estimator_guide.RECORDED


@pytest.mark.slow
def test_versions_do_not_mix():
    program = ('import tinyflow; tinyflow.install_as_tensorflow(); import tensorflow\n'
               'tinyflow.install_as_tensorflow(2)')
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert '`tensorflow` is imported already, as version 1' in done.stderr
    with pytest.raises(ValueError, match='version is 1 or 2, not 3'):
        tf.install_as_tensorflow(3)
