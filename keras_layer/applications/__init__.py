"""keras.applications: well-known networks with TF's layer names, so that its weights load."""
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.lazy import importing

# module -> the networks that it has
_NETWORKS = {
    'densenet': ('DenseNet121', 'DenseNet169', 'DenseNet201'),
    'inception_resnet_v2': ('InceptionResNetV2',), 'inception_v3': ('InceptionV3',),
    'mobilenet': ('MobileNet',), 'mobilenet_v2': ('MobileNetV2',),
    'nasnet': ('NASNetLarge', 'NASNetMobile'), 'resnet': ('ResNet101', 'ResNet152', 'ResNet50'),
    'resnet_v2': ('ResNet101V2', 'ResNet152V2', 'ResNet50V2'), 'vgg16': ('VGG16',),
    'vgg19': ('VGG19',), 'xception': ('Xception',), 'imagenet_utils': (), 'resnet50': (),
}
_HOMES = {name: module for module, names in _NETWORKS.items() for name in (*names, module)}
__all__ = list(_HOMES)
__getattr__ = importing(globals(), {n: f'keras_layer.applications.{m}' for n, m in _HOMES.items()},
                        explain_missing('tf.keras.applications', __all__),
                        shown=tuple(_NETWORKS))


def __dir__():
    return __all__
