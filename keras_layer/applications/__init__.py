"""keras.applications: well-known networks with TF's layer names, so that its weights load."""
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.lazy import importing

_HOMES = {'MobileNetV2': 'mobilenet_v2', 'ResNet50': 'resnet50', 'VGG16': 'vgg16',
          'VGG19': 'vgg19', 'imagenet_utils': 'imagenet_utils', 'mobilenet_v2': 'mobilenet_v2',
          'resnet50': 'resnet50', 'vgg16': 'vgg16', 'vgg19': 'vgg19'}
__all__ = list(_HOMES)
__getattr__ = importing(globals(), {n: f'keras_layer.applications.{m}' for n, m in _HOMES.items()},
                        explain_missing('tf.keras.applications', __all__),
                        shown=tuple(_HOMES.values()))


def __dir__():
    return __all__
