"""Feature columns: input_layer, linear_model, sequences, Keras' DenseFeatures."""
from .registry import functional, program, run


def _passengers(tf):
    """A small batch like the Titanic's: dense features, some words not in any vocabulary."""
    return {'age': tf.constant([22.0, 38.0, 26.0, -1.0]),
            'fare': tf.constant([[7.25, 1.0], [71.3, 2.0], [8.0, 3.0], [0.0, 10.0]]),
            'sex': tf.constant([['male'], ['female'], ['female'], ['?']]),
            'class': tf.constant([3, 1, 3, 2], tf.int64),
            'deck': tf.constant(['C', '', 'E', 'unknown']),
            'cabins': tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 1]],
                                      ['C85', 'C22', 'E46', 'C85'], [4, 3]),
            'seen': tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 1]],
                                    [0.5, 2.0, 1.0, -1.0], [4, 3])}


def _flowers(tf):
    return {'sepal': tf.constant([[5.1, 3.5], [4.9, 3.0], [6.2, 3.4]]),
            'petal': tf.constant([[1.4, 0.2], [1.4, 0.2], [5.4, 2.3]])}


def _started(tf, *fetches):
    return [run([tf.global_variables_initializer(), tf.tables_initializer()])] + \
        [run(fetch) for fetch in fetches]


def _seeded(tf):
    """Weights that do not depend on the number of nodes made before: a check of ids has others
    with functional control flow."""
    return tf.truncated_normal_initializer(stddev=0.5, seed=11)


def _sex(tf):
    return tf.feature_column.categorical_column_with_vocabulary_list('sex', ['female', 'male'])


@functional
def columns_of_flowers(tf, np):
    fc = tf.feature_column
    x = fc.input_layer(_flowers(tf), [
        fc.numeric_column('sepal', shape=2), fc.numeric_column('petal', shape=(2,))])
    return [run(x)]


@functional
def columns_numeric(tf, np):
    fc = tf.feature_column
    features = {'a': tf.constant([1, 2]), 'b': tf.constant([[[1., 2.], [3., 4.]]] * 2),
                'c': tf.constant([[1.0], [5.0]], tf.float64), 'd': [3.0, 4.0]}
    return [run(fc.input_layer(features, [
        fc.numeric_column('a', dtype=tf.int32),
        fc.numeric_column('b', shape=(2, 2), normalizer_fn=lambda x: (x - 2.0) / 4.0),
        fc.numeric_column('c', dtype=tf.float64, normalizer_fn=tf.log),
        fc.numeric_column('d')]))]


@functional
def columns_bucketized(tf, np):
    fc = tf.feature_column
    age = fc.bucketized_column(fc.numeric_column('age'), [0, 18, 26.0, 38])
    fare = fc.bucketized_column(fc.numeric_column('fare', shape=2), (5.0, 10.0))
    return [run([fc.input_layer(_passengers(tf), [age, fare])])]


@functional
def columns_of_a_vocabulary(tf, np):
    fc = tf.feature_column
    deck = fc.categorical_column_with_vocabulary_list('deck', ['A', 'C', 'E'], num_oov_buckets=3)
    klass = fc.categorical_column_with_vocabulary_list('class', [1, 3], default_value=1)
    cabins = fc.categorical_column_with_vocabulary_list('cabins', ('C22', 'E46'))
    x = fc.input_layer(_passengers(tf), [fc.indicator_column(c) for c in (
        deck, klass, cabins, _sex(tf))])
    return _started(tf, x)


@functional
def columns_of_ids(tf, np):
    fc = tf.feature_column
    features = {'i': tf.constant([[0, 2], [1, -1]]), 'j': tf.constant([5, 1], tf.int64)}
    x = fc.input_layer(features, [
        fc.indicator_column(fc.categorical_column_with_identity('i', 3)),
        fc.indicator_column(fc.categorical_column_with_identity('j', 4, default_value=2))])
    return [run(x)]


@functional
def columns_hashed(tf, np):
    fc = tf.feature_column
    x = fc.input_layer(_passengers(tf), [
        fc.indicator_column(fc.categorical_column_with_hash_bucket('cabins', 7)),
        fc.indicator_column(fc.categorical_column_with_hash_bucket('class', 5, tf.int64)),
        fc.indicator_column(fc.categorical_column_with_hash_bucket('deck', 6))])
    return [run(x)]


