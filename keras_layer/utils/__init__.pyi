# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.utils.data_utils import Sequence, get_file
from keras_layer.utils.enqueuers import GeneratorEnqueuer, OrderedEnqueuer, SequenceEnqueuer
from keras_layer.utils.generic import (
    CustomObjectScope, custom_object_scope, deserialize_keras_object, get_custom_objects,
    serialize_keras_object,
)
from keras_layer.utils.hdf5_matrix import HDF5Matrix
from keras_layer.utils.layer_utils import (
    convert_all_kernels_in_model, get_source_inputs, multi_gpu_model,
)
from keras_layer.utils.np_utils import normalize, to_categorical
from keras_layer.utils.progbar import Progbar
from keras_layer.utils.vis_utils import model_to_dot, plot_model

__all__ = [
    'CustomObjectScope', 'GeneratorEnqueuer', 'HDF5Matrix', 'OrderedEnqueuer', 'Progbar',
    'Sequence', 'SequenceEnqueuer', 'convert_all_kernels_in_model', 'custom_object_scope',
    'deserialize_keras_object', 'get_custom_objects', 'get_file', 'get_source_inputs',
    'model_to_dot', 'multi_gpu_model', 'normalize', 'plot_model', 'serialize_keras_object',
    'to_categorical',
]
