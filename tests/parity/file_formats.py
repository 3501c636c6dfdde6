"""The programs that handshake.py runs on both sides: each format is written, and read again.

    python file_formats.py tinyflow|tensorflow write|read FOLDER

A format is a class with `write(folder)`, which returns arrays by name, and `read(folder)`, which
returns the same ones from the files; `impossible(side)` gives a reason why one side cannot do it.
Prints a line for each format: its name, ok or what went wrong. Python 3.7 runs it, too.
"""
import glob
import json
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

import numpy as np  # noqa: E402

if sys.argv[1] == 'tinyflow':
    import tinyflow as tf
else:
    import tensorflow
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)

OLD = sys.argv[1] == 'tinyflow' or tensorflow.__version__.startswith('1.')
NO_YAML = 'Keras of TensorFlow 2.15 has no YAML'
NO_TREES = 'TensorFlow 2.15 has no boosted trees'
WHOLE = np.arange(40, dtype=np.float32).reshape(10, 4)
X = np.linspace(-1, 1, 12).astype(np.float32).reshape(4, 3)
RECORDS = [b'', b'one', b'x' * 100000, bytes(bytearray(range(256)))]
FORMATS = []


def always(side_is_old):
    """The reason why a side cannot do it: there is none."""
    return None


def register(title, impossible=always):
    """Adds a format under its title in the table."""
    def add(cls):
        cls.title, cls.impossible = title, staticmethod(impossible)
        FORMATS.append(cls)
        return cls
    return add


def variables(parts=0):
    """Three Variables; w is in that many parts."""
    partitioner = tf.fixed_size_partitioner(parts) if parts else None

    def initial(shape, dtype=None, partition_info=None):
        first = partition_info.var_offset[0] if partition_info else 0
        return tf.constant(WHOLE[first:first + int(shape[0])])
    w = tf.get_variable('w', WHOLE.shape, initializer=initial, partitioner=partitioner)
    b = tf.get_variable('b', initializer=np.arange(3.0), use_resource=True)
    step = tf.get_variable('step', initializer=np.int64(7), trainable=False)
    return {'w': w, 'b': b, 'step': step}


def values(session, named):
    return {name: session.run(tf.convert_to_tensor(v)) for name, v in named.items()}


# ---- checkpoints ---------------------------------------------------------------------------------

class Checkpoint:
    """Written in so many parts, read in others."""

    written, read_as, version, sharded = 0, (0, 3), 2, False

    @classmethod
    def write(cls, folder):
        with tf.Session() as session:
            named = variables(cls.written)
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(write_version=cls.version, sharded=cls.sharded)
            path = saver.save(session, os.path.join(folder, 'model'))
            assert tf.train.latest_checkpoint(folder) == path
            return values(session, named)

    @classmethod
    def read(cls, folder):
        for parts in cls.read_as:
            with tf.Graph().as_default(), tf.Session() as session:
                named = variables(parts)
                tf.train.Saver().restore(session, tf.train.latest_checkpoint(folder))
                found = values(session, named)
        return found


register('checkpoint V2')(type('V2', (Checkpoint,), {}))
register('checkpoint V2, sharded')(type('V2Sharded', (Checkpoint,), {'sharded': True}))
register('checkpoint V2, partitioned')(type('V2Parts', (Checkpoint,),
                                            {'written': 4, 'read_as': (4, 3, 0)}))
register('checkpoint V1')(type('V1', (Checkpoint,), {'version': 1}))
register('checkpoint V1, sharded and partitioned')(type(
    'V1Parts', (Checkpoint,), {'version': 1, 'written': 3, 'read_as': (5, 3, 0), 'sharded': True}))


