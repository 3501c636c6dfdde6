"""Protocol buffers: TensorFlow's fields, arrays <-> TensorProto, damaged messages."""
from __future__ import annotations

import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

import tinyflow as tf
from tests.golden.proto_tables import describe_file, read_table
from tinyflow.formats.wire import tensors
from tinyflow.formats.wire.reading import read, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROTOS = sorted((ROOT / 'tinyflow' / 'formats' / 'protos').glob('*.proto'))


def _table():
    table = {}
    for path in PROTOS:
        module = importlib.import_module(f'tinyflow.formats.protos.{path.stem}_pb2')
        table.update(describe_file(module.DESCRIPTOR))
    return table


# What TensorFlow 2.15 has in addition, so that text_format.Parse reads its graphs; others are
# skipped by binary messages, and by tinyflow's own readers of text.
NEWER = {
    'FullTypeDef': [[1, 'type_id', 14, False, 'FullTypeId', ''],
                    [2, 'args', 11, True, 'FullTypeDef', ''],
                    [3, 's', 9, False, '', 'attr'], [4, 'i', 3, False, '', 'attr']],
    'FunctionDef': [[8, 'resource_arg_unique_id', 11, True, 'FunctionDef.ResourceArgUniqueIdEntry',
                     '']],
    'FunctionDef.ResourceArgUniqueIdEntry': [[1, 'key', 13, False, '', ''],
                                             [2, 'value', 13, False, '', '']],
    'FunctionDefLibrary': [[3, 'registered_gradients', 11, True, 'RegisteredGradient', '']],
    'NodeDef': [[7, 'experimental_type', 11, False, 'FullTypeDef', '']],
    'OpDef': [[21, 'is_distributed_communication', 8, False, '', '']],
    'OpDef.ArgDef': [[7, 'handle_data', 11, True, 'ResourceHandleProto.DtypeAndShape', ''],
                     [17, 'experimental_full_type', 11, False, 'FullTypeDef', '']],
    'RegisteredGradient': [[1, 'gradient_func', 9, False, '', ''],
                           [2, 'registered_op_type', 9, False, '', '']],
    'SignatureDef': [[4, 'defaults', 11, True, 'SignatureDef.DefaultsEntry', '']],
    'SignatureDef.DefaultsEntry': [[1, 'key', 9, False, '', ''],
                                   [2, 'value', 11, False, 'TensorProto', '']],
}


def test_fields_are_those_of_tensorflow():
    ours, theirs = _table(), read_table()
    assert sorted(set(ours) - {'FullTypeId'}) == sorted({*theirs, *NEWER})
    for name, fields in ours.items():
        if name != 'FullTypeId':
            assert fields == sorted([*theirs.get(name, ()), *NEWER.get(name, ())]), name


def test_text_of_a_newer_tensorflow():
    """What TensorFlow 2.15 writes about types is read by text_format, and has no effect."""
    text = """
        node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
               experimental_type { type_id: TFT_PRODUCT args { type_id: TFT_TENSOR
                                   args { type_id: TFT_FLOAT } } } }
        library { registered_gradients { gradient_func: "g" registered_op_type: "f" } }"""
    graph_def = text_format.Parse(text, tf.GraphDef())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
    written = graph.as_graph_def()
    assert written.node[0].name == 'x' and not written.node[0].HasField('experimental_type')


@pytest.mark.parametrize('text', [
    'node { name: "x" op: "NoOp" experimental_type { type_id: TFT_LATER args { s: "}" } } }',
    'node { name: "x" op: "NoOp" later { a: 1 b { c: LATER } } } later: [1, 2]'])
def test_text_of_an_even_newer_tensorflow(tmp_path, text):
    (tmp_path / 'graph.pbtxt').write_text(text)
    assert read(str(tmp_path / 'graph.pbtxt'), tf.GraphDef).node[0].name == 'x'


def test_an_unknown_dtype_in_text_is_an_error_that_says_so(tmp_path):
    path = tmp_path / 'graph.pbtxt'
    path.write_text('node { name: "x" op: "NoOp" attr { key: "T" value { type: DT_INT4 } } }')
    with pytest.raises(tf.errors.DataLossError, match='no value named DT_INT4') as caught:
        read(str(path), tf.GraphDef)
    assert 'a newer TensorFlow may have it' in str(caught.value)


