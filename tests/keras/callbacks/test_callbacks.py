"""Callbacks: order of hooks, monitored values, files written."""
import csv
import functools
import http.server
import json
import threading
import urllib.parse
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

import keras_layer
import tinyflow as tf
from keras_layer import callbacks, layers
from keras_layer.engine.sequential import Sequential
from tests.golden import read_recorded
from tests.golden.keras import callback_cases, record_callbacks as golden

X = np.linspace(-1, 1, 60, dtype=np.float32).reshape(20, 3)
Y = (X.sum(1) > 0).astype(np.float32)


def model():
    made = Sequential([layers.Dense(1, activation='sigmoid', input_shape=(3,))])
    made.compile('sgd', 'binary_crossentropy', metrics=['accuracy'])
    return made


def fit(*given, made=None, **more):
    made = made or model()
    made.fit(X, Y, batch_size=10, verbose=0, callbacks=list(given),
             **{'epochs': 2, 'validation_data': (X, Y), **more})
    return made


class Adds(callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs['mine'] = 1. / (epoch + 1)


class Calls(callbacks.Callback):
    """Records the name of each hook that is called, with its index."""

    def __init__(self):
        super().__init__()
        self.seen = []


for _name in [n for n in dir(callbacks.Callback) if n.startswith('on_')]:
    def _hook(self, *given, _name=_name, **logs):
        self.seen.append((_name, *[g for g in given if isinstance(g, int)]))
    if _name not in ('on_batch_begin', 'on_batch_end'):
        setattr(Calls, _name, _hook)


def test_the_order_of_the_hooks():
    calls = Calls()
    fit(calls, epochs=1)
    batches = [(f'on_KIND_batch_{when}', i) for i in range(2) for when in ('begin', 'end')]
    train = [(n.replace('KIND', 'train'), i) for n, i in batches]
    test = [(n.replace('KIND', 'test'), i) for n, i in batches]
    assert calls.seen == [('on_train_begin',), ('on_epoch_begin', 0), *train, ('on_test_begin',),
                          *test, ('on_test_end',), ('on_epoch_end', 0), ('on_train_end',)]


@pytest.mark.parametrize('name', ['val_acc', 'val_accuracy', 'acc', 'accuracy'])
def test_accuracy_is_found_under_both_names(name):
    stop = callbacks.EarlyStopping(monitor=name, patience=5)
    fit(stop)
    assert 0 <= stop.best <= 1


def test_an_unknown_monitor_raises_before_the_first_epoch():
    calls = Calls()
    with pytest.raises(ValueError, match='val_f1'):
        fit(callbacks.EarlyStopping(monitor='val_f1'), calls)
    assert not [c for c in calls.seen if c[0] == 'on_epoch_begin']


def test_logs_of_a_custom_callback_may_be_watched():
    stop = callbacks.EarlyStopping(monitor='mine', patience=5)
    fit(Adds(), stop)
    assert stop.best == 0.5
    function = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(mine=2.))
    fit(function, stop)
    assert stop.best == 2.


def test_early_stopping_restores_the_best_weights():
    made, kept = model(), []
    keep = callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: (kept.append(made.get_weights()), logs.update(mine=epoch)))
    stop = callbacks.EarlyStopping(monitor='mine', patience=2, restore_best_weights=True)
    fit(keep, stop, made=made, epochs=9)
    assert len(kept) == 3 and stop.stopped_epoch == 2
    np.testing.assert_array_equal(made.get_weights()[0], kept[0][0])


def test_csv_logger_writes_a_row_for_each_epoch(tmp_path):
    fit(callbacks.CSVLogger(tmp_path / 'log.csv'))
    with open(tmp_path / 'log.csv', newline='') as file:
        rows = list(csv.DictReader(file))
    assert [r['epoch'] for r in rows] == ['0', '1'] and 'val_loss' in rows[0]


def test_hooks_params_and_logs_are_those_of_tf():
    assert golden.hook_calls(keras_layer) == read_recorded('keras.callbacks')


def test_tensorboard_has_the_tags_and_steps_of_tf(tmp_path):
    board = callbacks.TensorBoard(tmp_path, update_freq='batch', histogram_freq=1)
    made = fit(board, epochs=1)
    values = [(value.tag, event.step) for path in tmp_path.iterdir()
              for event in tf.train.summary_iterator(str(path)) for value in event.summary.value]
    assert ('batch_loss', 0) in values and ('batch_loss', 1) in values
    assert {'epoch_loss', 'epoch_val_loss'} <= {tag for tag, _ in values}
    assert made.weights[0].name.replace(':', '_') in {tag for tag, _ in values}


@pytest.mark.slow
@pytest.mark.parametrize('settings', [
    {}, {'write_grads': True, 'write_images': True}, {'validation_data': None}])
