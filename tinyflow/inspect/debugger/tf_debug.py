"""What `from tensorflow.python import debug as tf_debug` gives."""
from tinyflow.inspect.debugger.breakpoints import has_inf_or_nan
from tinyflow.inspect.debugger.dump_dir import (
    DebugDumpDir,
    DebugTensorDatum,
    load_tensor_from_event,
    load_tensor_from_event_file,
)
from tinyflow.inspect.debugger.dump_writer import WatchOptions
from tinyflow.inspect.debugger.wrappers import (
    DumpingDebugHook,
    DumpingDebugWrapperSession,
    GrpcDebugHook,
    GrpcDebugWrapperSession,
    LocalCLIDebugHook,
    LocalCLIDebugWrapperSession,
    TensorBoardDebugHook,
    TensorBoardDebugWrapperSession,
)

__all__ = [
    'DebugDumpDir', 'DebugTensorDatum', 'DumpingDebugHook', 'DumpingDebugWrapperSession',
    'GrpcDebugHook', 'GrpcDebugWrapperSession', 'LocalCLIDebugHook',
    'LocalCLIDebugWrapperSession', 'TensorBoardDebugHook', 'TensorBoardDebugWrapperSession',
    'WatchOptions', 'has_inf_or_nan', 'load_tensor_from_event', 'load_tensor_from_event_file',
]
