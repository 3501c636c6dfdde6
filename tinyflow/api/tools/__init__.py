"""tensorflow.python.tools and .client: inspect_checkpoint, freeze_graph, device_lib, file_io."""
