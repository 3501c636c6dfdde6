"""SavedModels: written, read into a Session, and loaded as functions of arrays."""
from __future__ import annotations

import os

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.train.saved_model import assets

pytestmark = pytest.mark.usefixtures('graph')

X = np.float32([[1, 2, 3], [-1, 0, 1]])
SIGNATURES = tf.saved_model.signature_def_utils


def model():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.Variable(np.float32([[1, 2], [0, 1], [3, -1]]), name='w')
    return x, w, tf.matmul(x, w, name='y')


def simple(path):
    """Saves the model at `path`; its value at X."""
    x, w, y = model()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(w.assign_add(tf.ones([3, 2])))
        tf.saved_model.simple_save(session, str(path), {'x': x}, {'y': y})
        return session.run(y, {x: X})


# ---- saving and loading -------------------------------------------------------------------


def test_simple_save_and_load(tmp_path):
    expected = simple(tmp_path / 'm')
    assert sorted(os.listdir(tmp_path / 'm')) == ['saved_model.pb', 'variables']
    assert tf.saved_model.maybe_saved_model_directory(str(tmp_path / 'm'))
    assert tf.saved_model.contains_saved_model(tmp_path / 'm')
    assert not tf.saved_model.contains_saved_model(tmp_path)
    for load in (tf.saved_model.load, tf.saved_model.loader.load):
        with tf.Graph().as_default(), tf.Session() as session:
            proto = load(session, [tf.saved_model.tag_constants.SERVING], str(tmp_path / 'm'))
            signature = proto.signature_def['serving_default']
            assert tf.saved_model.is_valid_signature(signature)
            y = tf.saved_model.get_tensor_from_tensor_info(signature.outputs['y'])
            assert session.run(y, {signature.inputs['x'].name: X}).tolist() == expected.tolist()
            assert [v.name for v in tf.trainable_variables()] == ['w:0']


def test_a_loaded_model_is_functions(tmp_path):
    expected = simple(tmp_path / 'm')
    before = tf.get_default_graph().version
    with tf.saved_model.load(tmp_path / 'm') as loaded:
        call = loaded.signatures['serving_default']
        assert call(x=X)['y'].tolist() == call(X)['y'].tolist() == expected.tolist()
        assert repr(call) == 'serving_default(x: float32 (?, 3)) -> y: float32 (?, 2)'
        assert repr(call) in repr(loaded) and loaded.tags == ['serve']
        for wrong in (lambda: call(), lambda: call(z=X), lambda: call(X, X)):
            with pytest.raises(TypeError, match='x'):
                wrong()
    assert tf.get_default_graph().version == before         # it has a separate graph


def test_import_scope(tmp_path):
    expected = simple(tmp_path / 'm')
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'), import_scope='a')
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'), import_scope='b')
        for scope in 'ab':
            value = session.run(f'{scope}/y:0', {f'{scope}/x:0': X})
            assert value.tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize('as_text', [False, True])
def test_builder_with_assets_main_op_and_two_graphs(tmp_path, as_text):
    vocabulary = tmp_path / 'words.txt'
    vocabulary.write_text('hello')
    x, w, y = model()
    flag = tf.Variable(0.0, name='flag', trainable=False)
    path = tf.constant(str(vocabulary), name='path')
    target = tf.Variable('', name='target')
    init = tf.group(flag.assign(7.0), target.assign(path))
    builder = tf.saved_model.Builder(str(tmp_path / 'm'))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(AssertionError, match='not been saved yet'):
            builder.add_meta_graph(['serve'])
        signature = SIGNATURES.predict_signature_def({'x': x}, {'y': y})
        builder.add_meta_graph_and_variables(session, ['serve'], {'serving_default': signature},
                                             assets_collection=[path], main_op=init)
        with pytest.raises(AssertionError, match='already been saved'):
            builder.add_meta_graph_and_variables(session, ['serve'])
        with pytest.raises(ValueError, match='already contains one or more main ops'):
            builder.add_meta_graph(['serve', 'gpu'], main_op=init)
        builder.add_meta_graph(['serve', 'gpu'], {'other': signature})
    name = builder.save(as_text)
    assert name == str(tmp_path / 'm' / ('saved_model.pbtxt' if as_text else 'saved_model.pb')) \
        .encode()
    assert (tmp_path / 'm' / 'assets' / 'words.txt').read_text() == 'hello'
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'))
        assert session.run('flag:0') == 7
        assert session.run('target:0').decode() == str(tmp_path / 'm' / 'assets' / 'words.txt')
    assert list(tf.saved_model.load(tmp_path / 'm').signatures) == ['serving_default']
    assert list(tf.saved_model.load(tmp_path / 'm', ['gpu', 'serve']).signatures) == ['other']


