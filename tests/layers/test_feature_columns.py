"""Feature columns: what they accept, what they say, what becomes of a batch."""
import copy
import itertools
import json
import pickle

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.layers.feature_column import parse_spec, serialization
from tinyflow.layers.feature_column.input_layer import DenseFeatures, InputLayer
from tinyflow.layers.feature_column.linear_model import LinearModel
from tinyflow.layers.feature_column.wrapping import suggested_dimension

fc = tf.feature_column


pytestmark = pytest.mark.usefixtures('graph')


def values(fetches, feed_dict=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feed_dict)


def message(error, function, *args, **kwargs):
    with pytest.raises(error) as caught:
        function(*args, **kwargs)
    return str(caught.value)


def sex():
    return fc.categorical_column_with_vocabulary_list('sex', ['female', 'male'])


def many():
    return fc.categorical_column_with_hash_bucket('street', 1000)


BATCH = {'age': [22.0, 38.0, 4.0], 'sex': ['male', 'female', '?'], 'deck': ['C', '', 'E']}


# --- what is accepted; classes of errors and values as TF 1.15 has them

@pytest.mark.parametrize('arguments, default', [
    ({'default_value': 1}, (1,)),
    ({'shape': 3, 'default_value': 1}, (1, 1, 1)),
    ({'shape': [2, 2], 'default_value': [[1, 2], [3, 4.0]]}, ((1, 2), (3, 4.0))),
    ({'default_value': np.array([1.5])}, (1.5,)),
    ({'default_value': [2], 'dtype': tf.float64}, (2,)),
])
def test_default_values(arguments, default):
    column = fc.numeric_column('a', **arguments)
    assert column.default_value == default
    assert column.parse_example_spec['a'].default_value == default


N = fc.numeric_column('n')
REFUSED = [
    (lambda: fc.numeric_column('a', shape=2, default_value=(1, 2.5), dtype=tf.int32), TypeError,
     'default_value must be compatible with dtype'),
    (lambda: fc.numeric_column('a', shape=2, default_value=(1, 2, 3)), ValueError,
     'shape of default_value must be equal'),
    (lambda: fc.numeric_column('a', default_value='x'), TypeError, 'compatible with dtype'),
    (lambda: fc.numeric_column('a', shape=0), ValueError, 'greater than 0'),
    (lambda: fc.numeric_column('a', shape=(1.5,)), TypeError, 'must be integer'),
    (lambda: fc.numeric_column('a', dtype=tf.string), ValueError, 'convertible to float'),
    (lambda: fc.numeric_column('a', normalizer_fn=3), TypeError, 'must be a callable'),
    (lambda: fc.numeric_column(('a',)), ValueError, 'key must be a string'),
    (lambda: fc.bucketized_column(sex(), [1]), ValueError, 'numeric_column()'),
    (lambda: fc.bucketized_column(fc.numeric_column('m', shape=(2, 2)), [1]), ValueError,
     'one-dimensional'),
    (lambda: fc.bucketized_column(N, []), ValueError, 'must not be empty'),
    (lambda: fc.bucketized_column(N, [2, 1]), ValueError, 'sorted list'),
    (lambda: fc.bucketized_column(N, [1, 1]), ValueError, 'sorted list'),
    (lambda: fc.categorical_column_with_vocabulary_list('w', []), ValueError, 'non-empty'),
    (lambda: fc.categorical_column_with_vocabulary_list('w', ['a', 'b', 'a']), ValueError,
     'column_name: w: a'),
    (lambda: fc.categorical_column_with_vocabulary_list('w', [1, 2], dtype=tf.string), ValueError,
     'do not match'),
    (lambda: fc.categorical_column_with_vocabulary_list('w', [1.5]), ValueError,
     'must be string or integer'),
    (lambda: fc.categorical_column_with_vocabulary_list('w', ['a'], tf.float32), ValueError,
     'must be string or integer'),
    (lambda: fc.categorical_column_with_vocabulary_list('w', ['a'], default_value=0,
                                                        num_oov_buckets=1), ValueError,
     "Can't specify both"),
    (lambda: fc.categorical_column_with_vocabulary_list('w', ['a'], num_oov_buckets=-1),
     ValueError, 'Invalid num_oov_buckets -1'),
    (lambda: fc.categorical_column_with_vocabulary_file('f', ''), ValueError, 'Missing'),
    (lambda: fc.categorical_column_with_vocabulary_file('f', '/nowhere/words.txt'), ValueError,
     'does not exist: /nowhere/words.txt'),
    (lambda: fc.categorical_column_with_vocabulary_file('f', 'x', vocabulary_size=0), ValueError,
     'Invalid vocabulary_size'),
    (lambda: fc.categorical_column_with_identity('i', 0), ValueError, 'num_buckets 0 < 1'),
    (lambda: fc.categorical_column_with_identity('i', 3, 3), ValueError, 'not in range [0, 3)'),
    (lambda: fc.categorical_column_with_hash_bucket('h', None), ValueError, 'must be set'),
    (lambda: fc.categorical_column_with_hash_bucket('h', 0), ValueError, 'at least 1'),
    (lambda: fc.categorical_column_with_hash_bucket('h', 3, tf.float32), ValueError,
     'string or integer'),
    (lambda: fc.embedding_column(sex(), 0), ValueError, 'Invalid dimension 0'),
    (lambda: fc.embedding_column(sex(), None), ValueError, 'Invalid dimension None'),
    (lambda: fc.embedding_column(sex(), 2, initializer=3), ValueError, 'must be callable'),
    (lambda: fc.embedding_column(sex(), 2, ckpt_to_load_from='x'), ValueError,
     'Must specify both'),
    (lambda: fc.crossed_column(['a'], 10), ValueError, 'length > 1'),
    (lambda: fc.crossed_column(['a', 'b'], 0), ValueError, 'hash_bucket_size must be > 1'),
    (lambda: fc.crossed_column(['a', N], 10), ValueError, 'bucketized_column'),
    (lambda: fc.crossed_column(['a', many()], 10), ValueError, "use the key, 'street'"),
    (lambda: fc.weighted_categorical_column(sex(), 'w', tf.string), ValueError,
     'not convertible to float'),
    (lambda: fc.weighted_categorical_column(sex(), 'sex').parse_example_spec, ValueError,
     'already exists for sex'),
    (lambda: fc.shared_embedding_columns([sex(), fc.categorical_column_with_vocabulary_list(
        'b', ['x', 'y', 'z'])], 2), ValueError, 'b has 3, sex has 2.'),
    (lambda: fc.shared_embedding_columns([sex(), fc.categorical_column_with_identity('b', 2)], 2),
     ValueError, 'must have the same type'),
    (lambda: fc.make_parse_example_spec([N, fc.numeric_column('n', shape=2)]), ValueError,
     'different parse_spec for key n'),
    (lambda: fc.make_parse_example_spec(N), ValueError, '[column]'),
]


