"""Element spec of datasets and iterators."""
from __future__ import annotations

from typing import Any

from tinyflow.data import structure


class OfElements:
    """Properties of the elements, from the specs of their components in `_spec`."""

    _spec: Any

    @property
    def element_spec(self) -> Any:
        """The specs of the components, in the structure of an element."""
        return self._spec

    @property
    def output_types(self) -> Any:
        """The DTypes of the components, in the structure of an element."""
        return structure.legacy_types(self._spec)

    @property
    def output_shapes(self) -> Any:
        """The TensorShapes of the components, in the structure of an element."""
        return structure.legacy_shapes(self._spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the components, in the structure of an element."""
        return structure.legacy_classes(self._spec)
