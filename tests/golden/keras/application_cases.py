"""The networks of keras.applications that are recorded from TF 1.15, and how they are described."""
import hashlib
import json

# name -> network, arguments
CASES = {
    'VGG16': ('VGG16', {}),
    'VGG19t': ('VGG19', {'include_top': False, 'input_shape': (64, 64, 3), 'pooling': 'max'}),
    'ResNet50': ('ResNet50', {}),
    'ResNet50t': ('ResNet50', {'include_top': False, 'input_shape': (64, 64, 3),
                               'pooling': 'avg'}),
    'ResNet101': ('ResNet101', {}),
    'ResNet152': ('ResNet152', {}),
    'ResNet50V2': ('ResNet50V2', {}),
    'ResNet101V2': ('ResNet101V2', {'include_top': False, 'pooling': 'max'}),
    'ResNet152V2': ('ResNet152V2', {}),
    'MobileNet': ('MobileNet', {}),
    'MobileNet_s': ('MobileNet', {'alpha': .5, 'input_shape': (128, 128, 3), 'classes': 10,
                                  'depth_multiplier': 2}),
    'MobileNet_t': ('MobileNet', {'include_top': False, 'pooling': 'max'}),
    'MobileNetV2': ('MobileNetV2', {}),
    'MobileNetV2s': ('MobileNetV2', {'alpha': .35, 'input_shape': (96, 96, 3), 'classes': 10}),
    'MobileNetV2t': ('MobileNetV2', {'alpha': 1.4, 'include_top': False,
                                     'input_shape': (64, 64, 3), 'pooling': 'avg'}),
    'DenseNet121': ('DenseNet121', {}),
    'DenseNet169': ('DenseNet169', {'include_top': False, 'pooling': 'avg'}),
    'DenseNet201': ('DenseNet201', {}),
    'InceptionV3': ('InceptionV3', {}),
    'InceptionV3_t': ('InceptionV3', {'include_top': False, 'input_shape': (75, 90, 1)}),
    'InceptionResNetV2': ('InceptionResNetV2', {}),
    'Xception': ('Xception', {}),
    'Xception_t': ('Xception', {'include_top': False, 'pooling': 'avg'}),
    'NASNetMobile': ('NASNetMobile', {}),
    'NASNetMobile_t': ('NASNetMobile', {'include_top': False, 'input_shape': (65, 64, 3)}),
    'NASNetLarge': ('NASNetLarge', {}),
}
# Of these the layers are recorded one by one, of the others their number and a hash.
IN_FULL = ('ResNet50', 'ResNet50V2', 'MobileNet_s', 'MobileNetV2s', 'DenseNet121', 'InceptionV3',
           'Xception', 'NASNetMobile_t', 'VGG19t')

PIXEL = [[[[0., 127.5, 255.]]]]


def make(applications, case):
    """The Model of a case, with random weights."""
    network, arguments = CASES[case]
    return getattr(applications, network)(weights=None, **arguments)


def layers(model):
    """For each layer one line: name, class, output shape, weights."""
    return [' '.join([layer.name, type(layer).__name__, _plain(layer.output_shape)]
                     + [f'{w.name}{_plain(w.shape.as_list())}' for w in layer.weights])
            for layer in model.layers]


def describe(model):
    """What must agree of a network; the code of Lambda layers is Python's own."""
    config = model.get_config()
    for layer in config['layers']:
        if layer['class_name'] == 'Lambda':
            layer['config'] = {k: v for k, v in layer['config'].items()
                               if k not in ('function', 'module')}
    lines = layers(model)
    return {'name': model.name, 'parameters': model.count_params(), 'count': len(lines),
            'layers': _hash(lines), 'config': _hash(config)}


def _plain(shape):
    return json.dumps(shape, separators=(',', ':'))


def _hash(value):
    text = json.dumps(value, sort_keys=True, default=_builtin)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _builtin(value):
    """TensorFlow wraps the dicts of layers, and keeps some numbers as arrays."""
    return dict(value) if hasattr(value, 'keys') else value.tolist()
