"""Nonsense that checksums protect, and what errors about files say. `tests/faults` damages files of
every format by chance."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.wire import files
from tinyflow.formats.wire.bundle import BundleReader
from tinyflow.train.checkpoints import object_graph

FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'ckpt'
QUICK = settings(max_examples=100, deadline=None, derandomize=True, database=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture])
EXPECTED = (tf.errors.DataLossError, tf.errors.NotFoundError, tf.errors.UnimplementedError,
            tf.errors.InvalidArgumentError)


def original(name):
    return (FILES / name).read_bytes()


def copy_with(tmp_path, prefix, name, data):
    """The files of a checkpoint, one of them with other bytes; the prefix of the copy."""
    for path in FILES.glob(f'{prefix}*'):
        (tmp_path / path.name).write_bytes(data if path.name == name else path.read_bytes())
    return str(tmp_path / prefix)



# ---- checkpoints ---------------------------------------------------------------------------------

@pytest.mark.slow
@QUICK
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


@QUICK
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


@pytest.mark.slow
@QUICK
@given(text=st.binary(max_size=80) | st.just(b'model_checkpoint_path: 3'))
def test_state_files_that_are_any_bytes(tmp_path, text):
    (tmp_path / 'checkpoint').write_bytes(text)
    try:
        assert tf.train.latest_checkpoint(str(tmp_path)) is None
    except ValueError as error:
        assert str(tmp_path) in str(error)


# ---- records and Examples ------------------------------------------------------------------------

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
