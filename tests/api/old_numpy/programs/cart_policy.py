import numpy as np
import tensorflow as tf

np.random.seed(0)
state = tf.placeholder(tf.float32, [1, 4])
w = tf.constant(np.random.randn(4, 1), dtype=tf.float32)
action = tf.sigmoid(tf.matmul(state, w))
rewards = np.zeros(3)
with tf.Session() as sess:
    for step in range(3):
        p = sess.run(action, {state: np.random.randn(1, 4)})
        rewards[step] = p[0]
        a = int(p[0] > 0.5)
        print(step, a, '%.4f' % p[0], 'total %f' % sum(rewards))
