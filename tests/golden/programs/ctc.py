"""Connectionist temporal classification, its decoders, and the edit distance."""
from .registry import program, run


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
