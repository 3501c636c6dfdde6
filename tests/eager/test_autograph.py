"""AutoGraph, beyond the recorded programs: what TensorFlow 1.15 refuses, errors, lines, sources."""
import traceback

import pytest

import tinyflow as tf


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def doubled(x):
    count = 0
    while True:
        x = x * 2
        count += 1
        if x > 100:
            break
    return x, count


def search(values, wanted):
    found = -1
    for i in range(len(values)):
        if values[i] == wanted:
            found = i
            break
    else:
        found = -2
    return found


def positive(x):
    assert x > 0, 'it must be positive'
    return x


@pytest.mark.parametrize('function, arguments, wanted', [
    (collatz, (27,), 111),
    (doubled, (1.,), (128., 7)),
    (search, ([5, 6, 7], 6), 1),
    (search, ([5, 6, 7], 9), -2),
    (positive, (2.,), 2.)])
def test_the_same_with_and_without_tensors(function, arguments, wanted):
    assert function(*arguments) == wanted
    results = tf.function(function)(*[tf.constant(a) for a in arguments])
    assert tf.nest.map_structure(lambda t: t.numpy(), results) == wanted


def test_assert_fails_when_it_runs():
    with pytest.raises(tf.errors.InvalidArgumentError, match='it must be positive'):
        tf.function(positive)(tf.constant(-1.))


def test_errors_name_the_line_of_the_program():
    def wrong(x):
        if x > 0:
            y = tf.matmul(x, x)
        else:
            y = x
        return y
    with pytest.raises(ValueError) as caught:
        tf.function(wrong)(tf.constant(1.))
    lines = [frame.line for frame in traceback.extract_tb(caught.tb)]
    assert 'y = tf.matmul(x, x)' in lines


@pytest.mark.parametrize('value, says', [
    (1, r"initialized in the else branch: \('z',\)"), (-1, 'else branch')])
def test_a_name_that_one_branch_sets(value, says):
    def one_sided(x):
        if x > 0:
            z = 1
        return z
    with pytest.raises(ValueError, match=says):
        tf.function(one_sided)(tf.constant(value))


def test_a_name_that_is_used_before_it_is_set():
    def early(x):
        for i in tf.range(x):
            y = i
        return y + 1
    with pytest.raises(UnboundLocalError, match="'y' referenced before assignment"):
        tf.function(early)(tf.constant(3))


def test_objects_that_differ_between_branches():
    def objects(x):
        if x > 0:
            kind = len
        else:
            kind = max
        return x, kind
    with pytest.raises(TypeError, match="'kind' is <built-in function len> after one"):
        tf.function(objects)(tf.constant(1.))


def test_strings_of_branches_are_tensors():
    @tf.function
    def kind(x):
        if x > 0:
            text = 'positive'
        else:
            text = tf.as_string(x)
        return text
    assert [kind(tf.constant(x)).numpy() for x in (1, -2)] == [b'positive', b'-2']


def test_return_inside_a_loop_of_tensors():
    def returns(n):
        for i in tf.range(n):
            if i > 3:
                return i
        return n
    with pytest.raises(NotImplementedError, match='return inside a loop'):
        tf.function(returns)(tf.constant(9))


def test_return_inside_a_loop_of_python():
    def returns(x):
        for i in range(9):
            if i > 3:
                return x * i
        return x
    assert tf.function(returns)(tf.constant(2)).numpy() == 8


def test_functions_that_are_not_converted():
    @tf.autograph.experimental.do_not_convert
    def left(x):
        return 1 if x is None else 2

    def generator(x):
        yield x

    assert tf.function(lambda x: left(x))(tf.constant(1)).numpy() == 2
    with pytest.raises(ValueError, match='cannot convert'):
        tf.autograph.to_graph(max)
    assert 'ag__.if_stmt' in tf.autograph.to_code(one_if)
    assert tf.function(lambda x: list(generator(x)))(tf.constant(3))[0].numpy() == 3


def one_if(x):
    if x:
        return 1
    return 2


def test_defaults_keywords_and_globals():
    def settings(x, *more, scale=SCALE, **named):
        for other in more:
            if other > 0:
                x += other
        return x * scale + named['last']
    result = tf.function(settings)(tf.constant(1.), tf.constant(2.), tf.constant(-3.),
                                   last=tf.constant(4.))
    assert result.numpy() == 34.


SCALE = 10.
