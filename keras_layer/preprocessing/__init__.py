"""keras.preprocessing: images, sequences and texts as arrays."""
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.lazy import importing

_MODULES = ('image', 'sequence', 'text')
__all__ = [*_MODULES]
__getattr__ = importing(globals(), {m: f'keras_layer.preprocessing.{m}' for m in _MODULES},
                        explain_missing('tf.keras.preprocessing', __all__), shown=_MODULES)
