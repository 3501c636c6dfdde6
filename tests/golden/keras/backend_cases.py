"""Calls of keras.backend and of the small objects of Keras, built under TensorFlow and tinyflow.

A case is a function of (keras, given): `given(*shape)` is a placeholder of that shape that is fed
numbers in [low, high). It returns a tensor or a list of tensors. Read under Python 3.7 too.
"""
CASES = {}


def case(function):
    """Registers the case under the function's name."""
    CASES[function.__name__] = function
    return function


def each(prefix, calls):
    """Registers one case for each entry of {name: function}."""
    for name, function in calls.items():
        CASES['%s_%s' % (prefix, name)] = function


# ---- elements, reductions, shapes --------------------------------------------------------

UNARY = ('abs', 'square', 'exp', 'sign', 'sin', 'cos', 'round', 'sigmoid', 'tanh', 'softplus',
         'softsign', 'hard_sigmoid', 'sqrt', 'elu', 'relu', 'softmax', 'zeros_like', 'ones_like',
         'flatten', 'batch_flatten', 'transpose', 'shape', 'l2_normalize', 'stop_gradient')
BINARY = ('pow', 'maximum', 'minimum', 'equal', 'not_equal', 'greater', 'greater_equal', 'less',
          'less_equal')
REDUCTIONS = ('max', 'min', 'sum', 'prod', 'mean', 'var', 'std', 'any', 'all')


def _unary(name):
    return lambda keras, given: getattr(keras.backend, name)(given(2, 3, 4, low=-2))


def _binary(name):
    return lambda keras, given: getattr(keras.backend, name)(given(2, 3, low=.1), given(2, 3))


def _reduction(name):
    def build(keras, given):
        function, x = getattr(keras.backend, name), given(2, 3, 4, low=-2)
        return [function(x), function(x, axis=1), function(x, axis=[0, 2], keepdims=True),
                function(x, -1, True)]
    return build


each('unary', {name: _unary(name) for name in UNARY})
each('binary', {name: _binary(name) for name in BINARY})
each('reduce', {name: _reduction(name) for name in REDUCTIONS})
each('elementwise', {
    'log': lambda keras, given: keras.backend.log(given(3, low=.1)),
    'elu_alpha': lambda keras, given: keras.backend.elu(given(2, 3, low=-2), .5),
    'relu_leaky': lambda keras, given: keras.backend.relu(given(2, 3, low=-2), alpha=.1),
    'relu_six': lambda keras, given: keras.backend.relu(given(2, 3, low=-2, high=9), max_value=6),
    'relu_capped': lambda keras, given: keras.backend.relu(given(2, 3, low=-2), max_value=.7),
    'relu_threshold': lambda keras, given: keras.backend.relu(given(2, 3, low=-2), threshold=.5),
    'relu_all': lambda keras, given: keras.backend.relu(
        given(4, 5, low=-2, high=3), alpha=.2, max_value=2., threshold=.5),
    'clip': lambda keras, given: keras.backend.clip(given(2, 3, low=-2), -.5, .5),
    'clip_wrong_way': lambda keras, given: keras.backend.clip(given(2, 3), .7, .2),
    'softmax_axis': lambda keras, given: keras.backend.softmax(given(2, 3, 4), axis=1),
    'cast': lambda keras, given: keras.backend.cast(given(2, 3, low=-2, high=2), 'int32'),
    'argmax': lambda keras, given: keras.backend.argmax(given(2, 3)),
    'argmin': lambda keras, given: keras.backend.argmin(given(2, 3), axis=0),
    'cumsum': lambda keras, given: keras.backend.cumsum(given(2, 3), axis=1),
    'cumprod': lambda keras, given: keras.backend.cumprod(given(2, 3)),
    'l2_normalize': lambda keras, given: keras.backend.l2_normalize(given(2, 3), axis=1),
    'mean_of_bools': lambda keras, given: keras.backend.mean(
        keras.backend.greater(given(2, 3), .5), axis=1),
})
each('shape', {
    'reshape': lambda keras, given: keras.backend.reshape(given(2, 6), (-1, 3)),
    'permute': lambda keras, given: keras.backend.permute_dimensions(given(2, 3, 4), (0, 2, 1)),
    'expand_dims': lambda keras, given: keras.backend.expand_dims(given(2, 3), 1),
    'squeeze': lambda keras, given: keras.backend.squeeze(given(2, 1, 3), 1),
    'repeat': lambda keras, given: keras.backend.repeat(given(2, 3), 4),
    'repeat_elements': lambda keras, given: keras.backend.repeat_elements(given(2, 3), 2, 1),
    'repeat_elements_of_open_size': lambda keras, given: keras.backend.repeat_elements(
        given(2, 3, batch=True), 2, 0),
    'tile': lambda keras, given: keras.backend.tile(given(2, 3), [2, 1]),
    'reverse': lambda keras, given: keras.backend.reverse(given(2, 3), 1),
    'stack': lambda keras, given: keras.backend.stack([given(2, 3), given(2, 3)], 1),
    'concatenate': lambda keras, given: keras.backend.concatenate([given(2, 3), given(2, 1)]),
    'gather': lambda keras, given: keras.backend.gather(
        given(4, 3), given(2, low=0, high=4, dtype='int32')),
    'one_hot': lambda keras, given: keras.backend.one_hot(
        given(4, low=0, high=3, dtype='int32'), 3),
    'arange': lambda keras, given: [keras.backend.arange(2, 9, 3),
                                    keras.backend.arange(4, dtype='float32')],
    'temporal_padding': lambda keras, given: keras.backend.temporal_padding(given(2, 3, 1), (1, 2)),
    'spatial_2d_padding': lambda keras, given: keras.backend.spatial_2d_padding(
        given(1, 2, 3, 1), ((1, 0), (2, 1))),
    'spatial_2d_padding_first': lambda keras, given: keras.backend.spatial_2d_padding(
        given(1, 1, 2, 3), ((1, 0), (2, 1)), 'channels_first'),
    'spatial_3d_padding': lambda keras, given: keras.backend.spatial_3d_padding(
        given(1, 2, 2, 2, 1), ((1, 0), (0, 1), (1, 1))),
    'resize_images': lambda keras, given: keras.backend.resize_images(
        given(1, 2, 3, 2), 2, 3, 'channels_last'),
    'resize_images_bilinear': lambda keras, given: keras.backend.resize_images(
        given(1, 2, 2, 3), 2, 2, 'channels_first', interpolation='bilinear'),
    'resize_volumes': lambda keras, given: keras.backend.resize_volumes(
        given(1, 2, 1, 2, 1), 2, 3, 1, 'channels_last'),
})


