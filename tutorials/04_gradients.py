# %% [markdown]
# # 4. Gradients are nodes too
#
# *You need lessons 1 to 3, and what a derivative is. It takes 15 minutes. Afterwards you can let
# the graph differentiate itself, and find out why a gradient is None.*
#
# The derivative of a function says how steep it is: how much the result changes when the input
# changes a little. Learning means following that slope downhill, so a program that learns has to
# find derivatives. On paper one transforms a formula into another formula. A graph *is* a formula,
# so `tf.gradients` can do the same: it reads the graph and adds the nodes of the derivative.

# %%
from helpers import output, show_picture

import tinyflow as tf

# %% [markdown]
# ## A first derivative
#
# Take y = x³ - 3x. School says that dy/dx = 3x² - 3.

# %%
x = tf.placeholder(tf.float32, shape=[], name='x')
y = x ** 3 - 3.0 * x

graph = tf.get_default_graph()
nodes_before = len(graph.get_operations())

[dy] = tf.gradients(y, [x])         # a list of results: you may ask for several inputs at once

print('y has', nodes_before, 'nodes; with dy the graph has', len(graph.get_operations()))
print('dy is', dy)

# %% [markdown]
# `dy` is an ordinary Tensor. Nothing was computed; the graph has grown by nodes whose names start
# with `gradients/`. Like every Tensor it can be run:

# %%
with tf.Session() as session:
    print('\n    x       y   dy/dx   3x²-3')
    for value in [-2.0, -1.0, 0.0, 1.0, 2.0]:
        height, slope = session.run([y, dy], {x: value})
        print(f'{value:5.1f} {height:7.1f} {slope:7.1f} {3 * value ** 2 - 3:7.1f}')

# %% [markdown]
# The last two columns agree: 9, 0, -3, 0, 9.
#
# ## How it is done
#
# Look at the picture. The nodes of y are in their usual order; the gradient half runs *backwards*
# next to them. It starts with 1 (y changes exactly as much as y does) and passes through every node
# in reverse. Each node only knows its own small rule, for example "if z = u · v, then a change of u
# counts v times". Multiplied along a path and added up over all paths, that is the chain rule.

# %%
tf.viz.draw([y, dy], output('04_gradients.svg'), title='y and dy/dx')
show_picture('\nPicture:', output('04_gradients.svg'))

# %% [markdown]
# ## The derivative of the derivative
#
# As `dy` is made of nodes, it has a gradient as well: 6x. It says how the slope itself changes.

# %%
[ddy] = tf.gradients(dy, [x])

with tf.Session() as session:
    curvature = session.run(ddy, {x: 2.0})
    print('\nthe second derivative at x = 2:', curvature)

# %% [markdown]
# 12.0, which is 6 · 2.
#
# ## Downhill
#
# y has a valley at x = 1. **Gradient descent** finds it without knowing the formula: stand
# somewhere, measure the slope, take a step against it, repeat. With both derivatives one can do
# better: **Newton's method** divides the slope by the curvature, and so takes long steps where the
# slope hardly changes and short ones where it changes quickly.

# %%
with tf.Session() as session:
    place, newton = 2.5, 2.5
    print('\nstep  descent   Newton')
    for step in range(7):
        print(f'{step:4d} {place:8.5f} {newton:8.5f}')
        place = place - 0.1 * session.run(dy, {x: place})
        slope, curvature_there = session.run([dy, ddy], {x: newton})
        newton = newton - slope / curvature_there

# %% [markdown]
# Both start at 2.5. Newton's method shows 1.00000 from step 4 on. Gradient descent leaps across the
# valley in its first step, since the slope at 2.5 is steep, and then creeps back towards 1: its
# steps get smaller as the slope does. It is still what nearly all networks learn with, because a
# network with a million numbers has a million slopes, but a million times a million curvatures.
#
# ## No path, no gradient
#
# If y does not depend on something, there is nothing to derive, and the answer is `None`:

# %%
elsewhere = tf.placeholder(tf.float32, shape=[], name='elsewhere')
print('\nthe gradient of y by elsewhere:', tf.gradients(y, [elsewhere]))

# %% [markdown]
# `[None]`. If you ever meet this for a Variable that should learn, look for the place where the
# path to it is cut.
#
# **What to remember.** `tf.gradients(y, [x])` adds nodes; they run, can be drawn and can be derived
# again, like all others.
#
# **Try it.** `z = tf.sin(x)`: derive it four times. What comes out after the fourth?

# %%
# The lesson checks itself: what the text says is so.
assert curvature == 12.0
assert abs(newton - 1.0) < 1e-6 and abs(place - 1.0) < 0.3

# %% [markdown]
# Next lesson: [5. Linear regression](05_linear_regression.py).
