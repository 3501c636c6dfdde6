# %% [markdown]
# # 22. From Keras to an Estimator, and back
#
# *You need lessons 14 and 19. It takes 20 minutes. Afterwards you can turn a Keras model into an
# Estimator and use it in a server's format.*
#
# A Keras model is pleasant to build: layers, `compile`, `fit`. An Estimator is pleasant to run: it
# saves by itself, goes on after an interruption, evaluates while training, exports for serving. One
# function turns the first into the second, weights and optimizer included.

# %%
import os
import tempfile

import numpy as np
from helpers import output, show_picture

import tinyflow as tf

keras = tf.keras
folder = tempfile.TemporaryDirectory()
(images, labels), (test_images, test_labels) = keras.datasets.digits.load_data()
images, test_images = (part.astype('float32') / 16 for part in (images, test_images))

# %% [markdown]
# ## A Keras model, trained a little

# %%
tf.set_random_seed(4)
np.random.seed(4)                   # fit mixes the digits with NumPy's random numbers
model = keras.Sequential([
    keras.layers.Flatten(input_shape=(8, 8), name='pixels'),
    keras.layers.Dense(32, activation='relu', name='hidden'),
    keras.layers.Dense(10, activation='softmax', name='digit')])
model.compile(keras.optimizers.Adam(0.005), 'sparse_categorical_crossentropy', ['accuracy'])
model.fit(images, labels, batch_size=50, epochs=3, verbose=0)

loss, accuracy = model.evaluate(test_images, test_labels, verbose=0)
print(f'Keras, 3 epochs:   loss {loss:.4f}, accuracy {accuracy:.1%}')
print('inputs:', model.input_names, ' outputs:', model.output_names)

# %% [markdown]
# ## The same as an Estimator
#
# The features of the input function are a dict by the model's input names, printed above. `fit` has
# shown the digits to the model; an Estimator asks a Dataset for them.

# %%
model_dir = os.path.join(folder.name, 'digits')
estimator = keras.estimator.model_to_estimator(
    model, model_dir=model_dir, config=tf.estimator.RunConfig(tf_random_seed=4))
[name] = model.input_names


def training_input():
    """Mixed batches, again and again."""
    rows = tf.data.Dataset.from_tensor_slices(({name: images}, labels))
    return rows.shuffle(1500, seed=2).repeat().batch(50)


def test_input():
    """All test digits in one batch."""
    return tf.data.Dataset.from_tensor_slices(({name: test_images}, test_labels)).batch(360)


found = estimator.evaluate(test_input)
print(f'\nas an Estimator:   loss {found["loss"]:.4f}, accuracy {found["acc"]:.1%}, '
      f'step {found["global_step"]}')

# %% [markdown]
# The same numbers, before the Estimator has trained at all: it began with the weights of the model.
# The step shows that it includes the 87 steps of `fit`: Adam's memory of earlier gradients has
# come along, so that training goes on as if nothing had happened.

# %%
estimator.train(training_input, steps=300)
better = estimator.evaluate(test_input)
print(f'300 steps more:    loss {better["loss"]:.4f}, accuracy {better["acc"]:.1%}, '
      f'step {better["global_step"]}')

unchanged, _ = model.evaluate(test_images, test_labels, verbose=0)
print(f'the Keras model:   loss {unchanged:.4f}')

# %% [markdown]
# The Keras model has *not* changed. The Estimator has built a copy of it in a separate graph, and
# what it learned is in its model_dir.
#
# ## Back to Keras
#
# A checkpoint is a table of arrays by name, and the layers' names are in it. So one way back is to
# read them and set them:

# %%
print('\nin the checkpoint:')
for variable in estimator.get_variable_names():
    print(f'  {variable:34} {estimator.get_variable_value(variable).shape}')

wanted = [weight.op.name for weight in model.weights]
model.set_weights([estimator.get_variable_value(variable) for variable in wanted])
loss_back, accuracy_back = model.evaluate(test_images, test_labels, verbose=0)
print(f'\nback in Keras:     loss {loss_back:.4f}, accuracy {accuracy_back:.1%}')

# %% [markdown]
# This takes equal names. With `checkpoint_format='checkpoint'` the Estimator writes its checkpoints
# by *objects* instead: which layer of which model. `load_weights` reads them into any model of the
# same build, whatever its Variables are called.

# %%
by_object = keras.estimator.model_to_estimator(
    model, model_dir=os.path.join(folder.name, 'by_object'), checkpoint_format='checkpoint',
    config=tf.estimator.RunConfig(tf_random_seed=4))
by_object.train(training_input, steps=100)

twin = keras.models.clone_model(model)
twin.compile('sgd', 'sparse_categorical_crossentropy', ['accuracy'])
print('\nanother model, with other names:', twin.weights[0].op.name)
twin.load_weights(by_object.latest_checkpoint())
twin_loss, _ = twin.evaluate(test_images, test_labels, verbose=0)
by_object_loss = by_object.evaluate(test_input)['loss']
print(f'its loss {twin_loss:.4f}, that of the Estimator {by_object_loss:.4f}')

# %% [markdown]
# ## Two pictures
#
# Keras thinks in layers, the Estimator runs ops. The layers' names are the name scopes of the ops.

# %%
keras.utils.plot_model(model, output('22_layers.png'), show_shapes=True)
tf.viz.draw(estimator, output('22_estimator.svg'))
show_picture('\nThe layers:                  ', output('22_layers.png'))
show_picture('the graph that was trained:  ', output('22_estimator.svg'))

# %% [markdown]
# ## Export
#
# `export_saved_model` writes what a server needs. The input function of the training says what
# features there are (only in tinyflow; TensorFlow needs a `serving_input_receiver_fn`).

# %%
export_dir = estimator.export_saved_model(os.path.join(folder.name, 'export'),
                                          input_fn=training_input)
with tf.saved_model.load(export_dir) as served:
    print()
    print(served)
    answer = served.signatures['serving_default'](**{name: test_images[:8]})
[probabilities] = answer.values()
print('\nread:', probabilities.argmax(axis=1), '  written:', test_labels[:8])

# %% [markdown]
# **What to remember.** `model_to_estimator` copies a compiled model with weights and optimizer.
# From then on the checkpoints are the model; `set_weights` or `load_weights` brings them back to
# Keras.
#
# **Try it.** Give `model_to_estimator` a model that is not compiled. Train the Estimator and the
# Keras model 100 steps more on the same batches: are the weights still equal?

# %%
# The lesson checks itself: what the text says is so.
assert np.isclose(found['loss'], loss, rtol=1e-5) and np.isclose(found["acc"], accuracy)
assert unchanged == loss and better['loss'] < loss
assert np.isclose(loss_back, better['loss'], rtol=1e-5)
assert np.isclose(twin_loss, by_object_loss, rtol=1e-5)
assert (probabilities.argmax(axis=1) == test_labels[:8]).mean() > 0.8
estimator.close()
by_object.close()
folder.cleanup()

# %% [markdown]
# Next lesson: [23. One network, three levels](23_three_levels.py).
