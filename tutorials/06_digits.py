# %% [markdown]
# # 6. Reading digits: softmax regression, then a network
#
# *You need lesson 5. It takes 25 minutes. Afterwards you can train a network that reads digits, in
# batches, and measure how good it is.*
#
# The next example of every course: pictures of handwritten digits go in, and out comes which digit
# it is. First with the simplest model that can do it, then with a network of two layers.

# %%
import numpy as np
from helpers import output, show_curve, show_picture

import tinyflow as tf
from tinyflow.api.examples.tutorials.mnist import input_data

# %% [markdown]
# ## Data
#
# MNIST is the famous collection of 70,000 digits. If its four files are in the folder `MNIST_data`,
# they are read. If not, nothing is downloaded: 1797 real digits that come with tinyflow take their
# place, and a notice says so. They were written by 13 people.
#
# Each picture has 28 x 28 = 784 pixels, from 0 (paper) to 1 (ink). The model sees them as a row of
# 784 numbers. `one_hot` means that the label 3 is written as ten numbers, a 1 at place 3 (counted
# from 0) and 0 elsewhere: `[0 0 0 1 0 0 0 0 0 0]`.

# %%
digits = input_data.read_data_sets('MNIST_data', one_hot=True, seed=0)

print('for learning:', digits.train.images.shape, ' for the test:', digits.test.images.shape)
print('the first test digit is a', digits.test.labels[0].argmax(), 'and looks like this:\n')
for row in digits.test.images[0].reshape(28, 28)[::2]:      # every other row: letters are tall
    print('   ', ''.join(' .:oO@'[int(5 * ink)] for ink in row))

# %% [markdown]
# The test digits are kept apart. The model never learns from them, so they tell how well it reads
# digits that it has not seen.
#
# ## The simplest model: softmax regression
#
# For each of the ten digits there is one weight per pixel: positive where ink speaks for this
# digit, negative where it speaks against it. Multiply and add up, and you have ten numbers, called
# **logits**. The largest one is the answer. That is one matrix product and one addition.

# %%
x = tf.placeholder(tf.float32, [None, 784], name='x')
labels = tf.placeholder(tf.float32, [None, 10], name='labels')

with tf.name_scope('softmax_regression'):
    weights = tf.Variable(tf.zeros([784, 10]), name='weights')
    biases = tf.Variable(tf.zeros([10]), name='biases')
    logits = tf.matmul(x, weights) + biases

# %% [markdown]
# **Softmax** turns logits into probabilities: positive numbers that add up to 1. The loss is the
# **cross entropy**: minus the logarithm of the probability that the model gave to the right digit.
# Was it sure and right, that is almost 0. Was it sure and wrong, that is large. Before it has
# learned anything, each digit gets 1/10, so the loss starts at -log(1/10) = 2.3026.


# %%
def loss_and_accuracy(logits):
    """The mean cross entropy, and the share of pictures whose largest logit is the label's."""
    loss = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits), name='loss')
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    return loss, tf.reduce_mean(tf.cast(right, tf.float32), name='accuracy')


def learn(train, loss, accuracy, steps):
    """Trains on small random portions (batches).

    Returns the losses, and the accuracy on the digits learned from and on the test digits.
    """
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            batch_x, batch_labels = digits.train.next_batch(50)
            _, value = session.run([train, loss], {x: batch_x, labels: batch_labels})
            losses.append(value)
        return losses, [session.run(accuracy, {x: part.images, labels: part.labels})
                        for part in (digits.train, digits.test)]


# %%
loss, accuracy = loss_and_accuracy(logits)
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)

losses, (simple_known, simple_test) = learn(train, loss, accuracy, steps=300)

print(f'\nsoftmax regression: the loss went from {losses[0]:.4f} to {np.mean(losses[-20:]):.4f};')
print(f'it reads {simple_known:.1%} of the digits that it learned from, {simple_test:.1%} of the '
      'test digits\n')
show_curve(losses)

tf.viz.draw(loss, output('06_softmax.svg'))
show_picture('\nPicture:', output('06_softmax.svg'))

# %% [markdown]
# About nine in ten test digits, from one matrix. The curve trembles because every batch has other
# digits.
#
# ## A network
#
# Softmax regression can only weigh single pixels. A **multilayer perceptron** (MLP) puts a layer in
# between: 64 numbers, each computed like a logit, then cut off below 0 (that is **ReLU**; without
# it two layers would be no more than one). The second layer works on these numbers instead of
# pixels. Their meaning is not specified; the network learns it by itself.
#
# The first weights are small random numbers, from a `truncated_normal`: a bell curve without its
# outermost ends.

# %%
tf.set_random_seed(42)


def layer(inputs, size, name):
    """inputs · weights + biases, for `size` outputs."""
    width = int(inputs.shape[1])
    with tf.name_scope(name):
        start = tf.truncated_normal([width, size], stddev=width ** -0.5)
        weights = tf.Variable(start, name='weights')
        biases = tf.Variable(tf.zeros([size]), name='biases')
        return tf.matmul(inputs, weights) + biases


with tf.name_scope('network'):
    hidden = tf.nn.relu(layer(x, 64, 'hidden'))
    network_logits = layer(hidden, 10, 'output')
    network_loss, network_accuracy = loss_and_accuracy(network_logits)

network_train = tf.train.GradientDescentOptimizer(0.2).minimize(network_loss)

losses, (mlp_known, mlp_test) = learn(network_train, network_loss, network_accuracy, steps=500)

print(f'\nnetwork: the loss went from {losses[0]:.4f} to {np.mean(losses[-20:]):.4f};')
print(f'it reads {mlp_known:.1%} of the digits that it learned from, {mlp_test:.1%} of the '
      'test digits\n')
show_curve(losses)

tf.viz.draw(network_loss, output('06_network.svg'))
show_picture('\nPicture:', output('06_network.svg'))

# %% [markdown]
# Now look at both percentages. The network knows nearly every digit that it has learned from, but
# of the test digits it reads only a few more than the simple model did. That gap is called
# **overfitting**: a model with many weights learns a small collection by heart, with its chance
# peculiarities. The best remedy is more data, such as the 55,000 training digits of MNIST.
#
# This is why the test digits were kept apart. Without them we would believe the first percentage.
#
# **What to remember.** Logits, softmax, cross entropy, batches, and digits kept apart for the test:
# with these five things you can read most programs that classify something.
#
# **Try it.** Change 64 to 8, and to 1000. Leave `tf.nn.relu` out. Put
# `tf.train.AdamOptimizer(0.002)` in place of gradient descent; it adapts the length of its step for
# every single weight.

# %%
# The lesson checks itself: what the text says is so.
assert simple_test > 0.86
assert mlp_test > 0.88 and mlp_known > 0.98

# %% [markdown]
# Next lesson: [7. What happens inside Session.run](07_inside_session_run.py).