@pytest.mark.parametrize('make, error, text', REFUSED)
def test_arguments_that_do_not_fit(make, error, text):
    assert text in message(error, make)


def test_names_and_sizes():
    crossed = fc.crossed_column(['z', fc.crossed_column(['y', 'a'], 5)], 10)
    bucketized = fc.bucketized_column(fc.numeric_column('m', shape=3), (1, 2))
    weighted = fc.weighted_categorical_column(sex(), 'w')
    assert [c.name for c in (crossed, bucketized, weighted, fc.indicator_column(sex()),
                             fc.embedding_column(sex(), 2))] == [
        'a_X_y_X_z', 'm_bucketized', 'sex_weighted_by_w', 'sex_indicator', 'sex_embedding']
    assert (crossed.num_buckets, bucketized.num_buckets, weighted.num_buckets) == (10, 9, 2)
    assert bucketized.variable_shape.as_list() == [3, 3]
    assert set(crossed.parse_example_spec) == {'z', 'y', 'a'}
    assert fc.indicator_column(sex()).variable_shape.as_list() == [1, 2]
    assert crossed.parents == ['z', fc.crossed_column(['y', 'a'], 5)]


def test_columns_are_named_tuples():
    assert fc.numeric_column('n') == N and hash(fc.numeric_column('n')) == hash(N)
    assert N._replace(key='z').name == 'z' and N.name == 'n'
    assert repr(N) == ("NumericColumn(key='n', shape=(1,), default_value=None, dtype=tf.float32, "
                       'normalizer_fn=None)')
    with pytest.raises(AttributeError):
        N.key = 'other'


def test_columns_can_be_copied():
    column = fc.indicator_column(fc.crossed_column([sex(), fc.bucketized_column(N, [0])], 9))
    assert copy.deepcopy(column) == column == pickle.loads(pickle.dumps(column))


# --- parse specs

def test_example_specs_of_estimators():
    label = tf.FixedLenFeature((1,), tf.int64, None)
    weight = tf.FixedLenFeature((1,), tf.float32, None)
    own = {'n': tf.FixedLenFeature((1,), tf.float32, None)}
    assert parse_spec.classifier_parse_example_spec([N], 'y') == {**own, 'y': label}
    assert parse_spec.classifier_parse_example_spec([N], 'y', tf.string, 'a', 'w') == {
        **own, 'y': tf.FixedLenFeature((1,), tf.string, 'a'), 'w': weight}
    assert parse_spec.regressor_parse_example_spec(
        [N], 'y', label_dimension=2, weight_column=fc.numeric_column('w')) == {
        **own, 'y': tf.FixedLenFeature((2,), tf.float32, None), 'w': weight}
    assert 'label should not' in message(ValueError, parse_spec.classifier_parse_example_spec,
                                         [N], 'n')
    assert 'weight_column should not' in message(
        ValueError, parse_spec.regressor_parse_example_spec, [N], 'y', weight_column=N)
    assert 'numeric_column' in message(ValueError, parse_spec.regressor_parse_example_spec, [N],
                                       'y', weight_column=3)


