"""Fourier and cosine transforms, windows, frames: what tf.signal and tf.spectral show."""