@register('checkpoint, object-based')
class Objects:
    @staticmethod
    def objects():
        named = variables()
        optimizer = tf.train.AdamOptimizer(0.1)
        train = optimizer.minimize(tf.reduce_sum(named['w'] ** 2), global_step=named['step'])
        checkpoint = tf.train.Checkpoint(optimizer=optimizer, step=named['step'])
        checkpoint.inner = [named['w'], named['b']]
        return checkpoint, train, named

    @classmethod
    def write(cls, folder):
        with tf.Session() as session:
            checkpoint, train, named = cls.objects()
            session.run(tf.global_variables_initializer())
            session.run(train)
            checkpoint.save(os.path.join(folder, 'model'), session=session)
            named['m'] = checkpoint.optimizer.get_slot(named['w'], 'm')
            return values(session, named)

    @classmethod
    def read(cls, folder):
        with tf.Session() as session:
            checkpoint, train, named = cls.objects()
            status = checkpoint.restore(tf.train.latest_checkpoint(folder))
            status.assert_consumed().run_restore_ops(session)
            named['m'] = checkpoint.optimizer.get_slot(named['w'], 'm')
            found = values(session, named)
            session.run(train)
            return found


@register('state file of checkpoints')
class StateFile:
    @staticmethod
    def write(folder):
        with tf.Session() as session:
            variables()
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(max_to_keep=2, save_relative_paths=True)
            for step in range(4):
                saver.save(session, os.path.join(folder, 'model'), step)
        return {'kept': np.array(['model-2', 'model-3'])}

    @staticmethod
    def read(folder):
        state = tf.train.get_checkpoint_state(folder)
        paths = list(state.all_model_checkpoint_paths)
        assert state.model_checkpoint_path == paths[-1] == tf.train.latest_checkpoint(folder)
        return {'kept': np.array([os.path.basename(path) for path in paths])}


# ---- graphs --------------------------------------------------------------------------------------

def program():
    """A graph with a loop, a branch and Variables."""
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.get_variable('w', initializer=WHOLE[:3])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y) + 1.0),
                         [0, tf.matmul(x, w)])
    y = tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2, lambda: y - 1)
    return tf.identity(y, name='y')


class Graph:
    text = False

    @classmethod
    def write(cls, folder):
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y) + 1.0),
                             [0, tf.matmul(x, tf.constant(WHOLE[:3]))])
        y = tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2, lambda: y - 1)
        tf.identity(y, name='y')
        tf.train.write_graph(tf.get_default_graph(), folder, 'graph', as_text=cls.text)
        with tf.Session() as session:
            return {'y': session.run('y:0', {'x:0': X})}

    @classmethod
    def read(cls, folder):
        graph_def = tf.GraphDef()
        with open(os.path.join(folder, 'graph'), 'rb') as file:
            data = file.read()
        if cls.text:
            from google.protobuf import text_format
            text_format.Parse(data.decode(), graph_def)
        else:
            graph_def.ParseFromString(data)
        tf.import_graph_def(graph_def, name='')
        with tf.Session() as session:
            return {'y': session.run('y:0', {'x:0': X})}


register('GraphDef, binary')(type('Binary', (Graph,), {}))
register('GraphDef, text')(type('Text', (Graph,), {'text': True}))


class MetaGraph:
    text = False

    @classmethod
    def write(cls, folder):
        with tf.Session() as session:
            y = program()
            tf.add_to_collection('y', y)
            tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(y), name='train')
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver()
            saver.save(session, os.path.join(folder, 'model'), write_meta_graph=False)
            saver.export_meta_graph(os.path.join(folder, 'model.meta'), as_text=cls.text)
            return {'y': session.run(y, {'x:0': X})}

    @classmethod
    def read(cls, folder):
        with tf.Session() as session:
            saver = tf.train.import_meta_graph(os.path.join(folder, 'model.meta'))
            saver.restore(session, os.path.join(folder, 'model'))
            y = session.run(tf.get_collection('y')[0], {'x:0': X})
            session.run('train', {'x:0': X})
            return {'y': y}


