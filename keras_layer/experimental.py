"""keras.experimental: cosine decay, peephole LSTM, SavedModel export."""
from tinyflow.graph.support.lazy import importing
from tinyflow.graph.support.missing import explain_missing

_HOMES = {'CosineDecay': 'keras_layer.optimizers.cosine',
          'CosineDecayRestarts': 'keras_layer.optimizers.cosine',
          'LinearCosineDecay': 'keras_layer.optimizers.cosine',
          'NoisyLinearCosineDecay': 'keras_layer.optimizers.cosine',
          'PeepholeLSTMCell': 'keras_layer.layers.recurrent',
          'SequenceFeatures': 'keras_layer.layers.dense_features',
          'export_saved_model': 'keras_layer.saving.saved_model',
          'load_from_saved_model': 'keras_layer.saving.saved_model'}
__all__ = list(_HOMES) + ['terminate_keras_multiprocessing_pools']
__getattr__ = importing(globals(), _HOMES, explain_missing('tf.keras.experimental', __all__))


def terminate_keras_multiprocessing_pools(grace_period=0.1, use_sigkill=False):
    """Returns []: there are no process pools to terminate."""
    return []


def __dir__():
    return __all__
