"""Checks of images that functions of tf.image begin with."""
from __future__ import annotations

from tinyflow.errors import report, worded
from tinyflow.ops import control, measures, shape_checks, value_checks


def at_least_3d(image):
    """`image`, as a tensor of rank 3 or more without an empty side (checked when run, if unknown).

    Shapes: image [*a, height, width, channels] -> as image. ValueError for another rank.
    """
    sides = image.shape.dims
    if sides is not None and len(sides) < 3:
        raise worded(ValueError(report(
            "'image' must be at least three-dimensional.", inputs=[('image', image)],
            mend='an image is [height, width, channels], or a batch of those.')))
    known = [None] * 3 if sides is None else [side.value for side in sides[-3:]]
    if 0 in known:
        raise worded(ValueError(report("inner 3 dims of 'image.shape' must be > 0.",
                                       inputs=[('image', image)])))
    checks = []
    if None in known:
        checks = [value_checks.assert_positive(
            measures.shape(image), ["inner 3 dims of 'image.shape' must be > 0."]),
            shape_checks.assert_rank_at_least(image, 3) if sides is None else
            value_checks.assert_greater_equal(
                measures.rank(image), 3,
                message="'image' must be at least three-dimensional.")]
    return control.with_dependencies(checks, image)
