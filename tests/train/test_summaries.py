"""tf.summary: nodes that make summaries, and the event files that they are written to."""
import gc
import glob
import os
import shutil
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.png import decode
from tinyflow.formats.protos import config_pb2, event_pb2, graph_pb2, meta_graph_pb2
from tinyflow.formats.wire import histogram, png

pytestmark = pytest.mark.usefixtures('graph')


def files(folder):
    return sorted(glob.glob(os.path.join(str(folder), 'events.out.tfevents.*')))


def events(folder):
    """All events of the files in a folder."""
    return [event for path in files(folder) for event in tf.train.summary_iterator(path)]


def numbers(folder):
    """(tag, step, value) of all scalars."""
    return [(value.tag, event.step, value.simple_value)
            for event in events(folder) for value in event.summary.value]


def number(x, tag='x'):
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=x)])


# ---- nodes --------------------------------------------------------------------------------


def test_a_training_as_programs_write_it(tmp_path):
    x = tf.placeholder(tf.float32, [], name='x')
    tf.summary.scalar('loss', x * x)
    tf.summary.histogram('values', tf.fill([3], x))
    merged = tf.summary.merge_all()
    with tf.Session() as sess, tf.summary.FileWriter(str(tmp_path), sess.graph) as writer:
        for step in range(3):
            writer.add_summary(sess.run(merged, {x: step}), step)
    first, graph, meta, *steps = events(tmp_path)
    assert first.file_version == 'brain.Event:2' and abs(first.wall_time - graph.wall_time) < 60
    assert [n.name for n in graph_pb2.GraphDef.FromString(graph.graph_def).node] == \
        [op.name for op in x.graph.get_operations()]
    assert '_output_shapes' in graph_pb2.GraphDef.FromString(graph.graph_def).node[0].attr
    collections = meta_graph_pb2.MetaGraphDef.FromString(meta.meta_graph_def).collection_def
    assert list(collections['summaries'].node_list.value) == ['loss:0', 'values:0']
    assert [(e.step, e.summary.value[0].tag, e.summary.value[0].simple_value,
             e.summary.value[1].histo.max) for e in steps] == [
                 (0, 'loss', 0, 0), (1, 'loss', 1, 1), (2, 'loss', 4, 2)]


def test_names_are_made_fit_and_that_is_logged(caplog):
    logger = tf.get_logger()
    level, propagate = logger.level, logger.propagate
    try:
        logger.setLevel('INFO')
        logger.propagate = True
        summary = tf.summary.scalar('/my loss', 1.0)
    finally:
        logger.setLevel(level)
        logger.propagate = propagate
    assert summary.op.name == 'my_loss'
    assert "'/my loss' is called 'my_loss'" in caplog.text


def test_merge_all_without_summaries_is_none_and_run_explains_it():
    tf.constant(1.0)
    assert tf.summary.merge_all() is None
    with tf.Session() as sess, pytest.raises(TypeError, match='merge_all'):
        sess.run(tf.summary.merge_all())


@pytest.mark.parametrize('call, text', [
    (lambda: tf.summary.merge(tf.constant('a')), 'merge_all'),
    (lambda: tf.summary.merge([tf.constant(1.)]), 'no summary'),
    (lambda: tf.summary.scalar(3, 1.), 'is a string'),
    (lambda: tf.summary.text('t', tf.constant(1)), 'as_string'),
    (lambda: tf.summary.get_summary_description(tf.NodeDef(op='Const')), 'Const'),
])
def test_mistakes_while_building(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call()


@pytest.mark.parametrize('values, error', [
    ([1, np.nan, np.inf], 'Nan in summary histogram'), ([np.inf], 'Infinity in summary histogram')])
def test_a_histogram_of_what_is_not_finite(values, error):
    node = tf.summary.histogram('weights', np.float32(values))
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=error) as caught:
        sess.run(node)
    assert "'weights'" in str(caught.value) and 'check_numerics' in str(caught.value)


