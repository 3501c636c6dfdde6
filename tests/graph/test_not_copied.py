"""deepcopy and pickle of what belongs to a graph say what to do instead; copy.copy works."""
from __future__ import annotations

import copy
import pickle

import pytest

import tinyflow as tf


def objects():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    v = tf.Variable([1.0, 2.0], name='v')
    r = tf.Variable([1.0], name='r', use_resource=True)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    data = tf.data.Dataset.range(3)
    return {'session': (tf.Session(), 'tf.Session'), 'graph': (x.graph, 'as_graph_def'),
            'tensor': (x, 'get_tensor_by_name'), 'operation': (x.op, 'get_operation_by_name'),
            'variable': (v, 'Saver'), 'resource': (r, 'Saver'), 'model': (model, 'clone_model'),
            'dataset': (data, 'get_tensor_by_name'), 'nested': ({'a': [v]}, 'Saver'),
            'layer': (model.layers[0], 'Saver')}


@pytest.mark.parametrize('what', ['session', 'graph', 'tensor', 'operation', 'variable', 'resource',
                                  'model', 'dataset', 'nested', 'layer'])
def test_deepcopy_and_pickle_say_what_to_do(graph, what):
    value, hint = objects()[what]
    for attempt in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match='cannot be pickled, or copied by deepcopy') as caught:
            attempt(value)
        assert f'Hint: {"" if what != "session" else "another process"}' in str(caught.value)
        assert hint in str(caught.value)


def test_shallow_copies(graph):
    for value, _ in objects().values():
        twin = copy.copy(value)
        assert type(twin) is type(value)
    x, v = tf.constant(2.0), tf.Variable(3.0)
    twin = copy.copy(v)
    assert twin is not v and twin.op is v.op
    with tf.Session() as session:
        session.run(twin.initializer)
        assert session.run([copy.copy(x), twin, v]) == [2, 3, 3]


class Portable(tf.keras.Model):
    """A model with the usual recipe for pickling: a file's content, or its parts."""

    def __getstate__(self):
        return {'json': self.to_json(), 'weights': self.get_weights()}

    def __setstate__(self, state):
        self.__init__()
        self.__dict__['restored'] = state


def test_a_model_with_its_own_state_is_pickled(graph):
    x = tf.keras.Input([3])
    model = Portable(x, tf.keras.layers.Dense(2)(x))
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert len(twin.restored['weights']) == 2 and 'Dense' in twin.restored['json']