# --- configs

def _log(x):
    return tf.log(x)


def all_columns(path):
    age = fc.numeric_column('age', shape=2, default_value=(1.0, 2.0))
    steps = fc.sequence_categorical_column_with_identity('s', 4)
    return [
        age, fc.bucketized_column(age, [1, 2.5]), sex(), many(),
        fc.categorical_column_with_vocabulary_list('k', np.array([3, 5]), num_oov_buckets=2),
        fc.categorical_column_with_vocabulary_file('f', path, default_value=1),
        fc.categorical_column_with_identity('i', 3, default_value=0),
        fc.crossed_column(['a', sex(), fc.bucketized_column(N, [0])], 10, hash_key=3),
        fc.weighted_categorical_column(sex(), 'w', tf.int32), fc.indicator_column(sex()),
        fc.indicator_column(steps), fc.sequence_numeric_column('t', shape=2)]


def test_configs_are_json_and_come_back(tmp_path):
    path = tmp_path / 'words.txt'
    path.write_text('a\nb\n')
    columns = all_columns(str(path))
    config = json.loads(json.dumps(serialization.serialize_feature_columns(columns)))
    assert serialization.deserialize_feature_columns(config) == columns


def test_configs_of_functions_and_initializers():
    column = fc.embedding_column(sex(), 3, initializer=tf.constant_initializer(2.0), max_norm=1.0)
    config = json.loads(json.dumps(serialization.serialize_feature_column(column)))
    back = serialization.deserialize_feature_column(config)
    assert back.initializer.get_config() == column.initializer.get_config()
    assert back._replace(initializer=None) == column._replace(initializer=None)
    column = fc.numeric_column('a', normalizer_fn=_log)
    config = serialization.serialize_feature_column(column)
    assert serialization.deserialize_feature_column(config, {'_log': _log}) == column
    assert "custom_objects={'_log'" in message(
        ValueError, serialization.deserialize_feature_column, config)
    assert 'Unknown feature column: Odd' in message(
        ValueError, serialization.deserialize_feature_column, {'class_name': 'Odd', 'config': {}})


def test_columns_of_the_same_config_are_shared_again():
    made = serialization.deserialize_feature_columns([
        serialization.serialize_feature_column(fc.indicator_column(sex())),
        serialization.serialize_feature_column(fc.embedding_column(sex(), 2))])
    assert made[0].categorical_column is made[1].categorical_column


# --- input_layer

def test_columns_are_in_the_order_of_their_names():
    age = fc.numeric_column('age', normalizer_fn=lambda x: (x - 20.0) / 10.0)
    x = fc.input_layer(BATCH, [fc.indicator_column(sex()), age,
                               fc.bucketized_column(fc.numeric_column('age'), [18, 30])])
    assert x.shape.as_list() == [3, 6]
    wanted = [[0.2, 0, 1, 0, 0, 1], [1.8, 0, 0, 1, 1, 0], [-1.6, 1, 0, 0, 0, 0]]
    np.testing.assert_allclose(values(x), wanted, rtol=1e-6)


def test_a_vocabulary_of_a_file(tmp_path):
    path = tmp_path / 'words.txt'
    path.write_text('C\nE\nx')
    column = fc.categorical_column_with_vocabulary_file('deck', str(path), num_oov_buckets=1)
    assert column.num_buckets == 4
    x = fc.input_layer(BATCH, [fc.indicator_column(column)])
    assert values(x).tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    short = column._replace(vocabulary_size=1, num_oov_buckets=0)
    assert values(fc.input_layer(BATCH, [fc.indicator_column(short)])).tolist() == [[1], [0], [0]]


def test_embeddings_match_a_manual_computation():
    table = np.float32([[1, 2], [3, 4]])
    words = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ['male', 'female', 'male'], [3, 2])
    results = [fc.input_layer({'sex': words}, [fc.embedding_column(
        sex(), 2, combiner=combiner, initializer=tf.constant_initializer(table))])
        for combiner in ('mean', 'sum', 'sqrtn')]
    mean, total, rooted = values(results)
    np.testing.assert_allclose(mean, [[2, 3], [0, 0], [3, 4]])
    np.testing.assert_allclose(total, [[4, 6], [0, 0], [3, 4]])
    np.testing.assert_allclose(rooted, [[4 / 2 ** 0.5, 6 / 2 ** 0.5], [0, 0], [3, 4]], rtol=1e-6)


