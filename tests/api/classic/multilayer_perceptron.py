""" Multilayer perceptron with two hidden layers. """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data", one_hot=True, seed=11)

tf.set_random_seed(1234)

# Parameters
learning_rate = 0.01
training_epochs = 2
batch_size = 100
display_step = 1

# Network Parameters
n_hidden_1 = 32
n_hidden_2 = 16
n_input = 784
n_classes = 10

# tf Graph input
X = tf.placeholder("float", [None, n_input])
Y = tf.placeholder("float", [None, n_classes])

weights = {
    'h1': tf.Variable(tf.random_normal([n_input, n_hidden_1], stddev=0.1)),
    'h2': tf.Variable(tf.truncated_normal([n_hidden_1, n_hidden_2], stddev=0.1)),
    'out': tf.get_variable("out", [n_hidden_2, n_classes])
}
biases = {
    'b1': tf.Variable(tf.random_uniform([n_hidden_1], -0.1, 0.1)),
    'b2': tf.Variable(tf.zeros([n_hidden_2])),
    'out': tf.Variable(tf.constant(0.1, shape=[n_classes]))
}

def multilayer_perceptron(x):
    layer_1 = tf.nn.relu(tf.add(tf.matmul(x, weights['h1']), biases['b1']))
    layer_2 = tf.nn.sigmoid(tf.matmul(layer_1, weights['h2']) + biases['b2'])
    return tf.nn.bias_add(tf.matmul(layer_2, weights['out']), biases['out'])

logits = multilayer_perceptron(X)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
loss_op += 1e-4 * tf.add_n([tf.nn.l2_loss(w) for w in weights.values()])
global_step = tf.Variable(0, trainable=False, name='global_step')
rate = tf.train.exponential_decay(learning_rate, global_step, 20, 0.9, staircase=True)
train_op = tf.train.AdamOptimizer(rate).minimize(loss_op, global_step=global_step)

init = tf.global_variables_initializer()

with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as sess:
    sess.run(init)
    for epoch in range(training_epochs):
        avg_cost = 0.
        total_batch = int(mnist.train.num_examples/batch_size)
        for i in range(total_batch):
            batch_x, batch_y = mnist.train.next_batch(batch_size)
            _, c = sess.run([train_op, loss_op], feed_dict={X: batch_x, Y: batch_y})
            avg_cost += c / total_batch
        if epoch % display_step == 0:
            print("Epoch:", '%04d' % (epoch+1), "cost={:.6f}".format(avg_cost))
    print("Optimization Finished!", tf.train.global_step(sess, global_step), sess.run(rate))

    pred = tf.nn.softmax(logits)
    correct_prediction = tf.equal(tf.argmax(pred, 1), tf.argmax(Y, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, "float"))
    print("Accuracy:", accuracy.eval({X: mnist.test.images, Y: mnist.test.labels}))
