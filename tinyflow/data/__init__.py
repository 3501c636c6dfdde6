"""tf.data: input pipelines.

    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(1000).batch(32)
    image, label = dataset.make_one_shot_iterator().get_next()
"""
from tinyflow.data import experimental
from tinyflow.data.dataset import Dataset, DatasetSpec
from tinyflow.data.iterators import Iterator
from tinyflow.data.legacy import (
    get_output_classes,
    get_output_shapes,
    get_output_types,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from tinyflow.data.options import Options
from tinyflow.data.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

AUTOTUNE = experimental.AUTOTUNE

__all__ = [
    'AUTOTUNE', 'Dataset', 'DatasetSpec', 'FixedLengthRecordDataset', 'Iterator', 'Options',
    'TFRecordDataset', 'TextLineDataset', 'experimental', 'get_output_classes',
    'get_output_shapes', 'get_output_types', 'make_initializable_iterator',
    'make_one_shot_iterator',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__


_hide_modules(globals(), {'experimental'})
