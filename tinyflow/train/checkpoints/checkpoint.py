"""tf.train.Checkpoint: saves and restores objects by their attribute paths."""
from __future__ import annotations

import os

import numpy as np

from tinyflow.formats.wire.bundle_writer import BundleWriter
from tinyflow.formats.wire.checkpoint_v1 import reader_of
from tinyflow.graph import dtypes, eager_mode, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import (
    InvalidArgumentError,
    NotFoundError,
    abstract,
    misuse,
    report,
)
from tinyflow.ops.array import constants, placeholders
from tinyflow.ops.files.saveable_object import SaveableObject
from tinyflow.ops.variables.variable import Variable, init_scope
from tinyflow.train.checkpoints import checkpoint_state, object_graph, pending_restores
from tinyflow.train.checkpoints.object_graph import is_trackable

__all__ = ['Checkpoint']

# Attributes of the Checkpoint itself, which are not saved.
_OWN = ('_save_counter', '_count', '_saveables', '_restores')


class Checkpoint:
    """Groups objects to be saved: ``tf.train.Checkpoint(model=layer, optimizer=opt, step=step)``.

    Each keyword becomes an attribute; Variables, optimizers, layers, lists and dicts of those and
    other Checkpoints are saved, under the names of their attribute paths. More
    attributes may be set later. Raises ValueError for an object that cannot be saved.
    """

    def __init__(self, **kwargs):
        self._save_counter = None
        self._count = None                  # the operation that adds one to it
        self._saveables = {}                # (id of an object, key) -> its SaveableObject
        self._restores = {}                 # SaveableObject -> (placeholders, Operation)
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value) or isinstance(value, (list, dict)):
                raise misuse(ValueError(
                    '`Checkpoint` was expecting a trackable object (an object derived from '
                    f'`TrackableBase`), got {value!r}.\n  Hint: a Variable, optimizer, layer or '
                    f'Checkpoint; a list or dict as an attribute: checkpoint.{name} = [...].'))
            setattr(self, name, value)

    @property
    def _checkpoint_dependencies(self):
        found = [(name, value) for name, value in vars(self).items()
                 if name not in _OWN and is_trackable(value)]
        if self._save_counter is not None:
            found.append(('save_counter', self._save_counter))
        return found

    @property
    def save_counter(self):
        """The int64 Variable that counts calls of `save`; part of file names."""
        return self._made_save_counter()

    def _made_save_counter(self):
        if self._save_counter is None:
            with init_scope(), name_scope(None):
                self._save_counter = Variable(constants.constant(0, dtypes.int64),
                                              trainable=False, name='save_counter')
        return self._save_counter

    # ---- saving --------------------------------------------------------------------------

    def write(self, file_prefix, session=None):
        """Writes a checkpoint of exactly that name, and returns it; `save` numbers them."""
        session = _session(session, 'Checkpoint.write')
        with session.graph.as_default():
            graph, values = object_graph.describe(self)
            fetches = {key: self._tensors(key, *value) for key, value in values.items()}
        found = session.run(fetches) if fetches else {}
        prefix = os.fspath(file_prefix)
        with BundleWriter(prefix) as writer:
            for tensors in found.values():
                for name, value in tensors.items():
                    writer.add(name, _array(value), _dtype(value))
            writer.add(object_graph.KEY,
                       _array(graph.SerializeToString(deterministic=True)), dtypes.string)
        return prefix

    def save(self, file_prefix, session=None):
        """Writes the checkpoint `file_prefix-<number>` and returns its name.

        The number is that of the calls, kept in `save_counter`. The directory's state file then
        names it, for tf.train.latest_checkpoint.
        """
        if executing_eagerly():
            return self._numbered(file_prefix, self.save_counter.assign_add(1).numpy(), session)
        session = _session(session, 'Checkpoint.save')
        with session.graph.as_default():
            new = self._save_counter is None
            counter = self.save_counter
            if new:
                session.run(counter.initializer)
            if self._count is None:
                with init_scope(), name_scope(None):
                    self._count = counter.assign_add(1)
        return self._numbered(file_prefix, session.run(self._count), session)

    def _numbered(self, file_prefix, number, session):
        prefix = os.fspath(file_prefix)
        path = self.write(f'{prefix}-{int(number)}', session)
        checkpoint_state.write_state(os.path.dirname(prefix), path, [path], relative=True)
        return path

    def _tensors(self, key, owner, item):
        """{name in the file: tensor to fetch} of a Variable or another saveable object."""
        if isinstance(item, Variable):
            return {key: getattr(item, '_whole', item)}         # aggregated over replicas
        return {spec.name: spec.tensor for spec in self._saveable(key, owner, item).specs}

    def _saveable(self, key, owner, item):
        """The SaveableObject of `owner` under that key; created once, since it adds nodes."""
        if isinstance(item, SaveableObject):
            return item
        if executing_eagerly():
            return item(name=key)       # with the values of now
        if (id(owner), key) not in self._saveables:
            with init_scope(), name_scope(None):
                self._saveables[id(owner), key] = item(name=key)
        return self._saveables[id(owner), key]

    def _restore_of(self, saveable):
        """(placeholders, the Operation that restores from them); created once."""
        if saveable not in self._restores:
            with init_scope(), name_scope(None):
                targets = [placeholders.placeholder(spec.dtype) for spec in saveable.specs]
                self._restores[saveable] = targets, saveable.restore(targets, None)
        return self._restores[saveable]

    # ---- restoring -----------------------------------------------------------------------

    def restore(self, save_path):
        """A status object, whose `run_restore_ops` or `initialize_or_restore` restores.

        Objects created later are restored, too, if they exist before those calls. With
        `save_path` None there is only `initialize_or_restore`, which initialises.
        """
        if executing_eagerly():
            self._made_save_counter()
            return self.read(save_path)
        status = self.read(save_path)
        self._made_save_counter()       # create it now, so that it is initialised with the others
        return status

    def read(self, save_path):
        """As `restore`, for a checkpoint of `write`: without the counter."""
        if save_path is None:
            return InitializationOnlyStatus(self)
        prefix = os.fspath(save_path)
        if not checkpoint_state.checkpoint_exists(prefix):
            raise NotFoundError(None, None, report(
                'Unsuccessful TensorSliceReader constructor: Failed to find any matching files '
                f'for {prefix}', hint='tf.train.latest_checkpoint(directory) gives the latest.'))
        with reader_of(prefix) as reader:
            graph = object_graph.read_graph(reader)
        if graph is None:
            return NameBasedSaverStatus(self, prefix)
        status = CheckpointLoadStatus(self, prefix, graph)
        if executing_eagerly():
            self._status = status       # lives as long as there may be new objects
            if not status.restore_new():
                pending_restores.add(status)
        return status


