# %% [markdown]
# # 25. Build it yourself
#
# *You need lessons 1 to 5. It takes 60 minutes. Afterwards you can read the engine: you have built
# a small one.*
#
# From an empty file to an engine that trains a network: nodes and names, running, Variables,
# gradients, an optimizer, a picture. It has about 190 lines, works as TensorFlow 1 does, and uses
# tinyflow's own terms; at the end you open the real files that do the same.
#
# You need lessons 1 to 5, and NumPy. It takes an hour, if you type it in instead of reading it.

# %%
import inspect

import numpy as np
from helpers import draw_dot, output, show_picture

# %% [markdown]
# ## 1. A node and its tensors
#
# A graph is a list of **operations**. Each has a type, a name, inputs, and an output: a **Tensor**,
# which stands for a value that is not known yet. (In TensorFlow an operation may have several
# outputs. One is enough for us.)
#
# The only thing that is not obvious is the name: it must be unique, since people and files use it.


# %%
class Graph:
    """Operations, in the order in which they were made."""

    def __init__(self):
        self.operations = []
        self.names = {}                 # name -> how often it was asked for

    def unique_name(self, name):
        number = self.names.get(name, 0)
        self.names[name] = number + 1
        return name if number == 0 else self.unique_name(f'{name}_{number}')


GRAPH = Graph()                         # the default graph


class Operation:
    """One step of the calculation. `kind` says how to compute it, and how to differentiate it."""

    def __init__(self, kind, inputs=(), name=None, **attrs):
        self.kind, self.inputs, self.attrs = kind, [as_tensor(x) for x in inputs], attrs
        self.name = GRAPH.unique_name(name or kind.__name__)
        self.output = Tensor(self)
        GRAPH.operations.append(self)


class Tensor:
    """The output of an operation: a value that can be computed."""

    def __init__(self, op):
        self.op = op
        self.name = f'{op.name}:0'

    def __repr__(self):
        return f'<Tensor {self.name}>'

    def __add__(self, other):
        return Operation(Add, [self, other]).output

    def __sub__(self, other):
        return Operation(Sub, [self, other]).output

    def __mul__(self, other):
        return Operation(Mul, [self, other]).output

    def __matmul__(self, other):
        return Operation(MatMul, [self, other]).output

    def __neg__(self):
        return self * -1.0

    def __rsub__(self, other):
        return as_tensor(other) - self

    __radd__, __rmul__ = __add__, __mul__


def as_tensor(value):
    """A Tensor; numbers and arrays become constants."""
    return value if isinstance(value, Tensor) else constant(value)


def constant(value, name=None):
    return Operation(Const, name=name, value=np.asarray(value, np.float32)).output


# %% [markdown]
# ## 2. What each kind of operation computes
#
# A kind of operation is a class with two functions:
#
# - the **kernel** computes the output from the inputs;
# - the **gradient** gets the derivative of the loss with respect to the output, `dy`, and returns
#   that with respect to each input. It does not compute it: it makes *nodes* that will.
#
# `x + b` may have a matrix and a row: NumPy repeats the row. Then the gradient of the row is the
# sum over the repetitions; `SumTo` does that.


# %%
class Const:
    def kernel(value):
        return value


class Placeholder:
    needs_session = True                # its value can only come from the feeds of a run

    def kernel(variables, op):
        raise ValueError('You must feed a value for placeholder tensor')


class Add:
    def kernel(x, y):
        return x + y

    def gradient(op, dy):
        x, y = op.inputs
        return sum_to(dy, x), sum_to(dy, y)


class Sub:
    def kernel(x, y):
        return x - y

    def gradient(op, dy):
        x, y = op.inputs
        return sum_to(dy, x), sum_to(-dy, y)


class Mul:
    def kernel(x, y):
        return x * y

    def gradient(op, dy):
        x, y = op.inputs
        return sum_to(dy * y, x), sum_to(dy * x, y)


class MatMul:
    def kernel(x, y, transpose_x=False, transpose_y=False):
        return (x.T if transpose_x else x) @ (y.T if transpose_y else y)

    def gradient(op, dy):
        x, y = op.inputs
        return (Operation(MatMul, [dy, y], transpose_y=True).output,
                Operation(MatMul, [x, dy], transpose_x=True).output)


class Tanh:
    def kernel(x):
        return np.tanh(x)

    def gradient(op, dy):
        return [dy * (1.0 - op.output * op.output)]


class Mean:
    def kernel(x):
        return np.mean(x)

    def gradient(op, dy):
        return [Operation(SpreadMean, [dy, op.inputs[0]]).output]


class SpreadMean:
    def kernel(dy, x):
        return np.full_like(x, dy / x.size)


class SumTo:
    def kernel(dy, like):
        while dy.ndim > like.ndim:
            dy = dy.sum(axis=0)
        repeated = tuple(i for i, size in enumerate(like.shape) if size < dy.shape[i])
        return dy.sum(axis=repeated, keepdims=True)

    def gradient(op, dy):
        return [Operation(RepeatTo, [dy, op.inputs[0]]).output]


