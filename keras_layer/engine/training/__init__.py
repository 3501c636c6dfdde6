"""Training of models: losses and metrics, data, loops."""
