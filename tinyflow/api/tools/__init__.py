"""TensorFlow's command-line helpers that programs import: checkpoints told, graphs frozen."""
