"""Names of single modules of tensorflow_estimator.python that are not public."""
