"""Record losses and weights of MultiWorkerMirroredStrategy with two workers under TF 1.15.5."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from golden.store import write_recorded  # noqa: E402


def main():
    addresses = ['localhost:%d' % port for port in _free_ports(2)]
    with tempfile.TemporaryDirectory() as folder:
        workers = [subprocess.Popen(
            [sys.executable, str(ROOT / 'cluster' / 'losses_of_workers.py'), 'tensorflow', folder],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(
                os.environ, TF_CONFIG=json.dumps({
                    'cluster': {'worker': addresses}, 'task': {'type': 'worker', 'index': index}})))
            for index in range(2)]
        outputs = [worker.communicate()[0].decode() for worker in workers]
    line, = [line for line in outputs[0].splitlines() if line.startswith('RESULT ')]
    write_recorded('workers', json.loads(line[len('RESULT '):]))


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(('localhost', 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


if __name__ == '__main__':
    main()