def _session(session, what):
    if session is None and executing_eagerly():
        from tinyflow.eager.values import VALUES  # start-up time
        return VALUES
    return session_for(session, session.graph if session else get_default_graph(), what)


def _array(value):
    if isinstance(value, (bytes, str)):
        return np.array(value.encode() if isinstance(value, str) else value, object)
    return np.asarray(value)


def _dtype(value):
    array = _array(value)
    return dtypes.string if array.dtype.kind in 'OSU' else dtypes.as_dtype(array.dtype)


# ---- results of restore ----
# ------------------------------------------------------------------------


class _Status:
    """Restores on demand; by then, all objects must exist."""

    def __init__(self, root):
        self._root = root

    def assert_consumed(self):
        """AssertionError unless all of the checkpoint and all of the program has matched."""
        raise abstract(self)

    def assert_existing_objects_matched(self):
        """AssertionError unless every Variable of the program has a value in the checkpoint."""
        raise abstract(self)

    def assert_nontrivial_match(self):
        """AssertionError if nothing but the root object has matched."""
        raise abstract(self)

    def expect_partial(self):
        """Accepts that parts of the checkpoint are unused; tinyflow never warns of that."""
        return self

    def _variables(self):
        """Every Variable reachable from the root: [(Variable, its name for messages)]."""
        walked = object_graph.walk(self._root)
        found = [(v, '.'.join(path) or '(root)') for v, path in walked if isinstance(v, Variable)]
        return found + [(slot, f"slot '{name}' of {'.'.join(walked[j][1])}")
                        for _, j, name, slot in object_graph.slots(walked)]


