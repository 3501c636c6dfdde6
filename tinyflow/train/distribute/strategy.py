"""tf.distribute.Strategy: runs one model on several replicas.

`Strategy` is the interface for programs, `StrategyExtended` the one for libraries such as
optimizers. A kind of strategy overrides the methods of StrategyExtended: how Variables get
components (`_create_variable`), how a function runs in each replica (`_call_for_each_replica`), how
values are reduced (`_reduce_to`), how a Variable is updated (`_update`).
"""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.data.dataset import Dataset
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.variable_creation import variable_creator_scope
from tinyflow.ops.array import constants
from tinyflow.ops.math import reduction
from tinyflow.ops.variables import replica_context as context
from tinyflow.train.distribute import inputs
from tinyflow.train.distribute.reduce_op import ReduceOp, as_reduce_op
from tinyflow.train.distribute.values import (
    DistributedValues,
    PerReplica,
    group_operations,
    local_results,
    select,
)

__all__ = ['ReplicaContext', 'Strategy', 'StrategyExtended']


class Strategy:
    """A set of replicas and the operations on them; see the docstring of the module."""

    def __init__(self, extended):
        self._extended = extended
        self._scale_loss_for_estimator = False

    @property
    def extended(self):
        """The StrategyExtended, for libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self):
        """The number of replicas whose gradients are summed."""
        return self._extended._num_replicas_in_sync

    @contextmanager
    def scope(self):
        """Variables created inside belong to the strategy; the code is in cross-replica context."""
        mode = context._mode()
        if mode is not None and mode[1] is not self:
            raise misuse(RuntimeError('Mixing different tf.distribute.Strategy objects: '
                                      f'{self} is not {mode[1]}.'))
        with context.entered(self), variable_creator_scope(self._extended._creator):
            yield self

    # ---- running -------------------------------------------------------------------------

    def experimental_run_v2(self, fn, args=(), kwargs=None):
        """Builds fn(*args, **kwargs) once per replica, with its part of PerReplica arguments.

        Returns the nest that fn returns; values that differ between replicas are PerReplica.
        """
        with self._in_scope():
            return self._extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def experimental_run(self, fn, input_iterator=None):
        """`experimental_run_v2` with each replica's next batch as the arguments."""
        with self._in_scope():
            args = (input_iterator.get_next(),) if input_iterator is not None else ()
            return self.experimental_run_v2(fn, args=args)

    def reduce(self, reduce_op, value, axis=None):
        """Reduces the values of all replicas to one tensor, their sum or mean (`reduce_op`).

        `axis`: also reduce along that dimension of the values, e.g. 0 for the batch; a mean is then
        the mean of all rows, even if the replicas have different numbers of rows.
        """
        with self._in_scope():
            if axis is None:
                return self._extended._reduce(reduce_op, value)
            parts = [convert_to_tensor(part) for part in self._values_of_replicas(value)]
            total = self._sum([reduction.reduce_sum(part, axis) for part in parts])
            if as_reduce_op(reduce_op) is ReduceOp.SUM:
                return total
            rows = self._sum([constants.shape(part)[axis] for part in parts])
            return total / constants.cast(rows, total.dtype)

    def _values_of_replicas(self, value):
        return value.values if isinstance(value, DistributedValues) else \
            [value] * len(self._extended.worker_devices)

    def _sum(self, parts):
        return self._extended._reduce(
            ReduceOp.SUM, PerReplica(parts) if len(parts) > 1 else parts[0])

    def experimental_local_results(self, value):
        """The values of all replicas, a tuple."""
        return local_results(value)

    def unwrap(self, value):
        """The values of all replicas, a list."""
        return list(local_results(value))

    def group(self, value, name=None):
        """One operation that groups those of all replicas."""
        return group_operations(value, name)

    # ---- input ---------------------------------------------------------------------------

    def make_dataset_iterator(self, dataset):
        """An iterator whose get_next divides each batch of `dataset` among the replicas.

        The batch size of the dataset is the global batch size.
        """
        return self._extended._make_dataset_iterator(dataset)

    def make_input_fn_iterator(self, input_fn, replication_mode='PER_WORKER'):
        """An iterator over the result of input_fn(InputContext): each replica takes a whole batch.

        `replication_mode` has a single value, as in TensorFlow.
        """
        return self._extended._make_input_iterator(input_fn(self._extended._input_context()))

    def experimental_distribute_dataset(self, dataset):
        """A dataset whose make_initializable_iterator() calls `make_dataset_iterator`."""
        return inputs.DistributedDataset(self, dataset)

    def experimental_distribute_datasets_from_function(self, dataset_fn):
        """Raises RuntimeError: its result is iterated by Python, which needs eager execution."""
        raise misuse(RuntimeError(
            'experimental_distribute_datasets_from_function gives datasets for a `for` of Python, '
            'and this program builds a graph.\n  Hint: '
            'strategy.make_input_fn_iterator(dataset_fn).get_next().'))

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """A dataset of the rows of arrays, constants of the graph; `session` is unused."""
        return self._extended.experimental_make_numpy_dataset(numpy_input, session)

    # ---- other -----------------------------------------------------------------------------

    def colocate_vars_with(self, colocate_with_variable):
        """The scope in which the slots of a Variable are created."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def configure(self, session_config=None, cluster_spec=None, task_type=None, task_id=None):
        """For strategies over several processes; does nothing in one process."""

    def update_config_proto(self, config_proto):
        """The ConfigProto for the strategy: unchanged."""
        return config_proto

    @contextmanager
    def _in_scope(self):
        if context.get_strategy() is self:
            yield
        else:
            with self.scope():
                yield

    def __deepcopy__(self, memo):
        return self         # copies of a RunConfig share the strategy

    def __repr__(self):
        return f'<{type(self).__name__} of {self.num_replicas_in_sync} replicas>'


class StrategyExtended:
    """The interface for libraries, which kinds of strategies override; here for one replica."""

    def __init__(self, container_strategy=None):
        self._strategy = container_strategy

    # ---- replicas --------------------------------------------------------------------------

    @property
    def _num_replicas_in_sync(self):
        return 1

    _global_batch_size = True    # a dataset's batches are divided among the replicas
    _first_replica = 0          # the number of this process' first replica among all
    _allows_parts = False       # whether get_variable's partitioner is followed

    @property
    def worker_devices(self):
        """The devices of this process' replicas."""
        return ('/device:CPU:0',)

    @property
    def parameter_devices(self):
        """The devices of the Variables."""
        return self.worker_devices

    @property
    def experimental_between_graph(self):
        return False

    @property
    def experimental_require_static_shapes(self):
        return False

    @property
    def trains_together(self):
        """True if several processes run the same steps at the same time."""
        return False

    @property
    def experimental_should_init(self):
        return True

    @property
    def should_checkpoint(self):
        return True

    @property
    def should_save_summary(self):
        return True

    def replica_context(self, number, thread=None):
        return ReplicaContext(self._strategy, number, thread)

    def default_replica_context(self):
        return self.replica_context(0)

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """The regrouped results of fn; see Strategy.experimental_run_v2."""
        if context.active_replica_context() is not None:
            raise misuse(RuntimeError(
                'Method requires being in cross-replica context, use '
                'get_replica_context().merge_call()\n  Hint: call it inside strategy.scope(), not '
                'in the function of experimental_run_v2.'))
        return self._call_for_each_replica(fn, args, dict(kwargs or {}))

    def _call_for_each_replica(self, fn, args, kwargs):
        with context.entered(self._strategy, self.replica_context(0)):
            return fn(*select(tuple(args), 0), **select(kwargs, 0))

    # ---- input -----------------------------------------------------------------------------

    def _input_context(self):
        """Which part of the input this process reads."""
        return inputs.InputContext(1, 0, self._num_replicas_in_sync)

    def experimental_make_numpy_dataset(self, numpy_input, session=None):
        """See Strategy."""
        return Dataset.from_tensor_slices(numpy_input)

    def experimental_run_steps_on_iterator(self, fn, iterator, iterations=1,
                                           initial_loop_values=None):
        """Raises NotImplementedError: a loop inside the graph, which TPUs need."""
        raise misuse(NotImplementedError(
            'experimental_run_steps_on_iterator, several steps in one Session.run for TPUs, is not '
            'part of tinyflow.\n  Hint: build one step by strategy.experimental_run(fn, iterator) '
            'and run it in a Python loop.'))

    def _make_dataset_iterator(self, dataset):
        count = len(self.worker_devices)
        if self._global_batch_size:
            dataset = inputs.rebatch(dataset, count)
        return inputs.DistributedIterator(dataset, count)

    def _make_input_iterator(self, dataset):
        return inputs.DistributedIterator(dataset, len(self.worker_devices))

    # ---- Variables -------------------------------------------------------------------------

    def _creator(self, next_creator, **settings):
        """Creates a Variable inside the scope."""
        return self._create_variable(next_creator, settings)

    def _create_variable(self, next_creator, settings):
        return next_creator(**settings)

    def variable_created_in_scope(self, v):
        """True if the Variable belongs to this strategy."""
        return getattr(v, 'distribute_strategy', None) is self._strategy

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable):
        yield

    def read_var(self, v):
        """The value of a Variable."""
        return v.value()

    def value_container(self, value):
        """The Variable that contains a component; other values are returned unchanged."""
        return value

    # ---- values of replicas ----------------------------------------------------------------

    def reduce_to(self, reduce_op, value, destinations):
        """Reduces the values of the replicas, for the replicas of `destinations`."""
        return self._reduce_to(as_reduce_op(reduce_op), value, destinations)

    def batch_reduce_to(self, reduce_op, value_destination_pairs):
        """`reduce_to` of many pairs, a list."""
        return [self.reduce_to(reduce_op, value, destinations)
                for value, destinations in value_destination_pairs]

    def _reduce(self, reduce_op, value):
        reduced = self._reduce_to(as_reduce_op(reduce_op), value, None)
        return local_results(reduced)[0]

    def _reduce_to(self, reduce_op, value, destinations):
        return value

    def _across_workers(self, value, aggregation):
        """Combines what each process has computed from its replicas' values."""
        return value

    def broadcast_to(self, tensor, destinations):
        """The tensor for each replica of `destinations`."""
        return tensor

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """Runs fn(component, *args) for each component of a Variable to update."""
        return self._update(var, fn, args, dict(kwargs or {}), group)

    def _update(self, var, fn, args, kwargs, group):
        with context.entered(self._strategy, None, 0), name_scope('update'):
            result = fn(var, *select(tuple(args), 0), **select(kwargs, 0))
        return group_operations(result) if group else [result]

    def update_non_slot(self, colocate_with, fn, args=(), kwargs=None, group=True):
        """Runs fn(*args) for each replica, to update state without a Variable."""
        return self._update_non_slot(fn, args, dict(kwargs or {}), group)

    def _update_non_slot(self, fn, args, kwargs, group):
        with context.entered(self._strategy, None, 0), name_scope('update'):
            result = fn(*select(tuple(args), 0), **select(kwargs, 0))
        return group_operations(result) if group else [result]

    def non_slot_devices(self, var_list):
        return min(var_list, key=lambda v: v.name)


