"""Gradient boosted trees: estimators, model_fn, feature buckets, growers, explanations."""
