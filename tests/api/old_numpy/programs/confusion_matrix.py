import numpy as np
import tensorflow as tf

labels = np.array([0, 1, 2, 2, 1, 0], dtype=np.int)
logits = np.eye(3, dtype=np.float32)[[0, 1, 1, 2, 1, 2]]
hits = tf.equal(tf.argmax(tf.constant(logits), 1), labels)
with tf.Session() as sess:
    right = sess.run(hits).astype(np.bool)
print(np.sometrue(right), np.alltrue(right), np.product(right.shape), right.dtype)
matrix = np.zeros((3, 3), dtype=np.int)
for t, p in zip(labels, logits.argmax(1)):
    matrix[t, p] += 1
print(matrix)
print('accuracy %.3f' % np.asscalar(np.mean(right, keepdims=True)))
