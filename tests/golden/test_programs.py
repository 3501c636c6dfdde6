"""Small TF1 programs give the graph, the collections and the numbers that TF 1.15.5 gave."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.compare import (
    NOT_BUILT_YET,
    assert_same,
    collections,
    edges,
    forward_nodes,
    functional_names,
    plain,
    spec,
)
from tests.golden import in_gradients, load_programs
from tests.golden.programs import PROGRAMS

RECORDED = load_programs()

# Programs that use what a later issue builds; the tests below say when one starts to work.
LATER: dict[str, str] = {}

# Programs whose graph differs on purpose, or until a function is there; their values are equal.
_INITIALIZED = 'initialized_value() is one node here; TF makes nine of Switch and Merge'
_COND = 'TF makes Switch and Merge, and cannot make an If of a Variable of this kind'
_INTERMEDIATES = "inside a layer, TF's If also gives out what the branches compute on the way"
_WEB = 'recorded with Switch, Merge and loops of them, whose nodes count for the seeds'
_LOOP = 'TF makes a loop of Enter, Merge, Switch, NextIteration and Exit'
_HANDED = 'what a loop or condition hands to its gradient, TF wraps in lists and Optionals'
_SIMPLER = 'TF makes these of linear operators, transformations and random choices of parts'
_ROWS_OF_ROWS = 'TF has ops of ragged tensors, and checks of rows'
_KEPT = 'of a loop, other values are kept for its gradient'
GRAPH_DIFFERS = {
    'ctc_losses_of_dense_labels': 'TF makes loops of 400 nodes; here it is the op CTCLoss',
    'likeness_at_scales': 'TF folds the shape of the filter at the first scale',
    'variable_from_callable': _INITIALIZED,
    'variable_from_another': _INITIALIZED,
    'variable_from_another_without_asking': _INITIALIZED,
    'exponential_moving_average': _INITIALIZED,
    'exponential_moving_average_options': _INITIALIZED,
    'opt_moving_average': _INITIALIZED,
    'train_op_after_average': _INITIALIZED,
    'piecewise_constant': _COND,
    'polynomial_decay': _COND,
    'cosine_decays': _COND,
    'columns_of_keras_sequences': _INTERMEDIATES,
    'columns_seeds_after_checks': _WEB,
    'layers_dropout_by_a_placeholder': _INTERMEDIATES,
    'batch_norm_fused_by_a_placeholder': _INTERMEDIATES,
    'contrib_batch_norm_by_a_placeholder': _INTERMEDIATES,
    'rnn_dynamic_seeds': _LOOP,
    'rnn_dynamic_bidirectional_seeds': _LOOP,
    'seeds_in_and_after_conds': _WEB,
    'seeds_in_and_after_cases': _WEB,
    'seeds_in_and_after_loops': _WEB,
    'seeds_in_and_after_arrays': _WEB,
    'seeds_of_weights_in_functions': _WEB,
    'seeds_after_decoding': _WEB,
    'ragged_from_parts': _ROWS_OF_ROWS,
    'ragged_rows': _ROWS_OF_ROWS,
    'ragged_arithmetic': _ROWS_OF_ROWS,
    'unicode_characters': _ROWS_OF_ROWS,
    'unicode_strings': _ROWS_OF_ROWS,
    'parts_of_strings': _ROWS_OF_ROWS,
    'normals_of_vectors': _SIMPLER,
    'more_distributions': _SIMPLER,
    'mixtures': _SIMPLER,
    'more_distributions_of_positive_numbers': _SIMPLER,
    'numbers_of_trials': _SIMPLER,
    'relaxed_bernoulli': _SIMPLER,
    'bijectors_of_vectors': _SIMPLER,
    'transformed_distributions': _SIMPLER,
    'flows': _SIMPLER,
    'distributions_multinomial_samples': _LOOP,
    'opt_adamax_resource': 'handles are read elsewhere',
    'whole_sentence_classifier': _LOOP,
    'whole_translation': _LOOP,
    'whole_training_in_a_loop': _WEB,
    'whole_training_on_a_dataset': _INITIALIZED,
    'hessian': 'TF makes a tf.while_loop over the rows',
    'loop_with_several_variables': _KEPT,
    'loops_in_loops_and_choices': _KEPT,
    'folds_and_scans': _KEPT,
    'resource_variables_in_functions': _KEPT,
    'matrix_exponential': 'TF builds it of 300 nodes, with a loop; here it is one',
    'rnn_dynamic_bidirectional_gradients': _HANDED,
}

# Programs with tensors of which we know more, or less, of the static shape than TF does.
_LABELS = 'the number of classes stays known where TF loses it'
_ROWS = 'TF counts the distinct constant indices while building'
_WIDTH = 'the width of the table stays known where TF loses it'
# The handle of a SparseConditionalAccumulator is a resource, as that of any other.
HANDLES = {'SparseConditionalAccumulator': [('resource', (2,))]}
SHAPES_DIFFER = {
    'ctc_labels_prepared': 'the number of flags stays known where TF loses it',
    'fractional_pools': 'TF counts the starts of the regions without the end',
    'warm_start_columns_by_words': 'TF reads vocabularies while the graph is built',
    'warm_start_parts_by_words': 'TF reads vocabularies while the graph is built',
    'warm_start_rows_by_words': 'TF reads vocabularies while the graph is built',
    'warm_start_rows_by_words_drawn': 'TF reads vocabularies while the graph is built',
    'likeness_at_scales': 'TF keeps a known batch and channels through concatenated shapes',
    'folds_and_scans': _KEPT,
    'columns_embedding_gradient': _WIDTH,
    'columns_of_sequences': _WIDTH,
    'columns_of_keras_sequences': _WIDTH,
    'cond_gradient': 'what the backward branch needs is an output, in TF wrapped in an Optional',
    'softmax_cross_entropy_v2': _LABELS,
    'losses_softmax_cross_entropy': _LABELS,
    'losses_label_smoothing': _LABELS,
    'contrib_losses': _LABELS,
    'digits_multilayer_perceptron': _LABELS,
    'convolutional_digits': _LABELS,
    'multilayer_perceptron_with_dropout': _LABELS,
    'replicas_with_adam': _ROWS,
    'opt_adamax_of_rows': _ROWS,
    'opt_adamw_of_rows': _ROWS,
    'opt_nadam_of_rows': _ROWS,
    'opt_lazy_adam': _ROWS,
    'opt_lazy_adam_resource': _ROWS,
    'optimizer_sparse_momentum': _ROWS,
    'optimizer_sparse_nesterov': _ROWS,
    'optimizer_sparse_adagrad': _ROWS,
    'optimizer_sparse_adadelta': _ROWS,
    'optimizer_sparse_adam': _ROWS,
    'optimizer_sparse_adam_with_arguments': _ROWS,
    'optimizer_sparse_rmsprop': _ROWS,
    'optimizer_sparse_rmsprop_momentum': _ROWS,
    'optimizer_sparse_rmsprop_centered': _ROWS,
    'optimizer_sparse_ftrl': _ROWS,
    'optimizer_sparse_ftrl_regularized': _ROWS,
    'optimizer_sparse_ftrl_shrinking': _ROWS,
    'optimizer_sparse_adagrad_da': _ROWS,
    'optimizer_sparse_proximal_gradient_descent': _ROWS,
    'optimizer_sparse_proximal_adagrad': _ROWS,
    'resource_momentum': _ROWS,
    'resource_nesterov': _ROWS,
    'resource_adagrad': _ROWS,
    'resource_adam': _ROWS,
    'resource_rmsprop': _ROWS,
    'resource_centered': _ROWS,
    'resource_adadelta': _ROWS,
    'resource_ftrl': _ROWS,
    'resource_ftrl_shrinkage': _ROWS,
    'resource_proximal_descent': _ROWS,
    'resource_proximal_adagrad': _ROWS,
    'resource_adagrad_da': _ROWS,
    'resource_variables_in_functions': _KEPT,
}

# Scopes, other than 'gradients', in which these programs put what tf.gradients makes.
GRADIENT_SCOPES = {'gradients_named_scopes': 'again/'}

NOW = [name for name in RECORDED if name not in LATER]
SAME_GRAPH = [name for name in NOW if name not in GRAPH_DIFFERS]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', tf.errors.TinyflowWarning)
        warnings.simplefilter('ignore', DeprecationWarning)
        yield


class Program:
    """A program's graph, what it runs, and what was recorded of it."""

    def __init__(self, name):
        self.name = name
        self.graph = tf.Graph()
        self.recorded = RECORDED[name]
        with self.graph.as_default(), warnings.catch_warnings():
            warnings.simplefilter('ignore')
            build = PROGRAMS[name]
            with functional_names(getattr(build, 'functional', False)):
                self.runs = build(tf, np)

    def forward(self):
        """(our forward nodes, the recorded ones)."""
        inner = GRADIENT_SCOPES.get(self.name, '/')
        return ([op for op in forward_nodes(self.graph) if not op.name.startswith(inner)],
                [node for node in self.recorded.nodes if not node.name.startswith(inner)])


