"""Imports of TensorFlow's private modules, as courses of its time have them."""
import subprocess
import sys
import unittest

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.private import (
    control_flow_ops,
    eager_context,
    pywrap_tensorflow,
    tensor_util,
    test_util,
    tf_decorator,
    training_util,
)
from tinyflow.api.tools import device_lib, file_io
from tinyflow.api.tools.freeze_graph import freeze_graph
from tinyflow.api.tools.inspect_checkpoint import print_tensors_in_checkpoint_file

IMPORTS = '''
import tensorflow_estimator; tensorflow_estimator.estimator.Estimator
from tensorflow_estimator.python.estimator.estimator import Estimator; Estimator
from tensorflow_estimator.python.estimator.canned import head; head
from tensorflow.python.estimator.canned import metric_keys; metric_keys.MetricKeys.AUC
from tensorflow.python.estimator.canned.head import _regression_head; _regression_head
from tensorflow_estimator.python.estimator.run_config import RunConfig, TaskType; TaskType.CHIEF
from tensorflow_estimator.python.estimator.export import export; export.ServingInputReceiver
from tensorflow_estimator.python.estimator.inputs import numpy_io; numpy_io.numpy_input_fn
from tensorflow.python.estimator.model_fn import ModeKeys, EstimatorSpec; ModeKeys.PREDICT
from tensorflow.contrib.learn import ModeKeys; assert ModeKeys.INFER == 'infer'
from tensorflow.contrib import keras; keras.layers.Dense
from tensorflow.contrib.keras import models; models.Sequential
from tensorflow.python.layers.core import Dense; Dense(3, use_bias=False)
from tensorflow.python.layers import core as layers_core; layers_core.Dense(3); layers_core.dense
from tensorflow.python.layers import base; base.Layer
from tensorflow.python.layers.convolutional import Conv2D; Conv2D(3, 3)
from tensorflow.python.layers.normalization import BatchNormalization; BatchNormalization()
from tensorflow.python.framework import ops; ops.reset_default_graph()
from tensorflow.python.framework import tensor_util; \
    assert tensor_util.constant_value(tf.constant(3)) == 3
from tensorflow.python.ops import variable_scope as vs; vs.get_variable; vs.variable_scope
from tensorflow.python.ops import gradients; gradients.gradients
from tensorflow.python.ops import control_flow_ops; control_flow_ops.cond
from tensorflow.python.util import function_utils; \
    assert function_utils.fn_args(lambda a, b=1, *c, **d: a) == ('a', 'b')
from tensorflow.python.ops import variables; assert variables.VariableV1 is tf.Variable; \
    variables.PartitionedVariable
from tensorflow.python.framework import tensor_shape; \
    assert tensor_shape.unknown_shape(2).as_list() == [None, None]
from tensorflow.python.feature_column import feature_column_lib, feature_column as fc; \
    feature_column_lib.numeric_column('a'); fc._numeric_column('a')
from tensorflow.python.keras.optimizer_v2 import optimizer_v2, adam; \
    assert issubclass(adam.Adam, optimizer_v2.OptimizerV2)
from tensorflow.python.keras.utils import losses_utils; losses_utils.ReductionV2.AUTO
from tensorflow.python.summary import summary_iterator; summary_iterator.summary_iterator
from tensorflow.python.training import monitored_session; monitored_session._HookedSession
from tensorflow.core.kernels.boosted_trees import boosted_trees_pb2; boosted_trees_pb2.TreeEnsemble
from tensorflow_estimator.python.estimator import estimator; \
    assert estimator.EstimatorV2 is tf.estimator.Estimator; estimator._write_dict_to_summary
from tensorflow_estimator.python.estimator.canned import boosted_trees; \
    boosted_trees._create_regression_head(1); boosted_trees._create_classification_head(2)
from tensorflow_estimator.python.estimator.canned import linear; \
    linear.LinearClassifierV2; linear.linear_logit_fn_builder
from tensorflow.python.training import training_util; training_util.GLOBAL_STEP_READ_KEY
from tensorflow.python.ops import array_ops, math_ops; array_ops.reshape; math_ops.matmul
from tensorflow.python.ops import embedding_ops; embedding_ops.embedding_lookup
from tensorflow.python.ops import image_ops; image_ops.resize_images
from tensorflow.python.ops import lookup_ops; lookup_ops.index_table_from_file
from tensorflow.python.ops import metrics_impl; metrics_impl.accuracy
from tensorflow.python.ops import ctc_ops; ctc_ops.ctc_loss
from tensorflow.python.ops.rnn_cell_impl import RNNCell, _zero_state_tensors; \
    _zero_state_tensors([2, 3], 4, tf.float32)
from tensorflow.python.training import moving_averages; moving_averages.assign_moving_average
from tensorflow.python.summary import summary; summary.scalar
from tensorflow.python.saved_model import builder, tag_constants; \
    builder.SavedModelBuilder; tag_constants.SERVING
from tensorflow.python.util import compat, nest; assert compat.as_bytes('a') == b'a'; nest.flatten
from tensorflow.python import pywrap_tensorflow; pywrap_tensorflow.NewCheckpointReader
from tensorflow.python.lib.io import tf_record; tf_record.TFRecordWriter
from tensorflow.python.lib.io import file_io; assert not file_io.file_exists('/not/there')
from tensorflow.python.data.ops import dataset_ops; dataset_ops.Dataset.range(3)
from tensorflow.python.client import device_lib; \
    assert device_lib.list_local_devices()[0].device_type == 'CPU'
from tensorflow.python.tools import inspect_checkpoint as chkp; \
    chkp.print_tensors_in_checkpoint_file
from tensorflow.python.tools.freeze_graph import freeze_graph
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope
from tensorflow.contrib.layers.python.layers import initializers, layers; \
    initializers.xavier_initializer
from tensorflow.contrib.rnn.python.ops import core_rnn_cell; core_rnn_cell.BasicLSTMCell
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import BahdanauAttention
from tensorflow.contrib.seq2seq.python.ops import attention_wrapper, basic_decoder; \
    basic_decoder.BasicDecoder
from tensorflow.contrib.factorization.python.ops import clustering_ops as c; c.KMeans; c.RANDOM_INIT
from tensorflow.contrib.legacy_seq2seq.python.ops import seq2seq; seq2seq.sequence_loss
from tensorflow.python.ops import resources; \
    resources.initialize_resources(resources.shared_resources()).run(session=tf.Session())
from tensorflow.python.framework import errors_impl as e; \
    assert e.InvalidArgumentError is tf.errors.InvalidArgumentError
from tensorflow.python.util import tf_contextlib, tf_inspect; tf_contextlib.contextmanager
from tensorflow.python.util.deprecation import deprecated
from tensorflow.python.ops import gen_math_ops; gen_math_ops.add
from tensorflow.python.ops.rnn import rnn_cell_impl; rnn_cell_impl.RNNCell
from tensorflow.core.protobuf import config_pb2 as c, rewriter_config_pb2 as r, saver_pb2; \
    o = c.ConfigProto().graph_options; o.rewrite_options.remapping = r.RewriterConfig.OFF; \
    assert c.ConfigProto is tf.ConfigProto and c.RunOptions is tf.RunOptions; saver_pb2.SaverDef
from tensorflow.python.training import checkpoint_state_pb2; checkpoint_state_pb2.CheckpointState()
from tensorflow.python.saved_model import loader_impl as l, utils_impl as u; l.load; \
    l._parse_saved_model; assert u.get_variables_path('/a') == '/a/variables/variables'
from tensorflow_estimator import estimator as e; e.inputs.numpy_input_fn; \
    e.export.ServingInputReceiver; e.experimental.stop_if_no_decrease_hook
from tensorflow_estimator.python.estimator import keras as k; k.model_to_estimator
from tensorflow.python.platform import benchmark; benchmark.Benchmark
from tensorflow.python.keras.preprocessing.text import Tokenizer; Tokenizer()
from tensorflow.python.keras.preprocessing.image import ImageDataGenerator
from tensorflow.python.keras.datasets import mnist; mnist.load_data
from tensorflow.python.keras.applications.vgg16 import VGG16
from tensorflow.python.keras.wrappers.scikit_learn import KerasClassifier
from tensorflow.python.keras.engine.base_layer import Layer; assert Layer is tf.keras.layers.Layer
from tensorflow.python.keras.engine.network import Network
from tensorflow.python.keras.engine.training import Model; assert Model is tf.keras.Model
from tensorflow.python.keras.layers.merge import _Merge, concatenate
from tensorflow.python.keras.utils import conv_utils, generic_utils, tf_utils; \
    assert conv_utils.normalize_tuple(2, 2, 'k') == (2, 2); generic_utils.has_arg; \
    assert tf_utils.is_tensor_or_tensor_list([tf.constant(1)]); \
    assert conv_utils.convert_data_format('channels_first', 4) == 'NCHW'
from tensorflow.python.ops import gen_nn_ops, nn_grad, nn_ops; \
    gen_nn_ops.relu_grad; nn_grad._ReluGrad; nn_ops.conv2d_backprop_input
from tensorflow.python.training import training_ops, slot_creator; training_ops.apply_adam; \
    training_ops.resource_apply_adam; slot_creator.create_slot
from tensorflow.python.ops import array_ops; assert array_ops.transpose([[1]]).shape == [1, 1]
from tensorflow.python.ops import init_ops; init_ops.Constant(3.).get_config()
from tensorflow.python.ops import resource_variable_ops as r; r.is_resource_variable; \
    r.ResourceVariable; r.assign_variable_op
from tensorflow.python.ops.rnn_cell_impl import LayerRNNCell, _BIAS_VARIABLE_NAME, _concat; \
    assert _concat(3, [4], static=True) == [3, 4]; assert _concat(3, [4, 5]).shape == [3]
from tensorflow.python.ops.rnn import _transpose_batch_time, _best_effort_input_batch_size as b; \
    assert _transpose_batch_time(tf.zeros([2, 3, 4])).shape == [3, 2, 4]; \
    assert b([tf.zeros([2, 3])]) == 3
from tensorflow.python.framework.tensor_shape import as_shape, vector; assert vector(3) == [3]
from tensorflow.python.framework import ops; assert ops.strip_name_scope('^a/b', 'a') == '^b'; \
    assert ops.prepend_name_scope('loc:@b', 'a') == 'loc:@a/b'; ops.get_name_scope(); \
    assert not ops.inside_function() and not ops.executing_eagerly_outside_functions()
from tensorflow.python.saved_model.loader_impl import parse_saved_model
from tensorflow.python.tools.saved_model_utils import get_meta_graph_def
from tensorflow.python.util.tf_export import tf_export; \
    assert tf_export('a')(len) is len
from tensorflow.python.util import tf_inspect; \
    assert tf_inspect.getargspec(lambda a, b=1: a) == (['a', 'b'], None, None, (1,))
from tensorflow.python.util.lazy_loader import LazyLoader; \
    assert LazyLoader('j', globals(), 'json').dumps(1) == '1'
from tensorflow.python.util.object_identity import ObjectIdentitySet as S, \
    ObjectIdentityDictionary as D; a, b = [], []; s = S([a]); s.add(b); s.discard(a); \
    assert a not in s and b in s and len(s) == 1; d = D(); d[a] = 1; d[b] = 2; \
    assert d[a] == 1 and list(d) == [a, b] and len(d) == 2
from tensorflow.python.util.function_utils import get_func_name; assert get_func_name(len) == 'len'
from tensorflow.python.data.ops import dataset_ops as d; \
    assert d.get_legacy_output_types(d.DatasetV1.range(3)) == tf.int64
from tensorflow.python.tpu.tpu_estimator import TPUEstimator
from tensorflow_estimator.python.estimator.util import MultiHostDatasetInitializerHook as H; \
    data = tf.data.Dataset.range(3).make_initializable_iterator(); row = data.get_next(); \
    s = tf.train.SingularMonitoredSession([H([data.initializer])]); assert s.run(row) == 0
from tensorflow.python.training import distribution_strategy_context as c; c.get_strategy()
from tensorflow.python.feature_column import feature_column_v2 as fc; fc.make_parse_example_spec_v2
from tensorflow.python.platform import tf_logging; import tinyflow.graph.support.logging as own; \
    before, said = own.info, []; tf_logging.info = said.append; own.info('a'); \
    assert said == ['a']; del tf_logging.info; assert own.info is tf_logging.info is before
'''.strip().splitlines()


