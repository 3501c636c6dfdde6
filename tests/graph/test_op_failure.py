"""OpFailure: what a kernel or shape rule says is wrong and what it advises are two things."""
import ast
import copy
import pathlib
import pickle

import pytest

import tinyflow as tf
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure, op_error

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def refuses(graph):
    """An op of a user, whose kernel and shape rule refuse what they get."""
    class RefusesAll(Op):
        signature = 'x: float32 -> y: float32'
        attrs = {'known': False, 'kind': None}
        gradient = NOT_DIFFERENTIABLE

        def shape(x, *, known):
            if known:
                raise OpFailure('a|b of the shape', 'c|d', [('seen', x)])
            return x

        def kernel(x, *, kind):
            if kind is not None:
                raise op_error(kind, 'a|b of the kernel', 'c|d')
            raise OpFailure('a|b of the kernel', 'c|d', [('seen', x.tolist()), ('wanted', 'less')])

    yield RefusesAll
    del Op.registry['RefusesAll']


@pytest.mark.parametrize('failure, text', [
    (OpFailure('no'), 'no'),
    (OpFailure('no', 'yes|no'), 'no\n  Hint: yes|no'),
    (OpFailure('a|b', facts=[('x', 1), ('y', [2])]), 'a|b\n  x: 1\n  y: [2]'),
    (OpFailure('no', 'yes', [('x', 1)]), 'no\n  x: 1\n  Hint: yes'),
    (op_error(errors.NotFoundError, 'no|', 'yes'), 'no|\n  Hint: yes'),
    (errors.NotFoundError(None, None, 'no'), 'no')])
def test_it_is_readable_where_nothing_words_it(failure, text):
    assert str(failure) == text
    for twin in (pickle.loads(pickle.dumps(failure)), copy.copy(failure)):
        assert type(twin) is type(failure)
        assert str(twin) == text


def test_it_is_a_value_error_with_parts():
    failure = OpFailure('a', 'b', [('c', 1)])
    assert isinstance(failure, ValueError)
    assert (failure.problem, failure.hint, failure.facts) == ('a', 'b', [('c', 1)])
    assert OpFailure('a').hint is None


def _lines(error):
    return str(error).splitlines()


def test_a_shape_rule_refuses(refuses):
    with pytest.raises(ValueError) as info:
        refuses.apply(tf.placeholder(tf.float32, [2], 'x'), known=True, name='op')
    lines = _lines(info.value)
    assert lines[:2] == ["RefusesAll 'op': a|b of the shape", '  seen: (2,)']
    assert lines[2].startswith("  x: 'x:0' float32 [2]")
    assert lines[-1] == '  Hint: c|d'
    assert not isinstance(info.value, OpFailure)


def test_a_kernel_refuses(refuses):
    y = refuses.apply(tf.constant([1.0], name='x'), name='op')
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as info:
        session.run(y)
    lines = _lines(info.value)
    assert lines[:3] == ["RefusesAll 'op': a|b of the kernel", '  seen: [1.0]', '  wanted: less']
    assert lines[3].startswith("  x: 'x:0' float32 [1]")
    assert lines[-1] == '  Hint: c|d'
    assert info.value.op is y.op
    assert info.value.message == str(info.value)


def test_a_kernel_refuses_with_a_class_of_tensorflow(refuses):
    y = refuses.apply(tf.constant([1.0]), kind=errors.DataLossError, name='op')
    with tf.Session() as session, pytest.raises(tf.errors.DataLossError) as info:
        session.run(y)
    lines = _lines(info.value)
    assert lines[0] == "RefusesAll 'op': a|b of the kernel"
    assert [line for line in lines if 'Hint' in line] == ['  Hint: c|d']


def _generated(value):
    dataset = tf.data.Dataset.from_generator(lambda: iter([value]), tf.int32)
    return dataset.make_one_shot_iterator().get_next()


def _iterated(dataset):
    return dataset.make_one_shot_iterator().get_next()


def _raises(error):
    def function():
        raise error
    return tf.py_func(function, [], tf.float32)


