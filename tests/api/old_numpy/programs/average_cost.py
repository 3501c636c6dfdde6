import numpy as np
import tensorflow as tf

rng = np.random
n_samples = 16
train_x = np.linspace(0, 1, n_samples).astype(np.float32)
train_y = (3 * train_x + 1).astype(np.float32)
X, Y = tf.placeholder("float"), tf.placeholder("float")
W, b = tf.Variable(0.5, name="weight"), tf.Variable(0.25, name="bias")
cost = tf.reduce_sum(tf.pow(X * W + b - Y, 2)) / (2 * n_samples)
train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(3):
        avg_cost = 0.
        for (x, y) in zip(train_x, train_y):
            _, c = sess.run([train, cost], feed_dict={X: x, Y: y})
            avg_cost += c / n_samples
        print("Epoch:", '%04d' % (epoch + 1), "cost=", "{:.9f}".format(avg_cost))
