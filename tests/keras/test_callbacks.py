"""Callbacks: what is called when, what is watched, what is written."""
import csv
import json
import os
import pty
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import keras_layer
import tinyflow as tf
from keras_layer import callbacks, layers
from keras_layer.engine.sequential import Sequential
from keras_layer.utils.progbar import Progbar
from tests.golden.keras import record_callbacks as golden

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
    """Writes down the name of each hook that is called, with its index."""

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
def test_b9_accuracy_is_found_under_both_names(name):
    stop = callbacks.EarlyStopping(monitor=name, patience=5)
    fit(stop)
    assert 0 <= stop.best <= 1


def test_b9_an_unknown_monitor_is_refused_before_the_first_epoch():
    calls = Calls()
    with pytest.raises(ValueError, match='val_f1'):
        fit(callbacks.EarlyStopping(monitor='val_f1'), calls)
    assert not [c for c in calls.seen if c[0] == 'on_epoch_begin']


def test_b9_the_logs_of_an_own_callback_may_be_watched():
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


def test_the_bar_is_live_in_a_terminal_and_quiet_in_a_pipe(monkeypatch, capsys):
    ends = pty.openpty()
    with os.fdopen(ends[1], 'w') as terminal:
        monkeypatch.setattr('sys.stdout', terminal)
        bar = Progbar(3, interval=0)
        for step in (1, 2, 3):
            bar.update(step, [('loss', 0.5)])
        shown = ''
        while '3/3 [' not in shown or not shown.endswith('\n'):      # a terminal gives it in parts
            shown += os.read(ends[0], 4096).decode()
        monkeypatch.undo()
    os.close(ends[0])
    assert shown.count('\r') >= 3 and '3/3 [' + '=' * 30 + ']' in shown and 'loss: 0.5000' in shown
    bar = Progbar(3, interval=0)
    for step in (1, 2, 3):
        bar.update(step)
    assert capsys.readouterr().out.count('\n') == 1


def test_hooks_params_and_logs_are_those_of_tf():
    recorded = Path(golden.__file__).parents[1] / 'recorded' / 'keras.callbacks.json'
    assert golden.hook_calls(keras_layer) == json.loads(recorded.read_text())


def test_tensorboard_has_the_tags_and_steps_of_tf(tmp_path):
    board = callbacks.TensorBoard(tmp_path, update_freq='batch', histogram_freq=1)
    made = fit(board, epochs=1)
    values = [(value.tag, event.step) for path in tmp_path.iterdir()
              for event in tf.train.summary_iterator(str(path)) for value in event.summary.value]
    assert ('batch_loss', 0) in values and ('batch_loss', 1) in values
    assert {'epoch_loss', 'epoch_val_loss'} <= {tag for tag, _ in values}
    assert made.weights[0].name.replace(':', '_') in {tag for tag, _ in values}


def test_learning_curves_are_an_svg_and_other_kinds_are_refused_at_once(tmp_path):
    fit(callbacks.LearningCurves(tmp_path / 'curves.svg'))
    picture = ElementTree.parse(tmp_path / 'curves.svg')
    assert len(picture.findall('.//{*}polyline')) == 4      # loss and acc, each with validation
    with pytest.raises(ValueError, match='svg'):
        callbacks.LearningCurves(tmp_path / 'curves.png')