def test_assets_with_the_same_name(tmp_path):
    for name, content in (('a', 'one'), ('b', 'two'), ('c', 'one')):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'words').write_text(content)
    paths = [tf.constant(str(tmp_path / n / 'words')) for n in 'abc']
    packed = assets.save_assets(paths, str(tmp_path / 'm'))
    assert len(packed) == 3
    assert sorted(os.listdir(tmp_path / 'm' / 'assets')) == ['words', 'words_1']


@pytest.mark.parametrize('asset, message', [
    (lambda: 'text', 'must be a Tensor'), (lambda: tf.placeholder(tf.string), 'type constant'),
    (lambda: tf.constant(1), 'dtype string'), (lambda: tf.constant(['a', 'b']), 'a scalar'),
])
def test_refused_assets(tmp_path, asset, message):
    with pytest.raises(TypeError, match=message):
        assets.save_assets([asset()], str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match='nowhere'):
        assets.save_assets([tf.constant(str(tmp_path / 'nowhere'))], str(tmp_path))


def with_an_asset(folder):
    """A SavedModel with a main op and an asset constant that nothing uses; its folder."""
    (folder / 'words.txt').write_text('hello')
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name='x')
        path = tf.constant(str(folder / 'words.txt'))
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
        builder = tf.saved_model.Builder(str(folder / 'm'))
        signature = tf.saved_model.predict_signature_def({'x': x}, {'y': x * 2})
        builder.add_meta_graph_and_variables(
            session, ['serve'], {'serving_default': signature}, assets_collection=[path],
            main_op=tf.tables_initializer())
        builder.save()
    return folder / 'm'


def test_an_asset_that_nothing_uses_and_a_main_op(tmp_path):
    path = str(with_an_asset(tmp_path))
    with tf.saved_model.load(path) as model:
        assert model.signatures['serving_default'](x=3.0)['y'] == 6.0
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.loader.load(session, ['serve'], path)
        assert session.run('mul:0', {'x:0': 3.0}) == 6.0


@pytest.mark.parametrize('target', ['../other/words.txt', '../../words.txt'])
def test_links_that_leave_the_folder(tmp_path, target):
    """A link inside the SavedModel is a file of it; one that leads out of it is refused."""
    path = with_an_asset(tmp_path)
    (path / 'other').mkdir()
    (path / 'other' / 'words.txt').write_text('inside')
    asset = path / 'assets' / 'words.txt'
    asset.unlink()
    inside = target.startswith('../other')
    asset.symlink_to(target)
    for load in (lambda: tf.saved_model.load(str(path)).close(),
                 lambda: tf.saved_model.loader.load(tf.Session(graph=tf.Graph()), ['serve'],
                                                    str(path))):
        if inside:
            load()
            continue
        with pytest.raises(ValueError, match='is a link to') as caught:
            load()
        assert str(tmp_path / 'words.txt') in str(caught.value)


OUTSIDE = ['/etc/passwd', '../words', 'a/../../words', '..', '', 'a\0b', '..\\words']


@pytest.mark.parametrize('name', OUTSIDE)
@pytest.mark.parametrize('old', [False, True])
def test_names_of_assets_that_leave_the_folder(tmp_path, name, old):
    """In the field asset_file_def, or in the collection that the first SavedModels had."""
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel
    (tmp_path / 'words.txt').write_text('hello')
    path = tf.constant(str(tmp_path / 'words.txt'))
    target = tf.Variable('', name='target')
    builder = tf.saved_model.Builder(str(tmp_path / 'm'))
    with tf.Session() as session:
        session.run(target.initializer)
        builder.add_meta_graph_and_variables(session, ['serve'], assets_collection=[path],
                                             main_op=target.assign(path).op)
    file = builder.save().decode()
    with open(file, 'rb') as opened:
        proto = SavedModel.FromString(opened.read())
    graph = proto.meta_graphs[0]
    wrapped = graph.collection_def['saved_model_assets'].any_list.value[0]
    asset = type(graph.asset_file_def.add()).FromString(wrapped.value)
    asset.filename = name
    wrapped.value = asset.SerializeToString()
    del graph.asset_file_def[:]
    if not old:
        graph.asset_file_def.add().CopyFrom(asset)
    with open(file, 'wb') as opened:
        opened.write(proto.SerializeToString())
    for load in (lambda session: tf.saved_model.load(session, ['serve'], str(tmp_path / 'm')),
                 lambda session: tf.saved_model.load(str(tmp_path / 'm'))):
        with tf.Graph().as_default() as loaded, tf.Session() as session, \
                pytest.raises(ValueError, match="not a file in its folder 'assets'") as caught:
            load(session)
        assert repr(name) in str(caught.value) and str(tmp_path / 'm') in str(caught.value)
        assert not loaded.get_operations()