def test_an_embedding_of_a_checkpoint(tmp_path):
    kept = tf.get_variable('old/table', initializer=np.float32([[7, 8], [9, 10]]))
    with tf.Session() as session:
        session.run(kept.initializer)
        path = tf.train.Saver([kept]).save(session, str(tmp_path / 'model'))
    with tf.Graph().as_default():
        column = fc.embedding_column(sex(), 2, ckpt_to_load_from=path,
                                     tensor_name_in_ckpt='old/table')
        x = fc.input_layer({'sex': ['male', 'female']}, [column])
        assert values(x).tolist() == [[9, 10], [7, 8]]


def test_features_of_a_data_frame():
    pandas = pytest.importorskip('pandas')
    x = fc.input_layer(pandas.DataFrame(BATCH), [N._replace(key='age'),
                                                 fc.indicator_column(sex())])
    assert values(x).tolist() == [[22, 0, 1], [38, 1, 0], [4, 0, 0]]


def test_outputs_and_variables_by_column():
    variables, outputs = {}, {}
    embedding = fc.embedding_column(sex(), 2)
    fc.input_layer(BATCH, [N._replace(key='age'), embedding], cols_to_vars=variables,
                   cols_to_output_tensors=outputs, weight_collections=['mine'])
    assert [v.name for v in variables[embedding]] == [
        'input_layer/sex_embedding/embedding_weights:0']
    assert variables[N._replace(key='age')] == []
    assert outputs[embedding].shape.as_list() == [3, 2]
    assert tf.get_collection('mine') == variables[embedding]


def test_a_feature_is_transformed_once():
    seen = []
    age = fc.numeric_column('age', normalizer_fn=lambda x: seen.append(x) or x)
    fc.input_layer(BATCH, [age, fc.bucketized_column(age, [1, 20])])
    assert len(seen) == 1


