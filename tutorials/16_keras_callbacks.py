# %% [markdown]
# # 16. Keras callbacks: watching and steering the training
#
# *You need lesson 14. It takes 20 minutes. Afterwards you can stop, save and steer a training with
# callbacks.*
#
# `fit` is a loop, and you are not in it. But you can hand it *callbacks*: objects that `fit` calls
# before and after each epoch and batch. They look, write down, and step in. Here are the most used
# ones, and then one of our own.

# %%
import os
import tempfile

import numpy as np
from helpers import output, show_picture

import tinyflow as tf

keras = tf.keras
(images, labels), (test_images, test_labels) = keras.datasets.digits.load_data()
images, test_images = images.astype('float32') / 16, test_images.astype('float32') / 16

# %% [markdown]
# To see something go wrong, the network gets only 150 digits to learn from. It will soon know them
# by heart, which is called *overfitting*. The next 500 digits are for the validation: they are not
# learnt from, only looked at after each epoch.

# %%
few, few_labels = images[:150], labels[:150]
others = (images[150:650], labels[150:650])


def new_model():
    """A network that is far too large for 150 digits, always with the same first weights."""
    keras.backend.clear_session()
    tf.set_random_seed(3)
    model = keras.Sequential([
        keras.layers.Flatten(input_shape=(8, 8)),
        keras.layers.Dense(256, activation='relu'),
        keras.layers.Dense(256, activation='relu'),
        keras.layers.Dense(10, activation='softmax')])
    model.compile(keras.optimizers.Adam(0.003), 'sparse_categorical_crossentropy',
                  metrics=['accuracy'])
    return model


# %% [markdown]
# ## Watching: LearningCurves
#
# Every `fit` returns a `History`, itself a callback. `LearningCurves` draws the same numbers after
# each epoch, so the picture can be looked at while the training is going on. (In a notebook, leave
# the path away.)

# %%
model = new_model()
history = model.fit(few, few_labels, epochs=40, shuffle=False, verbose=0, validation_data=others,
                    callbacks=[keras.callbacks.LearningCurves(output('16_too_long.svg'))]).history
best = int(np.argmin(history['val_loss']))
print('epoch    loss  val_loss')
for epoch in [0, best, 39]:
    print(f'{epoch + 1:5} {history["loss"][epoch]:7.4f} {history["val_loss"][epoch]:9.4f}')
show_picture('Curves:', output('16_too_long.svg'))

# %% [markdown]
# The solid line is the loss on what is learnt, the dashed one on what is not. The solid one sinks
# to zero; the dashed one has its lowest point early on and then creeps up again. All those later
# epochs were for nothing.
#
# ## Steering: stop, keep, slow down
#
# - `EarlyStopping` ends the training once `val_loss` has not improved for `patience` epochs, and
#   puts the best weights back.
# - `ModelCheckpoint` saves the model after each epoch, here only if it is the best one so far.
# - `ReduceLROnPlateau` makes smaller steps where large ones help no longer.

# %%
folder = tempfile.TemporaryDirectory()
best_file = os.path.join(folder.name, 'best.h5')
stopping = keras.callbacks.EarlyStopping(monitor='val_loss', patience=8, verbose=1,
                                         restore_best_weights=True)
steering = [
    keras.callbacks.LearningCurves(output('16_stopped.svg')),
    keras.callbacks.ModelCheckpoint(best_file, monitor='val_loss', save_best_only=True),
    keras.callbacks.ReduceLROnPlateau(monitor='val_loss', factor=0.3, patience=3, verbose=1),
    stopping]

model = new_model()
print()
steered = model.fit(few, few_labels, epochs=40, shuffle=False, verbose=0, validation_data=others,
                    callbacks=steering).history
print('learning rates:', ' '.join(f'{rate:.5f}' for rate in sorted(set(steered['lr']))[::-1]))
show_picture('Curves:', output('16_stopped.svg'))

# %% [markdown]
# The best model is in the file, and `load_model` brings it back, with its optimizer. It is the
# model that `EarlyStopping` has put back:

# %%
loaded = keras.models.load_model(best_file)
same = np.array_equal(loaded.predict(test_images), model.predict(test_images))
_, accuracy = loaded.evaluate(test_images, test_labels, verbose=0)
folder.cleanup()
print(f'\nstopped after {len(steered["loss"])} of 40 epochs; the file is the best model: {same}')
print(f'{accuracy:.1%} of the test digits are right, learnt from 150')

# %% [markdown]
# ## A callback of our own
#
# A callback is a class with some of these methods: `on_train_begin`, `on_epoch_begin`,
# `on_batch_begin`, and the same with `end`. The model is in `self.model`, and `logs` has what has
# been measured. This one finds out which digit is recognized worst, and ends the training when even
# that one is good enough. (Now the network may learn from the rest of the digits, nearly 800.)

# %%
class HardestDigit(keras.callbacks.Callback):
    """After each epoch: which digit is recognized worst? Stops when even that is good enough."""

    def __init__(self, images, labels, enough):
        super().__init__()
        self.images, self.labels, self.enough = images, labels, enough
        self.found, self.batches = [], 0

    def on_batch_end(self, batch, logs=None):
        self.batches += 1

    def on_epoch_end(self, epoch, logs=None):
        assert logs                             # fit gives them; None is only a default
        right = self.model.predict(self.images).argmax(axis=1) == self.labels
        shares = [right[self.labels == digit].mean() for digit in range(10)]
        digit = int(np.argmin(shares))
        self.found.append((digit, shares[digit]))
        print(f'epoch {epoch + 1:2}: loss {logs["loss"]:.4f}, hardest is {digit}, '
              f'{shares[digit]:4.0%} right')
        if shares[digit] >= self.enough:
            self.model.stop_training = True


hardest = HardestDigit(*others, enough=0.9)
model = new_model()
print()
model.fit(images[650:], labels[650:], epochs=40, shuffle=False, verbose=0, callbacks=[hardest])
print('stopped after', hardest.batches, 'batches')

# %% [markdown]
# One line does not need a class: `keras.callbacks.LambdaCallback(on_epoch_end=lambda
# epoch, logs: print(epoch, logs))`.
#
# **What to remember.** The training loss always looks good; the validation loss shows the truth.
# `callbacks=[...]` of `fit` takes any number of them, and they are called in this order. To stop,
# a callback sets `self.model.stop_training`.
#
# **Try it.** Give the network all digits: when does the overfitting begin now? Write a callback
# that keeps the time of each epoch. Add `keras.callbacks.CSVLogger('log.csv')`.
# Add `keras.callbacks.Doctor()`, and feed it pixels from 0 to 255: what does it say?

# %%
# The lesson checks itself: what the text says is so.
assert best < 30 and history['val_loss'][-1] > history['val_loss'][best]
assert same and accuracy > 0.8
assert len(steered['loss']) < 40 and len(set(steered['lr'])) > 1
assert hardest.found[-1][1] >= 0.9 > hardest.found[0][1]

# %% [markdown]
# Next lesson: [17. A custom Keras layer, and what is below it](17_keras_custom_layer.py).
