"""keras.wrappers: models as scikit-learn estimators."""
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.lazy import importing

__all__ = ['scikit_learn']
__getattr__ = importing(globals(), {'scikit_learn': 'keras_layer.wrappers.scikit_learn'},
                        explain_missing('tf.keras.wrappers', __all__), shown=('scikit_learn',))