class RepeatTo:
    def kernel(x, like):
        return np.broadcast_to(x, like.shape)

    def gradient(op, dy):
        return [sum_to(dy, op.inputs[0])]


def sum_to(dy, x):
    return Operation(SumTo, [dy, x]).output


def tanh(x):
    return Operation(Tanh, [x]).output


def reduce_mean(x):
    return Operation(Mean, [x]).output


def placeholder(name=None):
    return Operation(Placeholder, name=name).output


# %% [markdown]
# Nothing can run yet, but a graph can be built and looked at.

# %%
a = constant(3.0, name='a')
b = placeholder(name='b')
c = a * a + b * 2.0

for op in GRAPH.operations:
    print(f'{op.name:<7} {op.kind.__name__:<12} {", ".join(x.name for x in op.inputs)}')

# %% [markdown]
# ## 3. Running
#
# A **Session** computes what was asked for, and nothing else. Two steps:
#
# 1. **prune**: walk back from the fetches to what they need; a fed tensor needs nothing;
# 2. compute those operations in the order in which they were made. An input is always older than
#    what uses it, so that is an order in which every input is ready.
#
# Variables (the next section) keep their values here, in the Session: the graph has none.


# %%
def prune(fetches, feeds):
    """The operations that the fetches need, in the order in which they were made."""
    needed, waiting = set(), [fetch.op for fetch in fetches]
    while waiting:
        op = waiting.pop()
        if op not in needed and op.output not in feeds:
            needed.add(op)
            waiting += [x.op for x in op.inputs]
    return [op for op in GRAPH.operations if op in needed]


class Session:
    """Runs operations, and has the values of the Variables."""

    def __init__(self):
        self.variables = {}             # operation of a Variable -> its value

    def run(self, fetches, feed_dict=None):
        single = isinstance(fetches, Tensor)
        fetches = [fetches] if single else fetches
        values = {tensor: np.asarray(value, np.float32)
                  for tensor, value in (feed_dict or {}).items()}
        for op in prune(fetches, values):
            values[op.output] = self.compute(op, [values[x] for x in op.inputs])
        results = [values[fetch] for fetch in fetches]
        return results[0] if single else results

    def compute(self, op, inputs):
        try:
            if getattr(op.kind, 'needs_session', False):
                return op.kind.kernel(self.variables, op, *inputs)
            return op.kind.kernel(*inputs, **op.attrs)
        except ValueError as error:
            raise ValueError(f"{error}\n  at the node '{op.name}'") from None


session = Session()
print('c =', session.run(c, {b: 4.0}))

# %% [markdown]
# And the mistake that everybody makes once:

# %%
try:
    session.run(c)
except ValueError as error:
    print(error)

# %% [markdown]
# ## 4. Variables
#
# A Variable is an operation that reads what the Session has for it. `assign` is an operation,
# too: the value changes when it *runs*, not when it is made. That is why programs for TensorFlow 1
# have a line `sess.run(initializer)`.


# %%
class Variable:
    needs_session = True

    def kernel(variables, op):
        if op not in variables:
            raise ValueError('Attempting to use uninitialized value')
        return variables[op]


class Assign:
    needs_session = True

    def kernel(variables, op, value):
        variables[op.attrs['variable']] = value
        return value


VARIABLES: list[Tensor] = []


def make_variable(initial, name=None):
    """A Tensor that keeps a value between runs."""
    made = Operation(Variable, name=name or 'Variable').output
    made.initializer = assign(made, initial)
    VARIABLES.append(made)
    return made


def assign(variable, value):
    return Operation(Assign, [value], variable=variable.op).output


def initialize(session):
    session.run([variable.initializer for variable in VARIABLES])


# %% [markdown]
# ## 5. Gradients
#
# The heart of it, and the shortest function. The gradient of the loss with respect to itself is 1.
# Then, from the newest operation to the oldest, each one passes what it has got on to its inputs.
# A tensor that is used twice gets two contributions, which are added up.
#
# The graph grows: the derivative is a calculation like any other, so it can be run, drawn, and
# differentiated again.


# %%
def gradients(loss, tensors):
    """The derivatives of `loss` with respect to each of `tensors`, as Tensors."""
    found = {loss: constant(1.0)}
    for op in reversed(prune([loss], {})):
        dy = found.get(op.output)
        if dy is None or not op.inputs or not hasattr(op.kind, 'gradient'):
            continue
        for x, dx in zip(op.inputs, op.kind.gradient(op, dy)):
            found[x] = dx if x not in found else found[x] + dx
    return [found.get(tensor) for tensor in tensors]


x = placeholder(name='x')
y = x * x * x
dy, = gradients(y, [x])
ddy, = gradients(dy, [x])
print('x³, 3x², 6x at 2:', *session.run([y, dy, ddy], {x: 2.0}))

