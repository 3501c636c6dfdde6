"""What may be fetched and fed, in which structures, and whose memory it is."""
from __future__ import annotations

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import tinyflow as tf

Pair = namedtuple('Pair', 'left right')
Other = namedtuple('Other', 'a b')


pytestmark = pytest.mark.usefixtures('graph')


# ---- structures of fetches -----------------------------------------------------------------

def test_a_tensor_gives_its_value(session):
    value = session.run(tf.constant([[1.0, 2.0]]))
    assert type(value) is np.ndarray and value.dtype == np.float32 and value.tolist() == [[1, 2]]


def test_a_scalar_is_a_numpy_scalar(session):
    x = tf.placeholder(tf.float32, [])
    for value in session.run([tf.constant(2.0), x, x + 1.0, tf.Variable(1.0).initial_value],
                             {x: 3.0}):
        assert type(value) is np.float32


def test_a_scalar_of_unknown_shape_is_a_numpy_scalar(session):
    x = tf.placeholder(tf.float32)
    fed, sum_ = session.run([x, x + 1.0], {x: 3.0})
    assert type(fed) is np.float32 and type(sum_) is np.float32 and sum_ == 4.0


@pytest.mark.parametrize('kind', [list, tuple])
def test_a_sequence_gives_a_sequence(session, kind):
    a, b = tf.constant(1.0), tf.constant(2.0)
    got = session.run(kind([a, b, a]))
    assert type(got) is kind and got == kind([1.0, 2.0, 1.0])


@pytest.mark.parametrize('kind', [dict, OrderedDict])
def test_a_dict_gives_a_dict(session, kind):
    a = tf.constant(1.0)
    got = session.run(kind([('z', a), ('a', [a, a + 1.0])]))
    assert type(got) is kind and got == {'z': 1.0, 'a': [1.0, 2.0]} and list(got) == ['z', 'a']


def test_a_namedtuple_gives_a_namedtuple(session):
    got = session.run(Pair(tf.constant(1.0), (tf.constant(2.0),)))
    assert type(got) is Pair and got == (1.0, (2.0,))


def test_equal_structures_of_other_kinds_are_kept_apart(session):
    """A namedtuple equals the tuple of its parts, so a cache keyed by equality mixes them up."""
    a, b = tf.constant(1.0), tf.constant(2.0)
    x = tf.placeholder(tf.float32, [])
    for feeds in ({}, {x: 1.0}):
        for fetches in ((a, b), Pair(a, b), Other(a, b), [a, b], (a, b), Pair(a, b),
                        (Pair(a, b),), ((a, b),), (Other(a, b),)):
            got = session.run(fetches, feeds)
            assert type(got) is type(fetches)
            assert type(got[0]) is (type(fetches[0]) if type(fetches[0]) is not tf.Tensor
                                    else np.float32)


def test_nested_structures(session):
    a = tf.constant(1.0)
    fetches = {'x': [a, (a, {'y': Pair(a, [])})], 'none': ()}
    assert session.run(fetches) == {'x': [1.0, (1.0, {'y': Pair(1.0, [])})], 'none': ()}
    assert type(session.run(fetches)['x'][1][1]['y']) is Pair


@pytest.mark.parametrize('empty', [[], (), {}])
def test_nothing_fetched_gives_nothing(session, empty):
    tf.no_op()
    assert session.run(empty) == empty
    assert session.run(empty, {tf.placeholder(tf.float32, []): 1.0}) == empty


def test_names_of_tensors_and_operations(session):
    tf.constant(3.0, name='a')
    assert session.run('a:0') == 3.0
    assert session.run(['a:0', 'a']) == [3.0, None]
    assert session.run('a') is None


def test_an_operation_gives_none(session):
    v = tf.Variable(1.0)
    assert session.run(v.initializer) is None
    assert session.run([v.initializer, tf.no_op()]) == [None, None]
    assert session.run({'op': v.op}) == {'op': None}


