import math
import numpy as np
import tensorflow as tf

step = tf.placeholder(tf.float32, [1])
rate = 0.1 * tf.exp(-step / 10.0)
with tf.Session() as sess:
    for s in range(3):
        r = sess.run(rate, {step: [s]})
        print('%.5f' % r, '%.5f' % math.log(r), round(math.sqrt(r), 5), int(r * 1000))
perplexity = math.exp(np.array([[1.25]]))
print('perplexity %.4f' % perplexity)
