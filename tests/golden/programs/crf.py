"""tf.contrib.crf: likelihoods and decoding of linear chains of tags."""
from .registry import functional, program, run


def scores(tf, np, batch=3, time=4, tags=3):
    x = np.sin(np.arange(batch * time * tags)).reshape(batch, time, tags).astype(np.float32)
    y = np.arange(batch * time).reshape(batch, time) % tags
    return tf.constant(x), tf.constant(y.astype(np.int32)), tf.constant([4, 2, 0][:batch])


@functional
def crf_likelihood(tf, np):
    tf.set_random_seed(4)
    x, y, lengths = scores(tf, np)
    likelihood, transitions = tf.contrib.crf.crf_log_likelihood(x, y, lengths)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(-tf.reduce_mean(likelihood))
    return [run(tf.global_variables_initializer()), run([likelihood, transitions]), run(train),
            run([likelihood, transitions])]


@functional
def crf_decoding(tf, np):
    x, y, lengths = scores(tf, np)
    transitions = tf.constant([[0.5, -0.5, 0.1], [0.0, 0.3, -1.0], [0.7, 0.2, 0.0]])
    tags, best = tf.contrib.crf.crf_decode(x, transitions, tf.maximum(lengths, 1))
    bitmap = tf.one_hot(y, 3) + tf.one_hot((y + 1) % 3, 3) > 0.5
    results = [tags, best, tf.contrib.crf.crf_unary_score(tf.cast(y, tf.int64), lengths, x),
               tf.contrib.crf.crf_binary_score(y, lengths, transitions),
               tf.contrib.crf.crf_sequence_score(x, y, lengths, transitions),
               tf.contrib.crf.crf_multitag_sequence_score(x, bitmap, lengths, transitions),
               tf.contrib.crf.crf_log_norm(x, lengths, transitions)]
    path, score = tf.contrib.crf.viterbi_decode(np.sin(np.arange(15.0)).reshape(5, 3),
                                                np.cos(np.arange(9.0)).reshape(3, 3))
    return [run(results), run([tf.constant(np.array(path, np.int32)), tf.constant(score)])]


@program
def crf_of_one_step(tf, np):
    x, y, lengths = scores(tf, np, 2, 1)
    transitions = tf.zeros([3, 3])
    likelihood, _ = tf.contrib.crf.crf_log_likelihood(x, y, lengths, transitions)
    bitmap = tf.one_hot(y, 3) > 0.5
    return [run([likelihood, tf.contrib.crf.crf_decode(x, transitions, lengths),
                 tf.contrib.crf.crf_multitag_sequence_score(x, bitmap, lengths, transitions)])]
