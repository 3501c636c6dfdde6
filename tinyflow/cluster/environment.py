"""The environment variable TF_CONFIG, which describes the cluster and the task of a process."""
from __future__ import annotations

import json
import os
from typing import Any

from tinyflow.graph.support.errors import misuse, why

__all__ = ['tf_config']


def tf_config(blank: str = '{}') -> dict[str, Any]:
    """The JSON object of TF_CONFIG; empty if it is not set. ValueError for anything else.

    `blank` is what a blank TF_CONFIG stands for.
    """
    text = os.environ.get('TF_CONFIG', '{}') or blank
    try:
        config = json.loads(text)
    except ValueError as error:
        raise _invalid(f'is not JSON: {error}. It contains: {text}') from None
    if not isinstance(config, dict):
        raise _invalid(f'must be a JSON object, given: {text}')
    return config


def _invalid(problem: str) -> Exception:
    return misuse(ValueError(
        f'TF_CONFIG {problem}\n  Hint: TF_CONFIG=\'{{"cluster": {{"worker": ["host0:2222", '
        '"host1:2222"]}, "task": {"type": "worker", "index": 0}}\'; for one process leave '
        'TF_CONFIG unset.' + why('tf-config')))
