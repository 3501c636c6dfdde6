"""tf.flags and tf.app.run (values and errors as seen on TF 1.15.5)."""
import enum
import sys

import pytest

import tinyflow as tf

flags = tf.flags


def some_flags():
    fv = flags.FlagValues()
    flags.DEFINE_string('s', 'd', 'a string', flag_values=fv)
    flags.DEFINE_integer('n', 3, 'a number', lower_bound=0, flag_values=fv)
    flags.DEFINE_float('f', 0.5, '', flag_values=fv)
    flags.DEFINE_bool('b', False, '', flag_values=fv)
    flags.DEFINE_boolean('t', True, '', flag_values=fv)
    flags.DEFINE_enum('e', 'x', ['x', 'y'], '', flag_values=fv)
    flags.DEFINE_list('l', ['a'], '', flag_values=fv)
    flags.DEFINE_multi_string('m', ['q'], '', flag_values=fv)
    flags.DEFINE_multi_integer('mi', None, '', flag_values=fv)
    flags.DEFINE_spaceseplist('sp', 'a b', '', flag_values=fv)
    flags.DEFINE_string('none', None, '', short_name='z', flag_values=fv)
    return fv


@pytest.mark.parametrize('argv, rest, values', [
    ([], [], {'s': 'd', 'n': 3, 'f': 0.5, 'b': False, 't': True, 'e': 'x', 'l': ['a'],
              'm': ['q'], 'mi': None, 'sp': ['a', 'b'], 'none': None}),
    (['--s=1', '--n', '7', '-f=2', 'x', '--b'], ['x'], {'s': '1', 'n': 7, 'f': 2.0, 'b': True}),
    (['--b', '--not'], [], {'b': True, 't': False}),
    (['--b=false', '--t=f'], [], {'b': False, 't': False}),
    (['--b', 'false'], ['false'], {'b': True}), (['--e=y'], [], {'e': 'y'}),
    (['--l=a,b, "c,d"'], [], {'l': ['a', 'b', '"c', 'd"']}), (['--l='], [], {'l': []}),
    (['--m=1', '--m=2'], [], {'m': ['1', '2']}), (['--mi=1', '--mi=0x10'], [], {'mi': [1, 16]}),
    (['--sp=x y'], [], {'sp': ['x', 'y']}), (['--', '--s=2'], ['--s=2'], {'s': 'd'}),
    (['a', '--s=2'], ['a'], {'s': '2'}), (['-z', '5'], [], {'none': '5'}),
    (['--undefok=zz', '--zz=1'], [], {}), (['-'], ['-'], {}), (['--none='], [], {'none': ''})])
def test_command_lines(argv, rest, values):
    fv = some_flags()
    assert fv(['prog', *argv]) == ['prog', *rest]
    assert {name: getattr(fv, name) for name in values} == values


@pytest.mark.parametrize('argv, error, text', [
    (['--nob=1'], ValueError, 'does not take an argument'),
    (['--n=abc'], flags.IllegalFlagValueError, 'flag --n=abc: invalid literal'),
    (['--n=-1'], flags.IllegalFlagValueError, 'is not a non-negative integer'),
    (['--f=x'], flags.IllegalFlagValueError, 'could not convert'),
    (['--e=z'], flags.IllegalFlagValueError, 'one of <x|y>'),
    (['--b=maybe'], flags.IllegalFlagValueError, 'Non-boolean argument'),
    (['--s'], flags.Error, 'Missing value for flag --s'),
    (['--nonee=3'], flags.UnrecognizedFlagError, "'nonee'.*Did you mean: none"),
    (['-f', 'kernel.json', '--zz'], flags.IllegalFlagValueError, 'kernel.json')])
def test_bad_command_lines(argv, error, text):
    with pytest.raises(error, match=text):
        some_flags()(['prog', *argv])


def test_unknown_flags_can_stay():
    assert some_flags()(['prog', '--zz', '3', '--s=1'], known_only=True) == ['prog', '--zz', '3']