class InitializationOnlyStatus(_Status):
    """The status without a checkpoint: initialises the Variables."""

    def assert_consumed(self):
        raise AssertionError('No checkpoint specified (save_path=None); nothing is being '
                             'restored.')

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session=None):
        """AssertionError: there is nothing to restore."""
        self.assert_consumed()

    def initialize_or_restore(self, session=None):
        """Runs the initializers of all Variables."""
        if executing_eagerly():
            return                      # they have their values
        session = _session(session, 'initialize_or_restore')
        with session.graph.as_default():
            session.run([v.initializer for v, _ in self._variables()])


class _FromFile(_Status):
    """Restores the values that a subclass's `_values` finds for each Variable."""

    def __init__(self, root, prefix):
        super().__init__(root)
        self._prefix = prefix
        self._restored = set()          # keys of what was restored at once

    def restore_new(self):
        """While ops run at once: restores the objects that have not been restored yet.

        True once no value of the checkpoint is left.
        """
        with reader_of(self._prefix) as reader:
            pairs, others = self._values(reader)
            for variable, key in pairs:
                if key not in self._restored:
                    value = reader.get(key)
                    _check_fits(variable, value, reader, key)
                    variable.assign(value)
                    self._restored.add(key)
            for saveable, keys in others:
                if keys[0] not in self._restored:
                    saveable.restore([_as_saved(reader.get(key), spec) for key, spec in
                                      zip(keys, saveable.specs)], None)
                    self._restored.update(keys)
            return self._restored >= set(reader.names()) - {object_graph.KEY}

    def run_restore_ops(self, session=None):
        """Restores every matched object; if one has another shape or dtype, nothing is changed."""
        if executing_eagerly():
            return self.restore_new()
        session = _session(session, 'run_restore_ops')
        with session.graph.as_default():
            self._restore(session)

    def initialize_or_restore(self, session=None):
        """Restores matched Variables and runs the initializers of the others."""
        if executing_eagerly():
            return self.restore_new()
        session = _session(session, 'initialize_or_restore')
        with session.graph.as_default():
            restored = self._restore(session)
            session.run([v.initializer for v, _ in self._variables() if id(v) not in restored])

    def _restore(self, session):
        """The ids of the restored Variables."""
        with reader_of(self._prefix) as reader:
            pairs, others = self._values(reader)
            todo = []                       # (operation, its feeds)
            for variable, key in pairs:
                value = reader.get(key)
                _check_fits(variable, value, reader, key)
                for part, share in _components(variable, value):
                    todo.append((part.initializer, {part.initializer.inputs[1]: share}))
            for saveable, keys in others:
                targets, operation = self._root._restore_of(saveable)
                todo.append((operation, {t: reader.get(key) for t, key in zip(targets, keys)}))
        _run(session, todo)
        return {id(variable) for variable, _ in pairs}


def _as_saved(value, spec):
    """An eager tensor; the position of an iterator is a variant, which the file has as a string."""
    value, dtype = convert_to_tensor(value), spec.tensor.dtype
    return eager_mode.tensor_type(value.array, dtype) if dtype is dtypes.variant else value


def _run(session, todo):
    """Runs all together, except for Variables that share the node of their initial value."""
    while todo:
        feed, operations, later = {}, [], []
        for operation, values in todo:
            if feed.keys() & values.keys():
                later.append((operation, values))
                continue
            operations.append(operation)
            feed.update(values)
        session.run(operations, feed)
        todo = later


def _components(variable, value):
    """[(Variable, its value)]: one pair, or one for each replica."""
    parts = getattr(variable, 'components', None)
    return [(variable, value)] if parts is None else list(zip(parts, variable._shares(value)))


