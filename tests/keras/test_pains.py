"""Section B of what users suffered (Keras): each row that concerns models has its test here."""
import gc
import io
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def _model(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


X = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
Y = np.arange(16) % 3


def _printed(model):
    lines = []
    model.summary(print_fn=lines.append)
    return '\n'.join(lines)


def test_b1_raw_ops_between_layers_are_layers():
    x = layers.Input((4,))
    h = tf.exp(layers.Dense(3)(x)) + 1.
    model = keras.Model(x, layers.Dense(2)(h))
    assert 'tf_op_layer_Exp' in _printed(model)
    again = keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)


def test_b2_prediction_from_threads_and_two_models():
    with tf.Graph().as_default():
        one = _model()
    with tf.Graph().as_default():
        two = _model(5)
    wanted = [one.predict(X), two.predict(X)]
    wrong = []

    def work(i):
        for _ in range(20):
            model = (one, two)[i % 2]
            if not np.array_equal(model.predict(X), wanted[i % 2]):
                wrong.append(i)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_b2_set_session_and_get_session():
    model = _model()
    session = tf.Session()
    keras.backend.set_session(session)
    try:
        assert keras.backend.get_session() is session
        model.predict(X)
        assert session.run(model.weights[1]).shape == (8,)
    finally:
        keras.backend.set_session(None)


def test_b3_models_made_in_a_loop_do_not_pile_up():
    kept = _model()
    kept.fit(X, Y, verbose=0)
    before = kept.predict(X)
    graph = tf.get_default_graph()
    sizes, memory = [], []
    tracemalloc.start()
    try:
        for i in range(60):
            model = _model(32)
            model.fit(X, Y, verbose=0)
            model.predict(X)
            if i % 20 == 19:
                del model
                keras.backend.drop_unused_models(graph)
                gc.collect()
                sizes.append(len(graph.get_operations()))
                memory.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(sizes) < 9000                        # 60 models have some 18,000 nodes
    assert memory[2] < memory[0] + 40e6
    np.testing.assert_array_equal(kept.predict(X), before)
    kept.fit(X, Y, verbose=0)


class Doubling(layers.Layer):
    def __init__(self, times=2., **kwargs):
        super().__init__(**kwargs)
        self.times = times

    def call(self, inputs):
        return inputs * self.times


def test_b4_custom_layers_keep_their_arguments(tmp_path):
    model = keras.Sequential([layers.Dense(2, input_shape=(4,)), Doubling(times=3.)])
    path = str(tmp_path / 'm.h5')
    model.save(path)
    with pytest.raises(ValueError, match='Unknown layer: Doubling'):
        keras.models.load_model(path)
    with pytest.warns(UserWarning, match='compile'):
        again = keras.models.load_model(path, custom_objects={'Doubling': Doubling})
    assert again.layers[1].times == 3.
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize('loss, y, words', [
    ('categorical_crossentropy', Y, r'integers 0\.\.2.*to_categorical\(y, 3\)'),
    ('sparse_categorical_crossentropy', np.eye(3)[Y], 'one-hot rows.*argmax'),
])
def test_b5_targets_that_belong_to_another_cross_entropy(loss, y, words):
    with pytest.raises(ValueError) as caught:
        _model(loss=loss).fit(X, y, verbose=0)
    import re
    assert re.search(words, str(caught.value), re.S)


@pytest.mark.parametrize('x, y, words', [
    (X[:, :2], Y, r'expected dense_input to have shape \(4,\)'),
    (X.reshape(16, 2, 2), Y, r'reshape\(-1, 4\)'), (X, Y[:5], '16 input samples and 5 target'),
    (X, None, 'y is missing'), ([X, X], Y, 'Expected to see 1 array'),
])
def test_b5_data_of_the_wrong_shape(x, y, words):
    with pytest.raises(ValueError, match=words):
        _model().fit(x, y, verbose=0)


def test_b6_the_summary_shows_what_is_frozen_and_what_is_updated():
    model = keras.Sequential([layers.Dense(4, input_shape=(4,)), layers.BatchNormalization(),
                              layers.Dense(2)])
    model.layers[0].trainable = False
    text = _printed(model)
    assert 'Frozen (trainable=False): dense' in text
    assert 'State that training updates: batch_normalization (2)' in text
    assert 'Trainable params: 18' in text


