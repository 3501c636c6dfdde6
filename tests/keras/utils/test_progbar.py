"""Progress bar: live in a terminal, one line per epoch elsewhere."""
import contextlib
import io
import os
import pty
import sys

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.utils.progbar import Progbar

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


def test_one_line_for_each_epoch_in_a_pipe(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, 'stdout', pipe)
    classifier().fit(INPUTS, LABELS, epochs=2)
    assert '\r' not in pipe.getvalue() and pipe.getvalue().count('loss:') == 2


@pytest.mark.parametrize('columns', [20, 60, 80, None])
def test_the_bar_fits_the_terminal(monkeypatch, columns):
    shown = io.StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr(sys, 'stdout', shown)
    monkeypatch.setattr('keras_layer.utils.progbar._columns', lambda: columns)
    bar = Progbar(100, interval=0)
    for step in range(1, 101):
        bar.update(step, [('loss', 0.5), ('accuracy', 0.25), ('val_accuracy', 0.125)])
    lines = shown.getvalue().replace('\n', '').split('\r')[1:]
    assert len(lines) == 100
    assert all(len(line.rstrip()) < (columns or 1000) for line in lines[:-1])
    assert 'val_accuracy: 0.1250' in lines[-1]          # the last line has all the values
    if columns is None:
        assert '[' + '=' * 14 + '>' + '.' * 15 + ']' in lines[49]


def test_the_bar_is_live_in_a_terminal(monkeypatch, capsys):
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


def shown_in_a_terminal(monkeypatch, call):
    """What `call` writes to a terminal."""
    main, other = pty.openpty()
    with os.fdopen(other, 'w') as terminal:
        monkeypatch.setattr('sys.stdout', terminal)
        call()
        monkeypatch.undo()
    shown = b''
    with contextlib.suppress(OSError):          # which Linux raises at the end
        while part := os.read(main, 4096):
            shown += part
    os.close(main)
    return shown.decode()


@pytest.mark.parametrize('method', ['fit', 'evaluate', 'predict'])
def test_the_last_batch_is_drawn_once(monkeypatch, method):
    """As in TF 1.15: the end of the epoch draws it, with the final values."""
    model = classifier()
    given = {'predict': (INPUTS,)}.get(method, (INPUTS, LABELS))
    shown = shown_in_a_terminal(monkeypatch, lambda: getattr(model, method)(*given, verbose=1))
    assert shown.count('16/16 [') == 1
