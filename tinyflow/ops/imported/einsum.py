"""The op Einsum, of TensorFlow 2's tf.einsum; tinyflow's tf.einsum is in contractions.py."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import REQUIRED, Op, nodes
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, shape_ops, shaping
from tinyflow.ops.math import reduction


def _terms(equation, count):
    """(labels of each input, labels of the output)."""
    left, arrow, right = equation.replace(' ', '').partition('->')
    terms = left.split(',')
    if not arrow or len(terms) != count:
        raise ValueError(f"the equation '{equation}' does not fit {count} inputs")
    return terms, right


class Einsum(Op):
    """Sums of products by Einstein's convention."""

    signature = 'inputs: N*T -> output: T'
    attrs = {'equation': REQUIRED}

    def shape(inputs, *, equation):
        terms, output = _terms(equation, len(inputs))
        sizes, ellipsis = {}, ()
        for term, x in zip(terms, inputs):
            before, dots, after = term.partition('...')
            if len(before) + len(after) > len(x) or not dots and len(term) != len(x):
                raise ValueError(f"'{term}' does not name the axes of an input of shape "
                                 f'{shapes.text(x)}')
            end = len(x) - len(after)
            ellipsis = shapes.broadcast(ellipsis, x[len(before):end])
            for label, size in zip(before + after, x[:len(before)] + x[end:]):
                known = sizes.get(label)
                if None not in (known, size) and known != size:
                    raise ValueError(f"axis '{label}' has size {known} in one input and {size} in "
                                     'another')
                sizes[label] = size if known is None else known
        before, dots, after = output.partition('...')
        return (*[sizes[c] for c in before], *(ellipsis if dots else ()),
                *[sizes[c] for c in after])

    def kernel(inputs, *, equation):
        result = np.asarray(np.einsum(equation, *inputs, optimize=len(inputs) > 1))
        return result.copy() if len(inputs) == 1 else result        # it may be a view

    def gradient(op, dy):
        terms, output = _terms(op.attrs['equation'], len(op.inputs))
        return [_derivative(op, dy, terms, output, i) for i in range(len(terms))]


def _derivative(op, dy, terms, output, index):
    """dy times the other inputs, summed down to the axes of one input."""
    axes, x = terms[index], op.inputs[index]
    if any(len(set(t.replace('...', ''))) != len(t.replace('...', '')) for t in terms) \
            or '...' in axes and not axes.startswith('...'):
        raise _no_gradient(op, "an axis occurs twice in one input, or '...' is not in front")
    factors = [dy, *op.inputs[:index], *op.inputs[index + 1:]]
    labels = [output, *terms[:index], *terms[index + 1:]]
    if set(axes) - set(''.join(labels)):      # summed over: each element gets the same gradient
        factors.append(constants.ones_like(x))
        labels.append(axes)
    if '...' not in axes and any('...' in t for t in labels):
        raise _no_gradient(op, "not every input has '...'")
    result = Einsum.apply(factors, equation=f'{",".join(labels)}->{axes}')
    return _summed(result, x) if '...' in axes and result.raw_shape != x.raw_shape else result


def _no_gradient(op, reason):
    return misuse(ValueError(report(
        f"the Einsum '{op.name}' ({op.attrs['equation']}) has no gradient in tinyflow: {reason}.",
        op=op, hint='tf.einsum makes nodes that have one.')))


def _summed(result, x):
    """The sum over the leading axes along which x was repeated."""
    shape, whole = shape_ops.shape(x), shape_ops.shape(result)
    axes = nodes.BroadcastGradientArgs(shape, whole)[0]
    return shaping.reshape(reduction.reduce_sum(result, axes), shape)


__all__: list[str] = []
