# %% [markdown]
# # 5. Linear regression
#
# *You need lessons 1 to 4. It takes 20 minutes. Afterwards you can train a model: loss, optimizer,
# training loop.*
#
# The example with which every course on TensorFlow 1 began. Given are some points; wanted is the
# straight line that fits them best. It has all the parts of deep learning, and only two numbers to
# learn.

# %%
import numpy as np
from helpers import output, show_curve, show_picture

import tinyflow as tf

# %% [markdown]
# ## Data
#
# Points that lie on the line y = 0.3 x + 2, except that each is shifted up or down a little by
# chance, as measurements are.

# %%
np.random.seed(1)
xs = np.linspace(-2.0, 2.0, 50)
ys = 0.3 * xs + 2.0 + np.random.normal(0.0, 0.3, size=50)

# %% [markdown]
# ## Model
#
# Two placeholders for the data and two Variables for what is to be found: how steep the line is
# (`weight`) and how high it is at x = 0 (`bias`).

# %%
x = tf.placeholder(tf.float32, shape=[None], name='x')
y = tf.placeholder(tf.float32, shape=[None], name='y')

weight = tf.Variable(0.0, name='weight')
bias = tf.Variable(0.0, name='bias')

prediction = weight * x + bias

# %% [markdown]
# ## Loss
#
# The **loss** is one number that says how wrong the model is. For each point take the distance
# between prediction and truth, square it (so that too high and too low both count, and large
# mistakes count more), and take the mean of all.

# %%
loss = tf.reduce_mean(tf.square(prediction - y), name='loss')

# %% [markdown]
# ## Optimizer
#
# `minimize` does what the last tutorial did by hand. It adds the gradients of the loss by every
# Variable, and for each Variable a node that takes a small step downhill. What it returns is one
# node which runs all of these steps.

# %%
train = tf.train.GradientDescentOptimizer(learning_rate=0.03).minimize(loss)

tf.viz.draw(loss, output('05_linear_regression.svg'))
tf.viz.draw(train, output('05_training.svg'), show_gradients=True, show_optimizer=True)
show_picture('Picture of the model:', output('05_linear_regression.svg'))
show_picture('Picture with gradients and optimizer:', output('05_training.svg'))

# %% [markdown]
# ## Training
#
# The loop is always the same: look at the loss, run `train`, and again.

# %%
losses, w, b = [], 0.0, 0.0
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print('\nstep     loss  weight    bias')
    for step in range(301):
        loss_value, w, b = session.run([loss, weight, bias], {x: xs, y: ys})
        losses.append(loss_value)
        if step % 50 == 0:
            print(f'{step:4d} {loss_value:8.4f} {w:7.4f} {b:7.4f}')
        session.run(train, {x: xs, y: ys})

print('\nThe loss in the first 60 steps:\n')
show_curve(losses[:60])

# %% [markdown]
# The loss falls steeply at first and then ever more slowly, but it does not reach 0. It cannot: no
# straight line passes through points that chance has shifted.
#
# ## Is it right?
#
# For a straight line mathematics knows the best answer without any learning; NumPy's `polyfit`
# computes it.

# %%
best_w, best_b = np.polyfit(xs, ys, 1)
print(f'\nlearned   y = {w:.4f} x + {b:.4f}')
print(f'exact     y = {best_w:.4f} x + {best_b:.4f}')

# %% [markdown]
# The two lines agree in all the decimals shown. They differ a little from y = 0.3 x + 2, because
# the shifts by chance do not cancel out completely. More points would help; more training would
# not.
#
# **What to remember.** Placeholders for the data, Variables for what is learned, a loss, an
# optimizer that adds the gradients and the steps, and a loop around `session.run`.
#
# **Try it.** What happens with `learning_rate=0.5`? With 0.0005? Why?

# %%
# The lesson checks itself: what the text says is so.
assert losses[-1] < losses[50] < losses[0]
assert abs(w - best_w) < 1e-4 and abs(b - best_b) < 1e-4

# %% [markdown]
# Next lesson: [6. Reading digits: softmax regression, then a network](06_digits.py).
