"""tf.contrib.tpu: programs written for TPUEstimator run with use_tpu=False, as in TensorFlow."""
import numpy as np
import pytest

import tinyflow as tf

tpu = tf.contrib.tpu


def input_fn(params):
    x = np.arange(24, dtype=np.float32).reshape(8, 3) / 10
    data = tf.data.Dataset.from_tensor_slices(({'x': x}, x.sum(1, keepdims=True) * 2))
    return data.repeat(params['n']).batch(params['batch_size'])


def estimator(path, seen=None, **changes):
    def model_fn(features, labels, mode, params):
        if seen is not None:
            seen.append((mode, dict(params)))
        weights = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
        y = tf.matmul(features['x'], weights)
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tpu.TPUEstimatorSpec(mode, predictions={'y': y})
        loss = tf.reduce_mean((y - labels) ** 2)
        optimizer = tf.train.AdamOptimizer(0.1)
        if changes.get('cross_shard'):
            optimizer = tpu.CrossShardOptimizer(optimizer)
        return tpu.TPUEstimatorSpec(
            mode, loss=loss, train_op=optimizer.minimize(loss, tf.train.get_global_step()),
            eval_metrics=(lambda y, labels: {'mae': tf.metrics.mean_absolute_error(labels, y)},
                          [y, labels]))

    config = tpu.RunConfig(model_dir=str(path), tpu_config=tpu.TPUConfig(iterations_per_loop=10))
    settings = {'use_tpu': False, 'train_batch_size': 4, 'eval_batch_size': 2,
                'predict_batch_size': 8, 'params': {'n': 3}, **changes}
    settings.pop('cross_shard', None)
    return tpu.TPUEstimator(model_fn, config=config, **settings)


@pytest.mark.slow
@pytest.mark.parametrize('cross_shard', [False, True])
def test_the_calls_give_what_tensorflow_gives_and_know_the_batch_size(tmp_path, cross_shard):
    seen = []
    model = estimator(tmp_path / 'model', seen, cross_shard=cross_shard)
    model.train(input_fn, steps=5)
    results = model.evaluate(input_fn, steps=3)
    assert results['loss'] == pytest.approx(3.08725, rel=1e-5)          # of TensorFlow 1.15.5
    assert results['mae'] == pytest.approx(1.50467, rel=1e-5) and results['global_step'] == 5
    assert next(model.predict(input_fn))['y'] == pytest.approx(0.42350334, rel=1e-6)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': tf.placeholder(tf.float32, [None, 3])})
    model.export_savedmodel(str(tmp_path / 'export'), receiver)
    assert seen == [(mode, {'n': 3, 'use_tpu': False, **size}) for mode, size in (
        ('train', {'batch_size': 4}), ('eval', {'batch_size': 2}), ('infer', {'batch_size': 8}),
        ('infer', {}))]


def test_the_global_step_is_a_resource(tmp_path):
    model = estimator(tmp_path)
    with tf.Graph().as_default() as graph:
        assert model._create_global_step(graph).dtype == tf.int64
        assert graph.get_operation_by_name('global_step').type == 'VarHandleOp'


def test_a_tpu_is_refused_in_words_when_it_is_needed(tmp_path):
    model = estimator(tmp_path, use_tpu=True, eval_on_tpu=False)
    with pytest.raises(RuntimeError, match='Cannot find any TPU cores(.|\n)*use_tpu=False'):
        model.train(input_fn, steps=1)
    assert 'loss' in model.evaluate(input_fn, steps=1)


@pytest.mark.parametrize('changes, text', [
    ({'params': {'batch_size': 3}}, 'are reserved keys'),
    ({'use_tpu': True, 'train_batch_size': None}, '`train_batch_size` cannot be `None`')])
def test_wrong_settings_of_the_estimator(tmp_path, changes, text):
    with pytest.raises(ValueError, match=text):
        estimator(tmp_path, **changes)


@pytest.mark.parametrize('settings, error', [
    ({'iterations_per_loop': '5x'}, ValueError), ({'iterations_per_loop': 0}, ValueError),
    ({'num_shards': 2.5}, TypeError), ({'num_cores_per_replica': 3}, ValueError),
    ({'input_partition_dims': [[1, 2]]}, ValueError),
    ({'eval_training_input_configuration': 4}, ValueError)])
def test_wrong_settings_of_a_tpu_config(settings, error):
    with pytest.raises(error):
        tpu.TPUConfig(**settings)


def test_run_config_keeps_masters_and_the_tpu_config():
    config = tpu.RunConfig(master='grpc://a', tf_random_seed=3)
    assert (config.master, config.evaluation_master) == ('grpc://a', 'grpc://a')
    other = config.replace(tpu_config=tpu.TPUConfig(num_shards=8), tf_random_seed=4)
    assert other.tpu_config.num_shards == 8 and config.tpu_config.num_shards is None
    assert other.tpu_config.per_host_input_for_training == tpu.InputPipelineConfig.PER_HOST_V1
    with pytest.raises(ValueError, match='Both master and cluster'):
        tpu.RunConfig(master='', cluster=tf.contrib.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec({'worker': ['a:1']})))


@pytest.mark.parametrize('metrics, error', [
    (3, ValueError), ((len,), ValueError), ((3, []), TypeError), ((len, 3), ValueError),
    ((lambda a: a, [1, 2]), RuntimeError)])
def test_eval_metrics_are_a_function_and_its_tensors(metrics, error):
    with pytest.raises(error):
        tpu.TPUEstimatorSpec('eval', eval_metrics=metrics)


def test_a_host_call_is_computed_in_each_step(tmp_path):
    counted = []

    def model_fn(features, mode, params):
        loss = tf.reduce_sum(features) * tf.get_variable('w', [], initializer=tf.ones_initializer())
        step = tf.train.get_global_step()
        count = tf.py_func(lambda n: counted.append(int(n)), [step.read_value()], [])
        return tpu.TPUEstimatorSpec(
            mode, loss=loss, train_op=tf.assign_add(step, 1).op,
            host_call=(lambda x: tf.group(count, tf.identity(x)), [features]))

    config = tpu.RunConfig(model_dir=str(tmp_path), log_step_count_steps=None)
    tpu.TPUEstimator(model_fn, config=config, use_tpu=False, train_batch_size=1).train(
        lambda params: tf.data.Dataset.from_tensors(tf.ones([params['batch_size']])).repeat(),
        steps=3)
    assert len(counted) == 3
