"""GraphDefs that parse, but were written to do harm: cycles, absurd shapes, calls of themselves."""
from __future__ import annotations

import functools
import pathlib

import numpy as np

import tinyflow as tf
from tests.faults.format import file_format
from tinyflow.formats.protos import attr_value_pb2

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files'
SIZES = (-1, -2, 0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 40, 2 ** 62, 2 ** 63 - 1, -2 ** 63)


@functools.cache
def _graphs():
    """Graphs that need no feeds, of ops whose arguments give sizes."""
    found = {}
    with tf.Graph().as_default() as graph:
        x = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4), name='x')
        n = tf.constant([2, 3], name='n')
        i = tf.constant([0, 1], name='i')
        tf.fill(n, 1.0), tf.reshape(x, [6, 4]), tf.tile(x, [1, 2, 1]), tf.pad(x, [[1, 1]] * 3)
        tf.range(0, 10, 3), tf.one_hot(i, 5), tf.gather(x, i), tf.linspace(0.0, 1.0, 4)
        tf.slice(x, [0, 1, 0], [1, 2, 3]), tf.transpose(x, [2, 0, 1]), tf.concat([x, x], 1)
        tf.split(x, 2, 2), tf.split(x, [1, 3], 2), tf.unstack(x), tf.stack([x, x])
        tf.scatter_nd([[0], [3]], [1.0, 2.0], [5]), tf.sparse_to_dense([0, 2], [4], 1)
        tf.unsorted_segment_sum(x, i, 3), tf.segment_max(x, i), tf.math.bincount(i, minlength=4)
        tf.broadcast_to(x, [2, 2, 3, 4]), tf.eye(3), tf.matrix_band_part(x, 1, 1)
        tf.random_uniform(n), tf.random_normal(n), tf.multinomial([[0.1, 0.9]], 5)
        tf.image.resize_bilinear(x[..., None], [5, 6]), tf.strided_slice(x, [0, 0], [2, 3], [1, 2])
        tf.string_split(['a b', 'c']), tf.strings.substr(['hello'], 1, 3), tf.as_string(i)
        tf.argmax(x, 1), tf.nn.top_k(x, 2), tf.reverse(x, [1]), tf.sequence_mask(i, 4)
        tf.zeros([3, 4]), tf.diag([1.0, 2.0]), tf.cumsum(x, 1), tf.repeat([1, 2], 3)
        found['arrays'] = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as graph:
        x = tf.constant(np.ones([1, 8, 8, 3], np.float32), name='x')
        w = tf.constant(np.ones([3, 3, 3, 2], np.float32))
        y = tf.nn.conv2d(x, w, 1, 'SAME')
        tf.nn.max_pool(y, 2, 2, 'VALID'), tf.nn.avg_pool(y, 3, 1, 'SAME'), tf.nn.lrn(y)
        tf.nn.conv2d_transpose(y, tf.ones([3, 3, 3, 2]), [1, 8, 8, 3], 1)
        tf.nn.depthwise_conv2d(x, tf.ones([3, 3, 3, 1]), [1, 1, 1, 1], 'SAME')
        tf.space_to_depth(x, 2), tf.depth_to_space(tf.ones([1, 2, 2, 4]), 2)
        tf.extract_image_patches(x, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')
        tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]), tf.nn.dilation2d(
            x, tf.ones([2, 2, 3]), [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')
        tf.nn.conv3d(tf.ones([1, 4, 4, 4, 1]), tf.ones([2, 2, 2, 1, 1]), [1] * 5, 'SAME')
        tf.batch_to_space_nd(tf.ones([4, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]])
        found['networks'] = graph.as_graph_def().SerializeToString()
    with tf.Graph().as_default() as graph:
        p = tf.constant(True)
        tf.cond(p, lambda: tf.ones([2]), lambda: tf.zeros([2]))
        data = tf.data.Dataset.range(5).map(lambda x: x + 1).batch(2).repeat(2).shuffle(3)
        data.make_one_shot_iterator().get_next()
        a = tf.TensorArray(tf.float32, 3).write(0, 1.0).write(1, 2.0).write(2, 3.0)
        a.stack()
        queue = tf.FIFOQueue(3, tf.float32, [[]])
        queue.size()
        v = tf.Variable(tf.ones([2, 2]))
        tf.identity(v), tf.variables_initializer([v])
        found['programs'] = graph.as_graph_def().SerializeToString()
    for name in ('frozen.pb', 'old_nested_cond.pb', 'old_cond.pb', 'older_nodes.pb',
                 'resource_variables.pb'):
        found[name] = (FOLDER / name).read_bytes()
    return found


def _hostile(data, chance, marks):
    """The GraphDef with one to three changes that keep it a GraphDef."""
    proto = tf.GraphDef.FromString(data)
    for _ in range(chance.choice((1, 1, 2, 3))):
        change = chance.choice(CHANGES)
        try:
            change(proto, chance)
        except (IndexError, ValueError):
            pass
    return proto.SerializeToString()


def _nodes(proto):
    return list(proto.node) + [n for f in proto.library.function for n in f.node_def]


def _input(proto, chance):
    node = chance.choice([n for n in _nodes(proto) if n.input])
    other = chance.choice(proto.node).name
    node.input[chance.randrange(len(node.input))] = chance.choice([
        node.name, f'^{node.name}', 'missing', other, f'{other}:{chance.choice(SIZES)}',
        f'^{other}', f'{other}:x:0', '', ':', '^', f'{other}:1', 'x' * 10000])


def _inputs(proto, chance):
    node = chance.choice([n for n in _nodes(proto) if n.input])
    kind = chance.choice(['more', 'fewer', 'reverse', 'many'])
    if kind == 'more':
        node.input.append(chance.choice(node.input))
    elif kind == 'many':
        node.input.extend([node.input[0]] * 1000)
    else:
        kept = list(node.input)[::-1] if kind == 'reverse' else list(node.input)[:-1]
        del node.input[:]
        node.input.extend(kept)


def _name(proto, chance):
    node = chance.choice(_nodes(proto))
    node.name = chance.choice([chance.choice(proto.node).name, '', '/', '^a', 'a:0', '../x',
                               'a' * 9999, 'a/' * 3000 + 'b', '\n', '-', '_x', node.name + '/'])


def _op(proto, chance):
    node = chance.choice(_nodes(proto))
    names = [f.signature.name for f in proto.library.function]
    node.op = chance.choice(['', 'NoOp', 'Const', 'Nonsense', 'While', 'If', 'PyFunc', 'Merge',
                             'Switch', 'Enter', 'NextIteration', 'StatefulPartitionedCall',
                             'MapDataset']
                            + [n.op for n in proto.node][:20] + names)


def _constant(proto, chance):
    node = chance.choice([n for n in _nodes(proto) if 'value' in n.attr])
    tensor = node.attr['value'].tensor
    kind = chance.choice(['sizes', 'sizes', 'rank', 'dtype', 'values', 'values', 'none'])
    if kind == 'sizes':
        for _ in range(chance.choice((1, 2))):
            if not tensor.tensor_shape.dim:
                tensor.tensor_shape.dim.add()
            chance.choice(tensor.tensor_shape.dim).size = chance.choice(SIZES)
    elif kind == 'rank':
        for _ in range(chance.choice((1, 40, 300))):
            tensor.tensor_shape.dim.add(size=chance.choice((1, 2)))
    elif kind == 'dtype':
        tensor.dtype = chance.randrange(-1, 130)
    elif kind == 'none':
        tensor.tensor_shape.unknown_rank = True
    elif tensor.dtype in (3, 9):
        count = max(1, len(tensor.tensor_content) // (4 if tensor.dtype == 3 else 8))
        limit = 2 ** 31 if tensor.dtype == 3 else 2 ** 63
        numbers = [chance.choice([s for s in SIZES if -limit <= s < limit]) for _ in range(count)]
        tensor.tensor_content = np.array(
            numbers, np.int32 if tensor.dtype == 3 else np.int64).tobytes() if \
            tensor.tensor_content else b''
        if not tensor.tensor_content:
            (tensor.int_val if tensor.dtype == 3 else tensor.int64_val)[:] = numbers[:1]
    else:
        tensor.tensor_content = tensor.tensor_content[:-1]


def _attribute(proto, chance):
    node = chance.choice([n for n in _nodes(proto) if n.attr])
    key = chance.choice(sorted(node.attr))
    value = node.attr[key]
    kind = value.WhichOneof('value')
    if kind == 'i':
        value.i = chance.choice(SIZES)
    elif kind == 'type':
        value.type = chance.randrange(0, 130)
    elif kind == 'shape':
        value.shape.dim.add(size=chance.choice(SIZES))
    elif kind == 'list' and value.list.i:
        value.list.i[chance.randrange(len(value.list.i))] = chance.choice(SIZES)
    elif kind == 'func':
        value.func.name = chance.choice(
            [f.signature.name for f in proto.library.function] + ['missing', ''])
    elif kind == 's':
        value.s = chance.choice([b'', b'\xff\xfe', b'VALID', b'x' * 10000])
    else:
        del node.attr[key]


def _other_attribute(proto, chance):
    node = chance.choice(_nodes(proto))
    key = chance.choice(sorted(node.attr) or ['T'])
    node.attr[key].CopyFrom(chance.choice([
        attr_value_pb2.AttrValue(), attr_value_pb2.AttrValue(i=-1),
        attr_value_pb2.AttrValue(s=b'x'), attr_value_pb2.AttrValue(type=1),
        attr_value_pb2.AttrValue(f=float('nan')),
        attr_value_pb2.AttrValue(placeholder='T'), attr_value_pb2.AttrValue(
            list=attr_value_pb2.AttrValue.ListValue(i=[1] * 50))]))


def _function(proto, chance):
    function = chance.choice(proto.library.function)
    kind = chance.choice(['itself', 'returns', 'twice', 'arguments', 'gone'])
    if kind == 'itself':
        node = function.node_def.add(name='again', op=function.signature.name)
        node.input.extend(arg.name for arg in function.signature.input_arg)
        for key in list(function.ret):
            out = function.signature.output_arg[0].name
            function.ret[key] = f'again:{out}:0'
    elif kind == 'returns':
        function.ret[chance.choice(sorted(function.ret))] = chance.choice(
            ['missing:y:0', 'a', '', 'x:y:99'])
    elif kind == 'twice':
        proto.library.function.add().CopyFrom(function)
    elif kind == 'arguments':
        function.signature.input_arg.add(name='more', type=1)
    else:
        proto.library.function.remove(function)


def _call(proto, chance):
    """A function that calls itself, and a node that calls the function."""
    function = proto.library.function.add()
    function.signature.name = f'f{len(proto.library.function)}'
    function.signature.input_arg.add(name='x', type=1)
    function.signature.output_arg.add(name='y', type=1)
    count = chance.choice((1, 2))
    for number in range(count):
        node = function.node_def.add(name=f'c{number}', op='PartitionedCall')
        node.input.append('x' if not number else 'c0:output:0')
        node.attr['Tin'].list.type.append(1)
        node.attr['Tout'].list.type.append(1)
        node.attr['f'].func.name = function.signature.name
    function.ret['y'] = f'c{count - 1}:output:0'
    node = proto.node.add(name=function.signature.name + '_node', op=function.signature.name)
    node.input.append('x')


def _versions(proto, chance):
    proto.versions.min_consumer = chance.choice((0, 10 ** 6))
    proto.versions.producer = chance.choice((0, 27, 10 ** 6, -1))


def _deep(proto, chance):
    count = chance.choice((500, 3000))
    last = chance.choice(proto.node).name
    for number in range(count):
        node = proto.node.add(name=f'deep{number}', op='Identity')
        node.input.append(last)
        node.attr['T'].type = 1
        last = node.name


CHANGES = (_input, _input, _inputs, _name, _op, _constant, _constant, _constant, _attribute,
           _attribute, _attribute, _other_attribute, _function, _call, _versions, _deep)


@file_format('hostile GraphDef', _graphs, _hostile, named=('',))
def _run(place, name, data):
    """Imports the graph and runs what can be run; queues and blocking ops are left alone."""
    proto = tf.GraphDef.FromString(data)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name='')
        graph.as_graph_def()
        operations = [op for op in graph.get_operations()
                      if not op.type.startswith(('Queue', 'Placeholder', 'Enter'))]
        failed = None
        with tf.Session() as session:
            for op in operations[:200] if len(operations) < 400 else operations[-1:]:
                for target in ([op] if not op.outputs else op.outputs):
                    try:
                        session.run(target)
                    except (ValueError, TypeError, tf.errors.OpError) as error:
                        if not isinstance(error, tf.errors.OpError) and \
                                not hasattr(error, 'raised_by_tinyflow'):
                            raise
                        failed = error
        if failed is not None:
            raise failed


def _meta():
    return {'model.meta': (FOLDER / 'model.meta').read_bytes()}


def _hostile_meta(data, chance, marks):
    proto = tf.MetaGraphDef.FromString(data)
    proto.graph_def.ParseFromString(
        _hostile(proto.graph_def.SerializeToString(), chance, marks))
    if chance.random() < 0.5:
        key = chance.choice(sorted(proto.collection_def))
        collection = proto.collection_def[key]
        kind = collection.WhichOneof('kind')
        if kind and len(getattr(collection, kind).value):
            values = getattr(collection, kind).value
            extra = {'node_list': 'missing', 'bytes_list': b'\xff', 'int64_list': -1,
                     'float_list': 1.0}.get(kind)
            if extra is not None:
                values[0] = extra
    return proto.SerializeToString()


@file_format('hostile MetaGraph', _meta, _hostile_meta)
def _import_meta(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(path))
        session.run(tf.global_variables_initializer())
