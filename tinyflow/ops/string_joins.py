"""tf.strings.join: strings glued together, element by element."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import Op

__all__ = ['string_join']


class StringJoin(Op):
    """Element i is the elements i of all inputs, with `separator` between; scalars serve all."""

    signature = 'inputs: N*string -> output: string'
    attrs = {'separator': ''}

    def shape(inputs):
        result = ()
        for shape in inputs:
            if shape == ():
                continue
            if result not in ((), shape) and None not in (*result, *shape):
                raise ValueError(f'the inputs have the shapes {list(result)} and {list(shape)}|'
                                 'equal shapes, or scalars.')
            if len(result) not in (0, len(shape)):
                raise ValueError('the inputs have different ranks|equal shapes, or scalars.')
            result = shape if not result else tuple(
                b if a is None else a for a, b in zip(result, shape))
        return result

    def kernel(inputs, *, separator):
        shapes = {a.shape for a in inputs if a.ndim}
        if len(shapes) > 1:
            raise ValueError(f'the inputs have the shapes {sorted(map(list, shapes))}|equal '
                             'shapes, or scalars.')
        shape = shapes.pop() if shapes else ()
        result = np.empty(shape, object)
        rows = [np.broadcast_to(a, shape).reshape(-1).tolist() for a in inputs]
        between = separator.encode() if isinstance(separator, str) else separator
        result.reshape(-1)[:] = [between.join(parts) for parts in zip(*rows)]
        return result


def string_join(inputs, separator='', name=None):
    """The strings of all `inputs` glued together, element by element.

    Shapes: inputs [*a] or [] each -> [*a].
    """
    return StringJoin.apply(inputs, separator=separator, name=name)
