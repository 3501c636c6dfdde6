"""The panel of recorded runs, in a browser."""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.inspect.explorer.document import document


@pytest.fixture(scope='module')
def training():
    """The document of a small network with three training steps, the last with a NaN."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 8], name='x')
        y = tf.layers.dense(tf.layers.dense(x, 16, tf.nn.relu, name='hidden'), 1, name='out')
        loss = tf.reduce_mean(tf.square(y) + tf.sqrt(x[:, :1], name='root'), name='loss')
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        rows = np.linspace(0, 1, 32, dtype=np.float32).reshape(4, 8) + 0.1
        with tf.record(sess) as r:
            for scale in (1, 1, -1):
                sess.run([loss, train], {x: rows * scale})
        made = document(graph, title='Recorded')
    made['recordings'] = [r.document(made)]
    return json.loads(json.dumps(made, allow_nan=False)), r


def test_the_document_has_the_values(training):
    made, r = training
    recording = made['recordings'][0]
    assert [step['number'] for step in recording['steps']] == [0, 1, 2]
    order = recording['orders'][0]
    names = [made['nodes'][node]['n'] for node, _ in order]
    assert names == r[0].names and len(recording['orders']) == 1

    def value(step, name):
        return recording['values'][recording['steps'][step]['values'][names.index(name)][0]]

    assert value(0, 'loss')['n'] == [pytest.approx(float(r[0]['loss']), rel=1e-5)]
    kernel = r[1]['hidden/kernel']
    assert value(1, 'hidden/kernel')['st'][:3] == pytest.approx(
        [kernel.min(), kernel.max(), kernel.mean()], rel=1e-4, abs=1e-7)
    place, text = recording['steps'][2]['origin']
    assert names[place] == 'root' and text.startswith('4 NaN of 4 elements')
    assert 'origin' not in recording['steps'][1]
    changes = dict(zip(names, recording['steps'][1]['changes']))
    assert changes['x'] == 0 and changes['hidden/kernel'] > 0


@pytest.mark.slow
def test_forward_back_and_over_the_steps(opened, training):
    made, r = training
    page = opened(made)
    page.click('#tab-time_travel')
    text = page.locator('#panel').inner_text
    total = len(r[0].names)
    assert f'1 of {total}' in text() and 'step 0' in text()
    page.click('#travel-on')
    assert f'2 of {total}' in text()
    assert page.evaluate('explorer.state.selected.name') == r[0].names[1]
    assert page.evaluate('document.activeElement.id') == 'travel-on'
    page.keyboard.press('Enter')
    assert f'3 of {total}' in text()
    page.click('#travel-last')
    assert page.locator('#travel-on').is_disabled()
    page.evaluate("explorer.reveal('hidden/kernel')")
    assert 'hidden/kernel' in text() and page.locator('#panel canvas').count() >= 2
    assert 'Its gradient' in text() and 'What the optimizer did in step 0' in text()
    page.locator('#travel-step').focus()
    page.keyboard.press('ArrowRight')
    assert 'step 1' in text() and 'Changed by at most' in text() and 'hidden/kernel' in text()
    assert page.evaluate('document.activeElement.id') == 'travel-step'
    page.select_option('#travel-other', '0')
    assert 'The value in step 0' in text() and 'What differs most' in text()


@pytest.mark.slow
def test_a_nan_is_marked_where_it_begins(opened, training):
    page = opened(training[0])
    page.click('#tab-time_travel')
    page.click('#travel-nan')
    assert 'step 2' in page.locator('#panel').inner_text()
    assert page.evaluate('explorer.state.selected.name') == 'root'
    assert 'NaN begins' in page.locator('.badge').all_text_contents()
    assert '4 NaN of 4 elements first in' in page.locator('#panel .finding').inner_text()


@pytest.mark.slow
def test_a_damaged_or_hostile_recording_does_no_harm(opened, training):
    bad = '</script><img src=x onerror="window.harmed = 1">'
    made = {**training[0], 'recordings': [
        {'steps': [{'number': bad, 'fetches': [bad], 'order': 7, 'values': [[99, bad]]}]},
        {'orders': [[[0, [bad]], [1, []]]], 'said': bad, 'values': [
            {'d': bad, 's': [2], 'n': [bad, 1], 'heat': [2, 'NaN', bad, '!!'],
             'image': [1, 3, 'AAAA'], 'hist': [[1, 2], bad, 1], 'st': [bad]}],
         'steps': [{'number': 1, 'fetches': [], 'order': 0, 'values': [[0], [None]],
                    'origin': [77, bad], 'error': bad}]}, {}, None]}
    page = opened(made)
    page.click('#tab-time_travel')
    page.select_option('[aria-label=recording]', '1')
    page.click('#travel-on')
    assert bad in page.locator('#panel').inner_text()
    assert page.evaluate('window.harmed') is None


@pytest.mark.slow
def test_without_a_recording_there_is_no_tab(opened, training):
    page = opened({**training[0], 'recordings': []})
    assert page.locator('#tab-time_travel').count() == 0


@pytest.mark.slow
def test_two_recordings_compared(opened):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2], name='x')
        tf.square(x, name='y')
        runs = {}
        for name, scale in (('before', 1.0), ('after', 3.0)):
            with tf.record(sess) as runs[name]:
                sess.run('y:0', {x: [scale, 2 * scale]})
        page = opened(tf.viz.explore(graph, recordings=runs).document)
    page.click('#tab-time_travel')
    page.select_option('[aria-label=recording]', '1')
    page.evaluate("explorer.reveal('y')")
    assert '9  36' in page.locator('#panel .code').inner_text()
    page.select_option('#travel-other', '0:0')
    text = page.locator('#panel').inner_text()
    assert 'The value in step 0 of before' in text and '1  4' in text
    assert 'at most 32.' in text and 'What differs most' in text


@pytest.mark.slow
def test_the_weights_of_two_recordings_compared(opened):
    """The second run is of fewer steps, and ends in a NaN; a third one has other values only."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        rate = tf.placeholder(tf.float32, [], name='rate')
        w = tf.Variable([1.0, 2.0, 4.0], name='w')
        train = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(w * w))
        runs = {}
        for name, rates in (('slow', [0.25] * 4), ('fast', [0.5, 0.0, np.nan, 0.0])):
            sess.run(tf.global_variables_initializer())
            with tf.record(sess) as runs[name]:
                for one in rates:
                    sess.run(train, {rate: one})
        page = opened(tf.viz.explore(graph, recordings=runs, values=sess).document)
    page.click('#tab-weights')

    def text():
        return ' '.join(page.locator('#panel').inner_text().split())
    assert 'slow: changes in every step' in text()
    assert 'fast: the same since step 1 its gradient is 0 since step 1 NaN since step 3' in text()
    assert page.locator('#panel .weight polyline').count() == 2
    page.select_option('#weights-from', label='step 1')         # w / 2, and 0
    page.select_option('#weights-to', label='step 1')
    assert 'apart by rms 1.3229 (100% of it), at most 2' in text()
    assert page.evaluate('document.activeElement.id') == 'weights-to'
    page.select_option('#weights-run', 'fast')
    page.select_option('#weights-other', label='slow')
    page.select_option('#weights-from', label='step 0')
    page.select_option('#weights-to', label='step 0')
    assert 'equal in these steps' in text() and 'NaN since step 3 ● slow' not in text()
    page.select_option('#weights-other', label='no other run')
    assert 'slow:' not in text() and 'moved by' in text()
    page.select_option('#weights-other', label='values')
    assert 'apart by NaN or infinite' in text()


@pytest.mark.slow
def test_the_gradient_of_an_iteration(opened):
    """The gradient's loop begins with the last iteration."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [], name='x')
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.square(a)), [0, x],
                          name='loop')[1]
        grad, = tf.gradients(y, x)
        with tf.record(sess) as r:
            sess.run([y, grad], {x: 2.0})
        page = opened(tf.viz.explore(graph, recordings=[r]).document)
    page.click('#tab-time_travel')
    for iteration, (value, gradient) in enumerate([(4, 1024), (16, 256), (256, 32)]):
        page.evaluate("""k => explorer.recorded.go(explorer.recorded.placesOf(
            explorer.model.item('loop/body/Square').node)[k])""", iteration)
        text = page.locator('#panel').inner_text()
        assert f'Square, iteration {iteration}' in text and f'\n{value}\n' in text
        assert f'/Square_grad/mul_1 {gradient}\n' in text
