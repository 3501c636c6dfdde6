"""The benchmark workloads: one function each, written once for every framework.

A workload takes the framework module and NumPy, builds whatever it needs and returns `step`, a
function without arguments that does one measured unit. The framework is only ever used through the
TF1 API, so that tinyflow and `tensorflow.compat.v1` run the same source. This file imports neither.

It stays within Python 3.7, because the worker loads it into TensorFlow's interpreter, however old.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Callable  # noqa: UP035  (Python 3.7)

SECONDS = "s"
BYTES = "B"

CHAIN_LENGTH = 10_000


@dataclass(frozen=True)
class Row:
    """One line of the table: its title, and how many times better than TensorFlow it has to be.

    `numpy_target` is for NumPy alone, without the native tier; None: the same.
    """

    title: str
    target: float
    numpy_target: float | None = None


@dataclass(frozen=True)
class Workload:
    """A function that prepares steps, and how these are measured.

    Steps in SECONDS are timed, `inner` calls at a stretch after `warmup` calls that do not count.
    Steps in BYTES are not timed: they return the number. `most_rounds` limits what is too slow, or
    too constant, to repeat often. A `cumulative` number is made by all that ran before in the same
    process, so it says nothing once one side has failed one of those workloads.
    """

    name: str
    setup: Callable[[Any, Any], Any]
    rows: tuple[Row, ...]
    unit: str
    warmup: int
    inner: int
    most_rounds: int | None
    cumulative: bool


WORKLOADS: dict[str, Workload] = {}


def workload(*rows, unit=SECONDS, warmup=0, inner=1, most_rounds=None, cumulative=False):
    """Enter a function into the table; with several rows it returns as many steps, in order."""

    def register(setup):
        name = setup.__name__
        WORKLOADS[name] = Workload(name, setup, rows, unit, warmup, inner, most_rounds, cumulative)
        return setup

    return register


@workload(Row("import, fresh process", 15), warmup=1)
def import_framework(tf, np):
    package = tf.__name__.partition(".")[0]

    def step():
        child = subprocess.run(
            [sys.executable, "-c", "import " + package],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        if child.returncode:
            said = child.stderr.decode(errors="replace").strip().splitlines()
            raise ImportError(said[-1] if said else f"exit code {child.returncode}")

    return step


@workload(Row("fetch a constant", 10), warmup=200, inner=2000)
def fetch_constant(tf, np):
    constant = tf.constant(3.0)
    session = tf.Session()
    return lambda: session.run(constant)


@workload(Row("linear regression, run([train, loss]), 100 points", 8), warmup=200, inner=1000)
def linear_regression(tf, np):
    random = np.random.RandomState(0)
    inputs = random.uniform(-1, 1, 100).astype("float32")
    targets = (0.3 * inputs + 0.1 + random.normal(0, 0.05, 100)).astype("float32")

    x = tf.placeholder(tf.float32, [None])
    y = tf.placeholder(tf.float32, [None])
    slope = tf.Variable(tf.random_normal([1]))
    offset = tf.Variable(tf.zeros([1]))
    loss = tf.reduce_mean(tf.square(slope * x + offset - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    session = initialized_session(tf)
    return lambda: session.run([train, loss], {x: inputs, y: targets})


@workload(Row("MLP 4-10-10-10, batch 32, Adam step", 3), warmup=200, inner=1000)
def mlp_small_adam(tf, np):
    return mlp_step(tf, np, (4, 10, 10, 10), batch=32, optimizer=tf.train.AdamOptimizer(1e-3))


@workload(Row("MLP 784-512-10, batch 32, SGD step", 1.3), warmup=50, inner=300)
def mlp_mnist_sgd(tf, np):
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    return mlp_step(tf, np, (784, 512, 10), batch=32, optimizer=optimizer)


@workload(Row("MLP 784-512-10, batch 128, Adam step", 1.5, 1.0), warmup=20, inner=150)
def mlp_mnist_adam(tf, np):
    return mlp_step(tf, np, (784, 512, 10), batch=128, optimizer=tf.train.AdamOptimizer(1e-3))


@workload(
    Row("chain of 10,000 sin(h)+1: build + gradient", 15),
    Row("chain of 10,000 sin(h)+1: first run", 20, 15),
    most_rounds=3,
)
def chain(tf, np):
    built = []

    def build():
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [])
            h = x
            for _ in range(CHAIN_LENGTH):
                h = tf.sin(h) + 1
            [gradient] = tf.gradients(h, [x])
        built.append((tf.Session(graph=graph), gradient, x))

    def first_run():
        session, gradient, x = built.pop()
        value = session.run(gradient, {x: 0.5})
        return value, session  # handed out so that closing the session is not part of the time

    return build, first_run


@workload(Row("tf.data: range(100,000).map.shuffle.batch(100), drained", 1.5), most_rounds=5)
def data_pipeline(tf, np):
    numbers = tf.data.Dataset.range(100_000).map(lambda x: 2 * x + 1)
    iterator = tf.data.make_initializable_iterator(numbers.shuffle(1000, seed=1).batch(100))
    element = iterator.get_next()
    session = tf.Session()

    def step():
        session.run(iterator.initializer)
        try:
            while True:
                session.run(element)
        except tf.errors.OutOfRangeError:
            pass

    return step


@workload(Row("CNN 5x5x32, 5x5x64, 1024, batch 128, Adam step", 1.1, 0.65), warmup=5, inner=10)
def cnn_mnist_adam(tf, np):
    return cnn_step(tf, np, 128)


@workload(Row("the same on batches of 64 of a Dataset", 1.1, 0.65), warmup=5, inner=10)
def cnn_mnist_dataset(tf, np):
    digits = tf.data.Dataset.from_tensor_slices(random_digits(np, 1000)).repeat().batch(64)
    train = cnn_training(tf, *tf.data.make_one_shot_iterator(digits).get_next())
    session = initialized_session(tf)
    return lambda: session.run(train)


@workload(
    Row("LSTM static, 28 steps, 128 units, batch 128, Adam step", 2, 1.57), warmup=6, inner=20
)
def lstm_static_adam(tf, np):
    return lstm_step(tf, np, unrolled)


@workload(
    Row("LSTM dynamic, 28 steps, 128 units, batch 128, Adam step", 2, 1.72), warmup=6, inner=20
)
def lstm_dynamic_adam(tf, np):
    def looped(tf, cell, x):
        outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        return outputs[:, -1]

    return lstm_step(tf, np, looped)


@workload(
    Row("Keras fit, 784-512-10, 400 batches of 32", 2, 1.65),
    Row("Keras predict, 784-512-10, 10,000 rows", 2),
    warmup=1,
    most_rounds=9,
)
def keras_mlp(tf, np):
    keras = tf.keras
    model = keras.models.Sequential([
        keras.layers.Dense(512, activation="relu", input_shape=(784,)),
        keras.layers.Dense(10, activation="softmax"),
    ])
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    rng = np.random.RandomState(0)
    x = np.empty((12800, 784), "float32")
    for batch in np.split(x, 400):  # the peak below should not be that of a float64 copy
        batch[:] = rng.uniform(size=batch.shape)
    y = rng.randint(0, 10, 12800)

    graph = tf.get_default_graph()

    def fit():
        with graph.as_default():
            model.fit(x, y, batch_size=32, epochs=1, verbose=0)

    def predict():
        with graph.as_default():
            model.predict(x[:10000])

    return fit, predict


@workload(Row("peak memory after the above", 6), unit=BYTES, most_rounds=1, cumulative=True)
def peak_memory(tf, np):
    return peak_resident_bytes


# Below the peak: TensorFlow has no Estimator since 2.16, and a row that fails would void the peak.


@workload(Row("Estimator: DNNClassifier on iris, train 1,000 steps", 3), warmup=1, most_rounds=5)
def estimator_train(tf, np):
    new_classifier, rows = iris_classifier(tf, np)

    def step():
        folder = tempfile.TemporaryDirectory()
        new_classifier(folder.name).train(rows(train=True), steps=1000)
        return folder  # handed out so that removing it is not part of the time

    return step


@workload(
    Row("Estimator: predict one row", 10),
    Row("Estimator: evaluate 3 batches of 50", 5),
    warmup=2,
    inner=3,
    most_rounds=9,
)
def estimator_use(tf, np):
    new_classifier, rows = iris_classifier(tf, np)
    folder = tempfile.TemporaryDirectory()
    classifier = new_classifier(folder.name)
    classifier.train(rows(train=True), steps=10)
    one_row = rows(first=1)
    all_rows = rows()

    def predict():
        return list(classifier.predict(one_row)), folder  # the folder lives while this is measured

    return predict, lambda: classifier.evaluate(all_rows)


# Below the peak, because the table itself takes 256 MB on both sides.


@workload(Row("embedding 1,000,000 x 64, batch 32, Adagrad step", 1), warmup=20, inner=200)
def embedding_adagrad(tf, np):
    table = tf.get_variable("table", [1_000_000, 64], initializer=tf.zeros_initializer())
    ids = tf.placeholder(tf.int32, [32])
    found = tf.nn.embedding_lookup(table, ids)
    train = tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_mean((found - 1.0) ** 2))
    batch = np.random.RandomState(0).randint(0, 1_000_000, 32)
    session = initialized_session(tf)
    return lambda: session.run(train, {ids: batch})


@workload(Row("installed size with dependencies", 6), unit=BYTES, most_rounds=1)
def installed_size(tf, np):
    from installed_size import installed_bytes  # its importlib.metadata is missing in Python 3.7

    package = tf.__name__.partition(".")[0]
    return lambda: installed_bytes(package)


def mlp_step(tf, np, widths, batch, optimizer):
    """One training step of a ReLU network with a softmax loss, fed NumPy arrays.

    Shapes: x [batch, widths[0]], labels [batch, widths[-1]] one-hot.
    """
    random = np.random.RandomState(0)
    inputs = random.uniform(0, 1, (batch, widths[0])).astype("float32")
    one_hot = np.eye(widths[-1], dtype="float32")[random.randint(0, widths[-1], batch)]

    x = tf.placeholder(tf.float32, [None, widths[0]])
    labels = tf.placeholder(tf.float32, [None, widths[-1]])
    logits = x
    for index, (fan_in, fan_out) in enumerate(zip(widths, widths[1:])):
        hidden = x if index == 0 else tf.nn.relu(logits)
        weights = tf.Variable(tf.truncated_normal([fan_in, fan_out], stddev=fan_in**-0.5))
        logits = tf.matmul(hidden, weights) + tf.Variable(tf.zeros([fan_out]))
    losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    train = optimizer.minimize(tf.reduce_mean(losses))

    session = initialized_session(tf)
    return lambda: session.run(train, {x: inputs, labels: one_hot})


def cnn_step(tf, np, batch):
    """One training step of the convolutional network of the MNIST tutorial, fed arrays."""
    inputs, one_hot = random_digits(np, batch)
    x = tf.placeholder(tf.float32, [None, 28 * 28])
    labels = tf.placeholder(tf.float32, [None, 10])
    train = cnn_training(tf, x, labels)

    session = initialized_session(tf)
    return lambda: session.run(train, {x: inputs, labels: one_hot})


def random_digits(np, n):
    """Shapes: images [n, 784], labels [n, 10] one-hot."""
    random = np.random.RandomState(0)
    inputs = random.uniform(0, 1, (n, 28 * 28)).astype("float32")
    return inputs, np.eye(10, dtype="float32")[random.randint(0, 10, n)]


def cnn_training(tf, x, labels):
    """The train op of that network. Shapes: x [batch, 784], labels [batch, 10] one-hot."""
    hidden = tf.reshape(x, [-1, 28, 28, 1])
    for channels, filters in ((1, 32), (32, 64)):
        kernel = tf.Variable(tf.truncated_normal([5, 5, channels, filters], stddev=0.1))
        hidden = tf.nn.conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
        hidden = tf.nn.relu(hidden + tf.Variable(tf.constant(0.1, shape=[filters])))
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    logits = tf.reshape(hidden, [-1, 7 * 7 * 64])
    for fan_in, fan_out in ((7 * 7 * 64, 1024), (1024, 10)):
        hidden = logits if fan_in == 7 * 7 * 64 else tf.nn.relu(logits)
        weights = tf.Variable(tf.truncated_normal([fan_in, fan_out], stddev=0.1))
        logits = tf.matmul(hidden, weights) + tf.Variable(tf.constant(0.1, shape=[fan_out]))
    losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    return tf.train.AdamOptimizer(1e-4).minimize(tf.reduce_mean(losses))



def unrolled(tf, cell, x):
    """The last output of a cell over time, as a graph without a loop."""
    outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
    return outputs[-1]


def lstm_step(tf, np, last_output_of, units=128):
    """One training step of an LSTM that reads pictures row by row.

    Shapes: x [128, 28, 28], labels [128].
    """
    random = np.random.RandomState(0)
    inputs = random.uniform(0, 1, (128, 28, 28)).astype("float32")
    classes = random.randint(0, 10, 128)
    x, labels = tf.placeholder(tf.float32, [128, 28, 28]), tf.placeholder(tf.int64, [128])
    last = last_output_of(tf, tf.nn.rnn_cell.BasicLSTMCell(units), x)
    weights = tf.Variable(tf.truncated_normal([units, 10], stddev=units**-0.5))
    logits = tf.matmul(last, weights) + tf.Variable(tf.zeros([10]))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    train = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(losses))
    session = initialized_session(tf)
    return lambda: session.run(train, {x: inputs, labels: classes})


def iris_classifier(tf, np):
    """A function that makes a DNNClassifier in a folder, and one that makes its input_fn.

    Shapes: four features [batch], labels [batch]; 150 rows as in Fisher's table.
    """
    random = np.random.RandomState(0)
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    table = random.uniform(0, 8, (150, 4)).astype("float32")
    labels = table.dot(random.uniform(-1, 1, (4, 3))).argmax(1)

    def new_classifier(folder):
        columns = [tf.feature_column.numeric_column(name) for name in names]
        return tf.estimator.DNNClassifier([10, 10], columns, folder, n_classes=3)

    def rows(train=False, first=150):
        features = {name: table[:first, i] for i, name in enumerate(names)}

        def input_fn():
            data = tf.data.Dataset.from_tensor_slices((features, labels[:first]))
            return data.shuffle(150).repeat().batch(32) if train else data.batch(50)

        return input_fn

    return new_classifier, rows


def initialized_session(tf):
    """A Session on the default graph with every Variable initialized."""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def peak_resident_bytes():
    """The most memory that this process has held so far."""
    import resource  # missing on Windows, where this row then fails alone

    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        # ru_maxrss would not do: a child inherits the peak of the process that started it.
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            peak = next(line for line in status if line.startswith("VmHWM:"))
        return int(peak.split()[1]) * 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
