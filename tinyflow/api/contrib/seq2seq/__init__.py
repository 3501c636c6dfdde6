"""tf.contrib.seq2seq: decoders that run in a loop, attention, beam search, sequence losses."""
from tinyflow.api.contrib.seq2seq.attention import (
    AttentionMechanism,
    BahdanauAttention,
    LuongAttention,
    hardmax,
)
from tinyflow.api.contrib.seq2seq.attention_wrapper import AttentionWrapper, AttentionWrapperState
from tinyflow.api.contrib.seq2seq.basic_decoder import BasicDecoder, BasicDecoderOutput
from tinyflow.api.contrib.seq2seq.beam_search import (
    BeamSearchDecoder,
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
)
from tinyflow.api.contrib.seq2seq.beam_search_steps import tile_batch
from tinyflow.api.contrib.seq2seq.decoder import Decoder, dynamic_decode
from tinyflow.api.contrib.seq2seq.helpers import (
    CustomHelper,
    GreedyEmbeddingHelper,
    Helper,
    InferenceHelper,
    TrainingHelper,
)
from tinyflow.api.contrib.seq2seq.loss import sequence_loss
from tinyflow.api.contrib.seq2seq.monotonic_mechanisms import (
    BahdanauMonotonicAttention,
    LuongMonotonicAttention,
    monotonic_attention,
    safe_cumprod,
)
from tinyflow.api.contrib.seq2seq.scheduled_sampling import (
    SampleEmbeddingHelper,
    ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper,
)
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.nn.gather_tree import gather_tree

__all__ = [
    'AttentionMechanism', 'AttentionWrapper', 'AttentionWrapperState', 'BahdanauAttention',
    'BahdanauMonotonicAttention', 'BasicDecoder', 'BasicDecoderOutput', 'BeamSearchDecoder',
    'BeamSearchDecoderOutput', 'BeamSearchDecoderState', 'CustomHelper', 'Decoder',
    'FinalBeamSearchDecoderOutput', 'GreedyEmbeddingHelper', 'Helper', 'InferenceHelper',
    'LuongAttention', 'LuongMonotonicAttention', 'SampleEmbeddingHelper',
    'ScheduledEmbeddingTrainingHelper', 'ScheduledOutputTrainingHelper', 'TrainingHelper',
    'dynamic_decode', 'gather_tree', 'hardmax', 'monotonic_attention', 'safe_cumprod',
    'sequence_loss', 'tile_batch',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
