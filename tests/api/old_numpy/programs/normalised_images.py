import numpy as np
import tensorflow as tf

images = (np.arange(24).reshape(2, 2, 2, 3) % 7).astype(np.float32)
mean, std = images.astype(np.float64).mean(), images.astype(np.float64).std()
normal = (images - mean) / std
images[:, 0] -= np.float64(0.1)
images -= mean
images /= std
x = tf.placeholder(tf.float32, normal.shape)
with tf.Session() as sess:
    out = sess.run(tf.reduce_sum(x, [1, 2, 3]), {x: normal})
print(normal.dtype, '%.6f %.6f' % tuple(out), images.dtype, repr(float(images[0, 0, 0, 1])))
