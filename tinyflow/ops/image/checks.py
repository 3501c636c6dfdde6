"""Rank and size checks of tf.image functions."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import shape_ops
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow import grouping


def checks_of_3d(image):
    """The nodes that check what at_least_3d does; ValueError for what is known to be wrong."""
    shape = image.shape
    if shape.ndims is not None and shape.ndims < 3:
        raise misuse(ValueError(report(
            "'image' must be at least three-dimensional.", inputs=[('image', image)],
            hint='an image is [height, width, channels], or a batch of those.')))
    sides = [None] * 3 if shape.ndims is None else shape.as_list()
    if 0 in sides:
        raise misuse(ValueError(report("all dims of 'image.shape' must be > 0.",
                                       inputs=[('image', image)])))
    if None not in sides:
        return []
    return [value_checks.assert_positive(shape_ops.shape(image),
                                         ["all dims of 'image.shape' must be > 0."]),
            value_checks.assert_greater_equal(
                shape_ops.rank(image), 3, message="'image' must be at least three-dimensional.")]


def at_least_3d(image):
    """`image`, as a tensor of rank 3 or more without an empty side (checked when run, if unknown).

    Shapes: image [*a, height, width, channels] -> as image. ValueError for another rank.
    """
    return grouping.with_dependencies(checks_of_3d(image), image)
