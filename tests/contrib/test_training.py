"""tf.contrib.training.HParams. What is expected is what TF 1.15.5 gives."""
import json

import numpy as np
import pytest

import tinyflow as tf


@pytest.fixture
def settings():
    return tf.contrib.training.HParams(a=1, b=1.5, c='x', d=[3], e=True, n=None)


@pytest.mark.parametrize('text, expected', [
    ('a=5,b=2,c=zz,d=[1,2],e=false', {'a': 5, 'b': 2., 'c': 'zz', 'd': [1, 2], 'e': False}),
    ('d=[1 2]', {'d': [1, 2]}),
    ('e=0', {'e': False}),
    ('b=-.5e3, a = 3', {'b': -500., 'a': 3}),
    ('c=', {'c': ''}),
    ('', {}),
])
def test_parse(settings, text, expected):
    before = settings.values()
    assert settings.parse(text) is settings
    assert settings.values() == {**before, **expected}
    assert type(settings.b) is float


@pytest.mark.parametrize('text, message', [
    ('zz=3', 'Unknown hyperparameter type for zz'),
    ('a', 'Malformed hyperparameter value: a'),
    ('a=1.5', "Could not parse hparam 'a' of type 'int' with value '1.5' in a=1.5"),
    ('e=yes', "Could not parse hparam 'e' of type 'bool'"),
    ('a=1,a=2', "Multiple assignments to variable 'a'"),
    ('d[1]=1,d[1]=2', r"Multiple assignments to variable 'd\[1\]'"),
    ('a=[1,2]', 'Must not pass a list for single-valued parameter: a'),
    ('d=4', 'Must pass a list for multi-valued parameter: d'),
])
def test_texts_that_are_refused(settings, text, message):
    with pytest.raises(ValueError, match=message):
        settings.parse(text)


def test_parse_values():
    kinds = {'a': int, 'd': float}
    parse = tf.contrib.training.parse_values
    assert parse('a=1,d[2]=.5,d[0]=1', kinds) == {'a': 1, 'd': {2: .5, 0: 1.}}
    assert parse('a=1,zz=3', kinds, ignore_unknown=True) == {'a': 1}


@pytest.mark.parametrize('name, value', [
    ('a', 2.5), ('a', True), ('a', '3'), ('b', 'x'), ('c', 3), ('d', 3), ('d', [1.5]), ('e', 1),
    ('a', [1])])
def test_values_that_do_not_fit(settings, name, value):
    with pytest.raises(ValueError):
        settings.set_hparam(name, value)
    with pytest.raises(ValueError):
        settings.get(name, value)


def test_values_that_fit(settings):
    settings.override_from_dict({'b': 3, 'd': [4, 5], 'n': 'anything', 'a': np.int64(7)})
    assert (settings.b, settings.d, settings.n, settings.a) == (3., [4, 5], 'anything', 7)
    assert type(settings.b) is float and type(settings.a) is int
    with pytest.raises(KeyError):
        settings.set_hparam('q', 1)


def test_the_rest(settings):
    hparams = tf.contrib.training.HParams(b=1, a='q')
    assert (str(hparams), repr(hparams)) == ('b=1,a=q', "HParams([('a', 'q'), ('b', 1)])")
    assert json.loads(settings.to_json()) == settings.values()
    assert hparams.parse_json('{"b": 7}').b == 7
    hparams.add_hparam('z', [1])
    assert 'z' in hparams and hparams.get('z') == [1] and hparams.get('y', 4) == 4
    hparams.del_hparam('z')
    assert 'z' not in hparams and not hasattr(hparams, 'z')
    for name, value, message in [('b', 3, 'reserved: b'), ('parse', 3, 'reserved: parse'),
                                 ('w', [], 'cannot be empty: w')]:
        with pytest.raises(ValueError, match=message):
            hparams.add_hparam(name, value)