@pytest.mark.slow
def test_private_modules_have_the_names_that_programs_import():
    program = ['import tinyflow', 'tinyflow.install_as_tensorflow()', 'import tensorflow as tf',
               'import traceback, sys', 'failed = 0']
    for line in IMPORTS:
        program += ['try:', f'    exec({line!r}, dict(tf=tf))', 'except Exception as error:',
                    f'    print({line!r}, error); failed = 1']
    run = subprocess.run([sys.executable, '-c', '\n'.join([*program, 'sys.exit(failed)'])],
                         capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.parametrize('line, word', [
    ('from tensorflow.contrib import kafka', 'tf.contrib.kafka is not part of tinyflow: '),
    ('import tensorflow.contrib.gan', 'tf.contrib.gan is not part of tinyflow: '),
    ('from tensorflow.contrib import nonsense', 'there is no tf.contrib.nonsense')])
def test_a_missing_contrib_module_is_explained_for_every_kind_of_import(line, word):
    run = subprocess.run([sys.executable, '-c', 'import tinyflow\n'
                          f'tinyflow.install_as_tensorflow()\n{line}\n'],
                         capture_output=True, text=True, timeout=60)
    assert word in run.stderr and 'ImportError' in run.stderr or 'ModuleNotFound' in run.stderr


WRONG = {
    'import tensorflow.python.nosuch.thing': "No module named 'tensorflow.python.nosuch'",
    'from tensorflow.python.ops import nosuch': "No module named 'tensorflow.python.ops.nosuch'",
    'from tensorflow.python.ops.rnn_cell_impl import Nonsense': 'rnn_cell_impl.Nonsense',
    'from tensorflow.python.ops import resources; resources.nosuch':
        "tensorflow.python.ops.resources has no 'nosuch' here",
    'from tensorflow_estimator.python.estimator.estimator import Nonsense': 'estimator.Nonsense',
    'from tensorflow.contrib.estimator import TowerOptimizer': 'train_distribute=',
    'from tensorflow.contrib.estimator import replicate_model_fn': 'train_distribute=',
    'from tensorflow.contrib.estimator import DNNClassifierWithLayerAnnotations':
        'is not part of tinyflow: use tf.estimator.Estimator',
    'from tensorflow.python.ops import gen_math_ops; gen_math_ops.nosuch':
        "tensorflow.python.ops.gen_math_ops has no 'nosuch' here",
}


@pytest.mark.slow
def test_what_private_modules_lack_is_said_with_their_own_name():
    program = ['import tinyflow', 'tinyflow.install_as_tensorflow()']
    for line in WRONG:
        program += ['try:', f'    exec({line!r}); print("no error")',
                    'except (ImportError, AttributeError) as error:',
                    '    print(str(error).split("\\n")[0])']
    run = subprocess.run([sys.executable, '-c', '\n'.join(program)], capture_output=True, text=True,
                         timeout=120)
    for said, text in zip(run.stdout.splitlines(), WRONG.values(), strict=True):
        assert text in said


def test_a_decorator_can_be_unwrapped():
    def target(x):
        return x

    wrapped = tf_decorator.make_decorator(target, lambda x: target(x) + 1, 'plus_one')
    assert wrapped(1) == 2 and wrapped.__name__ == 'target'
    decorators, function = tf_decorator.unwrap(wrapped)
    assert [d.decorator_name for d in decorators] == ['plus_one'] and function is target
    tf_decorator.rewrap(wrapped, target, len)
    assert tf_decorator.unwrap(wrapped)[1] is len


def test_events_are_written_below_a_file_writer(tmp_path):
    writer = pywrap_tensorflow.EventsWriter(str(tmp_path / 'run').encode())
    writer.InitWithSuffix(b'.v2')
    path = writer.FileName().decode()
    assert path.startswith(str(tmp_path / 'run.out.tfevents.')) and path.endswith('.v2')
    writer.WriteEvent(tf.Event(step=7, wall_time=1.0))
    writer.Flush()
    first, second = tf.train.summary_iterator(path)
    assert first.file_version == 'brain.Event:2' and second.step == 7
    writer.Close()


# ---- the tools ---------------------------------------------------------------------------

@pytest.fixture
def checkpoint(tmp_path, graph):
    """A graph and checkpoint of y = x w + b in `tmp_path`."""
    x = tf.placeholder(tf.float32, [None, 2], 'x')
    w = tf.get_variable('layer/w', initializer=np.array([[1.0], [2.0]], np.float32))
    b = tf.get_variable('b', initializer=np.array([3.0], np.float32), use_resource=True)
    tf.add(tf.matmul(x, w), b, name='y')
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / 'model'))
    tf.train.write_graph(graph, str(tmp_path), 'graph.pbtxt')
    tf.train.write_graph(graph, str(tmp_path), 'graph.pb', as_text=False)
    return prefix


