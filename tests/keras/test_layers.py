"""Layers as users meet them: raw ops in between, layers of one's own, masks, Lambda, saving."""
import json

import numpy as np
import pytest

import tinyflow as tf
from keras_layer import layers as L
from keras_layer.engine.input_layer import Input
from keras_layer.engine.model import Model
from keras_layer.engine.sequential import Sequential
from keras_layer.models import load_model, model_from_json
from keras_layer.utils.generic import CustomObjectScope
from keras_layer.utils.vis_utils import model_to_dot


def summary(model):
    lines = []
    model.summary(print_fn=lines.append)
    return '\n'.join(lines)


# ---- raw ops between layers ------------------------------------------------------------------

def raw_model():
    x = Input((3,), name='x')
    hidden = L.Dense(4, name='hidden')(x)
    scaled = tf.exp(hidden) * 2. + tf.reduce_mean(x, axis=1, keepdims=True)
    return Model(x, L.Dense(2, name='out')(tf.concat([scaled, x], axis=1)))


def test_b1_raw_ops_are_layers_that_summary_shows():
    model = raw_model()
    kinds = [type(layer).__name__ for layer in model.layers]
    assert kinds.count('TensorFlowOpLayer') == 5
    shown = summary(model)
    for name in ('tf_op_layer_Exp', 'tf_op_layer_mul', 'tf_op_layer_Mean', 'tf_op_layer_concat'):
        assert name[:20] in shown
    assert 'hidden[0][0]' in shown
    assert 'Total params: 32' in shown


def test_b1_raw_ops_are_layers_that_the_drawing_shows():
    drawing = model_to_dot(raw_model()).source
    assert 'tf_op_layer_Exp' in drawing
    assert 'tf_op_layer_concat' in drawing


def test_b10_the_drawing_answers_by_pydots_names(tmp_path):
    """SVG(model_to_dot(model).create(prog='dot', format='svg')) is what notebooks say."""
    dot = model_to_dot(raw_model(), show_shapes=True)
    assert b'<svg' in dot.create(prog='dot', format='svg')
    assert dot.to_string() == dot.source
    assert dot.write_png(str(tmp_path / 'm.png'))
    assert (tmp_path / 'm.png').read_bytes()[:4] == b'\x89PNG'
    nested = Sequential([Sequential([L.Dense(2, input_shape=(3,))], name='inner')])
    assert 'cluster_inner' in model_to_dot(nested, expand_nested=True).to_string()


def test_b1_raw_ops_survive_a_configuration():
    model = raw_model()
    value = np.linspace(-1, 1, 6).reshape(2, 3)
    again = Model.from_config(json.loads(json.dumps(model.get_config())))
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(value), model.predict(value), rtol=1e-6)
    from_json = model_from_json(model.to_json())
    from_json.set_weights(model.get_weights())
    np.testing.assert_allclose(from_json.predict(value), model.predict(value), rtol=1e-6)
    assert [layer.name for layer in again.layers] == [layer.name for layer in model.layers]


def test_b1_raw_ops_survive_a_file(tmp_path):
    pytest.importorskip('h5py')
    model = raw_model()
    value = np.linspace(-1, 1, 6).reshape(2, 3)
    model.save(str(tmp_path / 'm.h5'))
    np.testing.assert_allclose(load_model(str(tmp_path / 'm.h5'), compile=False).predict(value),
                               model.predict(value), rtol=1e-6)


def test_b1_raw_op_can_be_the_output():
    x = Input((3,))
    model = Model(x, tf.nn.softmax(L.Dense(2)(x)))
    np.testing.assert_allclose(model.predict(np.ones((4, 3))).sum(1), np.ones(4), rtol=1e-6)


def test_b1_what_does_not_come_from_an_input_is_refused():
    x = Input((3,))
    with pytest.raises(ValueError, match='must be the output of a Keras `Layer`'):
        Model(x, tf.zeros([2, 3]))


