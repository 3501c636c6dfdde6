# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.applications import (
    densenet, imagenet_utils, inception_resnet_v2, inception_v3, mobilenet, mobilenet_v2, nasnet,
    resnet, resnet50, resnet_v2, vgg16, vgg19, xception,
)
from keras_layer.applications.densenet import DenseNet121, DenseNet169, DenseNet201
from keras_layer.applications.inception_resnet_v2 import InceptionResNetV2
from keras_layer.applications.inception_v3 import InceptionV3
from keras_layer.applications.mobilenet import MobileNet
from keras_layer.applications.mobilenet_v2 import MobileNetV2
from keras_layer.applications.nasnet import NASNetLarge, NASNetMobile
from keras_layer.applications.resnet import ResNet101, ResNet152, ResNet50
from keras_layer.applications.resnet_v2 import ResNet101V2, ResNet152V2, ResNet50V2
from keras_layer.applications.vgg16 import VGG16
from keras_layer.applications.vgg19 import VGG19
from keras_layer.applications.xception import Xception

__all__ = [
    'DenseNet121', 'DenseNet169', 'DenseNet201', 'InceptionResNetV2', 'InceptionV3', 'MobileNet',
    'MobileNetV2', 'NASNetLarge', 'NASNetMobile', 'ResNet101', 'ResNet101V2', 'ResNet152',
    'ResNet152V2', 'ResNet50', 'ResNet50V2', 'VGG16', 'VGG19', 'Xception', 'densenet',
    'imagenet_utils', 'inception_resnet_v2', 'inception_v3', 'mobilenet', 'mobilenet_v2', 'nasnet',
    'resnet', 'resnet50', 'resnet_v2', 'vgg16', 'vgg19', 'xception',
]
