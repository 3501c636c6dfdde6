import numpy as np
import tensorflow as tf

loss = tf.placeholder(tf.float32, [1])
history = []
best = np.Inf
with tf.Session() as sess:
    for value in [0.9, 0.5, 0.7, 0.3]:
        now = float(sess.run(loss * 2.0, {loss: [value]}))
        if now < best:
            best = now
        history.append(now)
print(history == sorted(history), best, np.NaN != np.NaN)
print("best: %f after %d" % (best, len(history)))