# ---- choices -----------------------------------------------------------------------------


@case
def switch_elements(keras, given):
    x, y = given(2, 3), given(2, 3)
    return keras.backend.switch(keras.backend.greater(x, y), x, y)


@case
def switch_rows(keras, given):
    x, y = given(4, 3), given(4, 3)
    return keras.backend.switch(keras.backend.greater(given(4), .5), x, y)


@case
def switch_whole(keras, given):
    x, y = given(3), given(3)
    above = keras.backend.greater(keras.backend.sum(x), 100.)
    return keras.backend.switch(above, lambda: x * 2., lambda: y * 3.)


# ---- products ----------------------------------------------------------------------------

each('dot', {
    'matrices': lambda keras, given: keras.backend.dot(given(2, 3), given(3, 4)),
    'of_rank_3': lambda keras, given: keras.backend.dot(given(2, 3, 4), given(4, 5)),
    'of_open_batch': lambda keras, given: keras.backend.dot(
        given(2, 3, 4, batch=True), given(2, 4, 5)),
    'batch': lambda keras, given: keras.backend.batch_dot(given(2, 3, 4), given(2, 4, 5)),
    'batch_axes': lambda keras, given: keras.backend.batch_dot(given(2, 3), given(2, 3), axes=1),
    'batch_axes_1_2': lambda keras, given: keras.backend.batch_dot(
        given(2, 4, 3), given(2, 5, 4), axes=(1, 2)),
    'batch_of_other_rank': lambda keras, given: keras.backend.batch_dot(
        given(2, 4, 3), given(2, 3), axes=(2, 1)),
    'batch_of_other_rank_swapped': lambda keras, given: keras.backend.batch_dot(
        given(2, 3), given(2, 3, 5), axes=(1, 1)),
    'bias_add': lambda keras, given: keras.backend.bias_add(given(2, 3), given(3)),
    'bias_add_of_rank_3': lambda keras, given: keras.backend.bias_add(given(2, 4, 3), given(3)),
    'bias_add_of_rank_4': lambda keras, given: keras.backend.bias_add(
        given(2, 2, 4, 3), given(3)),
    'bias_add_of_rank_5': lambda keras, given: keras.backend.bias_add(
        given(1, 2, 2, 2, 3), given(3)),
    'bias_add_first': lambda keras, given: keras.backend.bias_add(
        given(2, 3, 2, 4), given(3), 'channels_first'),
    'bias_add_first_3': lambda keras, given: keras.backend.bias_add(
        given(2, 3, 4), given(3), 'channels_first'),
    'bias_add_full': lambda keras, given: keras.backend.bias_add(
        given(2, 2, 4, 3), given(2, 4, 3)),
    'bias_add_full_first': lambda keras, given: keras.backend.bias_add(
        given(2, 3, 2, 4), given(2, 4, 3), 'channels_first'),
    'bias_add_full_first_3': lambda keras, given: keras.backend.bias_add(
        given(2, 3, 4), given(4, 3), 'channels_first'),
})