def test_access_and_assignment():
    fv = some_flags()
    with pytest.raises(flags.UnparsedFlagAccessError):
        fv.s                # noqa: B018
    fv.mark_as_parsed()
    fv.s = 'new'
    assert fv.s == fv['s'].value == 'new' and 's' in fv and not fv['s'].using_default_value
    with pytest.raises(AttributeError, match="no flag 'non' is defined; nearest: none"):
        fv.non              # noqa: B018
    with pytest.raises(flags.UnrecognizedFlagError):
        fv.other = 1
    with pytest.raises(flags.DuplicateFlagError, match='defined twice'):
        flags.DEFINE_string('s', '', '', flag_values=fv)
    with pytest.raises(flags.FlagNameConflictsWithMethodError):
        flags.DEFINE_string('is_parsed', '', '', flag_values=fv)
    del fv.s
    flags.DEFINE_string('s', 'again', '', flag_values=fv)
    assert fv.s == 'again'
    assert fv.__flags['n'].value == 3           # what programs of TensorFlow 1.4 do


def test_old_argument_names():
    fv = flags.FlagValues()
    holder = flags.DEFINE_integer(flag_name='steps', default_value=4, docstring='d',
                                  flag_values=fv)
    fv(['prog', '--steps=5'])
    assert holder.value == 5 and holder.default == 4 and holder.present


def test_validators():
    fv = some_flags()
    flags.mark_flag_as_required('none', flag_values=fv)
    with pytest.raises(flags.IllegalFlagValueError, match='must have a value other than None'):
        fv(['prog'])
    fv(['prog', '--none=1'])
    flags.register_validator('s', lambda v: v != 'bad', 'not that', flag_values=fv)
    with pytest.raises(flags.IllegalFlagValueError, match='flag --s=bad: not that'):
        fv.s = 'bad'
    other = some_flags()
    flags.mark_flags_as_mutual_exclusive(['none', 'mi'], flag_values=other)
    with pytest.raises(flags.IllegalFlagValueError, match='At most one of'):
        other(['prog', '--none=1', '--mi=2'])


def test_enum_classes_aliases_and_files(tmp_path):
    class Kind(enum.Enum):
        A, B = 1, 2
    fv = some_flags()
    flags.DEFINE_enum_class('kind', Kind.A, Kind, '', flag_values=fv)
    flags.DEFINE_alias('text', 's', flag_values=fv)
    path = tmp_path / 'flags.txt'
    path.write_text('# settings\n--n=9\n--kind=b\n')
    fv(['prog', f'--flagfile={path}', '--text=via alias'])
    assert (fv.n, fv.kind, fv.s) == (9, Kind.B, 'via alias')
    assert '--n=9' in fv.flags_into_string()
    again = some_flags()
    with pytest.raises(flags.CantOpenFlagFileError):
        again(['prog', '--flagfile=no/such/file'])


def test_flags_read_the_command_line_when_first_looked_at(monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['prog', '--test_flags_rate=0.7', 'rest'])
    FLAGS = flags.FLAGS
    was_parsed = FLAGS.is_parsed()
    FLAGS.__dict__['_parsed'] = False
    flags.DEFINE_float('test_flags_rate', 0.1, '')
    try:
        assert tf.app.flags.FLAGS.test_flags_rate == 0.7
        seen = []
        with pytest.raises(SystemExit) as caught:
            tf.app.run(main=lambda argv: seen.append((argv, FLAGS.test_flags_rate)) or 3,
                       argv=['p', '--test_flags_rate=2', '--unknown=1', 'x'])
        assert caught.value.code == 3 and seen == [(['p', '--unknown=1', 'x'], 2.0)]
    finally:
        del FLAGS.test_flags_rate
        FLAGS.__dict__['_parsed'] = was_parsed


def test_help(capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['prog'])
    with pytest.raises(SystemExit):
        some_flags()(['prog', '--help'])
    out = capsys.readouterr().out
    assert '--n: a number' in out and '(default: \'3\')' in out and '--[no]b' in out
