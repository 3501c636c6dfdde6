"""Records the losses of cluster programs under TensorFlow: python -m tests.golden.record_cluster
PYTHON

PYTHON is an interpreter that has TensorFlow 1.15.5. One server and one worker, which are
deterministic; a client with towers on two workers.
"""
import sys
import tempfile
from pathlib import Path

from tests.cluster.jobs import Job
from tests.golden.encoding import json_text

NAMES = ['between_graph --steps 10 --optimizer Adam',
         'supervised_sync --steps 10', 'monitored_async --steps 10']
FILE = Path(__file__).parent / 'recorded' / 'cluster.json'


def main(python):
    recorded = {}
    for name in NAMES:
        program, *flags = name.split()
        with tempfile.TemporaryDirectory() as folder:
            with Job(program, 1, 1, folder, *flags, '--logdir', folder + '/model', python=python,
                     framework='tensorflow') as job:
                job.wait()
                recorded[name] = job.losses()
    with tempfile.TemporaryDirectory() as folder, \
            Job('in_graph', 1, 2, folder, '--steps', 5, python=python,
                framework='tensorflow') as job:
        job.start('client', 0)
        job.wait('client')
        recorded['in_graph --steps 5'] = job.losses(0, 'client')
    FILE.write_text(json_text(recorded))


if __name__ == '__main__':
    main(sys.argv[1])
