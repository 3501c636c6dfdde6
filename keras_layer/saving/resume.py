"""Exact resume of `fit`: what a file of weights does not hold, in a file `.resume` next to it.

    epoch, weights              the epoch that has ended, and the checksum of the weights after it
    optimizer                   its Variables: slots, iterations, learning rate
    training                    what was trained: kind of optimizer, losses, shapes of the weights
    positions, lost, ...        of random streams, iterators and local Variables in the graph
    nodes                       the nodes of a training step that have positions, in order
    data                        the position of the batches
    numpy, python               the global random states, by which fit shuffles, as in Keras
    callbacks                   of callbacks that keep a state: whether it has seen the epoch's end

`fit(initial_epoch=...)` continues from it if a ModelCheckpoint has one that belongs to the weights
that the model has. It holds the last two states of a file, since it is written before the weights:
whichever of the two is there, its state is. The files can be deleted. docs/resume.md has what is
promised.
"""
from __future__ import annotations

import random
import zlib

import numpy as np

from keras_layer import backend as K, losses
from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.formats.wire import files
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import OpError
from tinyflow.train.checkpoints.exact_resume import (
    nodes_with_positions,
    renamed_positions,
    reported,
    resume_file,
    session_state,
    set_session_state,
)

__all__ = ['encoded', 'read', 'restore', 'say_unused', 'state_at_end', 'write']


def write(path, state):
    """Adds the state to the file of the weights `path`, which are still to be written."""
    data = encoded([state, *read(path)[:1]])
    if data is None:
        files.remove(resume_file(path))
    else:
        files.write_atomically(resume_file(path), data)


def encoded(states):
    """The states as bytes; None, with a warning, if they have something else than plain data."""
    try:
        return encode({'states': states})
    except (OpError, RecursionError, UnicodeEncodeError):
        logging.log_first_n(
            logging.WARN, 'fit cannot be resumed exactly: %s cannot be saved. It has to be plain '
            'data: numbers, texts, arrays, and lists, tuples and dicts of these.', 1,
            _not_plain(states[0]))
        return None


def _not_plain(state):
    """What in a state is not plain data, in words."""
    parts = [(f'what resume_state() of the callback {name} gives', own)
             for name, own, *_ in state['callbacks']]
    parts += [(f'the value of {name!r} in the logs', value)
              for name, value in state['logs'].items()]
    for name, part in parts:
        try:
            encode(part)
        except (OpError, RecursionError, UnicodeEncodeError):
            return name
    return 'the state of the training'


def read(path):
    """The states in the file of the weights `path`, the newest first; [] if it is of no use."""
    try:
        with open(resume_file(path), 'rb') as file:
            return decode(file.read())['states']
    except FileNotFoundError:
        return []
    except (OSError, OpError, KeyError, TypeError) as error:
        logging.warning('%s.resume is not used, so fit will not go on with the same random numbers '
                        'and state of the optimizer: %s', path, getattr(error, 'message', error))
        return []


# ---- what a state has ----------------------------------------------------------------------------


def state_at_end(saver, epoch, logs):
    """The state of `fit` at the end of an epoch, which the callback `saver` and those before it
    have seen. None if no `fit` of its model runs that calls it.
    """
    model = saver.model
    data, callbacks = _running(model)
    index = next((i for i, callback in enumerate(callbacks) if callback is saver), None)
    if index is None:
        return None
    return {'epoch': epoch, 'weights': _checksum(model), **session_state(_session(model)),
            'training': _training(model), 'nodes': _nodes(model),
            'optimizer': K.batch_get_value(_variables(model)),
            'numpy': np.random.get_state(), 'python': _python_state(),
            'data': data.resume_state() if hasattr(data, 'resume_state') else None,
            'logs': {name: _plain(value) for name, value in (logs or {}).items()},
            'callbacks': [[type(c).__name__, _plain(c.resume_state()), i <= index, _settings(c)]
                          for i, c in enumerate(callbacks) if hasattr(c, 'resume_state')]}


def _running(model):
    """The batches and the callbacks of the `fit` that runs; (None, []) outside of fit."""
    running = getattr(model, '_running_fit', None)
    return (None, []) if running is None else (running.data, running.callbacks.callbacks)


def _session(model):
    return K.get_session(graph=model._graph)


def _checksum(model):
    checksum = 0
    for value in K.batch_get_value(model.weights):
        checksum = zlib.crc32(np.ascontiguousarray(value).tobytes(), checksum)
    return checksum


def _variables(model):
    """The Variables of the optimizer."""
    own = model.optimizer
    if hasattr(own, 'optimizer'):                   # of tf.train
        return [own.iterations, *own.optimizer.variables()]
    hypers = [v for _, v in sorted(own._made.items()) if hasattr(v, 'initializer')]
    return [*own.weights, *hypers]


def _training(model):
    """{what: text} of what makes it another training if it changes."""
    optimizer = getattr(model.optimizer, 'optimizer', model.optimizer)
    return {'optimizer': type(optimizer).__name__, 'loss': _text(model.loss),
            'trainable weights': str([tuple(w.shape.as_list()) for w in model.trainable_weights])}


