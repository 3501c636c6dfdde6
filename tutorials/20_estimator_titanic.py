# %% [markdown]
# # 20. Titanic: words, ages and tickets as features
#
# *You need lesson 19. It takes 30 minutes. Afterwards you can turn words and numbers into features
# with feature columns.*
#
# Who survived the Titanic? Sex, age and class of a passenger say much about it. But a network
# multiplies numbers, and "female", "Cherbourg" and "third class" are none. This tutorial is about
# **feature columns**: how a table of mixed things becomes numbers, and about **wide & deep**, two
# models in one.
#
# (Training takes five to fifteen seconds, depending on your machine.)

# %%
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np
from helpers import output, show_picture

import tinyflow as tf

folder = tempfile.TemporaryDirectory()

# %% [markdown]
# ## The data, and an honest word about them
#
# These passengers are **made up**. A tutorial should need no download, so a rule below draws
# them by chance. The rule follows what is well known of the real list: nearly all women of the
# first and second class survived, about half of those of the third; of the men more than a third
# in the first class, about one in seven in the others; small children were saved first, if they
# did not travel third class. What you learn here about columns is real. Learn history elsewhere.
#
# Made-up data have one advantage: the true chance of every passenger is known, so we can tell how
# good a model could be at best.

# %%
CHANCE = {('female', 'first'): 0.96, ('female', 'second'): 0.91, ('female', 'third'): 0.49,
          ('male', 'first'): 0.36, ('male', 'second'): 0.12, ('male', 'third'): 0.14}
CHILD = {'first': 0.95, 'second': 0.97, 'third': 0.40}          # under ten years


def passengers(count, seed):
    """Rows (survived, class, sex, age, fare, town, title) and the true chance of each."""
    draw = np.random.RandomState(seed)
    rows, chances = [], []
    for _ in range(count):
        klass = draw.choice(['first', 'second', 'third'], p=[0.24, 0.21, 0.55])
        sex = draw.choice(['male', 'female'], p=[0.64, 0.36])
        middle = {'first': 38, 'second': 30, 'third': 25}[klass]
        age = round(float(np.clip(draw.normal(middle, 13), 1, 80)))
        fare = round(float({'first': 60, 'second': 18, 'third': 9}[klass]
                           * draw.lognormal(0, 0.5)), 2)
        town = draw.choice(['Southampton', 'Cherbourg', 'Queenstown'],
                           p=[0.5, 0.45, 0.05] if klass == 'first' else [0.75, 0.12, 0.13])
        married = draw.rand() < (age - 16) / 25
        title = ('Master' if age < 15 else 'Mr') if sex == 'male' else 'Mrs' if married else 'Miss'
        if age > 25 and draw.rand() < 0.05:
            title = 'Dr'
        chance = CHILD[klass] if age < 10 else CHANCE[sex, klass]
        rows.append([int(draw.rand() < chance), klass, sex, age, fare, town, title])
        chances.append(chance)
    return rows, np.array(chances)


def write(name, rows):
    """Writes the rows as a CSV file and returns its path."""
    path = os.path.join(folder.name, name)
    with open(path, 'w', newline='') as file:
        csv.writer(file).writerows(
            [['survived', 'class', 'sex', 'age', 'fare', 'town', 'title'], *rows])
    return path


rows, _ = passengers(1500, seed=0)
test_rows, chances = passengers(4000, seed=1)
training_file, test_file = write('train.csv', rows), write('test.csv', test_rows)
test_fates = np.array([row[0] for row in test_rows])
best_accuracy = np.mean((chances > 0.5) == test_fates)
best_loss = -np.mean(np.log(np.where(test_fates, chances, 1 - chances)))
print(*(','.join(map(str, row)) for row in rows[:3]), sep='\n')
print(f'{test_fates.mean():.1%} survived; who knows all chances guesses {best_accuracy:.1%} right')

# %% [markdown]
# ## Input functions
#
# Ages and fares are to be decimal numbers, words words; `column_defaults` says so.


# %%
def table(path, **options):
    """A Dataset of the file: ({column: values}, survived)."""
    kinds = [tf.int32, tf.string, tf.string, tf.float32, tf.float32, tf.string, tf.string]
    return tf.data.experimental.make_csv_dataset(
        path, 100, column_defaults=kinds, label_name='survived', **options)


