"""Non-maximum suppression: boxes of high scores without those that overlap a better one."""
from __future__ import annotations

import heapq
from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure

__all__ = ['combined_non_max_suppression', 'non_max_suppression', 'non_max_suppression_overlaps',
           'non_max_suppression_padded', 'non_max_suppression_with_scores']

_HALF = frozenset((dtypes.float16, dtypes.float32))


def _check(boxes, scores, scalars):
    """ValueError unless boxes are [boxes, 4], scores [boxes] and the others scalars."""
    for name, shape, rank in (('boxes', boxes, 2), ('scores', scores, 1)):
        if shape is not None and len(shape) != rank:
            raise OpFailure(f'Shape must be rank {rank} but is rank {len(shape)}: {name}',
                            'boxes are [boxes, 4], scores [boxes].')
    _check_scalars(scalars)
    if boxes is not None and boxes[1] not in (None, 4):
        raise ValueError(f'Dimension must be 4 but is {boxes[1]}: a box is y1, x1, y2, x2')
    if None not in (boxes, scores) and None not in (boxes[0], scores[0]) \
            and boxes[0] != scores[0]:
        raise ValueError(f'Dimensions must be equal, but are {boxes[0]} and {scores[0]}: there '
                         'is one score for each box')


def _check_scalars(scalars):
    for name, shape in scalars.items():
        if shape:
            raise ValueError(f'Shape must be rank 0 but is rank {len(shape)}: {name} is a scalar')


def _check_values(count, threshold, what='iou_threshold'):
    if count < 0:
        raise ValueError(f'max_output_size must be >= 0, got {count}')
    if not 0 <= threshold <= 1:
        raise ValueError(f'{what} must be in [0, 1], got {threshold}')


class _Overlaps:
    """The overlap of one box with others: intersection over union, 0 for boxes without area."""

    def __init__(self, boxes):
        boxes = boxes.astype(np.float32, copy=False)
        # A box may be given by any two opposite corners.
        self.low = np.minimum(boxes[:, :2], boxes[:, 2:])
        self.high = np.maximum(boxes[:, :2], boxes[:, 2:])
        self.area = (self.high - self.low).prod(1)

    def __call__(self, box, others):
        sides = np.minimum(self.high[box], self.high[others]) \
            - np.maximum(self.low[box], self.low[others])
        common = np.maximum(sides, 0).prod(-1)
        whole = self.area[box] + self.area[others] - common
        valid = (self.area[box] > 0) & (self.area[others] > 0)
        return np.where(valid, common / np.where(valid, whole, 1), 0)


def _in_order(scores, threshold):
    """The boxes above the threshold, the highest score first."""
    order = np.argsort(-scores.astype(np.float32), kind='stable')
    return order[scores[order] > threshold]


def _greedy(overlap, scores, count, threshold, score_threshold):
    """Indices of the boxes that stay: each drops the following ones that overlap it."""
    waiting, chosen = _in_order(scores, score_threshold), []
    while len(waiting) and len(chosen) < count:
        best, waiting = waiting[0], waiting[1:]
        chosen.append(best)
        waiting = waiting[overlap(best, waiting) < threshold]
    return np.array(chosen, np.int32)


def _soft(overlap, scores, count, threshold, score_threshold, sigma):
    """(indices, scores): scores fall by exp(-overlap^2 / (2 sigma)) for each chosen box.

    N. Bodla et al., Soft-NMS (2017).
    """
    scale = np.float32(-.5) / np.float32(sigma)
    waiting = [(-scores[i], int(i), 0) for i in _in_order(scores, score_threshold)]
    heapq.heapify(waiting)
    chosen, kept = [], []
    while waiting and len(chosen) < count:
        negative, box, seen = heapq.heappop(waiting)
        before = score = -negative
        for other in reversed(chosen[seen:]):
            common = overlap(box, other)
            score = score * (np.exp(scale * common * common) if common <= threshold else 0)
            if score <= score_threshold:
                break
        if score == before:
            chosen.append(box)
            kept.append(score)
        elif score > score_threshold:
            heapq.heappush(waiting, (-score, box, len(chosen)))
    return np.array(chosen, np.int32), np.array(kept, scores.dtype)


