# %% [markdown]
# # 13. Control flow: deciding and repeating inside the graph
#
# *You need lesson 4. It takes 25 minutes. Afterwards you can branch and loop inside of a graph,
# with gradients.*
#
# A graph is built once and then runs, always the same way. So how can it *decide* something, or
# repeat until a number is small enough? A Python `if` does not help: it is over when the graph is
# built, and at that time there are no numbers yet. For this there are `tf.cond` and
# `tf.while_loop`.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf

# %% [markdown]
# ## Why a Python `if` is not enough
#
# A tensor has no value while the graph is being built, so there is nothing to decide with:

# %%
x = tf.placeholder(tf.float32, [], name='x')
try:
    if x > 0:
        y = x
except TypeError as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# ## cond: one of two
#
# `tf.cond` takes two functions. Both are called now, while building, and each makes a separate
# small graph, a *branch*. When the graph runs, only one of the branches does. Here is the square
# root, but 0 for negative numbers:

# %%
root = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: tf.constant(0.0), name='root')
slope, = tf.gradients(root, x)

session = tf.Session()
print('\n    x  root  slope')
for value in [4.0, 0.25, -1.0]:
    print('{:5} {:5.2f} {:6.2f}'.format(value, *session.run([root, slope], {x: value})))

# %% [markdown]
# The gradient goes through the branch that was taken: the slope of the root where x is positive, 0
# elsewhere.
#
# There is also `tf.where(condition, a, b)`, which chooses for each *element* of a tensor. But it
# needs both `a` and `b`, so both are computed.
#
# ## while_loop: as long as ...
#
# `tf.while_loop` takes a condition, a body, and start values. The body gets the values and returns
# the new ones; they go round until the condition says no. Here is Heron's method for square roots,
# 2000 years old: if r is too large, then n / r is too small, so take the middle of them, and again.

# %%
n = tf.placeholder(tf.float32, [], name='n')


def not_exact(count, r):
    """Is r * r still off by more than a millionth of n?"""
    return tf.abs(r * r - n) > 1e-6 * n


def halfway(count, r):
    """The mean of r and n / r."""
    return count + 1, (r + n / r) / 2.0


count, heron = tf.while_loop(not_exact, halfway, [tf.constant(0), n], name='heron',
                             maximum_iterations=30)

print('\n       n      root  rounds')
for value in [2.0, 100.0, 1e6]:
    print('{0:8g} {2:9.4f} {1:7}'.format(value, *session.run([count, heron], {n: value})))

tf.viz.draw(heron, output('13_while.svg'))
show_picture('\nPicture of the loop:', output('13_while.svg'))

loop = tf.get_default_graph().get_operation_by_name('heron')
tf.viz.draw(loop.get_attr('body'), output('13_body.svg'))
show_picture('Picture of its body:', output('13_body.svg'))

# %% [markdown]
# How often the body runs depends on the numbers. In the first picture the loop is one node,
# `heron`, of type While; condition and body are graphs inside of it, and the second picture shows
# the body. `count + 1` is *not* a Python counter: the body was called once, and `count` is a
# symbol. (Try `print(count)` in the body.)
#
# ## The loop, opened
#
# `tf.explain` shows what a loop becomes: two Python functions, one for the condition and one for
# the body.

# %%
account = tf.explain(heron, {n: 2.0}, session)
for source in account.functions.values():
    print('\n' + source)

# %% [markdown]
# ## The gradient of a loop
#
# Each round is an ordinary calculation, so the chain rule holds for all of them one after the
# other, last round first. For that, the loop must keep what each round has computed; the gradient
# is a second loop, which reads it backwards. The derivative of the root of n is 1 / (2 root):

# %%
heron_slope, = tf.gradients(heron, n)
print('\n       n  gradient  1/(2 root)')
heron_slopes = [session.run(heron_slope, {n: value}) for value in [2.0, 100.0]]
for value, found in zip([2.0, 100.0], heron_slopes):
    print(f'{value:8g} {found:9.6f} {0.5 / value ** 0.5:11.6f}')

# %% [markdown]
# The derivative of a square root was never given to it; it was found through rounds of adding and
# dividing.
#
# ## Loops over the rows of a tensor
#
# Three frequent kinds of loop have special names. Take them only where no ordinary operation
# does it: `elements * elements` is far quicker than a loop over the elements.

