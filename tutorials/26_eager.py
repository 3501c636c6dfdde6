# %% [markdown]
# # 26. Eager and graph: the same ops
#
# *You need lessons 4, 5 and 7. It takes 20 minutes. Afterwards you can run ops without a
# Session, differentiate with a tape, and compile a Python function.*
#
# Until now every line made a node, and a Session ran the nodes. TensorFlow 1.7 added another
# way: after one call, each op runs when it is called. What changes in the library for that? Very
# little, and that is what this lesson shows.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf

tf.enable_eager_execution()             # before the first op, and for the rest of the program

# %% [markdown]
# ## A value in place of a node

# %%
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
product = tf.matmul(x, x)
print(product)
print('as an array:', product.numpy().tolist())
print('Python decides:', 'large' if tf.reduce_sum(product) > 50 else 'small')

# %% [markdown]
# The call is the same as in lesson 1. `tf.matmul` still looks up the declaration of the op
# `MatMul`: the allowed dtypes, the shape rule, the kernel. It just calls the kernel at once. So
# mistakes are found at once, too, on the line that made them:

# %%
try:
    tf.matmul(x, tf.ones([3, 2]))
except tf.errors.InvalidArgumentError as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# Graphs have not gone away. Inside `with tf.Graph().as_default():` nodes are made, as ever:

# %%
with tf.Graph().as_default() as graph, tf.Session() as session:
    y = tf.constant(2.0) * 21.0
    print('a node:', y, ' its value:', session.run(y))

# %% [markdown]
# ## A tape in place of `tf.gradients`
#
# In a graph, `tf.gradients` walks from the loss back along the edges. Here there are no edges to
# walk: the ops have run and are gone. A *tape* keeps those that ran inside its block, and its
# `gradient` calls their gradient functions from the last to the first. They are the functions of
# lesson 4.

# %%
w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = w * w + 2.0 * w              # Variables are watched by themselves
print('d loss / d w =', tape.gradient(loss, w).numpy())

with tf.GradientTape() as outer:        # a tape may record what another tape computes
    with tf.GradientTape() as inner:
        cubed = w * w * w
    slope = inner.gradient(cubed, w)
print('the second derivative of w³:', outer.gradient(slope, w).numpy())

# %% [markdown]
# ## Linear regression, with Python's own loop
#
# Compare it with lesson 5: no placeholders, no initializer, no Session, no feeding.

# %%
rng = np.random.RandomState(0)
inputs = rng.uniform(-1, 1, 100).astype(np.float32)
targets = (0.7 * inputs - 0.2).astype(np.float32)
slope, offset = tf.Variable(0.0), tf.Variable(0.0)
optimizer = tf.train.GradientDescentOptimizer(0.5)


def step(a, b):
    """One step of gradient descent; the loss before it."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(slope * a + offset - b))
    variables = [slope, offset]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


for number in range(41):
    loss = step(inputs, targets)
    if number % 10 == 0:
        print(f'step {number:2d}: loss {loss.numpy():.6f}')
print(f'slope {slope.numpy():.3f}, offset {offset.numpy():.3f}')

# %% [markdown]
# ## And back to a graph: `tf.function`
#
# Eager code is easy to follow, and slower: Python takes part in every op, and no compiler sees
# two of them together. `tf.function` calls the Python function once with placeholders, keeps the
# graph that this makes, and compiles it as in lesson 7. It looks at dtypes and shapes: for
# tensors of another shape it calls the function again.

# %%
calls: list[tf.Tensor] = []


@tf.function
def faster_step(a, b):
    calls.append(a)                     # Python runs only while the graph is made
    return step(a, b)


slope.assign(0.0)
offset.assign(0.0)
a, b = tf.constant(inputs), tf.constant(targets)
for _ in range(41):
    loss = faster_step(a, b)
print(f'the same loss: {loss.numpy():.6f}; Python ran {len(calls)} time')
print('what it saw:', calls[0])

compiled = faster_step.get_concrete_function(a, b)
picture = output('26_function.svg')
tf.viz.draw(compiled.graph, picture)
show_picture('The graph of faster_step:', picture)

# %% [markdown]
# The forward pass, its gradients and the two updates are one graph again. The updates run
# although nothing in Python waits for them: a tf.function keeps the order of reads and writes by
# itself, with control dependencies (lesson 3).
#
# **What to remember.** Eager or graph, the op is declared once: shape rule, kernel, gradient.
# Eager code runs at once and is differentiated with a tape. `tf.function` makes a graph of it.
#
# **Try it.** Print inside `faster_step`: how often does it print, with `print` and with
# `tf.print`? Call it with 50 points: how long is `calls` now? What does `with
# tf.GradientTape(persistent=True)` allow?

# %%
# The lesson checks itself: what the text says is so.
assert len(calls) == 1 and abs(slope.numpy() - 0.7) < 1e-3
assert product.numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]

# %% [markdown]
# Next lesson: [27. What AutoGraph makes of a loop](27_autograph.py).
