# %% [markdown]
# # 19. Estimator: irises, and no Session in sight
#
# *You need lesson 10. It takes 25 minutes. Afterwards you can train a ready-made Estimator,
# evaluate it, predict, and continue a training.*
#
# So far you have built graphs, opened Sessions and written training loops. An **Estimator** does
# all three. You say what the data are (an *input function*) and what the model is; it builds the
# graph, trains, saves, restores, writes for TensorBoard. This tutorial uses it, then looks behind
# it.

# %%
import csv
import glob
import os
import tempfile

from helpers import output, show_curve, show_picture

import tinyflow as tf

folder = tempfile.TemporaryDirectory()      # goes away with this program; yours would be 'iris/'

# %% [markdown]
# ## The data: a CSV file
#
# In 1935 the botanist Edgar Anderson measured 150 irises of three species. The numbers come with
# tinyflow; here they are written into two CSV files, 120 flowers to learn from and 30 for the test,
# because data mostly come as files.

# %%
SPECIES = ['setosa', 'versicolor', 'virginica']
COLUMNS = ['sepal_length', 'sepal_width', 'petal_length', 'petal_width']
training_file, test_file = (os.path.join(folder.name, name) for name in ('train.csv', 'test.csv'))

for path, (lengths, kinds) in zip([training_file, test_file], tf.keras.datasets.iris.load_data()):
    with open(path, 'w', newline='') as file:
        table = csv.writer(file)
        table.writerow([*COLUMNS, 'species'])
        for row, kind in zip(lengths, kinds):
            table.writerow([*(f'{length:.1f}' for length in row), SPECIES[kind]])

with open(training_file) as file:
    print(*file.read().splitlines()[:4], sep='\n')

# %% [markdown]
# ## The input function
#
# It has no arguments and returns a Dataset of pairs: a dict of *features* by name, and the label.
# Why a function, and not the Dataset itself? Because the Estimator builds a new graph whenever it
# needs one, and a Dataset belongs to the graph in which it was made.


# %%
def training_input():
    """Mixed batches of 32 flowers, again and again."""
    return tf.data.experimental.make_csv_dataset(training_file, 32, label_name='species',
                                                 shuffle_seed=1, shuffle_buffer_size=120)


def test_input():
    """The test flowers, once."""
    return tf.data.experimental.make_csv_dataset(test_file, 30, label_name='species',
                                                 shuffle=False, num_epochs=1)


with tf.Graph().as_default(), tf.Session() as session:
    features, species = session.run(test_input().make_one_shot_iterator().get_next())
print('\na batch:', {name: values[:3].tolist() for name, values in features.items()})
print('labels: ', species[:3].tolist())

# %% [markdown]
# ## Feature columns
#
# A **feature column** says how a feature becomes numbers for the network. Lengths are numbers
# already; here each is brought near 0 by subtracting a typical length. The next tutorial has
# columns for words. `preview` (tinyflow's own) shows what they make of a batch.

# %%
centre = {'sepal_length': 5.8, 'sepal_width': 3.1, 'petal_length': 3.8, 'petal_width': 1.2}
columns = [tf.feature_column.numeric_column(
    name, normalizer_fn=lambda x, typical=centre[name]: x - typical) for name in COLUMNS]
print()
print(tf.feature_column.preview(features, columns, rows=2))

# %% [markdown]
# ## Train, evaluate, predict
#
# `DNNClassifier` is a ready-made Estimator: layers with ReLU and one logit for each class.
# `model_dir` is where it keeps everything. The seed in the `RunConfig` makes it come out the same
# every time.

# %%
model_dir = os.path.join(folder.name, 'model')
classifier = tf.estimator.DNNClassifier(
    hidden_units=[10, 10], feature_columns=columns, n_classes=3, label_vocabulary=SPECIES,
    model_dir=model_dir, config=tf.estimator.RunConfig(tf_random_seed=1, save_summary_steps=10))

classifier.train(training_input, steps=400)
metrics = classifier.evaluate(test_input)
print('\nevaluate:')
for name, value in metrics.items():
    print(f'  {name:12} {value:g}')

# %% [markdown]
# `loss` is the sum over a batch, which is what the ready-made Estimators make small;
# `average_loss` is per flower. `predict` yields a dict for each flower, one after the other. Two
# flowers of your own may come straight from lists, in place of the input function:

# %%
two_flowers = {'sepal_length': [5.1, 6.4], 'sepal_width': [3.3, 2.8],
               'petal_length': [1.7, 5.4], 'petal_width': [0.5, 2.0]}      # no labels