@functional
def columns_embedded(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(7)
    cabins = fc.categorical_column_with_hash_bucket('cabins', 7)
    deck = fc.categorical_column_with_vocabulary_list('deck', ['A', 'C', 'E'])
    klass = fc.categorical_column_with_identity('class', 4, default_value=0)
    variables, outputs = {}, {}
    x = fc.input_layer(_passengers(tf), [
        fc.embedding_column(cabins, 3, combiner='sqrtn'),
        fc.embedding_column(deck, 2, initializer=tf.constant_initializer(0.5), trainable=False),
        fc.embedding_column(klass, 2, combiner='sum', max_norm=0.5),
        fc.numeric_column('age')], ['mine'], True, variables, outputs)
    names = sorted(v.name for c in variables for v in variables[c])
    kept = [sorted(v.name for v in tf.get_collection(key))
            for key in ('mine', 'model_variables', 'trainable_variables')]
    return _started(tf, [x] + [outputs[c] for c in sorted(outputs, key=lambda c: c.name)]) + [
        run(tf.constant(';'.join(names + [','.join(k) for k in kept])))]


@program
def columns_seeds_after_checks(tf, np):
    """With TF's own control flow, whose nodes count for the seeds of weights."""
    fc = tf.feature_column
    tf.set_random_seed(9)
    klass = fc.categorical_column_with_identity('class', 4)
    age = tf.placeholder(tf.float32, name='age')
    features = dict(_passengers(tf), age=age)
    x = fc.input_layer(features, [fc.numeric_column('age'), fc.embedding_column(klass, 2),
                                  fc.embedding_column(_sex(tf), 2)])
    start = _started(tf)
    return start + [run(x, {age: [1.0, 2.0, 3.0, 4.0]})]


@functional
def columns_in_scopes(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(3)
    columns = [fc.numeric_column('age'), fc.embedding_column(_sex(tf), 2)]
    features = _passengers(tf)
    results = [fc.input_layer(features, columns), fc.input_layer(features, columns)]
    with tf.variable_scope('net'):
        results.append(fc.input_layer(features, columns))
    with tf.variable_scope('net', reuse=True):
        results.append(fc.input_layer(features, columns))
    return _started(tf, results)


@functional
def columns_embedding_gradient(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(5)
    cabins = fc.categorical_column_with_hash_bucket('cabins', 7)
    x = fc.input_layer(_passengers(tf), [fc.embedding_column(cabins, 2)])
    loss = tf.reduce_sum(tf.square(x))
    step = tf.train.AdagradOptimizer(0.1).minimize(loss)
    return _started(tf, loss, step, loss, step, [loss, tf.trainable_variables()])


@functional
def columns_of_unknown_rank(tf, np):
    fc = tf.feature_column
    age = tf.placeholder(tf.float32, name='age')
    sex = tf.placeholder(tf.string, [None], name='sex')
    x = fc.input_layer({'age': age, 'sex': sex},
                       [fc.numeric_column('age'), fc.indicator_column(_sex(tf))])
    start = _started(tf)
    return start + [run(x, {age: [1.0, 2.0], sex: ['male', 'x']}),
                    run(x, {age: [[1.0]], sex: ['female']})]


@functional
def columns_of_sparse_vectors(tf, np):
    fc = tf.feature_column
    words = tf.SparseTensor([[0], [2]], ['male', 'female'], [3])
    fed = tf.sparse_placeholder(tf.string, name='fed')
    x = fc.input_layer({'sex': words}, [fc.indicator_column(_sex(tf))])
    y = fc.input_layer({'sex': fed}, [fc.indicator_column(_sex(tf))])
    value = tf.SparseTensorValue([[0], [1]], np.array(['male', 'male'], object), [2])
    return _started(tf, x) + [run(y, {fed: value})]


@functional
def columns_crossed(tf, np):
    fc = tf.feature_column
    age = fc.bucketized_column(fc.numeric_column('age'), [0, 18, 26, 38])
    deck = fc.categorical_column_with_vocabulary_list('deck', ['C', 'E'])
    features = _passengers(tf)
    features['class'] = tf.expand_dims(features['class'], 1)
    x = fc.input_layer(features, [
        fc.indicator_column(fc.crossed_column(['sex', 'class'], 10)),
        fc.indicator_column(fc.crossed_column([age, 'cabins', 'sex'], 12)),
        fc.indicator_column(fc.crossed_column([deck, fc.crossed_column(['sex', 'cabins'], 3)], 6,
                                              hash_key=5))])
    return _started(tf, x)


@functional
def columns_weighted(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(2)
    cabins = fc.categorical_column_with_vocabulary_list('cabins', ['C85', 'E46', 'C22'])
    weighted = fc.weighted_categorical_column(cabins, 'seen')
    features = _passengers(tf)
    features['many'] = tf.constant([[3, 1], [2, 2], [0, 1], [1, 0]])
    features['words'] = tf.constant([['a', 'b'], ['b', 'a'], ['', 'a'], ['b', '']])
    words = fc.categorical_column_with_vocabulary_list('words', ['a', 'b'])
    many = fc.weighted_categorical_column(words, 'many', tf.int32)
    x = fc.input_layer(features, [
        fc.indicator_column(weighted), fc.embedding_column(weighted, 2),
        fc.embedding_column(many, 3, combiner='sum')])
    return _started(tf, x)


@functional
def columns_with_a_shared_embedding(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(4)
    first = fc.categorical_column_with_identity('a', 5)
    second = fc.categorical_column_with_identity('b', 5, default_value=0)
    columns = fc.shared_embedding_columns([second, first], 2, combiner='sum',
                                          initializer=_seeded(tf))
    features = {'a': tf.constant([[1, 2], [3, 4]]), 'b': tf.constant([[7], [2]], tf.int64)}
    x = fc.input_layer(features, columns)
    with tf.variable_scope('again'):
        y = fc.input_layer(features, columns[:1])
    return _started(tf, [x, y])


@functional
def columns_linear(tf, np):
    fc = tf.feature_column
    age = fc.numeric_column('age')
    fare = fc.numeric_column('fare', shape=2)
    columns = [age, fare, _sex(tf), fc.bucketized_column(age, [18, 30]),
               fc.bucketized_column(fare, [5, 10]),
               fc.categorical_column_with_hash_bucket('cabins', 7),
               fc.crossed_column(['sex', 'deck'], 10)]
    features = _passengers(tf)
    prediction = fc.linear_model(features, columns)
    labels = tf.constant([[0.0], [1.0], [1.0], [0.0]])
    loss = tf.losses.sigmoid_cross_entropy(labels, prediction)
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    return _started(tf, prediction, step, prediction, step, prediction)


@functional
def columns_linear_options(tf, np):
    fc = tf.feature_column
    cabins = fc.categorical_column_with_vocabulary_list('cabins', ['C85', 'E46', 'C22'])
    columns = [fc.numeric_column('age'), fc.weighted_categorical_column(cabins, 'seen'),
               fc.embedding_column(_sex(tf), 2, initializer=tf.ones_initializer())]
    variables = {}
    prediction = fc.linear_model(_passengers(tf), columns, units=3, sparse_combiner='mean',
                                 weight_collections=['mine'], trainable=False,
                                 cols_to_vars=variables)
    names = [','.join(v.name for v in variables[c]) for c in columns + ['bias']]
    kept = [v.name for v in tf.get_collection('mine')]
    assign = [v.assign(tf.ones_like(v)) for v in tf.global_variables()]
    return _started(tf, prediction, assign, prediction) + [run(tf.constant(';'.join(names + kept)))]


@functional
def columns_linear_in_scopes(tf, np):
    fc = tf.feature_column
    columns = [fc.numeric_column('age'), _sex(tf)]
    features = _passengers(tf)
    results = [fc.linear_model(features, columns), fc.linear_model(features, columns)]
    with tf.variable_scope('outer'):
        results += [fc.linear_model(features, columns), fc.linear_model(features, columns[:1])]
    with tf.variable_scope('outer', reuse=True):
        results.append(fc.linear_model(features, columns))
    with tf.name_scope('named'):
        results.append(fc.linear_model(features, columns[:1]))
    return _started(tf, results)


def _steps(tf):
    return {'ids': tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 0], tf.int64),
                                   [3, 4]),
            'words': tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ['a', 'b', 'x'], [3, 4]),
            'pair': tf.SparseTensor([[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]],
                                    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 8])}


