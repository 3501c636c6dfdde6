"""keras.wrappers: models as scikit-learn estimators."""
from tinyflow.graph.support.missing import absent
from tinyflow.graph.support.lazy import importing

__all__ = ['scikit_learn']
__getattr__ = importing(globals(), {'scikit_learn': 'keras_layer.wrappers.scikit_learn'},
                        absent('tf.keras.wrappers', __all__), shown=('scikit_learn',))
