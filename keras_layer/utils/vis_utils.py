"""Drawings of a model's layers, by packages from PyPI only."""
from __future__ import annotations

import os
import sys
from functools import cache

from tinyflow.graph.support import render
from tinyflow.graph.support.errors import misuse

__all__ = ['model_to_dot', 'plot_model']

_LOOKS = (('InputLayer', '#cfe8f7', '#0072b2'), ('TensorFlowOpLayer', '#f2f2f2', '#777777'))
_PLAIN = ('#ffffff', '#333333')
_WEIGHTED = ('#ffe1a3', '#b37700')
_FROZEN = ('#e3e5ee', '#4d5473')


def model_to_dot(model, show_shapes=False, show_layer_names=True, rankdir='TB',
                 expand_nested=False, dpi=96, subgraph=False):
    """The layers and their connections as a `graphviz.Digraph`.

    It also has the methods of Keras' pydot graphs, such as `create(prog='dot', format='svg')`.
    """
    graph = _picture()(name=('cluster_' if subgraph else '') + model.name)
    graph.attr(rankdir=rankdir, dpi=str(dpi), fontname='Helvetica', labeljust='l')
    if subgraph:
        graph.attr(label=model.name, style='rounded', color='#777777')
    graph.attr('node', shape='none', fontname='Helvetica', fontsize='11', margin='0')
    graph.attr('edge', color='#444444', arrowsize='0.7')
    _fill(graph, model, '', show_shapes, show_layer_names, expand_nested)
    return graph


@cache
def _picture():
    """A graphviz.Digraph with pydot's methods; a factory, since graphviz is imported late."""
    import graphviz  # start-up time

    class Picture(graphviz.Digraph):
        # `prog` and `encoding` are pydot's; the layout here is always that of dot.

        def create(self, prog='dot', format='svg', encoding=None):
            """The bytes of the picture as 'svg', 'png' or 'pdf'."""
            return render.layout(self.source, format)[0]

        def to_string(self):
            """The source in the DOT language."""
            return self.source

        def write(self, path, prog='dot', format='raw'):
            """Writes the source, or the drawing in that format; returns True, as pydot does."""
            render.write(path, self.source.encode() if format in ('raw', 'dot')
                         else self.create(prog, format))
            return True

        def write_png(self, path, prog='dot'):
            return self.write(path, prog, 'png')

        def write_svg(self, path, prog='dot'):
            return self.write(path, prog, 'svg')

        def write_pdf(self, path, prog='dot'):
            return self.write(path, prog, 'pdf')
    return Picture


def _wiring(model):
    if model._is_graph_network:
        return model._topology
    if model._traced is not None:
        return model._traced
    raise misuse(ValueError(
        f'The model {model.name} is not built yet, so there is nothing to draw.\n  Hint: '
        'give it an input shape, call build(input_shape), or fit it first.'))


def _fill(graph, model, prefix, shapes, names, expand):
    wired = _wiring(model)
    opened = {}
    for layer in wired.layers:
        if expand and hasattr(layer, '_topology'):
            with graph.subgraph(name=f'cluster_{prefix}{layer.name}') as inner:
                inner.attr(label=layer.name, style='rounded', color='#777777',
                           fontname='Helvetica', labeljust='l')
                _fill(inner, layer, f'{prefix}{layer.name}/', shapes, names, expand)
            opened[layer] = f'{prefix}{layer.name}/'
        else:
            graph.node(prefix + layer.name, label=_label(layer, shapes, names))
    for node in wired.node_order:
        for inbound, _, _, _ in node.iterate_inbound():
            for source in _ends(inbound, prefix, opened, 'out'):
                for target in _ends(node.outbound_layer, prefix, opened, 'in'):
                    graph.edge(source, target)


def _ends(layer, prefix, opened, side):
    if layer not in opened:
        return [prefix + layer.name]
    ends = layer._output_layers if side == 'out' else layer._input_layers
    return [opened[layer] + end.name for end in ends]


def _label(layer, shapes, names):
    fill, line = _look(layer)
    kind = type(layer).__name__
    inner = getattr(layer, 'layer', None)
    if inner is not None and hasattr(inner, 'name'):
        kind = f'{kind}({type(inner).__name__})'
    title = f'{layer.name}: {kind}' if names else kind
    rows = [f'<tr><td{" colspan=" + chr(34) + "2" + chr(34) if shapes else ""}>'
            f'{_html(title)}</td></tr>']
    if shapes:
        for what, shape in (('input:', _shape(layer, 'input_shape')),
                            ('output:', _shape(layer, 'output_shape'))):
            rows.append(f'<tr><td align="right">{what}</td><td align="left">{_html(shape)}</td>'
                        '</tr>')
    return (f'<<table border="1" color="{line}" bgcolor="{fill}" cellborder="0" cellspacing="0" '
            f'cellpadding="5" style="rounded">{"".join(rows)}</table>>')


def _look(layer):
    for kind, *look in _LOOKS:
        if type(layer).__name__ == kind:
            return look
    if not layer.weights:
        return _PLAIN
    return _WEIGHTED if layer.trainable_weights else _FROZEN


def _shape(layer, which):
    try:
        return str(getattr(layer, which))
    except (AttributeError, RuntimeError):
        return '?'


def _html(text):
    return str(text).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def plot_model(model, to_file='model.png', show_shapes=False, show_layer_names=True, rankdir='TB',
               expand_nested=False, dpi=96):
    """Draws the layers to a file: .png, .svg, .pdf or .dot. In a notebook the drawing is shown.

    Yellow boxes have trainable weights, grey ones are frozen. `tf.viz.draw(model, path)`
    draws the ops below the layers instead.
    """
    path = os.fspath(to_file)
    if not os.path.splitext(path)[1]:
        path += '.png'
    render.check_path(path)
    kind = os.path.splitext(path)[1][1:].lower()
    dot = model_to_dot(model, show_shapes, show_layer_names, rankdir, expand_nested, dpi)
    if kind in ('dot', 'gv'):
        render.write(path, dot.source.encode())
        return None
    if kind == 'html':
        raise misuse(ValueError('plot_model draws .png, .svg, .pdf or .dot; tf.viz.draw(model, '
                                f'{to_file!r}) makes a page of the ops below.'))
    content, _ = render.layout(dot.source, kind, dpi=dpi)
    render.write(path, content)
    return _shown(path) if kind == 'png' else None


def _shown(path):
    """The drawing for a notebook; None elsewhere."""
    if sys.modules.get('IPython') is None:
        return None
    from IPython import display  # optional package
    return display.Image(filename=path)
