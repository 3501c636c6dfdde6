import numpy as np
import tensorflow as tf

sentences = np.array([[1, 2, 3], [4, 5], [6], [7, 8, 9, 10]])
lengths = np.array([len(s) for s in sentences])
order = np.argsort(lengths)
print(sentences.dtype, sentences[order].tolist())
padded = np.zeros((len(sentences), lengths.max()), dtype=np.int)
for i, s in enumerate(sentences):
    padded[i, :len(s)] = s
ids = tf.placeholder(tf.int32, [None, None])
with tf.Session() as sess:
    print(sess.run(tf.sign(ids), {ids: padded}))
