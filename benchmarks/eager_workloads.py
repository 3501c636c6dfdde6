"""The workloads of eager execution and tf.function; as workloads.py, within Python 3.7."""

from __future__ import annotations

from workloads import Row, workload


def at_once(tf):
    """A context manager inside which ops run at once."""
    if tf.__name__ == "tinyflow":
        from tinyflow.eager.enabling import eager_execution

        return eager_execution
    from tensorflow.python.eager import context

    return context.eager_mode


def inside(scope, function):
    """The function, called inside the scope, which the worker enters once for many calls."""

    def call():
        with scope():
            return function()

    call.inside = function, scope
    return call


@workload(
    Row("eager: 100 sums of 2x2", 2.0),
    Row("eager: 100 products of 2x2", 2.0),
    warmup=3,
    inner=50,
)
def eager_ops(tf, np):
    scope = at_once(tf)
    with scope():
        x = tf.constant(np.ones((2, 2), np.float32))

    def sums():
        y = x
        for _ in range(100):
            y = y + x
        return y

    def products():
        y = x
        for _ in range(100):
            y = tf.matmul(y, x)
        return y

    return inside(scope, sums), inside(scope, products)


def perceptron(tf, np):
    """(a function that takes one training step, its scope) of a network 20-16-1, batch 32."""
    scope, rng = at_once(tf), np.random.RandomState(0)
    with scope():
        x = tf.constant(rng.rand(32, 20).astype(np.float32))
        y = tf.constant(rng.rand(32, 1).astype(np.float32))
        w1 = tf.Variable(rng.randn(20, 16).astype(np.float32) * 0.1, use_resource=True)
        b1 = tf.Variable(np.zeros(16, np.float32), use_resource=True)
        w2 = tf.Variable(rng.randn(16, 1).astype(np.float32) * 0.1, use_resource=True)
        b2 = tf.Variable(np.zeros(1, np.float32), use_resource=True)
        optimizer = tf.train.AdamOptimizer(0.001)
    variables = [w1, b1, w2, b2]

    def step():
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, w2) + b2 - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    with scope():
        step()  # makes the slots
    return step, scope


@workload(Row("eager: perceptron 20-16-1, batch 32, an Adam step", 1.5), warmup=3, inner=50)
def eager_perceptron(tf, np):
    step, scope = perceptron(tf, np)
    return inside(scope, step)


@workload(Row("the same as a tf.function", 3.0), warmup=5, inner=2000)
def function_perceptron(tf, np):
    step, scope = perceptron(tf, np)
    if tf.__name__ == "tinyflow":
        function = tf.function
    else:
        from tensorflow import function
    return inside(scope, function(step))


@workload(
    Row("Keras `fit` with `run_eagerly=True`, 784-64-10, 50 batches of 32", 1.5),
    inner=1,
    warmup=1,
)
def keras_run_eagerly(tf, np):
    scope, rng = at_once(tf), np.random.RandomState(0)
    images = rng.rand(1600, 784).astype(np.float32)
    labels = rng.randint(0, 10, 1600)
    with scope():
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(64, activation="relu", input_shape=(784,)),
                tf.keras.layers.Dense(10, activation="softmax"),
            ]
        )
        model.compile("adam", "sparse_categorical_crossentropy", run_eagerly=True)
    return inside(scope, lambda: model.fit(images, labels, batch_size=32, epochs=1, verbose=0))