# ---- convolutions ------------------------------------------------------------------------

FIRST = 'channels_first'
each('conv', {
    '1d': lambda keras, given: keras.backend.conv1d(
        given(2, 7, 3), given(3, 3, 4), strides=2, padding='same'),
    '1d_causal': lambda keras, given: keras.backend.conv1d(
        given(2, 7, 3), given(3, 3, 4), padding='causal', dilation_rate=2),
    '1d_first': lambda keras, given: keras.backend.conv1d(
        given(2, 3, 7), given(3, 3, 4), data_format=FIRST),
    '2d': lambda keras, given: keras.backend.conv2d(
        given(2, 5, 6, 3), given(3, 2, 3, 4), (2, 1), 'same'),
    '2d_dilated': lambda keras, given: keras.backend.conv2d(
        given(1, 7, 7, 2), given(3, 3, 2, 2), dilation_rate=(2, 2)),
    '2d_first': lambda keras, given: keras.backend.conv2d(
        given(2, 3, 5, 6), given(3, 2, 3, 4), (1, 1), 'valid', FIRST),
    '3d': lambda keras, given: keras.backend.conv3d(
        given(1, 4, 4, 4, 2), given(2, 2, 2, 2, 3), padding='same'),
    '3d_first': lambda keras, given: keras.backend.conv3d(
        given(1, 2, 4, 4, 4), given(2, 2, 2, 2, 3), data_format=FIRST),
    '2d_transpose': lambda keras, given: keras.backend.conv2d_transpose(
        given(2, 3, 3, 2), given(3, 3, 4, 2), (2, 6, 6, 4), (2, 2), 'same'),
    '2d_transpose_of_open_batch': lambda keras, given: keras.backend.conv2d_transpose(
        given(2, 3, 3, 2, batch=True), given(3, 3, 4, 2), (None, 5, 5, 4)),
    '2d_transpose_first': lambda keras, given: keras.backend.conv2d_transpose(
        given(2, 2, 3, 3), given(3, 3, 4, 2), (2, 4, 5, 5), data_format=FIRST),
    '2d_transpose_dilated': lambda keras, given: keras.backend.conv2d_transpose(
        given(1, 3, 3, 2), given(3, 3, 2, 2), (1, 7, 7, 2), dilation_rate=(2, 2)),
    '2d_separable': lambda keras, given: keras.backend.separable_conv2d(
        given(2, 5, 5, 2), given(3, 3, 2, 2), given(1, 1, 4, 3), (2, 2), 'same'),
    '2d_separable_first': lambda keras, given: keras.backend.separable_conv2d(
        given(1, 2, 5, 5), given(2, 2, 2, 1), given(1, 1, 2, 3), data_format=FIRST),
    'pool2d': lambda keras, given: keras.backend.pool2d(given(1, 4, 5, 2), (2, 2), (2, 1)),
    'pool2d_mean_first': lambda keras, given: keras.backend.pool2d(
        given(1, 2, 4, 5), (3, 2), (1, 2), 'same', FIRST, 'avg'),
    'pool3d': lambda keras, given: keras.backend.pool3d(
        given(1, 4, 4, 4, 2), (2, 2, 2), (2, 2, 2)),
    'pool3d_mean_first': lambda keras, given: keras.backend.pool3d(
        given(1, 2, 4, 4, 4), (2, 2, 2), padding='same', data_format=FIRST, pool_mode='avg'),
    'local1d': lambda keras, given: keras.backend.local_conv1d(
        given(2, 5, 2), given(2, 6, 4), (3,), (2,)),
    'local2d': lambda keras, given: keras.backend.local_conv2d(
        given(2, 3, 4, 2), given(6, 8, 3), (2, 2), (1, 1), (2, 3)),
    'local2d_first': lambda keras, given: keras.backend.local_conv2d(
        given(2, 2, 3, 4), given(6, 8, 3), (2, 2), (1, 1), (2, 3), FIRST),
})


# ---- normalisation, cross entropies ------------------------------------------------------

