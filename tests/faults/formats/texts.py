"""CSV, vocabularies, configurations of Keras models, and TF_CONFIG."""
from __future__ import annotations

import functools
import os
import pathlib
import re

import tinyflow as tf
from tests.faults.damage import damaged_text
from tests.faults.format import file_format

CSV = b'''age,height,name
31,1.75,"Ann, or ""A"""
,1.6,Bob
47,,"line
break"
-1,1e3,
'''
DEFAULTS = [[0], [0.0], ['']]


def _decoder():
    graph = tf.Graph()
    with graph.as_default():
        line = tf.placeholder(tf.string, [None])
        fetches = [tf.decode_csv(line, DEFAULTS),
                   tf.decode_csv(line, DEFAULTS, use_quote_delim=False)]
    return tf.Session(graph=graph), line, fetches


def _sources():
    return {'people.csv': CSV, 'plain.csv': b'age,height,name\n1,2.5,x\n2,3.5,y\n'}


@file_format('csv lines', _sources, damaged_text, named=('CSV',), begin=_decoder)
def _csv_lines(place, name, data, made):
    session, line, fetches = made
    for fetch in fetches:
        session.run(fetch, {line: re.split(rb'\n(?!break)', data)[1:-1]})


def _run_all(element):
    with tf.Session() as session:
        while True:
            try:
                session.run(element)
            except tf.errors.OutOfRangeError:
                break


@file_format('csv files', _sources, damaged_text, named=('CSV', 'Iterator'))
def _csv_files(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    with tf.Graph().as_default():
        data = tf.data.experimental.CsvDataset(str(path), DEFAULTS, header=True)
        _run_all(data.make_one_shot_iterator().get_next())
    with tf.Graph().as_default():
        data = tf.data.experimental.make_csv_dataset(
            str(path), 2, num_epochs=1, shuffle=False, num_rows_for_inference=3)
        _run_all(data.make_one_shot_iterator().get_next())


@file_format('vocabulary', lambda: {'words': b'one 1\ntwo 2\nthree 3\n', 'v': b'a\nb\nc\n'},
             damaged_text, named=('InitializeTableFromTextFile',))
def _vocabulary(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    with tf.Graph().as_default(), tf.Session() as session:
        if name == 'v':
            table = tf.contrib.lookup.index_table_from_file(str(path), num_oov_buckets=1)
        else:
            table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                str(path), tf.string, 0, tf.int64, 1, delimiter=' '), -1)
        session.run(tf.tables_initializer())
        session.run(table.lookup(tf.constant(['one', 'a', 'zzz'])))
        column = tf.feature_column.categorical_column_with_vocabulary_file('w', str(path))
        features = {'w': tf.constant([['one'], ['b']])}
        indicator = tf.feature_column.indicator_column(column)
        dense = tf.feature_column.input_layer(features, [indicator])
        session.run(tf.tables_initializer())
        session.run(dense)


@functools.cache
def _models():
    keras, found = tf.keras, {}
    with tf.Graph().as_default():
        one = keras.Sequential([keras.layers.Embedding(10, 3, input_length=4), keras.layers.LSTM(
            2, kernel_regularizer=keras.regularizers.l2(0.1)), keras.layers.Dense(2, 'softmax')])
        x = keras.Input([8, 8, 3])
        y = keras.layers.Conv2D(2, 3, padding='same', name='c')(x)
        both = keras.layers.concatenate([keras.layers.BatchNormalization()(y), x])
        two = keras.Model(x, keras.layers.TimeDistributed(keras.layers.Dense(1))(both))
        for name, model in (('one', one), ('two', two)):
            found[f'{name}.json'] = model.to_json().encode()
            found[f'{name}.yaml'] = model.to_yaml().encode()
    return found


def _of(kind):
    return {name: data for name, data in _models().items() if name.endswith(kind)}


def _read_config(place, name, data):
    """A text, not a file, is given: the error needs no name."""
    text = data.decode('utf8', 'replace')
    read = tf.keras.models.model_from_json if name.endswith('json') else \
        tf.keras.models.model_from_yaml
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        read(text)


for _kind in ('json', 'yaml'):
    file_format(f'Keras {_kind}', functools.partial(_of, _kind), damaged_text, named=('',))(
        _read_config)

CONFIG = b'''{"cluster": {"chief": ["h:1"], "ps": ["h:2", "h:3"], "worker": ["h:4"]},
"task": {"type": "worker", "index": 0}, "environment": "cloud", "model_dir": "/tmp/m",
"session_master": "", "eval_session_master": "", "service": {"a": 1}}'''


@file_format('TF_CONFIG', lambda: {'TF_CONFIG': CONFIG}, damaged_text, named=('',))
def _tf_config(place, name, data):
    os.environ['TF_CONFIG'] = data.decode('utf8', 'replace').replace('\x00', '')
    try:
        tf.estimator.RunConfig()
    finally:
        del os.environ['TF_CONFIG']
