"""Layers to be compared with TF 1.15's, and what is compared. Runs under Python 3.7, too."""
import numpy as np


def cases(L, keras):
    """(name, layer factory, input shapes without the batch, dtype of the inputs)."""
    f, i = 'float32', 'int32'
    seq, img, vol = [(6, 4)], [(7, 6, 3)], [(4, 5, 4, 2)]
    act = ['relu', 'tanh', 'sigmoid', 'elu', 'selu', 'softplus', 'softsign', 'hard_sigmoid',
           'exponential', 'softmax', 'linear']
    found = [('activation_' + a, lambda a=a: L.Activation(a), [(5,)], f) for a in act]
    found += [
        ('dense', lambda: L.Dense(3), [(4,)], f),
        ('dense_relu', lambda: L.Dense(3, activation='relu', use_bias=False), [(4,)], f),
        ('dense_3d', lambda: L.Dense(2, activation='tanh'), seq, f),
        ('dense_regularized', lambda: L.Dense(
            3, kernel_regularizer=keras.regularizers.l2(0.1), bias_regularizer='l1',
            kernel_constraint='max_norm', activity_regularizer='l2'), [(4,)], f),
        ('flatten', lambda: L.Flatten(), img, f),
        ('flatten_first', lambda: L.Flatten('channels_first'), img, f),
        ('reshape', lambda: L.Reshape((3, -1)), [(6, 2)], f),
        ('permute', lambda: L.Permute((2, 1)), seq, f),
        ('repeat', lambda: L.RepeatVector(3), [(4,)], f),
        ('masking', lambda: L.Masking(0.5), seq, f),
        ('dropout', lambda: L.Dropout(0.5), [(4,)], f),
        ('spatial_dropout', lambda: L.SpatialDropout1D(0.5), seq, f),
        ('spatial_dropout_2d', lambda: L.SpatialDropout2D(0.5), img, f),
        ('activity', lambda: L.ActivityRegularization(0.1, 0.2), [(4,)], f),
        ('conv1d', lambda: L.Conv1D(3, 2), seq, f),
        ('conv1d_causal', lambda: L.Conv1D(3, 2, padding='causal', dilation_rate=2), seq, f),
        ('conv1d_same', lambda: L.Conv1D(3, 3, padding='same', strides=2, activation='relu'), seq, f),
        ('conv2d', lambda: L.Conv2D(4, 3), img, f),
        ('conv2d_same', lambda: L.Conv2D(4, (3, 2), strides=2, padding='same', activation='relu'), img, f),
        ('conv2d_dilated', lambda: L.Conv2D(2, 2, dilation_rate=2, use_bias=False), img, f),
        ('conv3d', lambda: L.Conv3D(2, 2), vol, f),
        ('conv2d_transpose', lambda: L.Conv2DTranspose(2, 3, strides=2, padding='same'), img, f),
        ('conv2d_transpose_valid', lambda: L.Conv2DTranspose(2, 3), img, f),
        ('conv3d_transpose', lambda: L.Conv3DTranspose(2, 2), vol, f),
        ('separable1d', lambda: L.SeparableConv1D(3, 2), seq, f),
        ('separable2d', lambda: L.SeparableConv2D(4, 3, depth_multiplier=2, activation='relu'), img, f),
        ('depthwise', lambda: L.DepthwiseConv2D(3, depth_multiplier=2, padding='same'), img, f),
        ('upsampling1d', lambda: L.UpSampling1D(2), seq, f),
        ('upsampling2d', lambda: L.UpSampling2D((2, 3)), img, f),
        ('upsampling2d_bilinear', lambda: L.UpSampling2D(2, interpolation='bilinear'), img, f),
        ('upsampling3d', lambda: L.UpSampling3D(2), vol, f),
        ('padding1d', lambda: L.ZeroPadding1D((1, 2)), seq, f),
        ('padding2d', lambda: L.ZeroPadding2D(((1, 2), (0, 1))), img, f),
        ('padding3d', lambda: L.ZeroPadding3D(1), vol, f),
        ('cropping1d', lambda: L.Cropping1D((1, 0)), seq, f),
        ('cropping2d', lambda: L.Cropping2D(((1, 2), (0, 1))), img, f),
        ('cropping3d', lambda: L.Cropping3D(1), vol, f),
        ('max1d', lambda: L.MaxPooling1D(2), seq, f),
        ('max2d', lambda: L.MaxPooling2D(), img, f),
        ('max2d_same', lambda: L.MaxPooling2D(3, strides=2, padding='same'), img, f),
        ('max3d', lambda: L.MaxPooling3D(2), vol, f),
        ('average1d', lambda: L.AveragePooling1D(2), seq, f),
        ('average2d', lambda: L.AveragePooling2D(2, padding='same'), img, f),
        ('average3d', lambda: L.AveragePooling3D(2), vol, f),
        ('global_max1d', lambda: L.GlobalMaxPooling1D(), seq, f),
        ('global_max2d', lambda: L.GlobalMaxPooling2D(), img, f),
        ('global_average1d', lambda: L.GlobalAveragePooling1D(), seq, f),
        ('global_average2d', lambda: L.GlobalAveragePooling2D(), img, f),
        ('global_average3d', lambda: L.GlobalAveragePooling3D(), vol, f),
        ('embedding', lambda: L.Embedding(7, 3), [(5,)], i),
        ('embedding_mask', lambda: L.Embedding(7, 3, mask_zero=True, input_length=5), [(5,)], i),
        ('batch_norm', lambda: L.BatchNormalization(), [(4,)], f),
        ('batch_norm_fused', lambda: L.BatchNormalization(), img, f),
        ('batch_norm_no_scale', lambda: L.BatchNormalization(scale=False, epsilon=0.01), [(4,)], f),
        ('layer_norm', lambda: L.LayerNormalization(), seq, f),
        ('layer_norm_axes', lambda: L.LayerNormalization(axis=[1, 2]), seq, f),
        ('add', lambda: L.Add(), [(4,), (4,), (4,)], f),
        ('subtract', lambda: L.Subtract(), [(4,), (4,)], f),
        ('multiply', lambda: L.Multiply(), [(3, 4), (3, 4)], f),
        ('average', lambda: L.Average(), [(4,), (4,)], f),
        ('maximum', lambda: L.Maximum(), [(4,), (4,)], f),
        ('minimum', lambda: L.Minimum(), [(4,), (4,)], f),
        ('concatenate', lambda: L.Concatenate(), [(3, 4), (3, 2)], f),
        ('concatenate_1', lambda: L.Concatenate(axis=1), [(3, 4), (2, 4)], f),
        ('dot', lambda: L.Dot(1), [(4,), (4,)], f),
        ('dot_3d', lambda: L.Dot((2, 1)), [(3, 4), (4, 2)], f),
        ('dot_cosine', lambda: L.Dot(1, normalize=True), [(4,), (4,)], f),
        ('gaussian_noise', lambda: L.GaussianNoise(0.5), [(4,)], f),
        ('gaussian_dropout', lambda: L.GaussianDropout(0.5), [(4,)], f),
        ('alpha_dropout', lambda: L.AlphaDropout(0.5), [(4,)], f),
        ('leaky_relu', lambda: L.LeakyReLU(0.2), [(4,)], f),
        ('prelu', lambda: L.PReLU(), [(4,)], f),
        ('prelu_shared', lambda: L.PReLU(shared_axes=[1, 2]), img, f),
        ('elu', lambda: L.ELU(0.7), [(4,)], f),
        ('thresholded', lambda: L.ThresholdedReLU(0.3), [(4,)], f),
        ('softmax', lambda: L.Softmax(axis=1), [(3, 4)], f),
        ('relu', lambda: L.ReLU(max_value=0.7, negative_slope=0.1, threshold=0.1), [(4,)], f),
        ('relu_6', lambda: L.ReLU(6.), [(4,)], f),
        ('time_distributed', lambda: L.TimeDistributed(L.Dense(3)), seq, f),
        ('local1d', lambda: L.LocallyConnected1D(3, 2), seq, f),
        ('local1d_first', lambda: L.LocallyConnected1D(
            3, 2, strides=2, data_format='channels_first', use_bias=False), seq, f),
        ('local1d_masked', lambda: L.LocallyConnected1D(
            3, 3, padding='same', implementation=2, activation='relu'), seq, f),
        ('local1d_sparse', lambda: L.LocallyConnected1D(
            3, 2, strides=2, padding='same', implementation=3), seq, f),
        ('local2d', lambda: L.LocallyConnected2D(2, (3, 2), strides=(2, 1), activation='tanh'),
         [(5, 4, 2)], f),
        ('local2d_masked', lambda: L.LocallyConnected2D(2, (3, 2), strides=(2, 1), implementation=2),
         [(5, 4, 2)], f),
        ('local2d_masked_first', lambda: L.LocallyConnected2D(
            2, (3, 2), padding='same', implementation=2, data_format='channels_first'),
         [(2, 3, 4)], f),
        ('local2d_sparse', lambda: L.LocallyConnected2D(2, 2, implementation=3), [(3, 4, 2)], f),
        ('local2d_sparse_first', lambda: L.LocallyConnected2D(
            2, 2, implementation=3, data_format='channels_first'), [(2, 3, 4)], f),
        ('attention', lambda: L.Attention(), [(3, 4), (5, 4)], f),
        ('attention_key', lambda: L.Attention(use_scale=True), [(3, 4), (5, 4), (5, 4)], f),
        ('attention_causal', lambda: L.Attention(causal=True), [(4, 3), (4, 3)], f),
        ('additive_attention', lambda: L.AdditiveAttention(), [(3, 4), (5, 4)], f),
        ('additive_attention_causal', lambda: L.AdditiveAttention(use_scale=False, causal=True),
         [(4, 3), (4, 3), (4, 3)], f),
        ('time_distributed_conv', lambda: L.TimeDistributed(L.Conv2D(2, 2)), [(3, 5, 5, 2)], f),
    ]
    return found


