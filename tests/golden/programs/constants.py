"""Constants, placeholders and the functions that make tensors from nothing."""
from .registry import program, run


@program
def constant_python_scalars(tf, np):
    a = tf.constant(3)
    b = tf.constant(2.5)
    c = tf.constant(True)
    d = tf.constant('hello')
    return [run([a, b, c, d])]


@program
def constant_lists(tf, np):
    a = tf.constant([1, 2, 3])
    b = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    c = tf.constant([True, False])
    d = tf.constant(['red', 'green'])
    e = tf.constant([])
    return [run([a, b, c, d, e])]


@program
def constant_arrays_keep_dtype(tf, np):
    names = ['float16', 'float32', 'float64', 'int8', 'int16', 'int32', 'int64', 'uint8', 'bool']
    return [run({n: tf.constant(np.array([0, 1, 2], n)) for n in names})]


@program
def constant_dtype_and_shape(tf, np):
    a = tf.constant(1, dtype=tf.float32)
    b = tf.constant(7, shape=[2, 3])
    c = tf.constant([1, 2, 3, 4], tf.float64, shape=(2, 2), name='square')
    d = tf.constant([1, 2], shape=[4], name='last_value_fills')
    e = tf.constant(1.0, tf.float32, [2], 'positional')
    return [run([a, b, c, d, e])]


@program
def constant_names_are_made_unique(tf, np):
    a = tf.constant(1, name='a')
    b = tf.constant(2, name='a')
    c = tf.constant(3, name='A')
    d = tf.constant(4, name='b')
    return [run([a, b, c, d])]


@program
def complex_constant(tf, np):
    z = tf.constant(1 + 2j)
    return [run([z, tf.real(z), tf.imag(z), tf.conj(z), tf.abs(z), tf.complex(1.0, -1.0)])]


@program
def placeholder_forms(tf, np):
    a = tf.placeholder(tf.float32)
    b = tf.placeholder(tf.float32, [None, 2])
    c = tf.placeholder(tf.int32, shape=(), name='count')
    d = tf.placeholder('float', [None, None])
    e = tf.placeholder(tf.bool, None, 'flag')
    feeds = {a: [1, 2], b: [[1, 2], [3, 4]], c: 5, d: np.ones([1, 3]), e: True}
    return [run([a, b, c, d, e], feeds)]


@program
def placeholder_fed_by_each_kind(tf, np):
    x = tf.placeholder(tf.float32, [None], name='x')
    y = 2 * x
    return [run(y, {x: [1, 2]}), run(y, {'x:0': (3, 4, 5)}), run(y, {x: np.arange(2)}),
            run(y, {x: np.float64([0.1])})]


@program
def placeholder_with_default(tf, np):
    x = tf.placeholder_with_default(tf.constant([1.0, 2.0]), [None])
    y = tf.placeholder_with_default(3.0, shape=[], name='rate')
    z = x * y
    return [run(z), run(z, {x: [5.0]}), run([z, y], {y: 10.0})]


@program
def feeding_an_inner_tensor(tf, np):
    a = tf.constant(2.0)
    b = a * 3.0
    c = b + 1.0
    return [run(c), run(c, {b: 100.0}), run([a, c], {a: 5.0})]


@program
def fetch_structures(tf, np):
    a = tf.constant(1, name='a')
    b = tf.constant([2.0], name='b')
    return [run(a), run([a, [b, (a, b)]]), run({'x': a, 'y': [b, {'z': a}]}), run('b:0'),
            run(['a:0', a.op]), run((a, a))]


@program
def zeros_and_ones(tf, np):
    return [run([tf.zeros([2, 3]), tf.ones([2]), tf.zeros([], tf.int32), tf.ones((1, 2), tf.bool),
                 tf.zeros([2], dtype=tf.string), tf.zeros([0, 3])])]