def _check_fits(variable, value, reader, key):
    """InvalidArgumentError for a value of another kind; of another shape, at once, ValueError."""
    dtype = reader.dtype(key)
    fits = variable.shape.is_compatible_with(value.shape)
    if fits and dtype is variable.dtype.base_dtype:
        return
    text = report(
        f"{reader.prefix}: '{key}' is {dtype.name} {shapes.text(value.shape)}, the variable "
        f"'{variable.op.name}' {variable.dtype.base_dtype.name} "
        f'{shapes.text(variable.shape.raw)}', inputs=[('variable', variable.value())])
    if not fits and eager_mode.executing_eagerly():
        raise misuse(ValueError(text))
    raise InvalidArgumentError(None, None, text)


class CheckpointLoadStatus(_FromFile):
    """For an object-based checkpoint: matches objects by their attribute paths."""

    def __init__(self, root, prefix, graph):
        super().__init__(root, prefix)
        self._graph = graph

    def _bound(self):
        return object_graph.match(self._graph, self._root)

    def _values(self, reader):
        pairs, others = [], []
        for number, value in self._bound().items():
            stored = {a.name: a.checkpoint_key for a in self._graph.nodes[number].attributes}
            for name, item in object_graph.attributes(value).items():
                if name not in stored:
                    continue
                if isinstance(item, Variable):
                    pairs.append((item, stored[name]))
                    continue
                saveable = self._root._saveable(stored[name], value, item)
                others.append((saveable, [spec.name for spec in saveable.specs]))
        return pairs, others

    def assert_consumed(self):
        bound = self._bound()
        for number in range(len(self._graph.nodes)):
            if number not in bound:
                raise AssertionError(
                    f'Unresolved object in checkpoint '
                    f'{object_graph.stored_path(self._graph, number)}: '
                    f'{self._graph.nodes[number]}\n  the checkpoint {self._prefix} has it, and no '
                    'object of the program has that name.')
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self):
        bound = self._bound()
        with_value = {id(value) for number, value in bound.items()
                      if self._graph.nodes[number].attributes}
        missing = [(v, name) for v, name in self._variables() if id(v) not in with_value]
        if missing:
            listed = '\n'.join(f'    {name}: {v!r}' for v, name in missing[:20])
            raise AssertionError(
                'Some Python objects were not bound to checkpointed values, likely due to changes '
                f'in the Python program: {[v for v, _ in missing]}\n{listed}')
        return self

    def assert_nontrivial_match(self):
        if len(self._bound()) == 1 and self._variables():
            raise AssertionError(
                'Nothing except the root object matched a checkpoint value. Typically this means '
                'that the checkpoint does not match the Python program. The following objects '
                f'have no matching checkpointed value: {[v for v, _ in self._variables()]}')
        return self


class NameBasedSaverStatus(_FromFile):
    """For a checkpoint of tf.train.Saver: matches Variables by their names."""

    def _pairs(self, reader):
        counter = self._root._save_counter
        return [(v, v.op.name) for v, _ in self._variables()
                if v is not counter and v.op.name in reader]

    def _values(self, reader):
        return self._pairs(reader), []

    def assert_consumed(self):
        self.assert_existing_objects_matched()
        with reader_of(self._prefix) as reader:
            unused = sorted(set(reader.names()) - {name for _, name in self._pairs(reader)})
        if unused:
            raise AssertionError(f'Some values of the checkpoint {self._prefix} were not used: '
                                 f'{unused[:20]}')
        return self

    def assert_existing_objects_matched(self):
        with reader_of(self._prefix) as reader:
            found = {id(v) for v, _ in self._pairs(reader)}
        for variable, name in self._variables():
            if id(variable) not in found and variable is not self._root._save_counter:
                raise AssertionError(f'Object not restored: {name}: {variable!r}')
        return self

    def assert_nontrivial_match(self):
        with reader_of(self._prefix) as reader:
            if not self._pairs(reader):
                raise AssertionError(f'No Variable has a value in the checkpoint {self._prefix}.')
        return self