def training_input():
    """Mixed batches, again and again."""
    return table(training_file, shuffle_seed=0, shuffle_buffer_size=1500)


def test_input():
    """The test passengers, once."""
    return table(test_file, shuffle=False, num_epochs=1)


with tf.Graph().as_default(), tf.Session() as session:
    batch, survived = session.run(test_input().make_one_shot_iterator().get_next())

# %% [markdown]
# ## Columns, one kind after the other
#
# **Words of a known list** get a number each. A linear model then has one weight for each word, as
# if there were a column for "male" and one for "female" holding 0 or 1.
#
# **Buckets.** Does the chance grow with age? No: children are one thing, old people another. Cut
# into intervals, each interval gets its own weight.

# %%
column = tf.feature_column
sex = column.categorical_column_with_vocabulary_list('sex', ['male', 'female'])
klass = column.categorical_column_with_vocabulary_list('class', ['first', 'second', 'third'])
town = column.categorical_column_with_vocabulary_list(
    'town', ['Southampton', 'Cherbourg', 'Queenstown'])
title = column.categorical_column_with_hash_bucket('title', 20)
age = column.numeric_column('age')
age_group = column.bucketized_column(age, [10, 20, 35, 50])
fare = column.numeric_column('fare', normalizer_fn=lambda pounds: tf.log(1.0 + pounds) - 2.5)

print()
print(column.preview(batch, [sex, age_group, fare, title], rows=3))

# %% [markdown]
# A **hash bucket** needs no list: a hash of the word, modulo 20, is its number. It takes any word,
# and the price is that two words may share a bucket.
#
# **Crossed columns.** A linear model adds: so much for being a woman, so much for the first class.
# But a ticket for the second class helped women much and men not at all. That is neither sex nor
# class, it is the *pair*, and a crossed column has a bucket for each pair.
#
# **For a network** a number per word is useless (is third class three times first class?). An
# *indicator* column makes zeros and a one. An *embedding* column gives each word a few numbers, to
# be learned like weights; here are the first, random ones.

# %%
sex_and_class = column.crossed_column([sex, klass], 100)
group_and_class = column.crossed_column([age_group, klass], 100)
title_numbers = column.embedding_column(title, dimension=3)

print()
print(column.preview(batch, [sex_and_class, column.indicator_column(klass), title_numbers],
                     rows=2))

# %% [markdown]
# ## Linear models, without crosses and with them

# %%
plain = [sex, klass, town, age_group]
crossed = [*plain, sex_and_class, group_and_class]


def config(name):
    """Where the model of that name lives, and its seed."""
    return tf.estimator.RunConfig(os.path.join(folder.name, name), tf_random_seed=3)


linear = tf.estimator.LinearClassifier(plain, config=config('linear'))
wide = tf.estimator.LinearClassifier(crossed, config=config('wide'))
results = {}
print('\nTraining three models of 200 steps: a few seconds ...')
for name, model in [('linear', linear), ('linear, crossed', wide)]:
    model.train(training_input, steps=200)
    results[name] = model.evaluate(test_input)

# %% [markdown]
# What has the linear model learned? The more positive a weight, the more it speaks for survival.

# %%
print('\nweights of the linear model')
for name, words in [('sex', ['male', 'female']), ('class', ['first', 'second', 'third']),
                    ('age_bucketized', ['-10', '10-20', '20-35', '35-50', '50-'])]:
    weights = linear.get_variable_value(f'linear/linear_model/{name}/weights')[:, 0]
    print(f'  {name:15}', '  '.join(f'{w} {v:+.2f}' for w, v in zip(words, weights)))

# %% [markdown]
# ## Wide & deep
#
# The *wide* half is the linear model with crosses: it learns rules by heart. The *deep* half is a
# network on dense columns: it finds relations that you did not think of. Their logits are added up,
# and both are trained at once, each by its own optimizer. (Name them: the default learning
# rates of this Estimator are so small that 200 steps would teach it next to nothing.)

