"""tf.train: optimizers, learning rates, moving averages, the global step."""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.train.optimizers.adagrad import (
    AdadeltaOptimizer,
    AdagradDAOptimizer,
    AdagradOptimizer,
)
from tinyflow.train.optimizers.adam import AdamOptimizer
from tinyflow.train.optimizers.ftrl import (
    FtrlOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
)
from tinyflow.train.optimizers.gradient_descent import GradientDescentOptimizer, MomentumOptimizer
from tinyflow.train.optimizers.learning_rate_decay import (
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
from tinyflow.train.optimizers.moving_averages import ExponentialMovingAverage
from tinyflow.train.optimizers.optimizer import Optimizer
from tinyflow.train.optimizers.rmsprop import RMSPropOptimizer
from tinyflow.train.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)

__all__ = [  # noqa: F822 - some come from _LATER
    'AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer', 'AdamOptimizer', 'Checkpoint',
    'CheckpointManager', 'CheckpointSaverHook', 'CheckpointSaverListener', 'ChiefSessionCreator',
    'ClusterSpec', 'Coordinator', 'DoctorHook', 'ExponentialMovingAverage', 'FeedFnHook',
    'FinalOpsHook', 'FtrlOptimizer',
    'GlobalStepWaiterHook', 'GradientDescentOptimizer', 'LoggingTensorHook', 'LooperThread',
    'MomentumOptimizer', 'MonitoredSession', 'MonitoredTrainingSession',
    'NanLossDuringTrainingError', 'NanTensorHook', 'NewCheckpointReader', 'Optimizer',
    'ProfilerHook', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer', 'QueueRunner',
    'RMSPropOptimizer', 'Saver', 'Scaffold', 'SecondOrStepTimer', 'Server', 'SessionCreator',
    'SessionManager', 'SessionRunArgs', 'SessionRunContext', 'SessionRunHook', 'SessionRunValues',
    'SingularMonitoredSession', 'StepCounterHook', 'StopAtStepHook', 'SummarySaverHook',
    'Supervisor', 'SyncReplicasOptimizer', 'VocabInfo', 'WorkerSessionCreator',
    'add_queue_runner', 'assert_global_step',
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
    'start_queue_runners',
    'string_input_producer', 'summary_iterator', 'update_checkpoint_state', 'warm_start',
    'write_graph',
]

# Imported on first use; the last ones are protocol buffers.
_LATER = _names_of({
    'tinyflow.formats.wire.events': 'summary_iterator',
    'tinyflow.formats.graphdef.graph_io': 'write_graph',
    'tinyflow.train.sessions.basic_loops': 'basic_train_loop',
    'tinyflow.train.checkpoints.checkpoint': 'Checkpoint',
    'tinyflow.train.checkpoints.checkpoint_manager': 'CheckpointManager',
    'tinyflow.train.checkpoints.checkpoint_state':
        'checkpoint_exists checkpoints_iterator generate_checkpoint_state_proto '
        'get_checkpoint_mtimes get_checkpoint_state latest_checkpoint remove_checkpoint '
        'update_checkpoint_state',
    'tinyflow.cluster.cluster_spec': 'ClusterSpec',
    'tinyflow.train.device_setter': 'replica_device_setter',
    'tinyflow.cluster.server': 'Server',
    'tinyflow.train.queues.coordinator': 'Coordinator LooperThread',
    'tinyflow.inspect.doctor.training.hook': 'DoctorHook',
    'tinyflow.train.hooks.checkpoints': 'CheckpointSaverHook CheckpointSaverListener',
    'tinyflow.train.hooks.feeding': 'FeedFnHook',
    'tinyflow.train.hooks.final_ops': 'FinalOpsHook',
    'tinyflow.train.hooks.logging_tensors': 'LoggingTensorHook',
    'tinyflow.train.hooks.nan': 'NanLossDuringTrainingError NanTensorHook',
    'tinyflow.train.hooks.profiling': 'ProfilerHook',
    'tinyflow.train.hooks.stopping': 'GlobalStepWaiterHook StopAtStepHook',
    'tinyflow.train.hooks.summaries': 'StepCounterHook SummarySaverHook',
    'tinyflow.train.hooks.timers': 'SecondOrStepTimer',
    'tinyflow.train.queues.input':
        'batch batch_join input_producer limit_epochs match_filenames_once maybe_batch '
        'maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join range_input_producer '
        'shuffle_batch shuffle_batch_join slice_input_producer string_input_producer',
    'tinyflow.train.checkpoints.inspection':
        'NewCheckpointReader list_variables load_checkpoint load_variable matching_variables',
    'tinyflow.train.sessions.monitored_session': 'MonitoredSession SingularMonitoredSession',
    'tinyflow.train.sessions.monitored_training': 'MonitoredTrainingSession',
    'tinyflow.train.queues.queue_runner': 'queue_runner',
    'tinyflow.train.queues.queue_running': 'QueueRunner add_queue_runner start_queue_runners',
    'tinyflow.train.checkpoints.saver': 'Saver export_meta_graph import_meta_graph',
    'tinyflow.train.sessions.scaffold': 'Scaffold',
    'tinyflow.train.sessions.session_creators':
        'ChiefSessionCreator SessionCreator WorkerSessionCreator',
    'tinyflow.train.sessions.session_manager': 'SessionManager',
    'tinyflow.train.sessions.session_run_hook':
        'SessionRunArgs SessionRunContext SessionRunHook SessionRunValues',
    'tinyflow.train.sessions.supervisor': 'Supervisor',
    'tinyflow.train.parameter_servers.sync_replicas': 'SyncReplicasOptimizer',
    'tinyflow.train.checkpoints.warm_start_vocab': 'VocabInfo',
    'tinyflow.train.checkpoints.warm_start': 'init_from_checkpoint warm_start',
    'tinyflow.formats.protos.example_pb2': 'Example SequenceExample',
    'tinyflow.formats.wire.feature_lists': 'BytesList FloatList Int64List',
    'tinyflow.formats.protos.feature_pb2': 'Feature FeatureList FeatureLists Features',
    'tinyflow.formats.protos.saver_pb2': 'SaverDef',
    'tinyflow.formats.protos.cluster_pb2': 'ClusterDef JobDef',
    'tinyflow.formats.protos.tensorflow_server_pb2': 'ServerDef',
})
_PROTOS = [name for name, module in _LATER.items() if module.endswith(('_pb2', '.feature_lists'))]
__getattr__ = _importing(globals(), _LATER, _explain_missing(__name__, [*__all__, *_PROTOS]))
_hide_modules(globals())


def __dir__():
    return [*__all__, *_PROTOS]
