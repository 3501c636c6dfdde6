# %% [markdown]
# # 1. What a graph is
#
# *You need nothing but a little Python. It takes 15 minutes. Afterwards you can describe a
# calculation as a graph, draw it, and run parts of it.*
#
# Python usually computes at once: after `c = 3 + 4`, `c` is 7. A program in the style of
# TensorFlow 1 works in two steps instead.
#
# 1. It *describes* a calculation. The description is called a **graph**. Nothing is computed.
# 2. It *runs* the part of the graph whose result you ask for, as often as you like.
#
# Why the detour? A description is a thing that a program can work on. It can be drawn. It can be
# simplified before it runs. Its derivative can be formed, as you form it on paper: formula in,
# formula out. All of that is in these tutorials; this one is about the description itself.

# %%
from helpers import output, show_picture

import tinyflow as tf

# %% [markdown]
# ## Describing
#
# A right triangle has legs of 3 and 4. How long is its third side? Pythagoras says √(a² + b²).

# %%
a = tf.constant(3.0, name='a')
b = tf.constant(4.0, name='b')
c = tf.sqrt(a * a + b * b, name='c')

print('c is', c)

# %% [markdown]
# That printed `c is Tensor("c:0", shape=(), dtype=float32)`, and not 5. `c` is a **Tensor**: it
# stands for a number that can be computed. We know already that it will be one number (the shape
# `()` means: no rows, no columns) and of what kind (`float32` is a number with a fractional part,
# kept in 32 bits). We just do not know *which* number yet.
#
# ## Nodes and edges
#
# The lines above made six **nodes** (also called operations). Each has a name, a type, and inputs,
# which are the **edges** of the graph: arrows along which numbers will flow.

# %%
graph = tf.get_default_graph()

print('\nname    type   inputs')
for op in graph.get_operations():
    print(f'{op.name:<7} {op.type:<6} {", ".join(tensor.name for tensor in op.inputs)}')

# %% [markdown]
# The table shows what Python's `*` and `+` did behind your back: each made a node. Nodes that you
# do not name get the name of what they do (`mul`), with a number if it is taken (`mul_1`).
#
# The `:0` means "output number 0 of this node". Most nodes have only that one.
#
# The same as a picture:

# %%
tf.viz.draw(c, output('01_graph.svg'), show_constants=True)
show_picture('\nPicture:', output('01_graph.svg'))

# %% [markdown]
# ## Running
#
# A **Session** runs a graph. `run` takes what you want to know, called the **fetch**, walks the
# arrows backwards from there to find what is needed, computes that, and gives you the value.

# %%
with tf.Session() as session:
    third_side = session.run(c)
    print('\nc has the value', third_side)

    # Several fetches at once give several values; a name is as good as the Tensor itself.
    leg, squares = session.run([a, 'add:0'])
    print('a and the sum of squares:', leg, squares)

    # For `mul` the Session needs a alone. The other nodes were not touched.
    print('a * a:', session.run('mul:0'))

# %% [markdown]
# It printed 5.0, then 3.0 and 25.0, then 9.0. Running changed nothing in the graph: it still has
# six nodes, and `c` is still a Tensor.

# %%
print('\nnodes after running:', len(graph.get_operations()))

# %% [markdown]
# ## Scopes: folders for names
#
# Real graphs have hundreds of nodes. A **name scope** puts nodes that belong together under one
# name, as a folder does for files. In pictures a scope is a box, which can be drawn open or closed.

# %%
with tf.name_scope('triangle'):
    area = tf.divide(a * b, 2.0, name='area')

with tf.Session() as session:
    print(f'\n{area.op.name} = {session.run(area)}')

tf.viz.draw(graph, output('01_scopes.svg'), show_constants=True)
show_picture('Picture:', output('01_scopes.svg'))

# %% [markdown]
# `triangle/area = 6.0`: half of 3 · 4.
#
# **What to remember.** Calling a `tf` function adds a node and returns a Tensor, a promise of a
# value. `Session.run` keeps the promise.
#
# **Try it.** Ask for `graph.get_tensor_by_name('triangle/mul:0')` and run it. Then: which nodes
# does `session.run(area)` need? (`tf.viz.draw(area, 'area.svg')` shows them.)

# %%
# The lesson checks itself: what the text says is so.
assert third_side == 5.0
assert c.shape == () and 'Tensor' in repr(c)

# %% [markdown]
# Next lesson: [2. Placeholders: what you feed](02_placeholders.py).
