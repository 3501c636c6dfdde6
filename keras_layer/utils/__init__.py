"""keras.utils: helpers for data, files, drawings and custom objects."""
from keras_layer.utils.data_utils import Sequence, get_file
from keras_layer.utils.generic import (
    CustomObjectScope, custom_object_scope, deserialize_keras_object, get_custom_objects,
    serialize_keras_object,
)
from keras_layer.utils.np_utils import normalize, to_categorical
from keras_layer.utils.progbar import Progbar
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.lazy import importing

__all__ = ['CustomObjectScope', 'GeneratorEnqueuer', 'HDF5Matrix', 'OrderedEnqueuer', 'Progbar',
           'Sequence', 'SequenceEnqueuer', 'convert_all_kernels_in_model', 'custom_object_scope',
           'deserialize_keras_object', 'get_custom_objects', 'get_file', 'get_source_inputs',
           'model_to_dot', 'multi_gpu_model', 'normalize', 'plot_model', 'serialize_keras_object',
           'to_categorical']

__getattr__ = importing(globals(), {
    'get_source_inputs': 'keras_layer.utils.layer_utils',
    'convert_all_kernels_in_model': 'keras_layer.utils.layer_utils',
    'GeneratorEnqueuer': 'keras_layer.utils.enqueuers',
    'OrderedEnqueuer': 'keras_layer.utils.enqueuers',
    'SequenceEnqueuer': 'keras_layer.utils.enqueuers',
    'HDF5Matrix': 'keras_layer.utils.hdf5_matrix', 'io_utils': 'keras_layer.utils.hdf5_matrix',
    'model_to_dot': 'keras_layer.utils.vis_utils', 'plot_model': 'keras_layer.utils.vis_utils',
    'multi_gpu_model': 'keras_layer.utils.layer_utils',
    'np_utils': 'keras_layer.utils.np_utils', 'vis_utils': 'keras_layer.utils.vis_utils',
    'data_utils': 'keras_layer.utils.data_utils', 'generic_utils': 'keras_layer.utils.generic',
    'layer_utils': 'keras_layer.utils.layer_utils',
}, explain_missing('tf.keras.utils', __all__), shown=('np_utils', 'vis_utils', 'data_utils',
                                                      'generic', 'progbar', 'summary',
                                                      'layer_utils', 'enqueuers', 'hdf5_matrix'))


def __dir__():
    return __all__
