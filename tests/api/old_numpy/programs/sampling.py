import numpy as np
import tensorflow as tf

np.random.seed(11)
temperature = 0.7
logits = tf.constant([1.0, 2.0, 0.5])
with tf.Session() as sess:
    p = sess.run(tf.nn.softmax(logits))
p = np.log(p) / temperature
p = np.exp(p) / np.sum(np.exp(p))
print(p.dtype, np.random.choice(3, 5, p=p / np.float64(p.sum())).tolist())
print(np.random.random_integers(1, 6, 4).tolist(), np.random.randint(10, size=3).tolist())
entropy = -np.sum(v * np.log(v) for v in p)
print('%.5f' % entropy, sum(p) / 3 > 0.1, type(sum(p)).__name__)