def test_the_description_of_an_old_tensor_summary():
    node = tf.NodeDef(op='TensorSummary')
    node.attr['description'].s = b'{"typeHint": "scalar"}'
    assert tf.summary.get_summary_description(node).type_hint == 'scalar'


def test_functions_for_summaries_that_ops_write_themselves():
    assert tf.summary.all_v2_summary_ops() == tf.contrib.summary.all_summary_ops() == []
    assert tf.summary.initialize is tf.contrib.summary.initialize


# ---- formats ------------------------------------------------------------------------------


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16', 'int64', 'uint8'])
def test_buckets_are_those_of_a_search(dtype):
    rng = np.random.default_rng(0)
    limits = histogram.bucket_limits()
    inside = limits[1:-1]
    around = [inside, np.nextafter(inside, np.inf), np.nextafter(inside, -np.inf)]
    values = np.concatenate([*around, rng.normal(size=500) * 100, [0., -0., 1e300, -1e300, 5e-324]])
    with np.errstate(all='ignore'):
        values = np.nan_to_num(values).astype(dtype)
    values = values[np.isfinite(values.astype(np.float64))]
    proto = tf.HistogramProto()
    histogram.fill(proto, values)
    counts = np.bincount(np.searchsorted(limits, values.astype(np.float64), side='right'),
                         minlength=len(limits))
    assert {limit: n for limit, n in zip(proto.bucket_limit, proto.bucket) if n} == \
        {limit: n for limit, n in zip(limits, counts) if n}
    assert proto.num == len(values) == sum(proto.bucket)
    assert (proto.min, proto.max) == (values.min(), values.max())


@pytest.mark.parametrize('channels', [1, 3, 4])
def test_png_files_are_read_back(channels):
    rng = np.random.default_rng(channels)
    images = [rng.integers(0, 256, (7, 5, channels)),                   # noise
              np.cumsum(rng.integers(-3, 4, (9, 8, channels)), axis=1) + 100,
              np.indices((6, 6)).sum(0)[..., None].repeat(channels, 2) * 20,
              np.full((1, 1, channels), 7)]
    for image in images:
        image = (image % 256).astype(np.uint8)
        data = png.encode(image)
        np.testing.assert_array_equal(decode(np, data), image)
    plain = np.cumsum(np.ones((64, 64, channels)), axis=1).astype(np.uint8)
    assert len(png.encode(plain)) < plain.size / 10


# ---- FileWriter ---------------------------------------------------------------------------


def test_the_file_begins_with_the_first_event(tmp_path):
    writer = tf.summary.FileWriter(tmp_path / 'a' / 'b', filename_suffix='.end')
    writer.flush()
    assert files(tmp_path / 'a' / 'b') == []
    writer.add_summary(number(1.0), 5)              # the first is written at once
    path, = files(tmp_path / 'a' / 'b')
    assert path.endswith('.end') and writer.get_logdir() == str(tmp_path / 'a' / 'b')
    assert numbers(tmp_path / 'a' / 'b') == [('x', 5, 1.0)]
    writer.close()


def test_events_wait_for_their_neighbours(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), max_queue=3)
    for step in range(6):
        writer.add_summary(number(step), step)
        assert len(numbers(tmp_path)) == [1, 1, 1, 4, 4, 4][step]
    writer.flush()
    assert len(numbers(tmp_path)) == 6
    writer.close()


def test_events_wait_no_longer_than_flush_secs(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), flush_secs=0)
    for step in range(3):
        writer.add_summary(number(step), step)
        assert len(numbers(tmp_path)) == step + 1
    writer.close()


def test_two_writers_in_one_second_have_separate_files(tmp_path):
    writers = [tf.summary.FileWriter(str(tmp_path)) for _ in range(3)]
    for i, writer in enumerate(writers):
        writer.add_summary(number(i), i)
        writer.close()
    assert len(files(tmp_path)) == 3 and sorted(n[1] for n in numbers(tmp_path)) == [0, 1, 2]