def test_b7_the_difference_of_loss_and_val_loss_is_documented():
    for documented in (keras.Model.fit, keras.callbacks.ProgbarLogger):
        assert 'val_loss' in documented.__doc__ and 'dropout' in documented.__doc__


@pytest.mark.parametrize('asked', ['acc', 'accuracy'])
@pytest.mark.parametrize('monitor', ['val_acc', 'val_accuracy'])
def test_b9_both_spellings_of_accuracy(asked, monitor):
    _model(metrics=[asked]).fit(X, Y, verbose=0, validation_split=.25,
                                callbacks=[keras.callbacks.EarlyStopping(monitor)])


def test_b9_an_unknown_monitor_is_refused_before_the_first_epoch():
    model = _model()
    with pytest.raises(ValueError, match='no validation'):
        model.fit(X, Y, verbose=0, callbacks=[keras.callbacks.EarlyStopping('val_loss')])
    with pytest.raises(ValueError, match='reports no such value'):
        model.fit(X, Y, verbose=0, validation_split=.25,
                  callbacks=[keras.callbacks.EarlyStopping('val_f1')])


def test_b10_plot_model_needs_no_system_package(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    keras.utils.plot_model(_model(), str(tmp_path / 'm.png'), show_shapes=True)
    assert (tmp_path / 'm.png').read_bytes().startswith(b'\x89PNG')


class Two(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(5, activation='relu')
        self.second = layers.Dense(3, activation='softmax')

    def call(self, inputs):
        return self.second(self.first(inputs))


def test_b11_subclassed_models_show_shapes_and_wiring(tmp_path):
    model = Two()
    model.compile('sgd', 'sparse_categorical_crossentropy')
    model.fit(X, Y, verbose=0)
    text = _printed(model)
    assert 'multiple' not in text and '(None, 5)' in text
    keras.utils.plot_model(model, str(tmp_path / 'm.svg'))
    assert 'dense' in (tmp_path / 'm.svg').read_text()


# ---- what else users expect of models ------------------------------------------------------


def test_a_model_is_a_function_in_low_level_code():
    model = keras.Sequential([layers.Dense(3, input_shape=(4,))])
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 3])
    loss = tf.reduce_mean(tf.squared_difference(model(x), y))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {x: X, y: np.ones((16, 3))}
        first = session.run(loss, feeds)
        for _ in range(20):
            session.run(step, feeds)
        assert session.run(loss, feeds) < first / 2


@pytest.mark.parametrize('kind', ['dataset', 'generator', 'sequence', 'tensors'])
def test_other_kinds_of_data(kind):
    model = _model()
    if kind == 'dataset':
        history = model.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4), verbose=0)
        assert model.predict(tf.data.Dataset.from_tensor_slices(X).batch(4)).shape == (16, 3)
    elif kind == 'generator':
        def batches():
            while True:
                yield X[:4], Y[:4]
        history = model.fit_generator(batches(), steps_per_epoch=3, epochs=2, verbose=0)
    elif kind == 'sequence':
        class Batches(keras.utils.Sequence):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return X[4 * i:4 * i + 4], Y[4 * i:4 * i + 4]
        history = model.fit(Batches(), verbose=0)
        assert model.predict(Batches()).shape == (16, 3)
    else:
        history = model.fit(tf.constant(X), tf.constant(Y[:, None]), steps_per_epoch=2, verbose=0)
    assert np.isfinite(history.history['loss']).all()


def test_clone_model_has_weights_of_its_own():
    model = _model()
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    np.testing.assert_array_equal(clone.predict(X), model.predict(X))
    model.fit(X, Y, verbose=0)
    assert not np.array_equal(clone.get_weights()[0], model.get_weights()[0])


def test_class_weights_weigh():
    model = _model()
    even = model.evaluate(X, Y, verbose=0)
    zero = model.train_on_batch(X, Y, class_weight={0: 0., 1: 0., 2: 0.})
    assert even > 0 and zero == 0


def test_the_bar_is_quiet_in_a_pipe(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, 'stdout', pipe)
    _model().fit(X, Y, epochs=2)
    assert '\r' not in pipe.getvalue() and pipe.getvalue().count('loss:') == 2


def test_explain_goes_from_a_layer_to_its_ops_and_back():
    model = _model()
    explanation = tf.explain(model)
    assert [op.type for op in explanation.layer('dense_1').operations][-1] == 'Softmax'
    assert explanation.layer_of('dense/MatMul') == 'dense'
    assert 'session.run' in str(explanation) and 'MatMul' in str(explanation.train())
