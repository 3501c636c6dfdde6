"""Calls by the names of Keras 1, and what becomes of them in Keras 2.1.6. Also Python 3.7."""
import warnings


def cases(L):
    """(name, layer factory, the settings of the configuration that the call decides)."""
    space = ['filters', 'kernel_size', 'strides', 'padding', 'data_format', 'use_bias']
    kinds = [('max2', L.MaxPooling2D), ('average2', L.AveragePooling2D)]
    found = [('pool_' + n, lambda c=c: c((2, 2), strides=(2, 1), border_mode='same',
                                         dim_ordering='th'),
              ['pool_size', 'strides', 'padding', 'data_format']) for n, c in kinds]
    kinds = [('dropout', L.Dropout), ('spatial1', L.SpatialDropout1D),
             ('gaussian', L.GaussianDropout)]
    found += [('p_' + n, lambda c=c: c(p=0.25), ['rate']) for n, c in kinds]
    kinds = [('up2', L.UpSampling2D), ('crop2', L.Cropping2D), ('pad2', L.ZeroPadding2D),
             ('up3', L.UpSampling3D), ('crop3', L.Cropping3D), ('pad3', L.ZeroPadding3D),
             ('global_max2', L.GlobalMaxPooling2D), ('global_average2', L.GlobalAveragePooling2D),
             ('global_max3', L.GlobalMaxPooling3D), ('global_average3', L.GlobalAveragePooling3D),
             ('max3', L.MaxPooling3D), ('average3', L.AveragePooling3D)]
    found += [('ordering_' + n, lambda c=c: c(dim_ordering='th'), ['data_format'])
              for n, c in kinds]
    found += [('ordering_default', lambda: L.UpSampling2D(dim_ordering='default'),
               ['data_format'])]
    kinds = [('lstm', L.LSTM), ('gru', L.GRU)]
    found += [('recurrent_' + n, lambda c=c: c(output_dim=3, inner_activation='sigmoid',
                                               dropout_W=0.1, dropout_U=0.2, consume_less='gpu'),
               ['units', 'recurrent_activation', 'dropout', 'recurrent_dropout', 'implementation'])
              for n, c in kinds]
    found += [
        ('dense', lambda: L.Dense(output_dim=3, init='zero', activation='tanh', bias=False),
         ['units', 'use_bias', 'activation']),
        ('dense_long', lambda: L.Dense(3, W_regularizer='l1', name='a_long_name'), ['units']),
        ('dense_position', lambda: L.Dense(3, bias=False), ['units', 'use_bias']),
        ('embedding', lambda: L.Embedding(5, 3, init='one', dropout=0.2),
         ['input_dim', 'output_dim']),
        ('noise', lambda: L.GaussianNoise(sigma=0.5), ['stddev']),
        ('pool1', lambda: L.MaxPooling1D(pool_length=3, stride=2, border_mode='same'),
         ['pool_size', 'strides', 'padding']),
        ('average1', lambda: L.AveragePooling1D(pool_length=3, stride=2), ['pool_size', 'strides']),
        ('upsampling1', lambda: L.UpSampling1D(length=3), ['size']),
        ('spatial2', lambda: L.SpatialDropout2D(p=0.25, dim_ordering='th'), ['rate']),
        ('conv1', lambda: L.Convolution1D(nb_filter=4, filter_length=3, subsample_length=2,
                                          border_mode='same', input_dim=5, input_length=7), space),
        ('conv2', lambda: L.Convolution2D(8, 3, 2, border_mode='same', subsample=(2, 1),
                                          dim_ordering='tf'), space),
        ('conv2_column', lambda: L.Convolution2D(8, 3, nb_col=2), space),
        ('conv2_names', lambda: L.Conv2D(8, nb_row=3, nb_col=2, bias=False), space),
        ('conv2_all_names', lambda: L.Conv2D(nb_filter=8, nb_row=3, nb_col=2), space),
        ('conv2_today', lambda: L.Conv2D(8, (3, 2), border_mode='same'), space),
        ('conv3', lambda: L.Convolution3D(8, 3, 2, 1, border_mode='same'), space),
        ('conv3_plain', lambda: L.Convolution3D(8, 3, 2, 1), space),
        ('conv3_names', lambda: L.Conv3D(8, kernel_dim1=3, kernel_dim2=2, kernel_dim3=1), space),
        ('separable', lambda: L.SeparableConvolution2D(8, 3, 2, border_mode='same'), space),
        ('transposed', lambda: L.Deconvolution2D(8, 3, 2, output_shape=(None, 4, 4, 8),
                                                 border_mode='same'), space),
        ('local1', lambda: L.LocallyConnected1D(nb_filter=4, filter_length=3), space),
        ('local2', lambda: L.LocallyConnected2D(8, 3, 2, subsample=(2, 1)), space),
        ('batch_norm', lambda: L.BatchNormalization(mode=0, beta_init='one'), ['epsilon']),
        ('prelu', lambda: L.PReLU(init='one'), []),
        ('simple_rnn', lambda: L.SimpleRNN(output_dim=3, dropout_W=0.1), ['units', 'dropout']),
        ('lstm_forget', lambda: L.LSTM(3, forget_bias_init='one'), ['unit_forget_bias']),
        ('conv_lstm', lambda: L.ConvLSTM2D(nb_filter=4, nb_row=3, nb_col=2, border_mode='same'),
         space),
    ]
    return found


def run(make, settings):
    """The texts of the warnings, and what the layer was told."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        layer = make()
    config = layer.get_config()
    return {'warnings': [str(w.message) for w in caught if w.category is UserWarning],
            'config': {name: config[name] if name in config else getattr(layer, name)
                       for name in settings}}
