import numpy as np
import tensorflow as tf

np.random.seed(1)
documents = [[1], [2, 3], [4, 5, 6], [7]]
shuffled = np.random.permutation(documents)
print(shuffled.tolist(), np.shape(documents), np.size(documents))
queue = np.array(documents)
np.random.shuffle(queue)
flat = np.hstack(d for d in queue)
with tf.Session() as sess:
    print(sess.run(tf.unique(flat)[0]))
