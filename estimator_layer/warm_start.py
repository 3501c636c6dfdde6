"""Warm start of an Estimator: initializes Variables from the checkpoint of another model.

TensorFlow loads trainable Variables only, without a log entry. Here moving averages and similar
state are loaded by default, too, and a table in the log lists what was loaded and what was not.
"""
from __future__ import annotations

import re

from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.train.checkpoints.inspection import checkpoint_filename, list_variables
from tinyflow.train.checkpoints.warm_start import init_from_checkpoint, warm_start

__all__ = ['warm_start_variables']

_EVERYTHING = '.*'      # the default of WarmStartSettings
# Counters of optimizers; slots are recognized by the names of the Variables they belong to.
_OPTIMIZER = re.compile(r'(^|/)(beta\d_power(_\d+)?|training/.*|signal_early_stopping/.*)$')
_MAX_ROWS = 60


def warm_start_variables(settings):
    """Initializes the Variables of the default graph by WarmStartSettings; logs a table."""
    logging.info('Warm-starting with WarmStartSettings: %s', settings)
    path = checkpoint_filename(settings.ckpt_to_initialize_from)
    stored = {name: tuple(shape) for name, shape in list_variables(path)}
    before = {v: v.initializer for v in get_collection(GraphKeys.GLOBAL_VARIABLES)}
    warm_start(*settings)
    if settings.vars_to_warm_start == _EVERYTHING:
        _load_state(path, stored)
    loaded = [v for v, initializer in before.items() if v.initializer is not initializer]
    logging.info('Warm start from %s:\n%s', path,
                 _table(before, loaded, stored, settings.var_name_to_prev_var_name))


def _load_state(path, stored):
    """Loads untrained Variables that are not optimizer state, if name and shape match."""
    trained = get_collection(GraphKeys.TRAINABLE_VARIABLES)
    slots = tuple(f'{v.op.name}/' for v in trained)
    counters = get_collection(GraphKeys.GLOBAL_STEP)
    state = [v for v in get_collection(GraphKeys.GLOBAL_VARIABLES)
             if not any(v is other for other in (*trained, *counters))
             and not v.op.name.startswith(slots or ('//',)) and not _OPTIMIZER.search(v.op.name)
             and stored.get(v.op.name) == tuple(v.shape.as_list())]
    if state:
        init_from_checkpoint(path, {v.op.name: v for v in state})


def _table(variables, loaded, stored, previous):
    rows, used = [], set()
    for variable in variables:
        name = variable.op.name
        source = previous.get(name, name)
        if any(variable is other for other in loaded):
            used.add(source)
            rows.append(('loaded', name, variable.shape, '' if source == name else
                         f'from {source}'))
        elif name in stored:
            used.add(name)
            same = stored[name] == tuple(variable.shape.as_list())
            rows.append(('initialized', name, variable.shape, 'the checkpoint has it, too' if same
                         else f'in the checkpoint {list(stored[name])}'))
        else:
            rows.append(('initialized', name, variable.shape, 'not in the checkpoint'))
    rows += [('unused', name, list(shape), '') for name, shape in sorted(stored.items())
             if name not in used]
    shown = [(kind, name, str(shape), note) for kind, name, shape, note in rows[:_MAX_ROWS]]
    widths = [max(len(row[column]) for row in shown) for column in range(3)] if shown else []
    lines = ['  ' + '  '.join([*(cell.ljust(width) for cell, width in zip(row, widths)),
                               row[3]]).rstrip() for row in shown]
    if len(rows) > _MAX_ROWS:
        lines.append(f'  ... {len(rows) - _MAX_ROWS} more')
    return '\n'.join(lines)
