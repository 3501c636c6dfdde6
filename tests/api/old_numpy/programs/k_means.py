import numpy as np
import tensorflow as tf

np.random.seed(3)
points = np.vstack(np.random.randn(4, 2) + c for c in ([0, 0], [5, 5])).astype(np.float32)
centers = tf.Variable(points[[0, 7]])
distances = tf.reduce_sum(tf.square(tf.expand_dims(points, 1) - centers), 2)
nearest = tf.argmin(distances, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        a = sess.run(nearest)
        sess.run(centers.assign(np.array([points[a == k].mean(0) for k in range(2)])))
    print(a, np.round_(sess.run(centers), 3).tolist())