register('MetaGraph, binary')(type('MetaBinary', (MetaGraph,), {}))
register('MetaGraph, text')(type('MetaText', (MetaGraph,), {'text': True}))


# ---- SavedModels ---------------------------------------------------------------------------------

def served(path, feeds, key='serving_default'):
    """The outputs of a signature."""
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ['serve'], path)
        signature = meta.signature_def[key]
        fed = {info.name: feeds[name] for name, info in signature.inputs.items()}
        return {name: session.run(info.name, fed) for name, info in signature.outputs.items()}


class SavedModel:
    text = False

    @classmethod
    def write(cls, folder):
        path = os.path.join(folder, 'saved')
        with tf.Session() as session:
            y = program()
            session.run(tf.global_variables_initializer())
            signature = tf.saved_model.predict_signature_def({'x': y.graph.get_tensor_by_name(
                'x:0')}, {'y': y})
            builder = tf.saved_model.builder.SavedModelBuilder(path)
            builder.add_meta_graph_and_variables(session, ['serve'],
                                                 {'serving_default': signature})
            builder.save(as_text=cls.text)
            return {'y': session.run(y, {'x:0': X})}

    @staticmethod
    def read(folder):
        return served(os.path.join(folder, 'saved'), {'x': X})


register('SavedModel of a Session')(type('Saved', (SavedModel,), {}))
register('SavedModel of a Session, text')(type('SavedText', (SavedModel,), {'text': True}))


@register('SavedModel with an asset and a table')
class Assets:
    @staticmethod
    def write(folder):
        source = os.path.join(folder, 'vocabulary.txt')
        with open(source, 'w') as file:
            file.write('a\nb\nc\n')
        with tf.Session() as session:
            words = tf.placeholder(tf.string, [None], name='words')
            table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                source, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER), -1)
            ids = table.lookup(words)
            session.run(tf.tables_initializer())
            builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(folder, 'saved'))
            builder.add_meta_graph_and_variables(
                session, ['serve'], {'serving_default': tf.saved_model.predict_signature_def(
                    {'words': words}, {'ids': ids})},
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                main_op=tf.tables_initializer())
            builder.save()
            found = {'ids': session.run(ids, {words: ['c', 'x', 'a']})}
        os.remove(source)
        return found

    @staticmethod
    def read(folder):
        return served(os.path.join(folder, 'saved'), {'words': ['c', 'x', 'a']})


# ---- Estimators ----------------------------------------------------------------------------------

class Estimator:
    @classmethod
    def train(cls, folder):
        estimator = cls.make(folder)
        estimator.train(cls.inputs(True), steps=4)
        receive = tf.estimator.export.build_parsing_serving_input_receiver_fn(
            tf.feature_column.make_parse_example_spec(cls.columns()))
        estimator.export_saved_model(os.path.join(folder, 'saved'), receive)
        return cls.predicted(estimator)

    @classmethod
    def predicted(cls, estimator):
        found = list(estimator.predict(cls.inputs(False)))
        return {'logistic': np.array([p['logistic'] for p in found])}

    @staticmethod
    def features():
        return {'n': np.array([[0.5], [1.5], [2.5], [3.5]], np.float32),
                'word': np.array([['a'], ['b'], ['c'], ['?']])}

    @classmethod
    def inputs(cls, training):
        def build():
            data = tf.data.Dataset.from_tensor_slices(
                (cls.features(), np.array([[0], [1], [1], [0]], np.float32)))
            data = data.batch(4)
            return data.repeat() if training else data
        return build

    @staticmethod
    def columns():
        fc = tf.feature_column
        number = fc.numeric_column('n')
        words = fc.categorical_column_with_vocabulary_list('word', ['a', 'b', 'c'],
                                                           num_oov_buckets=1)
        return [fc.bucketized_column(number, [1.0, 2.0]), fc.indicator_column(words),
                fc.embedding_column(fc.categorical_column_with_hash_bucket('word', 5), 2)]

    @classmethod
    def make(cls, folder):
        return tf.estimator.DNNClassifier([4], cls.columns(), config=tf.estimator.RunConfig(
            model_dir=os.path.join(folder, 'model'), tf_random_seed=1))

    @classmethod
    def write(cls, folder):
        return cls.train(folder)

    @classmethod
    def examples(cls):
        features = cls.features()
        return [tf.train.Example(features=tf.train.Features(feature={
            'n': tf.train.Feature(float_list=tf.train.FloatList(value=n)),
            'word': tf.train.Feature(bytes_list=tf.train.BytesList(value=[w[0].encode()])),
        })).SerializeToString() for n, w in zip(features['n'], features['word'])]


