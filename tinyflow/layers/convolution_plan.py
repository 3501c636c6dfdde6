"""The convolution of a layer: settings fixed when it is built, and the nodes of a call."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import int32
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.conv import convolution_functions, dilated


class ConvolutionPlan:
    """Convolves inputs with a kernel [*size, in, out], in one, two or three dimensions."""

    def __init__(self, kernel_shape, padding, strides, dilation_rate, data_format):
        if max(strides) > 1 and max(dilation_rate) > 1:
            raise misuse(ValueError('strides > 1 not supported in conjunction with dilation_rate > '
                                    f'1; these are {strides} and {dilation_rate}.'))
        self._kernel_shape = kernel_shape
        self._padding, self._strides, self._data_format = padding, strides, data_format
        self._is_dilated = any(rate != 1 for rate in dilation_rate)
        self._rate = convert_to_tensor(list(dilation_rate), int32, 'dilation_rate')

    def __call__(self, inputs, kernel):
        if not self._is_dilated:
            return self._convolve(inputs, kernel, self._padding)
        return dilated.with_space_to_batch(
            inputs, self._rate, self._padding,
            lambda x, _, padding: self._convolve(x, kernel, padding),
            filter_shape=self._kernel_shape, data_format=self._data_format)

    def _convolve(self, inputs, kernel, padding):
        axes = len(self._strides)
        if axes == 1:
            return convolution_functions.conv1d(inputs, kernel, stride=self._strides[0],
                                                padding=padding, data_format=self._data_format)
        first = self._data_format.startswith('NC')
        strides = (1, 1, *self._strides) if first else (1, *self._strides, 1)
        convolve = convolution_functions.conv2d if axes == 2 else convolution_functions.conv3d
        return convolve(inputs, kernel, strides=list(strides), padding=padding,
                        data_format=self._data_format)