@pytest.mark.parametrize('arguments, expected', [
    (('', True), 'tensor_name:  b\n[3.]\ntensor_name:  layer/w\n[[1.]\n [2.]]\n'
                 '# Total number of params: 3\n'),
    (('b', False), 'tensor_name:  b\n[3.]\n# Total number of params: 3\n'),
    (('c', False), 'tensor_name:  c\nKey c not found in checkpoint\n'),
    (('', False, True, 'layer'), 'tensor_name:  b\ntensor_name:  layer/w\n# Excluding 1 tensors '
     '(2 params) that match layer when counting.\n# Total number of params: 1\n')])
def test_checkpoint_log_lines_match_tensorflow(checkpoint, arguments, expected, capsys):
    print_tensors_in_checkpoint_file(checkpoint, *arguments)
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize('how', ['text', 'binary', 'meta'])
def test_a_frozen_graph_needs_no_checkpoint(checkpoint, tmp_path, how):
    file = tmp_path / ('graph.pbtxt' if how == 'text' else 'graph.pb')
    freeze_graph('' if how == 'meta' else str(file), '', how == 'binary', checkpoint, 'y',
                 'save/restore_all', 'save/Const:0', str(tmp_path / 'frozen.pb'), True, '',
                 input_meta_graph=checkpoint + '.meta' if how == 'meta' else None)
    graph_def = tf.GraphDef()
    graph_def.ParseFromString((tmp_path / 'frozen.pb').read_bytes())
    assert not {'VariableV2', 'VarHandleOp'} & {node.op for node in graph_def.node}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name='')
        assert session.run('y:0', {'x:0': [[1, 1]]}).tolist() == [[6]]


