"""keras.wrappers: models as scikit-learn's estimators; still to be built."""
from tinyflow.absent import absent

__all__: list[str] = []
__getattr__ = absent('tf.keras.wrappers', __all__)