class ReplicaContext:
    """The context of the code of one replica: its number, and merging with other replicas."""

    def __init__(self, strategy, replica_id_in_sync_group=0, thread=None):
        self._strategy = strategy
        self.replica_number = replica_id_in_sync_group
        self._thread = thread

    @property
    def strategy(self):
        return self._strategy

    @property
    def num_replicas_in_sync(self):
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self):
        """The number of this replica among all of all processes, starting at 0."""
        return self._strategy.extended._first_replica + self.replica_number

    @property
    def devices(self):
        return (self._strategy.extended.worker_devices[self.replica_number],)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """Calls merge_fn(strategy, *args) once for all replicas, in cross-replica context.

        Its arguments are PerReplica; each replica gets its own part of the result.
        """
        if self._thread is not None:
            return self._thread.wait_for_others(merge_fn, tuple(args), dict(kwargs or {}))
        with context.entered(self._strategy):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op, value):
        """Reduces a value or a nest over all replicas; every replica gets the result."""
        op = as_reduce_op(reduce_op)

        def reduce(strategy, value):
            return nest.map_structure(
                lambda part: strategy.extended.reduce_to(op, part, part), value)
        return self.merge_call(reduce, args=(value,))


def _default_strategy():
    """The strategy of programs that do not use tf.distribute."""
    extended = StrategyExtended()
    strategy = extended._strategy = Strategy(extended)
    return strategy


context.set_default_strategy(_default_strategy())
