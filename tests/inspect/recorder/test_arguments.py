"""What tf.record and tf.viz.explore take, and what they say of the rest."""
import numpy as np
import pytest

import tinyflow as tf

X, Y = np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)


def model():
    found = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    found.compile('sgd', 'mse')
    return found


def test_a_keras_model_is_recorded_while_it_is_fitted():
    with tf.Graph().as_default():
        net = model()
    with tf.record(net) as r:
        net.fit(X, Y, batch_size=4, verbose=0)
    assert [step for step in r.steps if 'dense/MatMul' in step]
    assert tf.viz.explore(net, recordings=r).document['recordings']


def test_an_estimator_is_recorded_while_it_is_trained(tmp_path):
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.square(tf.layers.dense(features['x'], 1) - labels))
        train = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    with tf.record(estimator) as r:
        estimator.train(lambda: tf.data.Dataset.from_tensors(({'x': X}, Y)).repeat(3))
    assert len([step for step in r.steps if 'Mean' in step]) == 3


def test_what_has_no_runs_is_refused_at_once():
    with pytest.raises(TypeError, match='record needs a Session, .* not 3'):
        tf.record(3)
    with pytest.raises(TypeError, match='Hint: tf.viz.load_recording'):
        tf.record('run.record')


def test_wrong_arguments_of_a_page():
    with pytest.raises(TypeError, match="did you mean 'recordings'"):
        tf.viz.explore(tf.Graph(), recording=[])
    with pytest.raises(TypeError, match='recordings are those of tf.record, not 3'):
        tf.viz.explore(tf.Graph(), recordings=3)
    with pytest.raises(TypeError, match='Hint: tf.viz.load_recording'):
        tf.viz.explore(tf.Graph(), recordings='run.record')
    with pytest.raises(TypeError, match=r'recordings=\[r\]'):
        tf.viz.explore(tf.record())
    with pytest.raises(TypeError, match='training is a doctor'):
        tf.viz.explore(tf.Graph(), training='report')
    with pytest.raises(ValueError, match='has no graph yet'):
        tf.viz.explore(tf.keras.Sequential([tf.keras.layers.Dense(1)]))


def test_misspelt_names(caplog):
    with tf.Graph().as_default(), tf.Session() as sess:
        loss = tf.add(1.0, 2.0, name='loss')
        with tf.record(sess, nodes=['lss', 'lo*', 'none*']) as r:
            sess.run(loss)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2 and "computed 'lss'.\n  Hint: did you mean 'loss'" in said[0]
    assert "computed 'none*'" in said[1] and 'loss' in r[0]
    with pytest.raises(KeyError, match="did you mean 'loss'"):
        r.series('lss')
    with pytest.raises(TypeError, match=r"Hint: r\[-1\]\['loss'\]"):
        r['loss']
    with tf.Graph().as_default() as another:
        tf.constant(1, name='another')
    with pytest.raises(ValueError, match='none of the 3 nodes of .recording. is in this graph'):
        tf.viz.explore(another, recordings=r)
    with pytest.raises(TypeError, match="did you mean 'depth'"):
        tf.viz.draw(another, dept=2)


def test_a_file_that_is_no_recording(tmp_path):
    (tmp_path / 'text').write_text('hello')
    with pytest.raises(tf.errors.DataLossError, match='it is not a recording, or it is damaged'):
        tf.viz.load_recording(tmp_path / 'text')


def test_the_doctor_of_what_makes_its_sessions_itself():
    with pytest.raises(TypeError, match='callbacks.Doctor'):
        tf.doctor(model())
    with pytest.raises(TypeError, match='tf.train.DoctorHook'):
        tf.doctor(tf.estimator.Estimator(lambda features: None))


def test_training_steps_count_together_whatever_else_they_fetch():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        loss = tf.reduce_mean(tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu), 1), name='loss')
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        with tf.doctor(sess, every=5) as doctor, tf.record(sess) as r:
            for step in range(12):
                sess.run([loss, train] if step % 3 else train, {x: X})
            sess.run(loss, {x: X})
        page = tf.viz.explore(sess, recordings=r, training=doctor)
    assert len({step.fetches for step in r}) > 3
    assert [step.nth for step in r] == [*range(12), 0]
    assert r[0].kind == ('GradientDescent',) and r[-1].kind == ('loss:0',)
    recording, = page.document['recordings']
    assert [step['order'] for step in recording['steps']] == [0] * 12 + [1]
    assert page.document['runs'][0]['fetches'] == ['GradientDescent', 'loss:0']
