# %% [markdown]
# # 10. tf.data: input pipelines
#
# *You need lesson 6. It takes 25 minutes. Afterwards you can build an input pipeline that
# shuffles, batches and repeats.*
#
# Until now the data came through `feed_dict`, from arrays that we cut into batches ourselves. When
# they are in files, must be converted and shuffled, and when training and test want different data,
# it is better to let the graph fetch them. A **Dataset** describes where elements come from and
# what is done to them; an **iterator** hands them out.

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf
from tinyflow.api import data_sets

# %% [markdown]
# ## Elements, one after the other
#
# A Dataset is a description. It does nothing until the next element of an iterator is needed, and
# that happens whenever the tensor of `get_next()` is evaluated. When nothing is left there is an
# `OutOfRangeError`; this is not a failure but the usual signal for "the end".


# %%
def elements(dataset, most=20):
    """The elements of a Dataset, as a list."""
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        try:
            while len(found) < most:
                found.append(session.run(following))
        except tf.errors.OutOfRangeError:
            pass
    return found


numbers = tf.data.Dataset.range(7)
print('range(7)               ', *elements(numbers))
print('map: times ten         ', *elements(numbers.map(lambda n: 10 * n)))
odd = elements(numbers.filter(lambda n: tf.equal(n % 2, 1)))
print('filter: odd ones       ', *odd)
print('batch of 3             ', *elements(numbers.batch(3)))
print('the same, full ones    ', *elements(numbers.batch(3, drop_remainder=True)))
print('shuffle                ', *elements(numbers.shuffle(7, seed=1)))
print('repeat twice, batch(5) ', *elements(numbers.repeat(2).batch(5)))

# %% [markdown]
# Each of these calls takes a Dataset and returns a new one, so they form a chain. The function
# given to `map` is called only once, with a symbol for an element: it adds nodes to a small graph,
# which is then run for each element. (So `print` in it prints a Tensor, and only once.)
#
# The order of the calls matters:

# %%
print('\nshuffle, then batch    ', *elements(numbers.shuffle(7, seed=2).batch(3)))
print('batch, then shuffle    ', *elements(numbers.batch(3).shuffle(7, seed=2)))
print('shuffle(2)             ', *elements(numbers.shuffle(2, seed=8)))

# %% [markdown]
# Batching first and then shuffling leaves neighbours together. And `shuffle(2)` keeps only two
# elements at hand to choose from, so nothing comes much too early: for a good mixture the buffer
# must hold all of them, or at least many.
#
# ## A file: iris flowers
#
# With tinyflow come measures of 150 flowers (Fisher, 1936): length and width of sepals and petals,
# and which of three species it is. It is a text file with a heading; this is its beginning:

# %%
training_file = data_sets.path('iris_training.csv')
with open(training_file, encoding='utf-8') as file:
    print('\n' + ''.join(file.readlines()[:3]))


def read_line(line):
    """A line of text as (measures [4], species)."""
    *measures, species = tf.decode_csv(line, [[0.0]] * 4 + [[0]])
    return tf.stack(measures), species


def flowers(name):
    """The Dataset of a shipped file: skip the heading, read each line."""
    return tf.data.TextLineDataset(data_sets.path(name)).skip(1).map(read_line)


tf.reset_default_graph()
training = flowers('iris_training.csv').shuffle(120, seed=0).repeat().batch(20).prefetch(1)
test = flowers('iris_test.csv').batch(30)

print('an element of the training data has the types', training.output_types)
print('and the shapes', training.output_shapes)

# %% [markdown]
# `repeat()` without a number never ends, which suits training. `prefetch(1)` prepares the next
# batch in another thread while this one is being used.
#
# ## One model, two sources
#
# The model needs training data at one time and test data at another. A **reinitializable**
# iterator has types and shapes but no data; each of its *initializers* connects it with a Dataset.

# %%
iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
measures, species = iterator.get_next()
use_training = iterator.make_initializer(training, name='use_training')
use_test = iterator.make_initializer(test, name='use_test')

tf.set_random_seed(4)
hidden = tf.layers.dense(measures, 10, activation=tf.nn.relu, name='hidden')
logits = tf.layers.dense(hidden, 3, name='logits')
loss = tf.losses.sparse_softmax_cross_entropy(labels=species, logits=logits)
train = tf.train.AdamOptimizer(0.02).minimize(loss)
right = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), species)
accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name='accuracy')