def test_b1_training_goes_through_raw_ops():
    x = Input((3,))
    model = Model(x, tf.tanh(L.Dense(1)(x)) * 3.)
    model.compile('adam', 'mse')
    data = np.random.RandomState(0).randn(32, 3)
    target = data.sum(1, keepdims=True)
    before = model.evaluate(data, target, verbose=0)
    model.fit(data, target, epochs=20, verbose=0)
    assert model.evaluate(data, target, verbose=0) < before


# ---- layers of one's own ---------------------------------------------------------------------

class Scale(L.Layer):
    """Without get_config."""

    def __init__(self, factor, offset=0., **kwargs):
        super().__init__(**kwargs)
        self.factor, self.offset = factor, offset

    def build(self, input_shape):
        self.gain = self.add_weight('gain', shape=(int(input_shape[-1]),), initializer='ones')
        super().build(input_shape)

    def call(self, inputs):
        return inputs * self.gain * self.factor + self.offset


class Narrow(L.Layer):
    """Whose constructor takes nothing that a layer usually takes."""

    def __init__(self, factor):
        super().__init__()
        self.times = factor

    def call(self, inputs):
        return inputs * self.times


def test_b4_layer_without_get_config_is_saved_and_loaded(tmp_path):
    pytest.importorskip('h5py')
    model = Sequential([L.Dense(3, input_shape=(2,)), Scale(2., offset=1., name='scale')])
    value = np.ones((1, 2))
    path = str(tmp_path / 'm.h5')
    model.layers[1].set_weights([np.array([1., 2., 3.])])
    model.save(path)
    loaded = load_model(path, custom_objects={'Scale': Scale}, compile=False)
    np.testing.assert_allclose(loaded.predict(value), model.predict(value))
    assert (loaded.layers[1].factor, loaded.layers[1].offset) == (2., 1.)
    assert loaded.layers[1].name == 'scale'
    with CustomObjectScope({'Scale': Scale}):
        loaded = load_model(path, compile=False)
    np.testing.assert_allclose(loaded.predict(value), model.predict(value))


def test_b4_unknown_class_is_named(tmp_path):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    Sequential([Scale(2., input_shape=(2,))]).save(path)
    with pytest.raises(ValueError, match=r"Unknown layer: Scale\n.*custom_objects=\{'Scale': "
                                         r'Scale\}'):
        load_model(path)


def test_b4_layer_with_arguments_of_its_own_only():
    model = Sequential([L.Dense(3, input_shape=(2,)), Narrow(factor=4)])
    again = Sequential.from_config(model.get_config(), custom_objects={'Narrow': Narrow})
    assert again.layers[1].times == 4


# ---- masks -----------------------------------------------------------------------------------

def mask_value(tensor, feeds):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor._keras_mask, feeds)


IDS = np.array([[3, 1, 0, 0], [2, 0, 0, 0]])
KEPT = np.array([[True, True, False, False], [True, False, False, False]])


@pytest.fixture(autouse=True)
def fresh():
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        yield


def test_embedding_makes_a_mask_that_layers_pass_on():
    ids = Input((4,), dtype='int32')
    x = L.Embedding(5, 3, mask_zero=True)(ids)
    for layer in (L.Dropout(0.5), L.Activation('relu'), L.Dense(2), L.BatchNormalization(),
                  L.TimeDistributed(L.Dense(2)), L.LeakyReLU(), L.GaussianNoise(0.1)):
        x = layer(x)
    np.testing.assert_array_equal(mask_value(x, {ids: IDS}), KEPT)


def test_masking_masks_steps_of_one_value():
    x = Input((3, 2))
    masked = L.Masking(mask_value=-1.)(x)
    value = np.array([[[1, -1], [-1, -1], [0, 0]]], np.float32)
    np.testing.assert_array_equal(mask_value(masked, {x: value}), [[True, False, True]])
    np.testing.assert_array_equal(Model(x, masked).predict(value)[0, 1], [0, 0])


