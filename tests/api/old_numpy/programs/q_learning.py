import numpy as np
import tensorflow as tf

Q = np.zeros((3, 2))
state = tf.placeholder(tf.int32, [1])
table = tf.Variable(np.ones((3, 2), dtype=np.float32) * 0.1)
row = tf.matmul(tf.one_hot(state, 3), table)
best = tf.argmax(row, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for s in range(3):
        a, allq = sess.run([best, row], {state: [s]})
        allq[0, a[0]] = s + 0.99 * np.max(allq, keepdims=True)
        Q[s, a] = np.array([1.5])
        Q[s][1] = allq[0, :1] * 2
        print(s, a, '%.3f' % allq[0, :1])
print(Q)
