# %% [markdown]
# # 17. A custom Keras layer, and what is below it
#
# *You need lessons 6 and 14. It takes 20 minutes. Afterwards you can write a layer of your own,
# with weights, and save a model that has it.*
#
# A layer is a small thing: some weights, and a function that uses them. This tutorial makes one
# that Keras does not have, trains it, saves it, and then opens it down to the ops.

# %%
import os
import tempfile

import numpy as np
from helpers import output, show_picture

import tinyflow as tf

keras = tf.keras
K = keras.backend
(flowers, kinds), (test_flowers, test_kinds) = keras.datasets.iris.load_data()
print(len(flowers), 'irises of 3 kinds, with 4 lengths in cm each')

# %% [markdown]
# ## The idea
#
# To tell what kind of flower this is, compare it to some typical ones, the *prototypes*. The layer
# has `units` prototypes, each a flower of four lengths, and says how near the input is to each: 1
# if it is the same, almost 0 if it is far away. Where the prototypes lie is learnt.
#
# ## The layer
#
# Four methods make a layer:
#
# - `__init__` keeps the settings.
# - `build` makes the weights. It is called once, when the shape of the input is known.
# - `call` is the function: from tensors to tensors.
# - `get_config` gives the settings back, for saving.

# %%
class Prototypes(keras.layers.Layer):
    """How near the input is to each of some learnt points: exp(-width * distance ** 2).

    Shapes: x [batch, in] -> [batch, units].
    """

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, input_shape):
        size = int(input_shape[-1])
        self.points = self.add_weight('points', shape=[self.units, size],
                                      initializer='random_normal')
        self.width = self.add_weight('width', shape=[self.units], initializer='ones',
                                     constraint=keras.constraints.NonNeg())
        super().build(input_shape)

    def call(self, x):
        differences = K.expand_dims(x, 1) - self.points         # [batch, units, in]
        return K.exp(-self.width * K.sum(K.square(differences), axis=-1))

    def get_config(self):
        return {**super().get_config(), 'units': self.units}


# %% [markdown]
# It is used like any other layer. Its weights are trained, and you do not have to derive anything:
# `call` is made of ops, and ops know their gradients.

# %%
tf.set_random_seed(2)
np.random.seed(2)           # fit shuffles with NumPy
model = keras.Sequential([
    Prototypes(6, input_shape=(4,), name='prototypes'),
    keras.layers.Dense(3, activation='softmax', name='kind')])
model.compile(keras.optimizers.Adam(0.02), 'sparse_categorical_crossentropy',
              metrics=['accuracy'])
model.summary()

# good prototypes to begin with are some real flowers
model.get_layer('prototypes').set_weights([flowers[:6], np.ones(6)])
model.fit(flowers, kinds, epochs=100, batch_size=20, verbose=0)
_, accuracy = model.evaluate(test_flowers, test_kinds, verbose=0)
print(f'\n{accuracy:.1%} of the test irises are right')

points, width = model.get_layer('prototypes').get_weights()
print('\nthe prototypes: sepal length and width, petal length and width, what it speaks for')
for point, row in zip(points, model.get_layer('kind').get_weights()[0]):
    print('  ', ' '.join(f'{length:5.1f}' for length in point), ' ',
          ['setosa', 'versicolor', 'virginica'][row.argmax()])

# %% [markdown]
# These weights can be *read*: each is a flower. Setosa has short petals, virginica long ones.
#
# ## Saving and loading
#
# The file has the settings and the weights, but not your Python class. So loading it needs to know
# what `Prototypes` means: `custom_objects` says it.

# %%
unknown = ''
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'irises.h5')
    model.save(path)
    try:
        keras.models.load_model(path)
    except ValueError as error:
        unknown = str(error).splitlines()[0]
    loaded = keras.models.load_model(path, custom_objects={'Prototypes': Prototypes})

same = np.allclose(model.predict(test_flowers), loaded.predict(test_flowers))
print('\nwithout custom_objects:', unknown)
print('with it, the same predictions:', same)

# %% [markdown]
# The constructor is called with what `get_config` gave. Forget a setting there, and loading ends
# with an error that names it.
#
# ## From the layer to the ops
#
# `tf.explain(model)` leads from each layer to its ops and Variables, and to the `session.run` that
# `fit` and `predict` call.

# %%
explanation = tf.explain(model)
print()
print(explanation.layer('prototypes'))
tf.viz.draw(model, output('17_ops.svg'))
show_picture('\nPicture of the ops:', output('17_ops.svg'))

# %% [markdown]
# Line by line that is `call`: ExpandDims, Sub, Square, Sum, Neg, Mul, Exp. `self.points` is an
# ordinary Variable. So everything that the first tutorials did with graphs can be done here: run
# it with a Session, fetch any tensor on the way, ask for gradients.

# %%
session = K.get_session()
layer = model.get_layer('prototypes')
flower = test_flowers[:1]
nearness = session.run(layer.output, {model.input: flower})
by_hand = np.exp(-width * np.square(flower[:, None] - points).sum(axis=-1))
print('\na flower:             ', flower[0])
print('session.run of a layer:', nearness[0].round(3))
print('with NumPy:            ', by_hand[0].round(3))

virginica = model.output[0, 2]
slope, = session.run(tf.gradients(virginica, model.input), {model.input: test_flowers[5:6]})
print('\nhow "virginica" changes with each of the 4 lengths:', slope[0].round(2))

# %% [markdown]
# ## A whole model as a class
#
# Sequential, functional, and a third style: a *subclassed* model. Its layers are attributes, and
# `call` is Python, so it may branch and repeat as it likes. The price: Keras knows its shapes only
# once it is called, and saves its weights, not its structure.

# %%
class Classifier(keras.Model):
    """Prototypes, and a shortcut past them."""

    def __init__(self):
        super().__init__(name='classifier')
        self.prototypes = Prototypes(6, name='prototypes')
        self.kind = keras.layers.Dense(3, activation='softmax', name='kind')

    def call(self, flowers):
        return self.kind(K.concatenate([flowers, self.prototypes(flowers)]))


classifier = Classifier()
classifier.compile(keras.optimizers.Adam(0.02), 'sparse_categorical_crossentropy', ['accuracy'])
classifier.fit(flowers, kinds, epochs=60, batch_size=20, verbose=0)
_, of_class = classifier.evaluate(test_flowers, test_kinds, verbose=0)
print(f'\nthe model that is a class: {of_class:.1%} of the test irises are right')

# %% [markdown]
# **What to remember.** `add_weight` in `build`, ops in `call`, every setting in `get_config`. To
# load: `custom_objects={'Name': Name}`. A layer is ops and Variables with a name, and
# `tf.explain(model)` shows which. Three styles of models: Sequential, functional, subclassed.
#
# **Try it.** Use the sum of absolute differences in place of the squares. Write `np.exp` in `call`
# and read the error. Make the width one number for all prototypes.

# %%
# The lesson checks itself: what the text says is so.
assert accuracy > 0.85 and of_class > 0.85 and same and 'Prototypes' in unknown
assert np.allclose(nearness, by_hand, atol=1e-5)
assert 'Exp' in str(explanation.layer('prototypes')) and (width >= 0).all()

# %% [markdown]
# Next lesson: [18. Keras: what was learnt for one task helps with another](18_keras_transfer.py).
