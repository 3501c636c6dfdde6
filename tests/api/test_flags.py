"""tf.flags and tf.app.run (values, errors and printed lines as seen on TF 1.15.5)."""
import enum
import logging
import subprocess
import sys

import pytest
from absl import app as absl_app, flags as absl_flags

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
    with pytest.raises(AttributeError, match='non'):
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


@pytest.fixture
def program_flags():
    """tf.flags.FLAGS as a new program has it; flags and logging are put back afterwards."""
    absl_app.define_help_flags()            # which absl does once in a process
    values, root = flags.FLAGS, logging.getLogger()
    names, parsed, level, handlers = set(values), values.is_parsed(), root.level, root.handlers[:]
    values.unparse_flags()
    yield values
    for name in set(values) - names:
        delattr(values, name)
    if parsed:
        values.mark_as_parsed()
    root.setLevel(level)
    root.handlers[:] = handlers


def test_flags_read_the_command_line_when_first_looked_at(program_flags, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['prog', '--test_rate=0.7', 'rest'])
    flags.DEFINE_float('test_rate', 0.1, '')
    assert not program_flags.is_parsed()
    assert tf.app.flags.FLAGS.test_rate == 0.7 and program_flags.is_parsed()


def test_app_run(program_flags):
    flags.DEFINE_float('test_rate', 0.1, '')
    seen = []
    with pytest.raises(SystemExit) as caught:
        tf.app.run(main=lambda argv: seen.append((argv, program_flags.test_rate)) or 3,
                   argv=['p', '--test_rate=2', '--unknown=1', 'x'])
    assert caught.value.code == 3 and seen == [(['p', '--unknown=1', 'x'], 2.0)]
    with pytest.raises(AttributeError, match=r'no function main\(argv\)'):
        tf.app.run()


def test_flags_are_those_of_absl(program_flags):
    absl_flags.DEFINE_integer('test_steps', 3, '')
    program_flags(['p', '--test_steps=4'])
    assert absl_flags.FLAGS.test_steps == program_flags.test_steps == 4
    program_flags.test_steps = 5
    assert absl_flags.FLAGS['test_steps'].value == 5
    assert isinstance(program_flags, flags.FlagValues) and len(program_flags) == len(
        list(absl_flags.FLAGS))


def test_hints(program_flags):
    flags.DEFINE_integer('test_steps', 3, '')
    with pytest.raises(flags.DuplicateFlagError, match=r'del tf\.flags\.FLAGS\.name'):
        flags.DEFINE_integer('test_steps', 3, '')
    with pytest.raises(AttributeError, match="no flag 'test_step' is defined; nearest: test_steps"):
        program_flags.test_step             # noqa: B018
    with pytest.raises(flags.UnrecognizedFlagError, match='a notebook is started with -f'):
        program_flags(['ipykernel_launcher.py', '-f', 'kernel.json'])


def test_programs_for_older_versions(program_flags, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['prog', '--test_steps=4'])
    flags.DEFINE_integer('test_steps', 3, '')
    program_flags._parse_flags()
    assert program_flags.__flags['test_steps'].value == 4
    flags.DEFINE_string('log_dir', '/tmp/logs', "absl.logging has one, too")
    assert program_flags.log_dir == '/tmp/logs'


def test_help(capsys, monkeypatch, program_flags):
    monkeypatch.setattr(sys, 'argv', ['prog'])
    flags.DEFINE_integer('test_steps', 3, 'a number')
    flags.DEFINE_boolean('test_fake', False, 'or not')
    with pytest.raises(SystemExit):
        program_flags(['prog', '--helpfull'])
    out = capsys.readouterr().out
    assert '--test_steps: a number\n    (default: \'3\')' in out and '--[no]test_fake' in out


# The frame of models/tutorials/image/cifar10/cifar10_train.py and its kind.
PROGRAM = '''"""Trains."""
import logging
import tensorflow as tf
FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string('train_dir', '/tmp/cifar10_train', """Directory for logs.""")
tf.app.flags.DEFINE_integer('max_steps', 1000000, """Number of batches to run.""")
tf.app.flags.DEFINE_boolean('log_device_placement', False, """Whether to log devices.""")
tf.app.flags.DEFINE_string('data_dir', None, """Where the data is.""")
tf.flags.mark_flag_as_required('data_dir')
def main(argv=None):
    tf.logging.info('start')
    logging.getLogger('mine').warning('of my own')
    print(FLAGS.data_dir, FLAGS.train_dir, FLAGS.max_steps, FLAGS.log_device_placement, argv[1:])
if __name__ == '__main__':
    tf.app.run()
'''


def _run_program(folder, *arguments):
    (folder / 'train.py').write_text(PROGRAM, encoding='utf-8')
    return subprocess.run([sys.executable, '-W', 'error', '-m', 'tinyflow', 'run', 'train.py',
                           '--data_dir=d', *arguments], capture_output=True, text=True, cwd=folder)


@pytest.mark.slow
def test_a_published_program(tmp_path):
    done = _run_program(tmp_path, '--max_steps=5', '--nolog_device_placement', '--other=1', 'x')
    assert done.returncode == 0, done.stderr
    assert done.stdout == "d /tmp/cifar10_train 5 False ['--other=1', 'x']\n"
    # tf.logging keeps its format; the root logger gets that of absl, as in TF 1.15.
    first, second = done.stderr.splitlines()
    assert first == 'INFO:tensorflow:start'
    assert second.startswith('W') and second.endswith(' train.py:12] of my own')


@pytest.mark.slow
def test_the_help_of_a_published_program(tmp_path):
    done = _run_program(tmp_path, '--help')
    assert (done.returncode, done.stderr) == (1, '')
    assert done.stdout == '''Trains.
flags:

train.py:
  --data_dir: Where the data is.
  --[no]log_device_placement: Whether to log devices.
    (default: 'false')
  --max_steps: Number of batches to run.
    (default: '1000000')
    (an integer)
  --train_dir: Directory for logs.
    (default: '/tmp/cifar10_train')

Try --helpfull to get a list of all flags.
'''


@pytest.mark.slow
def test_a_bad_flag_shows_only_the_line_of_the_program(tmp_path):
    done = _run_program(tmp_path, '--max_steps=x')
    assert done.returncode == 1 and 'train.py", line 15' in done.stderr
    assert done.stderr.count('File "') == 1 and 'flag --max_steps=x: invalid literal' in done.stderr


def test_importing_does_not_change_logging():
    code = ("import logging, tinyflow as tf; tf.flags.FLAGS; tf.app.run; root = logging.root; "
            "print(root.handlers, root.level, logging.getLoggerClass() is logging.Logger, "
            "tf.logging.get_verbosity())")
    done = subprocess.run([sys.executable, '-W', 'error', '-c', code], capture_output=True,
                          text=True, check=True)
    assert done.stdout == '[] 30 True 30\n'
