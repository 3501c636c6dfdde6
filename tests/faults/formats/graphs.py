"""GraphDefs and MetaGraphs, binary and as text, SavedModels with Variables and assets."""
from __future__ import annotations

import functools
import pathlib
import shutil
import tempfile

import numpy as np

import tinyflow as tf
from tests.faults.damage import damaged, damaged_text
from tests.faults.format import file_format
from tests.faults.messages import damage_of
from tinyflow.formats.protos.boosted_trees_pb2 import TreeEnsemble
from tinyflow.formats.protos.saved_model_pb2 import SavedModel
from tinyflow.formats.wire import reading

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files'
TREES = FOLDER / 'trees' / 'saved_model'
# A damaged graph may be refused by the name of a node instead of that of the file.
NODES = ("'", 'nodes wait for each other')


def _files(*patterns):
    return {str(p.relative_to(FOLDER)): p.read_bytes() for pattern in patterns
            for p in FOLDER.glob(pattern) if p.stat().st_size < 40000}


def _read_graph(place, name, data):
    path = pathlib.Path(place, pathlib.Path(name).name)
    path.write_bytes(data)
    proto = reading.read(path, tf.GraphDef)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name='')
        graph.as_graph_def()


def _graph_texts():
    found = {}
    for name, data in _files('*.pb').items():
        proto = tf.GraphDef.FromString(data)
        found[f'{name}txt'] = str(proto).encode()
    return {name: text for name, text in found.items() if len(text) < 60000}


file_format('GraphDef', lambda: _files('*.pb'), damage_of(tf.GraphDef), named=NODES)(_read_graph)
file_format('GraphDef text', _graph_texts, damaged_text, named=NODES)(_read_graph)


def _read_meta(place, name, data):
    path = pathlib.Path(place, pathlib.Path(name).name)
    path.write_bytes(data)
    with tf.Graph().as_default():
        tf.train.import_meta_graph(str(path))


def _meta_texts():
    return {f'{pathlib.Path(name).stem}.txt.meta': str(tf.MetaGraphDef.FromString(data)).encode()
            for name, data in _files('model.meta', 'newer/initial_values.meta').items()}


file_format('MetaGraph', lambda: _files('*.meta', 'newer/*.meta'),
            damage_of(tf.MetaGraphDef))(_read_meta)
file_format('MetaGraph text', _meta_texts, damaged_text)(_read_meta)


# ---- SavedModels ---------------------------------------------------------------------------------

_of_saved_model = damage_of(SavedModel)


def _damage(data, chance, marks):
    """Of saved_model.pb, the largest file by far, or of another."""
    return (_of_saved_model if len(data) > 4000 else damaged)(data, chance, marks)


@functools.cache
def _saved_model():
    """The files of a SavedModel with Variables, a table from an asset, and a main op."""
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.Session() as session:
        words = pathlib.Path(folder, 'words.txt')
        words.write_text('one\ntwo\nthree\n')
        x = tf.placeholder(tf.float32, [None, 2], 'x')
        w = tf.Variable(np.ones([2, 3], np.float32), name='w')
        asset = tf.constant(str(words))
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
        table = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(asset, tf.string, -2, tf.int64, -1), 1)
        number = table.lookup(tf.constant(['two', 'five']))
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        tf.saved_model.simple_save(session, f'{folder}/m', {'x': x},
                                   {'y': tf.matmul(x, w), 'n': number}, tf.tables_initializer())
        return {str(p.relative_to(f'{folder}/m')): p.read_bytes()
                for p in pathlib.Path(folder, 'm').rglob('*') if p.is_file()}


@file_format('SavedModel', _saved_model, _damage, named=NODES)
def _read_saved_model(place, name, data):
    for path, whole in _saved_model().items():
        target = pathlib.Path(place, 'm', path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data if path == name else whole)
    with tf.saved_model.load(f'{place}/m') as model:
        for signature in model.signatures.values():
            signature(x=[[1.0, 2.0]])


@file_format('SavedModel, trees', lambda: {
    str(p.relative_to(TREES)): p.read_bytes() for p in TREES.rglob('*') if p.is_file()},
    _damage, named=NODES)
def _read_trees(place, name, data):
    """The SavedModel of a boosted-trees Estimator."""
    shutil.copytree(TREES, f'{place}/m')
    pathlib.Path(place, 'm', name).write_bytes(data)
    tf.saved_model.load(f'{place}/m').close()


def _ensemble():
    from tinyflow.formats.wire.bundle import BundleReader  # start-up time
    with BundleReader(str(FOLDER / 'trees' / 'checkpoint' / 'model.ckpt-0')) as reader:
        return {name.replace('/', '.'): bytes(reader.get(name).item())
                for name in reader.names() if name.endswith('_serialized')}


def _predictor():
    from estimator_layer.canned.trees.ops import ensemble_ops as trees  # start-up time
    graph = tf.Graph()
    with graph.as_default():
        data = tf.placeholder(tf.string, [])
        handle = trees.BoostedTreesEnsembleResourceHandleOp.apply(shared_name='e', name='e')
        with tf.control_dependencies([trees.BoostedTreesCreateEnsemble.apply(handle, 0, '')]):
            create = trees.BoostedTreesDeserializeEnsemble.apply(handle, 0, data)
        buckets = [tf.constant([0, 1, 2], tf.int32)] * 8
        uses = [trees.BoostedTreesPredict.apply(handle, buckets, logits_dimension=1),
                trees.BoostedTreesExampleDebugOutputs.apply(handle, buckets, logits_dimension=1),
                trees.BoostedTreesSerializeEnsemble.apply(handle)[1]]
        return tf.Session(graph=graph), data, create, uses


@file_format('boosted trees', _ensemble, damage_of(TreeEnsemble), named=('BoostedTrees',),
             begin=_predictor)
def _trees(place, name, data, made):
    """The message of a tree ensemble, which is then asked for predictions."""
    session, placeholder, create, uses = made
    session.run(create, {placeholder: data})
    for use in uses:
        session.run(use)