def test_concatenate_puts_masks_together():
    ids = Input((4,), dtype='int32')
    embedded = L.Embedding(5, 3, mask_zero=True)(ids)
    unmasked = L.Embedding(5, 2)(ids)
    wide = L.Concatenate()([embedded, L.Dense(2)(embedded)])
    np.testing.assert_array_equal(mask_value(wide, {ids: IDS}), KEPT)
    mixed = L.Concatenate()([embedded, unmasked])
    np.testing.assert_array_equal(mask_value(mixed, {ids: IDS}), KEPT)
    long = L.Concatenate(axis=1)([embedded, L.Embedding(5, 3)(ids)])
    np.testing.assert_array_equal(mask_value(long, {ids: IDS}),
                                  np.concatenate([KEPT, np.ones((2, 4), bool)], axis=1))


def test_add_wants_all_masks():
    a, b = Input((4,), dtype='int32'), Input((4,), dtype='int32')
    embed = L.Embedding(5, 3, mask_zero=True)
    both = L.Add()([embed(a), embed(b)])
    found = mask_value(both, {a: IDS, b: [[1, 0, 1, 0], [1, 1, 1, 1]]})
    np.testing.assert_array_equal(found, KEPT & [[True, False, True, False], [True] * 4])


@pytest.mark.parametrize('make', [L.Flatten, lambda: L.Conv1D(2, 2), L.Layer])
def test_a_mask_ends_at_a_layer_without_masking(make):
    ids = Input((4,), dtype='int32')
    embedded = L.Embedding(5, 3, mask_zero=True)(ids)
    assert getattr(make()(embedded), '_keras_mask', None) is None


def test_compute_mask_of_a_layer_without_masking_says_so():
    ids = Input((4,), dtype='int32')
    embedded = L.Embedding(5, 3, mask_zero=True)(ids)
    with pytest.raises(TypeError, match='Layer flat does not support masking.*\n.*mask_zero'):
        L.Flatten(name='flat').compute_mask(embedded, embedded._keras_mask)


def test_mask_is_passed_to_call():
    seen = []

    class Mean(L.Layer):
        supports_masking = True

        def call(self, inputs, mask=None):
            seen.append(mask)
            weights = tf.expand_dims(tf.cast(mask, inputs.dtype), -1)
            return tf.reduce_sum(inputs * weights, 1) / tf.reduce_sum(weights, 1)

        def compute_mask(self, inputs, mask=None):
            return None
    ids = Input((4,), dtype='int32')
    model = Model(ids, Mean()(L.Embedding(5, 1, mask_zero=True)(ids)))
    table = np.arange(5.).reshape(5, 1)
    model.set_weights([table])
    np.testing.assert_allclose(model.predict(IDS), [[2.], [2.]])
    assert seen[0].dtype == tf.bool


def test_mean_over_masked_steps():
    ids = Input((4,), dtype='int32')
    model = Model(ids, L.GlobalAveragePooling1D()(L.Embedding(5, 1, mask_zero=True)(ids)))
    model.set_weights([np.arange(5.).reshape(5, 1)])
    np.testing.assert_allclose(model.predict(IDS), [[2.], [2.]])


def test_loss_leaves_out_masked_steps():
    model = Sequential([L.Masking(0., input_shape=(3, 2)), L.Dense(1, use_bias=False)])
    model.compile('sgd', 'mse')
    model.set_weights([np.ones((2, 1))])
    x = np.array([[[1., 1.], [0., 0.], [1., 0.]]])
    # Squared errors 4, masked, 1; TF 1.15 divides by the number of all steps.
    assert model.evaluate(x, np.zeros((1, 3, 1)), verbose=0) == pytest.approx(5 / 3)


# ---- attention -------------------------------------------------------------------------------

