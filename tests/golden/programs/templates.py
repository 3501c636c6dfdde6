"""make_template: Variables made by the first call and shared by the others."""
from .registry import program, run


def _scaled(tf):
    def scaled(x, start=1.0):
        w = tf.get_variable('w', [], initializer=tf.constant_initializer(start))
        return tf.multiply(x, w, name='mul')
    return scaled


@program
def templates_share_variables(tf, np):
    first = tf.make_template('scaled', _scaled(tf))
    other = tf.make_template('scaled', _scaled(tf), start=3.0)
    results = [first(1.0), first(2.0), other(1.0), first(3.0)]
    return [run(tf.global_variables_initializer()), run(results)]


@program
def templates_with_scopes(tf, np):
    first = tf.make_template('scaled', _scaled(tf), create_scope_now_=True)
    second = tf.make_template('scaled', _scaled(tf), create_scope_now_=True)
    with tf.name_scope('names'):
        a = second(1.0)
    b = first(1.0)
    with tf.variable_scope('scope'):
        c = first(2.0)
        d = tf.make_template('scaled', _scaled(tf))(4.0)
    e = tf.make_template('given', _scaled(tf), unique_name_='fixed')(5.0)
    return [run(tf.global_variables_initializer()), run([a, b, c, d, e])]


@program
def templates_inside_templates(tf, np):
    inner = tf.make_template('inner', _scaled(tf))
    outer = tf.make_template('outer', lambda x: inner(x) + _scaled(tf)(x))
    results = [outer(1.0), outer(2.0), inner(3.0)]
    return [run(tf.global_variables_initializer()), run(results)]


@program
def sparse_placeholders(tf, np):
    x = tf.sparse_placeholder(tf.float32, name='x')
    y = tf.sparse_placeholder(tf.int32, [2, 3], name='y')
    z = tf.sparse_placeholder(tf.float32, [None, 3])
    fixed = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    one = ([[0, 1]], [5.0], [2, 2])
    return [run([x.values * 2.0, y.indices, fixed.values],
                {x.indices: one[0], x.values: one[1], x.dense_shape: one[2], y.indices: [[1, 1]],
                 y.values: [3]}), run([z.dense_shape], {z.dense_shape: [4, 3]})]
