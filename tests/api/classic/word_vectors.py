# Word vectors (skip-gram) for the words of one small text.
import numpy as np
import tensorflow as tf

text = """the king rules the land . the queen rules the land . the boy walks to the town .
the girl walks to the town . the king is a man . the queen is a woman . the boy is a young man .
the girl is a young woman . a man and a woman walk . a boy and a girl walk ."""
words = text.split()
vocabulary = sorted(set(words))
word_to_id = {w: i for i, w in enumerate(vocabulary)}
ids = [word_to_id[w] for w in words]

pairs = []
for i in range(len(ids)):
    for j in range(max(0, i - 2), min(len(ids), i + 3)):
        if i != j:
            pairs.append((ids[i], ids[j]))
pairs = np.array(pairs, dtype=np.int32)

graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(99)
    inputs = tf.placeholder(tf.int32, shape=[None])
    targets = tf.placeholder(tf.int32, shape=[None])
    with tf.variable_scope('vectors', initializer=tf.random_uniform_initializer(-1.0, 1.0)):
        embeddings = tf.get_variable('embeddings', [len(vocabulary), 8])
        softmax_w = tf.get_variable('softmax_w', [8, len(vocabulary)],
                                    initializer=tf.truncated_normal_initializer(stddev=0.3))
        softmax_b = tf.get_variable('softmax_b', [len(vocabulary)],
                                    initializer=tf.zeros_initializer())
    embed = tf.nn.embedding_lookup(embeddings, inputs)
    logits = tf.matmul(embed, softmax_w) + softmax_b
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
    trainable = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, trainable), 1.0)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdagradOptimizer(0.5).apply_gradients(zip(grads, trainable), step)

    norms = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    normalized = embeddings / norms
    similarity = tf.matmul(normalized, normalized, transpose_b=True)
    _, nearest = tf.nn.top_k(similarity, 3)

    print([v.name for v in tf.global_variables()])

with tf.Session(graph=graph) as session:
    with graph.as_default():
        tf.global_variables_initializer().run()
    rng = np.random.RandomState(0)
    for epoch in range(12):
        rng.shuffle(pairs)
        total = 0.0
        for start in range(0, len(pairs) - 31, 32):
            batch = pairs[start:start + 32]
            _, l, n = session.run([train_op, loss, norm],
                                  feed_dict={inputs: batch[:, 0], targets: batch[:, 1]})
            total += l
        if epoch % 3 == 0:
            print('epoch %d loss %.4f norm %.4f' % (epoch, total, n))
    print('steps', session.run(step))
    for word, row in zip(vocabulary, session.run(nearest)):
        if word in ('king', 'boy', 'man'):
            print(word, ':', ' '.join(vocabulary[i] for i in row[1:]))
