"""VGG19: Simonyan and Zisserman (2014)."""
from __future__ import annotations

from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions, preprocess_input
from keras_layer.applications.vgg16 import vgg

__all__ = ['VGG19', 'decode_predictions', 'preprocess_input']


def VGG19(include_top=True, weights='imagenet', input_tensor=None, input_shape=None, pooling=None,
          classes=1000, **kwargs):
    """The network of 16 convolutions and 3 dense layers; arguments as for VGG16."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return vgg('vgg19', (2, 2, 4, 4, 4), include_top, weights, input_tensor, input_shape, pooling,
               classes)
