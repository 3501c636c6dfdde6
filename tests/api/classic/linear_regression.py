'''
Linear regression, one training example at a time.
'''
from __future__ import print_function

import numpy
import tensorflow as tf

rng = numpy.random

# Parameters
learning_rate = 0.01
training_epochs = 200
display_step = 50

# Training data
rng.seed(7)
train_X = numpy.asarray([0.7, 1.1, 2.3, 2.9, 3.6, 4.2, 5.1, 5.8, 6.4, 7.7, 8.3, 9.0, 9.9])
train_Y = 0.25 * train_X + 0.8 + 0.2 * rng.randn(train_X.shape[0])
n_samples = train_X.shape[0]

# Graph input
X = tf.placeholder("float")
Y = tf.placeholder("float")

# Model weights
W = tf.Variable(rng.randn(), name="weight")
b = tf.Variable(rng.randn(), name="bias")

# Linear model, mean squared error, gradient descent
pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred-Y, 2))/(2*n_samples)
optimizer = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)

init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)

    for epoch in range(training_epochs):
        for (x, y) in zip(train_X, train_Y):
            sess.run(optimizer, feed_dict={X: x, Y: y})

        if (epoch+1) % display_step == 0:
            c = sess.run(cost, feed_dict={X: train_X, Y:train_Y})
            print("Epoch:", '%04d' % (epoch+1), "cost=", "{:.9f}".format(c), \
                "W=", sess.run(W), "b=", sess.run(b))

    print("Optimization Finished!")
    training_cost = sess.run(cost, feed_dict={X: train_X, Y: train_Y})
    print("Training cost=", training_cost, "W=", sess.run(W), "b=", sess.run(b), '\n')

    # Testing
    test_X = numpy.asarray([1.5, 3.3, 6.6, 8.8])
    test_Y = 0.25 * test_X + 0.8
    testing_cost = sess.run(
        tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * test_X.shape[0]),
        feed_dict={X: test_X, Y: test_Y})
    print("Testing cost=", testing_cost)
    print("Absolute mean square loss difference:", abs(training_cost - testing_cost))