@pytest.fixture(scope='module')
def program(request):
    return Program(request.param)


def of_programs(names):
    """A test of each program. The tests of one run together, so that it is built once."""
    return pytest.mark.parametrize('program', names, indirect=True, scope='module')


def listing(nodes):
    return [f'{node.name}: {node.type}' for node in nodes]


@of_programs(SAME_GRAPH)
def test_forward_graph(program):
    """The same nodes of the same types in the same order, wired the same."""
    got, wanted = program.forward()
    assert listing(got) == listing(wanted)
    for operation, node in zip(got, wanted):
        ours, theirs = edges(operation), node.inputs
        assert len(ours) == len(theirs), node.name
        for mine, other in zip(ours, theirs):
            # What comes out of a gradient scope is made in a simpler way, or not even made there.
            assert mine == other or in_gradients(other), node.name


@of_programs(SAME_GRAPH)
def test_places(program):
    """The same devices, and the same nodes colocated with each other (attribute _class)."""
    got, wanted = program.forward()
    for operation, node in zip(got, wanted):
        if node.name.endswith(('/gradient_values', '/num_required')):
            continue            # Python values given to a sparse accumulator are constants there
        groups = operation.colocated_with
        theirs = [leader for leader in node.groups if not in_gradients(leader)]
        assert [leader for leader in groups if not in_gradients(leader)] == theirs, node.name
        assert bool(groups) == bool(node.groups), node.name
        assert operation.device == node.device, node.name