@register('Estimator: model_dir')
class ModelDir(Estimator):
    @classmethod
    def read(cls, folder):
        estimator = cls.make(folder)
        found = cls.predicted(estimator)
        estimator.train(cls.inputs(True), steps=1)
        return found


@register('Estimator: export with feature columns')
class Export(Estimator):
    @classmethod
    def read(cls, folder):
        path, = glob.glob(os.path.join(folder, 'saved', '*'))
        with tf.Graph().as_default(), tf.Session() as session:
            meta = tf.saved_model.loader.load(session, ['serve'], path)
            signature = meta.signature_def['predict']
            given, = signature.inputs.values()
            return {'logistic': session.run(signature.outputs['logistic'].name,
                                            {given.name: cls.examples()})}


class Trees(Estimator):
    @staticmethod
    def columns():
        fc = tf.feature_column
        return [fc.bucketized_column(fc.numeric_column('n'), [1.0, 2.0]), fc.indicator_column(
            fc.categorical_column_with_vocabulary_list('word', ['a', 'b', 'c']))]

    @classmethod
    def make(cls, folder):
        return tf.estimator.BoostedTreesClassifier(
            cls.columns(), n_batches_per_layer=1, n_trees=2, max_depth=2,
            config=tf.estimator.RunConfig(model_dir=os.path.join(folder, 'model')))


register('boosted trees: model_dir', lambda old: None if old else NO_TREES)(
    type('TreesDir', (Trees,), {'read': ModelDir.__dict__['read']}))
register('boosted trees: export', lambda old: None if old else NO_TREES)(
    type('TreesExport', (Trees,), {'read': Export.__dict__['read']}))


# ---- Keras ---------------------------------------------------------------------------------------

class Keras:
    @staticmethod
    def model():
        keras, layers = tf.keras, tf.keras.layers
        image, vector = layers.Input((6, 6, 2), name='image'), layers.Input((3,), name='vector')
        h = layers.Conv2D(3, 3, activation='relu')(image)
        h = layers.GlobalAveragePooling2D()(layers.BatchNormalization()(h))
        h = layers.Concatenate()([h, layers.LSTM(4)(layers.Reshape((3, 1))(vector))])
        model = keras.Model([image, vector], layers.Dense(2, activation='softmax')(
            layers.Dropout(0.3)(h)))
        model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
        return model

    @staticmethod
    def inputs():
        return [np.linspace(0, 1, 288).astype(np.float32).reshape(4, 6, 6, 2), X]

    @classmethod
    def write(cls, folder):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            tf.keras.backend.set_session(session)
            model = cls.model()
            model.fit(cls.inputs(), np.eye(2)[[0, 1, 1, 0]], verbose=0)
            cls.save(model, os.path.join(folder, 'model'))
            return {'y': model.predict(cls.inputs())}

    @classmethod
    def read(cls, folder):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            tf.keras.backend.set_session(session)
            return {'y': cls.load(os.path.join(folder, 'model')).predict(cls.inputs())}


def keras_format(title, save, load, impossible=always):
    register(title, impossible)(type(title, (Keras,), {
        'save': staticmethod(save), 'load': staticmethod(load)}))


