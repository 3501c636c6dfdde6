"""NotCopied: the base of objects that belong to a graph, which deepcopy and pickle refuse."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse


class NotCopied:
    """copy.deepcopy and pickle raise a TypeError, whose hint is what to do `instead`.

    copy.copy works. A subclass with __getstate__ or __reduce__ of its own is copied by these.
    """

    __slots__ = ()
    _instead: str

    def __init_subclass__(cls, instead: str | None = None, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        if instead is not None:
            cls._instead = instead

    def __reduce_ex__(self, protocol):
        own = type(self)
        if own.__reduce__ is not object.__reduce__ or \
                getattr(own, '__getstate__', None) is not getattr(object, '__getstate__', None):
            return super().__reduce_ex__(protocol)
        raise misuse(TypeError(f'{self!r} cannot be pickled, or copied by deepcopy: it belongs to '
                               f'a graph of this process.\n  Hint: {self._instead}'))

    def __copy__(self):
        new, arguments, state, *_ = object.__reduce_ex__(self, 4)
        if isinstance(state, tuple):        # with slots: a Tensor or Operation, which the graph
            return self                     # knows by its identity
        twin = new(*arguments)
        twin.__dict__.update(state or {})
        return twin