def test_gradients_reach_embeddings():
    cross = fc.embedding_column(fc.crossed_column(['sex', 'deck'], 8), 2)
    x = fc.input_layer(BATCH, [cross, fc.embedding_column(sex(), 2)])
    loss = tf.reduce_sum(tf.square(x - 1.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(50):
            session.run(step)
        # The person of unknown sex has no id there, and zeros that nothing changes.
        assert session.run(x[2, 2:]).tolist() == [0, 0]
        assert session.run(loss) == pytest.approx(2.0, abs=1e-3)


# --- errors

def test_few_categories_are_for_an_indicator():
    text = message(ValueError, fc.input_layer, BATCH, [sex()])
    hint = text.split('Hint: ')[1]
    assert hint.startswith('tf.feature_column.indicator_column(sex), a one-hot vector of 2; or ')
    assert 'tf.feature_column.embedding_column(sex, dimension=2)' in hint


def test_many_categories_are_for_an_embedding():
    for function in (lambda: fc.input_layer(BATCH, [many()]),
                     lambda: tf.keras.layers.DenseFeatures([many()]),
                     lambda: DenseFeatures([many()])):
        hint = message(ValueError, function).split('Hint: ')[1]
        assert hint.startswith('tf.feature_column.embedding_column(street, dimension=6)')
        assert 'indicator_column(street), a one-hot vector of 1000' in hint
    assert [suggested_dimension(n) for n in (1, 2, 16, 17, 10 ** 6)] == [1, 2, 2, 3, 32]


def test_the_hint_works():
    wrapped = fc.embedding_column(many(), dimension=6)
    x = fc.input_layer({'street': ['a', 'b']}, [wrapped])
    assert x.shape.as_list() == [2, 6]


def test_a_number_needs_no_wrapper():
    for function in (lambda: fc.indicator_column(N), lambda: fc.embedding_column(N, 2),
                     lambda: fc.shared_embedding_columns([N], 2)):
        assert 'put it into the list of columns as it is' in message(ValueError, function)
    assert 'numeric_column(\'age\')' in message(ValueError, fc.input_layer, BATCH, ['age'])


def test_a_missing_feature_names_the_nearest():
    text = message(ValueError, fc.input_layer, {'agee': [1.0], 'sex': ['x']}, [
        fc.numeric_column('age')])
    assert 'Feature age is not in features dictionary' in text
    assert "It has: 'agee', 'sex'." in text and "did you mean 'agee'?" in text
    assert 'nothing' in message(ValueError, fc.linear_model, {}, [N])


@pytest.mark.parametrize('features, column, text', [
    ({'age': ['a', 'b']}, N._replace(key='age'), 'tf.string_to_number'),
    ({'age': [[1.0, 2.0]]}, N._replace(key='age'), "numeric_column('age', shape=2)"),
    ({'age': 3.0}, N._replace(key='age'), 'cannot have rank 0'),
    ({'age': [[1], [1, 2]]}, N._replace(key='age'), "Feature 'age'"),
    ({'sex': [1, 0]}, fc.indicator_column(sex()), 'tf.as_string'),
    ({'sex': [1.5, 0]}, fc.indicator_column(sex()), 'tf.feature_column.numeric_column'),
    ({'k': ['a']}, fc.indicator_column(fc.categorical_column_with_vocabulary_list('k', [1, 2])),
     "tf.string_to_number(features['k'], tf.int64)"),
    ({'i': ['a']}, fc.indicator_column(fc.categorical_column_with_identity('i', 3)),
     'Invalid input, not integer'),
    ({'sex': ['a'], 'w': ['b']}, fc.indicator_column(fc.weighted_categorical_column(sex(), 'w')),
     'Bad dtype, expected float32, but got string'),
])
def test_features_that_do_not_fit(features, column, text):
    reported = message((ValueError, TypeError, tf.errors.InvalidArgumentError), fc.input_layer,
                       features, [column])
    assert text in reported


def test_ids_out_of_range_fail_when_run():
    ids = tf.placeholder(tf.int64, [None])
    x = fc.input_layer({'i': ids}, [fc.indicator_column(
        fc.categorical_column_with_identity('i', 3))])
    assert values(x, {ids: [2]}).tolist() == [[0, 0, 1]]
    for bad, text in ((3, 'num_buckets, 3'), (-2, 'is negative')):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            values(x, {ids: [bad]})


def test_batches_of_unequal_size():
    features = {'age': [1.0], 'sex': ['male', 'female']}
    columns = [fc.numeric_column('age'), fc.indicator_column(sex())]
    assert 'Batch size of columns (age, sex_indicator): (1, 2)' in message(
        ValueError, fc.input_layer, features, columns)


def test_columns_with_the_same_name_and_other_mistakes():
    assert 'Duplicate feature column name' in message(ValueError, fc.input_layer, BATCH, [N, N])
    assert 'not be empty' in message(ValueError, fc.input_layer, BATCH, [])
    assert 'found dict' in message(ValueError, fc.input_layer, BATCH, {'n': N})
    assert 'features must be a dict' in message(ValueError, fc.input_layer, [1.0], [N])
    sparse = {'n': tf.SparseTensor([[0, 0]], [1.0], [1, 1])}
    assert 'tf.sparse_tensor_to_dense' in message(ValueError, fc.input_layer, sparse, [N])


# --- preview

def test_preview_shows_raw_and_transformed():
    cross = fc.crossed_column(['sex', 'deck'], 10)
    shown = fc.preview(BATCH, [
        N._replace(key='age'), fc.bucketized_column(N._replace(key='age'), [18, 30]),
        fc.indicator_column(sex()), sex(), fc.embedding_column(many()._replace(key='deck'), 2),
        cross])
    rows = {}
    for name, raw, text in shown.rows:
        rows.setdefault(name, []).append((raw, text))
    assert rows['age'] == [('22', '[22]'), ('38', '[38]'), ('4', '[4]')]
    assert rows['age_bucketized'][0] == ('22', '[0 1 0]  [18, 30)')
    assert rows['age_bucketized'][2] == ('4', '[1 0 0]  (-inf, 18)')
    assert rows['sex_indicator'] == [("'male'", "[0 1]  id 1 = 'male'"),
                                     ("'female'", "[1 0]  id 0 = 'female'"),
                                     ("'?'", '[0 0]  not in the vocabulary')]
    assert rows['sex'][1] == ("'female'", "id 0 = 'female'")
    assert rows['deck_embedding'][1] == ("''", '[0 0]  nothing')
    assert rows['deck_X_sex'][0][0] == "'male', 'C'"
    printed = str(shown)
    assert printed.splitlines()[0].split() == ['column', 'raw', 'transformed']
    assert "[0 1]  id 1 = 'male'" in printed and '<td>sex_indicator</td>' in shown._repr_html_()


def test_preview_does_not_change_the_graph_and_cuts_the_batch():
    data = {'n': np.arange(100.0)}
    assert len(fc.preview(data, [N]).rows) == 5
    assert len(fc.preview(data, [N], rows=2).rows) == 2
    assert tf.get_default_graph().get_operations() == []
    tensor = tf.constant([1.0])
    assert 'session.run(features)' in message(ValueError, fc.preview, {'n': tensor}, [N])
    assert "It has: 'm'." in message(ValueError, fc.preview, {'m': [1.0]}, [N])
    assert 'dict of arrays' in message(ValueError, fc.preview, [1.0], [N])


def test_preview_of_a_data_frame():
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame({'n': [1, 2], 'sex': ['male', None]}).fillna({'sex': ''})
    rows = fc.preview(frame, [N, sex()]).rows
    assert rows == [('n', '1', '[1]'), ('n', '2', '[2]'), ('sex', "'male'", "id 1 = 'male'"),
                    ('sex', "''", 'nothing')]


def test_preview_of_sequences_and_weights():
    places = np.array([[0, 0], [0, 1], [1, 0]])
    data = {'s': tf.SparseTensorValue(places, np.float32([1, 2, 3]), np.array([2, 3])),
            'i': tf.SparseTensorValue(places, np.array([1, 2, 3]), np.array([2, 3])),
            'sex': [['male'], ['female']], 'w': [[0.5], [2.0]]}
    steps = fc.sequence_categorical_column_with_identity('i', 4)
    rows = fc.preview(data, [fc.sequence_numeric_column('s'), steps, fc.indicator_column(steps),
                             fc.weighted_categorical_column(sex(), 'w')]).rows
    assert ('s', '[1 2]', '[[1] [2]]  2 steps') in rows
    assert ('i', '[3]', 'id 3') in rows
    assert ('i_indicator', '[3]', '[[0 0 0 1]]  1 steps') in rows
    assert ('sex_weighted_by_w', "['male'], [0.5]", "id 1 = 'male' weights [0.5]") in rows


# --- linear_model

def test_a_linear_model_learns():
    rng = np.random.default_rng(0)
    age, man = rng.uniform(0, 1, 64).astype(np.float32), rng.integers(0, 2, 64)
    wanted = (2.0 * age - 1.5 * man + 0.25)[:, None].astype(np.float32)
    features = {'age': age, 'sex': np.array(['female', 'male'], object)[man]}
    prediction = fc.linear_model(features, [fc.numeric_column('age'), sex()])
    loss = tf.reduce_mean(tf.square(prediction - wanted))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert not session.run(prediction).any()            # weights begin at zero
        for _ in range(300):
            session.run(step)
        assert session.run(loss) < 1e-4
        weights = session.run(tf.trainable_variables('linear_model/age'))
    assert weights[0] == pytest.approx(2.0, abs=0.05)


def test_linear_model_rejects_unsupported_columns():
    assert 'DenseColumn or CategoricalColumn' in message(
        ValueError, fc.linear_model, BATCH, [fc.sequence_numeric_column('age')])
    features = {'age': [1.0], 'sex': ['male', 'female']}
    assert 'Batch size of columns (age, sex): (1, 2)' in message(
        ValueError, fc.linear_model, features, [fc.numeric_column('age'), sex()])


# --- layers for canned estimators

def test_dense_features_shares_its_variables():
    layer = DenseFeatures([fc.embedding_column(sex(), 2), N._replace(key='age')],
                          name='input_layer')
    with tf.variable_scope('dnn'), tf.variable_scope('input_from_feature_columns'):
        first = layer(BATCH)
        second = layer({'age': [1.0], 'sex': ['male']})
    assert [v.op.name for v in tf.global_variables()] == [
        'dnn/input_from_feature_columns/input_layer/sex_embedding/embedding_weights']
    assert first.op.name == 'dnn/input_from_feature_columns/input_layer/concat'
    assert second.shape.as_list() == [1, 3]
    assert layer.trainable_variables == layer.variables == tf.trainable_variables()


def test_dense_features_of_shared_embeddings_is_an_input_layer():
    a, b = [fc.categorical_column_with_identity(key, 4) for key in 'ab']
    layer = DenseFeatures(fc.shared_embedding_columns([a, b], 2), name='input_layer')
    with tf.variable_scope('dnn'):
        outputs = [layer({'a': [1], 'b': [2]}), layer({'a': [1], 'b': [2]})]
    variable, = tf.global_variables()
    assert variable.op.name == 'dnn/input_layer/a_b_shared_embedding/embedding_weights'
    assert layer.variables == [variable]
    first, second = values(outputs)
    np.testing.assert_array_equal(first, second)


def test_parts_of_variables():
    partitioner = tf.fixed_size_partitioner(2)
    with tf.variable_scope('linear', partitioner=partitioner):
        model = LinearModel([sex(), N._replace(key='age')], units=2)
        logits = model(BATCH)
    assert [v.op.name for v in tf.global_variables()] == [
        'linear/linear_model/age/weights/part_0', 'linear/linear_model/sex/weights/part_0',
        'linear/linear_model/sex/weights/part_1', 'linear/linear_model/bias_weights/part_0',
        'linear/linear_model/bias_weights/part_1']
    assert values(logits).tolist() == [[0, 0]] * 3


def test_linear_model_as_an_object():
    model = LinearModel([sex(), N._replace(key='age')], units=3)
    with tf.variable_scope('linear'):
        logits, again = model(BATCH), model(BATCH)
    assert [v.op.name for v in model.variables] == [
        'linear/linear_model/age/weights', 'linear/linear_model/sex/weights',
        'linear/linear_model/bias_weights']
    assert model.bias is model.variables[-1]
    assert logits.op.name == 'linear/linear_model/linear_model/linear_model/weighted_sum'
    assert again.shape.as_list() == [3, 3] and len(tf.global_variables()) == 3


def test_input_layer_as_an_object():
    layer = InputLayer([fc.embedding_column(sex(), 2)], name='inputs')
    first, second = layer(BATCH), layer(BATCH)
    assert [v.op.name for v in layer.variables] == ['inputs/sex_embedding/embedding_weights']
    assert layer.trainable_variables == tf.trainable_variables()
    a, b = values([first, second])
    np.testing.assert_array_equal(a, b)


# --- shared embeddings

def test_shared_embeddings_of_layers_and_of_graphs():
    a, b = [fc.categorical_column_with_identity(key, 4) for key in 'ab']
    columns = fc.shared_embeddings([a, b], 2)
    for _ in range(2):
        with tf.Graph().as_default():
            x = tf.keras.layers.DenseFeatures(columns)({'a': tf.constant([3]),
                                                        'b': tf.constant([3])})
            assert [v.op.name for v in tf.global_variables()] == ['a_b_shared_embedding']
            row, = values(x)
            assert row[:2].tolist() == row[2:].tolist()
    old = fc.shared_embedding_columns([a, b], 2)
    assert 'tf.feature_column.shared_embeddings' in message(
        ValueError, tf.keras.layers.DenseFeatures(old), {'a': tf.constant([3]),
                                                         'b': tf.constant([3])})


def test_a_shared_collection_of_other_things():
    a, b = [fc.categorical_column_with_identity(key, 4) for key in 'ab']
    columns = fc.shared_embedding_columns([a, b], 2, shared_embedding_collection_name='taken')
    tf.add_to_collection('taken', tf.get_variable('v', [3, 3]))
    features = {'a': [1], 'b': [2]}
    assert 'unexpected shape' in message(ValueError, fc.input_layer, features, columns)
    tf.add_to_collection('taken', tf.get_variable('w', [3, 3]))
    assert 'one variable' in message(ValueError, fc.input_layer, features, columns)


# --- sequences

def steps():
    return {'i': tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 2, 0], tf.int64),
                                 [4, 3])}


