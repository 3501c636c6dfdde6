# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.api import random_experimental as experimental
from tinyflow.graph.defaults import set_random_seed
from tinyflow.ops.nn.candidate_sampling import (
    all_candidate_sampler, fixed_unigram_candidate_sampler, learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler, uniform_candidate_sampler,
)
from tinyflow.ops.random.random_functions import (
    categorical, multinomial, random_gamma as gamma, random_normal as normal, random_poisson as
    poisson, random_shuffle as shuffle, random_uniform as uniform, truncated_normal,
)
from tinyflow.ops.random.seeds import get_seed
from tinyflow.ops.random.stateless_random import (
    stateless_categorical, stateless_multinomial, stateless_normal, stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    'all_candidate_sampler', 'categorical', 'experimental', 'fixed_unigram_candidate_sampler',
    'gamma', 'get_seed', 'learned_unigram_candidate_sampler', 'log_uniform_candidate_sampler',
    'multinomial', 'normal', 'poisson', 'set_random_seed', 'shuffle', 'stateless_categorical',
    'stateless_multinomial', 'stateless_normal', 'stateless_truncated_normal', 'stateless_uniform',
    'truncated_normal', 'uniform', 'uniform_candidate_sampler',
]
