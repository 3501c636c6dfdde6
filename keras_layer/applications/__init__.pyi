# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.applications import imagenet_utils, mobilenet_v2, resnet50, vgg16, vgg19
from keras_layer.applications.mobilenet_v2 import MobileNetV2
from keras_layer.applications.resnet50 import ResNet50
from keras_layer.applications.vgg16 import VGG16
from keras_layer.applications.vgg19 import VGG19

__all__ = [
    'MobileNetV2', 'ResNet50', 'VGG16', 'VGG19', 'imagenet_utils', 'mobilenet_v2', 'resnet50',
    'vgg16', 'vgg19',
]
