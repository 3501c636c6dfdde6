# %% [markdown]
# # 7. What happens inside Session.run
#
# *You need lessons 1 to 5. It takes 25 minutes. Afterwards you can follow a run through the stages
# of the compiler, and measure where its time goes.*
#
# Between `session.run(y)` and a number there are seven stages. None of them is hidden: this
# tutorial looks at each. They are worth knowing when a program is slow, when a result surprises
# you, or simply because it is pleasant to see how a machine works.

# %%
import json

import numpy as np
from helpers import output

import tinyflow as tf

# %% [markdown]
# ## A graph with some waste in it
#
# A layer of a network, written a little clumsily on purpose: the scale is calculated from
# constants, `tanh` occurs twice, and `unused` is never used.

# %%
tf.set_random_seed(1)

x = tf.placeholder(tf.float32, [None, 64], name='x')
weights = tf.Variable(tf.truncated_normal([10, 64]), name='weights')
scale = tf.constant(1.0, name='one') / tf.constant(8.0, name='eight')

h = tf.matmul(weights, tf.transpose(x), name='h') * scale
y = tf.reduce_sum(tf.tanh(h) + tf.square(tf.tanh(h)), axis=0, name='y')

unused = tf.sin(h, name='unused')

# %% [markdown]
# `tf.explain` takes what `session.run` takes, and returns an account of what happens. To measure
# times it runs the fetches, 50 times unless you say otherwise.

# %%
np.random.seed(0)
batch = np.random.uniform(size=[100, 64]).astype(np.float32)

session = tf.Session()
session.run(tf.global_variables_initializer())
account = tf.explain(y, {x: batch}, session)

# %% [markdown]
# ## Stage 1: prune
#
# Start at what is fetched and walk the arrows backwards; stop at what is fed. Whatever was not
# visited is not needed.

# %%
print('1 needed:     ', *[op.name for op in account.kept])
print('  not needed: ', *[op.name for op in account.cut])

# %% [markdown]
# `unused` is not needed, nor are the nodes that only gave `weights` its initial value. `x` is not
# either: its value comes from outside, so nothing has to run for it.
#
# ## Stage 2: schedule
#
# The nodes are put in an order in which each comes after its inputs. If an assignment to a
# Variable took part, it would come last: reads of the Variable see the old value.

# %%
print('\n2 order:      ', *[op.name for op in account.order])

# %% [markdown]
# ## Stages 3 and 4: lower and infer
#
# The nodes become a list of instructions over values, which may be changed without touching your
# graph. Then shapes are inferred from the 100 rows that were fed, and what depends on constants
# alone is computed beforehand.

# %%
print('\n3 lower:      ', len(account.lowered.instructions), 'instructions')
print('4 infer:      ', account.notes[0].text)

# %% [markdown]
# ## Stage 5: passes
#
# Now that the whole calculation is known, it can be simplified. Each pass has one idea and reports
# what it did:
#
# - *identities* removes nodes that only repeat their input.
# - *merge* finds nodes that compute the same thing, and keeps one of them.
# - *broadcasts* leaves out work that NumPy does anyway.
# - *transposes*: a matrix product can read a matrix as its transpose, so that no one need be made.
# - *dead* removes what has become superfluous by all that.

# %%
print('\n5 passes           instructions before -> after')
for note in account.notes:
    if note.changes:
        print('  ', note)

# %% [markdown]
# The division has been done for good, there is one `tanh` instead of two, and no transpose.
#
# ## Stage 6: memory
#
# `x` was fed with 100 rows, so the size of every result is known. A result that nothing reads any
# more leaves its memory to a later one, and the memory is kept for the next run.

# %%
print('\n6 memory:     ', account.memory)

# %% [markdown]
# ## Stage 7: codegen
#
# What remains becomes an ordinary Python function, one line for a node. A comment after each
# line says which node it is and which line of *your* program made it. `b4` and similar names
# are the buffers of stage 6; you see one written again as soon as its content is no longer needed
# ("overwrites").

# %%
print('\n7 codegen\n')
print(account.source)

# %% [markdown]
# This function is kept. The next `session.run(y, {x: ...})` with 100 rows goes straight to it,
# which is why the first run takes longer than the others.
#
# ## Run
#
# How long does it take, and which of your lines takes how much of it? `session.profile` puts a
# clock behind every node. (Reading a clock takes time too, so its sum is more than a plain run
# needs. And your numbers will be others than mine.)

# %%
print(f'\na run takes {account.run_seconds * 1e6:.1f} millionths of a second\n')

profile = session.profile(y, {x: batch}, runs=50)
print(profile.table())

print('\n  the same by node:')
for name, kind, seconds in profile.by_node():
    print(f'{seconds * 1e6:10.1f}  {name} ({kind})')

# %% [markdown]
# As a picture over time: the file below can be opened in the Chrome browser under
# `chrome://tracing`, or on any browser at <https://ui.perfetto.dev>.

# %%
profile.chrome_trace(output('07_trace.json'))
print('\nTrace:', output('07_trace.json'))

# %% [markdown]
# Programs written for TensorFlow 1 do the same with `RunMetadata` and `Timeline`, and that works
# too:

# %%
from tinyflow.session.timeline import Timeline  # noqa: E402 - shown where it is explained

metadata = tf.RunMetadata()
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
result = session.run(y, {x: batch}, options=options, run_metadata=metadata)

with open(output('07_timeline.json'), 'w', encoding='utf-8') as file:
    file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
print('Timeline:', output('07_timeline.json'))

# %% [markdown]
# ## Is it still the same calculation?
#
# All this must not change the result. Here is the calculation once more in plain NumPy:

# %%
by_hand = np.tanh(session.run(weights) @ batch.T / 8.0)
by_hand = np.sum(by_hand + by_hand ** 2, axis=0)
difference = np.abs(result - by_hand).max()
print('\nLargest difference to plain NumPy:', 'below 0.00001' if difference < 1e-5 else difference)

session.close()

# %% [markdown]
# **What to remember.** prune, schedule, lower, infer, passes, memory, codegen: seven stages, once
# for each set of fetches; after them, runs only run. `print(tf.explain(...))` shows them together;
# in a notebook it is enough to write `tf.explain(...)` as the last line of a cell.
#
# **Try it.** Explain `unused`, or both in one: `tf.explain([y, unused], {x: batch}, session)`. Feed
# one row instead of 100. For a whole program: `python -m tinyflow explain 06_digits.py`.

# %%
# The lesson checks itself: what the text says is so.
cut = [op.name for op in account.cut]
kinds = [instruction.type for instruction in account.program.instructions]
assert 'unused' in cut
assert kinds.count('Tanh') == 1 and not {'Transpose', 'RealDiv'} & set(kinds)
assert account.memory.arena_bytes < account.memory.unplanned_bytes
assert difference < 1e-5
with open(output('07_trace.json'), encoding='utf-8') as file:
    assert len(json.load(file)['traceEvents']) == len(kinds)

# %% [markdown]
# Next lesson: [8. Convolution: a small window that looks everywhere](08_convolution.py).
