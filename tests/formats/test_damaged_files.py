"""Damaged files: cut off or with flipped bits, they give an error that names the file; or nothing
was lost that is read. Never a crash, and never other values than were written."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.wire import files
from tinyflow.formats.wire.bundle import BundleReader
from tinyflow.formats.wire.checkpoint_v1 import ReaderV1
from tinyflow.formats.wire.records import RecordReader
from tinyflow.graph.support.errors import OpFailure
from tinyflow.train.checkpoints import object_graph

FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'ckpt'
QUICK = settings(max_examples=250, deadline=None, derandomize=True, database=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture])
EXPECTED = (tf.errors.DataLossError, tf.errors.NotFoundError, tf.errors.UnimplementedError,
            tf.errors.InvalidArgumentError)


@st.composite
def damage(draw, size):
    """('cut', length), ('flip', [(byte, bit)]), ('put', place, bytes)."""
    kind = draw(st.sampled_from(['cut', 'flip', 'put']))
    if kind == 'cut':
        return kind, draw(st.integers(0, size - 1))
    place = st.integers(0, size - 1)
    if kind == 'flip':
        return kind, draw(st.lists(st.tuples(place, st.integers(0, 7)), min_size=1, max_size=4))
    return kind, draw(place), draw(st.binary(min_size=1, max_size=20))


def damaged(data, how):
    data = bytearray(data)
    if how[0] == 'cut':
        return bytes(data[:how[1]])
    if how[0] == 'flip':
        for place, bit in how[1]:
            data[place] ^= 1 << bit
    else:
        data[how[1]:how[1] + len(how[2])] = how[2]
    return bytes(data)


def original(name):
    return (FILES / name).read_bytes()


def copy_with(tmp_path, prefix, name, data):
    """The files of a checkpoint, one of them with other bytes; the prefix of the copy."""
    for path in FILES.glob(f'{prefix}*'):
        (tmp_path / path.name).write_bytes(data if path.name == name else path.read_bytes())
    return str(tmp_path / prefix)


def read_all(reader, wanted, path):
    """Every tensor is as it was written, or reading it is an error that names the file."""
    assert reader.names() == sorted(wanted)
    for name, value in wanted.items():
        try:
            got = reader.get(name)
        except EXPECTED as error:
            assert path in str(error) and name in str(error), str(error)
            continue
        assert got.dtype == value.dtype and np.array_equal(got, value), name


# ---- checkpoints ---------------------------------------------------------------------------------

@QUICK
@given(how=damage(len(original('tensors.data-00000-of-00001'))))
def test_damaged_data(tmp_path, how):
    name = 'tensors.data-00000-of-00001'
    prefix = copy_with(tmp_path, 'tensors', name, damaged(original(name), how))
    with BundleReader(prefix) as reader:
        read_all(reader, contents.TENSORS, str(tmp_path / name))


@QUICK
@given(how=damage(len(original('tensors.index'))))
def test_damaged_index(tmp_path, how):
    name = 'tensors.index'
    prefix = copy_with(tmp_path, 'tensors', name, damaged(original(name), how))
    try:
        reader = BundleReader(prefix)
    except EXPECTED as error:
        assert str(tmp_path / name) in str(error)
        return
    with reader:                    # the damage is where nothing is kept, such as in the footer
        read_all(reader, contents.TENSORS, str(tmp_path))


@QUICK
@given(how=damage(len(original('parts.data-00000-of-00001'))))
def test_damaged_parts(tmp_path, how):
    name = 'parts.data-00000-of-00001'
    prefix = copy_with(tmp_path, 'parts', name, damaged(original(name), how))
    with BundleReader(prefix) as reader:
        read_all(reader, {'parts': contents.WHOLE}, str(tmp_path / name))


@settings(QUICK, max_examples=100)
@given(how=damage(len(original('old'))))
def test_damaged_first_format(tmp_path, how):
    (tmp_path / 'old').write_bytes(damaged(original('old'), how))
    wanted = {n: v for n, v in contents.TENSORS.items() if n[0] in 'acd'}
    try:
        reader = ReaderV1(str(tmp_path / 'old'))
        read_all(reader, wanted, str(tmp_path / 'old'))
    except EXPECTED as error:
        assert str(tmp_path / 'old') in str(error)


@settings(QUICK, max_examples=100)
@given(entry=st.binary(max_size=60))
def test_entries_that_are_any_bytes(tmp_path, entry):
    """Checksums are right, but what they protect is nonsense: no crash, no endless allocation."""
    from tinyflow.formats.wire.table import read_table, write_table
    entries = read_table(original('tensors.index'))
    entries[b'c/int64'] = entry
    prefix = copy_with(tmp_path, 'tensors', 'tensors.index', write_table(entries.items()))
    with BundleReader(prefix) as reader:
        try:
            reader.get('c/int64')
        except EXPECTED as error:
            assert 'c/int64' in str(error)


@settings(QUICK, max_examples=100)
@given(graph=st.binary(max_size=60))
def test_object_graphs_that_are_any_bytes(graph):
    class Reader:
        prefix = 'the/checkpoint'

        def __contains__(self, name):
            return True

        def get(self, name):
            return np.array(graph, object)
    try:
        found = object_graph.read_graph(Reader())
    except tf.errors.DataLossError as error:
        assert 'the/checkpoint' in str(error)
    else:
        for number in range(len(found.nodes)):
            object_graph.stored_path(found, number)
        object_graph.match(found, tf.train.Checkpoint())


@settings(QUICK, max_examples=100)
@given(text=st.binary(max_size=80) | st.just(b'model_checkpoint_path: 3'))
def test_state_files_that_are_any_bytes(tmp_path, text):
    (tmp_path / 'checkpoint').write_bytes(text)
    try:
        assert tf.train.latest_checkpoint(str(tmp_path)) is None
    except ValueError as error:
        assert str(tmp_path) in str(error)


# ---- records and Examples ------------------------------------------------------------------------

@QUICK
@pytest.mark.parametrize('name', contents.COMPRESSIONS)
@given(data=st.data())
def test_damaged_records(tmp_path, name, data):
    whole = original(name)
    path = str(tmp_path / name)
    pathlib.Path(path).write_bytes(damaged(whole, data.draw(damage(len(whole)))))
    found = []
    try:
        with RecordReader(path, contents.COMPRESSIONS[name]) as reader:
            for record in reader:
                found.append(record)
    except tf.errors.DataLossError as error:
        assert path in str(error)
    assert found == contents.RECORDS[:len(found)]


@QUICK
@given(how=damage(len(original('example.bin'))))
def test_damaged_examples(how):
    """An Example has no checksum, so damage may go unnoticed; but there is never a crash."""
    from tinyflow.formats.wire import examples
    data = damaged(original('example.bin'), how)
    sparse = [examples.Sparse('text', tf.string), examples.Sparse('many', tf.int64)]
    dense = [examples.Dense('floats', tf.float32, (2,), np.zeros(0)),
             examples.Dense('label', tf.int64, (), np.zeros(0))]
    for parse in (lambda: examples.parse_single(data, sparse, dense),
                  lambda: examples.parse_batch([data], [], sparse, dense),
                  lambda: examples.parse_sequence(data, 'x', sparse, dense, [], [], [])):
        try:
            parse()
        except OpFailure as error:
            assert str(error)


def test_the_undamaged_example():
    with tf.Graph().as_default(), tf.Session() as session:
        message, described = contents.features(tf)
        data = original('example.bin')
        assert message == type(message).FromString(data)
        parsed = session.run(tf.parse_single_example(data, described))
    assert parsed['many'].tolist() == list(range(300)) and parsed['label'] == -3
    assert parsed['text'].values.tolist() == ['café'.encode(), b'']


def test_a_kernel_names_the_file_and_the_tensor(tmp_path):
    name = 'tensors.data-00000-of-00001'
    prefix = copy_with(tmp_path, 'tensors', name, original(name)[:-30])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([['', ''], ['', '']], name='d/string')
        with pytest.raises(tf.errors.DataLossError) as caught:
            tf.train.Saver().restore(session, prefix)
    text = str(caught.value)
    assert name in text and "'d/string'" in text and 'Hint:' in text


def test_nothing_is_unpickled():
    for module in (files.__file__, *pathlib.Path(files.__file__).parent.glob('*.py')):
        source = pathlib.Path(module).read_text(encoding='utf-8')
        assert 'pickle' not in source, module