def test_tensorboard_histograms_and_pictures(tmp_path, settings):
    validated = settings.pop('validation_data', 1)
    board = callbacks.TensorBoard(tmp_path, histogram_freq=2, **settings)
    more = {'epochs': 3, **({} if validated else {'validation_data': None})}
    made = fit(board, **more)
    nodes = len(made._graph.get_operations())
    events = _summaries(tmp_path)
    weight = made.weights[0].name.replace(':', '_')
    steps = [step for tag, step, value in events if tag == weight and value.HasField('histo')]
    # Epochs 0 and 2: two batches of validation each, as TF counts them, or the epochs themselves.
    assert steps == ([0, 1, 2, 3] if validated else [0, 2])
    tags = {tag for tag, _, _ in events}
    assert (made.layers[0].name + '_out' in tags) is bool(validated)
    assert (weight + '_grad' in tags) is ('write_grads' in settings)
    pictures = [value.image for tag, _, value in events if value.HasField('image')]
    assert bool(pictures) is ('write_images' in settings)
    assert all((p.width, p.height) in ((3, 1), (1, 1), (1, 3)) for p in pictures)
    fit(board, made=made, **more)
    assert len(made._graph.get_operations()) == nodes       # nothing is made twice


def _summaries(folder):
    return [(value.tag, event.step, value) for path in sorted(folder.iterdir())
            if 'tfevents' in path.name for event in tf.train.summary_iterator(str(path))
            for value in event.summary.value]


def test_tensorboard_keeps_embeddings_for_the_projector(tmp_path):
    made = Sequential([layers.Embedding(6, 2, input_length=3), layers.Flatten(), layers.Dense(1)])
    made.compile('sgd', 'mse')
    words = np.arange(12).reshape(4, 3) % 6
    board = callbacks.TensorBoard(tmp_path, embeddings_freq=1, embeddings_data=words, batch_size=3,
                                  embeddings_metadata='words.tsv')
    made.fit(words, np.ones(4), epochs=2, verbose=0, callbacks=[board])
    kept = tf.train.load_checkpoint(tf.train.latest_checkpoint(str(tmp_path)))
    name = made.layers[0].name + '_embedding'
    table = made.layers[0].get_weights()[0]
    np.testing.assert_allclose(kept.get_tensor(name), table[words].reshape(4, 6))
    text = (tmp_path / 'projector_config.pbtxt').read_text()
    assert f'tensor_name: "{name}:0"' in text and 'metadata_path: "words.tsv"' in text
    with pytest.raises(ValueError, match='embeddings_data must be provided'):
        made.fit(words, np.ones(4), callbacks=[callbacks.TensorBoard(tmp_path, embeddings_freq=1)])


@pytest.mark.slow
def test_learning_curves_are_written_as_svg_and_png(tmp_path):
    fit(callbacks.LearningCurves(tmp_path / 'curves.svg'))
    picture = ElementTree.parse(tmp_path / 'curves.svg')
    assert len(picture.findall('.//{*}polyline')) == 4      # loss and acc, each with validation
    fit(callbacks.LearningCurves(tmp_path / 'curves.png'))
    from PIL import Image
    with Image.open(tmp_path / 'curves.png') as png:
        assert png.size == (1680, 600)
        # Blue lines in the left panel, red ones in the right.
        colors = {color for _, color in png.convert('RGB').getcolors(10 ** 6)}
    assert {(0, 114, 178), (213, 94, 0)} <= colors
    with pytest.raises(ValueError, match='.svg or .png'):
        callbacks.LearningCurves(tmp_path / 'curves.pdf')


@pytest.mark.slow
def test_learning_curves_of_a_single_epoch_nan_and_sparse_validation():
    from keras_layer.callbacks.curves import curves_png, curves_svg
    for epochs, history in ([[0], {'loss': [1.]}], [[0, 1], {'loss': [np.nan, np.inf]}],
                            [[0, 1, 2], {'loss': [3., 3., 3.], 'val_loss': [2.]}],
                            [[4, 5], {'a<b': [1e-30, 2e9]}]):
        ElementTree.fromstring(curves_svg(epochs, history))
        assert curves_png(epochs, history).startswith(b'\x89PNG')


RECORDED = read_recorded('keras.callback_texts')


