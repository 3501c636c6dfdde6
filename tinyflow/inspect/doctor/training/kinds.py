"""The op types by which the doctor knows layers and activations."""

LAYERS = frozenset({'MatMul', 'BatchMatMul', 'BatchMatMulV2', 'Conv2D', 'Conv3D',
                    'DepthwiseConv2dNative', 'Conv2DBackpropInput'})
SQUASH = ('Sigmoid', 'Tanh')
RELUS = ('Relu', 'Relu6')
PASS_ON = frozenset({'Identity', 'Reshape', 'Cast', 'Transpose', 'ReadVariableOp', 'ExpandDims',
                     'Squeeze'})
