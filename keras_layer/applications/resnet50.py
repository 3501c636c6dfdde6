"""ResNet50, under the name that its module had before the deeper ones came."""
from keras_layer.applications.resnet import ResNet50, decode_predictions, preprocess_input

__all__ = ['ResNet50', 'decode_predictions', 'preprocess_input']
