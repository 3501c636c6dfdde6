"""What a SavedModel of Keras says of its objects, for load_model of TensorFlow."""
import json

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.saving import keras_metadata
from tinyflow.train.saved_model.loader import read_saved_model

keras, layers = tf.keras, tf.keras.layers


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def model():
    x = layers.Input((3,), name='x')
    h = layers.BatchNormalization(name='b')(layers.Dense(4, name='d')(x))
    made = keras.Model(x, layers.Dense(2, name='y')(layers.Dropout(0.5, name='o')(h)), name='m')
    made.compile('adam', 'mse')
    made.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)
    return made


def saved(made, tmp_path):
    path = str(tmp_path / 'saved')
    made.save(path, save_format='tf')
    return path, read_saved_model(path).meta_graphs[0]


def node_at(graph, *names):
    number = 0
    for name in names:
        number = {c.local_name: c.node_id for c in graph.nodes[number].children}[name]
    return number, graph.nodes[number]


def test_objects_and_variables(tmp_path):
    made = model()
    path, meta = saved(made, tmp_path)
    graph = meta.object_graph_def
    root = json.loads(graph.nodes[0].user_object.metadata)
    assert graph.nodes[0].user_object.identifier == '_tf_keras_model'
    assert root['expects_training_arg'] is True and root['name'] == 'm'
    _, kernel = node_at(graph, 'layer_with_weights-0', 'kernel')
    assert kernel.variable.name == 'd/kernel' and kernel.variable.trainable
    assert [d.size for d in kernel.variable.shape.dim] == [3, 4]
    _, mean = node_at(graph, 'layer_with_weights-1', 'moving_mean')
    assert not mean.variable.trainable
    key = 'layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE'
    stored = tf.train.load_variable(f'{path}/variables/variables', key)
    np.testing.assert_array_equal(stored, made.layers[1].get_weights()[0])


def test_functions_with_and_without_training(tmp_path):
    _, meta = saved(model(), tmp_path)
    graph = meta.object_graph_def
    _, call = node_at(graph, 'keras_api', 'call_and_return_conditional_losses')
    names = list(call.function.concrete_functions)
    library = {f.signature.name: f for f in meta.graph_def.library.function}
    phases = []
    for name in names:
        concrete, function = graph.concrete_functions[name], library[name]
        bound = [graph.nodes[number].variable.name for number in concrete.bound_inputs]
        assert len(function.signature.input_arg) == 1 + len(bound)
        assert sorted(bound) == ['b/beta', 'b/gamma', 'b/moving_mean', 'b/moving_variance',
                                 'd/bias', 'd/kernel', 'y/bias', 'y/kernel']
        assert all(node.op not in ('Placeholder', 'PlaceholderWithDefault', 'VarHandleOp')
                   for node in function.node_def)
        phase, = [n for n in function.node_def if n.name == 'keras_learning_phase']
        phases.append(phase.attr['value'].tensor.bool_val[0])
    assert phases == [False, True]
    _, signature = node_at(graph, 'signatures', 'serving_default')
    assert signature.bare_concrete_function.argument_keywords == ['x']


def test_the_function_computes_what_the_model_computes(tmp_path):
    """Called in a graph of its own, with the values of the Variables."""
    made = model()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    wanted, weights = made.predict(x), {w.op.name: keras.backend.get_value(w)
                                        for w in made.weights}
    _, meta = saved(made, tmp_path)
    name = [f.signature.name for f in meta.graph_def.library.function
            if f.signature.name.endswith('losses_0')][0]
    bound = meta.object_graph_def.concrete_functions[name].bound_inputs
    definition = tf.GraphDef()
    definition.library.CopyFrom(meta.graph_def.library)
    call = definition.node.add()
    call.name, call.op, call.attr['f'].func.name = 'call', 'StatefulPartitionedCall', name
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, given = [tf.constant(x)], {}
        for number in bound:
            variable = meta.object_graph_def.nodes[number].variable
            made = tf.get_variable(variable.name, use_resource=True,
                                   initializer=weights[variable.name])
            inputs.append(made.handle)
        for i, tensor in enumerate(inputs):
            call.input.append(f'in{i}')
            given[f'in{i}'] = tensor
        result, = tf.import_graph_def(definition, given, ['call:0'], name='')
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(result), wanted, rtol=1e-5)


def test_keras_metadata(tmp_path):
    path, _ = saved(model(), tmp_path)
    objects = keras_metadata.read(f'{path}/keras_metadata.pb')
    assert [(o.path, o.identifier) for o in objects] == [
        ('root', '_tf_keras_network'), ('root.layer-0', '_tf_keras_input_layer'),
        ('root.layer_with_weights-0', '_tf_keras_layer'),
        ('root.layer_with_weights-1', '_tf_keras_layer'), ('root.layer-3', '_tf_keras_layer'),
        ('root.layer_with_weights-2', '_tf_keras_layer')]
    assert objects[0].metadata['class_name'] == 'Functional'
    assert objects[0].metadata['training_config']['loss'] == 'mse'
    assert objects[2].metadata['build_input_shape'] == [None, 3]


def test_a_bidirectional_layer_has_its_two_directions(tmp_path):
    x = layers.Input((4, 2))
    _, meta = saved(keras.Model(x, layers.Bidirectional(layers.LSTM(3))(x)), tmp_path)
    _, layer = node_at(meta.object_graph_def, 'layer_with_weights-0')
    assert [c.local_name for c in layer.children] == ['forward_layer', 'backward_layer']
    node_at(meta.object_graph_def, 'layer_with_weights-0', 'forward_layer', 'cell', 'kernel')


def test_a_model_that_needs_more_than_its_inputs_has_no_objects(tmp_path):
    x = layers.Input((3,))
    scaled = layers.Lambda(lambda t: t * tf.placeholder_with_default(tf.ones([3]), [3]))
    made = keras.Model(x, scaled(layers.Dense(3)(x)))
    path, meta = saved(made, tmp_path)
    assert not meta.HasField('object_graph_def')
    assert not (tmp_path / 'saved' / 'keras_metadata.pb').exists()


@pytest.mark.parametrize('build', [
    model, lambda: keras.Sequential([layers.Dense(2, input_shape=(3,)), layers.Dropout(0.5)])])
def test_it_is_loaded_here(tmp_path, build):
    made = build()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    wanted = made.predict(x)
    path, _ = saved(made, tmp_path)
    with tf.Graph().as_default():
        np.testing.assert_allclose(keras.models.load_model(path).predict(x), wanted, rtol=1e-5)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ['serve'], path)
        signature = meta.signature_def['serving_default']
        (given,), (result,) = signature.inputs.values(), signature.outputs.values()
        np.testing.assert_allclose(session.run(result.name, {given.name: x}), wanted, rtol=1e-5)
