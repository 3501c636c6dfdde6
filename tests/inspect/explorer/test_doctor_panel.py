"""The panel of the training doctor, in a browser."""
from __future__ import annotations

import pytest

from tests.inspect.explorer import documents

TRAINING = {
    'findings': [{'id': 'dead-relu', 'node': None, 'figure': 1.0, 'site': ['a/net.py', 3, 'f'],
                  'text': 'all units are 0 </script><b>bold</b>', 'hint': 'smaller steps'}],
    'curves': {'loss': [[0, 2.0], [10, 1.0]], 'update/weight x': [[0, 1e-3], [10, 1e-7]]},
    'histograms': {'weights x': {'counts': [1, 5, 2], 'from': -1.0, 'to': 1.0}}}


@pytest.mark.slow
def test_findings_curves_and_histograms(opened):
    document = {**documents.chain(1, 2), 'training': TRAINING}
    name = document['nodes'][1]['n']
    TRAINING['findings'][0]['node'] = name
    page = opened(document)
    page.click('#tab-doctor')
    panel = page.locator('#panel')
    assert '1 finding' in panel.inner_text() and '</script><b>bold</b>' in panel.inner_text()
    assert 'net.py:3' in panel.inner_text() and panel.locator('polyline').count() == 2
    assert panel.locator('rect').count() == 3
    assert 'from 1 to 2 over 10 steps' in panel.locator('svg').first.get_attribute('aria-label')
    page.click('.finding .link')
    assert page.evaluate('explorer.state.selected.name') == name


@pytest.mark.slow
def test_without_a_training_there_is_no_tab(opened):
    page = opened(documents.chain(1, 2))
    assert page.locator('#tab-doctor').count() == 0
