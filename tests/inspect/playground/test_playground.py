"""The playground page: what it records is what tinyflow computed, and its script can use it."""
from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api import cli
from tinyflow.inspect.playground import Settings, page
from tinyflow.inspect.playground.points import NUMBER, PROBLEMS, points
from tinyflow.inspect.playground.settings import ACTIVATIONS, FEATURES, Run
from tinyflow.inspect.playground.training import epochs_kept, features_of, trained

SMALL = Settings(problems=('xor', 'clouds'), features=('x, y, squares, product',),
                 hidden=((3, 2), ()), activations=('relu', 'sigmoid'), rates=(0.1,), epochs=30,
                 snapshots=5)
FUNCTIONS = {'relu': lambda x: np.maximum(x, 0), 'sigmoid': lambda x: 1 / (1 + np.exp(-x)),
             'tanh': np.tanh, 'linear': lambda x: x}


@pytest.fixture(scope='module')
def runs():
    return list(trained(SMALL))


def answers(run: Run, weights, inputs):
    """The network's output, from one row of weights, as the page's script computes it."""
    values, at = inputs, 0
    sizes = [inputs.shape[1], *run.hidden, 1]
    for number, (width, units) in enumerate(zip(sizes, sizes[1:])):
        kernel = weights[at:at + width * units].reshape(width, units)
        bias = weights[at + width * units:at + (width + 1) * units]
        at += (width + 1) * units
        last = number == len(sizes) - 2
        values = (np.tanh if last else FUNCTIONS[run.activation])(values @ kernel + bias)
    assert at == len(weights)
    return values


@pytest.mark.slow
def test_the_recorded_weights_give_the_recorded_losses(runs):
    for run, weights, losses in runs:
        inputs, labels = features_of(run, SMALL.seed)
        half = NUMBER // 2
        for row, (training, test) in zip(weights, losses):
            error = (answers(run, row, inputs) - labels) ** 2
            np.testing.assert_allclose([error[:half].mean(), error[half:].mean()],
                                       [training, test], rtol=1e-4)


def test_all_combinations_are_trained_from_the_same_start(runs):
    assert [run for run, _, _ in runs] == SMALL.runs()
    assert len(runs) == 2 * 2 + 2               # without hidden layers there is no activation
    for run, weights, losses in runs:
        assert len(weights) == len(losses) == len(epochs_kept(SMALL)) == 5
        other = next(w for r, w, _ in runs if r[1:] == run[1:])
        np.testing.assert_array_equal(weights[0], other[0])
        assert losses[-1, 0] < losses[0, 0]


@pytest.mark.parametrize('problem', PROBLEMS)
def test_points_of_both_kinds(problem):
    x, y = points(problem)
    assert x.shape == (NUMBER, 2) and y.shape == (NUMBER, 1)
    assert (y == 1).sum() > NUMBER / 3 and (y == -1).sum() > NUMBER / 3
    assert np.abs(x).max() < 8


@pytest.mark.slow
def test_the_page_holds_all_that_can_be_chosen(tmp_path, runs):
    path = tf.viz.playground(tmp_path / 'page.html', SMALL)
    text = path.read_text(encoding='utf-8')
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    assert text.count('</script>') == 2 and 'src=' not in text and '@import' not in text
    assert data['epochs'] == epochs_kept(SMALL) and data['epochs'][-1] == SMALL.epochs
    assert len(data['runs']) == len(runs)
    for run, weights, _ in runs:
        key = '|'.join([run.problem, run.features, json.dumps(list(run.hidden)), run.activation,
                        str(run.rate)])
        found = np.frombuffer(base64.b64decode(data['runs'][key][0]), '<f4')
        np.testing.assert_array_equal(found, weights.ravel())


def test_the_page_knows_each_input_and_activation(tmp_path):
    script = (tf.viz.playground(tmp_path / 'page.html', Settings(
        problems=('xor',), features=('x, y',), hidden=((),), rates=(0.1,), epochs=1, snapshots=1))
        .read_text(encoding='utf-8').rpartition('<script>')[2])
    for name in {name for names in FEATURES.values() for name in names}:
        assert f"'{name}':" in script
    for name in ACTIVATIONS:
        assert re.search(rf'\b{name}: (x =>|Math)', script)


@pytest.mark.parametrize('settings, words', [
    ({'problems': ('spiral',)}, "no 'spiral' among the problems.*\n.*did you mean 'spirals'"),
    ({'activations': ('elu',)}, "no 'elu' among the activations"),
    ({'rates': ()}, '`rates` must have a value'),
    ({'epochs': 3, 'snapshots': 9}, '`snapshots` must be from 1 to `epochs`=3, not 9'),
])
def test_wrong_settings(settings, words):
    with pytest.raises(ValueError, match=words):
        Settings(**settings)


def test_the_command_says_where_it_cannot_write(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(page, 'trained', lambda settings: iter(()))
    assert cli.main(['playground', '-o', str(tmp_path / 'none' / 'page.html')]) == 1
    assert 'There is no folder' in capsys.readouterr().err
    assert cli.main(['playground', '-o', str(tmp_path / 'page.html')]) == 0
    assert 'open it in a browser' in capsys.readouterr().out
