# %% [markdown]
# # 27. What AutoGraph makes of a loop
#
# *You need lessons 13 and 26. It takes 15 minutes. Afterwards you can write Python's `if` and
# `while` on tensors inside a tf.function, and read what becomes of them.*
#
# A tf.function is called once, with placeholders. A placeholder has no value, so Python cannot
# decide an `if` with it. Lesson 13 had `tf.cond` and `tf.while_loop` for that. AutoGraph
# rewrites Python's own words into them.

# %%
from helpers import output, show_picture

import tinyflow as tf

tf.enable_eager_execution()


@tf.function(autograph=False)
def refused(x):
    if x > 0:
        return x
    return -x


try:
    refused(tf.constant(1.0))
except tf.errors.OperatorNotAllowedInGraphError as error:
    print('without AutoGraph:', str(error).splitlines()[0])

# %% [markdown]
# ## An `if`

# %%
to_code = tf.autograph.to_code


def distance(x):
    if x > 0:
        y = x
    else:
        y = -x
    return y


print(to_code(distance))

# %% [markdown]
# Each branch has become a function. They set `y` of the function around them (`nonlocal`). And
# the `if` has become a call, `ag__.if_stmt`, which decides when it runs: with a number it calls
# one of the two, as Python would. With a tensor of a graph it builds both, as branches of a
# `tf.cond`, and `y` is what the cond gives.

# %%
compiled = tf.function(distance)
print('a number: ', distance(-3.0), ' a tensor:', compiled(tf.constant(-3.0)).numpy())

# %% [markdown]
# That is why both branches must set what is used afterwards. Otherwise there would be a path
# without a value:

# %%
one = tf.constant(1.0)


@tf.function
def one_sided(x):
    if x > 0:
        z = 1.0
    return z


try:
    one_sided(one)
except ValueError as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# ## A loop
#
# The Collatz conjecture says that this loop ends for every number. How often it turns depends on
# the number, so it cannot be unrolled while the graph is built.

# %%
starts = 6, 27, 97


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


compiled = tf.function(collatz)
for start in starts:
    print(f'{start:3d}: {collatz(start)} steps; as a graph {compiled(tf.constant(start)).numpy()}')

concrete = compiled.get_concrete_function(tf.constant(27))
print('its nodes:', ', '.join(op.type for op in concrete.graph.get_operations()))
picture = output('27_collatz.svg')
tf.viz.draw(concrete.graph, picture)
show_picture('The graph of collatz:', picture)

# %% [markdown]
# One `While` node, and inside it the condition and the body, with an `If` in turn: what lesson
# 13 wrote by hand. `n` and `steps` are what goes from one turn to the next. AutoGraph has found
# them by reading which names the body sets.
#
# ## What it costs, and what stays Python
#
# A loop over Python's `range` is unrolled: four copies of its body are in the graph. A loop over
# `tf.range` is one While.

# %%
x, four = tf.constant(0.5), tf.constant(4)


@tf.function
def unrolled(x):
    for i in range(4):
        x = x * x + i
    return x


@tf.function
def looped(x, n):
    for _ in tf.range(n):
        x = x * x + 1.0
    return x


counts = [len(f.graph.get_operations()) for f in (
    unrolled.get_concrete_function(x), looped.get_concrete_function(x, four))]
print('nodes:', counts)

with tf.GradientTape() as tape:
    tape.watch(x)
    y = looped(x, four)
print('its gradient goes through the loop:', tape.gradient(y, x).numpy())

# %% [markdown]
# **What to remember.** AutoGraph rewrites `if`, `while`, `for`, `break`, `and`, `or`, `not` and
# `assert` of a tf.function and of the functions it calls. A tensor decides: nodes. A Python
# value decides: Python. `tf.autograph.to_code` shows what was made.
#
# **Try it.** Add a `break` for more than 100 steps and look at the code again: what is
# `break_1__`? Write the greatest common divisor of lesson 13 in Python and compile it. What
# happens to `print(n)` inside of the loop, and to `tf.print(n)`?

# %%
# The lesson checks itself: what the text says is so.
assert compiled(tf.constant(27)).numpy() == collatz(27) == 111
assert any(op.type == 'While' for op in concrete.graph.get_operations()) and counts[0] > 8

# %% [markdown]
# This was the last lesson. All of them: [the list](README.md).
