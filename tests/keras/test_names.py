"""Public names of TF 1.15's tf.keras: they resolve with their parameters, or raise an error."""
import inspect
import pathlib
import subprocess
import sys

import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tinyflow.graph.support.missing import MissingNameError

RECORDED = read_recorded('keras.names')

# Names that are left out, with the text of the error.
REFUSED = {
    'experimental.LinearModel': 'not part of tinyflow: Dense layers',
    'experimental.WideDeepModel': "not part of tinyflow: Add of two models' outputs",
}
MARKS = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}
NAMES = [f'{space}.{name}' for space, names in RECORDED.items() for name in names]


def resolved(path):
    value = tf.keras
    for part in path.split('.'):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize('path', [p for p in NAMES if p not in REFUSED])
def test_name_resolves(path):
    """... and is called with TF 1.15's parameters, in their order."""
    value = resolved(path)
    space, _, name = path.rpartition('.')
    wanted = RECORDED[space][name]
    if wanted is None or '*args' in wanted:
        return
    made_by = value.__init__ if inspect.isclass(value) else value
    own = [p for p in inspect.signature(made_by).parameters.values() if p.name != 'self']
    positional = [p.name for p in own if p.kind not in MARKS]
    wanted_names = [name for name in wanted if not name.startswith('*')]
    assert positional[:len(wanted_names)] == wanted_names
    if '**kwargs' in wanted:
        assert own[-1].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize('path', REFUSED)
def test_names_that_are_left_out_raise(path):
    with pytest.raises(MissingNameError, match=REFUSED[path]):
        resolved(path)


@pytest.mark.parametrize('path, nearest', [
    ('layers.Dens', 'tf.keras.layers.Dense'), ('optimizers.adam', 'tf.keras.optimizers.Adam'),
    ('losses.mean_square_error', 'tf.keras.losses.mean_squared_error'),
    ('callbacks.EarlyStoping', 'tf.keras.callbacks.EarlyStopping'),
    ('backend.get_sesion', 'tf.keras.backend.get_session'),
    ('activations.Relu', 'tf.keras.activations.relu'),
    ('models.Sequental', 'tf.keras.models.Sequential'),
])
def test_a_misspelt_name_has_a_hint(path, nearest):
    with pytest.raises(MissingNameError, match=f'nearest: {nearest}'):
        resolved(path)


@pytest.mark.parametrize('path, words', [
    ('layers.Merge', 'call add, multiply or concatenate'), ('layers.MaxoutDense', 'Reshape'),
    ('layers.Highway', 'Multiply and Add'),
    ('layers.TimeDistributedDense', 'Dense works on every step'),
])
def test_layers_of_keras_1_raise_with_a_replacement(path, words):
    with pytest.raises(MissingNameError, match=words):
        resolved(path)


def test_all_names_in_all_lists_exist():
    """`from keras.layers import *` finds whatever __all__ lists."""
    for space in RECORDED:
        if space == 'estimator':
            continue
        module = resolved(space)
        for name in getattr(module, '__all__', ()):
            getattr(module, name)


@pytest.mark.slow
def test_modules_of_layers_can_be_imported_as_in_keras():
    """`import keras.layers.merge` leaves the layers as they were."""
    code = ('import tinyflow\ntinyflow.install_as_tensorflow()\n'
            'import keras.layers.merge, keras.layers.core\n'
            'from keras.layers.merge import Add, add, concatenate\n'
            'from keras_layer.layers.merge import Add as Own\n'
            'x = keras.layers.Input((3,))\n'
            'keras.models.Model(x, keras.layers.core.Dense(1)(keras.layers.merge.add([x, x])))\n'
            'print(Add is Own is keras.layers.Add)')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          check=False, cwd=pathlib.Path(__file__).parents[2])
    assert done.stdout == 'True\n', done.stderr