@functional
def columns_of_sequences(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(6)
    ids = fc.sequence_categorical_column_with_identity('ids', 5)
    words = fc.sequence_categorical_column_with_vocabulary_list('words', ['a', 'b'])
    hashed = fc.sequence_categorical_column_with_hash_bucket('words', 4)
    x, lengths = tf.contrib.feature_column.sequence_input_layer(
        _steps(tf), [fc.embedding_column(ids, 2, initializer=_seeded(tf)),
                     fc.indicator_column(words)])
    y, more = tf.contrib.feature_column.sequence_input_layer(
        _steps(tf), [fc.embedding_column(hashed, 2, initializer=_seeded(tf))])
    return _started(tf, [x, lengths, y, more])


@functional
def columns_of_keras_sequences(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(6)
    ids = fc.sequence_categorical_column_with_identity('ids', 5)
    pair = fc.sequence_numeric_column('pair', shape=2)
    x, lengths = tf.keras.experimental.SequenceFeatures(
        [fc.embedding_column(ids, 2), pair])(_steps(tf))
    return _started(tf, [x, lengths])


@functional
def columns_of_keras(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(8)
    age = fc.numeric_column('age')
    layer = tf.keras.layers.DenseFeatures([
        age, fc.bucketized_column(age, [0, 30]), fc.embedding_column(_sex(tf), 3),
        fc.indicator_column(fc.categorical_column_with_vocabulary_list('deck', ['C', 'E']))])
    features = _passengers(tf)
    x, y = layer(features), layer(features)
    other = tf.keras.layers.DenseFeatures([fc.embedding_column(_sex(tf), 3)], trainable=False,
                                          name='mine')(features)
    kept = tf.constant(';'.join([v.name for v in layer.trainable_weights]
                                + [v.name for v in tf.trainable_variables()]))
    return _started(tf, [x, y, other, kept])


@functional
def columns_of_keras_in_scopes(tf, np):
    fc = tf.feature_column
    tf.set_random_seed(8)
    features = _passengers(tf)
    with tf.variable_scope('dnn'):
        with tf.variable_scope('input_from_feature_columns'):
            x = tf.keras.layers.DenseFeatures(
                [fc.numeric_column('age'), fc.embedding_column(_sex(tf), 3)],
                name='input_layer')(features)
    return _started(tf, x)


@functional
def columns_parse_examples(tf, np):
    fc = tf.feature_column
    columns = [fc.numeric_column('age', default_value=30.0), fc.indicator_column(_sex(tf)),
               fc.bucketized_column(fc.numeric_column('fare', shape=2), [10.0])]

    def feature(**kinds):
        return tf.train.Feature(**kinds)

    def example(age, sex, fare):
        features = {'sex': feature(bytes_list=tf.train.BytesList(value=sex)),
                    'fare': feature(float_list=tf.train.FloatList(value=fare))}
        if age:
            features['age'] = feature(float_list=tf.train.FloatList(value=[age]))
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    serialized = tf.placeholder(tf.string, [None], name='serialized')
    two = np.array([example(22.0, [b'male'], [7.25, 20.0]),
                    example(None, [b'female', b'male'], [71.3, 1.0])], object)
    features = tf.parse_example(serialized, fc.make_parse_example_spec(columns))
    x = fc.input_layer(features, columns)
    return _started(tf) + [run(x, {serialized: two})]


@functional
def sparse_crosses(tf, np):
    words = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], ['a', 'b', 'c', 'd'], [4, 2])
    numbers = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0]], tf.constant([1, 2, -3, 4]), [4, 2])
    dense = tf.constant([['x', 'y'], ['z', 'w'], ['1', '2'], ['3', '4']])
    ids = tf.constant([[1], [2], [3], [4]], tf.int64)
    long = tf.constant([['w' * 20], ['x' * 40], ['y' * 80], ['']])
    return [run([tf.sparse.cross([words, numbers]), tf.sparse.cross([dense, ids], name='named'),
                 tf.sparse.cross_hashed([words, dense, ids]),
                 tf.sparse.cross_hashed([numbers, ids, words], num_buckets=100),
                 tf.sparse.cross_hashed([ids, ids], 100, hash_key=7),
                 tf.sparse.cross_hashed([long, dense], 1000)])]


@functional
def shapes_of_sparse_tensors(tf, np):
    x = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
    fed = tf.sparse_placeholder(tf.float32, name='fed')
    value = tf.SparseTensorValue([[0, 1]], np.array([1.0], np.float32), [4, 5])

    def measures(s):
        return [tf.shape(s), tf.shape(s, out_type=tf.int64), tf.size(s), tf.rank(s)]
    return [run(measures(x)), run(measures(fed), {fed: value})]