# %%
elements = tf.constant([1.0, 2.0, 3.0, 4.0])
mapped = tf.map_fn(lambda v: v * v, elements)
folded = tf.foldl(lambda so_far, v: so_far * v, elements)
scanned = tf.scan(lambda so_far, v: 0.5 * so_far + v, elements)
print('\nmap_fn squares        ', session.run(mapped))
print('foldl the product     ', session.run(folded))
print('scan a running average', session.run(scanned))
session.close()

# %% [markdown]
# ## Where does the NaN come from?
#
# A calculation that repeats itself can run away. Then the result is `nan` (*not a number*), and it
# does not tell where it was born, for everything after it is `nan` too. A Session with
# `nan_check=True` looks at every value and names the first that went wrong.

# %%
tf.reset_default_graph()
probability = tf.placeholder(tf.float32, [3], name='probability')
surprise = -tf.log(probability)
entropy = tf.reduce_sum(probability * surprise, name='entropy')

with tf.Session() as session:
    print('\nthe entropy is', session.run(entropy, {probability: [0.5, 0.5, 0.0]}))
nan = ''
with tf.Session(nan_check=True) as session:
    try:
        session.run(entropy, {probability: [0.5, 0.5, 0.0]})
    except tf.errors.InvalidArgumentError as error:
        nan = str(error)
print(nan)

# %% [markdown]
# It is the logarithm of 0. Here is a tempting remedy which does *not* work:

# %%
safe = tf.where(probability > 0.0, probability * surprise, tf.zeros_like(probability))
gradient, = tf.gradients(tf.reduce_sum(safe), probability)

# the remedy that works: never take the logarithm of 0, not even where the result is thrown away
inner = tf.where(probability > 0.0, probability, tf.ones_like(probability))
safer = tf.where(probability > 0.0, -probability * tf.log(inner), tf.zeros_like(probability))
good_gradient, = tf.gradients(tf.reduce_sum(safer), probability)

with tf.Session() as session:
    values = session.run([safe, gradient, good_gradient], {probability: [0.5, 0.5, 0.0]})
print('\nwith where around it  ', values[0])
print('and its gradient      ', values[1])
print('where inside as well  ', values[2])

# %% [markdown]
# `tf.where` throws the `nan` away, but its gradient multiplies 0 with the infinite slope of the
# logarithm, and that is `nan` again. This trap has cost many people many hours.
#
# ## Before anything runs: tf.doctor
#
# Some mistakes can be seen in the graph alone. `tf.doctor` looks for them. This loss is wrong in
# two ways, and training would go on without a word:

# %%
tf.reset_default_graph()
features = tf.placeholder(tf.float32, [None, 4], name='features')
wanted = tf.placeholder(tf.float32, [None], name='wanted')
predicted = tf.layers.dense(features, 1, name='predicted')
loss = tf.reduce_mean(tf.square(predicted - wanted))
score = -tf.reduce_mean(tf.log(tf.nn.sigmoid(predicted)))

report = tf.doctor([loss, score])
print('\n' + str(report))

# %% [markdown]
# The first: a column minus a row is a whole matrix, every prediction compared with every wish. The
# second is the logarithm again.
#
# **What to remember.** Python's `if` and `for` work while building; `tf.cond` and `tf.while_loop`
# while running. Gradients go through both. For a `nan`: `tf.Session(nan_check=True)`. Before
# training: `print(tf.doctor(loss))`; while it runs:
# `with tf.doctor(sess) as doctor:` around the loop.
#
# **Try it.** Write the greatest common divisor of two numbers as a loop. What happens to Heron's
# method when n is negative, and what without `maximum_iterations`? Put a `tf.Print` into one branch
# of the `cond`.

# %%
# The lesson checks itself: what the text says is so.
assert [np.isnan(part).any() for part in values] == [False, True, False]
assert "first produced by Log 'Log'" in nan
assert [finding.id for finding in report] == ['silent-broadcast', 'log-of-zero']
assert np.allclose(heron_slopes, [0.5 / 2.0 ** 0.5, 0.05], atol=1e-4)

# %% [markdown]
# Next lesson: [14. The same digits in Keras](14_keras.py).
