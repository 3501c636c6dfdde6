"""What AutoGraph converts on request, as TensorFlow's experimental options name it."""
from __future__ import annotations

from enum import Enum

from tinyflow.graph.support.errors import misuse

__all__ = ['Feature', 'as_features']


class Feature(Enum):
    """LISTS: `append` on TensorArrays. BUILTIN_FUNCTIONS: `print` shows values when it runs.

    Equality and assertions are always converted; name scopes are those of the function.
    """

    ALL = 'ALL'
    AUTO_CONTROL_DEPS = 'AUTO_CONTROL_DEPS'
    ASSERT_STATEMENTS = 'ASSERT_STATEMENTS'
    BUILTIN_FUNCTIONS = 'BUILTIN_FUNCTIONS'
    EQUALITY_OPERATORS = 'EQUALITY_OPERATORS'
    LISTS = 'LISTS'
    NAME_SCOPES = 'NAME_SCOPES'

    @classmethod
    def all(cls):
        """All features that AutoGraph has, as a tuple."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude):
        """All features but one, or but those of a tuple."""
        without = as_features(exclude)
        return tuple(f for f in cls if f not in without and f is not cls.ALL)


def as_features(given) -> frozenset[Feature]:
    """A Feature, several of them, or None, as a set. TypeError for anything else."""
    features = (given,) if isinstance(given, Feature) else tuple(given or ())
    for feature in features:
        if not isinstance(feature, Feature):
            raise misuse(TypeError(
                f'optional features are of tf.autograph.experimental.Feature, not {feature!r}.'))
    return frozenset(Feature.all() if Feature.ALL in features else features)
