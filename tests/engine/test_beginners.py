"""Mistakes of beginners with networks, input and files: what a message must say, in few lines."""
from __future__ import annotations

import os

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def _input(*shape):
    return tf.placeholder(tf.float32, list(shape), name='x')


def _run(*fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(list(fetches), feed)


def _next(dataset):
    return dataset.make_one_shot_iterator().get_next()


def _example():
    value = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    return tf.train.Example(features=tf.train.Features(feature={'a': value})).SerializeToString()


def _parse(name, shape, dtype):
    return _run(tf.parse_single_example(_example(), {name: tf.FixedLenFeature(shape, dtype)}))


def _conv(*shape, strides=(1, 1, 1, 1), padding='SAME', kernel=(5, 5, 3, 8)):
    return tf.nn.conv2d(_input(*shape), tf.zeros(kernel), list(strides), padding)


def _rnn(cell, *shape, **how):
    return tf.nn.dynamic_rnn(cell, _input(*shape), **how)


def _twice(make):
    make(), make()


def _shared(shape):
    tf.get_variable('w', [2])
    with tf.variable_scope('', reuse=True):
        tf.get_variable('w', shape)


def _drained():
    following = _next(tf.data.Dataset.range(1))
    with tf.Session() as session:
        session.run(following)
        session.run(following)


def _unready():
    _run(tf.data.Dataset.range(3).make_initializable_iterator().get_next())


def _written(index):
    _run(tf.TensorArray(tf.float32, 2).write(index, 1.0).stack())


def _metric():
    _run(*tf.metrics.accuracy(tf.constant([1]), tf.constant([1])))


def _loop(cond, body, values):
    return tf.while_loop(cond, body, values)


def _state(size):
    return tf.zeros([3, size])


def _gru():
    return tf.nn.rnn_cell.GRUCell(8)


def _lstm():
    return tf.nn.rnn_cell.LSTMCell(8)


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'flat rows into a conv layer': (
        lambda: tf.layers.conv2d(_input(None, 784), 32, 5), ValueError,
        ['expected ndim=4, found ndim=2', "'x:0'"]),
    'another depth into conv2d': (
        lambda: _conv(None, 28, 28, 1), ValueError,
        ['1 channels', 'filter takes 3', 'Mend: a filter is']),
    'NCHW into conv2d': (
        lambda: _conv(None, 3, 28, 28), ValueError, ['28 channels', 'Mend: axis 1 of the input']),
    'a filter of rank 3': (
        lambda: _conv(None, 28, 28, 3, kernel=(5, 5, 3)), ValueError, ['rank 4 but is rank 3']),
    'strides over the batch': (
        lambda: _conv(None, 28, 28, 3, strides=(2, 1, 1, 1)), ValueError, ['Mend: ', '1 for N']),
    'an unknown padding': (
        lambda: _conv(None, 28, 28, 3, padding='FULL'), ValueError, ["'VALID'", "'FULL'"]),
    'flat rows into max_pool': (
        lambda: tf.nn.max_pool(_input(None, 784), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'), ValueError,
        ['rank 4 but is rank 2', 'Mend: ', 'tf.reshape']),
    'a window that is too large': (
        lambda: tf.layers.max_pooling2d(_input(None, 1, 1, 8), 2, 2), ValueError,
        ['subtracting 2 from 1', "Mend: padding='SAME'"]),
    'a bias for NCHW': (
        lambda: tf.nn.bias_add(_input(None, 3, 28, 28), tf.zeros([3])), ValueError,
        ['28 and 3', 'Mend: axis 3']),
    'dense on rows of unknown length': (
        lambda: tf.layers.dense(_input(None, None), 10), ValueError, ['last dimension', 'Mend: ']),
    'flat rows into dynamic_rnn': (
        lambda: _rnn(_lstm(), None, 28, dtype=tf.float32), ValueError,
        ['rank at least 3', "'x:0'", '[?, 28]', 'Mend: inputs are [batch, time, in]']),
    'dynamic_rnn without a dtype': (
        lambda: _rnn(_lstm(), None, 28, 28), ValueError, ['dtype=tf.float32']),
    'dynamic_rnn of unknown depth': (
        lambda: _rnn(_lstm(), None, 28, None, dtype=tf.float32), ValueError, ['Mend: ', 'depth']),
    'static_rnn on a tensor': (
        lambda: tf.nn.static_rnn(_lstm(), _input(None, 28, 28), dtype=tf.float32), TypeError,
        ['Mend: tf.unstack(x, axis=1)']),
    'two networks in one scope': (
        lambda: _twice(lambda: _rnn(_lstm(), None, 5, 4, dtype=tf.float32)), ValueError,
        ['rnn/lstm_cell/kernel already exists', 'Mend: ']),
    'a state of another size': (
        lambda: _rnn(_gru(), 3, 5, 4, initial_state=_state(7)), ValueError,
        ['7 columns', 'GRUCell keeps 8', 'Mend: a state of [batch, 8]']),
    'one tensor as the state of an LSTM': (
        lambda: _rnn(_lstm(), 3, 5, 4, initial_state=_state(8)), ValueError,
        ['is one tensor', 'LSTMStateTuple(c=8, h=8)', 'Mend: tf.nn.rnn_cell.LSTMStateTuple(c, h)']),
    'a Variable shared with another shape': (
        lambda: _shared([3]), ValueError, ['(3,)', '(2,)', 'made at', 'Mend: a variable_scope']),
    'metrics without their initializer': (
        _metric, tf.errors.FailedPreconditionError, ['accuracy/count', 'accuracy/total',
                                                         'Mend: sess.run(tf.local_variables_init']),
    'an iterator without its initializer': (
        _unready, tf.errors.FailedPreconditionError, ['Mend: ', 'iterator.initializer']),
    'a dataset that is exhausted': (
        _drained, tf.errors.OutOfRangeError,
        ['End of sequence', 'Mend: ', 'tf.errors.OutOfRangeError', 'repeat()']),
    'a feature that is not there': (
        lambda: _parse('b', [], tf.int64), tf.errors.InvalidArgumentError,
        ['Feature: b', 'the example has: a int64 [2]', 'Mend: ']),
    'a feature of another type': (
        lambda: _parse('a', [2], tf.float32), tf.errors.InvalidArgumentError,
        ["Data types don't match", 'Mend: ', 'tf.int64']),
    'a feature of another length': (
        lambda: _parse('a', [3], tf.int64), tf.errors.InvalidArgumentError,
        ['2 values', '[3]', 'Mend: tf.FixedLenFeature([2]']),
    'a feature of int32': (
        lambda: _parse('a', [2], tf.int32), TypeError, ["Feature 'a'", 'Mend: ']),
    'a number instead of a list': (
        lambda: tf.train.Int64List(value=3), TypeError, ['value is 3', 'Mend: value=[3].']),
    'a fraction among integers': (
        lambda: tf.train.Int64List(value=[3, 3.5]), TypeError,
        ['value[1] is 3.5', 'integers', 'Mend: tf.train.FloatList']),
    'text among bytes': (
        lambda: tf.train.BytesList(value=['abc']), TypeError, ["'abc'", "Mend: 'abc'.encode()"]),
    'text instead of a list of bytes': (
        lambda: tf.train.BytesList(value='abc'), TypeError, ["value is 'abc'", 'Mend: ']),
    'an array of two dimensions in a list': (
        lambda: tf.train.FloatList(value=np.zeros((2, 3))), TypeError,
        ['shape [2, 3]', 'Mend: array.ravel()']),
    'bytes that are no Example': (
        lambda: _run(tf.parse_single_example(b'hello', {'a': tf.FixedLenFeature([], tf.int64)})),
        tf.errors.InvalidArgumentError, ["b'hello'", 'Mend: ']),
    'a row of too many fields': (
        lambda: _run(tf.decode_csv(['1,2,3'], [[0], [0]])), tf.errors.InvalidArgumentError,
        ['Expect 2 fields but have 3', 'Mend: record 0 splits into']),
    'text in a column of numbers': (
        lambda: _run(tf.decode_csv(['1,x'], [[0], [0]])), tf.errors.InvalidArgumentError,
        ['Field 1 in record 0', 'Mend: ', 'skip_header_lines=1']),
    'bytes of another type': (
        lambda: _run(tf.decode_raw([b'abc'], tf.int32)), tf.errors.InvalidArgumentError,
        ['length 3', 'multiple of 4', 'Mend: out_type']),
    'bytes that are no PNG': (
        lambda: _run(tf.image.decode_png(b'not a picture')), tf.errors.InvalidArgumentError,
        ["DecodePng 'DecodePng'", 'size 13', 'tf.read_file(name)', "b'not a pictur'"]),
    'a GIF as a PNG': (
        lambda: _run(tf.image.decode_png(b'GIF89a')), tf.errors.InvalidArgumentError,
        ['Mend: this is a GIF']),
    'lines of a file that is not there': (
        lambda: _run(_next(tf.data.TextLineDataset('/no/file'))), tf.errors.NotFoundError,
        ['/no/file; No such file', 'Mend: there is no directory /no.']),
    'records of a file that is not there': (
        lambda: _run(_next(tf.data.TFRecordDataset(__file__[:-3] + '_.py'))),
        tf.errors.NotFoundError, ['No such file', 'Mend: the directory has test_beginners.py']),
    'lengths of another batch': (
        lambda: _rnn(_gru(), 3, 5, 4, sequence_length=[1, 2], dtype=tf.float32), ValueError,
        ['sequence_length has 2 lengths', '3 rows', 'Mend: one length for each row']),
    'lengths of another batch, fed': (
        lambda: _run(_rnn(_gru(), None, 5, 4, sequence_length=[1, 2], dtype=tf.float32)[1],
                     feed={'x:0': np.zeros((3, 5, 4))}), tf.errors.InvalidArgumentError,
        ['Expected shape', '[3]', 'but saw shape', '[2]']),
    'gradients that are all None': (
        lambda: tf.train.AdamOptimizer().apply_gradients([(None, tf.get_variable('w', [2]))]),
        ValueError, ["No gradients provided for any variable: ['w:0']", 'Mend: ']),
    'an export into a full directory': (
        lambda: tf.saved_model.builder.SavedModelBuilder(os.path.dirname(__file__)),
        AssertionError, ["isn't empty", 'Mend: another directory', 'shutil.rmtree']),
    'labels and logits by position': (
        lambda: tf.nn.softmax_cross_entropy_with_logits(tf.zeros([2, 3]), tf.zeros([2, 3])),
        ValueError, ['named arguments', 'Mend: softmax_cross_entropy_with_logits(labels=y, log']),
    'one cell in two layers': (
        lambda: _rnn(tf.nn.rnn_cell.MultiRNNCell([_gru()] * 2), 3, 5, 4, dtype=tf.float32),
        ValueError, ['16 and 12', 'Mend: in MultiRNNCell at least two', 'for _ in range(layers)']),
    'an index past the table': (
        lambda: _run(tf.nn.embedding_lookup(tf.zeros([5, 2]), [7])),
        tf.errors.InvalidArgumentError, ['indices[0] = 7', '[0, 5)', 'Mend: indices count from 0']),
    'a label out of range': (
        lambda: _run(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[10], logits=np.zeros((1, 10), np.float32))), tf.errors.InvalidArgumentError,
        ['label value of 10', '[0, 10)', 'Mend: labels count from 0']),
    'branches of different types': (
        lambda: tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(1.0)),
        ValueError, ['int32, float32', 'Mend: tf.cast']),
    'a branch that is no function': (
        lambda: tf.cond(tf.constant(True), tf.constant(1), tf.constant(2)), TypeError,
        ['true_fn must be callable', 'Mend: lambda']),
    'a body of too few arguments': (
        lambda: _loop(lambda i, s: i < 3, lambda i: i + 1, [0, 0]), TypeError,
        ['body of the while_loop is called with 2 arguments', 'takes (i)', 'Mend: ']),
    'a condition of too few arguments': (
        lambda: _loop(lambda i: i < 3, lambda i, s: (i + 1, s), [0, 0]), TypeError,
        ['cond of the while_loop is called with 2 arguments', 'Mend: ']),
    'a body of too few results': (
        lambda: _loop(lambda i, s: i < 3, lambda i, s: i + 1, [0, 0]), ValueError,
        ['loop_vars: ', 'body returns: ', 'Mend: the body returns']),
    'a loop variable of another type': (
        lambda: _loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0]), TypeError,
        ['int32', 'float32', 'Mend: tf.cast']),
    'a condition that is a number': (
        lambda: _loop(lambda i: i, lambda i: i + 1, [0]), TypeError, ['Mend: compare']),
    'a write past the end of a TensorArray': (
        lambda: _written(5), tf.errors.InvalidArgumentError,
        ['element 5', '2 elements', 'Mend: size=...', 'dynamic_size=True']),
    'a py_func of another dtype': (
        lambda: _run(tf.py_func(lambda x: x.astype(np.float64), [np.zeros(2, np.float32)],
                                tf.float32)), tf.errors.InvalidArgumentError,
        ['float64', 'expects float32', 'Mend: np.asarray']),
    'a py_func of too many values': (
        lambda: _run(tf.py_func(lambda x: (x, x), [1.0], [tf.float32])),
        tf.errors.InvalidArgumentError, ['returns 2 values', 'Mend: Tout']),
    'merge_all without summaries': (
        lambda: _run(tf.summary.merge_all()), TypeError, ['Mend: ', 'merge_all']),
    'a scalar summary of a vector': (
        lambda: _run(tf.summary.scalar('a', tf.zeros([3]))), tf.errors.InvalidArgumentError,
        ['[] != [3]', 'Mend: ', 'tf.summary.histogram']),
    'flat labels into nce_loss': (
        lambda: tf.nn.nce_loss(tf.zeros([50, 8]), tf.zeros([50]), labels=_input(None),
                               inputs=_input(None, 8), num_sampled=5, num_classes=50), ValueError,
        ['rank 2 but is rank 1', 'Mend: tf.reshape(labels, [-1, 1])']),
    'a restore of None': (
        lambda: _restore(None), ValueError, ['None', 'Mend: tf.train.latest_checkpoint']),
    'a Saver without Variables': (
        lambda: tf.train.Saver(), ValueError, ['No variables to save', 'Mend: ']),
}


