"""AutoGraph, beyond the recorded programs: what TensorFlow 1.15 refuses, errors, lines, sources."""
import functools
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


KNOWN = {1: 5.}


def returns_in_handler(x, flag=True):
    if flag:
        try:
            return KNOWN[0]
        except KeyError:
            return x * 10
    return x


def continues_in_handler(x):
    total = x * 0
    for key in (0, 1, 2):
        if x > 0:
            total = total + 1
        try:
            value = KNOWN[key]
        except KeyError:
            continue
        else:
            total = total + value
        total = total + 100
    return total


def reads_in_handler(x):
    y = x
    try:
        if x > 0:
            y = x + 1
        KNOWN[0]
        y = x * 100
    except KeyError:
        return y
    return x


def returns_before_else(x):
    for i in range(3):
        if i == 1:
            return x
    else:
        raise ValueError('the loop was left')
    return x * 1000


def breaks_before_else(x):
    for _ in range(3):
        try:
            if x > 0:
                x = x + 1
            break
        except KeyError:
            x = x * 100
        else:
            x = x * 1000
    return x


def deletes(x):
    if x > 0:
        y = x + 1
        x = y
        del y
    return x


def matches(x, key=(3, 4)):
    if key:
        match key:
            case (first, *rest) if first < 5:
                if x > 0:
                    x = x + first
                return x * rest[0]
            case {'a': _, **rest}:
                x = x + len(rest)
            case other:
                x = x + other
    return x


def binds_in_test(x, factor=2):
    while (next_x := x * factor) < 100:
        x = next_x
    else:
        x = x + 1
    if factor and (rest := x - factor) > 0:
        x = rest
    return x


def doubling(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        if result > 5:
            result = result * 2
        return result
    return wrapper


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        if x > 0:
            return x * self.factor
        return x


def calls_an_object(x):
    return Scale(4)(x)


@doubling
def wrapped(x):
    if x > 0:
        return x * 3
    return x


@pytest.mark.parametrize('function, arguments, wanted', [
    (returns_in_handler, (2.,), 20.),
    (continues_in_handler, (2.,), 108.),
    (reads_in_handler, (2.,), 3.),
    (returns_before_else, (2.,), 2.),
    (breaks_before_else, (2.,), 3.),
    (deletes, (2.,), 3.),
    (matches, (2.,), 20.),
    (binds_in_test, (3,), 95),
    (wrapped, (2.,), 12.),
    (calls_an_object, (2.,), 8.),
    (Scale(3), (2.,), 6.),
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


# ---- names of other scopes, attributes, items, functions inside ---------------------------------

CALLS = 0


def test_global_and_nonlocal_names():
    count = 0

    @tf.function
    def absolute(x):
        global CALLS
        nonlocal count
        CALLS += 1
        count += 2
        if x > 0:
            y = x
        else:
            y = -x
        return y
    before = CALLS
    assert absolute(tf.constant(-3)).numpy() == 3
    assert (CALLS - before, count) == (1, 2)        # while it was traced


class Holder:
    total = 0

    def double_if_positive(self, x):
        self.total = x
        if x > 0:
            self.total = self.total * 2
        return self.total

    @tf.function
    def step(self, x):
        return self.double_if_positive(x)


def test_attributes_that_a_block_sets():
    assert tf.function(Holder().double_if_positive)(tf.constant(4)).numpy() == 8
    assert tf.function(Holder().double_if_positive)(tf.constant(-4)).numpy() == -4
    assert Holder().step(tf.constant(3)).numpy() == 6       # nothing else keeps this object

    @tf.function
    def summed(n):
        holder, items = Holder(), {'product': tf.constant(1)}
        holder.total = tf.constant(0)
        for i in tf.range(1, n):
            holder.total += i
            items['product'] *= i
        return holder.total, items['product']
    assert [t.numpy() for t in summed(tf.constant(5))] == [10, 24]


def test_functions_inside_are_converted():
    @tf.function
    def each(x):
        def absolute(y):
            if y > 0:
                return y
            return -y

        def clipped(y):
            return (lambda z: z if 0 < z < 5 else tf.constant(0))(y)
        return tf.map_fn(absolute, x), clipped(x[0])
    first, second = each(tf.constant([4, -2]))
    assert (first.numpy().tolist(), second.numpy()) == ([4, 2], 4)


def test_a_loop_that_changes_variables_alone():
    v = tf.Variable(0)

    @tf.function
    def fill(n):
        while v < n:
            v.assign_add(3)
        return v.read_value()
    assert fill(tf.constant(10)).numpy() == 12 == v.numpy()


def test_branches_of_other_dtypes():
    def mixed(x):
        if x > 0:
            y = 1
        else:
            y = 1.5
        return y
    with pytest.raises(TypeError, match="'y' has dtype int32 in the main branch, but dtype float"):
        tf.function(mixed)(tf.constant(1))


def test_a_list_of_the_tensors_of_a_loop():
    def collected(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return found
    with pytest.raises(ValueError, match='(?s)is used outside it.*a loop collects values in a '):
        tf.function(collected)(tf.constant(5))


def test_functions_of_datasets_are_converted():
    def tenfold(x):
        if x > 1:
            return x * 10
        return x
    assert [int(x) for x in tf.data.Dataset.range(4).map(tenfold)] == [0, 1, 20, 30]
    with tf.Graph().as_default(), tf.Session() as session:
        element = tf.data.Dataset.range(4).map(tenfold).make_one_shot_iterator().get_next()
        assert [session.run(element) for _ in range(4)] == [0, 1, 20, 30]


def test_what_branches_and_loops_do_besides():
    v = tf.Variable(0)

    @tf.function
    def several(n):
        for i in tf.range(n):
            v.assign(v * 2 + i)
            if i > 1:
                v.assign_add(100)
        if n > 3:
            v.assign_add(1000)
        return v.read_value()
    assert several(tf.constant(4)).numpy() == 1311 == v.numpy()
    tf.function(lambda n: tf.while_loop(
        lambda i: i < n, lambda i: (v.assign_sub(1), i + 1)[1:], [tf.constant(0)]))(tf.constant(5))
    assert v.numpy() == 1306


def test_assertions_of_a_loop():
    @tf.function
    def checked(n):
        for i in tf.range(n):
            assert i < 3, 'too far'
        return n
    assert checked(tf.constant(2)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match='too far'):
        checked(tf.constant(9))