@program
def zeros_and_ones_like(tf, np):
    x = tf.placeholder(tf.float32, [None, 2])
    k = tf.constant([[1, 2], [3, 4]])
    fetches = [tf.zeros_like(x), tf.ones_like(x), tf.zeros_like(k), tf.ones_like(k),
               tf.zeros_like(k, dtype=tf.float64), tf.ones_like(x, tf.int32)]
    return [run(fetches, {x: [[5, 6]]})]


@program
def zeros_of_a_run_time_shape(tf, np):
    x = tf.placeholder(tf.float32, [None, 3])
    rows = tf.shape(x)[0]
    z = tf.zeros([rows, 2])
    o = tf.ones(tf.shape(x), tf.int32)
    f = tf.fill([rows], 9)
    return [run([z, o, f], {x: np.zeros([2, 3])})]


@program
def fill_and_eye(tf, np):
    return [run([tf.fill([2, 3], 7), tf.fill([], 0.5), tf.eye(2), tf.eye(2, 3),
                 tf.eye(2, batch_shape=[2]), tf.eye(3, dtype=tf.int32)])]


@program
def range_forms(tf, np):
    n = tf.placeholder(tf.int32, [])
    fetches = [tf.range(5), tf.range(1, 5), tf.range(3, 18, 3), tf.range(3, 1, -0.5),
               tf.range(4, dtype=tf.float32), tf.range(n), tf.range(1, n, name='from_one')]
    return [run(fetches, {n: 3})]


@program
def linspace_forms(tf, np):
    return [run([tf.linspace(0.0, 1.0, 5), tf.linspace(-1.0, 1.0, 3, name='grid'),
                 tf.lin_space(2.0, 2.0, 1)])]


@program
def convert_to_tensor_forms(tf, np):
    a = tf.convert_to_tensor([1, 2])
    b = tf.convert_to_tensor(np.float32([[1.5]]), name='from_array')
    c = tf.convert_to_tensor([1, 2], dtype=tf.float32)
    d = tf.convert_to_tensor([a, a])
    e = tf.convert_to_tensor([[a[0], 5], [6, a[1]]])
    return [run([tf.convert_to_tensor(a), b, c, d, e])]


@program
def shape_size_rank(tf, np):
    x = tf.placeholder(tf.float32, [None, 3])
    u = tf.placeholder(tf.float32)
    k = tf.ones([4, 5])
    fetches = [tf.shape(x), tf.size(x), tf.rank(x), tf.shape(u), tf.size(u), tf.rank(u),
               tf.shape(k), tf.size(k), tf.rank(k), tf.shape(k, out_type=tf.int64),
               tf.size(x, out_type=tf.int64)]
    return [run(fetches, {x: np.zeros([2, 3]), u: np.zeros([1, 2, 3])})]


@program
def shape_n_and_set_shape(tf, np):
    x = tf.placeholder(tf.float32)
    y = tf.identity(x, name='known')
    y.set_shape([None, 2])
    z = tf.ensure_shape(x, [None, 2])
    shapes = tf.shape_n([x, y])
    return [run([y + 1.0, z, shapes], {x: [[1, 2]]})]


@program
def cast_forms(tf, np):
    x = tf.constant([-1.7, -0.5, 0.0, 0.5, 1.7])
    fetches = [tf.cast(x, tf.int32), tf.to_float([1, 2]), tf.to_int32(x), tf.to_int64(x),
               tf.to_double(x), tf.cast(x, tf.bool), tf.cast([True, False], tf.float32),
               tf.cast(x, tf.float32), tf.cast(x, 'float64', name='wide'),
               tf.saturate_cast([300., -5.], tf.uint8)]
    return [run(fetches)]


@program
def string_ops(tf, np):
    s = tf.constant(['a', 'bb', ''])
    fetches = [tf.as_string([1, 20]), tf.string_join([s, s], separator='-'), tf.strings.length(s),
               tf.string_to_number(['1.5', '-2']), tf.equal(s, 'bb')]
    return [run(fetches)]
