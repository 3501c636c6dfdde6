"""Models as files: HDF5 in Keras' own layout, SavedModel, and TensorFlow checkpoints."""
from keras_layer.saving.configs import model_from_config, model_from_json, model_from_yaml
from keras_layer.saving.hdf5 import load_model_from_hdf5, save_model_to_hdf5
from keras_layer.saving.save import load_model, save_model

__all__ = ['load_model', 'load_model_from_hdf5', 'model_from_config', 'model_from_json',
           'model_from_yaml', 'save_model', 'save_model_to_hdf5']
