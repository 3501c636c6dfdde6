"""Printing, Python functions and texts made of values."""
from .registry import program, run


@program
def print_nodes(tf, np):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    y = tf.Print(x, [x, tf.constant([1, 2]), 'text'], message='x: ', first_n=2, summarize=2)
    z = tf.Print(3.0, [], name='nothing')
    return [run([y, z])]


@program
def print_statements(tf, np):
    x = tf.constant([1, 2, 3])
    first = tf.print('x', x, {'b': x, 'a': 'A'}, [x, (1, 2)])
    second = tf.print('braces {}', x, sep='|', end='!\n', summarize=-1, name='named')
    third = tf.print(tf.constant('just text'))
    fourth = tf.print('no tensor', 3, None)
    return [run([first, second, third, fourth])]


@program
def formatted_strings(tf, np):
    values = [
        [0.1, 3.14159274, 1e-7, 1e10, 1 / 3, -0.0, float('nan'), float('inf'), 123456789.0],
        np.array([0.1, np.pi, 1e300, 1 / 3, 1e-5, 1e5, 1e16]), np.arange(24).reshape(2, 3, 4),
        [[True, False]], ['ab', 'q"\n'], 's', np.int8([1, -2]), np.float16([0.1, 2]), [],
        np.zeros((2, 0)), np.zeros((0, 2)), np.arange(2000), np.arange(27.0).reshape(3, 3, 3)]
    texts = [tf.strings.format('<{}>', tf.constant(v), summarize=n)
             for v in values for n in (3, 1, -1) if n != -1 or np.size(v) < 100]
    texts.append(tf.strings.format('a % b %', [tf.constant(1), 2.5], placeholder='%', name='f'))
    return [run(texts)]


@program
def python_functions(tf, np):
    x = tf.constant([1.0, 2.0])
    y = tf.py_func(lambda a: a * 2, [x], tf.float32)
    a, b = tf.py_func(lambda v, n: (v + n, n), [x, np.float32(3.0)], [tf.float32, tf.float32],
                      stateful=False, name='both')
    c = tf.numpy_function(lambda v: v.sum(), [x], tf.float32)
    d, = tf.py_function(lambda v: v.numpy() * 3, [x], [tf.float32])
    e = tf.py_func(lambda s: s + b'!', ['text'], tf.string)
    nothing = tf.py_func(lambda v: None, [x], [])
    return [run([y, a, b, c, d, e, nothing]), run(tf.gradients(x * 2.0 + y, x))]
