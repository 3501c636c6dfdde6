# %% [markdown]
# # 3. Variables: what a Session remembers
#
# *You need lessons 1 and 2. It takes 20 minutes. Afterwards you can keep numbers between runs,
# initialise and update them, and tell two Sessions apart.*
#
# Constants never change, and what you feed is gone after the run. A model that learns needs a third
# thing: numbers that stay from one run to the next and can be changed. That is a **Variable**.

# %%
from helpers import output, show_picture

import tinyflow as tf

# %% [markdown]
# ## A counter
#
# A Variable has an initial value. `assign_add` makes a *node* that, whenever it runs, adds to what
# the Variable holds. Building the node adds nothing yet.

# %%
counter = tf.Variable(0, name='counter')
one_more = tf.assign_add(counter, 1, name='one_more')

# %% [markdown]
# The Variable is part of the graph; its value is not. **The value lives in the Session**, and a new
# Session has none. So the first thing to run is the node that puts the initial values in place.
# Forgetting it is the best known mistake of all, so let us see what it looks like.

# %%
init = tf.global_variables_initializer()

forgotten = None
with tf.Session() as session:
    try:
        session.run(counter)
    except tf.errors.FailedPreconditionError as error:
        forgotten = error
        print(f'{type(error).__name__}\n{error}\n')

    session.run(init)
    counts = [session.run(counter)]
    for _ in range(3):
        session.run(one_more)
        counts.append(session.run(counter))
    print('counted', *counts)

# %% [markdown]
# After the message it counted 0 1 2 3. What does `init` do? For each Variable it runs a node named
# `.../Assign`. A Variable is made of these parts:

# %%
print('\nname                   type')
for op in tf.get_default_graph().get_operations():
    print(f'{op.name:<22} {op.type}')

# %% [markdown]
# `counter/initial_value` is the 0. `counter` of type VariableV2 is the place where the value is
# kept. `counter/Assign` puts the initial value there, and `counter/read` reads it. The last node,
# `init`, computes nothing: it only makes sure that every `Assign` has run. In pictures the parts of
# one Variable are drawn as one barrel.

# %%
tf.viz.draw(one_more, output('03_variables.svg'))
show_picture('\nPicture:', output('03_variables.svg'))

# %% [markdown]
# ## Adding is not assigning
#
# `counter + 1` is one more than the counter. It is not a change of the counter:

# %%
plus_one = counter + 1

with tf.Session() as session:
    session.run(init)
    print('\ncounter + 1 is', session.run(plus_one), 'and again', session.run(plus_one),
          'while counter is', session.run(counter))

# %% [markdown]
# 1 and again 1 while counter is 0. Only assignment nodes (`tf.assign`, `tf.assign_add`,
# `tf.assign_sub`, and the optimizers of the later tutorials, which are made of such nodes) change a
# Variable, and only when they run.
#
# ## First this, then that
#
# A node runs when its inputs are there, and nothing else orders the nodes. Does `later` below see
# the counter before or after the addition? Without an edge between them both may happen.
# `tf.control_dependencies` adds an edge along which no value flows: what is made inside of the
# block runs after what is listed.

# %%
with tf.control_dependencies([one_more]):
    later = tf.identity(counter, name='later')

with tf.Session() as session:
    session.run(init)
    in_order = session.run(later), session.run(later)
    print('\ncounted before it was read:', *in_order)

tf.viz.draw(later, output('03_control_dependency.svg'))
show_picture('Picture, the control dependency is dashed:', output('03_control_dependency.svg'))

# %% [markdown]
# A fetch of `later` alone runs `one_more` as well. (Only nodes that are *made* in the block wait: a
# mere `counter` in it, made long before, would not.)
#
# ## Two Sessions on one graph
#
# A graph is like a form, and a Session like a filled copy of it. Two Sessions do not know each
# other.

# %%
morning, evening = tf.Session(), tf.Session()
morning.run(init)
evening.run(init)

for _ in range(5):
    morning.run(one_more)
evening.run(one_more)

in_the_morning, in_the_evening = morning.run(counter), evening.run(counter)
print('\nmorning counts', in_the_morning, 'and evening counts', in_the_evening)

morning.close()
evening.close()

# %% [markdown]
# 5 and 1. When a Session is closed, what it remembered is gone. (`with tf.Session() as session:`
# closes it by itself at the end of the block.)
#
# ## Random beginnings
#
# A network has to start with *different* numbers in its Variables, or all its parts would learn the
# same. The initial value may be any tensor, so it may be a random one. A seed makes chance
# repeatable: with seed 777 the numbers below are the same on every computer, and the same that
# TensorFlow 1 gives.

# %%
tf.reset_default_graph()            # away with the counter; start an empty graph
tf.set_random_seed(777)

weight = tf.Variable(tf.random_normal([1]), name='weight')
bias = tf.Variable(tf.random_normal([1]), name='bias')

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    start = session.run([weight, bias])
    print('\nweight', start[0], 'bias', start[1])

# %% [markdown]
# `weight [2.2086694] bias [-0.82041824]`. The random node was drawn from once, by the initializer;
# reading `weight` a hundred times gives the same number a hundred times.
#
# **What to remember.** A Variable is a place in the graph, a Session holds what is in it, the
# initializer fills it first, and assignment nodes change it.
#
# **Try it.** Fetch `[one_more, counter]` in *one* run. Which number does `counter` give, the old
# one or the new one? (In tinyflow, a read that is not ordered after a write sees the old value.)

# %%
# The lesson checks itself: what the text says is so.
assert counts == [0, 1, 2, 3]
assert in_order == (1, 2)
assert "'counter'" in str(forgotten)
assert (in_the_morning, in_the_evening) == (5, 1)
assert abs(start[0][0] - 2.2086694) < 1e-6 and abs(start[1][0] + 0.8204183) < 1e-6

# %% [markdown]
# Next lesson: [4. Gradients are nodes too](04_gradients.py).
