# %% [markdown]
# # 15. Keras: two inputs, two outputs
#
# *You need lesson 14. It takes 20 minutes. Afterwards you can connect layers to models with
# several inputs and outputs.*
#
# A `Sequential` model is a list: each layer has one input and one output. Many questions do not fit
# into a list. Here is one: show a network *two* digits and ask it *two* things, what they add up to
# and which of them is larger. The labels of single digits are never given.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf

keras = tf.keras
layers = keras.layers
(images, labels), (test_images, test_labels) = keras.datasets.digits.load_data()
images, test_images = images.astype('float32') / 16, test_images.astype('float32') / 16


def pairs(images, labels, count, seed):
    """`count` pairs of images [count, 8, 8], their sums and whether the first is larger."""
    first, second = np.random.RandomState(seed).randint(len(images), size=(2, count))
    a, b = labels[first], labels[second]
    return [images[first], images[second]], (a + b).astype('float32'), (a > b).astype('float32')


pictures, sums, larger = pairs(images, labels, 6000, seed=0)
print(len(sums), 'pairs; the first one adds up to', int(sums[0]))

# %% [markdown]
# ## Layers are functions
#
# In the *functional* style a layer is called on a tensor and gives a tensor, like a function. An
# `Input` is where data comes in, the `placeholder` of Keras. The two digits go through the *same*
# `reader`: a model called twice has one set of weights. That is as it should be, because a 7 looks
# the same on the left as on the right.

# %%
tf.set_random_seed(1)
np.random.seed(1)           # fit shuffles with NumPy
image = keras.Input([8, 8], name='image')
hidden = layers.Flatten()(image)
hidden = layers.Dense(64, activation='relu')(hidden)
features = layers.Dense(32, activation='relu')(hidden)
reader = keras.Model(image, features, name='reader')

left = keras.Input([8, 8], name='left')
right = keras.Input([8, 8], name='right')
both = layers.concatenate([reader(left), reader(right)], name='both')
thought = layers.Dense(64, activation='relu', name='thought')(both)
total = layers.Dense(1, name='total')(thought)
first_larger = layers.Dense(1, activation='sigmoid', name='first_larger')(thought)

model = keras.Model([left, right], [total, first_larger], name='two_digits')
model.summary()
keras.utils.plot_model(model, output('15_functional.png'), show_shapes=True)
keras.utils.plot_model(reader, output('15_reader.png'), show_shapes=True)
show_picture('\nPicture of the layers:', output('15_functional.png'))
show_picture('and of the reader:    ', output('15_reader.png'))

# %% [markdown]
# The arrows meet in `both` and part again behind `thought`. The reader's weights appear once in the
# summary, although two arrows lead into it.
#
# ## Two outputs, two losses
#
# `total` is a number, so its loss is the squared error. `first_larger` is a yes or no, so its loss
# is the crossentropy. Training needs *one* number to make small: the sum of both, each times its
# weight. Squared errors of sums up to 18 are large, so without `loss_weights` the network would
# care about little else.

# %%
model.compile(keras.optimizers.Adam(0.003),
              loss={'total': 'mse', 'first_larger': 'binary_crossentropy'},
              loss_weights={'total': 0.1, 'first_larger': 1.0},
              metrics={'total': 'mae', 'first_larger': 'accuracy'})
history = model.fit({'left': pictures[0], 'right': pictures[1]},
                    {'total': sums, 'first_larger': larger},
                    batch_size=100, epochs=15, verbose=0).history

print('\nepoch     loss  total_loss  first_larger_loss')
for epoch in [0, 4, 9, 14]:
    print('{:5} {:8.3f} {:11.3f} {:18.3f}'.format(
        epoch + 1, *(history[k][epoch] for k in ['loss', 'total_loss', 'first_larger_loss'])))

# %% [markdown]
# In each line `loss` is 0.1 times the second number plus the third.
#
# ## Does it work?
#
# `evaluate` gives one list for everything; `metrics_names` says what is what. `predict` gives one
# array for each output, in the order in which the model was made.

# %%
test_pictures, test_sums, test_larger = pairs(test_images, test_labels, 1000, seed=1)
scores = model.evaluate(test_pictures, [test_sums, test_larger], verbose=0)
print()
for name, score in zip(model.metrics_names, scores):
    print(f'{name:25} {score:.3f}')

predicted_sums, predicted_larger = model.predict(test_pictures)
print('\nsum  predicted   first is larger  predicted')
for i in range(5):
    print(f'{test_sums[i]:3.0f} {predicted_sums[i, 0]:10.1f}   {bool(test_larger[i])!s:15}  '
          f'{predicted_larger[i, 0]:.1%}')

# %% [markdown]
# Every prediction is a column, [1000, 1]: one row for each pair, one unit.
#
# ## What the reader has learnt
#
# The reader is a model too. It never saw the name of a digit, but adding digits up requires knowing
# them. Give its 32 features to one more layer, and that layer needs hardly any training:

# %%
reader.trainable = False
names = keras.Sequential([reader, layers.Dense(10, activation='softmax')])
names.compile('adam', 'sparse_categorical_crossentropy', metrics=['accuracy'])
names.fit(images, labels, epochs=20, batch_size=20, verbose=0)
_, named = names.evaluate(test_images, test_labels, verbose=0)
print(f'\nnamed right after all: {named:.1%} of the test digits')

# %% [markdown]
# **What to remember.** `Input` makes a tensor, layers are called on tensors, `Model(inputs,
# outputs)` is everything between. A layer or model called twice shares its weights. Several outputs
# have several losses, and `loss_weights` says how much each one counts.
#
# **Try it.** Leave `loss_weights` away: which output gets worse? Give the two digits a reader each.
# Add a third output: are the two digits equal?

# %%
# The lesson checks itself: what the text says is so.
values = dict(zip(model.metrics_names, scores))
assert np.isclose(history['loss'][-1], 0.1 * history['total_loss'][-1]
                  + history['first_larger_loss'][-1], atol=1e-4)
assert values['total_mean_absolute_error'] < 1.5 and values['first_larger_acc'] > 0.85
assert named > 0.85
assert predicted_sums.shape == predicted_larger.shape == (1000, 1)

# %% [markdown]
# Next lesson: [16. Keras callbacks: watching and steering the training](16_keras_callbacks.py).
