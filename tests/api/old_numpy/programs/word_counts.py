import collections
import numpy as np
import tensorflow as tf

words = 'the cat sat on the mat the end'.split()
count = [['UNK', -1]]
count.extend(collections.Counter(words).most_common(3))
table = np.array(count)
print(table[0], table[:, 0].tolist(), table[1] == 'the')
ids = np.ndarray(shape=(4), dtype=np.int32)
for i in range(4):
    ids[i] = len(words[i])
vectors = tf.constant(np.eye(6), tf.float32)
with tf.Session() as sess:
    found = sess.run(tf.nn.embedding_lookup(vectors, ids))
print(found.argmax(1), ids == None, ids == 'x', (ids == np.zeros(3)) is False)
loss = np.float32(2.5)
average = 0
for step in range(1, 4):
    average += loss
    average /= step
print(average, type(average).__name__)