# %%
deep_columns = [column.indicator_column(sex), column.indicator_column(klass),
                column.indicator_column(age_group), title_numbers, fare]
both = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns=crossed, linear_optimizer=tf.train.FtrlOptimizer(0.1),
    dnn_feature_columns=deep_columns, dnn_hidden_units=[16, 8],
    dnn_optimizer=tf.train.AdamOptimizer(0.002), config=config('both'))
both.train(training_input, steps=200)
results['wide & deep'] = both.evaluate(test_input)

print('\n                 accuracy    auc  average_loss')
for name, found in results.items():
    print(f'{name:16} {found["accuracy"]:8.1%} {found["auc"]:6.3f} {found["average_loss"]:13.4f}')
print(f'{"best possible":16} {best_accuracy:8.1%}        {best_loss:13.4f}')

tf.viz.draw(both, output('20_wide_and_deep.svg'), depth=2, close=['head'])
show_picture('\nPicture:', output('20_wide_and_deep.svg'))

# %% [markdown]
# The crosses help. The network adds little here, because the rule is so simple that two crosses
# say it all; it pays on tables with millions of rows and words. Look at the loss rather than at the
# accuracy: it asks not only who survives, but how sure one may be.
#
# ## Giving the model away
#
# `export_saved_model` writes a **SavedModel**: graph and weights, without training and without your
# Python. What a caller sends are `tf.train.Example`s, small dicts of features; the columns know how
# to parse them.

# %%
spec = column.make_parse_example_spec([*crossed, *deep_columns])
export_dir = both.export_saved_model(
    os.path.join(folder.name, 'export'),
    tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)).decode()


def example(**features):
    """A serialized tf.train.Example."""
    def feature(value):
        if isinstance(value, str):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.encode()]))
        return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    return tf.train.Example(features=tf.train.Features(
        feature={name: feature(value) for name, value in features.items()})).SerializeToString()


people = {
    'Rose': {'sex': 'female', 'class': 'first', 'age': 17.0, 'fare': 80.0,
             'town': 'Southampton', 'title': 'Miss'},
    'Jack': {'sex': 'male', 'class': 'third', 'age': 20.0, 'fare': 8.0,
             'town': 'Southampton', 'title': 'Mr'}}

with tf.saved_model.load(export_dir) as served:
    print('\nsignatures:', *served.signatures)
    answer = served.signatures['serving_default'](
        inputs=[example(**features) for features in people.values()])
for name, scores in zip(people, answer['scores']):
    print(f'  {name} survives with a chance of {scores[1]:.0%}')

# %% [markdown]
# Without writing any program, from the command line:

# %%
command = ['-m', 'tinyflow', 'predict', export_dir, '--signature', 'predict', '--examples',
           '[{"class": "second", "sex": "male", "age": 8.0, "fare": 20.0, '
           '"town": "Southampton", "title": "Master"}]']
answered = subprocess.run([sys.executable, *command], capture_output=True, encoding='utf-8')
print('\npython -m tinyflow predict EXPORT_DIR --signature predict --examples \'[...]\'')
print(answered.stdout, answered.stderr, sep='')

# %% [markdown]
# **What to remember.** Numbers: `numeric_column`, `bucketized_column`. Words:
# `categorical_column_with_...`; pairs: `crossed_column`; for a network around them:
# `indicator_column`, `embedding_column`. `tf.feature_column.preview` shows what comes out.
#
# **Try it.** Leave `sex_and_class` out. Make `title` a hash of 3 buckets, so that titles collide.
# Train on 100 rows only: which of the three models suffers most?

# %%
# The lesson checks itself: what the text says is so.
assert results['linear, crossed']['average_loss'] < results['linear']['average_loss']
assert best_loss < results['wide & deep']['average_loss'] < best_loss + 0.05
assert best_accuracy - 0.03 < results['wide & deep']['accuracy']
assert answer['scores'][0, 1] > 0.8 and answer['scores'][1, 1] < 0.4
assert answered.returncode == 0 and 'probabilities' in answered.stdout
linear.close()
wide.close()
both.close()
folder.cleanup()

# %% [markdown]
# Next lesson: [21. A custom model function, and hooks](21_estimator_model_fn.py).