each('normalize', {
    'by_moments': lambda keras, given: keras.backend.batch_normalization(
        given(2, 4), given(4), given(4), given(4), given(4)),
    'images': lambda keras, given: keras.backend.batch_normalization(
        given(2, 3, 3, 4), given(4), given(4), given(4), given(4)),
    'images_plain': lambda keras, given: keras.backend.batch_normalization(
        given(2, 3, 3, 4), given(4), given(4), None, None),
    'images_by_wide_moments': lambda keras, given: keras.backend.batch_normalization(
        given(2, 3, 3, 4), *[given(1, 1, 1, 4) for _ in range(4)]),
    'batch': lambda keras, given: list(keras.backend.normalize_batch_in_training(
        given(5, 4), given(4), given(4), [0])),
    'batch_of_images': lambda keras, given: list(keras.backend.normalize_batch_in_training(
        given(2, 3, 3, 4), given(4), given(4), [0, 1, 2])),
    'batch_of_images_plain': lambda keras, given: list(keras.backend.normalize_batch_in_training(
        given(2, 3, 3, 4), None, None, [0, 1, 2])),
    'batch_of_images_first': lambda keras, given: list(keras.backend.normalize_batch_in_training(
        given(2, 4, 3, 3), given(4), given(4), [0, 2, 3])),
    'batch_of_sequences': lambda keras, given: list(keras.backend.normalize_batch_in_training(
        given(2, 4, 3), None, given(4), [0, 2])),
})
each('crossentropy', {
    'categorical': lambda keras, given: keras.backend.categorical_crossentropy(
        given(2, 3), given(2, 3)),
    'categorical_axis': lambda keras, given: keras.backend.categorical_crossentropy(
        given(2, 3, 4), given(2, 3, 4), axis=1),
    'categorical_logits': lambda keras, given: keras.backend.categorical_crossentropy(
        given(2, 3), given(2, 3), from_logits=True),
    'categorical_behind_softmax': lambda keras, given: keras.backend.categorical_crossentropy(
        given(2, 3), keras.backend.softmax(given(2, 3))),
    'sparse': lambda keras, given: keras.backend.sparse_categorical_crossentropy(
        given(2, high=3, dtype='int32'), given(2, 3)),
    'sparse_column': lambda keras, given: keras.backend.sparse_categorical_crossentropy(
        given(2, 1, high=3), given(2, 3)),
    'sparse_sequences': lambda keras, given: keras.backend.sparse_categorical_crossentropy(
        given(2, 4, high=3), given(2, 4, 3), from_logits=True),
    'sparse_behind_softmax': lambda keras, given: keras.backend.sparse_categorical_crossentropy(
        given(2, high=3, dtype='int32'), keras.backend.softmax(given(2, 3))),
    'binary': lambda keras, given: keras.backend.binary_crossentropy(given(2, 3), given(2, 3)),
    'binary_logits': lambda keras, given: keras.backend.binary_crossentropy(
        given(2, 3), given(2, 3), True),
    'binary_behind_sigmoid': lambda keras, given: keras.backend.binary_crossentropy(
        given(2, 3), keras.backend.sigmoid(given(2, 3))),
})
each('nn', {
    'in_top_k': lambda keras, given: keras.backend.in_top_k(
        given(3, 4), given(3, high=4, dtype='int32'), 2),
    'dropout': lambda keras, given: keras.backend.dropout(given(4, 5), .4, seed=3),
    'dropout_of_rows': lambda keras, given: keras.backend.dropout(given(4, 5), .4, (4, 1), 3),
    'random_normal': lambda keras, given: keras.backend.random_normal((3, 4), 1., 2., seed=5),
    'random_uniform': lambda keras, given: keras.backend.random_uniform((3, 4), 1., 2., seed=5),
    'random_binomial': lambda keras, given: keras.backend.random_binomial((3, 4), .3, seed=5),
    'truncated_normal': lambda keras, given: keras.backend.truncated_normal((3, 4), seed=5),
    'map_fn': lambda keras, given: keras.backend.map_fn(lambda row: row * row, given(3, 2)),
    'foldl': lambda keras, given: keras.backend.foldl(lambda a, b: a - 2. * b, given(3, 2)),
    'foldr': lambda keras, given: keras.backend.foldr(lambda a, b: a - 2. * b, given(3, 2)),
})


@case
def ctc_losses(keras, given):
    labels = given(3, 3, high=4, dtype='int32')
    return keras.backend.ctc_batch_cost(
        labels, keras.backend.softmax(given(3, 7, 5)), keras.backend.constant([[7], [6], [7]]),
        keras.backend.constant([[3], [2], [1]]))


