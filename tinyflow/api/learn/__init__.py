"""Exercises that check themselves: `python -m tinyflow learn`.

    exercise.py     what an exercise is, and all of them
    folder.py       the learner's folder: answers and progress
    checking.py     runs an answer in a process of its own
    sandbox.py      a command that may be endless or print without end
    report.py       a teacher's report on a class
    exercises/      the tasks, with hints, solutions and typical wrong answers
"""
