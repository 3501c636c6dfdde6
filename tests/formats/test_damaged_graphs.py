"""Damaged GraphDefs, MetaGraphs and SavedModels: errors that name the file, never a bare one."""
from __future__ import annotations

import pathlib
import shutil

import numpy as np
import pytest

import tinyflow as tf

FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files'
META = (FILES / 'model.meta').read_bytes()
MODEL = FILES / 'saved_model'
# tinyflow's own messages and TensorFlow's errors; anything else is a crash.
ERRORS = (ValueError, TypeError, RuntimeError, OSError, LookupError, NotImplementedError,
          tf.errors.OpError)


def assert_readable_error(error, *parts):
    """The message of an error that tinyflow raised on purpose, with these parts in it."""
    assert isinstance(error, tf.errors.OpError) or \
        getattr(error, 'raised_by_tinyflow', False), repr(error)
    for part in parts:
        assert str(part) in str(error), f'{part} is not in: {error}'


# ---- names that are not in the graph ------------------------------------------------------------

def saved_model(tmp_path, change):
    """A copy of the SavedModel whose MetaGraphDef change(proto) has damaged; its directory."""
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel
    folder = tmp_path / 'm'
    shutil.copytree(MODEL, folder)
    path = folder / 'saved_model.pb'
    proto = SavedModel.FromString(path.read_bytes())
    change(proto.meta_graphs[0])
    path.write_bytes(proto.SerializeToString())
    return folder


def set_restore(proto):
    proto.saver_def.restore_op_name = 'gone'


def set_filename(proto):
    proto.saver_def.filename_tensor_name = 'gone:0'


def set_malformed(proto):
    proto.saver_def.filename_tensor_name = 'save/Const:x'


def set_output(proto):
    proto.signature_def['serving_default'].outputs['y'].name = 'gone:0'


def set_input(proto):
    proto.signature_def['serving_default'].inputs['x'].ClearField('name')


def set_main_op(proto):
    proto.collection_def['saved_model_main_op'].node_list.value.append('gone')


def set_assets(proto):
    packed = proto.collection_def['saved_model_assets'].any_list.value.add()
    packed.type_url, packed.value = 'type.googleapis.com/tensorflow.AssetFileDef', b'\xff\xff'
    set_init(proto)


def set_init(proto):
    proto.collection_def['saved_model_main_op'].node_list.value.append('x')


def set_variables(proto):
    values = proto.collection_def['variables'].bytes_list.value
    values[0] = values[0].replace(b'net', b'nit')


@pytest.mark.parametrize('change, part', [
    (set_restore, 'saver_def'), (set_filename, 'saver_def'), (set_malformed, 'saver_def'),
    (set_output, "signature 'serving_default'"), (set_input, "signature 'serving_default'"),
    (set_main_op, 'gone'), (set_assets, 'assets')], ids=lambda v: getattr(v, '__name__', v))
def test_a_damaged_saved_model_names_part_and_file(tmp_path, change, part):
    folder = saved_model(tmp_path, change)
    with pytest.raises(ValueError) as caught:
        tf.saved_model.load(str(folder))
    assert_readable_error(caught.value, part, folder / 'saved_model.pb')


@pytest.mark.parametrize('change', [set_restore, set_filename, set_main_op, set_variables],
                         ids=lambda v: v.__name__)
def test_a_damaged_saved_model_in_a_session(tmp_path, change):
    folder = saved_model(tmp_path, change)
    with tf.Graph().as_default(), tf.Session() as session, \
            pytest.raises(ValueError) as caught:
        tf.saved_model.loader.load(session, ['serve'], str(folder))
    assert_readable_error(caught.value, folder / 'saved_model.pb')


def meta_graph(tmp_path, change):
    path = tmp_path / 'm.meta'
    proto = tf.MetaGraphDef.FromString(META)
    change(proto)
    path.write_bytes(proto.SerializeToString())
    return path


def clear_restore(proto):
    proto.saver_def.restore_op_name = ''


def set_node_list(proto):
    proto.collection_def['ys'].node_list.value[0] = 'gone:0'


def set_bytes(proto):
    proto.collection_def['variables'].bytes_list.value[0] = b'\xff\xff\xff'