def _restore(path):
    tf.get_variable('w', [4])
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_explained(name):
    mistake, kind, words = MISTAKES[name]
    with pytest.raises(kind) as caught:
        mistake()
    told = str(caught.value)
    assert not [part for part in words if part not in told], told
    assert len(told.splitlines()) <= 8, told


@pytest.fixture
def checkpoint(tmp_path):
    """The path of a checkpoint that holds `w`, a vector of 3."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', [3])
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(tmp_path / 'model'))


def _message(kind, function, *values):
    with pytest.raises(kind) as caught:
        function(*values)
    return str(caught.value)


def test_a_checkpoint_of_other_shapes(checkpoint):
    told = _message(tf.errors.InvalidArgumentError, _restore, checkpoint)
    assert 'shape differs  w  float32 [4]  in the checkpoint [3]' in told and 'Mend: ' in told


def test_a_checkpoint_of_another_model(checkpoint):
    tf.get_variable('another', [3])
    told = _message(tf.errors.NotFoundError, _restore, checkpoint)
    assert 'missing        another  float32 [3]' in told and 'Mend: ' in told


def test_a_checkpoint_that_is_not_there(tmp_path):
    told = _message(ValueError, _restore, str(tmp_path / 'none' / 'model'))
    assert 'not a valid checkpoint' in told and 'Mend: there are no checkpoints in' in told


def test_a_directory_instead_of_a_checkpoint(checkpoint, tmp_path):
    told = _message(ValueError, _restore, str(tmp_path))
    assert 'Mend: that is a directory: tf.train.latest_checkpoint' in told


def test_a_save_into_a_directory_that_is_not_there(tmp_path):
    tf.get_variable('w', [3])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        told = _message(ValueError, tf.train.Saver().save, session, str(tmp_path / 'a/b/model'))
    assert "doesn't exist" in told and 'Mend: os.makedirs' in told


def test_a_writer_after_its_close(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match='closed.*reopen'):
        writer.add_summary(tf.Summary(), 0)


class _Free(tf.nn.rnn_cell.RNNCell):
    """A cell of the user's own that says two states and takes whatever it is given."""

    state_size = (4, 4)
    output_size = 4

    def call(self, inputs, state):
        return inputs, state


def test_a_cell_of_ones_own_takes_the_state_it_likes():
    """As in TF1: what a state must be is between the cell and who calls it."""
    outputs, state = _rnn(_Free(), 3, 5, 4, initial_state=_state(7))
    assert outputs.shape == (3, 5, 4) and state.shape == (3, 7)
    _, state = _rnn(tf.nn.rnn_cell.DropoutWrapper(_Free()), 3, 5, 4, initial_state=_state(7))
    assert state.shape == (3, 7)


def test_one_cell_twice_is_told_when_the_stack_is_made(caplog):
    cell = _gru()
    tf.nn.rnn_cell.MultiRNNCell([cell, cell])
    assert 'share their weights' in caplog.text
    caplog.clear()
    tf.nn.rnn_cell.MultiRNNCell([_gru(), _gru()])
    assert not caplog.text


def test_metrics_and_weights_are_told_both_initializers():
    metric = tf.metrics.mean(tf.get_variable('w', [2]))
    with tf.Session() as session:
        told = _message(tf.errors.FailedPreconditionError, session.run, metric)
    assert '[tf.global_variables_initializer(), tf.local_variables_initializer()]' in told
