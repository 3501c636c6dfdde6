# %% [markdown]
# # 14. The same digits in Keras
#
# *You need lesson 6. It takes 15 minutes. Afterwards you can build, train and evaluate a Keras
# model, and say which ops it consists of.*
#
# Tutorial 6 built a network from matrix products. **Keras** is the level above: it speaks of layers
# and hides the ops. Here is the same network twice, once on each level, with the same numbers.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf

keras = tf.keras
(images, labels), (test_images, test_labels) = keras.datasets.digits.load_data()
images, test_images = images.reshape(-1, 64) / 16, test_images.reshape(-1, 64) / 16
images, test_images = images.astype('float32'), test_images.astype('float32')
print(len(images), 'digits of 8 x 8 pixels to learn from,', len(test_images), 'for the test')

# %% [markdown]
# ## In Keras
#
# A `Sequential` model is a list of layers. `compile` says what it is to be trained for; `fit`
# trains.

# %%
tf.set_random_seed(1)
model = keras.Sequential([
    keras.layers.Dense(32, activation='relu', input_shape=(64,)),
    keras.layers.Dense(10, activation='softmax')])
model.compile(keras.optimizers.SGD(0.5), 'sparse_categorical_crossentropy', metrics=['accuracy'])
model.summary()

start = model.get_weights()
history = model.fit(images, labels, batch_size=100, epochs=10, shuffle=False, verbose=0)
keras_loss, keras_accuracy = model.evaluate(test_images, test_labels, verbose=0)
print(f'\nKeras: the loss went from {history.history["loss"][0]:.3f} to '
      f'{history.history["loss"][-1]:.3f}; {keras_accuracy:.1%} of the test digits are right')

# %% [markdown]
# ## What Keras did
#
# `tf.explain(model)` opens it: each layer is a handful of ops and two Variables in the graph that
# you know from the first tutorials, and `fit` is one `session.run` for each batch.

# %%
explanation = tf.explain(model)
print(explanation)
print()
print(explanation.layer('dense'))
print("\nthe op 'dense_1/MatMul' belongs to the layer", explanation.layer_of('dense_1/MatMul'))

# %% [markdown]
# ## The same by hand
#
# The same first weights, the same batches, the same learning rate. No Keras, so everything is said:
# placeholders, Variables, the loss, the optimizer, the Session and the loop.

# %%
with tf.Graph().as_default() as by_hand:
    x = tf.placeholder(tf.float32, [None, 64], name='x')
    y = tf.placeholder(tf.int64, [None], name='y')
    with tf.name_scope('hidden'):
        w1, b1 = tf.Variable(start[0], name='kernel'), tf.Variable(start[1], name='bias')
        hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
    with tf.name_scope('output'):
        w2, b2 = tf.Variable(start[2], name='kernel'), tf.Variable(start[3], name='bias')
        logits = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name='loss')
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(10):
            for i in range(0, len(images), 100):
                session.run(train, {x: images[i:i + 100], y: labels[i:i + 100]})
        test = {x: test_images, y: test_labels}
        hand_loss, hand_accuracy = session.run([loss, accuracy], test)

print(f'\nby hand: test loss {hand_loss:.5f}, {hand_accuracy:.1%} right')
print(f'Keras:   test loss {keras_loss:.5f}, {keras_accuracy:.1%} right')
print('the same numbers:', np.isclose(hand_loss, keras_loss, rtol=1e-3))

# %% [markdown]
# ## Two graphs, two levels
#
# Keras has its own graph, of layers. Below it is the graph of ops, which both ways share.

# %%
keras.utils.plot_model(model, output('14_layers.png'), show_shapes=True)
tf.viz.draw(model, output('14_ops_of_keras.svg'))
tf.viz.draw(logits, output('14_ops_by_hand.svg'))
show_picture('\nThe layers:       ', output('14_layers.png'))
show_picture('the ops below:    ', output('14_ops_of_keras.svg'))
show_picture('the ops by hand:  ', output('14_ops_by_hand.svg'))

# %% [markdown]
# **What to remember.** A layer is a few ops and its Variables; a model is a list of layers;
# `compile` adds the loss and the optimizer, and `fit` runs the loop that you wrote by hand. The
# graph and the Session are still there.
#
# **Try it.** Add a third layer in both ways. Which of the two is more work, and in which can you
# say where each number comes from? Leave `shuffle=False` away: why do the numbers differ now?

# %%
# The lesson checks itself: what the text says is so.
assert np.isclose(hand_loss, keras_loss, rtol=1e-3) and keras_accuracy > 0.9
assert explanation.layer_of('dense_1/MatMul') == 'dense_1'

# %% [markdown]
# Next lesson: [15. Keras: two inputs, two outputs](15_keras_functional.py).