@of_programs(SAME_GRAPH)
def test_static_shapes(program):
    got, wanted = program.forward()
    ours = {op.name: [spec(t) for t in op.outputs] for op in got}
    theirs = {node.name: HANDLES.get(node.type, node.outputs) for node in wanted}
    assert (ours == theirs) == (program.name not in SHAPES_DIFFER), different(ours, theirs)
    for key, specs in theirs.items():
        for (dtype, shape), (our_dtype, our_shape) in zip(specs, ours[key]):
            assert dtype == our_dtype
            assert tf.TensorShape(shape).is_compatible_with(tf.TensorShape(our_shape)), key


def different(ours, theirs):
    return {key: (ours[key], theirs[key]) for key in theirs if ours.get(key) != theirs[key]}


@of_programs(NOW)
def test_values(program):
    """Each run gives the recorded values, and no run adds a node."""
    graph = program.graph
    with tf.Session(graph=graph) as session:
        before = len(graph.get_operations())
        got = [plain(session.run(fetches, feeds)) for fetches, feeds in program.runs]
    assert len(graph.get_operations()) == before
    assert len(got) == len(program.recorded.runs)
    for i, (value, wanted) in enumerate(zip(got, program.recorded.runs)):
        assert_same(value, wanted, f'run {i}')


@of_programs(NOW)
def test_collections(program):
    assert collections(program.graph) == program.recorded.collections


@of_programs(GRAPH_DIFFERS)
def test_graphs_that_differ_still_do(program):
    got, wanted = program.forward()
    same_wiring = [len(edges(op)) for op in got] == [len(node.inputs) for node in wanted]
    assert listing(got) != listing(wanted) or not same_wiring, \
        'equal now: strike it off GRAPH_DIFFERS'


@pytest.mark.parametrize('name', LATER)
def test_missing_features_raise(name):
    """Fails as soon as the missing function exists: then its line in LATER goes."""
    with pytest.raises(NOT_BUILT_YET):
        program = Program(name)
        with tf.Session(graph=program.graph) as session:
            for fetches, feeds in program.runs:
                session.run(fetches, feeds)


def test_every_recorded_program_is_known():
    assert set(RECORDED) == set(PROGRAMS)
    assert set(LATER) | set(GRAPH_DIFFERS) | set(SHAPES_DIFFER) <= set(RECORDED)