def test_a_variable_gives_its_value(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    for fetch in (v, v.value(), v.name, v.read_value(), v._variable if hasattr(v, '_variable')
                  else v):
        assert session.run(fetch).tolist() == [1.0, 2.0]


def test_indexed_slices_give_their_parts(session):
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([4, 5]), tf.constant([9, 1]))
    got = session.run([slices])[0]
    assert isinstance(got, tf.IndexedSlicesValue)
    assert got.values.tolist() == [[1.0], [2.0]] and got.indices.tolist() == [4, 5]
    assert got.dense_shape.tolist() == [9, 1]
    without = session.run(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    assert without.dense_shape is None and without.values.tolist() == [1.0]


def test_strings(session):
    x = tf.placeholder(tf.string)
    assert session.run(tf.constant('hello')) == b'hello'
    assert session.run(tf.constant(['a', 'bc'])).tolist() == [b'a', b'bc']
    assert session.run(tf.identity(x), {x: 'über'}) == 'über'.encode()
    assert session.run(tf.equal(x, 'a'), {x: np.array(['a', b'b'], object)}).tolist() == [True,
                                                                                          False]
    assert session.run(tf.identity(x), {x: [b'a\0']}).tolist() == [b'a\0']
    echo, through = session.run([x, tf.identity(x)], {x: ['a', b'b']})
    assert echo.tolist() == ['a', b'b'] and through.tolist() == [b'a', b'b']    # as in TF1
    assert session.make_callable(x, [x])('über').tolist() == 'über'
    assert session.run(tf.identity(x), {x: ['a', b'b']}).tolist() == [b'a', b'b']
    assert session.run(tf.identity(x), {x: np.array([['a'], ['b']])}).tolist() == [[b'a'], [b'b']]


# ---- what cannot be fetched ----------------------------------------------------------------

@pytest.mark.parametrize('fetch', [None, 3.0, np.float32(1), np.ones(2), object(), len, b'a:0'])
def test_fetching_something_other_than_a_node_is_a_type_error(session, fetch):
    tf.constant(1.0, name='a')
    for fetches in (fetch, [fetch], {'k': fetch}, (tf.constant(1.0), [fetch])):
        with pytest.raises(TypeError, match='Fetch argument'):
            session.run(fetches)


@pytest.mark.parametrize('name', ['b:0', 'a:1', 'b', 'a:x', ''])
def test_fetching_an_unknown_name_is_a_value_error(session, name):
    tf.constant(1.0, name='a')
    with pytest.raises(ValueError, match='Fetch argument'):
        session.run(name)


# ---- whose memory it is --------------------------------------------------------------------

def everything():
    """(x, fetches): a value of each origin, as many as can be an alias of something else."""
    x = tf.placeholder(tf.float32, [4, 6], name='x')
    unknown = tf.placeholder_with_default(tf.zeros([4, 6]), None)
    v = tf.Variable(np.arange(24.0).reshape(4, 6).astype(np.float32))
    y = x * 2.0
    fetches = [
        x, tf.identity(x), tf.reshape(x, [24]), tf.transpose(x), x[1:3, ::2], x[0], x[None],
        tf.squeeze(tf.expand_dims(x, 0)), tf.stop_gradient(x), *tf.split(x, 2, axis=1),
        *tf.unstack(x), tf.identity(unknown), tf.reshape(unknown, [-1]), tf.transpose(unknown),
        tf.cast(x, tf.float32), tf.check_numerics(x, 'bad'), tf.broadcast_to(x, [2, 4, 6]),
        tf.tile(x, [1, 1]), tf.concat([x], 0), tf.stack([x]), tf.add_n([x]),
        tf.pad(x, [[0, 0]] * 2), y, y, tf.identity(y), tf.reshape(y, [6, 4]), y[1],
        tf.reverse(x, [0]),
        tf.reduce_sum(x, []), tf.placeholder_with_default(x, [4, 6]), tf.slice(x, [0, 0], [4, 6]),
        tf.gather(x, [0, 1, 2, 3]), x * 1.0, x + 0.0,
        tf.constant(np.ones([4, 6], np.float32)), tf.zeros([4, 6]), tf.ones([4]) * 2.0,
        tf.broadcast_to(tf.constant([1.0]), [8]),
        v, v.value(), v.read_value(), tf.identity(v), tf.reshape(v, [-1]), tf.transpose(v), v[1:],
        tf.reshape(tf.identity(v), [2, 12])]
    return x, unknown, v, fetches


def scribble(value):
    """Overwrites an array that belongs to the caller."""
    assert value.flags.writeable
    value[...] = -77.0


@pytest.mark.parametrize('together', [True, False])
def test_fetched_arrays_are_the_callers_own(session, together):
    """Scribbling over what was fetched changes neither feeds, nor Variables, nor other fetches."""
    x, unknown, v, fetches = everything()
    session.run(v.initializer)
    fed = np.arange(24, dtype=np.float32).reshape(4, 6) + 1.0
    feeds = {x: fed, unknown: fed + 100.0}
    groups = [fetches] if together else [[f] for f in fetches]
    first = []
    for group in groups:
        got = session.run(group, feeds)
        first += [value.copy() for value in got]
        for i, value in enumerate(got):
            for j, other in enumerate(got[i + 1:], i + 1):
                assert not np.shares_memory(value, other), f'{group[i]} and {group[j]}'
            scribble(value)
    assert fed.tolist() == (np.arange(24).reshape(4, 6) + 1.0).tolist()
    again = [value for group in groups for value in session.run(group, feeds)]
    for fetch, a, b in zip(fetches, first, again):
        np.testing.assert_array_equal(a, b, err_msg=str(fetch))


@pytest.mark.parametrize('shape', [[4, 6], None])
def test_later_runs_do_not_change_earlier_results(session, shape):
    x = tf.placeholder(tf.float32, shape)
    fetches = [x + 1.0, tf.reshape(x * 3.0, [-1]), tf.transpose(tf.exp(x)), tf.reduce_sum(x, 0),
               tf.exp(x) * (x + 2.0)]
    before = session.run(fetches, {x: np.ones([4, 6])})
    copies = [b.copy() for b in before]
    for i in range(5):
        session.run(fetches, {x: np.full([4, 6], i + 2.0)})
    for a, b in zip(before, copies):
        np.testing.assert_array_equal(a, b)


def test_fed_arrays_are_never_changed(session):
    x, unknown, v, fetches = everything()
    session.run(v.initializer)
    fed = np.arange(24, dtype=np.float32).reshape(4, 6)
    fed.flags.writeable = False         # an attempt to write raises
    inner = [f for f in fetches if isinstance(f, tf.Tensor) and f is not x]
    total = sum(tf.reduce_sum(tf.exp(tf.reshape(f, [-1]) * 0.01)) for f in inner)
    session.run([total, *fetches], {x: fed, unknown: fed})
    session.run([tf.assign(v, x), total], {x: fed})
    session.run(tf.assign_add(v, x), {x: fed})
    assert fed.tolist() == np.arange(24.0).reshape(4, 6).tolist()
    assert session.run(v).tolist() == (2 * fed).tolist()


def test_a_variable_does_not_keep_the_array_that_initialised_it(session):
    given = np.ones([300], np.float32)
    x = tf.placeholder(tf.float32, [300])
    v, w = tf.Variable(x), tf.Variable(given)
    session.run([v.initializer, w.initializer], {x: given})
    session.run([tf.assign_add(v, given), tf.assign_add(w, given)])
    assert given.tolist() == [1.0] * 300
    given[:] = 5.0
    assert session.run(v).tolist() == [2.0] * 300 and session.run(w)[0] == 2.0
    other = tf.Session()
    other.run([w.initializer])
    assert other.run(w)[0] == 1.0


# ---- feeds ---------------------------------------------------------------------------------

def test_any_tensor_can_be_fed(session):
    a = tf.constant(1.0)
    b = tf.log(a - 5.0)
    c = b * 2.0
    assert session.run(c, {b: 4.0}) == 8.0
    assert session.run([a, c], {a: 6.0}) == [6.0, 0.0]
    assert session.run(c, {c: 9.0}) == 9.0
    assert session.run(c, {'sub:0': 1.0}) == 0.0


def test_feeding_cuts_off_the_ops_behind_it(session):
    x = tf.placeholder(tf.float32, [])
    y = tf.sqrt(x)
    with tf.control_dependencies([y]):
        z = y + 1.0
    assert session.run(y + 1.0, {y: 3.0}) == 4.0
    assert session.run(y, {y: 3.0}) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(y)
    assert session.run(z, {y: 3.0}) == 4.0


def test_feeding_one_of_several_outputs(session):
    x = tf.placeholder(tf.float32, [4])
    left, right = tf.split(x, 2)
    value = np.arange(4.0)
    assert session.run(left + right, {x: value, left: [10.0, 10.0]}).tolist() == [12.0, 13.0]
    assert session.run([left, right], {x: value, right: [7.0, 8.0]})[1].tolist() == [7.0, 8.0]
    assert session.run(left + right, {left: [1.0, 1.0], right: [1.0, 1.0]}).tolist() == [2.0, 2.0]


def test_feeding_a_variables_value(session):
    v = tf.Variable([1.0, 2.0])
    assert session.run(v * 2.0, {v: [5.0, 6.0]}).tolist() == [10.0, 12.0]
    assert session.run(v, {v: [5.0, 6.0]}).tolist() == [5.0, 6.0]
    assert session.run(v.value() * 2.0, {v.value(): [5.0, 6.0]}).tolist() == [10.0, 12.0]
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(v)
    session.run(v.initializer)
    assert session.run(v).tolist() == [1.0, 2.0]
    assert session.run([v, v + 1.0], {v: [0.0, 0.0]})[1].tolist() == [1.0, 1.0]
    assert session.run(v).tolist() == [1.0, 2.0]


def test_one_tensor_fed_under_two_spellings(session):
    x = tf.placeholder(tf.float32, [], name='x')
    assert session.run(x + 1.0, {x: 1.0, 'x:0': 2.0}) in (2.0, 3.0)


def test_feeds_in_another_order(session):
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    z = x - y
    for _ in range(3):
        assert session.run(z, {x: 3.0, y: 1.0}) == 2.0
        assert session.run(z, {y: 3.0, x: 1.0}) == -2.0
        assert session.run(z, OrderedDict([(y, 1.0), (x, 1.0)])) == 0.0


@pytest.mark.parametrize('value', [
    3, 3.0, np.float64(3), np.float16(3), np.int64(3), True + 2, np.array(3), np.array(3.0)])
def test_scalars_become_the_placeholders_dtype(session, value):
    x = tf.placeholder(tf.float32, [])
    got = session.run(x * 2.0, {x: value})
    assert got == 6.0 and type(got) is np.float32


@pytest.mark.parametrize('value', [
    [[1, 2], [3, 4]], ((1.0, 2.0), (3.0, 4.0)), np.array([[1, 2], [3, 4]]),
    np.array([[1, 2], [3, 4]], np.float64), np.array([[1, 3], [2, 4]], '>f4').T,
    np.array([[1, 3], [2, 4]], np.float32).T, np.array([[1, 0, 2, 0], [3, 0, 4, 0]], 'f')[:, ::2],
    [np.array([1, 2]), [3, 4]], np.array([[1, 2], [3, 4]], np.int8),
    np.ma.masked_array([[1, 2], [3, 4]]), memoryview(np.array([[1.0, 2.0], [3.0, 4.0]]))],
    ids=lambda value: repr(value).partition(' at 0x')[0])
def test_arrays_of_any_kind_and_layout(session, value):
    x = tf.placeholder(tf.float32, [None, 2])
    for fetch in (x * 1.5, tf.matmul(x, tf.eye(2) * 1.5), tf.reshape(x, [-1]) * 1.5, x):
        got = session.run(fetch, {x: value})
        factor = 1.0 if fetch is x else 1.5
        assert got.dtype == np.float32 and type(got) is np.ndarray
        assert (got.reshape(-1) / factor).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_integers_that_do_not_fit_are_refused(session):
    x = tf.placeholder(tf.int32, [])
    assert session.run(x, {x: 2 ** 31 - 1}) == 2 ** 31 - 1
    with pytest.raises(TypeError, match='not compatible'):
        session.run(x, {x: 2 ** 31})
    y = tf.placeholder(tf.uint8, [])
    with pytest.raises(TypeError, match='not compatible'):
        session.run(y, {y: -1})


def test_float64_becomes_float32(session):
    x = tf.placeholder(tf.float32, [None])
    value = np.array([0.1, 1e300])
    got = session.run(x, {x: value})
    assert got.dtype == np.float32 and got[0] == np.float32(0.1) and np.isinf(got[1])


@pytest.mark.parametrize('value', [1j, [1j], np.array([1j])])
@pytest.mark.parametrize('dtype', [tf.float32, tf.int32])
def test_complex_into_real_is_refused(session, dtype, value):
    x = tf.placeholder(dtype)
    with pytest.raises(TypeError, match="can't convert complex to.*\n.*\n.*value.real"):
        session.run(x, {x: value})


def test_an_int_for_a_bool(session):
    x = tf.placeholder(tf.bool)
    assert [session.run(x, {x: v}) for v in (0, 1, True)] == [False, True, True]
    assert session.run(x, {x: [0, 2]}).tolist() == [False, True]
    with pytest.raises(TypeError, match='Type of feed value 2'):
        session.run(x, {x: 2})


@pytest.mark.parametrize('value, kind, hint', [
    ((i for i in range(2)), TypeError, r'this is a generator.*list\(value\)'),
    (map(float, [1, 2]), TypeError, r'this is a map'),
    (zip([1], [2]), TypeError, r'this is a zip'),
    ({1, 2}, TypeError, r'this is a set.*sorted\(value\)'),
    ({'a': 1}, TypeError, r'list\(value\.values\(\)\)'),
    ('three', ValueError, r"string to float: 'three'(.|\n)*this is text"),
    ([['a', 'b']], ValueError, r"string to float: 'a'(.|\n)*this is text"),
])
def test_values_that_are_not_arrays_raise_with_a_hint(session, value, kind, hint):
    x = tf.placeholder(tf.float32)
    with pytest.raises(kind, match=hint):
        session.run(x, {x: value})


def test_nan_for_an_int(session):
    x = tf.placeholder(tf.int32)
    with pytest.raises(ValueError, match='NaN'):
        session.run(x, {x: [float('nan')]})
    session.run(x, {x: np.array([np.nan])})     # as in TF1: some number, and no warning


def test_feeding_a_node_is_refused(session):
    x, w = tf.placeholder(tf.float32), tf.Variable(1.0, name='weight')
    for value, what in [(w, 'a tf.Variable object'), ([1.0, w], 'a list with a tf.Variable'),
                        ([tf.zeros([])], 'a list with a tf.Tensor')]:
        with pytest.raises(ValueError, match=what):
            session.run(x, {x: value})
    with pytest.raises(TypeError, match='a tf.Tensor object'):
        session.run(x, {x: tf.zeros([])})


def test_a_tuple_of_keys(session):
    x, y, z = (tf.placeholder(tf.float32, name=n) for n in 'xyz')
    total = x + 10.0 * y + 100.0 * z
    for _ in range(2):                                  # the second time from memory
        assert session.run(total, {(x, y): (1.0, 2.0), z: 3.0}) == 321.0
        assert session.run(total, {((x, 'y:0'), z): [(1.0, 2.0), 3.0]}) == 321.0
    assert session.run([total, [x]], {(x, y): ([1.0], 2.0), z: 3.0})[1][0].tolist() == [1.0]
    for fetches in ([total, [x], (y,)], [(total,), {'x': x}]):      # no such list can be a key
        for feeds in ({(x, y): (1.0, 2.0), z: 3.0}, {x: 1.0, y: 2.0, z: 3.0}):
            got = session.run(fetches, feeds)
            assert got[0] in (321.0, (321.0,)) and got[1] in ([1.0], {'x': 1.0})
    for value in ([1.0], (1.0, 2.0, 3.0), np.ones(2)):
        with pytest.raises(ValueError, match='Key had 2 elements, but value had'):
            session.run(total, {(x, y): value, z: 3.0})
    with pytest.raises(ValueError, match='is not unique'):
        session.run(total, {x: 1.0, (x, y): (1.0, 2.0), z: 3.0})


@pytest.mark.parametrize('arguments', [
    (np.ones(2),), (np.ones(2), np.ones(2)), ([np.ones(2)],), ({}, np.ones(2)),
])
def test_arrays_in_place_of_a_feed_dict(session, arguments):
    with pytest.raises(TypeError, match=r'sess\.run\(loss, \{x: X, y: Y\}\)'):
        session.run(tf.constant(1.0), *arguments)


def test_an_array_in_place_of_a_feed_dict_of_other_methods(session):
    for method in (session.profile, tf.explain, tf.constant(1.0).eval):
        with pytest.raises(TypeError, match='feed_dict must be a dict'):
            method(*[tf.constant(1.0)] * (method.__name__ != 'eval'), feed_dict=np.ones(2))


def test_fetches_in_place_of_a_feed_dict(session):
    with pytest.raises(TypeError, match=r'sess\.run\(\[train_op, loss\]\)'):
        session.run(tf.constant(1.0), tf.constant(2.0))


def test_the_nearest_name_is_one_of_its_kind(session):
    tf.constant(1.0, name='loss')
    with pytest.raises(ValueError, match=r"a Tensor which.*1 node[^s].*Nearest: 'loss:0'"):
        session.run('los:0')
    with pytest.raises(ValueError, match=r"an Operation which.*Nearest: 'loss'\."):
        session.run('los')
    with pytest.raises(ValueError, match="has 1 output\\."):
        session.run('loss:3')


def test_a_closed_session_says_what_closed_it():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match='closed Session(.|\n)*indent this line'):
        session.run(x)