def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_attention_leaves_out_masked_values_and_queries():
    q, v = Input((4,), dtype='int32'), Input((4,), dtype='int32')
    embed = L.Embedding(5, 3, mask_zero=True)
    out = L.Attention()([embed(q), embed(v)])
    model = Model([q, v], out)
    table = np.random.RandomState(0).randn(5, 3)
    model.set_weights([table])
    other = np.array([[1, 2, 3, 0], [4, 3, 0, 0]])
    query, value = table[IDS], table[other]
    scores = query @ value.transpose(0, 2, 1) - 1e9 * (other == 0)[:, np.newaxis, :]
    wanted = softmax(scores) @ value * (IDS > 0)[..., np.newaxis]
    np.testing.assert_allclose(model.predict([IDS, other]), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(mask_value(out, {q: IDS, v: other}), KEPT)


def test_attention_of_masked_query_value_and_key():
    """TF 1.15 refuses the third mask, which three masked inputs bring; it is not used."""
    ids = Input((4,), dtype='int32')
    x = L.Embedding(5, 3, mask_zero=True)(ids)
    assert Model(ids, L.AdditiveAttention()([x, x, x])).predict(IDS).shape == (2, 4, 3)


def test_causal_attention_does_not_see_what_comes():
    x = Input((4, 3))
    model = Model(x, L.Attention(causal=True)([x, x]))
    value = np.random.RandomState(0).randn(1, 4, 3)
    later = value.copy()
    later[0, 2:] += 1.
    np.testing.assert_allclose(model.predict(value)[0, :2], model.predict(later)[0, :2], rtol=1e-5)
    np.testing.assert_allclose(model.predict(value)[0, 0], value[0, 0], rtol=1e-5)


def test_attention_says_how_it_is_called():
    x = Input((4, 3))
    with pytest.raises(ValueError, match=r'\[query, value\]'):
        L.Attention()(x)
    with pytest.raises(ValueError, match='Given length: 1'):
        L.Attention()([x])


# ---- locally connected -----------------------------------------------------------------------

@pytest.mark.parametrize('implementation', [1, 2, 3])
def test_locally_connected_equals_convolution_where_kernels_are_equal(implementation):
    x = Input((6, 5, 2))
    local = L.LocallyConnected2D(3, (3, 2), strides=(2, 1), implementation=implementation,
                                 use_bias=False)
    both = Model(x, [local(x), L.Conv2D(3, (3, 2), strides=(2, 1), use_bias=False)(x)])
    weights = [np.ones(w.shape.as_list()) for w in both.weights]
    both.set_weights(weights)
    ours, conv = both.predict(np.random.RandomState(0).randn(2, 6, 5, 2))
    np.testing.assert_allclose(ours, conv, rtol=1e-5, atol=1e-5)


def test_locally_connected_needs_sizes():
    with pytest.raises(ValueError, match=r'\(None, None, 3\).*\n.*Input\(shape=...\)'):
        L.LocallyConnected1D(2, 2)(Input((None, 3)))
    with pytest.raises(ValueError, match='only "valid" is supported'):
        L.LocallyConnected1D(2, 2, padding='same')
    with pytest.raises(ValueError, match='Unrecognized implementation mode: 4'):
        L.LocallyConnected1D(2, 2, implementation=4)


# ---- Lambda ----------------------------------------------------------------------------------

def doubled(x):
    return x * 2.


def test_lambda_of_a_named_function_is_saved_by_name(tmp_path):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    Sequential([L.Lambda(doubled, input_shape=(2,))]).save(path)
    loaded = load_model(path, custom_objects={'doubled': doubled}, compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[2., 2.]])
    with pytest.raises(ValueError, match="Unknown function 'doubled'.*\n.*custom_objects"):
        load_model(path)


def test_lambda_saved_as_code_is_not_run(tmp_path):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    Sequential([L.Lambda(lambda x: x * 3., input_shape=(2,), name='triple')]).save(path)
    with pytest.raises(ValueError, match="'triple' was saved as Python code.*\n.*allow_code"):
        load_model(path)
    loaded = load_model(path, custom_objects={'triple': lambda x: x * 3.}, compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[3., 3.]])


def test_lambda_saved_as_code_runs_where_that_was_allowed(tmp_path, monkeypatch):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    Sequential([L.Lambda(lambda x: x * 3., input_shape=(2,))]).save(path)
    monkeypatch.setattr(L.Lambda, 'allow_code', True)
    loaded = load_model(path, compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[3., 3.]])


