"""Makes the page: trains all settings, and puts the recorded weights into one HTML file."""
from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import numpy as np

from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.playground.points import points
from tinyflow.inspect.playground.settings import FEATURES, Settings
from tinyflow.inspect.playground.training import BATCH, SCALE, epochs_kept, trained

__all__ = ['playground']

_FILES = Path(__file__).with_name('files')


def playground(path: str | os.PathLike = 'playground.html',
               settings: Settings | None = None) -> Path:
    """Trains every combination of `settings` and writes the page; returns its path.

    The default, about 400 small networks, takes 10 to 20 seconds and makes a page of 3 MB.
    FileNotFoundError if there is no such folder.
    """
    settings, path = Settings() if settings is None else settings, Path(path)
    if not path.parent.is_dir():
        raise misuse(FileNotFoundError(f'There is no folder {str(path.parent)!r} for the page.'))
    if path.suffix != '.html':
        raise misuse(ValueError(f'{str(path)!r} is a page, so its name must end in .html.'))
    total = len(settings.runs())
    runs = {}
    for number, (run, weights, losses) in enumerate(trained(settings), 1):
        hidden = json.dumps(list(run.hidden))
        key = '|'.join([run.problem, run.features, hidden, run.activation, str(run.rate)])
        runs[key] = [_text(weights), _text(losses)]
        if number % 100 == 0 or number == total:
            logging.info('playground: %d of %d networks are trained', number, total)
    path.write_text(_page(_data(settings, runs)), encoding='utf-8')
    return path


def _data(settings, runs):
    choices = {'problem': list(settings.problems), 'features': list(settings.features),
               'hidden': [json.dumps(list(sizes)) for sizes in settings.hidden],
               'activation': list(settings.activations), 'rate': [str(r) for r in settings.rates]}
    return {
        'epochs': epochs_kept(settings), 'batch': BATCH, 'scale': SCALE, 'features': FEATURES,
        'choices': choices, 'first': {name: values[0] for name, values in choices.items()},
        'problems': {name: _rounded(np.hstack(points(name, settings.seed)))
                     for name in settings.problems},
        'runs': runs,
    }


def _text(array):
    """Little-endian float32 in base64."""
    return base64.b64encode(np.ascontiguousarray(array, '<f4').tobytes()).decode()


def _rounded(array):
    return [[round(float(value), 2) for value in row] for row in array]


def _page(data):
    """page.html with its style, its script and its data; no text of the data ends a script."""
    page = (_FILES / 'page.html').read_text(encoding='utf-8')
    for place, name in (('/*STYLE*/', 'style.css'), ('/*SCRIPT*/', 'playground.js')):
        page = page.replace(place, (_FILES / name).read_text(encoding='utf-8'))
    return page.replace('/*DATA*/', json.dumps(data).replace('<', '\\u003c'))
