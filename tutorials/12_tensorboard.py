# %% [markdown]
# # 12. TensorBoard: watching a network learn
#
# *You need lesson 6. It takes 20 minutes. Afterwards you can write summaries and look at a
# training in TensorBoard.*
#
# One number per step, the loss, is little to see of a network with thousands of weights. A
# **summary** is a node that turns a tensor into a small message; a **FileWriter** puts messages
# into a file, together with the graph. The program TensorBoard shows such files in the browser.

# %%
import glob
import os
import tempfile

import numpy as np
from helpers import output, show_curve, show_picture

import tinyflow as tf
from tinyflow.api.examples.tutorials.mnist import input_data

folder = tempfile.TemporaryDirectory()      # goes away with this program; yours would be 'logs/'

# %% [markdown]
# ## A network with summaries
#
# The network of tutorial 6 in short. The name of a summary is its name in TensorBoard; those with
# the same name scope are shown together.

# %%
tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, 784], name='x')
labels = tf.placeholder(tf.int64, [None], name='labels')

hidden = tf.layers.dense(x, 32, activation=tf.nn.relu, name='hidden')
logits = tf.layers.dense(hidden, 10, name='logits')
loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
right = tf.equal(tf.argmax(logits, 1), labels)
accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name='accuracy')
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)

with tf.name_scope('learning'):
    tf.summary.scalar('loss', loss)
    tf.summary.scalar('accuracy', accuracy)
with tf.name_scope('weights'):
    for variable in tf.trainable_variables():
        tf.summary.histogram(variable.op.name, variable)
tf.summary.image('digits', tf.reshape(x, [-1, 28, 28, 1]), max_outputs=2)

# %% [markdown]
# A summary is a node like any other: nothing needs it, so it does not run by itself. `merge_all`
# makes one node of all of them, to be fetched when you want to know.

# %%
merged = tf.summary.merge_all()
tf.viz.draw(merged, output('12_summaries.svg'))
print('summaries:', *[tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES)])
show_picture('\nPicture of the summaries:', output('12_summaries.svg'))

# %% [markdown]
# ## Writing
#
# Two writers, for two folders: TensorBoard draws the curves of neighbouring folders over each
# other. The training writer also gets the graph. Once, a run is measured, and what each node took
# is written too (**run metadata**; in TensorBoard choose it next to the graph).

# %%
digits = input_data.read_data_sets('MNIST_data', seed=0)
test = {x: digits.test.images, labels: digits.test.labels}

session = tf.Session()
session.run(tf.global_variables_initializer())
train_writer = tf.summary.FileWriter(os.path.join(folder.name, 'train'), session.graph)
test_writer = tf.summary.FileWriter(os.path.join(folder.name, 'test'))

for step in range(201):
    batch_x, batch_labels = digits.train.next_batch(50)
    batch = {x: batch_x, labels: batch_labels}
    if step % 10 == 0:
        test_writer.add_summary(session.run(merged, test), step)
        train_writer.add_summary(session.run(merged, batch), step)
    if step == 100:
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(train, batch, options=options, run_metadata=metadata)
        train_writer.add_run_metadata(metadata, 'step 100')
    else:
        session.run(train, batch)

# %% [markdown]
# A number that no node computes can be written as well: make the message yourself.

# %%
value = tf.Summary.Value(tag='learning/rate', simple_value=0.2)
train_writer.add_summary(tf.Summary(value=[value]), 0)
train_writer.close()
test_writer.close()
session.close()

# %% [markdown]
# To look at it, where TensorBoard is installed: `tensorboard --logdir logs`, and open the address
# that it prints.
#
# ## What is in the file?
#
# No magic: a row of *events*. Each has a time, a step and its content. `summary_iterator` reads
# them back, so the curves can be had without TensorBoard too.


# %%
def events(name):
    """The events of the writer `name`, from its only file."""
    file, = glob.glob(os.path.join(folder.name, name, 'events.out.tfevents.*'))
    return list(tf.train.summary_iterator(file))


kinds: dict[str, int] = {}
for event in events('train'):
    kind = event.WhichOneof('what')
    kinds[kind] = kinds.get(kind, 0) + 1
print('\nevents in the training file:')
for kind, number in kinds.items():
    print(f'  {kind:20} {number}')


# %%
def curve(name, tag):
    """The scalars called `tag` that the writer `name` has written: steps and values."""
    found = [(event.step, value.simple_value) for event in events(name)
             for value in event.summary.value if value.tag == tag]
    return [list(part) for part in zip(*found)]


steps, losses = curve('train', 'learning/loss')
_, accuracies = curve('test', 'learning/accuracy')
print('\nthe loss on the batches, read from the file:\n')
show_curve(losses)
print(f'\ntest digits read: {accuracies[0]:.0%} at step {steps[0]}, '
      f'{accuracies[-1]:.0%} at step {steps[-1]}')

# %% [markdown]
# ## Histograms: how the weights move
#
# A histogram message holds limits and how many values lie between them. Here are the weights of the
# hidden layer at the first step and at the last.

# %%
histograms = {event.step: value.histo for event in events('train')
              for value in event.summary.value if value.tag == 'weights/hidden/kernel'}
for step in [0, 200]:
    histogram = histograms[step]
    limits, counts = np.array(histogram.bucket_limit), np.array(histogram.bucket)
    print(f'\nhidden/kernel at step {step}: {histogram.num:.0f} numbers '
          f'from {histogram.min:.3f} to {histogram.max:.3f}')
    for low in np.arange(-20, 20, 5) / 100:
        share = counts[(limits > low) & (limits <= low + 0.05)].sum() / histogram.num
        print(f'  {low:5.2f} to {low + 0.05:5.2f}  {"#" * round(60 * share)}')

# %% [markdown]
# The weights begin evenly spread between two limits (that is the initializer of `tf.layers`), and
# learning moves some of them beyond these limits: histograms show whether a layer learns at all,
# and whether its weights run away.
#
# ## Images
#
# An image message is a PNG file inside of the event file. Take one out:

# %%
images = [value for event in events('test') for value in event.summary.value
          if value.tag.startswith('digits/image')]
with open(output('12_digit.png'), 'wb') as file:
    file.write(images[0].image.encoded_image_string)
print(f'\n{len(images)} images in the test file; the first one is {images[0].image.height} pixels '
      'high')
show_picture('It is here:', output('12_digit.png'))

# %% [markdown]
# **What to remember.** Summaries are nodes, `merge_all` gathers them, a FileWriter writes what
# `session.run(merged)` gives. Two folders for two curves. Give the FileWriter the graph.
#
# **Try it.** Write a histogram of `hidden`, the outputs instead of the weights: how many are 0? Put
# a summary into the loss of tutorial 8. Forget to give `step` to `add_summary`: what happens to the
# curve?

# %%
# The lesson checks itself: what the text says is so.
assert kinds['summary'] >= 22 and kinds['graph_def'] == 1 and kinds['tagged_run_metadata'] == 1
assert losses[-1] < 0.5 * losses[0] and accuracies[-1] > 0.8
assert steps == list(range(0, 201, 10))
assert histograms[0].num == 784 * 32 and histograms[200].max > histograms[0].max
assert images[0].image.encoded_image_string.startswith(b'\x89PNG')
folder.cleanup()

# %% [markdown]
# Next lesson: [13. Control flow: deciding and repeating inside the graph](13_control_flow.py).
