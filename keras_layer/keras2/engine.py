"""keras.engine of Keras 2.1 and 2.2: its modules topology, training and others are one here."""
import sys

from keras_layer.engine.base_layer import InputSpec, Layer
from keras_layer.engine.input_layer import InputLayer
from keras_layer.engine.network import Network
from keras_layer.engine.node import Node
from keras_layer.keras2 import saving
from keras_layer.keras2.fallback import or_private
from keras_layer.keras2.models import Input, Model, Sequential
from keras_layer.keras2.saving import (
    load_weights_from_hdf5_group,
    load_weights_from_hdf5_group_by_name,
    preprocess_weights_for_loading,
    save_weights_to_hdf5_group,
)
from keras_layer.utils.layer_utils import get_source_inputs

Container = Network
base_layer = input_layer = network = sequential = topology = training = training_utils = \
    sys.modules[__name__]
__all__ = ['Container', 'Input', 'InputLayer', 'InputSpec', 'Layer', 'Model', 'Network', 'Node',
           'Sequential', 'base_layer', 'get_source_inputs', 'input_layer', 'network',
           'load_weights_from_hdf5_group', 'load_weights_from_hdf5_group_by_name',
           'preprocess_weights_for_loading', 'save_weights_to_hdf5_group', 'saving', 'sequential',
           'topology', 'training', 'training_utils']

__getattr__ = or_private('keras.engine', __all__)
