"""keras.engine of Keras 2.1, and its modules topology and training."""
import sys

from keras_layer.engine.base_layer import InputSpec, Layer
from keras_layer.engine.input_layer import InputLayer
from keras_layer.engine.network import Network
from keras_layer.engine.node import Node
from keras_layer.keras2.models import Input, Model
from keras_layer.utils.layer_utils import get_source_inputs
from tinyflow.graph.support.missing import explain_missing

Container = Network
topology = training = sys.modules[__name__]      # one module here
__all__ = ['Container', 'Input', 'InputLayer', 'InputSpec', 'Layer', 'Model', 'Network', 'Node',
           'get_source_inputs', 'topology', 'training']

__getattr__ = explain_missing('keras.engine', __all__)