def test_a_closed_writer_warns_and_can_be_reopened(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_summary(number(0), 0)
    writer.close()
    writer.close()
    with pytest.warns(UserWarning, match='closed') as caught:
        writer.add_summary(number(1), 1)
    assert caught[0].filename == __file__
    writer.reopen()
    writer.add_summary(number(2), 2)
    writer.close()
    assert [n[1] for n in numbers(tmp_path)] == [0, 2] and len(files(tmp_path)) == 2


@pytest.mark.slow
def test_pending_events_are_written_when_the_writer_is_deleted(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    for step in range(5):
        writer.add_summary(number(step), step)
    del writer
    gc.collect()
    assert len(numbers(tmp_path)) == 5


@pytest.mark.slow
def test_events_that_cannot_be_written_when_the_writer_is_deleted(tmp_path, caplog):
    """A warning: an error in a finalizer would be a traceback that no code can catch."""
    folder = tmp_path / 'logs'
    writer = tf.summary.FileWriter(str(folder))
    writer.add_summary(number(0), 0)
    shutil.rmtree(folder)
    folder.write_text('a file')
    writer.add_summary(number(1), 1)
    finalizer = writer._finalizer
    del writer
    gc.collect()
    assert not finalizer.alive
    assert 'The last events are not written' in caplog.text


def test_a_directory_that_someone_tidied_away(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path / 'logs'), flush_secs=0)
    writer.add_summary(number(0), 0)
    shutil.rmtree(tmp_path / 'logs')
    writer.add_summary(number(1), 1)
    writer.close()
    assert numbers(tmp_path / 'logs') == [('x', 1, 1.0)]


def test_a_failed_write_leaves_complete_records_and_is_retried(tmp_path, monkeypatch):
    from tinyflow.formats.wire import events as module
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_summary(number(0), 0)
    writer.add_summary(number(1), 1)

    def full(file, data):
        file.write(data[:10])
        raise OSError(28, 'No space left on device')
    with monkeypatch.context() as patch:
        patch.setattr(module, 'write_all', full)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            writer.flush()
    assert [n[1] for n in numbers(tmp_path)] == [0]
    writer.close()
    assert [n[1] for n in numbers(tmp_path)] == [0, 1]


def test_threads_share_a_writer(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), max_queue=7)

    def work(k):
        for step in range(50):
            writer.add_summary(number(k), step)
    before = threading.active_count()
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert threading.active_count() == before
    writer.close()
    assert len(numbers(tmp_path)) == 200


def run_program(lines, folder):
    lines = 'import os, sys, tinyflow as tf\nfolder = sys.argv[1]\n' + textwrap.dedent(lines)
    return subprocess.run([sys.executable, '-W', 'ignore', '-c', lines, str(folder)], timeout=60,
                          cwd=os.path.dirname(os.path.dirname(os.path.dirname(__file__))))


@pytest.mark.slow
def test_pending_events_are_written_at_exit_and_lost_in_a_crash(tmp_path):
    add = '''
        writer = tf.summary.FileWriter(folder, max_queue=4)
        for i in range(8):
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='x', simple_value=i)]), i)
    '''
    assert run_program(add, tmp_path / 'end').returncode == 0
    assert len(numbers(tmp_path / 'end')) == 8
    assert run_program(textwrap.dedent(add) + 'os._exit(3)', tmp_path / 'crash').returncode == 3
    assert len(numbers(tmp_path / 'crash')) == 5            # the first, and then four at a time


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, 'fork'), reason='this system has no forks')
def test_a_forked_child_writes_a_file_of_its_own(tmp_path):
    done = run_program('''
        def add(i):
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='x', simple_value=i)]), i)
        writer = tf.summary.FileWriter(folder)
        add(0), add(1)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            add(2)
        else:
            add(3)
    ''', tmp_path)
    assert done.returncode == 0
    assert len(files(tmp_path)) == 2
    assert sorted(n[1] for n in numbers(tmp_path)) == [0, 1, 2, 3]


