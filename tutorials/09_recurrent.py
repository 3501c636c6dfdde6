# %% [markdown]
# # 9. Recurrent networks: the same cell, again and again
#
# *You need lesson 6. It takes 25 minutes. Afterwards you can train a recurrent network, unrolled
# and as a loop.*
#
# A sentence, a melody, a temperature over the day: such data come one after the other, and how many
# there are is not known beforehand. A **recurrent network** has a **state**, a row of numbers that
# is its memory. One **cell** takes the state and the next input, and makes the next state of them.
# For the input after that, the same cell with the same weights is used again.

# %%
import numpy as np
from helpers import output, show_curve, show_picture

import tinyflow as tf

# %% [markdown]
# ## One cell, by hand
#
# The simplest cell is one layer: `state = tanh([input, state] · kernel + bias)`. Here are three
# inputs, one after the other, first by `static_rnn`, then in NumPy.

# %%
tf.set_random_seed(1)

steps = [tf.constant([[1.0]]), tf.constant([[0.0]]), tf.constant([[0.0]])]
cell = tf.nn.rnn_cell.BasicRNNCell(2)
outputs, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    kernel, bias = session.run(cell.weights)
    values = session.run(outputs)

tf.viz.draw(outputs, output('09_unrolled.svg'), open=['rnn/basic_rnn_cell'], show_constants=False)
show_picture('Picture of the three steps:', output('09_unrolled.svg'))

print('\nthe state after inputs 1, 0, 0:')
by_hand = np.zeros([1, 2])
for step, value in zip([1.0, 0.0, 0.0], values):
    by_hand = np.tanh(np.concatenate([[[step]], by_hand], axis=1) @ kernel + bias)
    print('  ', value[0], ' by hand', by_hand[0].astype(np.float32))

# %% [markdown]
# The second and third inputs are 0, and yet the state is not: something of the 1 is still there.
# That is all the memory there is, and with each step it changes. Over many steps such a memory
# fades. The **LSTM** (long short-term memory) also has a second state that is only multiplied
# and added to, and small layers with outputs from 0 to 1, the **gates**, which decide what is
# forgotten, what is written and what is shown. It can keep a number for a long time.
#
# ## A task that needs memory
#
# A sequence of 12 random numbers; at the end, the network must say what the *first* one was.
# Without memory, a model can do no better than to answer 0.5 each time, and is then wrong by 1/12 =
# 0.083 (mean square).

# %%
np.random.seed(0)


def sequences(count, length):
    """Random numbers [count, length, 1], and the first of each [count, 1]."""
    numbers = np.random.uniform(size=[count, length, 1]).astype(np.float32)
    return numbers, numbers[:, 0]


# %% [markdown]
# ## Static: the loop is in Python
#
# `static_rnn` gets a Python list of inputs and adds the nodes of the cell to the graph once for
# each of them. The loop is over before anything runs: the graph is *unrolled*.

# %%
tf.reset_default_graph()
tf.set_random_seed(2)
graph = tf.get_default_graph()

x = tf.placeholder(tf.float32, [None, 12, 1], name='x')
lstm = tf.nn.rnn_cell.LSTMCell(16, name='lstm')

before = len(graph.get_operations())
static_outputs, static_state = tf.nn.static_rnn(lstm, tf.unstack(x, axis=1), dtype=tf.float32)
static_nodes = len(graph.get_operations()) - before


# %% [markdown]
# ## Dynamic: the loop is in the graph
#
# `dynamic_rnn` gets one tensor `[batch, time, numbers]` and adds a **While** node. It contains
# a separate small graph, the *body*, with the cell in it; when the graph runs, the body runs once
# for each step. How many there are is known only then. `reuse` makes it use the Variables that are
# there.

# %%
any_length = tf.placeholder(tf.float32, [None, None, 1], name='any_length')

before = len(graph.get_operations())
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    dynamic_outputs, dynamic_state = tf.nn.dynamic_rnn(lstm, any_length, dtype=tf.float32)
dynamic_nodes = len(graph.get_operations()) - before

tf.viz.draw(dynamic_state.h, output('09_dynamic.svg'), open=['rnn_1'],
            show_constants=False)
show_picture('Picture of the loop:', output('09_dynamic.svg'))

