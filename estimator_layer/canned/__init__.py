"""Canned estimators: a model and a head for given feature columns."""
