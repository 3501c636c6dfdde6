"""tf.layers: layers as functions, and as objects that keep their weights."""
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.layers.base import Layer
from tinyflow.layers.convolutional import Conv1D, Conv2D, Conv3D, conv1d, conv2d, conv3d
from tinyflow.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.normalization import BatchNormalization, batch_normalization
from tinyflow.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)
from tinyflow.layers.separable import (
    SeparableConv1D,
    SeparableConv2D,
    separable_conv1d,
    separable_conv2d,
)
from tinyflow.layers.transposed import (
    Conv2DTranspose,
    Conv3DTranspose,
    conv2d_transpose,
    conv3d_transpose,
)

__all__ = [
    'AveragePooling1D', 'AveragePooling2D', 'AveragePooling3D', 'BatchNormalization', 'Conv1D',
    'Conv2D', 'Conv2DTranspose', 'Conv3D', 'Conv3DTranspose', 'Dense', 'Dropout', 'Flatten',
    'InputSpec', 'Layer', 'MaxPooling1D', 'MaxPooling2D', 'MaxPooling3D', 'SeparableConv1D',
    'SeparableConv2D', 'average_pooling1d', 'average_pooling2d', 'average_pooling3d',
    'batch_normalization', 'conv1d', 'conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose',
    'dense', 'dropout', 'flatten', 'max_pooling1d', 'max_pooling2d', 'max_pooling3d',
    'separable_conv1d', 'separable_conv2d',
]

__getattr__ = _explain_missing(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
