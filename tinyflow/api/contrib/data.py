"""tf.contrib.data: most of it is tf.data.experimental."""
from tinyflow.api.contrib.dataset_transforms import (
    assert_element_shape,
    batch_and_drop_remainder,
    padded_batch_and_drop_remainder,
    read_batch_features,
    reduce_dataset,
    sliding_window_batch,
)
from tinyflow.data.experimental import (
    AUTOTUNE,
    Counter,
    CsvDataset,
    RandomDataset,
    Reducer,
    TFRecordWriter,
    bucket_by_sequence_length,
    choose_from_datasets,
    copy_to_device,
    enumerate_dataset,
    get_single_element,
    group_by_reducer,
    group_by_window,
    ignore_errors,
    make_batched_features_dataset,
    make_csv_dataset,
    make_saveable_from_iterator,
    map_and_batch,
    parallel_interleave,
    parse_example_dataset,
    prefetch_to_device,
    rejection_resample,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    unbatch,
    unique,
)
from tinyflow.data.interleaving import sloppy_interleave
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = [
    'AUTOTUNE', 'Counter', 'CsvDataset', 'RandomDataset', 'Reducer', 'TFRecordWriter',
    'assert_element_shape', 'batch_and_drop_remainder', 'bucket_by_sequence_length',
    'choose_from_datasets', 'copy_to_device', 'enumerate_dataset', 'get_single_element',
    'group_by_reducer', 'group_by_window', 'ignore_errors', 'make_batched_features_dataset',
    'make_csv_dataset', 'make_saveable_from_iterator', 'map_and_batch',
    'padded_batch_and_drop_remainder', 'parallel_interleave', 'parse_example_dataset',
    'prefetch_to_device', 'read_batch_features', 'reduce_dataset', 'rejection_resample',
    'sample_from_datasets', 'scan', 'shuffle_and_repeat', 'sliding_window_batch',
    'sloppy_interleave', 'unbatch', 'unique',
]

__getattr__ = _explain_missing(__name__, __all__)
