"""Exercises: solutions pass, blank and typical wrong answers fail with the right words."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tinyflow.api import cli
from tinyflow.api.learn import checking
from tinyflow.api.learn.checking import check_file
from tinyflow.api.learn.exercise import LEVELS, Wrong, all_exercises, exercise

TASKS = all_exercises()


def checked(task, code, folder):
    """What the learner reads, checked in this process; '' if the answer is right."""
    path = folder / f'answer_{task.name}.py'
    path.write_text(code, encoding='utf-8')
    try:
        answer = checking._imported(str(path))
        tf.reset_default_graph()
        task.check(answer)
    except Wrong as error:
        return str(error)
    return ''


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore::tinyflow.errors.TinyflowWarning')
@pytest.mark.parametrize('task', TASKS, ids=lambda task: task.name)
def test_the_solution_passes_and_wrong_answers_get_their_hint(task, tmp_path):
    assert checked(task, task.solution, tmp_path) == ''
    for code, words in task.wrong:
        said = checked(task, code, tmp_path)
        assert words in said, f'{words!r} is not in: {said}'
    assert 'Hint:' in checked(task, task.beginning, tmp_path)
    assert task.level in LEVELS and len(task.hints) == 3 and len(task.wrong) >= 3


def test_exercises_are_in_order_of_their_levels():
    assert [task.number for task in TASKS] == list(range(1, len(TASKS) + 1))
    levels = [LEVELS.index(task.level) for task in TASKS]
    assert levels == sorted(levels)


def learn(folder, *words):
    return cli.main(['learn', *words, '--folder', str(folder)])


@pytest.mark.slow
def test_a_learner_goes_through_an_exercise(tmp_path, capsys):
    folder = tmp_path / 'mine'
    assert learn(folder) == 0
    assert f'0 of {len(TASKS)} done; next: python -m tinyflow learn start 1' in \
        capsys.readouterr().out
    assert learn(folder, 'check', '1') == 1
    assert 'There is no file' in capsys.readouterr().out
    assert learn(folder, 'start', '1') == 0
    path = folder / TASKS[0].file_name
    assert 'Make placeholders' in path.read_text() or 'make placeholders' in path.read_text()
    assert learn(folder, 'start', '1') == 2
    assert 'your answer is kept' in capsys.readouterr().err
    assert learn(folder, 'check', 'feeds') == 1
    assert 'is not a tensor yet' in capsys.readouterr().out
    for number in (1, 2, 3, 3):
        assert learn(folder, 'hint', '1') == 0
        assert f'Hint {number} of 3: {TASKS[0].hints[number - 1]}' in capsys.readouterr().out
    assert learn(folder, 'solution', '1') == 0
    path.write_text(capsys.readouterr().out)
    assert learn(folder, 'check', '1') == 0
    assert capsys.readouterr().out == 'Right!\n'
    learn(folder)
    folder_again = f'--folder {folder}'
    said = capsys.readouterr().out
    assert '✓  1' in said and f'next: python -m tinyflow learn start 2 {folder_again}' in said


def test_wrong_words(tmp_path, capsys):
    assert learn(tmp_path, 'check', 'counting') == 2
    assert "no exercise 'counting'" in (said := capsys.readouterr().err) and 'counter' in said
    assert learn(tmp_path, 'hint') == 2
    assert 'which exercise?' in capsys.readouterr().err
    (tmp_path / '.tinyflow-learn.json').write_text('{"right": 3')
    assert learn(tmp_path) == 0


@pytest.mark.parametrize('code, outcome, words', [
    ('def counter():\n    return 1 / 0', 'failed', 'ZeroDivisionError'),
    ('import nothing_like_it', 'failed', 'No module named'),
    ('def counter(:', 'failed', 'SyntaxError'),
    ('count = 3', 'wrong', 'defines no `counter`'),
    ('def conter(): pass', 'wrong', 'but `conter`'),
    ('def counter(): print("seen")', 'failed', 'printed:\nseen'),
    ('def counter(): pass', 'failed', 'does it end with `return`?'),
    ('def counter(): return 1,', 'failed', 'as many results'),
    ('def counter(n): pass', 'failed', 'keep the parameters'),
    ('\ufeffdef counter(): return 1 / 0', 'failed', 'ZeroDivisionError'),
    ('import tinyflow as tf\ndef counter(): float(tf.constant(0))', 'failed', 'not a number'),
])
def test_an_answer_that_does_not_run(code, outcome, words, tmp_path, capsys):
    path = tmp_path / 'answer.py'
    path.write_text(code, encoding='utf-8')
    status = checking._main('counter', str(path))
    assert status == {'failed': checking._FAILED, 'wrong': checking._WRONG}[outcome]
    said = capsys.readouterr().out
    assert words in said and 'checking.py' not in said and 'operation.py' not in said


def test_a_file_in_another_encoding(tmp_path, capsys):
    path = tmp_path / 'answer.py'
    path.write_text('def counter(): pass', encoding='utf-16')
    assert checking._main('counter', str(path)) == checking._FAILED
    assert 'UTF-8' in capsys.readouterr().out


@pytest.mark.slow
def test_a_report_on_a_class(tmp_path, capsys):
    first, second = TASKS[0], exercise('counter')
    for name, answers in {'anna': {first: first.solution, second: second.solution},
                          'ben': {first: first.wrong[2][0], second: second.wrong[0][0]},
                          'carl': {second: second.wrong[0][0]}}.items():
        (tmp_path / name).mkdir()
        for task, code in answers.items():
            (tmp_path / name / task.file_name).write_text(code)
    (tmp_path / 'empty').mkdir()
    (tmp_path / 'anna').rename(tmp_path / 'exercises')      # as it comes out of an archive
    (tmp_path / 'exercises').rename((tmp_path / 'empty').rename(tmp_path / 'anna') / 'exercises')
    (tmp_path / 'ben' / 'mine.py').write_text('')
    table = tmp_path / 'class.csv'
    assert cli.main(['learn', 'class', str(tmp_path), '--csv', str(table)]) == 0
    assert table.read_text('utf-8-sig').splitlines()[:2] == ['learner,feeds,counter,right',
                                                  'anna,right,right,2']
    said = capsys.readouterr().out
    assert 'anna   +  +  2 of 2 right' in said
    assert 'ben    -  -  0 of 2 right' in said
    assert 'carl   .  -  0 of 2 right' in said
    assert 'not read of ben: mine.py' in said
    assert 'A counter: 2 of 3 not right yet' in said and 'tf.assign_add' in said


@pytest.mark.slow
@pytest.mark.parametrize('code, words', [
    ('import sys\nsys.exit(0)', 'take out exit()'),
    ('import os\nos._exit(17)', 'ended the program with the status 17'),
    ('import os\nos.write(1, b"x" * 10 ** 6)\nos._exit(17 + 1)', 'xxxx'),
])
def test_an_answer_that_ends_the_program(code, words, tmp_path):
    path = tmp_path / 'answer.py'
    path.write_text(code)
    result = check_file(exercise('1'), path)
    assert result.outcome in ('failed', 'wrong') and words in result.text
    assert len(result.text) <= 4000


@pytest.mark.slow
def test_an_answer_that_prints_without_end_and_leaves_a_process_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, 'SECONDS', 1)
    path = tmp_path / 'answer.py'
    path.write_text('import os, subprocess, sys\n'
                    'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"])\n'
                    'while True: os.write(1, b"x" * 10 ** 6)\n')
    assert check_file(exercise('1'), path).outcome == 'too long'