def test_lambda_with_arguments_mask_and_shape():
    x = Input((3,))
    out = L.Lambda(lambda x, factor: x * factor, arguments={'factor': 5.})(x)
    np.testing.assert_allclose(Model(x, out).predict(np.ones((1, 3))), [[5., 5., 5.]])
    assert L.Lambda(lambda x: x[:, :2]).compute_output_shape((None, 3)).as_list() == [None, 2]


# ---- calls of a layer ------------------------------------------------------------------------

def test_output_of_a_layer_that_was_called_again_is_that_of_the_first_call():
    """As in TF 1.15: features of a model can be had after it was used inside another one."""
    base = Sequential([L.Dense(4, input_shape=(3,), name='features'), L.Dense(2)])
    outer_input = Input((3,))
    Model(outer_input, base(outer_input))
    features = Model(base.input, base.get_layer('features').output)
    value = np.ones((2, 3))
    kernel, bias = base.get_layer('features').get_weights()
    np.testing.assert_allclose(features.predict(value), value @ kernel + bias, rtol=1e-5)


def test_calls_of_a_layer_are_told_apart():
    layer, a, b = L.Dense(2), Input((5, 3)), Input((3,))
    first, second = layer(a), layer(b)
    assert layer.input is a
    assert layer.output is first
    assert layer.get_output_at(1) is second
    assert layer.get_input_shape_at(1) == (None, 3)
    with pytest.raises(AttributeError, match='"layer output shape" is ill-defined'):
        _ = layer.output_shape
    with pytest.raises(ValueError, match='only 2 inbound nodes'):
        layer.get_input_at(2)
    with pytest.raises(AttributeError, match='never been called'):
        _ = L.Dense(2).output


@pytest.mark.parametrize('settings, shape, total, first', [
    ({'dilation_rate': 2}, (9, 9), 0., [-1., 1., -2., 0.11764705]),
    ({'padding': 'same', 'dilation_rate': 2}, (5, 5), -496.9412,
     [-21.235294, -16.411766, -23.352942, -18.058825]),
    ({'strides': 2, 'output_padding': 1}, (12, 12), 0., [-1., 1., -1., 1.]),
])
def test_transposed_convolution_with_holes_or_padding(settings, shape, total, first):
    """Sizes and values are those of TF 1.15.5."""
    model = tf.keras.Sequential([tf.keras.layers.Conv2DTranspose(2, 3, input_shape=(5, 5, 1),
                                                                 **settings)])
    model.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape) for w in model.get_weights()])
    found = model.predict(np.arange(25.).reshape(1, 5, 5, 1))
    assert found.shape == (1, *shape, 2) == (1, *model.output_shape[1:])
    np.testing.assert_allclose(found.ravel()[:4], first, rtol=1e-5)
    np.testing.assert_allclose(found.sum(), total, rtol=1e-5, atol=1e-3)
    again = tf.keras.Sequential.from_config(model.get_config())
    assert again.output_shape == model.output_shape


def test_output_padding_is_less_than_the_stride():
    with pytest.raises(ValueError, match='must be greater than output padding'):
        tf.keras.layers.Conv2DTranspose(2, 3, strides=2, output_padding=2)


def test_renorm_is_kept_in_the_configuration():
    layer = tf.keras.layers.BatchNormalization(renorm=True, renorm_clipping={'rmax': 3.})
    again = tf.keras.layers.BatchNormalization.from_config(layer.get_config())
    assert again.renorm and again.renorm_clipping == {'rmax': 3.}
    assert 'renorm' not in tf.keras.layers.BatchNormalization().get_config()


# ---- Variables and masks inside ------------------------------------------------------------------

