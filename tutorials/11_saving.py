# %% [markdown]
# # 11. Saving and restoring
#
# *You need lesson 5. It takes 25 minutes. Afterwards you can save and restore Variables, freeze a
# graph, export a model.*
#
# When a Session is closed, what its Variables have learned is gone. This tutorial keeps it: the
# numbers alone (a **checkpoint**), then graph and numbers together, for somebody else to use. The
# files are TensorFlow's own: it reads what is written here, and the other way round.

# %%
import os
import tempfile

import numpy as np
from helpers import output, show_picture

import tinyflow as tf

folder = tempfile.TemporaryDirectory()      # goes away with this program; yours would be 'model/'


def inside(name):
    """The path of `name` in the folder for this tutorial's files."""
    return os.path.join(folder.name, name)


# %% [markdown]
# ## A model worth keeping
#
# The straight line of tutorial 5 again, now with a counter of the steps.

# %%
np.random.seed(1)
xs = np.linspace(-2.0, 2.0, 50)
ys = 0.3 * xs + 2.0 + np.random.normal(0.0, 0.3, size=50)

x = tf.placeholder(tf.float32, [None], name='x')
y = tf.placeholder(tf.float32, [None], name='y')
with tf.variable_scope('line'):
    weight = tf.get_variable('weight', [], initializer=tf.zeros_initializer())
    bias = tf.get_variable('bias', [], initializer=tf.zeros_initializer())
prediction = tf.add(weight * x, bias, name='prediction')
loss = tf.reduce_mean(tf.square(prediction - y), name='loss')
step = tf.train.get_or_create_global_step()
train = tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss, global_step=step)

# %% [markdown]
# ## Save
#
# A **Saver** adds nodes to the graph that write Variables to a file and read them from one. It
# keeps the newest 5 checkpoints (here 2) and removes older ones; the small file `checkpoint` says
# which is the newest.

# %%
saver = tf.train.Saver(max_to_keep=2)

path = ''
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        for _ in range(25):
            session.run(train, {x: xs, y: ys})
        path = saver.save(session, inside('line.ckpt'), global_step=step)
        print('saved', os.path.basename(path))
    learned = session.run([weight, bias])

print('\nfiles:')
for name in sorted(os.listdir(folder.name)):
    print('  ', name)

# %% [markdown]
# `.data` holds the numbers, `.index` says where in it each Variable is, `.meta` holds the graph.
# The nodes of the Saver are usually left out of pictures; here they are:

# %%
saving = tf.get_default_graph().get_tensor_by_name(saver.saver_def.save_tensor_name)
restoring = tf.get_default_graph().get_operation_by_name(saver.saver_def.restore_op_name)
tf.viz.draw([saving, restoring], output('11_saver.svg'), open=['save'])
show_picture('\nPicture of the Saver:', output('11_saver.svg'))

# %% [markdown]
# ## Restore
#
# A new Session knows nothing. `restore` gives every Variable its value, so no initializer is
# needed; training could go on just where it stopped, because the counter and the momentum were
# saved too.

# %%
with tf.Session() as session:
    saver.restore(session, tf.train.latest_checkpoint(folder.name))
    restored = session.run([weight, bias])
    print('\nrestored after step', session.run(step))
print(f'y = {restored[0]:.4f} x + {restored[1]:.4f}')

# %% [markdown]
# ## What is in a checkpoint?
#
# It can be read without the graph. A checkpoint is nothing but a table of names and arrays. (The
# `Momentum` arrays belong to the optimizer: one for each Variable.)

# %%
print('\nin the checkpoint')
for name, shape in tf.train.list_variables(path):
    print(f'  {name:22} {str(shape):4} {tf.train.load_variable(path, name):.4f}')

# %% [markdown]
# ## When graph and checkpoint do not fit
#
# The Saver finds values by *name*. Rename one Variable and it is not found any more. Here is a
# graph whose author wrote `slope` for `weight`, and added something new.

# %%
tf.reset_default_graph()
with tf.variable_scope('line'):
    slope = tf.get_variable('slope', [], initializer=tf.zeros_initializer())
    bias = tf.get_variable('bias', [], initializer=tf.zeros_initializer())
curve = tf.get_variable('curve', [], initializer=tf.zeros_initializer())

problem = ''
with tf.Session() as session:
    try:
        tf.train.Saver().restore(session, path)
    except tf.errors.NotFoundError as error:
        problem = str(error).replace(folder.name + os.sep, '')