def test_none_and_objects_are_refused(session):
    x = tf.placeholder(tf.float32, [])
    for value in (None, object(), 'three', [[1.0], [1.0, 2.0]], {'a': 1}, [None]):
        with pytest.raises((TypeError, ValueError)):
            session.run(x, {x: value})
    assert session.run(x, {x: 1.0}) == 1.0


@pytest.mark.parametrize('feeds', [3, 'x', [1], (1, 2), {1}])
def test_feeds_must_be_a_dict(session, feeds):
    with pytest.raises(TypeError):
        session.run(tf.constant(1.0), feeds)


@pytest.mark.parametrize('key', [3, None, 'y:0', 'x', 1.5, b'x:0', (1, 2)])
def test_feed_keys_must_be_tensors(session, key):
    tf.placeholder(tf.float32, [], name='x')
    with pytest.raises(TypeError, match='feed_dict key'):
        session.run(tf.constant(1.0), {key: 1.0})


def test_an_empty_batch(session):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.matmul(tf.nn.relu(x), tf.ones([3, 2])) + 1.0
    assert session.run(y, {x: np.zeros([0, 3])}).shape == (0, 2)
    assert session.run([tf.reduce_sum(y), y], {x: np.zeros([0, 3])})[0] == 0.0
    assert session.run(y, {x: np.zeros([2, 3])}).tolist() == [[1.0, 1.0]] * 2


