import numpy as np
import tensorflow as tf

left = np.array([1.0, np.array([2.0]), 3.0], dtype=np.float32)
a, b = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
d = tf.sqrt(tf.reduce_sum(tf.square(a - b), keepdims=True))
with tf.Session() as sess:
    distance = sess.run(d, {a: left, b: left[::-1]})
print(distance.shape, '%.4f' % distance, float(distance) > 1)
print(np.unique([[3, 1], [1, 2]], return_inverse=True)[1].tolist())
print(np.delete(np.arange(4), [0., 2.]).tolist(), np.array([1, 5, 2]).ptp())
