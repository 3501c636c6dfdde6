"""rot90 and central_crop."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import (
    identity_and_cast,
    shape_ops,
    shaping,
    slicing,
)
from tinyflow.ops.control_flow.case import case
from tinyflow.ops.image.checks import at_least_3d
from tinyflow.ops.math import division, logic


def rot90(image, k=1, name=None):
    """The image turned by k right angles, counter-clockwise.

    Shapes: image [height, width, channels], or a batch of those -> as image, height and width
    swapped for odd k.
    """
    with name_scope(name, 'rot90', [image, k]) as scope:
        image = at_least_3d(convert_to_tensor(image, name='image'))
        rank = image.shape.ndims or 3
        if rank not in (3, 4):
            raise misuse(ValueError(report("'image' must have either 3 or 4 dimensions.",
                                           inputs=[('image', image)])))
        k = convert_to_tensor(k, dtypes.int32, 'k')
        k.shape.assert_has_rank(0)
        k = division.floormod(k, 4)
        rows, columns = rank - 3, rank - 2
        order = [1, 0, 2] if rank == 3 else [0, 2, 1, 3]
        turned = case([
            (logic.equal(k, 1),
             lambda: shaping.transpose(shaping.reverse(image, [columns]), order)),
            (logic.equal(k, 2), lambda: shaping.reverse(image, [rows, columns])),
            (logic.equal(k, 3),
             lambda: shaping.reverse(shaping.transpose(image, order), [columns]))],
            default=lambda: image, exclusive=True, name=scope)
        sides = [None] * rank if image.raw_shape is None else image.shape.as_list()
        sides[rows:rank - 1] = [None, None]
        turned.set_shape(sides)
        return turned


def _side(image, axis):
    """One side, as a number if it is known, else as a tensor."""
    known = image.shape.as_list()[axis]
    return shape_ops.shape(image)[axis] if known is None else known


def _start(side, fraction):
    if not hasattr(side, 'op'):
        return int((side - side * fraction) / 2)
    exact = identity_and_cast.cast(side, dtypes.float64)
    return identity_and_cast.cast((exact - exact * fraction) / 2, dtypes.int32)


def central_crop(image, central_fraction):
    """The middle of the image, a part `central_fraction` of each side.

    Shapes: image [height, width, channels], or a batch of those -> the same with smaller sides.
    ValueError for a fraction outside (0, 1].
    """
    with name_scope(None, 'central_crop', [image]):
        image = convert_to_tensor(image, name='image')
        if not 0 < central_fraction <= 1:
            raise misuse(ValueError('central_fraction must be within (0, 1]'))
        if central_fraction == 1:
            return image
        at_least_3d(image)
        rank = image.shape.ndims
        if rank not in (3, 4):
            raise misuse(ValueError(report(
                '`image` should either be a Tensor with rank = 3 or rank = 4.',
                inputs=[('image', image)])))
        lead = [0] * (rank - 3)
        sides = [_side(image, rank - 3), _side(image, rank - 2)]
        starts = [_start(side, central_fraction) for side in sides]
        sizes = [side - start * 2 for side, start in zip(sides, starts)]
        begin = shaping.stack([*lead, *starts, 0])
        size = shaping.stack([-1 for _ in lead] + [*sizes, -1])
        cropped = slicing.slice(image, begin, size)
        outer = image.shape.as_list()
        cropped.set_shape([*outer[:rank - 3], *(None if hasattr(size, 'op') else size
                                                for size in sizes), outer[-1]])
        return cropped
