"""placeholder, placeholder_with_default: inputs that are fed to Session.run."""
from __future__ import annotations

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report

__all__ = ['placeholder', 'placeholder_with_default']


class Placeholder(Op):
    """A value that must be fed; prune reports a missing one."""

    signature = '-> output: dtype'
    attrs = {'dtype': REQUIRED, 'shape': shapes.TensorShape(None)}

    def shape(*, shape):
        return shape.raw


class PlaceholderWithDefault(Op):
    """A value that may be fed."""

    signature = 'input: dtype -> output: dtype'
    attrs = {'dtype': None, 'shape': REQUIRED}
    view = True
    pure = False            # it may be fed, so its default is not its value while building
    partial_rank = True

    def shape(input, *, shape):
        shapes.merge(input, shape.raw)
        return shape.raw

    def kernel(input):
        return input

    def gradient(op, dy):
        return dy


def placeholder(dtype, shape=None, name=None):
    """A value that must be fed in every run: run(..., feed_dict={placeholder: value}).

    Shapes: -> [*shape], where None is a size (or a whole shape) that may differ from run to run.
    """
    try:
        element = dtypes.as_dtype(dtype).base_dtype
        static = shapes.as_shape(shape)
    except (TypeError, ValueError) as error:
        raise _placeholder_error(dtype, shape, error) from None
    return Placeholder.apply(dtype=element, shape=static, name=name)


def _placeholder_error(dtype, shape, error):
    """The error for an invalid dtype or shape."""
    problem, _, hint = str(error).partition('\n  Hint: ')
    if isinstance(dtype, (list, tuple, shapes.TensorShape)):
        second = getattr(shape, 'name', 'float32')
        hint = f'the dtype comes first: tf.placeholder(tf.{second}, {dtype!r}).'
    elif isinstance(shape, (list, tuple)) and any(isinstance(d, int) and d < 0 for d in shape):
        sizes = [None if isinstance(d, int) and d < 0 else d for d in shape]
        hint = f'use None for an unknown size: {sizes}.'
    elif isinstance(shape, str):
        hint = f'the shape is a list of sizes; the name is a keyword: name={shape!r}.'
    return misuse(type(error)(report(f'tf.placeholder: {problem}', hint=hint or None,
                                     site=user_site())))


def placeholder_with_default(input, shape, name=None):
    """A value that may be fed; `input` by default.

    Shapes: input [*a] -> [*shape]. Raises ValueError if the two shapes contradict each other.
    """
    return PlaceholderWithDefault.apply(input, shape=shapes.as_shape(shape), name=name)