def test_exported_names_of_assets_stay_in_the_folder(tmp_path):
    """A graph that was imported from a stranger's file may have assets in a collection."""
    from google.protobuf.any_pb2 import Any

    from tinyflow.formats.protos.meta_graph_pb2 import AssetFileDef
    model()
    wrapped = Any()
    wrapped.Pack(AssetFileDef(filename='../../words'))
    tf.add_to_collection('saved_model_assets', wrapped)
    builder = tf.saved_model.Builder(str(tmp_path / 'm'))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match=r"The asset '../../words' of the SavedModel in"):
            builder.add_meta_graph_and_variables(session, ['serve'])
    for wrong in ('..', 'words/'):
        with pytest.raises(ValueError, match='not a file in its folder'):
            assets.save_assets([tf.constant(f'{tmp_path}/{wrong}')], str(tmp_path / 'm'))


def test_a_model_without_variables(tmp_path):
    x = tf.placeholder(tf.float32, [2], name='x')
    with tf.Session() as session:
        tf.saved_model.simple_save(session, str(tmp_path / 'm'), {'x': x}, {'y': x * 2.0})
    assert tf.saved_model.load(tmp_path / 'm').signatures['serving_default'](
        [1.0, 2.0])['y'].tolist() == [2, 4]


def test_sparse_inputs(tmp_path):
    x = tf.sparse_placeholder(tf.float32, [2, 3], name='x')
    y = tf.reduce_sum(x.values, name='y')
    with tf.Session() as session:
        tf.saved_model.simple_save(session, str(tmp_path / 'm'), {'x': x}, {'y': y})
    value = tf.SparseTensorValue([[0, 1], [1, 2]], np.float32([3, 4]), [2, 3])
    assert tf.saved_model.load(tmp_path / 'm').signatures['serving_default'](value)['y'] == 7


def test_main_op_with_restore():
    v = tf.Variable(2.0)
    restore = v.assign_add(5.0).op
    op = tf.saved_model.main_op.main_op_with_restore(restore.name)
    with tf.Session() as session:
        session.run(op)
        session.run(tf.saved_model.main_op.main_op())
        assert session.run(v) == 2


def test_unknown_ops_that_are_not_needed(tmp_path, caplog):
    """TensorFlow 2 writes nodes for saving whose op types are not here; loading runs none."""
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel
    from tinyflow.formats.wire.reading import read, write
    expected = simple(tmp_path / 'm')
    path = tmp_path / 'm' / 'saved_model.pb'
    proto = read(path, SavedModel)
    nodes = proto.meta_graphs[0].graph_def.node
    nodes.add(name='strange', op='NotHere', input=['x'])
    nodes.add(name='after', op='Identity', input=['strange'])
    write(path, proto)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'))
        assert session.run('y:0', {'x:0': X}).tolist() == expected.tolist()
        assert 'after' not in [op.name for op in graph.get_operations()]
    assert 'strange' in caplog.text
    nodes.add(name='y2', op='Identity', input=['after'])
    proto.meta_graphs[0].signature_def['serving_default'].outputs['y'].name = 'after:0'
    write(path, proto)
    with tf.Session() as session, pytest.raises(tf.errors.NotFoundError, match='NotHere'):
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'))


def test_a_variable_whose_initial_value_is_of_an_unknown_op(tmp_path):
    """TensorFlow 2 draws initial values by ops that are not here; what was saved is restored."""
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel
    from tinyflow.formats.wire.reading import read, write
    expected = simple(tmp_path / 'm')
    path = tmp_path / 'm' / 'saved_model.pb'
    proto = read(path, SavedModel)
    nodes = proto.meta_graphs[0].graph_def.node
    initial = {n.input[1] for n in nodes if n.op == 'Assign' and not n.name.startswith('save')}
    for node in nodes:
        if node.name in initial:
            node.op = 'NotHere'
            del node.input[:]
    write(path, proto)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'))
        assert session.run('y:0', {'x:0': X}).tolist() == expected.tolist()
        assert tf.global_variables() and all(v.initializer is None for v in tf.global_variables())
        tf.train.export_meta_graph()


def test_damage_inside_a_message_names_the_file(tmp_path):
    simple(tmp_path / 'm')
    path = tmp_path / 'm' / 'saved_model.pb'
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel
    from tinyflow.formats.wire.reading import read, write
    proto = read(path, SavedModel)
    proto.meta_graphs[0].collection_def['variables'].bytes_list.value[0] = b'\x0a\xff'
    write(path, proto)
    with tf.Graph().as_default(), tf.Session() as session, \
            pytest.raises(tf.errors.DataLossError, match='(?s)variables.*saved_model.pb'):
        tf.saved_model.load(session, ['serve'], str(tmp_path / 'm'))


