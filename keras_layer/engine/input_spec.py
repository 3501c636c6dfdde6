"""InputSpec: what a layer wants its inputs to be, and the check of it; as for tf.layers."""
from tinyflow.layers.input_spec import InputSpec, check_inputs as assert_input_compatibility

__all__ = ['InputSpec', 'assert_input_compatibility']