def test_files_are_written_next_to_tensorflows_own():
    """Other packages and file names: TensorFlow and TensorBoard may be in the same process."""
    for path in PROTOS:
        module = importlib.import_module(f'tinyflow.formats.protos.{path.stem}_pb2')
        assert module.DESCRIPTOR.package.split('.')[0] == 'tinyflow'
        assert module.DESCRIPTOR.name == f'tinyflow/formats/protos/{path.name}'


def test_modules_belong_to_their_proto_files():
    """`make protos` was run after the last change of a .proto file."""
    for path in PROTOS:
        module = importlib.import_module(f'tinyflow.formats.protos.{path.stem}_pb2')
        text = path.read_text()
        for message in module.DESCRIPTOR.message_types_by_name:
            assert f'message {message} {{' in text
        assert text.count('\nmessage ') == len(module.DESCRIPTOR.message_types_by_name)


@pytest.mark.slow
def test_looking_names_up_loads_protobuf_only_then():
    code = ('import sys, tinyflow as tf; assert "google.protobuf" not in sys.modules; '
            'tf.GraphDef(); assert "google.protobuf" in sys.modules')
    subprocess.run([sys.executable, '-W', 'error', '-c', code], cwd=ROOT, check=True)


# ---- tensors ------------------------------------------------------------------------------

# What TensorFlow 1.15.5 writes: values -> bytes of the TensorProto.
RECORDED = [
    (1.0, '080112002a040000803f'),
    ([1.0, 2.0], '080112041202080222080000803f00000040'),
    (3, '080312003a0103'),
    ([1, 2, 3], '0803120412020803220c010000000200000003000000'),
    ('a', '08071200420161'),
    (['a', b'bc'], '080712041202080242016142026263'),
    (True, '080a12005a0101'),
    ([True, False], '080a1204120208025a020100'),
    (1 + 2j, '081212006210000000000000f03f0000000000000040'),
    (np.float16(1.5), '081312006a02807c'),
    (np.array([1.5, -2], np.float16), '08131204120208026a05807c808003'),
    (np.zeros((0, 3), np.int64), '08091206120012020803'),
    (np.array([1, 300], np.uint16), '08111204120208023a0301ac02'),
    (np.array([1, 3], np.int8), '080612041202080222020103'),
    (np.int16(-3), '080512003a0afdffffffffffffffff01'),
    (np.array([2**63], np.uint64), '08171204120208018a010a80808080808080808001'),
]


@pytest.mark.parametrize('values, expected', RECORDED, ids=lambda v: str(v)[:20])
def test_tensor_protos_are_tensorflows_bytes(values, expected):
    proto = tf.make_tensor_proto(values)
    assert proto.SerializeToString(deterministic=True).hex() == expected
    again = tf.make_ndarray(proto)
    wanted = np.asarray(values)
    assert again.shape == wanted.shape
    if again.dtype == object:
        assert [v.decode() for v in again.flat] == [v.decode() if isinstance(v, bytes) else v
                                                    for v in np.array(values, object).flat]
    else:
        np.testing.assert_array_equal(again, wanted)


def test_the_last_value_is_repeated():
    proto = tf.make_tensor_proto([1.0, 2.0], shape=[2, 2])
    assert list(proto.float_val) == [1, 2]
    assert tf.make_ndarray(proto).tolist() == [[1, 2], [2, 2]]
    assert tf.make_ndarray(tf.make_tensor_proto(0.0, shape=[3])).tolist() == [0, 0, 0]
    assert tf.make_ndarray(tf.make_tensor_proto('a', shape=[2])).tolist() == [b'a', b'a']


@pytest.mark.parametrize('call, error, message', [
    (lambda: tf.make_tensor_proto([1, 2, 3], shape=[2]), ValueError, 'Too many elements'),
    (lambda: tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True), TypeError, 'Expected'),
    (lambda: tf.make_tensor_proto([1, 2], shape=[3], allow_broadcast=True), TypeError, 'Expected'),
    (lambda: tf.make_tensor_proto(1, shape=[3], verify_shape=True, allow_broadcast=True),
     ValueError, 'not both'),
    (lambda: tf.make_tensor_proto(1.5, tf.int32), TypeError, 'Expected int32'),
])
def test_refused_tensor_protos(call, error, message):
    with pytest.raises(error, match=message):
        call()


