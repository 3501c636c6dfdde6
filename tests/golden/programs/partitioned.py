"""Variables kept in several parts: get_variable with a partitioner."""
from .registry import program, run


@program
def partitioned_by_rows(tf, np):
    with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(3)):
        v = tf.get_variable('v', [7, 2], initializer=tf.glorot_uniform_initializer(seed=4))
        c = tf.get_variable('c', initializer=tf.reshape(tf.range(8.), [4, 2]))
        b = tf.get_variable('b', [], initializer=tf.ones_initializer())
    y = tf.matmul(tf.ones([1, 7]), v) + b
    return [run(tf.global_variables_initializer()), run([list(v), list(c), y, b])]


@program
def partitioned_by_columns_with_regularizer(tf, np):
    v = tf.get_variable('v', [2, 5], partitioner=tf.fixed_size_partitioner(2, axis=1),
                        initializer=tf.constant_initializer(.5),
                        regularizer=lambda part: tf.reduce_sum(tf.square(part)))
    total = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    return [run(tf.global_variables_initializer()), run([tf.identity(v), total, list(v)])]


@program
def partitioned_into_one_part(tf, np):
    partitioner = tf.min_max_variable_partitioner(max_partitions=0)
    x = tf.constant([[1., 2., 3.]])
    with tf.variable_scope('d', partitioner=partitioner, use_resource=True):
        y = tf.layers.dense(x, 2, kernel_initializer=tf.glorot_uniform_initializer(seed=2),
                            name='layer')
        y = tf.layers.batch_normalization(y, training=True)
    return [run(tf.global_variables_initializer()), run(y)]


@program
def partitioned_sizes(tf, np):
    small = tf.variable_axis_size_partitioner(64, max_shards=3)
    large = tf.min_max_variable_partitioner(max_partitions=10, min_slice_size=64)
    a = tf.get_variable('a', [100, 4], partitioner=small, initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [7, 5], partitioner=large, initializer=tf.zeros_initializer())
    return [run(tf.global_variables_initializer()), run([list(a), list(b)])]


@program
def partitioned_lookup(tf, np):
    table = tf.get_variable('table', [7, 2], partitioner=tf.fixed_size_partitioner(3),
                            initializer=tf.glorot_uniform_initializer(seed=8))
    rows = tf.nn.embedding_lookup(table, [0, 3, 6, 3], partition_strategy='div')
    return [run(tf.global_variables_initializer()), run([rows, tf.identity(table)])]


@program
def partitioned_training(tf, np):
    with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(2)):
        v = tf.get_variable('v', [4, 1], initializer=tf.constant_initializer(1.))
        loss = tf.reduce_sum(tf.square(tf.matmul(tf.constant([[1., 2., 3., 4.]]), v) - 1.))
        train = tf.train.AdagradOptimizer(.1).minimize(loss)
    return [run(tf.global_variables_initializer()), run(train), run(train), run([list(v), loss])]