def test_freezing_wants_output_nodes(checkpoint):
    with pytest.raises(ValueError, match='output_node_names'):
        freeze_graph('g', '', False, checkpoint, '', '', '', '', True, '')


def test_the_one_device():
    device, = device_lib.list_local_devices()
    assert device.name == '/device:CPU:0' and device.device_type == 'CPU'


def test_file_io_writes_and_reads(tmp_path):
    path = str(tmp_path / 'a' / 'b.txt')
    file_io.recursive_create_dir(str(tmp_path / 'a'))
    file_io.write_string_to_file(path, 'hello')
    assert file_io.file_exists(path) and file_io.read_file_to_string(path) == 'hello'
    assert file_io.read_file_to_string(path, binary_mode=True) == b'hello'
    assert file_io.get_matching_files(str(tmp_path / 'a' / '*')) == [path]


def test_with_dependencies(graph, session):
    v = tf.Variable(1., use_resource=True)
    session.run(v.initializer)
    waits = [v.assign(3.)]
    after = control_flow_ops.with_dependencies(waits, v.read_value())
    named = control_flow_ops.with_dependencies(waits, tf.constant(2.), name='foo')
    rows = control_flow_ops.with_dependencies(
        [tf.no_op()], tf.IndexedSlices(tf.ones([2]), tf.constant([0, 1])))
    assert [after.name, named.name, rows.name] == [
        'control_dependency:0', 'foo:0', 'control_dependency_1:0']
    assert session.run(named) == 2 and session.run(v) == 3


