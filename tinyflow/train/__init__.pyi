# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.cluster.server import Server
from tinyflow.formats.graphdef.graph_io import write_graph
from tinyflow.formats.wire.events import summary_iterator
from tinyflow.formats.wire.feature_lists import BytesList, FloatList, Int64List
from tinyflow.inspect.doctor.training.hook import DoctorHook
from tinyflow.train.checkpoints.checkpoint import Checkpoint
from tinyflow.train.checkpoints.checkpoint_manager import CheckpointManager
from tinyflow.train.checkpoints.checkpoint_state import (
    checkpoint_exists, checkpoints_iterator, generate_checkpoint_state_proto, get_checkpoint_mtimes,
    get_checkpoint_state, latest_checkpoint, remove_checkpoint, update_checkpoint_state,
)
from tinyflow.train.checkpoints.inspection import (
    NewCheckpointReader, list_variables, load_checkpoint, load_variable, matching_variables,
)
from tinyflow.train.checkpoints.saver import Saver, export_meta_graph, import_meta_graph
from tinyflow.train.checkpoints.warm_start import init_from_checkpoint, warm_start
from tinyflow.train.checkpoints.warm_start_vocab import VocabInfo
from tinyflow.train.device_setter import replica_device_setter
from tinyflow.train.hooks.checkpoints import CheckpointSaverHook, CheckpointSaverListener
from tinyflow.train.hooks.feeding import FeedFnHook
from tinyflow.train.hooks.final_ops import FinalOpsHook
from tinyflow.train.hooks.logging_tensors import LoggingTensorHook
from tinyflow.train.hooks.nan import NanLossDuringTrainingError, NanTensorHook
from tinyflow.train.hooks.profiling import ProfilerHook
from tinyflow.train.hooks.stopping import GlobalStepWaiterHook, StopAtStepHook
from tinyflow.train.hooks.summaries import StepCounterHook, SummarySaverHook
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.optimizers.adagrad import (
    AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer,
)
from tinyflow.train.optimizers.adam import AdamOptimizer
from tinyflow.train.optimizers.ftrl import (
    FtrlOptimizer, ProximalAdagradOptimizer, ProximalGradientDescentOptimizer,
)
from tinyflow.train.optimizers.gradient_descent import GradientDescentOptimizer, MomentumOptimizer
from tinyflow.train.optimizers.learning_rate_decay import (
    cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay, linear_cosine_decay,
    natural_exp_decay, noisy_linear_cosine_decay, piecewise_constant, piecewise_constant_decay,
    polynomial_decay,
)
from tinyflow.train.optimizers.moving_averages import ExponentialMovingAverage
from tinyflow.train.optimizers.optimizer import Optimizer
from tinyflow.train.optimizers.rmsprop import RMSPropOptimizer
from tinyflow.train.parameter_servers.sync_replicas import SyncReplicasOptimizer
from tinyflow.train.queues import queue_runner
from tinyflow.train.queues.coordinator import Coordinator, LooperThread
from tinyflow.train.queues.input import (
    batch, batch_join, input_producer, limit_epochs, match_filenames_once, maybe_batch,
    maybe_batch_join, maybe_shuffle_batch, maybe_shuffle_batch_join, range_input_producer,
    shuffle_batch, shuffle_batch_join, slice_input_producer, string_input_producer,
)
from tinyflow.train.queues.queue_running import QueueRunner, add_queue_runner, start_queue_runners
from tinyflow.train.sessions.basic_loops import basic_train_loop
from tinyflow.train.sessions.monitored_session import MonitoredSession, SingularMonitoredSession
from tinyflow.train.sessions.monitored_training import MonitoredTrainingSession
from tinyflow.train.sessions.scaffold import Scaffold
from tinyflow.train.sessions.session_creators import (
    ChiefSessionCreator, SessionCreator, WorkerSessionCreator,
)
from tinyflow.train.sessions.session_manager import SessionManager
from tinyflow.train.sessions.session_run_hook import (
    SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
)
from tinyflow.train.sessions.supervisor import Supervisor
from tinyflow.train.training_util import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step,
)
from typing import Any
ClusterDef: Any
Example: Any
Feature: Any
FeatureList: Any
FeatureLists: Any
Features: Any
JobDef: Any
SaverDef: Any
SequenceExample: Any
ServerDef: Any

__all__ = [
    'AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer', 'AdamOptimizer', 'BytesList',
    'Checkpoint', 'CheckpointManager', 'CheckpointSaverHook', 'CheckpointSaverListener',
    'ChiefSessionCreator', 'ClusterDef', 'ClusterSpec', 'Coordinator', 'DoctorHook', 'Example',
    'ExponentialMovingAverage', 'Feature', 'FeatureList', 'FeatureLists', 'Features', 'FeedFnHook',
    'FinalOpsHook', 'FloatList', 'FtrlOptimizer', 'GlobalStepWaiterHook',
    'GradientDescentOptimizer', 'Int64List', 'JobDef', 'LoggingTensorHook', 'LooperThread',
    'MomentumOptimizer', 'MonitoredSession', 'MonitoredTrainingSession',
    'NanLossDuringTrainingError', 'NanTensorHook', 'NewCheckpointReader', 'Optimizer',
    'ProfilerHook', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer', 'QueueRunner',
    'RMSPropOptimizer', 'Saver', 'SaverDef', 'Scaffold', 'SecondOrStepTimer', 'SequenceExample',
    'Server', 'ServerDef', 'SessionCreator', 'SessionManager', 'SessionRunArgs',
    'SessionRunContext', 'SessionRunHook', 'SessionRunValues', 'SingularMonitoredSession',
    'StepCounterHook', 'StopAtStepHook', 'SummarySaverHook', 'Supervisor', 'SyncReplicasOptimizer',
    'VocabInfo', 'WorkerSessionCreator', 'add_queue_runner', 'assert_global_step',
    'basic_train_loop', 'batch', 'batch_join', 'checkpoint_exists', 'checkpoints_iterator',
    'cosine_decay', 'cosine_decay_restarts', 'create_global_step', 'exponential_decay',
    'export_meta_graph', 'generate_checkpoint_state_proto', 'get_checkpoint_mtimes',
    'get_checkpoint_state', 'get_global_step', 'get_or_create_global_step', 'global_step',
    'import_meta_graph', 'init_from_checkpoint', 'input_producer', 'inverse_time_decay',
    'latest_checkpoint', 'limit_epochs', 'linear_cosine_decay', 'list_variables', 'load_checkpoint',
    'load_variable', 'match_filenames_once', 'matching_variables', 'maybe_batch',
    'maybe_batch_join', 'maybe_shuffle_batch', 'maybe_shuffle_batch_join', 'natural_exp_decay',
    'noisy_linear_cosine_decay', 'piecewise_constant', 'piecewise_constant_decay',
    'polynomial_decay', 'queue_runner', 'range_input_producer', 'remove_checkpoint',
    'replica_device_setter', 'shuffle_batch', 'shuffle_batch_join', 'slice_input_producer',
    'start_queue_runners', 'string_input_producer', 'summary_iterator', 'update_checkpoint_state',
    'warm_start', 'write_graph',
]
