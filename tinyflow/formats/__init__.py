"""TensorFlow's file formats: protocol buffers, tensors, TFRecord, checkpoints, graphs.

    protos/             the messages (*_pb2): TensorFlow's fields in the protobuf package `tinyflow`
    graphdef/           graphs <-> GraphDef, MetaGraphDef
    wire/               everything else:
      messages.py         the messages by their public names: tf.GraphDef, tf.NodeDef ...
      tensors.py          arrays <-> TensorProto; shapes; numbers of dtypes
      varints.py          numbers of variable length; ordered.py: numbers that sort as bytes
      reading.py          files of one protocol buffer, binary or text
      crc.py, records.py  checksums; TFRecord
      examples.py         tf.train.Example and SequenceExample; feature_lists.py: their lists
      files.py            atomic file writes
      table.py, snappy.py the sorted tables of checkpoint indexes
      bundle.py           reading checkpoints; bundle_data.py: their tensors; bundle_writer.py
      checkpoint_v1.py    reading those of 2016; slices.py: parts of partitioned Variables
      events.py           event files; histogram.py, png.py, wav.py: contents of summaries
      run_metadata.py     the times of a run
"""