def test_variables_in_attributes_lists_and_dicts_are_weights_and_initialised():
    class Scaled(L.Layer):
        def __init__(self):
            super().__init__()
            self.one = tf.Variable(2., use_resource=True)
            self.several = [tf.Variable(3., use_resource=True)]
            self.named = {'b': [tf.Variable(4., use_resource=True, trainable=False)]}
            self.several.append(tf.Variable(5., use_resource=True))

        def call(self, inputs):
            return inputs * self.one * self.several[0] * self.several[1] + self.named['b'][0]

    layer = Scaled()
    model = Sequential([L.InputLayer((2,)), layer])
    assert len(layer.trainable_weights) == 3 and len(layer.non_trainable_weights) == 1
    model.compile('sgd', 'mse')
    assert model.predict(np.ones((1, 2))).tolist() == [[34., 34.]]
    model.train_on_batch(np.ones((1, 2)), np.ones((1, 2)))
    assert all(before != after for before, after in zip([2., 3., 5.], layer.get_weights()))


def test_variables_among_loss_weights_are_no_weights_of_the_model():
    x = Input((3,))
    model = Model(x, [L.Dense(1)(x), L.Dense(1)(x)])
    model.compile('sgd', 'mse', loss_weights=[tf.keras.backend.variable(.3), 1.])
    assert len(model.weights) == 4


def test_time_distributed_has_the_mask_of_its_layer():
    words = Input((2, 3), dtype='int32')
    outputs = L.TimeDistributed(L.Embedding(5, 4, mask_zero=True))(words)
    masked = tf.keras.backend.function([words], [outputs._keras_mask])
    given = np.array([[[1, 0, 2], [0, 0, 4]]])
    assert masked([given])[0].tolist() == (given != 0).tolist()
    # A layer that makes none: the steps that count at all.
    steps = L.TimeDistributed(L.Lambda(lambda x: tf.reduce_sum(x, axis=1)))(outputs)
    kept = tf.keras.backend.function([words], [steps._keras_mask])
    assert kept([np.array([[[1, 0, 2], [0, 0, 0]]])])[0].tolist() == [[True, False]]


def test_a_transposed_convolution_of_volumes_refuses_a_dilation():
    with pytest.raises(NotImplementedError, match='dilation_rate'):
        L.Conv3DTranspose(2, 2, dilation_rate=2)


def test_time_distributed_takes_a_mask_where_the_batch_size_is_known():
    class Doubled(L.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, inputs):
            return inputs * 2.

        def compute_output_shape(self, input_shape):
            return tf.TensorShape(input_shape)

    for layer, expected in ((L.Dense(1, kernel_initializer='ones'), [[3.], [0.]]),
                            (Doubled(), [[2.] * 3, [0.] * 3])):
        x = Input(batch_shape=(1, 2, 3))
        outputs = L.TimeDistributed(layer)(L.Masking()(x))
        assert outputs._keras_mask is not None
        given = np.array([[[1.] * 3, [0.] * 3]])
        assert Model(x, outputs).predict(given, batch_size=1).tolist() == [expected]


def test_a_model_with_a_lambda_is_cloned_with_the_function_itself():
    factors = [2., 3.]
    x = Input((2,))
    hidden = [L.Lambda(lambda t, by=by: t * by + len(factors))(x) for by in factors]
    model = Model(x, [*hidden, L.TimeDistributed(L.Lambda(lambda t: t - 1.))(
        L.Reshape((2, 1))(x))])
    copy = tf.keras.models.clone_model(model)
    found = copy.predict(np.ones((1, 2)))
    assert [part.ravel().tolist() for part in found] == [[4., 4.], [5., 5.], [0., 0.]]


def test_an_input_that_the_model_was_not_given_is_no_output():
    x, other = Input((3,)), Input((3,))
    with pytest.raises(ValueError, match='Graph disconnected'):
        Model(x, [L.Dense(1)(x), other])
    assert Model([x, other], [L.Dense(1)(x), other]).predict(
        [np.ones((1, 3))] * 2)[1].tolist() == [[1.] * 3]


def test_flatten_refuses_an_unknown_order_of_axes():
    with pytest.raises(ValueError, match='data_format'):
        L.Flatten(data_format='last')
