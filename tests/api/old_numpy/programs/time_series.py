import numpy as np
import tensorflow as tf

series = np.sin(np.arange(20, dtype=np.float) / 3).astype(np.float32)
windows = np.stack(series[i:i + 4] for i in range(16))
x = tf.placeholder(tf.float32, [None, 4])
with tf.Session() as sess:
    means = sess.run(tf.reduce_mean(x, 1), {x: windows})
error = 0
for w, m in zip(windows, means):
    error += (w[-1] - m) ** 2
rmse = (error / len(means)) ** 0.5
print(type(error).__name__, '%.9f' % rmse, rmse < np.float32(0.7))
print(np.arange(np.array([3])), np.maximum(np.float32(0.1), 0.1) == 0.1)
