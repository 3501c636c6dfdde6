"""tf.explain of long programs prints the head and the tail of their source."""
import re

import pytest

import tinyflow as tf


@pytest.mark.parametrize('layers', [3, 400])
def test_a_long_program_is_abridged(layers):
    with tf.Graph().as_default():
        x = y = tf.placeholder(tf.float32, [3], name='x')
        for _ in range(layers):
            y = tf.sin(y)
        explanation = tf.explain(y, {x: [1.0, 2.0, 3.0]}, runs=0)
    source = explanation.source.rstrip().splitlines()
    shown = dict(explanation.sections())['7 codegen']
    if layers == 3:
        assert shown == source
    else:
        assert len(shown) == 60 and len(source) > layers
        assert shown[:44] == source[:44] and shown[-15:] == source[-15:]
        assert shown[44] == f'... {len(source) - 59:,} more lines; .source has them all'
        assert re.search(r'more lines; \.source has them all', str(explanation))
        assert 'more lines' in explanation._repr_html_()
