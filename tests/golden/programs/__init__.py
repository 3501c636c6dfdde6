"""Small TF1 programs, by family. `PROGRAMS` maps each name to its function; see `registry` for
the contract."""
from . import (  # noqa: F401  (importing a module registers its programs)
    constants,
    operators,
    indexing,
    shaping,
    selection,
    reductions,
    linalg,
    variables,
    initializers,
    scopes,
    control,
    nn,
    convolution,
    losses,
    gradients,
    optimizers,
    training,
    tutorials,
    templates,
    printing,
    checks,
    queues,
    sampling,
    rnn,
    saving,
    layers_core,
    layers_images,
    layers_normalization,
    losses_weighted,
    metrics_streaming,
    metrics_top_k,
    contrib_layers,
)
from .registry import PROGRAMS

__all__ = ['PROGRAMS']