# ---- make_callable -------------------------------------------------------------------------

def test_make_callable(session):
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [])
    call = session.make_callable({'sum': x + y, 'op': tf.no_op()}, [x, y])
    for n in (1, 2, 1):
        got = call(np.ones(n), 2)
        assert got['sum'].tolist() == [3.0] * n and got['op'] is None
    assert session.make_callable(tf.constant(5.0))() == 5.0
    assert session.make_callable('add:0', ['Placeholder:0', y])([1.0], 1.0).tolist() == [2.0]


def test_make_callable_with_a_wrong_count(session):
    x = tf.placeholder(tf.float32, [])
    call = session.make_callable(x, [x])
    for values in ((), (1.0, 2.0)):
        with pytest.raises(ValueError, match='1 values'):
            call(*values)
    assert call(3.0) == 3.0


def test_make_callable_checks_its_values(session):
    x = tf.placeholder(tf.float32, [2])
    call = session.make_callable(x, [x])
    with pytest.raises(ValueError, match='Cannot feed value of shape'):
        call([1.0])
    assert call([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError):
        session.make_callable(x, x)


def test_make_callable_of_a_closed_session(graph):
    session = tf.Session()
    call = session.make_callable(tf.constant(1.0))
    session.close()
    with pytest.raises(RuntimeError, match='closed'):
        call()


def test_one_tensor_twice_in_a_callables_feeds(session):
    x = tf.placeholder(tf.float32, [])
    with pytest.raises(ValueError, match='names a tensor twice'):
        session.make_callable(x + 1.0, [x, x])


@pytest.mark.parametrize(('name', 'message'), [
    ('loss:0', "Nearest: 'model/loss:0'"), ('lss:0', "Nearest: 'model/loss:0'"),
    ('quux:0', r"tf.identity\(x, name='loss'\)")])
def test_fetching_an_unknown_name_suggests_the_nearest(session, name, message):
    with tf.name_scope('model'):
        tf.identity(tf.constant(1.), name='loss')
    with pytest.raises(ValueError, match=message):
        session.run(name)


def test_equal_fetches_of_unknown_rank_are_separate_arrays(session):
    doubled = tf.py_func(lambda: np.ones(5, np.float32), [], tf.float32)
    first, second = session.run([doubled + 1, doubled + 1])         # merged to one value
    first[:] = 0
    np.testing.assert_array_equal(second, [2] * 5)
