"""TensorFlow's protocol buffers in the protobuf package `tinyflow`.

The .proto files are the source; `make protos` turns them into the `*_pb2.py` modules. Message and
field names and numbers are TensorFlow 1.15's, so the bytes are the same; the package is another,
so that TensorFlow and TensorBoard can live in the same process. These modules load
google.protobuf: import them inside functions, as `import tinyflow` must stay light.
"""