tf.viz.draw(loss, output('10_model.svg'))
tf.viz.draw(use_training, output('10_pipeline.svg'), show_init=True)
show_picture('\nPicture of the model:', output('10_model.svg'))
show_picture('Picture of the input pipeline:', output('10_pipeline.svg'))

# %% [markdown]
# In the first picture the iterator is where the placeholders were. In the second you find the
# chain of Datasets: each call above became a node.

# %%
losses = []
share = 0.0
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print('\nstep    loss  test flowers named')
    for step in range(0, 201, 50):
        session.run(use_test)
        share = session.run(accuracy)
        session.run(use_training)
        portion = [session.run([train, loss])[1] for _ in range(50)]
        losses.extend(portion)
        print(f'{step:4} {portion[0]:7.4f}  {share:.0%}')

# %% [markdown]
# No `feed_dict` in the loop. But note: *every* `session.run` that needs `measures` takes a new
# batch. A program that says
#
#     session.run(train)
#     print(session.run(loss))
#
# sees the loss of another batch than the one just trained on, and every second batch is never
# learned from. Fetch together what belongs together: `session.run([train, loss])`.

# %%
counter = tf.data.make_one_shot_iterator(tf.data.Dataset.range(100)).get_next()
twice = 2 * counter
with tf.Session() as session:
    apart = [session.run(counter), session.run(twice)]
    together = session.run([counter, twice])
print('\nfetched apart:', *apart, '  fetched together:', *together)

# %% [markdown]
# ## Rows of different lengths, and data made in Python
#
# `from_generator` takes any Python generator, and `padded_batch` fills short rows up with zeros, as
# recurrent networks want it.


# %%
def words():
    """The letters of some words as numbers, a = 1."""
    for word in ['i', 'see', 'a', 'kangaroo']:
        yield [ord(letter) - ord('a') + 1 for letter in word]


dataset = tf.data.Dataset.from_generator(words, tf.int32, [None])
first, second = elements(dataset.padded_batch(2, [None]))
print('\nbatches of words')
print(first)
print(second)

# %% [markdown]
# ## The older way: queues
#
# Programs of 2016 have queues instead. A **queue** is a node that keeps elements between runs;
# `enqueue` puts one in, `dequeue` takes one out and *waits* while there is none. So somebody must
# put elements in at the same time: a `QueueRunner`, started by `start_queue_runners`, does it in
# threads, and a `Coordinator` ends them.

# %%
tf.reset_default_graph()
queue = tf.FIFOQueue(capacity=4, dtypes=[tf.int32], shapes=[[]], name='queue')
number = tf.Variable(0, name='number')
put = queue.enqueue(tf.square(tf.assign_add(number, 1)), name='put')
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [put]))
batch = queue.dequeue_many(3, name='batch')

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    squares = np.concatenate([session.run(batch), session.run(batch)])
    coordinator.request_stop()
    coordinator.join(threads)
print('\nfrom the queue:', *squares)

tf.viz.draw([put, batch], output('10_queue.svg'))
show_picture('Picture of the queue:', output('10_queue.svg'))

# %% [markdown]
# A program that dequeues and has not called `start_queue_runners` waits for ever: the best known
# mistake with queues. (In tinyflow it is an error that says so.) `tf.data` has replaced them.
#
# **What to remember.** Dataset: a description, made by a chain of calls. Iterator: hands the
# elements out, a new one at each `session.run`. Shuffle, then repeat, then batch.
#
# **Try it.** Put `.take(10)` in front of `.shuffle` in `training`: is that enough to learn from?
# Write your own data into a CSV file and read it. What happens if `repeat()` is left out?

# %%
# The lesson checks itself: what the text says is so.
assert odd == [1, 3, 5]
assert share > 0.9 and np.mean(losses[-20:]) < 0.2 < losses[0]
assert apart == [0, 2] and list(together) == [2, 4]
assert list(squares) == [1, 4, 9, 16, 25, 36]
assert first.shape == (2, 3) and second.shape == (2, 8) and not second[0, 1:].any()

# %% [markdown]
# Next lesson: [11. Saving and restoring](11_saving.py).
