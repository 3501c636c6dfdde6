"""Event files between tinyflow, TensorBoard and an installed TensorFlow.

What the `tensorboard` package finds is looked at where it is installed (extras `dev` and
`tensorboard`), what TensorFlow finds where TINYFLOW_TF115_PYTHON or TINYFLOW_TF215_PYTHON names its
interpreter.
"""
from __future__ import annotations

import glob
import os
import pathlib
import subprocess
import textwrap
import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.png import decode
from tests.parity import summary_program
from tinyflow.formats.protos import config_pb2, graph_pb2

pytestmark = pytest.mark.parity
ROOT = pathlib.Path(__file__).parents[2]
BEGIN = '''
import os, sys, glob, warnings
warnings.simplefilter('ignore')
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
sys.path.insert(0, 'tests/parity')
import summary_program
folder = sys.argv[1]
'''


@pytest.fixture(params=['TINYFLOW_TF115_PYTHON', 'TINYFLOW_TF215_PYTHON'])
def tensorflow(request, tmp_path):
    """A function that runs lines under a TensorFlow, with `folder` being tmp_path."""
    python = os.environ.get(request.param)
    if not python:
        pytest.skip(f'{request.param} names no interpreter')

    def run(lines):
        done = subprocess.run([python, '-c', BEGIN + textwrap.dedent(lines), str(tmp_path)],
                              capture_output=True, text=True, cwd=ROOT, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
    return run


def values_of(folder):
    """(tag, step) -> Value, of all summaries in the one file of a folder."""
    path, = glob.glob(f'{folder}/*tfevents*')
    return {(value.tag, event.step): value for event in tf.train.summary_iterator(path)
            for value in event.summary.value}


# ---- TensorBoard --------------------------------------------------------------------------


@pytest.fixture
def accumulator(tmp_path):
    """TensorBoard's own view of a file that tinyflow wrote."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        module = pytest.importorskip('tensorboard.backend.event_processing.event_accumulator')
        summary_program.write(tf, str(tmp_path))
        found = module.EventAccumulator(str(tmp_path), size_guidance=dict.fromkeys(
            module.DEFAULT_SIZE_GUIDANCE, 0))
        yield found.Reload()


@pytest.mark.filterwarnings('ignore')
def test_tensorboard_shows_numbers_and_distributions(accumulator):
    assert [(e.step, e.value) for e in accumulator.Scalars('losses/losses/loss')] == [
        (0, 0.0), (1, 2.0), (2, 4.0)]
    last = accumulator.Histograms('weights')[-1].histogram_value
    assert (last.min, last.max, last.num, last.sum) == (-2, 3, 3, 3)
    assert sum(last.bucket) == 3 and len(last.bucket) == len(last.bucket_limit)
    assert accumulator.CompressedHistograms('weights')


@pytest.mark.filterwarnings('ignore')
def test_tensorboard_shows_images_sounds_and_texts(accumulator):
    for i, image in enumerate(summary_program.images()):
        shown = accumulator.Images(f'picture/image/{i}')[-1]
        assert (shown.height, shown.width) == image.shape[:2]
        np.testing.assert_array_equal(decode(np, shown.encoded_image_string), image)
    sound = accumulator.Audio('sound/audio')[-1]
    assert (sound.sample_rate, sound.length_frames, sound.content_type) == (8000, 10, 'audio/wav')
    assert sound.encoded_audio_string[:4] == b'RIFF'
    assert accumulator.PluginTagToContent('text') == {'said': b''}
    assert accumulator.Tensors('said')[-1].tensor_proto.string_val == [b'hello', b'world']


@pytest.mark.filterwarnings('ignore')
def test_tensorboard_shows_the_graph_and_its_times(accumulator):
    nodes = {node.name: node for node in accumulator.Graph().node}
    assert nodes['product'].op == 'MatMul' and '_output_shapes' in nodes['product'].attr
    assert accumulator.MetaGraph().graph_def.node
    stats, = accumulator.RunMetadata('traced').step_stats.dev_stats
    assert set(nodes) & {s.node_name for s in stats.node_stats}
    assert all(s.all_end_rel_micros for s in stats.node_stats)


# ---- TensorFlow ---------------------------------------------------------------------------


def test_it_reads_our_file(tensorflow, tmp_path):
    summary_program.write(tf, str(tmp_path))
    tensorflow('''
        path, = glob.glob(folder + '/*tfevents*')
        found = list(tf.train.summary_iterator(path))
        kinds = [e.WhichOneof('what') for e in found]
        assert kinds == ['file_version', 'graph_def', 'meta_graph_def'] + ['summary'] * 3 + [
            'tagged_run_metadata', 'session_log'], kinds
        first = {v.tag: v for v in found[3].summary.value}
        last = {v.tag: v for v in found[5].summary.value}
        assert last['losses/losses/loss'].simple_value == 4
        assert list(last['weights'].histo.bucket)
        assert first['said'].metadata.plugin_data.plugin_name == 'text'
        assert tf.make_ndarray(last['said'].tensor).tolist() == [b'hello', b'world']
        graph = tf.GraphDef.FromString(found[1].graph_def)
        tf.import_graph_def(graph, name='')
        times = tf.RunMetadata.FromString(found[6].tagged_run_metadata.run_metadata)
        assert any(s.all_end_rel_micros for s in times.step_stats.dev_stats[0].node_stats)
        with tf.Session() as sess:
            product = sess.run('product:0', {'x:0': 2})
            assert (product == 6).all()
            for i, image in enumerate(summary_program.images()):
                value = last['picture/image/%d' % i].image
                shown = sess.run(tf.image.decode_png(value.encoded_image_string))
                assert (shown == image).all()
    ''')


def test_we_read_its_file_and_write_the_same(tensorflow, tmp_path):
    (tmp_path / 'own').mkdir()
    summary_program.write(tf, str(tmp_path / 'own'))
    tensorflow("summary_program.write(tf, folder + '/theirs')")
    ours, theirs = values_of(tmp_path / 'own'), values_of(tmp_path / 'theirs')
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        if value.HasField('image'):
            np.testing.assert_array_equal(decode(np, value.image.encoded_image_string),
                                          decode(np, ours[key].image.encoded_image_string))
            value.image.encoded_image_string = ours[key].image.encoded_image_string
        assert value == ours[key]
    path, = glob.glob(f'{tmp_path}/theirs/*')
    events = {e.WhichOneof('what'): e for e in tf.train.summary_iterator(path)}
    assert events['file_version'].file_version == 'brain.Event:2'
    assert graph_pb2.GraphDef.FromString(events['graph_def'].graph_def).node
    traced = events['tagged_run_metadata'].tagged_run_metadata
    assert config_pb2.RunMetadata.FromString(traced.run_metadata).step_stats.dev_stats