print(problem)

# %% [markdown]
# The table says all at once: what the graph misses, and what the checkpoint has in addition. If you
# know which belong together, give the Saver a dictionary `{name in the file: Variable}`. What
# is not in it must be initialized.

# %%
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.train.Saver({'line/weight': slope, 'line/bias': bias}).restore(session, path)
    renamed = session.run([slope, bias, curve])
print('\nwith names given: slope {:.4f}, bias {:.4f}, curve {:.4f}'.format(*renamed))

# %% [markdown]
# ## The graph from a file
#
# The program that built the graph is not needed either. `import_meta_graph` builds the graph again
# from the `.meta` file, with all names. Tensors are then found by name, `node:output`.

# %%
tf.reset_default_graph()
earlier = tf.Session()
saver = tf.train.import_meta_graph(path + '.meta')
saver.restore(earlier, path)
by_name = earlier.run('prediction:0', {'x:0': [0.0, 1.0]})
print('\nfrom the .meta file: at 0 and 1 the line is at', by_name)

# %% [markdown]
# ## Frozen: no Variables any more
#
# To use a model it need not be able to learn. `convert_variables_to_constants` takes what
# `prediction` needs and puts constants in place of the Variables. The result is a GraphDef: a list
# of nodes that fits into one file.

# %%
graph_def = earlier.graph.as_graph_def()
frozen = tf.graph_util.convert_variables_to_constants(earlier, graph_def, ['prediction'])
print('\nnodes in the graph', len(graph_def.node), ' frozen', len(frozen.node))
for node in frozen.node:
    print(f'  {node.op:12} {node.name}')

with open(inside('frozen.pb'), 'wb') as file:
    file.write(frozen.SerializeToString())

# %% [markdown]
# `import_graph_def` adds such a list to another graph. `input_map` ties its ends to tensors that
# are there: here the frozen line gets the numbers from a constant.

# %%
tf.reset_default_graph()
graph_def = tf.GraphDef()
with open(inside('frozen.pb'), 'rb') as frozen_file:
    graph_def.ParseFromString(frozen_file.read())
points = tf.constant([0.0, 1.0], name='points')
frozen_line, = tf.import_graph_def(graph_def, {'x': points}, ['prediction:0'], name='frozen')
tf.viz.draw(frozen_line, output('11_frozen.svg'), open=['frozen'], show_constants=True)
show_picture('Picture of the frozen line:', output('11_frozen.svg'))

with tf.Session() as session:
    frozen_values = session.run(frozen_line)
print('the frozen line says', frozen_values)

# %% [markdown]
# ## SavedModel: for others
#
# A **SavedModel** is a folder with graph, numbers, and a **signature**: which tensors go in, which
# come out, under names that mean something to its users. Servers and other languages read it.

# %%
with earlier.graph.as_default():
    inputs = {'x': earlier.graph.get_tensor_by_name('x:0')}
    outputs = {'y': earlier.graph.get_tensor_by_name('prediction:0')}
    tf.saved_model.simple_save(earlier, inside('exported'), inputs, outputs)
earlier.close()

tf.reset_default_graph()
with tf.Session() as session:
    model = tf.saved_model.loader.load(session, [tf.saved_model.tag_constants.SERVING],
                                       inside('exported'))
    signature = model.signature_def['serving_default']
    fed, fetched = signature.inputs['x'].name, signature.outputs['y'].name
    served = session.run(fetched, {fed: [0.0, 1.0]})
print(f'\nthe signature says: feed {fed}, fetch {fetched}; it gives {served}')

# %% [markdown]
# **What to remember.** Checkpoint: names and numbers, to go on training. Frozen graph: one file, to
# compute only. SavedModel: a folder with a signature, to give away.
#
# **Try it.** Restore the checkpoint and train 100 steps more. Look into one of your own checkpoints
# with `tf.train.list_variables`. Delete the last 10 bytes of a `.data` file, and restore.

# %%
# The lesson checks itself: what the text says is so.
assert restored == learned and renamed[:2] == learned and renamed[2] == 0.0
assert 'missing  line/slope' in problem and 'unused   line/weight' in problem
assert np.array_equal(by_name, frozen_values) and np.array_equal(by_name, served)
assert not any('Variable' in node.op for node in frozen.node)
folder.cleanup()

# %% [markdown]
# Next lesson: [12. TensorBoard: watching a network learn](12_tensorboard.py).
