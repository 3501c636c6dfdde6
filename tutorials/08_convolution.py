# %% [markdown]
# # 8. Convolution: a small window that looks everywhere
#
# *You need lesson 6. It takes 25 minutes. Afterwards you can build a convolutional network, and
# see what its filters do.*
#
# The networks of tutorial 6 saw a picture as a row of 784 numbers. Which pixel is next to which
# was lost. A **convolutional network** keeps the picture a picture: a small window of weights, the
# **filter**, is moved over it, and at each place it answers how well it fits there.
#
# (Training takes ten seconds to a minute, depending on your machine.)

# %%
import numpy as np
from helpers import output, show_picture

import tinyflow as tf
from tinyflow.api.examples.tutorials.mnist import input_data

# %% [markdown]
# ## One filter, by hand
#
# Here is a picture of 5 x 6 pixels, dark on the left and light on the right, and a filter of 3 x 3
# that answers "how much lighter is it to the right of this place than to the left of it?"
#
# `tf.nn.conv2d` needs four dimensions. Pictures are `[batch, height, width, channels]` (channels
# are colours; here there is one), filters are `[height, width, channels in, channels out]`.

# %%
picture = np.zeros([5, 6], np.float32)
picture[:, 3:] = 1.0
edge_filter = np.array([[-1, 0, 1]] * 3, np.float32)

image = tf.constant(picture.reshape(1, 5, 6, 1), name='image')
kernel = tf.constant(edge_filter.reshape(3, 3, 1, 1), name='kernel')
valid = tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding='VALID', name='valid')
same = tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding='SAME', name='same')

with tf.Session() as session:
    found, found_same = session.run([valid, same])

print('the picture:')
print(picture.astype(int))
print('\nwhere it grows lighter, padding VALID:')
print(found[0, :, :, 0].astype(int))
print('\npadding SAME:')
print(found_same[0, :, :, 0].astype(int))

# %% [markdown]
# The edge between dark and light is found, and nothing else. With `VALID` the window stays inside,
# so the result is smaller. With `SAME` a rim of zeros is put around the picture, so that the result
# has its size; look at the last column, where the filter takes the end of the picture for an edge.
#
# What is multiplied with what? Cut all windows out, write each as a row, and the convolution is a
# matrix product; nothing more is behind it. (tinyflow really computes it in this way.)

# %%
rows = [picture[i:i + 3, j:j + 3].ravel() for i in range(3) for j in range(4)]
by_hand = (np.array(rows) @ edge_filter.ravel()).reshape(3, 4)
print('\nby hand the same:', np.array_equal(by_hand, found[0, :, :, 0]))

# %% [markdown]
# ## A network that finds its own filters
#
# We do not have to invent filters. They are weights, and training finds them. The digits from
# tutorial 6 go through
#
# - 8 filters of 5 x 5, which give 8 pictures, one for each filter;
# - **pooling**: of each 2 x 2 pixels keep the largest. The picture has half the size, and a stroke
#   that is one pixel further left looks the same;
# - both once more, with 16 filters, each of which looks at all 8 pictures;
# - a dense layer with 10 outputs, one for each digit.
#
# `tf.layers` makes the Variables and the nodes of a layer in one call.

# %%
tf.reset_default_graph()
tf.set_random_seed(1)

x = tf.placeholder(tf.float32, [None, 784], name='x')
labels = tf.placeholder(tf.int64, [None], name='labels')

images = tf.reshape(x, [-1, 28, 28, 1], name='images')
conv1 = tf.layers.conv2d(images, 8, 5, padding='same', activation=tf.nn.relu, name='conv1')
pool1 = tf.layers.max_pooling2d(conv1, 2, 2, name='pool1')
conv2 = tf.layers.conv2d(pool1, 16, 5, padding='same', activation=tf.nn.relu, name='conv2')
pool2 = tf.layers.max_pooling2d(conv2, 2, 2, name='pool2')
logits = tf.layers.dense(tf.layers.flatten(pool2), 10, name='logits')

print('\nshapes on the way (? is the number of pictures)')
for tensor in [images, conv1, pool1, conv2, pool2, logits]:
    print(f'  {tensor.op.name:18} {tensor.shape}')

# %% [markdown]
# The pictures become smaller and more numerous. How many numbers have to be learned?

# %%
print('\nlearned numbers')
for variable in tf.trainable_variables():
    print(f'  {variable.op.name:18} {str(variable.shape):18} {variable.shape.num_elements():6}')
count = sum(variable.shape.num_elements() for variable in tf.trainable_variables())
print(f'  {count} in all; the network of tutorial 6 had {784 * 64 + 64 + 64 * 10 + 10}')

# %% [markdown]
# Few, because a filter is the same wherever it looks. That is called **weight sharing**, and it is
# the reason why convolution learns from so few examples.

