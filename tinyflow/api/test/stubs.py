"""StubOutForTesting: replaces attributes temporarily."""
from __future__ import annotations


class StubOutForTesting:
    """Replaces attributes, and restores them in UnsetAll (or at the end of a `with` block)."""

    def __init__(self):
        self._saved = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.CleanUp()

    def Set(self, parent, child_name, new_child):               # noqa: N802 (TF's names)
        """Replaces an attribute."""
        own = vars(parent).get(child_name, getattr(parent, child_name))
        self._saved.append((parent, child_name, own))
        setattr(parent, child_name, new_child)

    def SmartSet(self, obj, attr_name, new_attr):               # noqa: N802
        """Replaces an attribute that must exist, in the class that has it."""
        owner = obj
        if isinstance(obj, type):
            owner = next((c for c in obj.__mro__ if attr_name in vars(c)), None)
        if owner is None or not hasattr(owner, attr_name):
            raise AttributeError('Attribute not found.')
        self.Set(owner, attr_name, new_attr)

    def UnsetAll(self):                                         # noqa: N802
        """Restores all replaced attributes, the last one first."""
        while self._saved:
            parent, name, value = self._saved.pop()
            setattr(parent, name, value)

    SmartUnsetAll = UnsetAll

    def CleanUp(self):                                          # noqa: N802
        """As UnsetAll."""
        self.UnsetAll()