loops = [op.name for op in graph.get_operations() if op.type == 'While']
print(f'\nnodes for 12 steps: {static_nodes} static, {dynamic_nodes} dynamic; While nodes: {loops}')

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    numbers, _ = sequences(4, 12)
    unrolled = session.run(static_state.h, {x: numbers})
    looped = session.run(dynamic_state.h, {any_length: numbers})
    longer = session.run(dynamic_outputs, {any_length: sequences(4, 100)[0]})
print('the same results:', np.allclose(unrolled, looped, atol=1e-6))
print('100 steps with the same graph:', longer.shape)

# %% [markdown]
# When to take which? Static for few steps, always the same number of them: there is no loop to pay
# for, and each step can be drawn and fetched. Dynamic for everything else: the graph stays small,
# and any length will do.
#
# ## Learning
#
# The last output goes through a dense layer with one output, the answer. The gradient goes
# backwards through all steps (*backpropagation through time*), also through the loop: for the While
# node, `minimize` adds a second one, which runs through the steps from last to first.

# %%
wanted = tf.placeholder(tf.float32, [None, 1], name='wanted')
answer = tf.layers.dense(dynamic_state.h, 1, name='answer')
loss = tf.losses.mean_squared_error(labels=wanted, predictions=answer)
train = tf.train.AdamOptimizer(0.02).minimize(loss)

loops = [op.name for op in graph.get_operations() if op.type == 'While']
print('\nWhile nodes with the gradient:', len(loops))

losses = []
session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(400):
    numbers, first = sequences(64, 12)
    _, value = session.run([train, loss], {any_length: numbers, wanted: first})
    losses.append(value)

print(f'\nthe loss went from {losses[0]:.3f} to {np.mean(losses[-20:]):.4f}:\n')
show_curve(losses)

# %% [markdown]
# First it finds the 0.5 of those who do not remember, and stays there for a while. Then it
# discovers what is worth keeping, and the loss falls for the second time.

# %%
numbers, first = sequences(3, 12)
answers = session.run(answer, {any_length: numbers})
for row, said in zip(numbers, answers):
    print(f'\nfirst {row[0, 0]:.2f}, then 11 others; answer {said[0]:.2f}', end='')
print()

# %% [markdown]
# ## Sequences of different lengths
#
# In a batch all rows have the same length, so short ones are filled up with zeros.
# `sequence_length` says how long each really is: behind its end the outputs are zeros, and the
# state stays as it was.

# %%
lengths = tf.placeholder(tf.int32, [None], name='lengths')
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    cut_outputs, cut_state = tf.nn.dynamic_rnn(lstm, any_length, sequence_length=lengths,
                                               dtype=tf.float32)
feed = {any_length: sequences(2, 5)[0], lengths: [2, 5]}
cut, last = session.run([cut_outputs, cut_state.h], feed)
print('\nsteps with outputs that are not zero:', (np.abs(cut).max(axis=2) > 0).sum(axis=1))
print('the state is that of the last real step:', np.array_equal(last[0], cut[0, 1]))

# %% [markdown]
# ## The loop, opened
#
# `tf.explain` shows what the nodes become: one program for what is outside of the loop, and one
# for its body. Here is the body, one step of the LSTM. Its four gates are one matrix product, whose
# columns are then cut apart. (The sequences have 100 steps here. Loops of up to 64 steps are
# unrolled before they run, as `static_rnn` does it, and there would be no loop to see.)

# %%
account = tf.explain(dynamic_state.h, {any_length: sequences(64, 100)[0]}, session)
functions = account.functions
print('\nprograms inside of the loop:', *functions)
print()
print(functions['f0_body'])
session.close()

# %% [markdown]
# **What to remember.** A cell, a state, the same weights at each step. Static: unrolled in the
# graph; dynamic: a While node. LSTM and GRU cells remember longer than the simple one.
#
# **Try it.** Put `BasicRNNCell` or `GRUCell` in place of the LSTM. Make the sequences longer: 20,
# then 50. From where on does it no longer learn? Ask for the largest number in place of the first.

# %%
# The lesson checks itself: what the text says is so.
assert np.allclose(values[-1], by_hand, atol=1e-6)
assert np.allclose(unrolled, looped, atol=1e-6)
assert dynamic_nodes < static_nodes / 2
assert np.mean(losses[-20:]) < 0.02 < losses[0]
assert np.array_equal(last[0], cut[0, 1]) and not cut[0, 2:].any()

# %% [markdown]
# Next lesson: [10. tf.data: input pipelines](10_data.py).