@case
def ctc_decoded(keras, given):
    y = keras.backend.softmax(given(3, 7, 5, low=-4, high=4))
    lengths = keras.backend.constant([7, 6, 5])
    greedy, score = keras.backend.ctc_decode(y, lengths)
    paths, scores = keras.backend.ctc_decode(y, lengths, greedy=False, beam_width=10, top_paths=2)
    return [greedy[0], score, paths[0], paths[1], scores]


@case
def ctc_sparse_labels(keras, given):
    sparse = keras.backend.ctc_label_dense_to_sparse(
        given(3, 4, high=9, dtype='int32'), keras.backend.constant([2, 4, 1], dtype='int32'))
    return [sparse.indices, sparse.values, sparse.dense_shape]


# ---- K.rnn -------------------------------------------------------------------------------


def _rnn(steps=4, masked=False, **kwargs):
    def build(keras, given):
        K = keras.backend
        x, start = given(2, steps, 3), given(2, 3)
        mask = K.constant([[1, 1, 0, 1], [1, 0, 0, 1]]) if masked else None

        def step(inputs, states):
            output = inputs * .5 + states[0] * .9
            return output, [output]
        last, outputs, states = K.rnn(step, x, [start], mask=mask, **kwargs)
        return [last, outputs] + list(states)
    return build


each('rnn', {
    'loop': _rnn(), 'unrolled': _rnn(unroll=True), 'backwards': _rnn(go_backwards=True),
    'unrolled_backwards': _rnn(unroll=True, go_backwards=True), 'masked': _rnn(masked=True),
    'masked_unrolled': _rnn(masked=True, unroll=True),
    'masked_zeros': _rnn(masked=True, zero_output_for_mask=True),
    'masked_zeros_unrolled': _rnn(masked=True, unroll=True, zero_output_for_mask=True),
    'masked_backwards': _rnn(masked=True, go_backwards=True),
})


# ---- activations, regularizers, constraints, initializers --------------------------------

ACTIVATIONS = ('elu', 'exponential', 'hard_sigmoid', 'linear', 'relu', 'selu', 'sigmoid',
               'softmax', 'softplus', 'softsign', 'tanh')


def _activation(name):
    def build(keras, given):
        function = keras.activations.get(name)
        return [function(given(2, 3, low=-2) * 1.), function(given(2, 3, 4, low=-2) * 1.)]
    return build


def _constraint(name, **config):
    return lambda keras, given: getattr(keras.constraints, name)(**config)(
        given(4, 3, low=-2, high=2))


SHAPES = {'matrix': (4, 5), 'filters': (3, 2, 3, 2)}
INITIALIZERS = ('zeros', 'ones', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform',
                'lecun_normal', 'lecun_uniform', 'orthogonal', 'random_normal', 'random_uniform',
                'truncated_normal')


def _initializer(name, shape):
    def build(keras, given):
        made = getattr(keras.initializers, name)
        made = made() if name in ('zeros', 'ones') else made(seed=7)
        return made(shape)
    return build


each('activation', {name: _activation(name) for name in ACTIVATIONS})
each('initializer', {'%s_%s' % (name, kind): _initializer(name, shape)
                     for name in INITIALIZERS for kind, shape in SHAPES.items()})
each('initializer', {
    'constant': lambda keras, given: keras.initializers.Constant(3.)((2, 3)),
    'identity': lambda keras, given: keras.initializers.Identity(2.)((3, 3)),
    'variance_scaling': lambda keras, given: keras.initializers.VarianceScaling(
        2., 'fan_avg', 'uniform', seed=3)((4, 5)),
})
each('regularizer', {
    'l1': lambda keras, given: keras.regularizers.l1(.2)(given(2, 3, low=-1)),
    'l2': lambda keras, given: keras.regularizers.l2(.2)(given(2, 3, low=-1)),
    'l1_l2': lambda keras, given: keras.regularizers.l1_l2(.1, .2)(given(2, 3, low=-1)),
    'none': lambda keras, given: keras.regularizers.L1L2()(given(2, 3)),
})
each('constraint', {
    'max_norm': _constraint('MaxNorm', max_value=1.5),
    'max_norm_axis': _constraint('max_norm', max_value=1., axis=1),
    'min_max_norm': _constraint('MinMaxNorm', min_value=.5, max_value=1., rate=.5),
    'non_neg': _constraint('NonNeg'), 'unit_norm': _constraint('UnitNorm'),
    'radial': lambda keras, given: keras.constraints.RadialConstraint()(given(5, 5, 1, 2)),
    'radial_even': lambda keras, given: keras.constraints.RadialConstraint()(given(4, 4, 1, 1)),
})