def _padded(array, length):
    return np.concatenate([array, np.zeros(length - len(array), array.dtype)])


class NonMaxSuppressionV3(Op):
    """Indices of the boxes that stay."""

    signature = ('boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, '
                 'score_threshold: T_threshold -> selected_indices: int32')
    types = {'T': _HALF, 'T_threshold': _HALF}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(boxes, scores, max_output_size, iou_threshold, score_threshold):
        _check(boxes, scores, {'max_output_size': max_output_size, 'iou_threshold': iou_threshold,
                               'score_threshold': score_threshold})
        return (None,)

    def kernel(boxes, scores, max_output_size, iou_threshold, score_threshold):
        _check(boxes.shape, scores.shape, {})
        _check_values(max_output_size, iou_threshold)
        return _greedy(_Overlaps(boxes), scores, max_output_size, iou_threshold, score_threshold)


class NonMaxSuppressionV4(Op):
    """Indices of the boxes that stay, maybe filled up with zeros, and their number."""

    signature = ('boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, '
                 'score_threshold: T_threshold -> selected_indices: int32, valid_outputs: int32')
    types = {'T': _HALF, 'T_threshold': _HALF}
    attrs = {'pad_to_max_output_size': False}
    static = {'max_output_size': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(boxes, scores, max_output_size, iou_threshold, score_threshold, *,
              pad_to_max_output_size):
        _check(boxes, scores, {'iou_threshold': iou_threshold, 'score_threshold': score_threshold})
        return (max_output_size if pad_to_max_output_size else None,), ()

    def kernel(boxes, scores, max_output_size, iou_threshold, score_threshold, *,
               pad_to_max_output_size):
        _check(boxes.shape, scores.shape, {})
        _check_values(max_output_size, iou_threshold)
        chosen = _greedy(_Overlaps(boxes), scores, max_output_size, iou_threshold, score_threshold)
        count = np.array(len(chosen), np.int32)
        return (_padded(chosen, max_output_size) if pad_to_max_output_size else chosen), count


class NonMaxSuppressionV5(Op):
    """Indices and scores of the boxes that stay, where overlaps may lower scores."""

    signature = ('boxes: T, scores: T, max_output_size: int32, iou_threshold: T, '
                 'score_threshold: T, soft_nms_sigma: T -> selected_indices: int32, '
                 'selected_scores: T, valid_outputs: int32')
    types = {'T': _HALF}
    attrs = {'pad_to_max_output_size': False}
    static = {'max_output_size': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, *,
              pad_to_max_output_size):
        _check(boxes, scores, {'iou_threshold': iou_threshold, 'score_threshold': score_threshold,
                               'soft_nms_sigma': soft_nms_sigma})
        length = max_output_size if pad_to_max_output_size else None
        return (length,), (length,), ()

    def kernel(boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, *,
               pad_to_max_output_size):
        _check(boxes.shape, scores.shape, {})
        _check_values(max_output_size, iou_threshold)
        if soft_nms_sigma < 0:
            raise ValueError(f'soft_nms_sigma must be >= 0, got {soft_nms_sigma}')
        overlap, how = _Overlaps(boxes), (max_output_size, iou_threshold, score_threshold)
        if soft_nms_sigma > 0:
            chosen, kept = _soft(overlap, scores, *how, soft_nms_sigma)
        else:
            chosen = _greedy(overlap, scores, *how)
            kept = scores[chosen]
        count = np.array(len(chosen), np.int32)
        if pad_to_max_output_size:
            chosen, kept = _padded(chosen, max_output_size), _padded(kept, max_output_size)
        return chosen, kept, count


class NonMaxSuppressionWithOverlaps(Op):
    """Indices of the boxes that stay, from a table of their overlaps."""

    signature = ('overlaps: float32, scores: float32, max_output_size: int32, '
                 'overlap_threshold: float32, score_threshold: float32 -> selected_indices: int32')
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
        if overlaps is not None and (len(overlaps) != 2 or None not in overlaps
                                     and overlaps[0] != overlaps[1]):
            raise ValueError(f'overlaps must be square [boxes, boxes], got {list(overlaps)}')
        _check(None, scores, {'max_output_size': max_output_size,
                              'overlap_threshold': overlap_threshold,
                              'score_threshold': score_threshold})
        return (None,)

    def kernel(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
        if overlaps.shape != 2 * scores.shape:
            raise ValueError(f'overlaps must be [{len(scores)}, {len(scores)}], as there are '
                             f'scores, got {list(overlaps.shape)}')
        _check_values(max_output_size, 0)
        return _greedy(lambda box, others: overlaps[others, box], scores, max_output_size,
                       overlap_threshold, score_threshold)


class CombinedNonMaxSuppression(Op):
    """The best boxes of all classes, for each image of a batch."""

    signature = ('boxes: float32, scores: float32, max_output_size_per_class: int32, '
                 'max_total_size: int32, iou_threshold: float32, score_threshold: float32 -> '
                 'nmsed_boxes: float32, nmsed_scores: float32, nmsed_classes: float32, '
                 'valid_detections: int32')
    attrs = {'pad_per_class': False, 'clip_boxes': True}
    static = {'max_output_size_per_class': 0, 'max_total_size': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold,
              score_threshold, *, pad_per_class):
        for name, shape, rank in (('boxes', boxes, 4), ('scores', scores, 3)):
            if shape is not None and len(shape) != rank:
                raise ValueError(f'Shape must be rank {rank} but is rank {len(shape)}: {name}')
        if boxes is not None and boxes[3] not in (None, 4):
            raise ValueError(f'Dimension must be 4 but is {boxes[3]}: a box is y1, x1, y2, x2')
        _check_scalars({'iou_threshold': iou_threshold, 'score_threshold': score_threshold})
        batch = boxes[0] if boxes is not None else scores and scores[0]
        classes = None if scores is None else scores[2]
        length = max_total_size
        if pad_per_class and length is not None:
            known = None not in (classes, max_output_size_per_class)
            length = min(length, classes * max_output_size_per_class) if known else None
        return (batch, length, 4), (batch, length), (batch, length), (batch,)

    def kernel(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold,
               score_threshold, *, pad_per_class, clip_boxes):
        batch, count, groups, _ = boxes.shape
        classes = scores.shape[2]
        if scores.shape[:2] != (batch, count) or groups not in (1, classes):
            raise OpFailure(f'boxes {list(boxes.shape)} and scores {list(scores.shape)} do not fit',
                            'boxes are [batch, boxes, 1 or classes, 4], scores [batch, boxes, '
                            'classes].')
        _check_values(max_output_size_per_class, iou_threshold)
        if max_total_size <= 0:
            raise ValueError(f'max_total_size must be > 0, got {max_total_size}')
        length = max_total_size
        if pad_per_class:
            length = min(length, classes * max_output_size_per_class)
        out = (np.zeros((batch, length, 4), np.float32), np.zeros((batch, length), np.float32),
               np.zeros((batch, length), np.float32), np.zeros(batch, np.int32))
        for i in range(batch):
            selected = _of_all_classes(boxes[i], scores[i], max_output_size_per_class,
                                       iou_threshold, score_threshold, length)
            for array, value in zip(out, (*selected, len(selected[1]))):
                array[i, ...] = value if array.ndim == 1 else _filled(value, array[i])
        if clip_boxes:
            np.clip(out[0], 0, 1, out=out[0])
        return out


def _filled(values, target):
    result = np.zeros_like(target)
    result[:len(values)] = values
    return result


def _of_all_classes(boxes, scores, per_class, threshold, score_threshold, length):
    """(boxes, scores, classes) of one image, the highest score first."""
    selected = []
    for kind in range(scores.shape[1]):
        own = boxes[:, kind if boxes.shape[1] > 1 else 0]
        chosen = _greedy(_Overlaps(own), scores[:, kind], per_class, threshold, score_threshold)
        selected.append((own[chosen], scores[chosen, kind], np.full(len(chosen), kind, np.float32)))
    together = [np.concatenate(parts) for parts in zip(*selected)]
    order = np.argsort(-together[1], kind='stable')[:length]
    return [part[order] for part in together]


def _thresholds(iou_threshold, score_threshold, first='iou_threshold'):
    return (convert_to_tensor(iou_threshold, dtypes.float32, first),
            convert_to_tensor(score_threshold, dtypes.float32, 'score_threshold'))


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5,
                        score_threshold=float('-inf'), name=None):
    """Indices of at most `max_output_size` boxes, the highest score first.

    A box is dropped if its intersection with a chosen one is at least `iou_threshold` of the union.

    Shapes: boxes [boxes, 4] (two opposite corners), scores [boxes] -> [chosen], int32.
    """
    with name_scope(name, 'non_max_suppression'):
        return NonMaxSuppressionV3.apply(boxes, scores, max_output_size,
                                         *_thresholds(iou_threshold, score_threshold))


def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5,
                                    score_threshold=float('-inf'), soft_nms_sigma=0.0, name=None):
    """(indices, scores) of the boxes that stay; with a sigma, overlaps lower scores (Soft-NMS).

    Shapes: boxes [boxes, 4] (two opposite corners), scores [boxes] -> [chosen], [chosen].
    """
    with name_scope(name, 'non_max_suppression_with_scores'):
        thresholds = _thresholds(iou_threshold, score_threshold)
        sigma = convert_to_tensor(soft_nms_sigma, dtypes.float32, 'soft_nms_sigma')
        chosen, kept, _ = NonMaxSuppressionV5.apply(boxes, scores, max_output_size, *thresholds,
                                                    sigma)
        return chosen, kept


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5,
                               score_threshold=float('-inf'), pad_to_max_output_size=False,
                               name=None):
    """(selected_indices, valid_outputs): as non_max_suppression, maybe filled up with zeros.

    Shapes: boxes [boxes, 4], scores [boxes] -> [chosen or max_output_size], [].
    """
    with name_scope(name, 'non_max_suppression_padded'):
        outputs = NonMaxSuppressionV4.apply(
            boxes, scores, max_output_size, *_thresholds(iou_threshold, score_threshold),
            pad_to_max_output_size=pad_to_max_output_size)
    return namedtuple('NonMaxSuppressionV4', 'selected_indices valid_outputs')(*outputs)


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5,
                                 score_threshold=float('-inf'), name=None):
    """Indices of the boxes that stay, with a custom table of overlaps.

    TensorFlow 1.15 chooses a box again and again whose overlap with itself is below the threshold;
    here every box is chosen once.

    Shapes: overlaps [boxes, boxes], scores [boxes] -> [chosen], int32.
    """
    with name_scope(name, 'non_max_suppression_overlaps'):
        threshold = convert_to_tensor(overlap_threshold, dtypes.float32, 'overlap_threshold')
        return NonMaxSuppressionWithOverlaps.apply(overlaps, scores, max_output_size, threshold,
                                                   score_threshold)


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size,
                                 iou_threshold=0.5, score_threshold=float('-inf'),
                                 pad_per_class=False, clip_boxes=True, name=None):
    """The best boxes of all classes, each class by itself, filled up with zeros.

    Shapes: boxes [batch, boxes, 1 or classes, 4], scores [batch, boxes, classes] -> nmsed_boxes
    [batch, max_total_size, 4], nmsed_scores and nmsed_classes [batch, max_total_size],
    valid_detections [batch].
    """
    with name_scope(name, 'combined_non_max_suppression'):
        outputs = CombinedNonMaxSuppression.apply(
            boxes, scores, max_output_size_per_class, max_total_size,
            *_thresholds(iou_threshold, score_threshold), pad_per_class=pad_per_class,
            clip_boxes=clip_boxes)
    return namedtuple('CombinedNonMaxSuppression', 'nmsed_boxes nmsed_scores nmsed_classes '
                      'valid_detections')(*outputs)
