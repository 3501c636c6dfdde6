"""Summaries: the bytes of the messages; of images, which are compressed, the pixels."""
from ..png import decode
from .registry import program, run

KINDS = 'float32 float64 float16 uint8 int8 int16 int32 int64 uint16'


def _bytes(tf, *summaries):
    """The bytes of summaries, which are no text."""
    return [run(tf.decode_raw(each, tf.uint8)) for each in summaries]


def _pixels(tf, np, summary):
    """A summary of images as its tags and sizes, and the pixels of all its images."""
    def look(data):
        values = tf.Summary.FromString(data).value
        told = ['%s %d %d %d' % (v.tag, v.image.height, v.image.width, v.image.colorspace)
                for v in values]
        shown = [decode(np, v.image.encoded_image_string).reshape(-1) for v in values]
        return np.array('; '.join(told).encode(), object), np.concatenate(shown or [np.uint8([])])
    return run(tf.py_func(look, [summary], [tf.string, tf.uint8]))


@program
def scalar_summaries(tf, np):
    a = tf.summary.scalar('a', 1.5)
    b = tf.summary.scalar('not a name!', 2)
    c = tf.summary.scalar('/a', tf.constant(3., tf.float64), family='fam ily')
    with tf.name_scope('scope'):
        d = tf.summary.scalar('a', tf.constant(-4, tf.int64), collections=['own'])
        e = tf.summary.scalar('a', tf.Variable(1., name='v'), ['own', 'other'], 'family')
    f = tf.summary.scalar('inf', np.float32('inf'))
    return [run(tf.global_variables_initializer())] + _bytes(tf, a, b, c, d, e, f)


@program
def histogram_summaries(tf, np):
    r = np.random.RandomState(0)
    values = [r.randn(50), r.lognormal(0, 20, 40), -r.lognormal(0, 20, 40), np.zeros(3),
              r.randint(0, 100, [5, 4]),
              tf.constant([[1e-12, 1.1e-12, 1.1 * 1e-12], [1e20, -1e300, -0.]], tf.float64)]
    made = [tf.summary.histogram('h', v) for v in values]
    made += [tf.summary.histogram(None, tf.constant([1, 2, 100], kind), family='f')
             for kind in KINDS.split()]
    made.append(tf.summary.histogram('nothing', np.zeros([0, 2], np.float32), ['own']))
    return _bytes(tf, *made)


@program
def large_histogram(tf, np):
    """Above the chunk in which tinyflow counts."""
    values = tf.constant(np.arange(100000) % 997 * .37 - 100, tf.float32)
    return _bytes(tf, tf.summary.histogram('h', values))


@program
def image_summaries(tf, np):
    r = np.random.RandomState(0)
    grey, colour = r.rand(2, 4, 5, 1), r.randn(4, 3, 2, 3)
    holes = r.randn(2, 3, 3, 3)
    holes[0, 1, 1, 2], holes[0, 0, 0], holes[1] = np.nan, np.inf, -np.inf
    images = [grey.astype(np.float32), colour.astype(np.float32), grey, colour, colour - 5,
              grey.astype(np.float16), (grey * 1e-5).astype(np.float16), holes.astype(np.float32),
              (grey * 1e-7), (r.rand(2, 2, 3, 4) * 255).astype(np.uint8),
              np.zeros([0, 2, 2, 1], np.float32)]
    made = [tf.summary.image('i', tf.constant(image)) for image in images]
    made.append(tf.summary.image('one', images[1], 1, family='f'))
    made.append(tf.summary.image('five', images[1], max_outputs=5, collections=[]))
    return [_pixels(tf, np, each) for each in made]


@program
def audio_summaries(tf, np):
    r = np.random.RandomState(0)
    mono, stereo = r.uniform(-1.2, 1.2, [2, 9]).astype('f'), r.randn(4, 5, 2).astype('f')
    odd = np.float32([[0, 1, -1, np.inf, -np.inf, .5 / 32768, -.5 / 32768, 1.5 / 32768]])
    return _bytes(tf, tf.summary.audio('a', mono, 44100), tf.summary.audio('b', stereo, 8000.5),
                  tf.summary.audio('c', stereo, tf.constant(22050.4), 1),
                  tf.summary.audio('d', odd, 1, 3, ['own'], 'f'))


@program
def text_and_tensor_summaries(tf, np):
    metadata = tf.SummaryMetadata(display_name='shown', plugin_data=tf.SummaryMetadata.PluginData(
        plugin_name='plugin', content=b'\0\1'))
    made = [tf.summary.text('t', tf.constant('one')),
            tf.summary.text('t', tf.constant([['a', 'b'], ['', '\xe9']]), ['own']),
            tf.summary.tensor_summary('x', [[1., 2.]]),
            tf.summary.tensor_summary('x', 3, 'a *text*', display_name='name', family='f'),
            tf.summary.tensor_summary('x', tf.constant([True, False]), summary_metadata=metadata),
            tf.summary.tensor_summary('x', np.zeros([0, 2])),
            tf.summary.tensor_summary('x', np.complex64([1 + 2j])),
            tf.summary.tensor_summary('x', np.float16([1.5] * 3))]
    return _bytes(tf, *made)


@program
def merged_summaries(tf, np):
    x = tf.placeholder(tf.float32, [2], name='x')
    with tf.name_scope('layer'):
        tf.summary.scalar('mean', tf.reduce_mean(x))
        tf.summary.histogram('values', x)
    loss = tf.summary.scalar('loss', x[0])
    other = tf.summary.scalar('other', x[1], ['own'])
    made = [tf.summary.merge_all(), tf.summary.merge_all('own'),
            tf.summary.merge_all(scope='layer', name='of a layer'),
            tf.summary.merge([loss, other], ['merged'], 'both'), tf.summary.merge([loss])]
    assert tf.summary.merge_all('none of these') is None
    raw = [tf.decode_raw(each, tf.uint8) for each in made + [tf.summary.merge_all('merged')]]
    return [run(raw, {x: np.float32([1, 3])})]
