"""tf.train: optimizers, learning rates, moving averages, the global step."""
import importlib as _importlib

from tinyflow.absent import absent as _absent, hide_modules as _hide_modules
from tinyflow.formats.events import summary_iterator
from tinyflow.graphdef.graph_io import write_graph
from tinyflow.train import queue_runner
from tinyflow.train.adagrad import AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer
from tinyflow.train.adam import AdamOptimizer
from tinyflow.train.checkpoint import Checkpoint
from tinyflow.train.checkpoint_manager import CheckpointManager
from tinyflow.train.checkpoint_state import (
    checkpoint_exists,
    checkpoints_iterator,
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    get_checkpoint_state,
    latest_checkpoint,
    remove_checkpoint,
    update_checkpoint_state,
)
from tinyflow.train.coordinator import Coordinator, LooperThread
from tinyflow.train.ftrl import (
    FtrlOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
)
from tinyflow.train.gradient_descent import GradientDescentOptimizer, MomentumOptimizer
from tinyflow.train.input import (
    batch,
    batch_join,
    input_producer,
    limit_epochs,
    match_filenames_once,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    range_input_producer,
    shuffle_batch,
    shuffle_batch_join,
    slice_input_producer,
    string_input_producer,
)
from tinyflow.train.inspection import (
    NewCheckpointReader,
    list_variables,
    load_checkpoint,
    load_variable,
    matching_variables,
)
from tinyflow.train.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from tinyflow.train.moving_averages import ExponentialMovingAverage
from tinyflow.train.optimizer import Optimizer
from tinyflow.train.queue_running import QueueRunner, add_queue_runner, start_queue_runners
from tinyflow.train.rmsprop import RMSPropOptimizer
from tinyflow.train.saver import Saver, export_meta_graph, import_meta_graph
from tinyflow.train.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from tinyflow.train.warm_start import VocabInfo, init_from_checkpoint, warm_start

__all__ = [
    'AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer', 'AdamOptimizer', 'Checkpoint',
    'CheckpointManager', 'Coordinator', 'ExponentialMovingAverage', 'FtrlOptimizer',
    'GradientDescentOptimizer', 'LooperThread', 'MomentumOptimizer', 'NewCheckpointReader',
    'Optimizer', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer', 'QueueRunner',
    'RMSPropOptimizer', 'Saver', 'VocabInfo', 'add_queue_runner', 'assert_global_step', 'batch',
    'batch_join', 'checkpoint_exists', 'checkpoints_iterator', 'cosine_decay',
    'cosine_decay_restarts', 'create_global_step', 'exponential_decay', 'export_meta_graph',
    'generate_checkpoint_state_proto', 'get_checkpoint_mtimes', 'get_checkpoint_state',
    'get_global_step', 'get_or_create_global_step', 'global_step', 'import_meta_graph',
    'init_from_checkpoint', 'input_producer', 'inverse_time_decay', 'latest_checkpoint',
    'limit_epochs', 'linear_cosine_decay', 'list_variables', 'load_checkpoint', 'load_variable',
    'match_filenames_once', 'matching_variables', 'maybe_batch', 'maybe_batch_join',
    'maybe_shuffle_batch', 'maybe_shuffle_batch_join', 'natural_exp_decay',
    'noisy_linear_cosine_decay', 'piecewise_constant', 'piecewise_constant_decay',
    'polynomial_decay', 'queue_runner', 'range_input_producer', 'remove_checkpoint',
    'shuffle_batch', 'shuffle_batch_join', 'slice_input_producer', 'start_queue_runners',
    'string_input_producer', 'summary_iterator', 'update_checkpoint_state', 'warm_start',
    'write_graph',
]

# Protocol buffers, loaded when first asked for, because google.protobuf is.
_PROTOS = {
    'BytesList': 'feature_pb2', 'Example': 'example_pb2', 'Feature': 'feature_pb2',
    'FeatureList': 'feature_pb2', 'FeatureLists': 'feature_pb2', 'Features': 'feature_pb2',
    'FloatList': 'feature_pb2', 'Int64List': 'feature_pb2', 'SaverDef': 'saver_pb2',
    'SequenceExample': 'example_pb2',
}
_missing = _absent(__name__, [*__all__, *_PROTOS])


def __getattr__(name):
    if name in _PROTOS:
        module = _importlib.import_module(f'tinyflow.formats.protos.{_PROTOS[name]}')
        value = globals()[name] = getattr(module, name)
        return value
    return _missing(name)


_hide_modules(globals(), {'queue_runner'})


def __dir__():
    return [*__all__, *_PROTOS]