def value(shape, number, dtype='float32'):
    """The same numbers everywhere."""
    rng = np.random.RandomState(number)
    if dtype == 'int32':
        return rng.randint(0, 7, shape).astype(dtype)
    return (rng.uniform(-1, 1, shape) + 0.01).astype('float32')


def node_count(tf, graph):
    """TF1's number of nodes, which is the op seed where only the graph has a seed."""
    before = graph.seed
    tf.set_random_seed(1)
    count = tf.get_seed(None)[1]
    graph.seed = before
    return count


def run(tf, make, shapes, dtype):
    """What a layer gives for given weights, as plain values."""
    keras = tf.keras
    keras.backend.clear_session()
    with tf.Graph().as_default() as graph:
        inputs = [keras.layers.Input(s, dtype=dtype) for s in shapes]
        layer = make()
        x = inputs[0] if len(inputs) == 1 else inputs
        output = layer(x)
        nodes = [[op.name, op.type] for op in graph.get_operations()]
        count = node_count(tf, graph)
        floats = [t for t in inputs if dtype == 'float32']
        weights = list(layer.trainable_weights)
        # Not the plain sum: some outputs (softmax) have one without a gradient.
        total = tf.reduce_sum(output * output * (1. + 0.1 * output))
        gradients = tf.gradients(total, floats + [w for w in weights])
        losses = layer.losses
        with tf.Session(graph=graph) as session:
            keras.backend.set_session(session)
            session.run(tf.global_variables_initializer())
            if layer.weights:
                layer.set_weights([value(w.shape.as_list(), 10 + n) + (
                    1. if 'variance' in w.name else 0.) for n, w in enumerate(layer.weights)])
            feeds = {t: value((2,) + tuple(s), n, dtype)
                     for n, (t, s) in enumerate(zip(inputs, shapes))}
            dense = [tf.convert_to_tensor(g) for g in gradients]
            found = session.run({'output': output, 'gradients': dense, 'losses': losses}, feeds)
    config = layer.get_config()
    return {'nodes': nodes, 'count': count, 'output': found['output'], 'gradients': found['gradients'],
            'losses': found['losses'], 'shape': [d for d in output.shape.as_list()],
            'computed': computed_shape(tf, layer, inputs),
            'weights': [w.name for w in layer.weights], 'config': config}


def computed_shape(tf, layer, inputs):
    """What compute_output_shape says; of TF's Attention, which has none, what comes out."""
    shapes = [t.shape for t in inputs] if len(inputs) > 1 else inputs[0].shape
    try:
        computed = layer.compute_output_shape(shapes)
    except NotImplementedError:
        computed = layer.output_shape
    return tf.TensorShape(computed).as_list()
