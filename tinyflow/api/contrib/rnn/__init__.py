"""tf.contrib.rnn: cells and loops over time by tf.contrib's names."""
from tinyflow.api.contrib.rnn.convolutional import (
    Conv1DLSTMCell,
    Conv2DLSTMCell,
    Conv3DLSTMCell,
    ConvLSTMCell,
)
from tinyflow.api.contrib.rnn.fused import FusedRNNCell, FusedRNNCellAdaptor, TimeReversedFusedRNN
from tinyflow.api.contrib.rnn.gated import (
    CoupledInputForgetGateLSTMCell,
    IntersectionRNNCell,
    NASCell,
    SRUCell,
    UGRNNCell,
)
from tinyflow.api.contrib.rnn.independent import GLSTMCell, IndRNNCell, IndyGRUCell, IndyLSTMCell
from tinyflow.api.contrib.rnn.layer_norm import LayerNormBasicLSTMCell
from tinyflow.api.contrib.rnn.lstm_blocks import (
    GRUBlockCell,
    GRUBlockCellV2,
    LSTMBlockCell,
    LSTMBlockFusedCell,
    LSTMBlockWrapper,
)
from tinyflow.api.contrib.rnn.phased import PhasedLSTMCell
from tinyflow.api.contrib.rnn.wrapper_cells import AttentionCellWrapper, HighwayWrapper
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import (
    MissingNameError as _MissingNameError,
    explain_missing as _explain_missing,
)
from tinyflow.layers.rnn.cell import LayerRNNCell, RNNCell
from tinyflow.layers.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple
from tinyflow.layers.rnn.projections import (
    EmbeddingWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
)
from tinyflow.layers.rnn.stacked import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from tinyflow.layers.rnn.static import static_bidirectional_rnn, static_rnn, static_state_saving_rnn
from tinyflow.layers.rnn.steps import best_effort_input_batch_size, transpose_batch_time
from tinyflow.layers.rnn.wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    MultiRNNCell,
    ResidualWrapper,
)

__all__ = [
    'AttentionCellWrapper', 'BasicLSTMCell', 'BasicRNNCell', 'Conv1DLSTMCell', 'Conv2DLSTMCell',
    'Conv3DLSTMCell', 'ConvLSTMCell', 'CoupledInputForgetGateLSTMCell', 'DeviceWrapper',
    'DropoutWrapper', 'EmbeddingWrapper', 'FusedRNNCell', 'FusedRNNCellAdaptor', 'GLSTMCell',
    'GRUBlockCell', 'GRUBlockCellV2', 'GRUCell', 'HighwayWrapper', 'IndRNNCell', 'IndyGRUCell',
    'IndyLSTMCell', 'InputProjectionWrapper', 'IntersectionRNNCell', 'LSTMBlockCell',
    'LSTMBlockFusedCell', 'LSTMBlockWrapper', 'LSTMCell', 'LSTMStateTuple',
    'LayerNormBasicLSTMCell', 'LayerRNNCell', 'MultiRNNCell', 'NASCell', 'OutputProjectionWrapper',
    'PhasedLSTMCell', 'RNNCell', 'ResidualWrapper', 'SRUCell', 'TimeReversedFusedRNN', 'UGRNNCell',
    'best_effort_input_batch_size', 'stack_bidirectional_dynamic_rnn', 'stack_bidirectional_rnn',
    'static_bidirectional_rnn', 'static_rnn', 'static_state_saving_rnn', 'transpose_batch_time',
]

_LEFT_OUT = {
    'BidirectionalGridLSTMCell': 'two tf.contrib.rnn.LSTMCell in tf.nn.bidirectional_dynamic_rnn',
    'CompiledWrapper': 'the cell without it; every program is compiled',
    'GridLSTMCell': 'tf.contrib.rnn.MultiRNNCell of LSTMCells',
    'TimeFreqLSTMCell': 'tf.contrib.rnn.ConvLSTMCell',
}
_missing = _explain_missing(__name__, __all__)


def __getattr__(name):
    if name in _LEFT_OUT:
        raise _misuse(_MissingNameError(f'tf.contrib.rnn.{name}: not implemented by tinyflow; use: '
                                        f'{_LEFT_OUT[name]}.'))
    return _missing(name)


def __dir__():
    return __all__