@pytest.mark.parametrize('tensor, wanted', [
    (lambda q: tf.shape(q), '(?, 3)'), (lambda q: tf.constant([1, -1]), '(1, ?)'),
    (lambda q: tf.stack([1, tf.shape(q)[0]]), '(1, ?)'),
    (lambda q: tf.concat([tf.shape(q), [4]], 0), '(?, 3, 4)'),
    (lambda q: tf.placeholder(tf.int32, [2]), '(?, ?)'), (lambda q: tf.constant(-1), '<unknown>'),
    (lambda q: tf.fill([2], 3), '(3, 3)')])
def test_constant_value_as_shape(graph, tensor, wanted):
    given = tensor(tf.placeholder(tf.float32, [None, 3]))
    assert str(tensor_util.constant_value_as_shape(given)) == wanted


def test_the_one_read_of_the_global_step(graph):
    assert training_util._get_or_create_global_step_read() is None
    tf.train.create_global_step()
    read = training_util._get_or_create_global_step_read()
    assert read.name == 'global_step/add:0' and training_util._get_global_step_read() is read


class ModesTest(test_util.TensorFlowTestCase):
    """Decorated tests run in the modes that their decorators say."""

    modes: list = []

    @test_util.run_in_graph_and_eager_modes
    def test_both(self):
        self.modes.append(eager_context.executing_eagerly())
        assert self.evaluate(tf.constant(3.) * 2.) == 6

    @test_util.deprecated_graph_mode_only
    def test_graph(self):
        assert not eager_context.executing_eagerly() and tf.constant(1).op.graph

    @test_util.run_v1_only('of TensorFlow 1')
    def test_v1(self):
        assert not tf.control_flow_v2_enabled()

    @test_util.run_v2_only
    def test_v2(self):
        raise AssertionError('runs only after tf.enable_v2_behavior()')

    @test_util.enable_control_flow_v2
    def test_functional(self):
        assert tf.control_flow_v2_enabled()

    @test_util.skip_if(True)
    def test_skipped(self):
        raise AssertionError('not to be run')


def test_modes_of_tests():
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(ModesTest).run(result)
    assert not result.errors and not result.failures
    assert ModesTest.modes[:2] == [False, True]


def test_switch_and_merge_choose_one_of_several_branches():
    selector, x = tf.placeholder(tf.int32, []), tf.constant([[1., 2.], [3., 4.]])
    branches = [lambda v: v, tf.square, lambda v: v * 3]
    merged = control_flow_ops.merge([
        branch(control_flow_ops.switch(x, tf.equal(selector, i))[1])
        for i, branch in enumerate(branches)])
    gradient, = tf.gradients(merged.output, x)
    with tf.Session() as session:
        for chosen, (value, slope) in enumerate([(2, 1), (4, 4), (6, 3)]):
            output, index, by_x = session.run([*merged, gradient], {selector: chosen})
            assert (index, output[0, 1], by_x[0, 1]) == (chosen, value, slope)
        with pytest.raises(tf.errors.InvalidArgumentError, match='no input of merge is taken'):
            session.run(merged.output, {selector: 7})


def test_merge_refuses_what_comes_of_no_switch():
    with pytest.raises(ValueError, match='does not depend on an output of switch'):
        control_flow_ops.merge([tf.constant(1.), tf.constant(2.)])