# %%
loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
right = tf.equal(tf.argmax(logits, 1), labels)
accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name='accuracy')
train = tf.train.AdamOptimizer(0.003).minimize(loss)

tf.viz.draw(loss, output('08_convolution.svg'))
show_picture('\nPicture:', output('08_convolution.svg'))

digits = input_data.read_data_sets('MNIST_data', seed=0)
test = {x: digits.test.images, labels: digits.test.labels}

session = tf.Session()
session.run(tf.global_variables_initializer())
filters_before = session.run('conv1/kernel:0')

print('\nTraining 240 steps: ten seconds to a minute ...')
print('\nstep    loss  test digits read')
share = 0.0
for step in range(241):
    batch_x, batch_labels = digits.train.next_batch(50)
    _, value = session.run([train, loss], {x: batch_x, labels: batch_labels})
    if step % 60 == 0:
        share = session.run(accuracy, test)
        print(f'{step:4} {value:7.4f}  {share:.1%}')

# %% [markdown]
# A percent or two more than the network of tutorial 6 (which read about 91%), with less than a
# quarter of its weights. With all of MNIST the distance is larger.
#
# ## Looking at the filters
#
# Which windows did it find? A filter is a picture of 5 x 5, so it can be shown as one. Each pixel
# is drawn larger. `tf.summary.image` makes PNG files; tutorial 12 says more about summaries.


# %%
def tiles(pictures, scale, gap=4):
    """Pictures [n, height, width] side by side, each from black to white, with a light gap."""
    low = pictures.min(axis=(1, 2), keepdims=True)
    high = pictures.max(axis=(1, 2), keepdims=True)
    grey = (255 * (pictures - low) / np.maximum(high - low, 1e-6)).astype(np.uint8)
    large = grey.repeat(scale, axis=1).repeat(scale, axis=2)
    framed = np.pad(large, [(0, 0), (gap, gap), (gap, gap)], constant_values=230)
    return np.concatenate(list(framed), axis=1)


def write_png(path, grey):
    """Writes a grey picture [height, width] as PNG."""
    with tf.Session() as writer:
        message = writer.run(tf.summary.image('grey', grey[np.newaxis, :, :, np.newaxis]))
    with open(path, 'wb') as file:
        file.write(tf.Summary.FromString(message).value[0].image.encoded_image_string)


filters = session.run('conv1/kernel:0')[:, :, 0, :].transpose(2, 0, 1)
seen, reduced = session.run([conv1, pool1], {x: digits.test.images[:1]})
strips = [tiles(filters, scale=16, gap=6), tiles(seen[0].transpose(2, 0, 1), scale=3),
          tiles(reduced[0].transpose(2, 0, 1), scale=6)]
write_png(output('08_filters.png'), np.concatenate(strips))
show_picture('\nPicture of the filters, and of what they make of the first test digit:',
             output('08_filters.png'))

# %% [markdown]
# The upper row shows the 8 filters (light: ink here speaks for it, dark: against it), the middle
# row what each answers to the first test digit, and the lower row the same after pooling. Some have
# become edge detectors like ours above: the first is light on the left and dark on the right, the
# second the other way round. The last one answers to slanting strokes and hardly to upright ones.
# (How the filters turn out is a matter of chance. Another seed finds others, as good as these.)
#
# ## What a layer costs
#
# `tf.explain` shows that there is no layer any more: convolution, bias and ReLU are steps of one
# Python function. Convolutions take most of the time.

# %%
profile = session.profile(logits, {x: digits.test.images[:100]}, runs=3)
seconds: dict[str, float] = {}
for _, kind, spent in profile.by_node():
    seconds[kind] = seconds.get(kind, 0.0) + spent
print('\nshare of the time for 100 pictures')
for kind, spent in sorted(seconds.items(), key=lambda item: -item[1])[:4]:
    print(f'  {kind:12} {spent / sum(seconds.values()):.0%}')

learned = session.run('conv1/kernel:0')
session.close()

# %% [markdown]
# **What to remember.** A convolution is one small set of weights, moved over the whole picture.
# `SAME` keeps the size, `VALID` does not, strides and pooling divide it.
#
# **Try it.** Take `strides=2` in place of pooling and look at the shapes. Use one filter instead of
# 8. Shift all test digits two pixels (`np.roll`) and compare with the network of tutorial 6.

# %%
# The lesson checks itself: what the text says is so.
assert share > 0.88
assert logits.shape.as_list() == [None, 10] and pool2.shape.as_list() == [None, 7, 7, 16]
assert np.abs(learned - filters_before).max() > 0.05

# %% [markdown]
# Next lesson: [9. Recurrent networks: the same cell, again and again](09_recurrent.py).