# %% [markdown]
# ## 6. An optimizer
#
# Gradient descent is one line: `w ← w − rate · dw`, for each Variable. All new values are computed
# before the first one is assigned, since the assignments are fetched together and come last.


# %%
def minimize(loss, rate):
    """Tensors to run for one step of gradient descent."""
    steps = [as_tensor(dw) * rate for dw in gradients(loss, VARIABLES)]
    new = [variable - step for variable, step in zip(VARIABLES, steps)]
    return [assign(variable, value) for variable, value in zip(VARIABLES, new)]


# %% [markdown]
# ## 7. A network
#
# XOR needs a hidden layer. This is a complete program in the style of TensorFlow 1, on our own
# engine.

# %%
random = np.random.RandomState(0)
points = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
wanted = np.array([[-1], [1], [1], [-1]], np.float32)
first, second = random.normal(size=(2, 4)), random.normal(size=(4, 1))

x, target = placeholder(name='points'), placeholder(name='wanted')
hidden = tanh(x @ make_variable(first, 'w1') + make_variable(np.zeros(4), 'b1'))
answer = tanh(hidden @ make_variable(second, 'w2') + make_variable(np.zeros(1), 'b2'))
difference = answer - target
loss = reduce_mean(difference * difference)
train = minimize(loss, 0.2)

session = Session()
initialize(session)
feed = {x: points, target: wanted}
mine = []
for number in range(301):
    mine.append(float(session.run(loss, feed)))
    session.run(train, feed)
    if number % 100 == 0:
        print(f'step {number:3}: loss {mine[-1]:.5f}')
print(np.round(session.run(answer, feed).ravel(), 2))

# %% [markdown]
# ## 8. A picture
#
# The graph is data, so a picture of it is a loop: a box for each operation, an arrow for each
# input.

# %%
import graphviz

picture = graphviz.Digraph(graph_attr={'rankdir': 'LR'}, node_attr={'shape': 'box'})
for op in prune([loss], {}):
    is_variable = op.kind is Variable
    picture.node(op.name, op.name if is_variable else op.kind.__name__, style='filled',
                 fillcolor='#ffe1a3' if is_variable else '#ffffff')
    for tensor in op.inputs:
        picture.edge(tensor.op.name, op.name)

draw_dot(picture.source, output('25_mine.svg'))
show_picture('Picture:', output('25_mine.svg'))

# %% [markdown]
# ## 9. The same in tinyflow
#
# The same program, the same numbers. What tinyflow does beyond our 190 lines: shapes and dtypes are
# checked while the graph is built, errors name your line, a run is compiled to one Python function,
# and everything else that TensorFlow 1 has.

# %%
import tinyflow as tf

x, target = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 1])
w1, b1 = tf.Variable(first, dtype=tf.float32), tf.Variable(tf.zeros(4))
w2, b2 = tf.Variable(second, dtype=tf.float32), tf.Variable(tf.zeros(1))
answer = tf.tanh(tf.tanh(x @ w1 + b1) @ w2 + b2)
loss = tf.reduce_mean(tf.square(answer - target))
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)

theirs = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in mine:
        theirs.append(sess.run(loss, {x: points, target: wanted}))
        sess.run(train, {x: points, target: wanted})

tf.viz.draw(loss, output('25_theirs.svg'))
print('largest difference of a loss:', f'{np.abs(np.subtract(mine, theirs)).max():.1e}')
show_picture('Picture:', output('25_theirs.svg'))

# %% [markdown]
# ## 10. The real files
#
# You have written them all in small. Open one, and look for what you know:
#
# | here | in tinyflow |
# |---|---|
# | `Operation`, `Tensor` | `tinyflow/graph/operation.py` |
# | `Graph`, `unique_name` | `tinyflow/graph/graph.py` |
# | `Mul`, with kernel and gradient | `tinyflow/ops/math/arithmetic.py` |
# | `prune` | `tinyflow/compiler/prune.py` |
# | `Session.run` | `tinyflow/session/session.py`, and the stages of `tinyflow/compiler/` |
# | `self.variables` | `tinyflow/session/store.py` |
# | `gradients` | `tinyflow/gradients/reverse.py` |
# | `SumTo` | `tinyflow/gradients/reduce_broadcast.py` |
# | `minimize` | `tinyflow/train/optimizers/gradient_descent.py` |
#
# `READING.md` leads through them in twelve stops. As a first look, tinyflow's Relu:

# %%
from tinyflow.ops.nn import activations

print(inspect.getsource(activations.Relu))

# %% [markdown]
# **What to remember.** A graph is a list of nodes, a run computes those that are needed in their
# order, a gradient is more nodes, and an optimizer is a few of them. All the rest makes it faster,
# safer or easier to use.
#
# **Try it.** Add `Exp` to your engine, with its gradient. Then a Session that remembers in which
# order it computed a fetch, so that it need not look for it in the next run.

# %% [markdown]
# Next lesson: [26. Eager and graph: the same ops](26_eager.py).
