"""keras.datasets: iris and digits are included, the others are downloaded."""
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.lazy import importing

_MODULES = ('boston_housing', 'california_housing', 'cifar10', 'cifar100', 'digits',
            'fashion_mnist', 'imdb', 'iris', 'mnist', 'reuters')
__all__ = [*_MODULES]
__getattr__ = importing(globals(), {m: f'keras_layer.datasets.{m}' for m in _MODULES},
                        explain_missing('tf.keras.datasets', __all__), shown=_MODULES)