def _settings(callback):
    """The monitored value and its order as text: by others, a best value means nothing."""
    order = getattr(getattr(callback, 'monitor_op', None), '__name__', '')
    return f"monitor={getattr(callback, 'monitor', '')} {order}"


def _text(loss):
    """The losses, as compile takes them, as text."""
    if isinstance(loss, dict):
        return ', '.join(f'{name}: {_text(loss[name])}' for name in sorted(loss))
    if isinstance(loss, (list, tuple)):
        return ', '.join(map(_text, loss))
    try:
        found = losses.get(loss)
    except ValueError:                  # the name of a custom object, in the scope of load_model
        return loss
    return getattr(found, '__name__', None) or getattr(found, 'name', None) or type(found).__name__


def _nodes(model):
    function = model._functions.get('train').function
    return nodes_with_positions([*function.outputs, function.updates_op])


def _plain(value):
    """Python's own numbers for those of NumPy."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def _python_state():
    version, words, gauss = random.getstate()
    return version, np.array(words, np.uint64), gauss


# ---- going on ------------------------------------------------------------------------------------


def restore(model, states, epoch):
    """Sets everything to one of `states`, if it is that of the model's weights after `epoch`.

    True if it was, None if there is none, False with a warning if it is of another training.
    """
    model._functions.get('train')                   # makes the optimizer's Variables
    states = [state for state in states if state['epoch'] == epoch]
    checksum = _checksum(model) if states else None
    state = next((state for state in states if state['weights'] == checksum), None)
    if state is None:
        return None
    session, variables = _session(model), _variables(model)
    data, callbacks = _running(model)
    changed = _changed(state, model, variables)
    if changed:
        logging.warning('fit goes on with other random numbers, a new state of the optimizer and '
                        'of the callbacks: the epochs before were trained with %s.', changed)
        return False
    if hasattr(data, 'restart'):
        data.restart()
        data.kept = None
    before = state.get('nodes', [])
    set_session_state(session, {**state, 'positions': renamed_positions(
        state['positions'], before, _nodes(model) if before else [])})
    _say_changed(getattr(model.optimizer, '_made', {}), dict(zip(variables, state['optimizer'])))
    K.batch_set_value(list(zip(variables, state['optimizer'])))
    if state['data'] is not None and hasattr(data, 'set_resume_state'):
        data.set_resume_state(state['data'])
    np.random.set_state(state['numpy'])
    version, words, gauss = state['python']
    random.setstate((version, tuple(words.tolist()), gauss))
    _restore_callbacks(state, callbacks)
    lost = [*([reported(state['lost'])] if state['lost'] else []),
            *([data.not_resumed] if hasattr(data, 'not_resumed') else [])]
    if lost:
        logging.warning('fit goes on, but not with the same bits: %s', '; '.join(lost))
    return True


def _changed(state, model, variables):
    """What a state's training has differently from the model's, in words; '' if nothing."""
    now = _training(model)
    before = state.get('training', now)
    changed = [f'the {what} {before.get(what)!r}, now it is {now[what]!r}'
               for what in now if before.get(what) != now[what]]
    shapes = [np.shape(v) for v in K.batch_get_value(variables)]
    if not changed and shapes != list(map(np.shape, state['optimizer'])):
        changed = ['Variables of the optimizer that have other shapes']
    return '; '.join(changed)


def say_unused(path, states, epoch):
    """Logs why `fit` does not go on from the states of the file `path`."""
    saved = [state['epoch'] + 1 for state in states]
    why = f'the weights of the model are not those of {path}: model.load_weights({path!r}) first' \
        if epoch + 1 in saved else f'it is of initial_epoch={max(saved)}, not {epoch + 1}'
    logging.warning('fit does not go on from %s.resume with the same random numbers and state of '
                    'the optimizer: %s.', path, why)


def _say_changed(hyperparameters, states):
    """Logs the hyperparameters (name -> Variable) that are not as the program has set them."""
    for name, variable in hyperparameters.items():
        if variable in states and K.get_value(variable) != states[variable]:
            logging.warning('fit goes on with %s=%g, as it was when the training ended, not %g.',
                            name, states[variable], K.get_value(variable))


def _restore_callbacks(state, callbacks):
    saved, unseen = list(state['callbacks']), []
    for callback in callbacks:
        if not hasattr(callback, 'set_resume_state'):
            continue
        kind = type(callback).__name__
        own = next((s for s in saved if s[0] == kind), None)
        if own is None:
            continue
        saved.remove(own)
        if own[3:] not in ([], [_settings(callback)]):
            logging.warning('%s begins again: it has %s, and %s when the training ended.', kind,
                            _settings(callback), own[3])
            continue
        callback.set_resume_state(own[1])
        if not own[2]:              # it comes after the ModelCheckpoint that wrote the state
            unseen.append(callback)
    for callback in unseen:         # all are restored: one of them may save the states of all
        callback.on_epoch_end(state['epoch'], dict(state['logs']))