_DTYPES = st.sampled_from([d for d in tensors._LISTS if d is not tf.string])


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.data())
def test_arrays_survive(data):
    dtype = data.draw(_DTYPES)
    array = data.draw(arrays.arrays(dtype.np, arrays.array_shapes(min_dims=0, max_side=4)))
    again = tf.make_ndarray(tf.make_tensor_proto(array))
    assert again.dtype == array.dtype and again.shape == array.shape
    assert again.tobytes() == array.tobytes()
    compressed = tf.TensorProto()
    tensors.fill_tensor(compressed, array, dtype, compress=True)
    assert tensors.array_from(compressed).tobytes() == array.tobytes()


def test_large_equal_values_are_written_once():
    proto = tf.TensorProto()
    tensors.fill_tensor(proto, np.full([1000, 1000], 2.5), tf.float64, compress=True)
    assert len(proto.SerializeToString()) < 50
    assert (tensors.array_from(proto) == 2.5).all()
    proto.Clear()
    mixed = np.zeros(1000)
    mixed[3] = -0.0
    tensors.fill_tensor(proto, mixed, tf.float64, compress=True)
    assert np.signbit(tensors.array_from(proto))[3]


@pytest.mark.parametrize('change, message', [
    (lambda p: setattr(p, 'tensor_content', b'12345'), "'w' is damaged.*needs 12 bytes"),
    (lambda p: p.tensor_shape.dim.add(), "'w' is damaged|'w'"),
    (lambda p: setattr(p.tensor_shape, 'unknown_rank', True), "'w' is damaged"),
    (lambda p: (p.ClearField('tensor_content'), p.float_val.extend([1] * 4)), 'at most 3 values'),
    (lambda p: setattr(p, 'dtype', 14), "'w' has the dtype bfloat16"),
    (lambda p: setattr(p, 'dtype', 77), "'w' has the dtype number 77"),
    (lambda p: setattr(p, 'dtype', 20), 'resource'),
])
def test_damaged_tensors_name_the_tensor(change, message):
    proto = tf.make_tensor_proto([1.0, 2.0, 3.0])
    change(proto)
    with pytest.raises((ValueError, TypeError), match=message):
        tensors.array_from(proto, 'w')


def test_strings_packed_by_cpp():
    proto = tf.make_tensor_proto(['', 'abc', 'x' * 200])
    proto.ClearField('string_val')
    proto.tensor_content = b'\x00\x03\xc8\x01' + b'abc' + b'x' * 200
    assert tf.make_ndarray(proto).tolist() == [b'', b'abc', b'x' * 200]
    proto.tensor_content = proto.tensor_content[:-1]
    with pytest.raises(ValueError, match='damaged'):
        tf.make_ndarray(proto)


def test_shapes():
    assert str(tf.TensorShape([None, 3]).as_proto()).split() == \
        'dim { size: -1 } dim { size: 3 }'.split()
    assert tf.TensorShape(None).as_proto().unknown_rank
    for shape in (None, [], [None], [2, None]):
        assert tf.TensorShape(tf.TensorShape(shape).as_proto()) == tf.TensorShape(shape)


# ---- files --------------------------------------------------------------------------------


def test_binary_and_text_files(tmp_path):
    graph_def = tf.GraphDef()
    graph_def.node.add(name='a', op='NoOp')
    for name, as_text in (('a.pb', False), ('a.pbtxt', True)):
        write(tmp_path / name, graph_def, as_text)
        assert read(tmp_path / name, tf.GraphDef) == graph_def


@pytest.mark.parametrize('name, data', [('a.pb', b'\x0a\xff\x01'), ('a.pbtxt', b'node { nam'),
                                        ('b.pbtxt', b'\xff\xfe')])
def test_a_damaged_file_is_named(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=name):
        read(tmp_path / name, tf.GraphDef)
    with pytest.raises(tf.errors.NotFoundError, match='none'):
        read(tmp_path / 'none', tf.GraphDef)
