"""Writes tests/golden/files/ckpt under TensorFlow 1.15.5: checkpoints, records, an Example.

    python tests/golden/record_checkpoints.py [folder]
"""
import os
import shutil
import sys
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tensorflow as tf  # noqa: E402

from golden import checkpoint_contents as contents  # noqa: E402
from tensorflow.core.protobuf import saver_pb2  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'files', 'ckpt')


def variables(tensors):
    return [tf.Variable(value, name=name, dtype=tf.string if value.dtype == object else None)
            for name, value in sorted(tensors.items())]


def save(folder, name, build, write_meta_graph=False, **settings):
    with tf.Graph().as_default(), tf.Session() as session:
        build()
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver(**settings)
        saver.save(session, os.path.join(folder, name), write_meta_graph=write_meta_graph,
                   write_state=False)


def parts():
    def part(shape, dtype=None, partition_info=None):
        first = partition_info.var_offset[0]
        return contents.WHOLE[first:first + int(shape[0])]
    tf.get_variable('parts', contents.WHOLE.shape, initializer=part,
                    partitioner=tf.fixed_size_partitioner(2))


def over_devices():
    for i, value in enumerate(contents.TENSORS.values()):
        with tf.device('/device:CPU:0' if i % 2 else None):
            variables({'x%d' % i: value})


def objects(folder):
    """An object-based checkpoint, and the state file that names it."""
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(contents.MODEL['v'], name='v')
        w = tf.Variable(contents.MODEL['w'], name='w')
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdamOptimizer(0.1)
        train = optimizer.minimize(tf.reduce_sum(v * w), global_step=step)
        checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer, step=step)
        checkpoint.inner = [w, {'again': v}]
        session.run(tf.global_variables_initializer())
        session.run(train)
        checkpoint.save(os.path.join(folder, 'objects'), session=session)


def records(folder):
    for name, compression in contents.COMPRESSIONS.items():
        options = tf.python_io.TFRecordOptions(compression)
        with tf.python_io.TFRecordWriter(os.path.join(folder, name), options) as writer:
            for record in contents.RECORDS:
                writer.write(record)
    with open(os.path.join(folder, 'example.bin'), 'wb') as file:
        file.write(contents.features(tf)[0].SerializeToString())


def main(folder):
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    save(folder, 'tensors', lambda: variables(contents.TENSORS))
    save(folder, 'many', lambda: variables(contents.MANY))
    save(folder, 'parts', parts)
    save(folder, 'old_parts', parts, write_meta_graph=True, sharded=True,
         write_version=saver_pb2.SaverDef.V1)
    save(folder, 'sharded', over_devices, sharded=True)
    # The first format knows fewer dtypes; its strings and numbers are enough.
    old = {name: value for name, value in contents.TENSORS.items() if name[0] in 'acd'}
    save(folder, 'old', lambda: variables(old), write_version=saver_pb2.SaverDef.V1)
    objects(folder)
    records(folder)


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else HERE)
