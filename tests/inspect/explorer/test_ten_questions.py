"""Ten questions that a reader can answer from the page of a training, by clicks, keys and search.

Nothing of the page's own objects is used here: what is not on the screen is no answer.
"""
from __future__ import annotations

import re

import numpy as np
import pytest

import tinyflow as tf


def train(path):
    """The page of 60 steps: one layer never moves, one stops at step 20; step 40 has an Inf."""
    tf.set_random_seed(3)
    rng = np.random.RandomState(0)
    x = tf.placeholder(tf.float32, [None, 16], name='x')
    rate = tf.placeholder(tf.float32, [], name='rate')
    half = tf.constant(1.0, name='one') / 2.0
    first = tf.layers.dense(x, 24, tf.nn.relu, trainable=False, name='first')
    second = tf.layers.dense(first * half, 12, tf.nn.relu, name='second')
    tied = tf.get_variable('tied', [3, 12])
    p = tf.nn.softmax(tf.matmul(second, tf.transpose(tied, name='turned'), name='logits'))
    loss = tf.reduce_mean(-tf.log(p[:, 0] * rate, name='log_p'), name='loss')
    train_op = tf.train.MomentumOptimizer(0.1, 0.0).minimize(loss)
    bias = next(v for v in tf.global_variables() if v.name == 'second/bias:0')
    rows = rng.randn(32, 16).astype(np.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with tf.record(sess) as r:
            for step in range(60):
                if step == 20:
                    bias.load(np.full(12, -99, np.float32), sess)       # dead ReLUs
                sess.run([loss, train_op], {x: rows, rate: 0.0 if step >= 40 else 1.0})
        tf.viz.explore(sess, path, recordings=[r])


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    """The address of the page of a training."""
    path = str(tmp_path_factory.mktemp('ten') / 'page.html')
    with tf.Graph().as_default():
        train(path)
    return f'file://{path}'


@pytest.fixture
def page(browser, recorded):
    context = browser.new_context(viewport={'width': 1200, 'height': 800}, offline=True,
                                  reduced_motion='reduce')
    page, errors = context.new_page(), []
    page.set_default_timeout(5000)
    page.on('pageerror', lambda error: errors.append(str(error)))
    page.on('console', lambda message: errors.append(message.text))
    page.goto(recorded)
    yield page
    context.close()
    assert not errors


def said(page):
    """The text of the panel, in one line."""
    return ' '.join(page.locator('#panel').inner_text().split())


def find(page, words):
    page.keyboard.press('/')
    page.keyboard.type(words)
    page.keyboard.press('Enter')


def tab(page, name):
    page.get_by_role('tab', name=name).click()


def go_to_step(page, number):
    slider = page.locator('#travel-step')
    slider.fill(str(number))
    assert page.locator('#panel .count').first.inner_text() == f'step {number}'


@pytest.mark.slow
def test_1_where_did_the_nan_begin(page):
    tab(page, 'Run')
    assert "Step 40: 32 Inf of 32 elements first in 'log_p:0', made at " in said(page)
    page.click('text=go there')
    assert page.locator('#panel h2').inner_text() == 'Log'
    assert 'Inf begins' in page.locator('.badge').all_text_contents()


@pytest.mark.slow
def test_2_which_weights_stopped_moving_and_when(page):
    tab(page, 'Weights')
    found = {section.locator('.link').inner_text(): section.locator('.figures').inner_text()
             for section in page.locator('#panel .weight').all()}
    assert found['first/kernel'] == 'never changed'
    assert 'the same since step 20' in found['second/kernel']
    assert 'its gradient is 0 since step 20' in found['second/kernel']
    assert 'NaN since step 41' in found['tied']


@pytest.mark.slow
def test_3_what_did_a_node_become_in_the_compiled_program(page):
    tab(page, 'Node')
    find(page, 'one')
    assert 'a constant of the program (pass infer)' in said(page)
    find(page, 'truediv')
    assert 'folded into a constant' in said(page) and '(pass infer)' in said(page)
    find(page, 'turned')
    assert 'fused: what uses it reads the transposed array (pass transposes): logits' in said(page)
    find(page, 'second/MatMul')
    assert re.search(r'\d+ lines in the tab Passes \d+ np\.dot\(', said(page))


@pytest.mark.slow
def test_4_which_line_made_a_node(page):
    find(page, 'logits')
    assert 'Made by' in said(page) and 'test_ten_questions.py:' in said(page)
    assert 'tf.matmul(second' in page.locator('#panel .here').inner_text()
    page.fill('#search', 'tf.reduce_mean(-tf.log')          # and which nodes a line made
    made = page.locator('#hits b').all_text_contents()
    assert {'log_p', 'loss', 'Neg', 'strided_slice'} <= set(made) and 'logits' not in made
    page.keyboard.press('Escape')


@pytest.mark.slow
def test_5_shape_and_dtype(page):
    find(page, 'logits')
    assert 'float32 [?, 3], in step 0 [32, 3]' in said(page)


@pytest.mark.slow
def test_6_what_is_between_the_input_and_the_loss(page):
    find(page, 'x')
    page.click('text=path to …')
    find(page, 'loss')
    assert re.search(r'\d+ nodes on the paths to loss', said(page))
    page.get_by_text(re.compile(r'^\d+ more$')).click()
    listed = page.locator('#panel section').first.inner_text()
    for name in ('first/MatMul', 'second/Relu', 'logits', 'Softmax', 'log_p'):
        assert name in listed
    assert 'rate' not in listed and 'gradients' not in listed
    find(page, 'second/Relu')
    page.click('text=all it needs')
    listed = page.locator('#panel section').first.inner_text()
    assert 'All it needs (18)' in listed and 'first/MatMul' in listed and 'rate' not in listed
    page.click('text=all that needs it')
    assert 'logits' in page.locator('#panel section').first.inner_text()


@pytest.mark.slow
def test_7_which_gradient_belongs_to_a_node_and_how_large_is_it(page):
    find(page, 'second/MatMul')
    assert re.search(r'gradients/second/MatMul_grad/MatMul_1 MatMul, in step 0', said(page))
    tab(page, 'Run')
    go_to_step(page, 5)
    assert re.search(r'gradients/second/MatMul_grad/MatMul_1 rms 0\.\d+, at most 0\.\d+',
                     said(page))


@pytest.mark.slow
def test_8_what_takes_most_time_and_memory(page):
    tab(page, 'Node')
    page.select_option('#colours', 'memory')
    most = said(page).partition('Most memory')[2]
    assert '3.07 kB' in most.split('first/MatMul')[1][:9]
    assert re.search(r'Most time as recorded, each operation by itself \S+ \d+', said(page))
    page.select_option('#colours', 'kind')


@pytest.mark.slow
def test_9_how_weights_differ_between_two_steps(page):
    tab(page, 'Weights')
    page.select_option('#weights-from', label='step 1')
    page.select_option('#weights-to', label='step 30')
    rows = {section.locator('.link').inner_text(): section.inner_text()
            for section in page.locator('#panel .weight').all()}
    assert 'moved by equal' not in rows['first/kernel'] and 'did not move' in rows['first/kernel']
    assert re.search(r'moved by rms 0\.\d+ \(\d[\d.]*% of it\), at most 0\.\d+',
                     rows['second/kernel'])


@pytest.mark.slow
def test_10_what_the_optimizer_did_in_a_step(page):
    tab(page, 'Run')
    find(page, 'tied')
    go_to_step(page, 7)
    text = said(page)
    assert 'What the optimizer did in step 7 By ApplyMomentum: lr 0.1, momentum 0' in text
    update = float(re.search(r'The update: rms ([\d.e-]+) ', text)[1])
    gradient = float(re.search(r'gradient ([\d.e-]+) ', text)[1])
    assert update == pytest.approx(0.1 * gradient, rel=1e-3)        # no momentum here
    assert re.search(r'Momentum [\d.e-]+ [\d.e-]+ [\d.e-]+', text)  # the slot, before and after
