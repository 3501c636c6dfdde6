"""Training with parameter servers: optimizers that bring the gradients of several workers together.
"""
