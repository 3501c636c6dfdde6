import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
y = tf.reduce_sum(x ** 3)
dy = tf.gradients(y, x)[0]
at = np.array([1., 2., 3.], dtype=np.float32)
eps = np.float32(1e-2)
with tf.Session() as sess:
    analytic = sess.run(dy, {x: at})
    for i in range(3):
        step = np.zeros_like(at)
        step[i] += eps
        numeric = (sess.run(y, {x: at + step}) - sess.run(y, {x: at - step})) / (2 * eps)
        print(i, '%.2f %.2f' % (analytic[i], numeric), type(numeric / 2).__name__)