@pytest.fixture(scope='module')
def found(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return json.loads(json.dumps(callback_cases.run(
            tf, str(tmp_path_factory.mktemp('callbacks')))))


@pytest.mark.parametrize('name', RECORDED)
def test_output_files_and_learning_rates_are_those_of_tf(found, name):
    """... and what TensorBoard writes at which step."""
    assert found[name] == RECORDED[name]


def test_a_callback_appended_later_gets_model_and_params():
    made, calls = model(), Calls()
    several = callbacks.CallbackList([callbacks.History()])
    several.set_model(made)
    several.set_params({'epochs': 3})
    several.append(calls)
    assert calls.model is made and calls.params == {'epochs': 3}
    several.on_train_begin()
    assert calls.seen == [('on_train_begin',)]


class Dies(callbacks.Callback):
    def __init__(self, epoch):
        super().__init__()
        self.epoch = epoch

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.epoch:
            raise KeyboardInterrupt


def test_a_subclassed_model_is_saved_by_its_weights(tmp_path):
    class Own(keras_layer.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)
    made = Own()
    made.compile('sgd', 'mse')
    save = callbacks.ModelCheckpoint(tmp_path / 'w{epoch}.h5')
    made.fit(X, Y, verbose=0, callbacks=[save])
    assert save.save_weights_only and (tmp_path / 'w1.h5').exists()


def test_backup_and_restore_resumes_training(tmp_path):
    def trained(*more):
        made = Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
        made.compile('adam', 'mse')
        seen = Calls()
        made.fit(X, Y, batch_size=5, epochs=4, shuffle=False, verbose=0, callbacks=[*more, seen])
        return made, [c[1] for c in seen.seen if c[0] == 'on_epoch_begin']
    whole, _ = trained()
    with pytest.raises(KeyboardInterrupt):
        trained(callbacks.BackupAndRestore(tmp_path / 'backup'), Dies(2))
    assert list((tmp_path / 'backup').iterdir())
    again, epochs = trained(callbacks.BackupAndRestore(tmp_path / 'backup'))
    assert epochs == [2, 3]
    for one, other in zip(again.get_weights() + again.optimizer.get_weights(),
                          whole.get_weights() + whole.optimizer.get_weights()):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert not list((tmp_path / 'backup').iterdir())


class _Server(http.server.BaseHTTPRequestHandler):
    seen: list = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length'])).decode()
        self.seen.append((self.path, self.headers['Content-Type'], self.headers.get('X-Key'), body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.mark.slow
@pytest.mark.parametrize('as_json', [False, True])
def test_remote_monitor_sends_each_epoch(as_json):
    with http.server.HTTPServer(('localhost', 0), _Server) as server:
        _Server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        fit(callbacks.RemoteMonitor(f'http://localhost:{server.server_port}', send_as_json=as_json,
                                    headers={'X-Key': 'k'}))
        server.shutdown()
    assert [s[0] for s in _Server.seen] == ['/publish/epoch/end/'] * 2
    for epoch, (_, kind, key, body) in enumerate(_Server.seen):
        if as_json:
            sent = json.loads(body)
        else:
            form = urllib.parse.parse_qs(body)
            assert list(form) == ['data']
            sent = json.loads(form['data'][0])
        assert kind == ('application/json' if as_json else 'application/x-www-form-urlencoded')
        assert key == 'k' and sent['epoch'] == epoch and 'val_loss' in sent


def test_remote_monitor_without_a_server_warns():
    with pytest.warns(UserWarning, match='Could not reach RemoteMonitor root server'):
        made = fit(callbacks.RemoteMonitor('http://localhost:1'), epochs=1)
    assert len(made.history.epoch) == 1


def test_sparse_validation_is_drawn_at_its_epochs():
    fitted = model()
    fitted.fit(X, Y, verbose=0, epochs=4, validation_data=(X, Y), validation_freq=[1, 3])
    history = fitted.history
    assert len(history.history['val_loss']) == 2
    assert [np.isfinite(v) for v in history._drawn['val_loss']] == [True, False, True, False]
    ElementTree.fromstring(history._repr_svg_())


class Halving:
    def __call__(self, epoch, rate):
        return float(rate) / 2

    def of_epoch(self, epoch):
        return .125


def _halved(factor, epoch, rate):
    return float(rate) * factor


@pytest.mark.parametrize('schedule, expected', [
    (Halving(), .25), (Halving().of_epoch, .125), (functools.partial(_halved, .5), .25),
    (lambda epoch: .75, .75)])
def test_a_schedule_may_be_a_method_an_object_or_a_partial_function(schedule, expected):
    made = Sequential([layers.Dense(1, input_shape=(3,))])
    made.compile(tf.keras.optimizers.SGD(.5), 'mse')
    fit(callbacks.LearningRateScheduler(schedule), made=made, epochs=1)
    assert tf.keras.backend.get_value(made.optimizer.lr) == expected


def test_history_has_a_short_repr():
    history = model().fit(X, Y, verbose=0, epochs=2)
    loss, accuracy = (history.history[name][-1] for name in ('loss', 'acc'))
    assert repr(history) == f'<History: 2 epochs, loss={loss:.4g}, acc={accuracy:.4g}>'
    assert repr(callbacks.History()) == '<History: 0 epochs>'
