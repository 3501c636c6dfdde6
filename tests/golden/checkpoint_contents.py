"""What is in the committed checkpoints and record files, for those who write and who read them.

Used under TensorFlow 1.15 (Python 3.7) and tinyflow alike.
"""
import numpy as np

TENSORS = {
    'a/float32': np.array([[1.5, -2.0, 0.0], [3.0, 1e-30, 7.0]], np.float32),
    'a/float64': np.array(np.pi),
    'b/float16': np.array([0.5, -1.0], np.float16),
    'b/complex64': np.array([1 + 2j], np.complex64),
    'c/int32': np.array([[-1], [2 ** 31 - 1]], np.int32),
    'c/int64': np.array(-2 ** 62),
    'c/uint8': np.array([0, 255], np.uint8),
    'd/bool': np.array([True, False, True]),
    'd/string': np.array([[b'one', b''], [b'\x00\xff', b'x' * 200]], object),
    'e/empty': np.zeros((0, 3), np.float32),
    'e/no_strings': np.zeros((0,), object),
}
# Of more than one block of the table, and of names that share their beginnings.
MANY = {'scope_%d/variable_number_%d' % (i % 7, i): np.array(i, np.float32) for i in range(300)}
WHOLE = np.arange(40, dtype=np.float32).reshape(10, 4)      # kept in two parts, under 'parts'
RECORDS = [b'first', b'', b'\x00' * 1000, bytes(range(256)) * 40, b'last']
COMPRESSIONS = {'records.tfrecord': '', 'records.tfrecord.gz': 'GZIP',
                'records.tfrecord.z': 'ZLIB'}
MODEL = {'v': np.array([1.0, 2.0], np.float32), 'w': np.array([3.0, 4.0], np.float32)}


def features(tf):
    """The Example of the file `example.bin`, and how it is parsed."""
    train = tf.train
    made = {
        'floats': train.Feature(float_list=train.FloatList(value=[0.5, -1.5])),
        'label': train.Feature(int64_list=train.Int64List(value=[-3])),
        'many': train.Feature(int64_list=train.Int64List(value=range(300))),
        'text': train.Feature(bytes_list=train.BytesList(value=[b'caf\xc3\xa9', b''])),
    }
    described = {'floats': tf.FixedLenFeature([2], tf.float32),
                 'label': tf.FixedLenFeature([], tf.int64),
                 'many': tf.FixedLenFeature([300], tf.int64),
                 'text': tf.VarLenFeature(tf.string)}
    return train.Example(features=train.Features(feature=made)), described