def test_lengths_of_sequences():
    column = fc.sequence_categorical_column_with_identity('i', 3)
    x, lengths = tf.contrib.feature_column.sequence_input_layer(
        steps(), [fc.indicator_column(column)])
    dense, found = values([x, lengths])
    assert found.tolist() == [2, 0, 1, 0]
    assert dense.shape == (4, 3, 3) and dense.sum(-1).tolist() == [
        [1, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_sequences_and_other_columns_are_not_mixed_up():
    sequence = fc.sequence_categorical_column_with_identity('i', 3)
    layer = tf.contrib.feature_column.sequence_input_layer
    for column in (fc.indicator_column(sequence), fc.embedding_column(sequence, 2)):
        assert 'sequence_input_layer' in message(ValueError, fc.input_layer, steps(), [column])
    plain = fc.categorical_column_with_identity('i', 3)
    for column in (fc.indicator_column(plain), fc.embedding_column(plain, 2)):
        assert 'sequence_categorical_column_with_' in message(ValueError, layer, steps(), [column])
    assert 'indicator_column' in message(ValueError, layer, steps(), [sequence])
    assert 'SequenceDenseColumn' in message(ValueError, layer, steps(), [N])
    dense = {'n': tf.constant([[1.0]])}
    assert 'takes a SparseTensor' in message(ValueError, layer, dense,
                                             [fc.sequence_numeric_column('n')])


# --- the names of tf.contrib.layers

def test_columns_by_their_old_names(tmp_path):
    old = tf.contrib.layers
    path = tmp_path / 'words.txt'
    path.write_text('a\nb\n')
    words = old.sparse_column_with_keys('sex', ['female', 'male'])
    deck = old.sparse_column_with_hash_bucket('deck', 7)
    age = old.real_valued_column('age', normalizer=_log)
    assert words == sex() and deck == fc.categorical_column_with_hash_bucket('deck', 7)
    assert age == fc.numeric_column('age', normalizer_fn=_log)
    assert old.sparse_column_with_integerized_feature('i', 3) == \
        fc.categorical_column_with_identity('i', 3)
    assert old.sparse_column_with_vocabulary_file('f', str(path)).num_buckets == 2
    assert old.one_hot_column(words) == fc.indicator_column(words)
    assert old.bucketized_column(N, [0, 1]) == fc.bucketized_column(N, [0, 1])
    assert old.crossed_column([words, deck], 5) == fc.crossed_column([words, 'deck'], 5)
    assert old.weighted_sparse_column(words, 'w') == fc.weighted_categorical_column(words, 'w')
    columns = [age, old.one_hot_column(words), old.embedding_column(deck, 2)]
    assert old.create_feature_spec_for_parsing(columns) == fc.make_parse_example_spec(columns)
    x = old.input_from_feature_columns(BATCH, columns)
    assert x.shape.as_list() == [3, 5] and x.op.name.startswith('input_from_feature_columns/')
    logits, variables, bias = old.weighted_sum_from_feature_columns(BATCH, [age, words], 4)
    assert logits.shape.as_list() == [3, 4] and set(variables) == {age, words}
    assert bias.shape.as_list() == [4]
    assert old.infer_real_valued_columns({'b': np.ones((2, 3)), 'a': np.ones(2, np.int32)}) == [
        fc.numeric_column('a', (1,), dtype=tf.int32), fc.numeric_column('b', (3,),
                                                                        dtype=tf.float64)]


def test_options_of_the_old_names_that_columns_do_not_have():
    old = tf.contrib.layers
    for make, text in ((lambda: old.sparse_column_with_keys('w', ['a'], combiner='mean'),
                        'sparse_combiner'),
                       (lambda: old.real_valued_column('s', dimension=None),
                        'sequence_numeric_column'),
                       (lambda: old.sparse_column_with_hash_bucket('w', 3, hash_keys=[1]),
                        'hash_keys')):
        assert text in message(NotImplementedError, make)
    assert 'must be numeric' in message(ValueError, old.infer_real_valued_columns, {'a': ['x']})


def test_hash_key_of_a_crossed_column_changes_the_buckets():
    features = {'a': [[str(n)] for n in range(20)], 'b': [['x']] * 20}

    def buckets(key):
        with tf.Graph().as_default(), tf.Session() as session:
            column = tf.feature_column.crossed_column(['a', 'b'], 1000, hash_key=key)
            return session.run(tf.feature_column.input_layer(
                features, tf.feature_column.indicator_column(column))).argmax(1)

    for one, other in itertools.combinations([buckets(key) for key in (None, 1, 2)], 2):
        assert not np.array_equal(one, other)


def test_each_element_of_a_bucketized_column_has_separate_weights():
    """Ids are element * buckets + bucket: 2 elements with 3 buckets have 6 ids."""
    column = tf.feature_column.bucketized_column(
        tf.feature_column.numeric_column('x', [2]), [0., 1.])
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.feature_column.linear_model({'x': [[-1., 2.], [.5, -1.], [2., .5]]}, [column])
        session.run(tf.global_variables_initializer())
        weights, = [v for v in tf.trainable_variables() if 'bucketized' in v.op.name]
        session.run(tf.assign(weights, [[1.], [10.], [100.], [1e3], [1e4], [1e5]]))
        assert session.run(logits).ravel().tolist() == [100001., 1010., 10100.]


def test_dense_weights_of_zero_are_padding():
    """'' and 0 pad a dense batch: both are dropped, the other values keep their weights."""
    column = tf.feature_column.weighted_categorical_column(
        tf.feature_column.categorical_column_with_vocabulary_list('word', ['a', 'b']), 'weight')
    features = {'word': [['a', ''], ['b', 'a']], 'weight': [[2., 0.], [3., 4.]]}
    with tf.Graph().as_default(), tf.Session() as session:
        counts = tf.feature_column.input_layer(features, tf.feature_column.indicator_column(column))
        session.run(tf.tables_initializer())
        assert session.run(counts).tolist() == [[2., 0.], [4., 3.]]


# --- Keras

def test_dense_features_wants_a_dict():
    layer = tf.keras.layers.DenseFeatures([N])
    assert 'We expected a dictionary' in message(ValueError, layer, tf.constant([1.0]))
    assert 'Feature n is not in' in message(ValueError, tf.keras.layers.DenseFeatures([N]),
                                            {'m': tf.constant([1.0])})


def test_sequence_features_of_a_recurrent_network():
    column = fc.embedding_column(fc.sequence_categorical_column_with_identity('i', 3), 2)
    x, lengths = tf.keras.experimental.SequenceFeatures([column])(steps())
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(4), x, lengths, dtype=tf.float32)
    made = values(outputs)
    assert made.shape == (4, 3, 4)
    assert not made[1].any() and made[2, 0].any() and not made[2, 1:].any()
