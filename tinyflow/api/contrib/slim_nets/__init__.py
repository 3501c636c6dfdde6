"""tf.contrib.slim.nets: networks for images, with the Variables of slim's published checkpoints."""
from tinyflow.api.contrib.slim_nets import (
    alexnet,
    inception,
    mobilenet_v1,
    overfeat,
    resnet_utils,
    resnet_v1,
    resnet_v2,
    vgg,
)
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['alexnet', 'inception', 'mobilenet_v1', 'overfeat', 'resnet_utils', 'resnet_v1',
           'resnet_v2', 'vgg']

_hide_modules(globals(), __all__)
__getattr__ = _explain_missing('tinyflow.contrib.slim.nets', __all__)
