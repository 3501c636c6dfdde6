"""How a model is trained: losses and metrics, data, loops."""
