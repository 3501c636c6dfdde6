# %% [markdown]
# # 2. Placeholders: what you feed
#
# *You need lesson 1. It takes 15 minutes. Afterwards you can feed values into a graph, and read
# the errors when their shapes are wrong.*
#
# A graph made of constants always gives the same answer. A **placeholder** is a node that leaves a
# gap: "a value goes here". You fill the gap at every run, which is called **feeding**.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf

# %%
celsius = tf.placeholder(tf.float32, shape=[], name='celsius')
fahrenheit = celsius * 1.8 + 32.0

with tf.Session() as session:
    for degrees in [0.0, 20.0, 100.0]:
        print(degrees, '°C are', session.run(fahrenheit, feed_dict={celsius: degrees}), '°F')

# %% [markdown]
# One graph, three runs: 32, 68 and 212 °F. The `feed_dict` is an ordinary Python dictionary, from
# the placeholder itself (not its name) to the value.
#
# ## Shapes
#
# Numbers rarely come alone. A **shape** says how they are arranged: `[]` is a single number, `[3]`
# a list of 3 numbers, `[2, 3]` a table of 2 rows and 3 columns. `None` stands for "not known yet",
# and is nearly always used for the number of examples, so that one graph serves 1 or 1000 of them.
#
# Below each row of `basket` says how many apples, pears and melons somebody buys.

# %%
basket = tf.placeholder(tf.float32, shape=[None, 3], name='basket')
price = tf.constant([[0.5], [0.75], [2.0]], name='price')     # 3 rows, 1 column
to_pay = tf.matmul(basket, price, name='to_pay')

print('\nbasket', basket.shape, 'times price', price.shape, 'gives to_pay', to_pay.shape)

two_people = np.array([[4, 0, 1],
                       [2, 2, 0]])

with tf.Session() as session:
    paid = session.run(to_pay, feed_dict={basket: two_people})
    print('two people pay', paid.tolist())
    print('one person pays', session.run(to_pay, feed_dict={basket: [[0, 4, 0]]}).tolist())

tf.viz.draw(to_pay, output('02_placeholders.svg'), show_constants=True)
show_picture('Picture:', output('02_placeholders.svg'))

# %% [markdown]
# `[[4.0], [2.5]]` for two people, `[[3.0]]` for one. The graph knew the shape `(?, 1)` of the
# answer before any run; the question mark became 2 and then 1. In the picture such shapes are on
# the arrows.
#
# ## The classic mistakes
#
# Everybody makes these. It is a good idea to make each of them once on purpose, and to read what
# comes back. A message says what is wrong, with which shapes, which of your lines made the nodes,
# and how to fix it.


# %%
def show(title, mistake):
    """Makes a mistake on purpose and prints the message."""
    try:
        mistake()
    except (tf.errors.OpError, TypeError, ValueError) as error:
        print(f'\n--- {title}: {type(error).__name__}\n{error}')
        return error
    raise RuntimeError(f'{title}: this should have failed')


session = tf.Session()

# %% [markdown]
# **Nothing was fed.** There is a gap in the graph, and no value for it.

# %%
unfed = show('nothing was fed', lambda: session.run(to_pay))

# %% [markdown]
# **The wrong shape.** One person's basket is a list of 3 numbers, `[3]`; the graph needs a table of
# rows with 3 numbers each, `[?, 3]`. A table with one row is written with double brackets.

# %%
wrong_shape = show('the wrong shape', lambda: session.run(to_pay, {basket: [0, 4, 0]}))

# %% [markdown]
# **Not numbers.** Text cannot be put where numbers are expected.

# %%
not_numbers = show('not numbers', lambda: session.run(to_pay, {basket: [['four', 'no', 'one']]}))

# %% [markdown]
# **Shapes that cannot meet.** Some mistakes are plain before anything runs: `matmul` needs as many
# columns on its left as there are rows on its right, and here somebody forgot the price of melons.
# The message comes from the line that builds the node, and not from a run ten minutes later.

# %%
two_prices = tf.constant([[0.5], [0.75]], name='two_prices')
cannot_meet = show('shapes that cannot meet', lambda: tf.matmul(basket, two_prices))

# %% [markdown]
# **The result under the name of the Tensor.** In a loop one likes to write `loss =
# session.run(loss)`. The first time that works. Then `loss` is a number, and a number cannot be
# run. Use two names.

# %%
overwritten = show('the result under the name of the Tensor', lambda: session.run(paid))

# %%
session.close()

# %% [markdown]
# **What to remember.** Placeholders are the gaps of a graph, `feed_dict` fills them, and a shape
# with `None` in front serves any number of examples.
#
# **Try it.** Feed the *result* of a node: `session.run(fahrenheit + 1.0, {fahrenheit: 50.0})`.
# Every tensor can be fed, not only placeholders, and what leads up to a fed tensor is not computed.

# %%
# The lesson checks itself: what the text says is so.
assert paid.tolist() == [[4.0], [2.5]]
assert "'basket'" in str(unfed) and isinstance(unfed, tf.errors.InvalidArgumentError)
assert 'np.expand_dims' in str(wrong_shape) and '(3,)' in str(wrong_shape)
assert overwritten and 'basket' in str(not_numbers) and 'two_prices' in str(cannot_meet)

# %% [markdown]
# Next lesson: [3. Variables: what a Session remembers](03_variables.py).