# The text between the node and the next line of a message: all of it, bars too.
DATA_WITH_BARS = {
    'read_file': (lambda: tf.read_file('no such|file.txt'),
                  'no such|file.txt; No such file or directory'),
    'string_to_number': (lambda: tf.string_to_number(['1|2']),
                         'StringToNumberOp could not correctly convert string: 1|2'),
    'decode_csv': (lambda: tf.decode_csv(['1|2,3'], [[1], [1]]),
                   'Field 0 in record 0 is not a valid int32: 1|2'),
    'regex_full_match': (lambda: tf.strings.regex_full_match(['a'], '(a|b'),
                         'Invalid pattern: (a|b, error: missing )'),
    'regex_replace': (lambda: tf.strings.regex_replace(['a'], 'a|b', r'|\7'),
                      r'Invalid rewrite pattern: |\7: '),
    'parse_single_example': (
        lambda: tf.parse_single_example(tf.train.Example().SerializeToString(),
                                        {'a|b': tf.FixedLenFeature([], tf.int64)})['a|b'],
        'Feature: a|b (data type: int64) is required but could not be found.'),
    'Assert': (lambda: tf.Assert(False, ['a|b']), 'a|b'),
    'check_numerics': (lambda: tf.check_numerics(tf.log(-1.0), 'a|b'),
                       'a|b : Tensor had NaN values'),
    'from_generator': (lambda: _generated('a|b'),
                       '`generator` yielded an element that could not be converted to the expected '
                       "type. The expected type was int32, but the yielded element was 'a|b' "
                       '(element 0).'),
    'TextLineDataset': (lambda: _iterated(tf.data.TextLineDataset('no such|file.txt')),
                        'no such|file.txt'),
    'py_func': (lambda: _raises(KeyError('a|b')), "KeyError: 'a|b'"),
    'py_func with a class of TensorFlow': (
        lambda: _raises(tf.errors.AbortedError(None, None, 'a|b')), 'a|b'),
}


@pytest.mark.parametrize('name', DATA_WITH_BARS)
def test_data_with_bars(name):
    build, text = DATA_WITH_BARS[name]
    fetch = build()
    with tf.Session() as session, pytest.raises(tf.errors.OpError) as info:
        session.run(fetch)
    lines = _lines(info.value)
    assert text in lines[0]
    assert not any('|' in line for line in lines if 'Hint' in line)


def test_a_rule_of_the_library():
    x = tf.placeholder(tf.float32, [2, 3], 'x')
    with pytest.raises(ValueError, match='are 3 and 2') as info:
        tf.matmul(x, x)
    assert _lines(info.value)[-2].startswith('  Hint: a must have as many columns')


def test_reasons_for_a_lost_position(tmp_path):
    """The state of an iterator says why it cannot be saved, without its hint."""
    dataset = tf.data.Dataset.range(3).cache(str(tmp_path / 'cache'))
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
        _, lost = session.positions()
    why, = lost.values()
    assert why.startswith('the position of an iterator that is filling the cache ')
    assert why.endswith(' cannot be saved')


def _files_with(text, *folders):
    """(path, syntax tree) of the modules that hold `text`."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob('*.py')):
            source = path.read_text(encoding='utf-8')
            if text in source:
                yield path, ast.parse(source)


def _splits_at_bars(tree):
    return [node.lineno for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr in ('partition', 'rpartition', 'split', 'rsplit')
            and any(isinstance(a, ast.Constant) and a.value == '|' for a in node.args)]


def test_no_message_is_taken_apart_at_a_bar():
    found = [f'{path.relative_to(ROOT)}:{line}'
             for path, tree in _files_with("'|'", 'tinyflow', 'keras_layer', 'estimator_layer')
             for line in _splits_at_bars(tree)]
    assert not found


def _texts(node):
    """The literal text of a string or f-string."""
    if isinstance(node, ast.JoinedStr):
        return ''.join(v.value for v in node.values if isinstance(v, ast.Constant))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ''


@pytest.mark.slow
def test_no_kernel_hides_a_hint_behind_a_bar():
    """Text, a bar, and text: what OpFailure replaced."""
    found = []
    for path, tree in _files_with('|', 'tinyflow/compiler', 'tinyflow/data', 'tinyflow/formats',
                                  'tinyflow/graph', 'tinyflow/ops', 'tinyflow/session'):
        for node in ast.walk(tree):
            name = getattr(getattr(node, 'func', None), 'attr', '') or \
                getattr(getattr(node, 'func', None), 'id', '')
            if isinstance(node, ast.Call) and name.endswith('Error') \
                    and any('|' in _texts(a) for a in node.args):
                found.append(f'{path.relative_to(ROOT)}:{node.lineno}')
    assert not found
