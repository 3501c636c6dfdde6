"""keras.callbacks: hooks into the training loop."""
from keras_layer.callbacks.base import Callback
from keras_layer.callbacks.basic import BaseLogger, History, ProgbarLogger
from keras_layer.callbacks.container import CallbackList
from keras_layer.callbacks.curves import LearningCurves
from keras_layer.callbacks.doctor import Doctor
from keras_layer.callbacks.monitoring import (
    EarlyStopping, ModelCheckpoint, ReduceLROnPlateau, TerminateOnNaN,
)
from keras_layer.callbacks.recording import CSVLogger, RemoteMonitor
from keras_layer.callbacks.scheduling import (
    BackupAndRestore, LambdaCallback, LearningRateScheduler,
)
from keras_layer.callbacks.tensorboard import TensorBoard
from tinyflow.graph.support.missing import explain_missing

__all__ = ['BackupAndRestore', 'BaseLogger', 'CSVLogger', 'Callback', 'CallbackList',
           'Doctor', 'EarlyStopping', 'History', 'LambdaCallback', 'LearningCurves',
           'LearningRateScheduler', 'ModelCheckpoint', 'ProgbarLogger', 'ReduceLROnPlateau',
           'RemoteMonitor', 'TensorBoard', 'TerminateOnNaN']

__getattr__ = explain_missing('tf.keras.callbacks', __all__)