def test_summaries_as_bytes_messages_and_invalid_values(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_summary(number(1.0), np.int64(1))
    writer.add_summary(number(2.0).SerializeToString(), 2.7)
    writer.add_summary(np.array(number(3.0).SerializeToString(), object), np.array([3]))
    writer.add_summary(number(4.0))
    for wrong in (None, 1.5, 'text', tf.summary.scalar('s', 1.0)):
        with pytest.raises(TypeError, match='sess.run'):
            writer.add_summary(wrong, 1)
    with pytest.raises(Exception, match='not a Summary') as caught:
        writer.add_summary(b'\xff\xff')
    assert type(caught.value).__name__ == 'DecodeError'
    with pytest.raises(TypeError, match='sess.run'):
        writer.add_summary(number(1.0), tf.train.get_or_create_global_step())
    writer.close()
    assert [n[1:] for n in numbers(tmp_path)] == [(1, 1.0), (2, 2.0), (3, 3.0), (0, 4.0)]


def test_metadata_is_written_once_for_each_tag(tmp_path):
    with tf.Session() as sess:
        said = sess.run(tf.summary.text('said', tf.constant('hello')))
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(2):
            writer.add_summary(said, step)
    first, second = (e.summary.value[0] for e in events(tmp_path)[1:])
    assert first.metadata.plugin_data.plugin_name == 'text' and not second.HasField('metadata')
    assert first.tensor.string_val == second.tensor.string_val == [b'hello']


def test_graphs_are_added_in_all_ways(tmp_path, graph):
    tf.constant(1, name='one')
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_graph(graph)
        writer.add_graph(graph.as_graph_def(), 4)
        writer.add_graph(None, graph_def=graph)
        writer.add_meta_graph(tf.train.export_meta_graph(), 6)
        writer.add_session_log(tf.summary.SessionLog(status=tf.summary.SessionLog.START), 7)
        writer.add_event(tf.Event(step=8, wall_time=1.0))
        for wrong, text in ((None, 'Graph'), (3, 'Graph'), (tf.Session(), 'session.graph')):
            with pytest.raises(TypeError, match=text):
                writer.add_graph(wrong)
        with pytest.raises(ValueError, match='only graph'):
            writer.add_graph(graph, graph_def=graph)
        with pytest.raises(TypeError, match='export_meta_graph'):
            writer.add_meta_graph(graph)
    kinds = [(e.WhichOneof('what'), e.step) for e in events(tmp_path)[1:]]
    assert kinds == [('graph_def', 0), ('graph_def', 4), ('graph_def', 0), ('meta_graph_def', 6),
                     ('session_log', 7), (None, 8)]
    tf.summary.FileWriter(str(tmp_path / 'old'), graph_def=graph.as_graph_def()).close()
    assert [e.WhichOneof('what') for e in events(tmp_path / 'old')] == [
        'file_version', 'graph_def', 'meta_graph_def']


def test_times_of_a_run_are_written_as_tensorflows_message(tmp_path):
    x = tf.placeholder(tf.float32, [100, 100], name='x')
    y = tf.matmul(x, x, name='y')
    metadata = tf.RunMetadata()
    with tf.Session() as sess, tf.summary.FileWriter(str(tmp_path), sess.graph) as writer:
        sess.run(y, {x: np.ones([100, 100])}, run_metadata=metadata,
                 options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
        writer.add_run_metadata(metadata, 'step3', 3)
        with pytest.raises(ValueError, match='already used'):
            writer.add_run_metadata(metadata, 'step3', 4)
        with pytest.raises(TypeError, match='RunMetadata'):
            writer.add_run_metadata(None, 'step4')
    event = events(tmp_path)[-1]
    assert (event.step, event.tagged_run_metadata.tag) == (3, 'step3')
    proto = config_pb2.RunMetadata.FromString(event.tagged_run_metadata.run_metadata)
    device, = proto.step_stats.dev_stats
    stats = {s.node_name: s for s in device.node_stats}['y']
    assert device.device.endswith('CPU:0') and stats.timeline_label.startswith('y = MatMul')
    assert stats.all_end_rel_micros >= 1 and stats.all_start_micros > 1e15
    assert stats.memory[0].total_bytes == 40000
    assert abs(stats.all_end_rel_nanos / 1000 - stats.all_end_rel_micros) <= 1


def test_the_cache_has_one_writer_for_a_directory(tmp_path):
    tf.summary.FileWriterCache.clear()
    try:
        writer = tf.summary.FileWriterCache.get(str(tmp_path))
        assert tf.summary.FileWriterCache.get(str(tmp_path)) is writer
        writer.add_summary(number(1.0), 1)
    finally:
        tf.summary.FileWriterCache.clear()
    assert numbers(tmp_path) == [('x', 1, 1.0)]
    assert tf.summary.FileWriterCache._cache == {}


def test_a_writer_refuses_invalid_arguments(tmp_path):
    with pytest.raises(NotImplementedError, match='session.graph'):
        tf.summary.FileWriter(str(tmp_path), session=object())
    with pytest.raises(TypeError, match='logdir'):
        tf.summary.FileWriter(None)
    (tmp_path / 'file').write_text('x')
    for path in ('file', 'file/logs'):
        with pytest.raises(tf.errors.FailedPreconditionError, match='logdir is a directory'):
            tf.summary.FileWriter(str(tmp_path / path))


# ---- reading ------------------------------------------------------------------------------


def test_damaged_event_files_give_the_events_before_the_damage(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(3):
            writer.add_summary(number(step), step)
    path, = files(tmp_path)
    with open(path, 'rb') as file:
        data = file.read()
    last = len(data) // 4
    changed = bytearray(data)
    changed[-6] ^= 1
    for damaged, kind in ((data[:-1], 'truncated'), (data[:-last // 2], 'truncated'),
                          (bytes(changed), 'corrupted')):
        with open(path, 'wb') as file:
            file.write(damaged)
        read = tf.train.summary_iterator(path)
        assert [next(read).step for _ in range(3)] == [0, 0, 1]
        with pytest.raises(tf.errors.DataLossError, match=kind):
            next(read)
    with pytest.raises(tf.errors.NotFoundError):
        next(tf.train.summary_iterator(str(tmp_path / 'none')))


def test_records_that_are_no_events(tmp_path):
    path = str(tmp_path / 'records')
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b'\xff\xff')
    with pytest.raises(ValueError, match='not an Event'):
        next(tf.train.summary_iterator(path))


def test_events_are_tensorflows_own_message():
    assert tf.Event is event_pb2.Event is tf.summary.Event
    assert tf.summary.Summary is tf.Summary


def test_the_projector_config_is_in_the_folder_of_the_writer(tmp_path):
    from tinyflow.api.contrib.tensorboard.plugins import projector
    config = projector.ProjectorConfig(model_checkpoint_path='model.ckpt-1')
    config.embeddings.add(tensor_name='words:0', metadata_path='words.tsv')
    writer = tf.summary.FileWriter(str(tmp_path))
    projector.visualize_embeddings(writer, config)
    assert (tmp_path / 'projector_config.pbtxt').read_text() == (
        'model_checkpoint_path: "model.ckpt-1"\nembeddings {\n  tensor_name: "words:0"\n'
        '  metadata_path: "words.tsv"\n}\n')
    with pytest.raises(TypeError, match='ProjectorConfig'):
        projector.visualize_embeddings(writer, 'config')


def test_writing_after_close_warns(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match='closed.*reopen'):
        writer.add_summary(tf.Summary(), 0)
