"""The objects of oneDNN's library are destroyed with the programs that use them."""
import gc
import weakref

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.support import background
from tinyflow.native.onednn import library


@pytest.mark.skipif(library.find_library() is None, reason='needs the extra "fast"')
def test_nothing_is_left_of_a_session(monkeypatch):
    background.end_all()        # those of other tests would make objects, too
    made, destroyed = [], []
    make = library.Library.make

    def noted(self, name, *arguments):
        found = make(self, name, *arguments)
        destroy = found.destroy
        found.destroy = lambda this: destroyed.append(destroy(this))
        made.append(weakref.ref(found))
        return found

    monkeypatch.setattr(library.Library, 'make', noted)
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [8, 28, 28, 8])
        h = tf.layers.max_pooling2d(tf.layers.conv2d(x, 16, 5, strides=2), 2, 2)
        h = tf.layers.batch_normalization(h, training=True)
        step = tf.gradients(h, [x, *tf.trainable_variables()])
        session.run(tf.global_variables_initializer())
        session.run(step, {x: np.ones([8, 28, 28, 8])})
        assert sum(found() is not None for found in made) > 10
    del session, x, h, step
    gc.collect()
    assert not any(found() is not None for found in made)
    assert destroyed == [0] * len(made)         # each once, without an error
