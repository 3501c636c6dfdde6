import numpy as np
import tensorflow as tf

image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
feature = {'raw': tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tostring()])),
           'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))}
text = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
parsed = tf.parse_single_example(text, {'raw': tf.FixedLenFeature([], tf.string),
                                        'label': tf.FixedLenFeature([], tf.int64)})
with tf.Session() as sess:
    raw, label = sess.run([tf.decode_raw(parsed['raw'], tf.uint8), parsed['label']])
print(raw.reshape(2, 2, 3).tolist(), label)
brighter = image + 250
print(brighter.dtype, brighter.max(), (image - 1).min())
