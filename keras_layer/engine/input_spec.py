"""InputSpec: the constraints of a layer on its inputs, shared with tf.layers."""
from tinyflow.layers.input_spec import InputSpec, check_inputs as assert_input_compatibility

__all__ = ['InputSpec', 'assert_input_compatibility']
