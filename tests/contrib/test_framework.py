"""tf.contrib.framework's Variable queries and checks, contrib.util, contrib.learn, templates."""
import numpy as np
import pytest

import tinyflow as tf

framework = tf.contrib.framework


pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def variables():
    with tf.variable_scope('a'):
        w = tf.get_variable('w', [2])
        b = tf.get_variable('b', [2], trainable=False)
    with tf.variable_scope('c'):
        w2 = tf.get_variable('w', [2])
    return w, b, w2


def test_queries(variables):
    w, b, w2 = variables
    assert framework.get_variables('a') == [w, b]
    assert framework.get_variables(suffix='w') == [w, w2]
    assert framework.get_variables_by_name('w') == [w, w2]
    assert framework.get_variables_by_name('w', scope='c') == [w2]
    assert framework.get_trainable_variables() == [w, w2]
    assert framework.get_unique_variable('a/b') is b
    with pytest.raises(ValueError, match="Couldn't find variable x"):
        framework.get_unique_variable('x')
    assert framework.get_variables_to_restore(exclude=['a/w']) == [b, w2]
    assert framework.get_variables_to_restore(include=['c']) == [w2]
    assert framework.filter_variables([w, b, w2], ['w'], ['^c']) == [w]


def test_values_from_outside(variables, tmp_path):
    w, b, w2 = variables
    with tf.Session() as session:
        framework.assign_from_values_fn({'a/w': np.array([1, 2]), 'a/b': [3, 4],
                                         'c/w': [5, 6]})(session)
        np.testing.assert_array_equal(session.run([w, b, w2]), [[1, 2], [3, 4], [5, 6]])
        path = tf.train.Saver().save(session, str(tmp_path / 'model'))
        session.run(tf.global_variables_initializer())
        operation, feed = framework.assign_from_checkpoint(path, {'a/w': w2, 'a/b': [b]})
        session.run(operation, feed)
        np.testing.assert_array_equal(session.run([w2, b]), [[1, 2], [3, 4]])
        framework.assign_from_checkpoint_fn(path, [w])(session)
        np.testing.assert_array_equal(session.run(w), [1, 2])
    with pytest.raises(ValueError, match=r'missing variable \[x\]'):
        framework.assign_from_checkpoint(path, {'x': w})
    with pytest.warns(tf.errors.TinyflowWarning, match=r'missing variable \[x\]'):
        framework.assign_from_checkpoint(path, {'x': w}, ignore_missing_vars=True)


def test_with_shape():
    x = tf.placeholder(tf.float32)
    y = framework.with_shape([2, 3], x)
    assert y.get_shape().as_list() == [2, 3]
    with tf.Session() as session:
        session.run(y, {x: np.zeros([2, 3])})
        with pytest.raises(tf.errors.InvalidArgumentError, match='Wrong shape for Placeholder'):
            session.run(y, {x: np.zeros([3, 2])})
    with pytest.raises(ValueError, match='Invalid shape for tensor'):
        framework.with_shape([2], tf.zeros([3]))
    known = tf.zeros([3])
    assert framework.with_same_shape(tf.ones([3]), known) is known
    one = tf.placeholder(tf.float32, [1])
    assert framework.with_shape([], one).shape.as_list() == []
    rows = framework.with_shape([-1, 2], tf.placeholder(tf.float32))
    assert rows.shape.as_list() == [None, 2] and rows.op.name == 'Placeholder_2/Identity'
    for shape in ([[2]], [2.0], tf.constant([3], tf.int64)):
        with pytest.raises(ValueError, match='Invalid (rank|dtype)'):
            framework.with_shape(shape, known)


def test_small_checks():
    with pytest.raises(ValueError, match='Expected integer type'):
        framework.assert_scalar_int(1.5)
    x = tf.placeholder(tf.float32)
    assert framework.get_placeholders(tf.get_default_graph()) == [x]
    assert framework.get_graph_from_inputs([x]) is tf.get_default_graph()
    assert framework.strip_name_scope('a/b/c', 'a/b') == 'c'
    assert framework.prepend_name_scope('^x', 's') == '^s/x'
    with tf.name_scope('n'):
        assert framework.get_name_scope() == 'n'
    with tf.Session() as session:
        assert session.run(framework.reduce_sum_n([tf.ones([2]), tf.ones([3])])) == 5


def test_smart_case():
    x = tf.placeholder(tf.bool, [])
    assert framework.smart_case([(False, lambda: 1), (True, lambda: 2)]) == 2
    y = framework.smart_case([(x, lambda: tf.constant(1)), (True, lambda: tf.constant(2))])
    with tf.Session() as session:
        assert [session.run(y, {x: v}) for v in (True, False)] == [1, 2]


def test_py_func_of_nests():
    y = framework.py_func(lambda a, k: {'sum': a + k['v']}, (tf.constant(1.0),),
                          {'k': {'v': 2.0}}, {'sum': tf.float32}, {'sum': tf.TensorShape([])})
    assert y['sum'].get_shape().as_list() == []
    with tf.Session() as session:
        assert session.run(y['sum']) == 3.0


def test_deprecated_functions_warn_once():
    @framework.deprecated('2020-01-01', 'Use other.')
    def old():
        return 7

    @framework.deprecated_args(None, 'Leave it out.', 'size')
    def sized(x, size=None):
        return x
    with pytest.warns(DeprecationWarning, match='old is deprecated .* after 2020-01-01: Use other'):
        assert old() == 7
    assert old() == 7
    assert sized(1) == 1
    with pytest.warns(DeprecationWarning, match='size=3'):
        sized(1, size=3)


def test_missing_parts_have_a_hint():
    with pytest.raises(AttributeError, match='not part of tinyflow'):
        tf.contrib.bigtable        # noqa: B018
    with pytest.raises(AttributeError, match='tf.estimator.DNNClassifier.*numpy_input_fn'):
        tf.contrib.learn.DNNClassifier      # noqa: B018
    assert tf.contrib.learn.datasets.mnist.read_data_sets
    assert tf.contrib.util.constant_value(tf.constant([1, 2])).tolist() == [1, 2]


def test_vocabulary_processor(tmp_path):
    processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
    rows = list(processor.fit_transform(['hello big world', 'the world']))
    np.testing.assert_array_equal(rows, [[1, 2, 3, 0], [4, 3, 0, 0]])
    path = str(tmp_path / 'vocabulary')
    processor.save(path)
    again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(path)
    np.testing.assert_array_equal(list(again.transform(['big new world'])), [[2, 0, 3, 0]])
    assert list(again.reverse([[1, 3]])) == ['hello world']
    (tmp_path / 'bad').write_text('[1]')
    with pytest.raises(ValueError, match='not a vocabulary'):
        processor.restore(str(tmp_path / 'bad'))


def test_templates():
    def scaled(x):
        return x * tf.get_variable('w', [], initializer=tf.ones_initializer())
    template = tf.make_template('scaled', scaled)
    first, second = template(2.0), template(3.0)
    assert [v.name for v in template.variables] == ['scaled/w:0'] == \
        [v.name for v in tf.global_variables()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([first, second]) == [2.0, 3.0]
    bad = tf.make_template('bad', lambda: tf.Variable(1.0))
    bad()
    with pytest.raises(ValueError, match='perhaps you used tf.Variable'):
        bad()