@pytest.mark.parametrize('change, part', [
    (clear_restore, 'restore_op_name'), (set_node_list, "'ys'"), (set_variables, "'variables'"),
    (set_bytes, "'variables'")], ids=lambda v: getattr(v, '__name__', v))
def test_a_damaged_meta_graph_names_part_and_file(tmp_path, change, part):
    path = meta_graph(tmp_path, change)
    with tf.Graph().as_default(), pytest.raises((ValueError, tf.errors.DataLossError)) as caught:
        tf.train.import_meta_graph(str(path))
    assert_readable_error(caught.value, part, path)


def test_a_saver_whose_nodes_are_gone_raises(tmp_path):
    path = meta_graph(tmp_path, set_restore)
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(path))
        with pytest.raises(ValueError, match="no node 'gone' of this Saver") as caught:
            saver.restore(session, str(MODEL / 'variables' / 'variables'))
        assert_readable_error(caught.value)


# ---- sizes -------------------------------------------------------------------------------------

def test_a_shape_of_millions_of_elements():
    """A constant of few bytes says how many times its one value is repeated."""
    with tf.Graph().as_default() as graph:
        tf.reshape([1.0], tf.constant([1, 1], name='shape'), name='y')
        proto = graph.as_graph_def()
    for node in proto.node:
        if node.name == 'shape':
            node.attr['value'].tensor.CopyFrom(type(node.attr['value'].tensor)(
                dtype=3, int_val=[1]))
            for _ in range(22):
                node.attr['value'].tensor.tensor_shape.dim.add(size=2)
    with tf.Graph().as_default(), \
            pytest.raises(ValueError, match="(?s)'y'.*4194304") as found:
        tf.import_graph_def(proto, name='')
    assert_readable_error(found.value)


# ---- variables without an initial value --------------------------------------------------------

def test_variables_that_were_loaded_without_initial_values(tmp_path):
    """Their initial values were made by ops that are not here; the saved ones are all they have."""
    def change(proto):
        for node in proto.graph_def.node:
            if node.name == 'net/w/initial_value':
                node.op = 'OpOfTheFuture'
                node.ClearField('attr')
    folder = saved_model(tmp_path, change)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ['serve'], str(folder))
        assert [v.name for v in tf.global_variables() if v.initializer is None] == ['net/w:0']
        with pytest.raises(ValueError, match='(?s)net/w:0: no initial value.*Hint:') as caught:
            tf.global_variables_initializer()
        assert_readable_error(caught.value)
        assert tf.initialize_missing_variables(session, tf.trainable_variables()) == []
        new = tf.Variable([1.0])
        session.run(tf.variables_initializer([new]))
        assert session.run(new).tolist() == [1.0]
        assert np.isfinite(session.run('net/w:0')).all()


# ---- no directory called None ------------------------------------------------------------------

@pytest.mark.parametrize('call', [
    lambda session: tf.summary.FileWriter(None),
    lambda session: tf.train.Saver().save(session, None),
    lambda session: tf.train.write_graph(session.graph, None, 'g.pb'),
    lambda session: tf.gfile.MakeDirs(None),
    lambda session: tf.saved_model.simple_save(session, None, {}, {}),
    lambda session: tf.saved_model.Builder(None),
    lambda session: tf.train.Checkpoint(v=tf.global_variables()[0]).save(None, session),
    lambda session: tf.train.latest_checkpoint(None),
    lambda session: tf.train.update_checkpoint_state(None, 'x'),
    lambda session: tf.train.CheckpointSaverHook(None, save_steps=1),
    lambda session: tf.train.SummarySaverHook(save_steps=1, summary_op=tf.constant(b'')),
    lambda session: tf.train.Supervisor(logdir=None, saver=None, summary_op=None),
    lambda session: tf.python_io.TFRecordWriter(None),
], ids=range(13))
def test_nothing_is_written_to_a_directory_called_none(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.Variable(1.0).initializer)
        try:
            call(session)
        except (*ERRORS, AttributeError) as error:
            assert not isinstance(error, AttributeError), repr(error)
    assert not [p for p in tmp_path.rglob('*') if 'None' in p.name]
