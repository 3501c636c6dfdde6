"""TFRecord files, plain and compressed; Examples; serialized tensors; saved iterators."""
from __future__ import annotations

import functools
import gzip
import pathlib
import tempfile
import zlib

import numpy as np

import tinyflow as tf
from tests.faults.damage import damaged
from tests.faults.format import Wrong, file_format
from tests.faults.messages import damage_of
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.protos.tensor_pb2 import TensorProto

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'ckpt'


def _sources():
    return {name: (FOLDER / name).read_bytes() for name in contents.COMPRESSIONS}


def _read(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    options = tf.python_io.TFRecordOptions(
        {'': 0, 'ZLIB': 1, 'GZIP': 2}[contents.COMPRESSIONS[name]])
    found = []
    try:
        for record in tf.python_io.tf_record_iterator(str(path), options):
            found.append(record)
    finally:
        if found != contents.RECORDS[:len(found)]:
            raise Wrong('other records')
    with tf.Graph().as_default(), tf.Session() as session:
        batch = tf.data.TFRecordDataset(str(path), contents.COMPRESSIONS[name]).batch(
            10).make_one_shot_iterator().get_next()
        if not found:
            return
        if session.run(batch).tolist() != found:
            raise Wrong('other records of the Dataset')


def _damaged_inside(data, chance, marks):
    """Whole compression around damaged records."""
    if data[:2] == b'\x1f\x8b':
        return gzip.compress(damaged(gzip.decompress(data), chance))
    if data[:1] == b'\x78':
        return zlib.compress(damaged(zlib.decompress(data), chance))
    return damaged(data, chance)


file_format('TFRecord', _sources)(_read)
file_format('TFRecord, compressed', _sources, _damaged_inside)(_read)


def _parsers():
    """A graph that parses one serialized Example in each way."""
    graph = tf.Graph()
    with graph.as_default():
        data = tf.placeholder(tf.string, [])
        _, features = contents.features(tf)
        del features['many']
        features['indices'] = tf.VarLenFeature(tf.int64)
        lists = {'a': tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
                 'b': tf.VarLenFeature(tf.string)}
        fetches = [tf.parse_example([data, data], features),
                   tf.parse_single_example(data, features),
                   tf.parse_single_sequence_example(data, features, lists)]
    return tf.Session(graph=graph), data, fetches


def _examples():
    lists = tf.train.FeatureLists(feature_list={
        'a': tf.train.FeatureList(feature=[
            tf.train.Feature(int64_list=tf.train.Int64List(value=[i])) for i in range(5)]),
        'b': tf.train.FeatureList(feature=[
            tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'x', b'yz']))] * 3)})
    message, _ = contents.features(tf)
    both = tf.train.SequenceExample(context=message.features, feature_lists=lists)
    return {'example': (FOLDER / 'example.bin').read_bytes(), 'sequence': both.SerializeToString()}


def _damaged_example(data, chance, marks):
    return chance.choice((of_example, of_sequence))(data, chance, marks)


of_example, of_sequence = damage_of(tf.train.Example), damage_of(tf.train.SequenceExample)


@file_format('Example', _examples, _damaged_example, named=('Parse',), begin=_parsers)
def _example(place, name, data, made):
    """Without a checksum, damage may go unnoticed; every parser has its try."""
    session, placeholder, fetches = made
    failed = None
    for fetch in fetches:
        try:
            session.run(fetch, {placeholder: data})
        except Exception as error:
            if not isinstance(error, tf.errors.OpError):
                raise
            failed = error
    if failed is not None:
        raise failed


def _tensors():
    with tf.Graph().as_default(), tf.Session() as session:
        return dict(zip('abc', session.run([
            tf.serialize_tensor(np.arange(12, dtype=np.float32).reshape(3, 4)),
            tf.serialize_tensor([b'some', b'words', b'x' * 200]),
            tf.serialize_tensor(np.zeros([50, 4], np.int64))])))


def _tensor_parsers():
    graph = tf.Graph()
    with graph.as_default():
        data = tf.placeholder(tf.string, [])
        fetches = {'a': tf.parse_tensor(data, tf.float32), 'b': tf.parse_tensor(data, tf.string),
                   'c': tf.parse_tensor(data, tf.int64)}
    return tf.Session(graph=graph), data, fetches


@file_format('serialized tensor', _tensors, damage_of(TensorProto), named=('ParseTensor',),
             begin=_tensor_parsers)
def _tensor(place, name, data, made):
    session, placeholder, fetches = made
    session.run(fetches[name], {placeholder: data})


def _compressed():
    body = b'some text, ' * 300
    return {'GZIP': gzip.compress(body), 'ZLIB': zlib.compress(body)}


def _decompressors():
    graph = tf.Graph()
    with graph.as_default():
        data = tf.placeholder(tf.string, [])
        fetches = {kind: tf.io.decode_compressed(data, kind) for kind in ('GZIP', 'ZLIB')}
    return tf.Session(graph=graph), data, fetches


@file_format('compressed text', _compressed, named=('DecodeCompressed',), begin=_decompressors)
def _decompressed(place, name, data, made):
    session, placeholder, fetches = made
    session.run(fetches[name], {placeholder: data})


def _pipeline():
    data = tf.data.Dataset.range(40).shuffle(7, seed=3).map(lambda x: x * 2).batch(3)
    iterator = data.make_one_shot_iterator()
    return iterator.get_next(), tf.train.Saver(
        [tf.data.experimental.make_saveable_from_iterator(iterator)])


@functools.cache
def _iterator_states():
    with tf.Graph().as_default(), tf.Session() as session, \
            tempfile.TemporaryDirectory() as folder:
        element, saver = _pipeline()
        session.run(element)
        path = saver.save(session, f'{folder}/i', write_meta_graph=False, write_state=False)
        from tinyflow.formats.wire.bundle import BundleReader  # start-up time
        with BundleReader(path) as reader:
            name, = reader.names()
            return {'state': bytes(reader.get(name).item())}


@file_format('iterator state', _iterator_states)
def _iterator_state(place, name, data):
    """The state in a checkpoint has a checksum of its own, besides that of the checkpoint."""
    from tinyflow.data.runtime import state_bytes  # start-up time
    whole = state_bytes.encode(state_bytes.decode(_iterator_states()['state']))
    try:
        found = state_bytes.decode(data)
    except tf.errors.DataLossError as error:
        raise type(error)(None, None, f'{place} {error}') from None     # the saver names the file
    if state_bytes.encode(found) != whole:
        raise Wrong('another state')