def with_weights(path, text, reader):
    with open(path + text) as file:
        model = reader(file.read())
    model.load_weights(path + '.h5')
    return model


def save_described(path, text, description, model):
    model.save_weights(path + '.h5')
    with open(path + text, 'w') as file:
        file.write(description)


def no_yaml(side_is_old):
    try:
        import yaml  # noqa: F401
    except ImportError:
        return 'the package pyyaml is not installed with this TensorFlow'
    return None if side_is_old else NO_YAML


def loaded_weights(path):
    model = Keras.model()
    model.load_weights(path)
    return model


keras_format('Keras: model, HDF5', lambda model, path: model.save(path + '.h5'),
             lambda path: tf.keras.models.load_model(path + '.h5'))
keras_format('Keras: model, SavedModel', lambda model, path: model.save(path, save_format='tf'),
             lambda path: tf.keras.models.load_model(path))
keras_format('Keras: weights, HDF5', lambda model, path: model.save_weights(path + '.h5'),
             lambda path: loaded_weights(path + '.h5'))
keras_format('Keras: weights, TensorFlow', lambda model, path: model.save_weights(path),
             loaded_weights)
keras_format('Keras: JSON', lambda model, path: save_described(
    path, '.json', model.to_json(), model),
    lambda path: with_weights(path, '.json', tf.keras.models.model_from_json))
keras_format('Keras: YAML', lambda model, path: save_described(
    path, '.yaml', model.to_yaml(), model),
    lambda path: with_weights(path, '.yaml', tf.keras.models.model_from_yaml), no_yaml)


@register('Keras: SavedModel in a Session')
class KerasServed(Keras):
    save = staticmethod(lambda model, path: model.save(path, save_format='tf'))

    @classmethod
    def read(cls, folder):
        image, vector = cls.inputs()
        found, = served(os.path.join(folder, 'model'),
                        {'image': image, 'vector': vector}).values()
        return {'y': found}


# ---- records, Examples, events -------------------------------------------------------------------

class Records:
    compression = ''

    @classmethod
    def options(cls):
        kind = tf.python_io.TFRecordCompressionType
        return tf.python_io.TFRecordOptions({'': kind.NONE, 'GZIP': kind.GZIP,
                                             'ZLIB': kind.ZLIB}[cls.compression])

    @classmethod
    def write(cls, folder):
        with tf.python_io.TFRecordWriter(os.path.join(folder, 'records'), cls.options()) as writer:
            for record in RECORDS:
                writer.write(record)
        return {'records': np.array([np.frombuffer(r, np.uint8).sum() for r in RECORDS])}

    @classmethod
    def read(cls, folder):
        path = os.path.join(folder, 'records')
        found = list(tf.python_io.tf_record_iterator(path, cls.options()))
        with tf.Session() as session:
            data = tf.data.TFRecordDataset(path, cls.compression).batch(len(RECORDS))
            batch = session.run(tf.data.make_one_shot_iterator(data).get_next())
        assert found == list(batch) == RECORDS
        return {'records': np.array([np.frombuffer(r, np.uint8).sum() for r in found])}


register('TFRecord')(type('Plain', (Records,), {}))
register('TFRecord, gzip')(type('Gzip', (Records,), {'compression': 'GZIP'}))
register('TFRecord, zlib')(type('Zlib', (Records,), {'compression': 'ZLIB'}))


