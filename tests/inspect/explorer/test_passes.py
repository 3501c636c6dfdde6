"""The panel of stages and passes, in a real browser."""
from __future__ import annotations

import pytest

import tinyflow as tf


@pytest.mark.slow
def test_stepping_through_the_stages(opened):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3], name='x')
        copy = tf.identity(x, name='copy')
        made = tf.viz.explore([tf.sin(copy, name='wave')]).document
    page = opened(made)
    page.click('#tab-passes')
    names = page.locator('#stage option').all_inner_texts()
    assert [name.split()[-1] for name in names] == [
        'prune', 'schedule', 'lower', 'infer', 'passes/identities', 'memory', 'codegen']
    for _ in range(4):
        page.click('#stage-next')
    assert page.locator('#stage').input_value() == '4'
    assert 'copy' in page.locator('.program .gone').inner_text()
    assert 'wave' in page.locator('.program .changed').inner_text()
    assert 'gone by this stage' in page.locator('#legend').inner_text()
    page.keyboard.press('Enter')                # the button still has the focus
    page.keyboard.press('Enter')
    assert page.locator('#stage').input_value() == '6'
    page.click('.program .line:has-text("np.sin")')
    assert page.evaluate('explorer.state.selected.name') == 'wave'
