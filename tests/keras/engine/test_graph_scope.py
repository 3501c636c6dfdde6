"""Graphs, Sessions and threads: prediction from threads, set_session, models made in a loop."""
import gc
import threading
import tracemalloc

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3

pytestmark = pytest.mark.usefixtures('new_graph')


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


def test_two_models_predict_from_several_threads():
    with tf.Graph().as_default():
        one = classifier()
    with tf.Graph().as_default():
        two = classifier(5)
    wanted = [one.predict(INPUTS), two.predict(INPUTS)]
    wrong = []

    def work(i):
        for _ in range(20):
            model = (one, two)[i % 2]
            if not np.array_equal(model.predict(INPUTS), wanted[i % 2]):
                wrong.append(i)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_set_session_and_get_session():
    model = classifier()
    session = tf.Session()
    keras.backend.set_session(session)
    try:
        assert keras.backend.get_session() is session
        model.predict(INPUTS)
        assert session.run(model.weights[1]).shape == (8,)
    finally:
        keras.backend.set_session(None)


@pytest.mark.slow
def test_models_made_in_a_loop_are_freed():
    kept = classifier()
    kept.fit(INPUTS, LABELS, verbose=0)
    before = kept.predict(INPUTS)
    graph = tf.get_default_graph()
    sizes, memory = [], []
    tracemalloc.start()
    try:
        for i in range(30):
            model = classifier(32)
            model.fit(INPUTS, LABELS, verbose=0)
            model.predict(INPUTS)
            if i % 10 == 9:
                del model
                keras.backend.drop_unused_models(graph)
                gc.collect()
                sizes.append(len(graph.get_operations()))
                memory.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(sizes) < 4500                        # 30 models have some 9,000 nodes
    assert memory[2] < memory[0] + 20e6
    np.testing.assert_array_equal(kept.predict(INPUTS), before)
    kept.fit(INPUTS, LABELS, verbose=0)