# ---- what is refused ----------------------------------------------------------------------


def test_a_full_directory_is_refused(tmp_path):
    (tmp_path / 'file').write_text('x')
    with pytest.raises(AssertionError, match="isn't empty"):
        tf.saved_model.builder.SavedModelBuilder(str(tmp_path))


def test_missing_models_and_tags(tmp_path):
    simple(tmp_path / '1234')
    with tf.Session() as session:
        with pytest.raises(OSError, match='(?s)does not exist at.*1234'):
            tf.saved_model.load(session, ['serve'], str(tmp_path))
        with pytest.raises(OSError, match='no such directory'):
            tf.saved_model.load(session, ['serve'], str(tmp_path / 'none'))
        with pytest.raises(RuntimeError, match=r"(?s)tags \['train'\].*\['serve'\]"):
            tf.saved_model.load(session, ['train'], str(tmp_path / '1234'))
        with pytest.raises(TypeError, match='needs the directory'):
            tf.saved_model.load(session, ['serve'])


def test_a_damaged_model_names_the_file(tmp_path):
    simple(tmp_path / 'm')
    path = tmp_path / 'm' / 'saved_model.pb'
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(OSError, match='saved_model.pb'):
        tf.saved_model.load(tmp_path / 'm')


def test_signatures_are_checked(tmp_path):
    builder = tf.saved_model.Builder(str(tmp_path))
    v = tf.Variable(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        info = tf.saved_model.utils.build_tensor_info(v.value())
        info.ClearField('name')
        with pytest.raises(AssertionError, match="'encoding'.*'x' of 'key'"):
            builder.add_meta_graph_and_variables(
                session, ['serve'], {'key': SIGNATURES.build_signature_def({'x': info})})
        info.name, info.dtype = 'v:0', 0
        with pytest.raises(AssertionError, match='dtype'):
            builder.add_meta_graph_and_variables(
                session, ['serve'], {'key': SIGNATURES.build_signature_def({}, {'x': info})})
        with pytest.raises(KeyError, match='reserved for initialization'):
            builder.add_meta_graph_and_variables(
                session, ['serve'], {'__saved_model_init_op': SIGNATURES.build_signature_def()})


def test_kinds_of_signatures():
    examples = tf.placeholder(tf.string, [None])
    scores, classes = tf.zeros([2, 3]), tf.constant(['a'])
    regression = SIGNATURES.regression_signature_def(examples, tf.zeros([2]))
    assert regression.method_name == 'tensorflow/serving/regress'
    both = SIGNATURES.classification_signature_def(examples, classes, scores)
    assert sorted(both.outputs) == ['classes', 'scores']
    for signature in (regression, both, SIGNATURES.predict_signature_def({'x': scores},
                                                                         {'y': scores})):
        assert SIGNATURES.is_valid_signature(signature)
        signature.method_name = 'other'
        assert not SIGNATURES.is_valid_signature(signature)
    assert not SIGNATURES.is_valid_signature(None)


@pytest.mark.parametrize('call, message', [
    (lambda s: s.predict_signature_def({}, {'y': tf.zeros([])}), 'inputs cannot be None or empty'),
    (lambda s: s.predict_signature_def({'x': tf.zeros([])}, None), 'outputs cannot be None'),
    (lambda s: s.regression_signature_def(None, tf.zeros([])), 'examples cannot be None'),
    (lambda s: s.regression_signature_def(tf.zeros([]), tf.zeros([])), 'a string Tensor'),
    (lambda s: s.regression_signature_def(tf.constant('a'), tf.constant(1)), 'a float Tensor'),
    (lambda s: s.classification_signature_def(tf.constant('a'), None, None), 'cannot both be None'),
    (lambda s: s.classification_signature_def(tf.constant('a'), tf.zeros([]), None), 'classes'),
    (lambda s: s.classification_signature_def(tf.constant('a'), None, tf.constant(1)), 'scores'),
])
def test_refused_signatures(call, message):
    with pytest.raises(ValueError, match=message):
        call(SIGNATURES)


def test_the_directory_may_be_bytes(session, tmp_path):
    x = tf.placeholder(tf.float32, [], name='x')
    tf.add(x, tf.Variable(2.0), name='y')
    session.run(tf.global_variables_initializer())
    folder = str(tmp_path / 'model').encode()
    builder = tf.saved_model.builder.SavedModelBuilder(folder)
    builder.add_meta_graph_and_variables(session, ['serve'])
    builder.save()
    with tf.Session(graph=tf.Graph()) as loaded:
        tf.saved_model.loader.load(loaded, ['serve'], folder)
        assert loaded.run('y:0', {'x:0': 1.0}) == 3.0
