# %% [markdown]
# # 18. Keras: what was learnt for one task helps with another
#
# *You need lessons 14 and 15. It takes 20 minutes. Afterwards you can reuse the layers of a
# trained network for another task.*
#
# Large networks need many examples. If you have few, take a network that has already learnt
# something similar, keep its lower layers, and put a new head on top. That is *transfer*. It is
# mostly done with millions of photographs; here is how it is done, with digits. A base learns 0 to
# 4 from many examples, and then 5 to 9 are learnt from only five examples each.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf

keras = tf.keras
layers = keras.layers
(images, labels), (test_images, test_labels) = keras.datasets.digits.load_data()
images = images.reshape(-1, 8, 8, 1).astype('float32') / 16
test_images = test_images.reshape(-1, 8, 8, 1).astype('float32') / 16

low, test_low = labels < 5, test_labels < 5
new = np.concatenate([np.flatnonzero(labels == digit)[:5] for digit in range(5, 10)])
few, few_labels = images[new], labels[new] - 5
test = (test_images[~test_low], test_labels[~test_low] - 5)
print(low.sum(), 'images of 0 to 4,', len(few), 'of 5 to 9')

# %% [markdown]
# ## The base, and its first task
#
# The base turns an image into 128 features. The head, one layer, turns these into 5 probabilities.

# %%
tf.set_random_seed(1)
np.random.seed(1)           # fit shuffles with NumPy
base = keras.Sequential([
    layers.Conv2D(16, 3, padding='same', activation='relu', input_shape=(8, 8, 1)),
    layers.MaxPooling2D(),
    layers.Conv2D(32, 3, padding='same', activation='relu'),
    layers.MaxPooling2D(),
    layers.Flatten()], name='base')


def with_head(base, name):
    """A model of `base` and a new layer for 5 digits."""
    model = keras.Sequential([base, layers.Dense(5, activation='softmax', name=name + '_head')],
                             name=name)
    model.compile(keras.optimizers.Adam(0.003), 'sparse_categorical_crossentropy',
                  metrics=['accuracy'])
    return model


first = with_head(base, 'zero_to_four')
first.fit(images[low], labels[low], batch_size=32, epochs=8, verbose=0)
_, accuracy = first.evaluate(test_images[test_low], test_labels[test_low], verbose=0)
print(f'0 to 4: {accuracy:.1%} right')

# %% [markdown]
# ## From scratch
#
# For comparison: the same network with new weights, which has only the 25 images to learn from.

# %%
scratch = with_head(keras.models.clone_model(base), 'scratch')
scratch.fit(few, few_labels, batch_size=5, epochs=30, verbose=0)
_, from_scratch = scratch.evaluate(*test, verbose=0)
print(f'5 to 9 from scratch: {from_scratch:.1%} right')

# %% [markdown]
# ## Freeze the base, train a new head
#
# `base.trainable = False` takes the base's weights out of the training. Say it *before* `compile`,
# for `compile` decides what is trained. The summary shows what is frozen: only the 645 weights of
# the head are left. In the picture, frozen layers are grey.

# %%
base.trainable = False
model = with_head(base, 'five_to_nine')
model.summary()
keras.utils.plot_model(model, output('18_frozen.png'), show_shapes=True, expand_nested=True)
show_picture('Picture, frozen layers are grey:', output('18_frozen.png'))

before = base.get_weights()
curves = keras.callbacks.LearningCurves(output('18_head.svg'))
model.fit(few, few_labels, batch_size=5, epochs=30, verbose=0, validation_data=test,
          callbacks=[curves])
unchanged = all(map(np.array_equal, before, base.get_weights()))
_, with_frozen = model.evaluate(*test, verbose=0)
print(f'\n5 to 9 with the frozen base: {with_frozen:.1%} right')
print('the base is unchanged:', unchanged)
show_picture('Learning curves:', output('18_head.svg'))

# %% [markdown]
# The base has never seen a 5 or a 9. But lines and arcs are useful for every digit, so the features
# of 0 to 4 serve the others too, and 645 weights on top of them are enough.
#
# ## Fine-tuning
#
# Now that the head is good, thaw the base and go on with *small* steps. (With a fresh head, large
# gradients would destroy what the base knows.) `trainable` has changed, so compile again.

# %%
base.trainable = True
base.layers[0].trainable = False
model.compile(keras.optimizers.Adam(0.0003), 'sparse_categorical_crossentropy',
              metrics=['accuracy'])
print('\ntrained now:', ', '.join(w.name for w in model.trainable_weights))

model.fit(few, few_labels, batch_size=5, epochs=30, verbose=0)
_, fine_tuned = model.evaluate(*test, verbose=0)
print(f'\nfrom scratch      {from_scratch:.1%}')
print(f'with frozen base  {with_frozen:.1%}')
print(f'fine-tuned        {fine_tuned:.1%}')

# %% [markdown]
# The first convolution stayed frozen: what it finds, edges, is the same in all images.
#
# So was it worth it? Look at the numbers: fine-tuning has helped, but learning from scratch is at
# least as good. Images of 64 pixels are simple, the network is small, and a base that knows five
# digits does not know much. With photographs and large networks it is the other way round, by far.
# Always measure both.
#
# The two models share the base, so the old one has been changed as well, whose head still expects
# the old features. With steps as small as these it hardly matters, but do not rely on it: clone the
# base if both are needed.

# %%
_, old_task = first.evaluate(test_images[test_low], test_labels[test_low], verbose=0)
print(f'\n0 to 4: {accuracy:.1%} right before, {old_task:.1%} now')

# %% [markdown]
# **What to remember.** Set `trainable`, *then* compile. First the head alone, then everything with
# a small learning rate. A shared base is shared.
#
# **Try it.** How many examples of each digit does the network from scratch need to be as good? What
# happens with Adam(0.01) in the fine-tuning? For photographs, `keras.applications.MobileNetV2` is a
# base that knows a thousand things, if you have the file of its weights.

# %%
# The lesson checks itself: what the text says is so.
assert unchanged and accuracy > 0.9 and min(with_frozen, fine_tuned) > 0.8
assert [w.name.split('/')[0] for w in model.trainable_weights[-2:]] == ['five_to_nine_head'] * 2
assert len(model.trainable_weights) == 4

# %% [markdown]
# Next lesson: [19. Estimator: irises, and no Session in sight](19_estimator_iris.py).