@register('Example and SequenceExample')
class Examples:
    @staticmethod
    def write(folder):
        feature, ints = tf.train.Feature, tf.train.Int64List
        context = tf.train.Features(feature={
            'n': feature(int64_list=ints(value=[1, -2])),
            'f': feature(float_list=tf.train.FloatList(value=[0.5])),
            's': feature(bytes_list=tf.train.BytesList(value=[b'a', b'']))})
        steps = [feature(int64_list=ints(value=[i, i * i])) for i in range(3)]
        lists = tf.train.FeatureLists(feature_list={'t': tf.train.FeatureList(feature=steps)})
        with tf.python_io.TFRecordWriter(os.path.join(folder, 'examples')) as writer:
            writer.write(tf.train.Example(features=context).SerializeToString())
            writer.write(tf.train.SequenceExample(
                context=context, feature_lists=lists).SerializeToString())
        return {'n': np.array([1, -2]), 'f': np.float32([0.5]), 't': np.array(
            [[0, 0], [1, 1], [2, 4]])}

    @staticmethod
    def read(folder):
        one, sequence = tf.python_io.tf_record_iterator(os.path.join(folder, 'examples'))
        kinds = {'n': tf.FixedLenFeature([2], tf.int64), 'f': tf.FixedLenFeature([1], tf.float32)}
        with tf.Session() as session:
            found = session.run(tf.parse_single_example(one, kinds))
            again, lists = session.run(tf.parse_single_sequence_example(
                sequence, kinds, {'t': tf.FixedLenSequenceFeature([2], tf.int64)}))
        assert (again['n'] == found['n']).all()
        words = tf.train.Example.FromString(one).features.feature['s'].bytes_list.value
        assert list(words) == [b'a', b'']
        return {'n': found['n'], 'f': found['f'], 't': lists['t']}


@register('event files')
class Events:
    @staticmethod
    def write(folder):
        with tf.Session() as session:
            x = tf.placeholder(tf.float32, [3], name='x')
            tf.summary.scalar('average', tf.reduce_mean(x))
            tf.summary.histogram('all', x)
            merged = tf.summary.merge_all()
            writer = tf.summary.FileWriter(folder, session.graph)
            for step in range(3):
                writer.add_summary(session.run(merged, {x: [step, step, 3.0]}), step)
            writer.close()
        return {'mean': np.float32([1.0, 5 / 3, 7 / 3]), 'steps': np.arange(3),
                'max': np.array([3.0, 3.0, 3.0])}

    @staticmethod
    def read(folder):
        path, = glob.glob(os.path.join(folder, 'events.*'))
        means, steps, highest, graphs = [], [], [], 0
        for event in tf.train.summary_iterator(path):
            graphs += bool(event.graph_def)
            for value in event.summary.value:
                if value.tag == 'average':
                    means.append(value.simple_value)
                    steps.append(event.step)
                else:
                    highest.append(value.histo.max)
        assert graphs == 1, graphs
        return {'mean': np.float32(means), 'steps': np.array(steps), 'max': np.array(highest)}


# ---- the process ---------------------------------------------------------------------------------

def run(cls, mode, folder):
    """'ok', or what went wrong, with one format."""
    reason = cls.impossible(OLD)
    if reason:
        return 'not possible: ' + reason
    wanted = os.path.join(folder, 'wanted.npz')
    if mode == 'read' and not os.path.exists(wanted):
        return 'nothing to read'
    try:
        with tf.Graph().as_default():
            if mode == 'write':
                os.makedirs(folder)
                np.savez(wanted, **cls.write(folder))
                return 'ok'
            found = cls.read(folder)
        with np.load(wanted) as data:
            assert sorted(found) == sorted(data.files), (sorted(found), data.files)
            for name, value in found.items():
                if data[name].dtype.kind in 'fc':
                    np.testing.assert_allclose(value, data[name], rtol=1e-4, atol=1e-5)
                else:
                    np.testing.assert_array_equal(value, data[name])
        return 'ok'
    except Exception as error:
        traceback.print_exc()
        return 'FAIL: %s: %s' % (type(error).__name__, str(error).strip()[:200].replace('\n', ' '))


def main(mode, folder):
    for i, cls in enumerate(FORMATS):
        print(json.dumps([cls.title, run(cls, mode, os.path.join(folder, str(i)))]), flush=True)


if __name__ == '__main__':
    main(*sys.argv[2:])
