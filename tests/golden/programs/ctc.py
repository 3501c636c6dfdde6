"""Connectionist temporal classification, its decoders, and the edit distance."""
from .registry import functional, program, run


def _logits(np, seed=0, classes=5):
    return np.random.RandomState(seed).randn(6, 3, classes).astype(np.float32) * 2


@program
def ctc_losses(tf, np):
    x = tf.placeholder(tf.float32, [None, 3, 5], name='x')
    labels = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]],
                             tf.constant([1, 1, 2, 3, 0, 2]), [3, 3])
    lengths = tf.placeholder(tf.int32, [None], name='lengths')
    losses = [
        tf.nn.ctc_loss(labels, x, lengths, ignore_longer_outputs_than_inputs=True),
        tf.nn.ctc_loss(labels, x, lengths, True, ignore_longer_outputs_than_inputs=True),
        tf.nn.ctc_loss(labels, x, lengths, ctc_merge_repeated=False,
                       ignore_longer_outputs_than_inputs=True),
        tf.nn.ctc_loss(labels, tf.transpose(x, [1, 0, 2]), lengths, time_major=False,
                       ignore_longer_outputs_than_inputs=True)]
    gradients = [tf.gradients(loss * [1.0, 2.0, 3.0], x)[0] for loss in losses]
    return [run([losses, gradients], {x: _logits(np), lengths: given})
            for given in ([6, 5, 4], [2, 6, 3], [3, 2, 1])]


@program
def ctc_decoders(tf, np):
    x = tf.placeholder(tf.float32, [None, 3, 5], name='x')
    lengths = tf.constant([6, 4, 0])
    found = []
    for merge in (True, False):
        found.append(tf.nn.ctc_greedy_decoder(x, lengths, merge))
        found.append(tf.nn.ctc_beam_search_decoder(x, lengths, 50, 1, merge))
    long = tf.nn.ctc_beam_search_decoder(x, tf.constant([6, 5, 2]), 100, 3, False)
    found += [long, tf.nn.ctc_beam_search_decoder_v2(x, lengths)]
    flat = []
    for (paths, score) in found:
        for path in paths:
            flat += [path.indices, path.values, path.dense_shape]
        flat.append(score)
    return [run(flat, {x: _logits(np, seed)}) for seed in range(4)]


@program
def edit_distances(tf, np):
    given = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 2]],
                            list('abcabc'), [2, 2, 3])
    wanted = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 1, 0]],
                             list('xbcab'), [3, 2, 3])
    words = [np.array(text.split()) for text in ('k i t t e n', 's i t t i n g')]
    one, other = [tf.SparseTensor([[0, i] for i in range(len(w))], w, [1, len(w)]) for w in words]
    return [run([tf.edit_distance(given, wanted), tf.edit_distance(given, wanted, False),
                 tf.edit_distance(one, other, normalize=False, name='words'),
                 tf.edit_distance(other, one)])]


@program
def ctc_searches_with_narrow_beams(tf, np):
    """Some prefixes fall out of the beam before the ones that they grew from have their turn."""
    x = tf.placeholder(tf.float32, [None, 1, 5], name='x')
    length = tf.placeholder(tf.int32, [1], name='length')
    flat = []
    for width, top in ((1, 1), (2, 2), (3, 3), (5, 3)):
        paths, score = tf.nn.ctc_beam_search_decoder(x, length, width, top, False)
        flat += [path.values for path in paths] + [score]
    found = []
    for seed in NARROW:
        draw = np.random.RandomState(seed)
        steps = draw.randint(3, 9)
        logits = draw.randn(steps, 1, 5) * draw.choice([.3, 1, 2, 3])
        found.append(run(flat, {x: logits.astype(np.float32), length: [steps]}))
    return found


NARROW = list(range(12))


@program
def ctc_labels_prepared(tf, np):
    labels = tf.placeholder(tf.int32, [None, 5], name='labels')
    lengths = tf.constant([5, 3], tf.int64)
    given = np.array([[1, 1, 2, 2, 1], [3, 3, 3, 3, 4]], np.int32)
    fixed = tf.nn.collapse_repeated(tf.constant(given), tf.constant([5, 5]), name='fixed')
    return [run([tf.nn.collapse_repeated(labels, lengths), fixed], {labels: given})]


@program
def ctc_losses_of_dense_labels(tf, np):
    """Of full length: TF gives steps after the end of a sequence a gradient, too."""
    x = tf.placeholder(tf.float32, [6, 3, 5], name='x')
    labels = np.array([[1, 1, 2], [3, 4, 0], [2, 0, 0]], np.int32)
    losses = [tf.nn.ctc_loss_v2(tf.constant(labels), x, tf.constant([3, 2, 1]),
                                tf.constant([6, 6, 6])),
              tf.nn.ctc_loss_v2(tf.constant(labels - 1 + (labels == 0)),
                                tf.transpose(x, [1, 0, 2]), tf.constant([3, 2, 1]),
                                tf.constant([6, 6, 6]), logits_time_major=False, blank_index=-1)]
    gradients = [tf.gradients(loss * [1.0, 2.0, 3.0], x)[0] for loss in losses]
    return [run([losses, gradients], {x: _logits(np)})]


@program
def ctc_losses_with_any_blank(tf, np):
    x = tf.placeholder(tf.float32, [6, 3, 5], name='x')
    indices = [[0, 0], [0, 1], [1, 0], [2, 0]]
    losses = [tf.nn.ctc_loss_v2(tf.SparseTensor(indices, tf.constant([1, 3, 3, 1]), [3, 2]), x,
                                None, tf.constant([6, 5, 4]), blank_index=blank)
              for blank in (2, -1, 0)]
    return [run([losses, tf.gradients(losses[0], x)], {x: _logits(np)})]


@functional
def ctc_labels_without_repetitions(tf, np):
    labels = tf.constant([[3, 4, 4, 3], [1, 1, 1, 2]])
    return [run(list(tf.nn.ctc_unique_labels(labels)))]