predictions = list(classifier.predict(two_flowers))
print('\nkeys of a prediction:', sorted(predictions[0]))
for prediction in predictions:
    name, = prediction['classes']
    print(f'  {name.decode():10} {prediction["probabilities"].max():.1%} sure')

# %% [markdown]
# ## What is in model_dir
#
# Nothing of the model is in the Python object. It lives in files:

# %%
print('\nmodel_dir:')
for path in sorted(glob.glob(os.path.join(model_dir, '**'), recursive=True)):
    if os.path.isfile(path):
        name = os.path.relpath(path, model_dir)
        print(' ', name if 'tfevents' not in name else name.split('tfevents')[0] + 'tfevents...')

print('\nin the latest checkpoint:')
for name in classifier.get_variable_names():
    print(f'  {name:38} {classifier.get_variable_value(name).shape}')

# %% [markdown]
# The files `model.ckpt-0` are from before the first step, `model.ckpt-400` from after the last;
# `graph.pbtxt` is the graph, and the *events* are for TensorBoard. The weights are next to their
# `Adagrad`, which is the optimizer's memory of former gradients.
#
# Therefore another `train` goes on where the first one stopped. Even another *program* does, with
# nothing but the same model_dir:

# %%
again = tf.estimator.DNNClassifier(
    hidden_units=[10, 10], feature_columns=columns, n_classes=3, label_vocabulary=SPECIES,
    model_dir=model_dir, config=tf.estimator.RunConfig(tf_random_seed=1, save_summary_steps=10))
again.train(training_input, steps=200)
more = again.evaluate(test_input)
print(f'\nafter step {metrics["global_step"]}: average_loss {metrics["average_loss"]:.4f}, '
      f'after step {more["global_step"]}: {more["average_loss"]:.4f}')

# %% [markdown]
# (The second number is no better: on 30 flowers one doubtful flower decides.)
#
# Here is the trap: change `hidden_units` and keep the model_dir, and the weights in the checkpoint
# no longer fit the graph. It is an error, and the message says what to do:

# %%
wider = tf.estimator.DNNClassifier(
    hidden_units=[20, 10], feature_columns=columns, n_classes=3, label_vocabulary=SPECIES,
    model_dir=model_dir)
problem = ''
try:
    wider.evaluate(test_input)
except tf.errors.InvalidArgumentError as error:
    problem = str(error).replace(folder.name + os.sep, '')
lines = problem.splitlines()
print()
print(*lines[:4], '  ...', *(line for line in lines if 'Hint' in line), sep='\n')

# %% [markdown]
# ## TensorBoard's events
#
# The loss of every tenth step was written while training. `tensorboard --logdir model_dir` draws
# it; `tf.train.summary_iterator` reads the same file.

# %%
events = []
for path in sorted(glob.glob(os.path.join(model_dir, 'events.out.tfevents.*'))):
    events += [(event.step, value.tag, value.simple_value) for event in
               tf.train.summary_iterator(path) for value in event.summary.value]
print('tags:', *sorted({tag for _, tag, _ in events}), sep='\n  ')

losses = [value for step, tag, value in sorted(events) if tag == 'average_loss']
show_curve(losses, 'average_loss, 600 steps')

# %% [markdown]
# ## Behind it
#
# It is all there still: a graph, a Session, a loop. `tf.explain` says which calls an Estimator
# makes, and `tf.viz.draw` shows the graph that it has trained.

# %%
print()
print('\n'.join(line for line in str(tf.explain(classifier)).splitlines()[1:]
                if not line.startswith(('  variable', '  checkpoint', '  kept'))))
tf.viz.draw(classifier, output('19_iris.svg'))
show_picture('\nPicture:', output('19_iris.svg'))

# %% [markdown]
# In the picture you find the iterator of the CSV file, the feature columns, two hidden layers, the
# logits, and the *head*, which knows what a classifier needs: the loss while training, metrics
# while evaluating, probabilities while predicting.
#
# **What to remember.** input_fn, feature columns, Estimator; `train`, `evaluate`, `predict`. Each
# of them builds a graph, restores the latest checkpoint of model_dir, runs. To start over, take a
# new model_dir.
#
# **Try it.** Leave the normalizer away. Give it `hidden_units=[]`: how good is a classifier without
# hidden layers? Ask for `steps=10` and draw what it then knows.

# %%
# The lesson checks itself: what the text says is so.
assert metrics['global_step'] == 400 and more['global_step'] == 600
assert more['accuracy'] >= 0.9
assert [p['classes'][0] for p in predictions] == [b'setosa', b'virginica']
assert len(losses) == 60 and losses[-1] < losses[0] / 2
classifier.close()
folder.cleanup()

# %% [markdown]
# Next lesson: [20. Titanic: words, ages and tickets as features](20_estimator_titanic.py).
