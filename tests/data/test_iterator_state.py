"""The position of a pass over a dataset, saved and restored exactly, at every element."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tinyflow as tf
from tinyflow.data.runtime import (
    batching,
    caching,
    counting,
    files,
    grouping,
    mapping,
    nesting,
    prefetch as ahead,
    shuffling,
    sources,
)
from tinyflow.data.runtime.base import load, save
from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.graph.object_scalars import boxed


def numbers(n=12):
    return sources.Range(0, n, 1)


def rows():
    return sources.Slices([np.arange(12.0).reshape(6, 2), np.arange(6)])


def times_ten(x):
    return [x * 10]


def to_dataset(x):
    return [boxed(sources.Range(0, int(x) % 4, 1))]


def generated():
    return sources.Generated(lambda: iter(range(9)), lambda value, index: [np.int64(value)])


def shuffled(**settings):
    return shuffling.Shuffled(numbers(), settings.pop('size', 4), 1, 2, **settings)


def lines(tmp_path):
    path = tmp_path / 'lines.txt'
    path.write_bytes(b'one\ntwo\r\n\nfour')
    return files.Lines([str(path), str(path)], '', 0)


def pieces(tmp_path):
    path = tmp_path / 'pieces.bin'
    path.write_bytes(b'HHaabbccF')
    return files.Pieces([str(path), str(path)], 2, 2, 1, 0, '')


CHAINS = {
    'once': lambda: sources.Once([np.float32([1, 2])]),
    'slices': rows,
    'range': numbers,
    'random': lambda: counting.Taken(sources.RandomInts(3, 4), 9),
    'generator': generated,
    'map': lambda: mapping.Mapped(numbers(), times_ten),
    'filter': lambda: mapping.Filtered(numbers(), lambda x: [x % 3 == 0]),
    'take while': lambda: mapping.TakenWhile(numbers(), lambda x: [x < 5]),
    'scan': lambda: mapping.Scanned(numbers(), [np.int64(0)], lambda s, x: [s + x, s * x]),
    'flat map': lambda: nesting.Flat(numbers(), to_dataset),
    'interleave': lambda: nesting.Interleaved(numbers(), to_dataset, 3, 2),
    'repeat': lambda: counting.Repeated(numbers(4), 3),
    'take, skip': lambda: counting.Skipped(counting.Taken(numbers(), 9), 2),
    'shard': lambda: counting.Shard(numbers(), 3, 1),
    'zip': lambda: counting.Zipped([numbers(5), rows()]),
    'concatenate': lambda: counting.Concatenated(numbers(3), numbers(4)),
    'choose': lambda: counting.Chosen(
        sources.Slices([np.array([0, 1, 1, 0, 1, 0, 0, 1])]), [numbers(4), numbers(3)]),
    'batch': lambda: batching.Batched(rows(), 4, False),
    'padded batch': lambda: batching.PaddedBatched(
        mapping.Mapped(numbers(), lambda x: [np.full(x, x)]), 5, [[-1]], [np.int64(-1)], False),
    'unbatch': lambda: batching.Unbatched(batching.Batched(rows(), 4, False)),
    'shuffle': shuffled,
    'shuffle in one buffer': lambda: shuffled(size=100),
    'shuffle and repeat': lambda: shuffled(count=3),
    'repeated shuffle': lambda: counting.Repeated(shuffled(reshuffle=True), 3),
    'cache': lambda: counting.Repeated(caching.Cached(mapping.Mapped(numbers(5), times_ten)), 3),
    'prefetch': lambda: ahead.Prefetched(numbers(), 3),
    'parallel map': lambda: ahead.ParallelMapped(numbers(), times_ten, 3),
    'distinct': lambda: grouping.Distinct(mapping.Mapped(numbers(), lambda x: [x // 2])),
    'by key': lambda: grouping.ReducedByKey(
        numbers(), lambda x: [x % 3], lambda k: [k], lambda s, x: [s + x], lambda s: [s]),
    'windows by key': lambda: grouping.Grouped(
        numbers(), lambda x: [x % 3],
        lambda key, box: [boxed(batching.Batched(box.item(), 2, False))], lambda key: [3]),
    'windows': lambda: nesting.Flat(
        batching.Windows(numbers(), 3, 2, 1, False),
        lambda box: [boxed(batching.Batched(box.item(), 3, False))]),
    'overlapping windows': lambda: counting.Repeated(shuffling.Shuffled(
        batching.Windows(numbers(5), 3, 1, 1, False), 3, 1, 2), 2),
    'strings': lambda: sources.Slices([np.array([b'one', b'', b'\xff'], object)]),
}
OF_FILES = {'lines': lines, 'pieces': pieces}


def plain(element):
    """The values of an element; of a dataset in it, those of its elements."""
    found = [np.asarray(component).tolist() for component in element]
    return [drained(f.open()) if hasattr(f, 'open') else f for f in found]


def drained(cursor):
    return [plain(element) for element in cursor]


def check_every_position(make):
    """Whatever was taken before, what is left is the same after a save and a restore."""
    whole = drained(make().open())
    for position in range(len(whole) + 1):
        cursor = make().open()
        for _ in range(position):
            next(cursor)
        data = encode(save(cursor))
        assert drained(cursor) == whole[position:], f'saving at {position} moved the pass'
        again = make().open()
        next(again, None)
        again = make().open()
        load(again, decode(data))
        assert drained(again) == whole[position:], f'restored at {position}'
        assert drained(again) == [], 'a pass that is over stays over'


@pytest.mark.parametrize('name', CHAINS)
def test_a_pass_is_restored_exactly(name):
    check_every_position(CHAINS[name])


@pytest.mark.parametrize('name', OF_FILES)
@pytest.mark.parametrize('through', [lambda s: s, lambda s: counting.Repeated(s, 2)])
def test_a_pass_over_files_is_restored_exactly(name, through, tmp_path):
    check_every_position(lambda: through(OF_FILES[name](tmp_path)))


def test_a_dataset_of_another_kind_in_an_element_cannot_be_saved():
    state = save(counting.Repeated(sources.Once([boxed(numbers())]), 2).open())
    encode(state)
    with pytest.raises(tf.errors.UnimplementedError, match='Range .* cannot be saved'):
        encode([state, boxed(numbers())])


@pytest.mark.parametrize('make', [
    lambda: ahead.Prefetched(mapping.Mapped(numbers(30), times_ten), 4),
    lambda: ahead.ParallelMapped(numbers(30), times_ten, 3)], ids=['prefetch', 'map'])
def test_slow_elements_are_restored_exactly_too(make, monkeypatch):
    """With threads at work on elements ahead, what they made or took counts."""
    monkeypatch.setattr(ahead, '_WORTH_IT', -1.0)
    whole = [[x * 10] for x in range(30)]
    for position in (1, 7, 8, 9, 20, 29, 30):
        cursor, again = make().open(), make().open()
        for _ in range(position):
            next(cursor)
        load(again, decode(encode(save(cursor))))
        assert drained(again) == whole[position:]
        assert drained(cursor) == whole[position:]
        cursor.close()
        again.close()


def test_a_state_of_another_chain_is_refused():
    state = save(CHAINS['batch']().open())
    with pytest.raises(tf.errors.FailedPreconditionError, match='same chain of datasets'):
        load(CHAINS['map']().open(), state)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=20)


@pytest.mark.slow
@given(PLAIN)
def test_plain_data_goes_through_bytes(value):
    assert decode(encode(value)) == value


@pytest.mark.parametrize('array', [
    np.arange(6).reshape(2, 3), np.float32(1.5), np.array(True), np.zeros([0, 2]),
    np.array([b'a', b''], object), boxed(b'x'), np.arange(10)[::3]], ids=repr)
def test_arrays_go_through_bytes(array):
    back = decode(encode([array]))[0]
    assert back.dtype == array.dtype and back.shape == array.shape
    assert np.array_equal(back, array) and type(back) is type(array)


STATE = encode(save(CHAINS['repeated shuffle']().open()))


@given(st.integers(0, len(STATE) - 1), st.integers(1, 255), st.booleans())
def test_damaged_bytes_are_a_clear_error(place, flip, cut):
    damaged = STATE[:place] if cut else \
        STATE[:place] + bytes([STATE[place] ^ flip]) + STATE[place + 1:]
    with pytest.raises(tf.errors.DataLossError, match='the saved iterator state cannot be read'):
        decode(damaged)


# ---- in graphs ----------------------------------------------------------------------------

def pipeline():
    dataset = tf.data.Dataset.range(30).shuffle(7, seed=3).map(lambda x: x * x)
    return dataset.repeat(2).batch(4).make_initializable_iterator()


def left(session, element):
    found = []
    try:
        while True:
            found.append(session.run(element).tolist())
    except tf.errors.OutOfRangeError:
        return found


def test_a_saver_saves_the_position_of_an_iterator(tmp_path):
    with tf.Graph().as_default():
        iterator = pipeline()
        element = iterator.get_next()
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS,
                             tf.data.experimental.make_saveable_from_iterator(iterator))
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(iterator.initializer)
            for _ in range(3):
                session.run(element)
            path = saver.save(session, str(tmp_path / 'model'))
            rest = left(session, element)
        with tf.Session() as session:
            session.run(iterator.initializer)
            saver.restore(session, path)
            assert left(session, element) == rest
    assert len(rest) == 12


def test_a_checkpoint_tracks_an_iterator(tmp_path):
    with tf.Graph().as_default():
        iterator = pipeline()
        element = iterator.get_next()
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        with tf.Session() as session:
            session.run(iterator.initializer)
            session.run(element)
            path = checkpoint.save(str(tmp_path / 'model'))
            rest = left(session, element)
            session.run(iterator.initializer)
            checkpoint.restore(path).assert_consumed().run_restore_ops()
            assert left(session, element) == rest


def test_random_nodes_in_a_function_refuse_to_be_saved():
    from tinyflow.data.ops.iterator_ops import SerializeIterator
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(5).map(lambda x: tf.random_uniform([], seed=1, name='die'))
        iterator = dataset.make_initializable_iterator()
        state = SerializeIterator.apply(iterator._iterator_resource)
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.FailedPreconditionError,
                           match="(?s)'die/R.*stateless_uniform"):
            session.run(state)


@pytest.mark.parametrize('buffer_size', [1, 4, 20])
def test_batches_of_shuffled_rows_go_on_and_are_as_row_by_row(buffer_size):
    """Batched gathers rows by their numbers; a state holds whole rows, as one by another way."""
    table = sources.Slices([np.arange(7), np.array([b'%d' % i for i in range(7)], object)])

    class RowByRow(batching.Batched):
        """Takes the way of all other datasets."""

    def opened(kind):
        return kind(shuffling.Shuffled(table, buffer_size, 3, 4, count=5), 3, False).open()

    def values_of(batches):
        return [[column.tolist() for column in batch] for batch in batches]

    wanted = values_of(opened(RowByRow))
    assert len(wanted) == 12 and values_of(opened(batching.Batched)) == wanted
    for kind in (batching.Batched, RowByRow):
        cursor = opened(kind)
        begun = values_of(next(cursor) for _ in range(4))
        state = save(cursor)
        again = opened(batching.Batched)
        load(again, state)
        assert begun + values_of(again) == wanted


@pytest.mark.parametrize('rows', [
    [(np.float32(i), np.arange(3) + i) for i in range(40)],
    [None, *[(np.array([i, i]), np.int64(i), np.str_('a')) for i in range(40)]],
    [(np.float32(i),) if i % 2 else (np.float64(i),) for i in range(40)],
    [(np.array([b'x', i], object),) for i in range(40)],
    [(np.zeros(i % 3),) for i in range(40)], [None] * 40, [() for _ in range(40)],
], ids=['alike', 'a gap and text', 'dtypes', 'objects', 'shapes', 'nothing', 'empty'])
def test_buffers_of_many_elements(rows):
    """Elements that are alike are written column by column; they come back as they were."""
    found = decode(encode({'ring': rows}))['ring']
    assert len(found) == len(rows)
    for one, other in zip(found, rows):
        assert type(one) is type(other) and (one is None or len(one) == len(other))
        for a, b in zip(one or (), other or ()):
            assert type(a) is type(b) and a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
