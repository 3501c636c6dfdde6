"""Ready-made estimators: a model and a head, given feature columns."""
