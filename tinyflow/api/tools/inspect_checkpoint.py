"""inspect_checkpoint: prints the tensors of a checkpoint."""
from __future__ import annotations

import re
from math import prod

from tinyflow.train.checkpoints.inspection import NewCheckpointReader

__all__ = ['print_tensors_in_checkpoint_file']


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False,
                                     count_exclude_pattern=''):
    """Prints the name and value of `tensor_name`, or of all tensors, or a table without either.

    `all_tensor_names`: the names without the values. The last line is the number of
    parameters in all tensors except those whose names match `count_exclude_pattern`. NotFoundError
    or DataLossError name the file; a missing tensor is reported.
    """
    reader = NewCheckpointReader(file_name)
    shapes = reader.get_variable_to_shape_map()
    if all_tensors or all_tensor_names:
        for name in sorted(shapes):
            print('tensor_name: ', name)
            if all_tensors:
                print(reader.get_tensor(name))
    elif not tensor_name:
        print(reader.debug_string().decode('utf-8', 'ignore'))
    else:
        print('tensor_name: ', tensor_name)
        if tensor_name not in shapes:
            print(f'Key {tensor_name} not found in checkpoint')
            return
        print(reader.get_tensor(tensor_name))
    _print_count(shapes, count_exclude_pattern)


def _print_count(shapes, excluded):
    sizes = {name: prod(shape) for name, shape in shapes.items()}
    left_out = [size for name, size in sizes.items() if excluded and re.search(excluded, name)]
    if left_out:
        print(f'# Excluding {len(left_out)} tensors ({sum(left_out)} params) that match {excluded} '
              'when counting.')
    print(f'# Total number of params: {sum(sizes.values()) - sum(left_out)}')
